package adapt

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// lessons are what pages of one level of one site taught so far.
type lessons struct {
	all    []*lesson
	failed map[string]int     // pages that could not be mended, by their faults
	left   map[string][]Left  // what was left of the last of them
	waits  bool               // pages wait for what others show
	said   map[string]*values // of the objects of pages, by field
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
	// Where links led that a navigation action selected: to pages of the level that it
	// promises, or elsewhere.
	Led    int `json:"led,omitempty"`
	Misled int `json:"misled,omitempty"`
	// On how many pages it found what is the page's alone, and what another page's object has: see [lessons.hear].
	Distinct int `json:"distinct,omitempty"`
	Repeated int `json:"repeated,omitempty"`
	extent
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
func (k *lessons) best(is func(*lesson) bool) []*lesson {
	best := map[kb.Place]*lesson{}
	for _, c := range k.all {
		if b := best[c.contest()]; c.trusted() && is(c) && (b == nil || c.weight() > b.weight()) {
			best[c.contest()] = c
		}
	}
	var out []*lesson
	for _, c := range k.all {
		if best[c.contest()] == c {
			out = append(out, c)
		}
	}
	return out
}

// maxShapes bounds the shapes of addresses by which failures are told apart.
const maxShapes = 20

// kinds names what is wrong, and roughly on how much: a page with many more
// objects is new evidence. Pages of no known level that scripts show are siblings
// only where their addresses are of one shape: what a search page cannot show, a
// topic may.
func (k *lessons) kinds(p extract.Page, faults []Fault) string {
	s := ""
	for _, f := range faults {
		s += fmt.Sprintf("%s %s %d\n", f.Kind, f.Place, bits.Len(uint(f.Of))/2)
		if f.Kind == NoLevel && strings.HasSuffix(p.URL.Path, scriptExt) {
			if with := s + shapeOf(p.URL.String()); k.failed[with] > 0 || len(k.failed) < maxShapes {
				s = with
			}
		}
	}
	return s
}

// open reports whether candidates wait to be confirmed.
func (k *lessons) open() bool {
	return slices.ContainsFunc(k.all, func(c *lesson) bool { return !c.confirmed })
}

func sameLevel(e kb.Entry, v *kb.Level) bool {
	return v.Type == e.Type && v.ID == e.Level && v.Variant == e.Variant
}

// maxLessons bounds what is remembered of one key.
const maxLessons = 40

// add notes what a page suggests.
func (k *lessons) add(e kb.Entry, url string) {
	if c := k.lesson(e); c != nil {
		c.pages[url] = true
	}
}

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
	c := &lesson{entry: e, pages: map[string]bool{}}
	k.all = append(k.all, c)
	return c
}

// provenance gives the entry with what its pages say of it. Each further page
// halves the doubt.
func (c *lesson) provenance() kb.Entry {
	e := c.entry
	pages, t := c.all()
	e.Pages = pages
	doubt := (1 - e.Confidence) * math.Pow(0.5, float64(pages-1)) * float64(1+t.Against)
	e.Confidence = math.Round(100*max(0, min(0.99, 1-doubt))) / 100
	return e
}
