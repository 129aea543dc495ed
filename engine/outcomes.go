package engine

import (
	"strings"

	"github.com/awarc/awarc/frontier"
)

// Outcomes states the outcome of every URL that was found in scope: Found is the sum of Archived,
// ArchivedAsAnother, Excluded, Failed, Deferred, Waiting and Lost.
type Outcomes struct {
	Found             int            `json:"found"`
	Archived          int            `json:"archived"` // whatever the status of the answer
	ArchivedAsAnother int            `json:"archived_as_another"`
	Excluded          map[string]int `json:"excluded"` // by the rule
	Failed            map[string]int `json:"failed"`   // by the kind of the last error
	Deferred          int            `json:"deferred"` // into families that are closed or used up
	Waiting           int            `json:"waiting"`
	Lost              int            `json:"lost"` // without any other outcome: an error of awarc
	// Named holds the first 1,000 URLs of each outcome that is not archived, in the order in which
	// they were found.
	Named struct {
		Excluded []NamedURL `json:"excluded,omitempty"`
		Failed   []NamedURL `json:"failed,omitempty"`
		Deferred []NamedURL `json:"deferred,omitempty"`
		Waiting  []NamedURL `json:"waiting,omitempty"`
		Lost     []NamedURL `json:"lost,omitempty"`
	} `json:"named"`
}

// NamedURL is a URL that is not archived, and the reason.
type NamedURL struct {
	URL    string `json:"url"`
	Reason string `json:"reason,omitempty"`
}

const (
	maxNamed    = 1_000         // URLs of one outcome in a report, and rules; arbitrary
	otherReason = "other rules" // beyond maxNamed rules
)

// NewOutcomes returns empty counts.
func NewOutcomes() *Outcomes { return &Outcomes{Excluded: map[string]int{}, Failed: map[string]int{}} }

// Add counts the outcome of an entry.
func (o *Outcomes) Add(e frontier.Entry) {
	switch e.State {
	case frontier.Fetched:
		o.Archived++
	case frontier.Aliased:
		o.ArchivedAsAnother++
	case frontier.Pending:
		o.Waiting++
		name(&o.Named.Waiting, e.URL.URL, e.Reason)
	case frontier.PutOff:
		o.Deferred++
		name(&o.Named.Deferred, e.URL.URL, e.Family)
	case frontier.Excluded:
		count(o.Excluded, e.Reason)
		name(&o.Named.Excluded, e.URL.URL, e.Reason)
	case frontier.Failed:
		kind, _, _ := strings.Cut(e.Reason, ":")
		count(o.Failed, kind)
		name(&o.Named.Failed, e.URL.URL, e.Reason)
	}
}

func name(list *[]NamedURL, url, reason string) {
	if len(*list) < maxNamed {
		*list = append(*list, NamedURL{url, reason})
	}
}

func count(m map[string]int, reason string) {
	if _, known := m[reason]; !known && len(m) >= maxNamed {
		reason = otherReason
	}
	m[reason]++
}

// Lose moves a URL from archived to lost: the frontier has it as fetched, the archive lacks it.
func (o *Outcomes) Lose(url string) {
	o.Archived--
	o.Lost++
	name(&o.Named.Lost, url, "")
}

// Close sets the number of URLs found. URLs without an outcome count as lost.
func (o *Outcomes) Close(found int) {
	o.Found = found
	known := o.Archived + o.ArchivedAsAnother + o.Deferred + o.Waiting + o.Lost
	for _, by := range []map[string]int{o.Excluded, o.Failed} {
		for _, n := range by {
			known += n
		}
	}
	o.Lost += max(0, found-known)
}
