package adapt

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

// lessons are what pages of one level of one site taught so far.
type lessons struct {
	all    []*lesson
	failed map[string]failure           // by the faults of the pages
	works  map[kb.Place]bool            // navigation actions, as their author wrote them
	waits  bool                         // pages wait for what others show
	said   map[string]map[string]*voice // of the objects of pages, by field and value
	totals map[kb.Place]*totalPages
}

func newLessons() *lessons {
	return &lessons{failed: map[string]failure{}, works: map[kb.Place]bool{}, said: map[string]map[string]*voice{},
		totals: map[kb.Place]*totalPages{}}
}

// failure is of pages that could not be mended.
type failure struct {
	pages int
	left  []Left // of the last of them
}

// lesson is an entry that some pages suggest.
type lesson struct {
	entry     kb.Entry
	pages     map[string]bool // that support it
	tally                     // of this learner
	heard     map[string]Evidence
	confirmed bool
	told      bool // that it was not confirmed
}

// tally counts what pages say of an entry.
type tally struct {
	Against int `json:"against,omitempty"` // pages on which it did not help, or something else did
	// Where links led that a navigation action selected: to pages of the level that it promises, or elsewhere.
	Led    int `json:"led,omitempty"`
	Misled int `json:"misled,omitempty"`
	// On how many pages it found what is the page's alone, and what another page's object has: see [lessons.hear].
	Distinct int `json:"distinct,omitempty"`
	Repeated int `json:"repeated,omitempty"`
	// Of an action for objects inside others: the most that it selected on one page, and the nodes of the largest page on which it
	// selected one alone.
	Most  int `json:"most,omitempty"`
	Nodes int `json:"nodes,omitempty"`
}

// contest is where only one candidate can be right: its place, but for what is cut out of a text, of which there is more.
func (c *lesson) contest() kb.Place {
	p := c.entry.Place
	if p.Cuts() {
		p.Part += " " + c.entry.Expr
	}
	return p
}

// trusted reports whether more pages speak for a candidate than against it.
func (c *lesson) trusted() bool {
	pages, t := c.all()
	return c.confirmed || t.Against <= pages && t.Misled <= t.Led && !c.ofTemplate()
}

// leads reports whether a candidate for a navigation action leads where it should; other candidates need not.
func (c *lesson) leads() bool {
	_, t := c.all()
	return !leading(c.entry.Place) || t.Led > 0 && t.Misled*4 <= t.Led
}

// leading reports whether a place is that of a navigation action.
func leading(p kb.Place) bool { return strings.HasPrefix(p.Part, "follow ") }

func (c *lesson) weight() int {
	pages, t := c.all()
	switch w := pages - t.Against; {
	case c.confirmed:
		return math.MaxInt
	case c.alone():
		return w - math.MaxInt32 // any that selects several is better
	default:
		return w
	}
}

// best gives for each contest the trusted candidate with most support, of those of which something holds, in the order in which
// they were met.
func (k *lessons) best(is func(*lesson) bool) (out []*lesson) {
	best := map[kb.Place]*lesson{}
	for _, c := range k.all {
		if b := best[c.contest()]; c.trusted() && is(c) && (b == nil || c.weight() > b.weight()) {
			best[c.contest()] = c
		}
	}
	for _, c := range k.all {
		if best[c.contest()] == c {
			out = append(out, c)
		}
	}
	return out
}

// confirm believes the candidates for which more than some further pages speak, one of this learner among them, of those of which
// something holds.
func (k *lessons) confirm(further int, is func(*lesson) bool) (d Decided) {
	for _, c := range k.all {
		pages, t := c.all()
		if c.confirmed || len(c.pages) == 0 || pages <= further || t.Against*4 > pages || !c.leads() || c.ofTemplate() ||
			k.works[c.entry.Place] || k.unsettled(c.entry) || !is(c) {
			continue
		}
		c.confirmed = true
		d.Entries, d.URL = append(d.Entries, c.provenance()), c.somePage()
		clear(k.failed) // what was learned is new evidence for the rest
	}
	return d
}

// kinds names what is wrong, and roughly on how much: a page with many more objects is new evidence.
func kinds(faults []Fault) string {
	s := ""
	for _, f := range faults {
		s += fmt.Sprintf("%s %s %d\n", f.Kind, f.Place, bits.Len(uint(f.Of))/2)
	}
	return s
}

// open reports whether candidates wait to be confirmed.
func (k *lessons) open() bool {
	return slices.ContainsFunc(k.all, func(c *lesson) bool { return !c.confirmed })
}

// sameLevel reports whether two places are of one level, and variant.
func sameLevel(a, b kb.Place) bool {
	a.Part, b.Part = "", ""
	return a == b
}

// maxLessons bounds what is remembered of one key.
const maxLessons = 40

// lesson gives the lesson of an entry, a new one where there is none; nil where there are too many.
func (k *lessons) lesson(e kb.Entry) *lesson {
	for _, c := range k.all {
		if c.entry.ID() == e.ID() {
			c.entry.Confidence = max(c.entry.Confidence, e.Confidence)
			return c
		}
	}
	if len(k.all) >= maxLessons {
		return nil
	}
	c := &lesson{entry: e, pages: map[string]bool{}, heard: map[string]Evidence{}}
	k.all = append(k.all, c)
	return c
}

// provenance gives the entry with what its pages say of it. Each further page halves the doubt.
func (c *lesson) provenance() kb.Entry {
	e := c.entry
	pages, t := c.all()
	e.Pages = pages
	doubt := (1 - e.Confidence) * math.Pow(0.5, float64(pages-1)) * float64(1+t.Against)
	e.Confidence = math.Round(100*max(0, min(0.99, 1-doubt))) / 100
	return e
}

// somePage is a page that supports a candidate: the first by address, so that it is the same in each run.
func (c *lesson) somePage() string {
	first := ""
	for url := range c.pages {
		if first == "" || url < first {
			first = url
		}
	}
	return first
}
