package adapt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

// Cause says why something could not be mended.
type Cause string

// The causes: of a page, and of what further pages should have confirmed.
const (
	NoCandidate    Cause = "no candidate"        // nothing on the page looks like it
	NotSure        Cause = "not sure"            // what looks most like it is likelier not to be it than may be
	Disagree       Cause = "candidates disagree" // two that give different values are about as likely
	NoLevelFits    Cause = "no level fits"       // the actions of no level, or of two alike, make sense of the page
	NotBetter      Cause = "not better"          // something that was found would be lost, or nothing won
	Refused        Cause = "rejected"            // a person, or its failures, rejected the expression
	MayLack        Cause = "may lack"            // a field that a page need not have, and nothing looks like it
	TooMuch        Cause = "too much work"       // the page's budget was spent before anything was found
	FewPages       Cause = "few pages"           // it was met on too few pages to be believed
	Contradicted   Cause = "contradicted"        // other pages of the level show something else
	NoNumber       Cause = "no number"           // a total that no page of the level gave; totals are not adapted
	LeadsElsewhere Cause = "leads elsewhere"     // its links lead to other pages than they should
)

// Left is something that could not be mended.
type Left struct {
	Place  kb.Place
	Cause  Cause
	Detail string // for people
	URL    string // of a page; empty: of the page that was mended
	Pages  int    // on which it was seen
}

// String gives "no candidate: phpbb topic(prosilver) sioc:Thread/sioc:Post creator: nothing on the page looks like it".
func (l Left) String() string { return fmt.Sprintf("%s: %s: %s", l.Cause, l.Place, l.Detail) }

// left is something of the page that could not be mended.
func (s *session) left(p kb.Place, c Cause, detail string) Left {
	if s.spent() && c == NoCandidate {
		c = TooMuch
	}
	return Left{Place: p, Cause: c, Detail: detail, Pages: 1}
}

// without says of the objects of a spot that there is no candidate for them.
func (s *session) without(at kb.Spot, why string) []Left {
	return []Left{s.left(at.Place, NoCandidate, why)}
}

// noLevel says why a page is of no level, with what was looked for in vain at each.
func (s *session) noLevel(best, next *levelPlan) Left {
	detail := strings.Join(s.why, "; ")
	if best != nil { // it beats the next too little
		detail = fmt.Sprintf("levels %s and %s fit alike", best.v.ID, next.v.ID)
	}
	return s.left(kb.Place{Type: s.page.Type.ID, Part: kb.PartDetect}, NoLevelFits, detail)
}

// inWords are the parts of a level that were looked for in vain, and why.
func inWords(left []Left) string {
	var words []string
	for _, l := range left {
		words = append(words, l.Place.Part+": "+l.Detail)
	}
	return strings.Join(words, ", ")
}

// unmended says at least one thing of a page that has faults and was not mended at all.
func unmended(left []Left, faults []Fault) []Left {
	if len(left) > 0 {
		return left
	}
	causes := map[FaultKind]Cause{Absent: MayLack, NoLevel: NoLevelFits}
	for _, f := range faults {
		left = append(left, Left{Place: f.Place, Cause: cmp.Or(causes[f.Kind], NoCandidate), Detail: f.String(), Pages: 1})
	}
	return left
}

// unconfirmed lists once what too little spoke for, at the end of a crawl in which a candidate had to hold on some further pages: of each
// place, but of those that work as they are written, the candidate that was met on most pages.
func (k *lessons) unconfirmed(further int, least func(kb.Entry) float64) (out []Left) {
	for _, c := range k.all {
		settles := func(o *lesson) bool {
			return o.contest() == c.contest() && (o.confirmed || o.told || len(o.pages) > len(c.pages))
		}
		if len(c.pages) == 0 || k.works[c.entry.Place] || slices.ContainsFunc(k.all, settles) {
			continue // without pages another learner tells of it
		}
		c.told = true
		out = append(out, c.left(further, least(c.entry)))
	}
	return out
}

// left says why a candidate was not confirmed, and whether its confidence is less than the least to be published by that.
func (c *lesson) left(further int, least float64) Left {
	pages, t := c.all()
	l := Left{Place: c.entry.Place, Cause: Contradicted, Pages: pages, URL: c.somePage()}
	switch sure := c.provenance().Confidence; {
	case !c.leads():
		l.Cause = LeadsElsewhere
		l.Detail = fmt.Sprintf("%s led where it should %d times, elsewhere %d times", c.entry.Expr, t.Led, t.Misled)
	case c.ofTemplate():
		l.Detail = fmt.Sprintf("%s gave on %d of %d pages what others have, too", c.entry.Expr, t.Repeated, pages)
	case t.Against > 0 || pages > further:
		l.Detail = fmt.Sprintf("%s was met on %d pages, and not on %d", c.entry.Expr, pages, t.Against)
	case sure < least:
		l.Cause, l.Detail = NotSure, fmt.Sprintf("%s was met on %d of %d pages that are needed, and its confidence is %.2f, of %.2f",
			c.entry.Expr, pages, further+1, sure, least)
	default:
		l.Cause, l.Detail = FewPages, fmt.Sprintf("%s was met on %d of the %d pages that are needed", c.entry.Expr, pages, further+1)
	}
	return l
}
