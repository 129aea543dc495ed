package adapt

import (
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Learner adapts through a crawl: it confirms what one page suggests on further
// pages before it is used. It is safe for concurrent use.
type Learner struct {
	options LearnerOptions

	mu struct {
		sync.Mutex
	}
}

// LearnerOptions say when a learner believes. The zero value is useful.
type LearnerOptions struct {
	Options
	// Confirm is on how many further pages a candidate must hold; 0 means 3.
	Confirm int
}

// Result is what a learner makes of one page.
type Result struct {
	// Harvest is what to publish now: as it was, or mended by what is confirmed.
	Harvest extract.Harvest
	// Provisional is the harvest by what is not confirmed yet; nil without.
	Provisional *extract.Harvest
	// Pending tells that the page must be read again when its Key is decided.
	Pending bool
	Key     string
	// Confirmed are entries that this page confirmed: persist them, and read the pages
	// pending under Key again.
	Confirmed []kb.Entry
	// Dropped are learned entries that began to fail.
	Dropped []kb.Entry
	Tried   int
	// Attempted and Failed count pages for the report.
	Attempted, Failed bool
}

// New makes a learner that has learned nothing.
func New(o LearnerOptions) *Learner { return &Learner{options: o} }

// Page judges a page's harvest and mends it.
func (l *Learner) Page(base *kb.Base, p extract.Page, h extract.Harvest) Result {
	return Result{Harvest: h}
}

// Decided is what became of a key at the end of a crawl.
type Decided struct {
	Key string
	// Entries are good enough to publish the pending pages with, but not to be
	// written to the knowledge base; none where the pages stay as they are.
	Entries []kb.Entry
}

// Finish decides all keys that never met enough pages.
func (l *Learner) Finish() []Decided { return nil }
