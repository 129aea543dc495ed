package watch

import (
	"math"
)

// State is the result of the last fetch of a page.
type State string

// The states.
const (
	Present State = ""        // an answer with content
	Gone    State = "gone"    // 404 or 410: the site deleted it
	Walled  State = "login"   // a login page or a refusal in its place
	Failing State = "failing" // no answer, or an error of the server
)

// Page is the schedule's record of one page. A store keeps all its fields.
type Page struct {
	URL     string  `json:"u"`
	Place   string  `json:"g"`           // host, type and level: the group that shares a prior
	Object  string  `json:"o,omitempty"` // the object of the page, such as a topic
	Part    int     `json:"p,omitempty"` // number of the page in the object
	Last    float64 `json:"l"`           // last fetch, in days
	Changed float64 `json:"c,omitempty"` // last change that is known
	State   State   `json:"s,omitempty"`
	Source  bool    `json:"src,omitempty"` // it shows that others changed
	List    bool    `json:"ls,omitempty"`  // it only leads to other pages

	// Changes and Days are the evidence: the expected number of changes in so many days. Older
	// evidence counts less.
	Changes float64 `json:"n"`
	Days    float64 `json:"t"`

	// Persistent is the share of the changed content that was still there at the next change.
	Persistent float64 `json:"w,omitempty"`
	// Sketch are hashes of pieces of the content, New of the pieces that the last change brought.
	Sketch []uint32 `json:"k,omitempty"`
	New    []uint32 `json:"kn,omitempty"`

	// Dull counts the polls of a source that reported nothing new while another source did.
	Dull int   `json:"d,omitempty"`
	Size int64 `json:"b,omitempty"` // of its last answer, in bytes

	Statements
	Failures
	Validators
}

// Statements are the signals about a page.
type Statements struct {
	Signal float64           `json:"sg,omitempty"` // time of the oldest one since the last fetch; 0 for none
	Seen   map[string]string `json:"sv,omitempty"` // last statement of each source
	// Announced is set if a source has shown when the page changed, or that it changed: it need not be polled.
	Announced bool `json:"an,omitempty"`
}

// Failures are the time of the last fetch without content, and the number of such fetches in a row.
type Failures struct {
	Tried float64 `json:"ft,omitempty"`
	Fails int     `json:"fn,omitempty"`
}

// Validators locate the last capture with a body, for conditional requests.
type Validators struct {
	Digest string `json:"h,omitempty"` // of the payload
	File   string `json:"f,omitempty"`
	Offset int64  `json:"fo,omitempty"`
}

// halfLife is the number of days after which evidence counts half: long enough for pages that change once a
// year, short enough to follow a page that goes quiet. Chosen on the years 2012 to 2014 of the
// history in EVALUATION.md; 365 and 1460 are within 3 % of it.
const halfLife = 730.0

// age takes the time since evidence was added into account.
func (p *Page) age(days float64) {
	f := math.Exp2(-max(0, days) / halfLife)
	p.Changes, p.Days = p.Changes*f, p.Days*f
}

// Observe adds the evidence of a fetch at time now to a page. modified is the Last-Modified of the
// answer, 0 without one. rate is the rate expected so far.
func (p *Page) Observe(now float64, changed bool, modified, rate float64) {
	since := max(0, now-p.Last)
	p.age(since)
	switch exact := modified > p.Last && modified <= now; {
	case !changed:
		p.Days += since
	case exact: // the time before the change holds as many further ones as expected; that after it none
		p.Changes += 1 + rate*(modified-p.Last)
		p.Days += since
		p.Changed = modified
	default: // at least one change in the interval: the expected number of them
		p.Changes += atLeastOne(rate * since)
		p.Days += since
		p.Changed = now
	}
	p.Last, p.Signal = now, 0
}

// Begin sets the evidence of a page that was fetched once, at time now: it has not changed since
// modified, which is 0 if unknown. The change at modified is not counted: without the time of the
// change before it, it shows how long the page was quiet, not how often it changes.
func (p *Page) Begin(now, modified float64) {
	p.Last = now
	if modified > 0 && modified < now {
		p.Changed = modified
		p.Days = halfLife / math.Ln2 * (1 - math.Exp2(-(now-modified)/halfLife))
	}
}

// atLeastOne is the expected number of events of a Poisson process with this mean, given that there
// was one.
func atLeastOne(mean float64) float64 {
	if mean < 1e-9 {
		return 1
	}
	return mean / -math.Expm1(-mean)
}
