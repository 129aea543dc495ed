package engine

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/awarc/awarc/frontier"
)

// Archived reports whether an answer to the URL of an entry was archived, and its HTTP status; 0 if the entry does not
// have it.
func Archived(e frontier.Entry) (status int, archived bool) {
	switch {
	case e.State == frontier.Fetched, e.State == frontier.Excluded: // by a rule about the answer
		n, err := fmt.Sscanf(e.Reason, "status %d", &status)
		return status, n == 1 && err == nil
	case e.State == frontier.Failed:
		for _, kind := range []string{"http_", "truncated_", "redirect_loop:", kindLoggedOut} {
			if strings.HasPrefix(e.Reason, kind) {
				return 0, true
			}
		}
	}
	return 0, false
}

// sameAgain are the kinds of errors that another answer to the same request would not cure.
var sameAgain = map[string]bool{"page_cut": true, "same_id": true, "reread": true, poisonKind: true, "capture_lost": true,
	"truncated_length": true}

// Failures returns the names of the counters of errors that an entry was counted in and that another
// request may cure; none where its URL did not fail.
func Failures(e frontier.Entry) (names []string) {
	first, faults, _ := strings.Cut(e.Reason, errorsNamed)
	if e.State == frontier.Failed {
		kind, _, _ := strings.Cut(first, ":")
		names = append(names, countErrors+kind)
	}
	for _, name := range strings.Fields(faults) {
		if !sameAgain[strings.TrimPrefix(name, countFaults)] {
			names = append(names, name)
		}
	}
	return names
}

// UncountFailed returns what to add to the durable counters when a URL that failed is requested again:
// the opposite of its errors and of what its page counted, as in [Uncount]. Captures and statements
// about them stay in the archive, and so does their count.
func UncountFailed(entry frontier.Entry, e *Exchanged) map[string]int64 {
	c := map[string]int64{}
	if entry.State == frontier.Fetched {
		c = Uncount(entry, e)
		for _, kept := range []string{countFaults + "capture_lost", countTriples, countRevisits, countElsewhere} {
			delete(c, kept)
		}
	}
	for _, name := range Failures(entry) {
		c[name]--
	}
	return c
}

// Uncount returns what to add to the durable counters when the capture of a URL is lost and the URL is to be fetched
// again: that it is lost, and the opposite of what the crawl log says that the page counted. e is the log's line, nil
// if there is none. Requests, bytes and statuses, which remain true, are not changed.
func Uncount(entry frontier.Entry, e *Exchanged) map[string]int64 {
	c := map[string]int64{countFaults + "capture_lost": 1}
	if e == nil {
		return c
	}
	c[countTriples] -= int64(e.Triples)
	if e.Revisit != "" {
		c[countRevisits]--
	}
	if e.Elsewhere {
		c[countElsewhere]--
	}
	status := e.Status
	if status == http.StatusNotModified && e.Revisit != "" {
		status = http.StatusOK
	}
	if IsRequisite(e.Expected) && e.Status == http.StatusOK {
		c[countRequisites]--
	}
	if entry.Seed && status < http.StatusMultipleChoices {
		c[countSeedsGood]--
	}
	if status != http.StatusOK || e.MIME != "text/html" && e.MIME != "application/xhtml+xml" || IsRequisite(e.Expected) && e.KB == "" {
		return c
	}
	c[countPages]--
	if host, err := frontier.HostOf(e.URL); err == nil {
		c[countHostPages+host]--
	}
	if e.KB != "" {
		c[countKB+e.KB]--
	}
	if e.Type != "" {
		c[countTypes+e.Type]--
	}
	if e.Level != "" {
		c[countLevels+e.Type+"/"+e.Level]--
	}
	takeBackMissing(c, e.Missing)
	return c
}

// takeBackMissing takes what the log says that a page lacked out of the counters.
func takeBackMissing(c map[string]int64, missing []string) {
	for _, m := range missing {
		var object, field string
		if n, _ := fmt.Sscanf(m, "%s %s", &object, &field); n == 2 {
			c[countMissing+object+"."+strings.TrimSpace(field)]--
		}
	}
}
