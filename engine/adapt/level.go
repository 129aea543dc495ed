package adapt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// MendLevel tries to find the level of a page of which only the type is known, section 6.2. The paper relaxes the patterns of all levels
// until one fires, which nearly every page lets happen. Here a page is of a level if the level's actions, mended where need be, make sense
// of it, and more so than those of any other level. The relaxed pattern is chosen last; it is the first entry, if there is one that tells
// the page apart.
func MendLevel(base *kb.Base, p extract.Page, h extract.Harvest, o Options) Attempt {
	a := Attempt{Harvest: h}
	if p.Type == nil || h.Level != nil {
		return a
	}
	const margin = 0.5 // by which the actions of one level must fit better than those of any other
	s := newSession(base, p, o)
	earlier := o.earlier(p)
	unmet := earlier != nil && len(earlier) == 0
	best, next := s.bestLevel(unmet)
	a.Tried, a.Work = s.tried, s.parses()
	if best == nil || next != nil && best.fit-next.fit < margin {
		a.Left = []Left{s.noLevel(best, next)}
		return a
	}
	if full := s.tryLevel(best.v, true); full != nil {
		best = full // with the fields that need not be there
	}
	a.Left = best.missing
	if best.v.Kind == kb.Terminal {
		nav, _ := s.navigation(best.v, best.records)
		best.steps = slices.Concat(best.steps, nav.steps, s.furnish(best.v, best.steps))
	}
	page := p
	page.Levels = []*kb.Level{best.v}
	was := a.Harvest
	if len(best.steps) > 0 {
		a = s.apply(a, best.v, best.plan, o)
		if len(a.Entries) == 0 {
			return a
		}
	} else {
		a.Harvest = s.harvest(page)
	}
	if len(a.Harvest.Objects) == 0 && len(a.Harvest.Links) == 0 {
		a.Harvest = was
		return a
	}
	if e, ok := s.pattern(best, o); ok && !base.Rejected(e) {
		a.Entries = append([]kb.Entry{e}, a.Entries...)
	}
	if len(a.Entries) == 0 {
		a.Harvest = was // nothing would confirm it
	}
	return a
}

// scriptOf gives the script that shows the pages of a level, such as "viewtopic.php", where the objects inside the page's tell it in their
// ids; else "".
func scriptOf(v *kb.Level) string {
	for _, o := range v.Objects {
		for _, in := range o.Objects {
			for _, t := range in.ID {
				if name, _, ok := strings.Cut(t.Source, scriptExt+"?"); ok && !strings.ContainsAny(name, "{}/") {
					return name + scriptExt
				}
			}
		}
	}
	return ""
}

// ofScript reports whether a page can be of a level by its address: where another script made it, it is not.
func (s *session) ofScript(v *kb.Level) bool {
	at := s.page.URL.Path[strings.LastIndexByte(s.page.URL.Path, '/')+1:]
	is := scriptOf(v)
	return is == "" || !strings.HasSuffix(at, scriptExt) || at == is
}

// bestLevel gives the level whose actions make most sense of the page, and the next. unmet tells that an earlier crawl of the site found no
// objects there.
func (s *session) bestLevel(unmet bool) (best, next *levelPlan) {
	var plans []*levelPlan
	for _, v := range s.page.Type.Levels {
		switch {
		case s.spent():
			continue
		case s.page.Expected != "" && v.ID != s.page.Expected: // a page without its objects is not another kind of page
			continue
		case s.own.level != "" && v.ID != s.own.level:
			continue
		case v.Kind == kb.Terminal && (unmet || !s.ofScript(v) || len(v.Objects) == 1 && !essential(v.Objects[0]) && s.lists()):
			continue
		}
		if l := s.tryLevel(v, false); l != nil {
			plans = append(plans, l)
		}
	}
	found := func(l *levelPlan) bool { return l.v.Kind == kb.Terminal && l.searched == 0 }
	if slices.ContainsFunc(plans, found) { // what is there as it was says more than what was looked for
		plans = slices.DeleteFunc(plans, func(l *levelPlan) bool { return !found(l) })
	}
	for _, l := range plans {
		switch {
		case best == nil || l.fit > best.fit:
			if best != nil && best.v.ID != l.v.ID {
				next = best
			}
			best = l
		case l.v.ID != best.v.ID && (next == nil || l.fit > next.fit):
			next = l
		}
	}
	return best, next
}

// levelPlan is a level with how its actions fit a page.
type levelPlan struct {
	plan
	v       *kb.Level
	fit     float64
	records []int
}

// tryLevel plans a level's actions on the page; nil where they make no sense of it.
func (s *session) tryLevel(v *kb.Level, all bool) *levelPlan {
	s.fired = nil
	s.unknown = s.own.level == v.ID && s.foreign(v)
	if v.Kind == kb.Intermediate {
		return s.tryList(v)
	}
	if len(v.Objects) == 0 {
		return nil
	}
	// mostMissing is how many required fields a page may lack whose level is told by its address, or by what it states: an article its
	// author, mostly, a topic with its posts its title.
	const mostMissing = 1
	spots := v.Spots()
	l := &levelPlan{v: v}
	for _, o := range v.Objects {
		p, ok := s.object(spots, o, -1, all)
		if !ok || len(p.missing) > 0 && !(s.own.level == v.ID && (!essential(o) || len(p.inner) > 0) && len(p.missing) <= mostMissing) {
			s.why = append(s.why, fmt.Sprintf("no %s: %s", v.ID, inWords(p.missing)))
			return nil
		}
		l.steps, l.missing = append(l.steps, p.steps...), append(l.missing, p.missing...)
		l.score, l.searched = l.score+p.score, l.searched+p.searched
		l.records = p.records
		if in := essentialObject(o); in != nil && len(p.inner) > 0 {
			l.records = p.inner
		} else if in == nil && s.own.level != v.ID && (essential(o) || s.likeness(v) > farAway && !s.complete(o, &p)) {
			return nil // a title and a text make no page of a level by themselves; with a date, all of them sure, they do
		}
	}
	l.fit = l.score - 0.15*float64(len(l.steps))
	return l
}

// complete reports whether a plan finds an object that must have a date with all that it must have, and the page does not state that it is
// something else.
func (s *session) complete(o *kb.Object, p *plan) bool {
	mustBeDated := slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.Required && f.As == kb.Date })
	return mustBeDated && p.whole() && !s.statement().Other
}

// foreign reports whether a page is of a template of which a level says little: of its expressions hardly any asks only for elements that
// are there.
func (s *session) foreign(v *kb.Level) bool {
	const share = 0.4
	there := func(alternatives []xpath.Step) bool {
		return slices.ContainsFunc(alternatives, func(step xpath.Step) bool { return len(s.x.step(step)) > 0 })
	}
	whole, all := 0, 0
	for _, spot := range v.Spots() {
		if spot.Follow != nil || spot.Total != nil {
			continue
		}
		for _, t := range spot.Tries {
			if steps := relax.Steps(t.Expr.Tree); len(steps) > 0 && t.Learned == nil {
				all++
				whole += boolInt(!slices.ContainsFunc(steps, func(a []xpath.Step) bool { return !there(a) }))
			}
		}
	}
	return float64(whole) < share*float64(all)
}

// tryList fits a level of lists to the page: what it leads to is there, and the page's address or one of its patterns, which nearly fires,
// tells it. Of a page whose address tells nothing it is told by its links, where those to one level are most.
func (s *session) tryList(v *kb.Level) *levelPlan {
	const (
		told  = 3.0 // the fit where the address tells it
		links = 5   // so many links to what it leads to tell it
	)
	l := &levelPlan{v: v}
	var led int
	l.plan, led = s.navigation(v, nil)
	switch far := s.likeness(v); {
	case s.own.level == v.ID && (led > 0 || len(l.steps) > 0):
		l.fit = told
	case led < fewestTopics:
		return nil
	case far <= farAway:
		l.fit = 1 + float64(farAway-far)/farAway
	case s.linksTo(v.ID) >= links:
		l.fit = 1 + min(1, 0.05*float64(led))
	default:
		return nil
	}
	return l
}

// linksTo counts the different pages, by their addresses, to which a level of lists leads; 0 where the page names more of another level.
func (s *session) linksTo(id kb.LevelID) int {
	named := map[kb.LevelID]map[string]bool{}
	for _, a := range s.anchored() {
		if a.at.whole && a.text != "" {
			if named[a.at.level] == nil {
				named[a.at.level] = map[string]bool{}
			}
			named[a.at.level][a.at.key] = true
		}
	}
	own, others := 0, 0
	for _, v := range s.page.Type.Levels {
		for _, f := range v.Follow {
			switch n := len(named[f.To]); {
			case f.Paging || f.Optional:
			case v.ID == id && down(s.page.Type, id, f.To):
				own = max(own, n)
			default:
				others = max(others, n)
			}
		}
	}
	if others > own {
		return 0
	}
	return own
}

// farAway is the distance from which on a relaxed pattern says nothing.
const farAway = 60

// essentialObject gives the objects that an object is nothing without.
func essentialObject(o *kb.Object) *kb.Object {
	if len(o.Objects) > 0 && essential(o) {
		return o.Objects[0]
	}
	return nil
}

// likeness gives the distance of the nearest relaxation of a level's patterns that holds on the page with one change.
func (s *session) likeness(v *kb.Level) int {
	best := math.MaxInt
	for _, r := range s.patterns(v, nil) {
		if r.Cost.Changes <= 1 && !r.Cost.Worst {
			best = min(best, r.Cost.Distance)
		}
	}
	return best
}

func (s *session) allGroups() []*group {
	if s.groupsOfPage == nil {
		s.groupsOfPage = s.groups([]int{-1}, nil)
	}
	return s.groupsOfPage
}
