package engine

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/awarc/awarc/frontier"
)

// Archived reports whether an entry says that an answer to its URL was archived, and the HTTP status of it; 0 where the entry does not
// tell.
func Archived(e frontier.Entry) (status int, archived bool) {
	switch {
	case e.State == frontier.Fetched:
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

// Uncount returns what to add to the durable counters when the capture of a URL is lost and the URL is to be fetched
// again: that it is lost, and the opposite of what the crawl log says that the page counted. e is the log's line, nil
// where there is none; what is not in the log, and requests, bytes and statuses, which remain true, are left.
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
