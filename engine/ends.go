package engine

import (
	"strings"

	"github.com/awarc/awarc/frontier"
)

// Ends says what became of each URL that was found in scope: Found is the sum of all others but of what they name.
type Ends struct {
	Found     int `json:"found"`
	Archived  int `json:"archived"`            // whatever was answered
	AsAnother int `json:"archived_as_another"` // pages that were archived under another address
	// Excluded counts URLs by the rule that excludes them, GivenUp by the kind of their last error.
	Excluded map[string]int `json:"excluded"`
	GivenUp  map[string]int `json:"given_up"`
	Waiting  int            `json:"waiting"` // for awarc resume, or put off
	// Lost counts URLs with none of these ends, which is an error of awarc. LostURLs are some of those that are known.
	Lost     int      `json:"lost"`
	LostURLs []string `json:"lost_urls,omitempty"`
	// GivenUpURLs are the first of those that were given up, in the order in which they were found.
	GivenUpURLs []GivenUp `json:"given_up_urls,omitempty"`
}

// GivenUp is a URL that was given up, with its last error.
type GivenUp struct {
	URL   string `json:"url"`
	Error string `json:"error"`
}

const (
	endsNamed   = 1_000         // URLs of a kind in a report, and rules
	otherReason = "other rules" // beyond that
)

// NewEnds begins to count ends.
func NewEnds() *Ends { return &Ends{Excluded: map[string]int{}, GivenUp: map[string]int{}} }

// Add counts the end of an entry.
func (r *Ends) Add(e frontier.Entry) {
	switch e.State {
	case frontier.Fetched:
		r.Archived++
	case frontier.Aliased:
		r.AsAnother++
	case frontier.Pending, frontier.PutOff:
		r.Waiting++
	case frontier.Excluded:
		count(r.Excluded, e.Reason)
	case frontier.Failed:
		kind, _, _ := strings.Cut(e.Reason, ":")
		count(r.GivenUp, kind)
		if len(r.GivenUpURLs) < endsNamed {
			r.GivenUpURLs = append(r.GivenUpURLs, GivenUp{e.URL.URL, e.Reason})
		}
	}
}

func count(m map[string]int, reason string) {
	if _, known := m[reason]; !known && len(m) >= endsNamed {
		reason = otherReason
	}
	m[reason]++
}

// Lose takes a URL that was counted as archived and is not in the archive for lost.
func (r *Ends) Lose(url string) {
	r.Archived--
	r.Lost++
	if len(r.LostURLs) < endsNamed {
		r.LostURLs = append(r.LostURLs, url)
	}
}

// Close compares the ends with how many URLs were found: those without an end are lost.
func (r *Ends) Close(found int) {
	r.Found = found
	ends := r.Archived + r.AsAnother + r.Waiting + r.Lost
	for _, by := range []map[string]int{r.Excluded, r.GivenUp} {
		for _, n := range by {
			ends += n
		}
	}
	r.Lost += max(0, found-ends)
}
