package adapt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// MendLevel tries to find the level of a page of which only the type is known,
// section 6.2. The paper relaxes the patterns of all levels until one fires, which
// nearly every page lets happen. Here a page is of a level if the level's
// actions, mended where need be, make sense of it, and more so than those of any
// other level. The relaxed pattern is chosen last; it is the first entry, if there
// is one that tells the page apart.
func MendLevel(base *kb.Base, p extract.Page, h extract.Harvest, o Options) Attempt {
	return mendLevel(base, p, h, o, false)
}

// mendLevel is MendLevel; listed tells that the page passes for a list.
func mendLevel(base *kb.Base, p extract.Page, h extract.Harvest, o Options, listed bool) Attempt {
	a := Attempt{Harvest: h, Faults: Judge(p, h)}
	if p.Type == nil || h.Level != nil {
		return a
	}
	s := newSession(base, p, o)
	s.listed = listed
	earlier := o.earlier(p)
	unmet := earlier != nil && len(earlier) == 0
	s.hasty = true
	best, next, plans := s.bestLevel(unmet)
	if s.hasty = false; best == nil {
		best, next, plans = s.bestLevel(unmet)
	}
	a.Tried, a.Work = s.tried, s.parses()
	if best == nil || next != nil && best.fit-next.fit < levelMargin {
		a.Left = []Left{s.noLevel(best, next)}
		return a
	}
	best = s.fullest(best, plans)
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
		a.Faults = Judge(page, a.Harvest)
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
	if s.own.level == "" && best.v.Kind == kb.Terminal && rows(a.Harvest) {
		a.Harvest, a.Entries = was, nil
	}
	return a
}

// rows reports whether objects are many and none has a text that somebody wrote: the rows
// of a list, with titles for contents.
func rows(h extract.Harvest) bool {
	const fewest = 8
	n := 0
	for _, o := range h.Objects {
		for _, f := range o.Fields {
			if f.Name != "content" || f.As != kb.HTML {
				continue
			}
			if n++; len(strings.Join(f.Values, " ")) >= fullText {
				return false
			}
		}
	}
	return n >= fewest
}

// bestLevel gives the level whose actions make most sense of the page, and the
// next, and the plans of all. unmet tells that an earlier crawl of the site found no
// objects there.
func (s *session) bestLevel(unmet bool) (best, next *levelPlan, plans []*levelPlan) {
	for _, v := range s.page.Type.Levels {
		if s.spent() {
			break
		}
		if s.listed && v.Kind == kb.Intermediate {
			continue
		}
		if s.page.Expected != "" && v.ID != s.page.Expected {
			continue // a page without its objects is not another kind of page
		}
		if s.own.level != "" && v.ID != s.own.level {
			continue
		}
		if v.Kind == kb.Terminal && (unmet || !s.ofScript(v) || len(v.Objects) == 1 && !essential(v.Objects[0]) && s.lists()) {
			continue
		}
		l := s.tryLevel(v, false)
		if l == nil {
			continue
		}
		plans = append(plans, l)
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
	return best, next, plans
}

// scriptOf gives the script that shows the pages of a level, such as "viewtopic.php",
// where the objects inside the page's tell it in their ids; else "".
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

const scriptExt = ".php"

// ofScript reports whether a page can be of a level by its address: where another
// script made it, it is not.
func (s *session) ofScript(v *kb.Level) bool {
	at := s.page.URL.Path[strings.LastIndexByte(s.page.URL.Path, '/')+1:]
	is := scriptOf(v)
	return is == "" || !strings.HasSuffix(at, scriptExt) || at == is
}

// patternSite is where a learned pattern of a level counts: on pages of its script
// only, where the address names it. What search results look like is often what they
// are results of.
func (s *session) patternSite(v *kb.Level, site string) string {
	if is := scriptOf(v); is != "" && site == s.page.URL.Host && strings.HasSuffix(s.page.URL.Path, "/"+is) {
		return site + s.page.URL.Path
	}
	return site
}

// levelMargin is by how much the actions of one level must fit better than those
// of any other.
const levelMargin = 0.5

// levelPlan is a level with how its actions fit a page.
type levelPlan struct {
	plan
	v       *kb.Level
	fit     float64
	records []int
}

// tryLevel plans a level's actions on the page; nil where they make no sense of
// it.
func (s *session) tryLevel(v *kb.Level, all bool) *levelPlan {
	s.fired = nil
	s.unknown = s.own.level == v.ID && s.foreign(v)
	if v.Kind == kb.Intermediate {
		if s.hasty {
			return nil // links say too little to be looked at first
		}
		return s.tryList(v)
	}
	if len(v.Objects) == 0 {
		return nil
	}
	spots := v.Spots()
	l := &levelPlan{v: v}
	for _, o := range v.Objects {
		p, ok := s.object(v, spots, o, -1, true, all)
		if !ok || len(p.missing) > 0 && !(s.own.level == v.ID && (!essential(o) || len(p.inner) > 0) && len(p.missing) <= mostMissing) {
			if !s.hasty {
				s.why = append(s.why, fmt.Sprintf("no %s: %s", v.ID, inWords(p.missing)))
			}
			return nil
		}
		l.steps, l.missing = append(l.steps, p.steps...), append(l.missing, p.missing...)
		l.score += p.score
		l.filled += p.filled
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

// complete reports whether a plan finds an object that must have a date with all that it must have, and the page does not state that
// it is something else.
func (s *session) complete(o *kb.Object, p *plan) bool {
	mustBeDated := slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.Required && f.As == kb.Date })
	return mustBeDated && p.whole() && !s.statement().Other
}

// mostMissing is how many required fields a page may lack whose level is told by its address, or by what the page states: an
// article its author, mostly, a topic with its posts its title.
const mostMissing = 1

// foreign reports whether a page is of a template of which a level says little: of its
// expressions hardly any asks only for elements that are there.
func (s *session) foreign(v *kb.Level) bool {
	const share = 0.4
	whole, all := 0, 0
	for _, spot := range v.Spots() {
		if spot.Follow != nil || spot.Total != nil {
			continue
		}
		for _, t := range spot.Tries {
			steps := s.lex.steps(t.Expr)
			if len(steps) == 0 || t.Learned != nil {
				continue
			}
			all++
			if !slices.ContainsFunc(steps, func(alternatives []xpath.Step) bool {
				return !slices.ContainsFunc(alternatives, func(step xpath.Step) bool { return len(s.x.step(step).list) > 0 })
			}) {
				whole++
			}
		}
	}
	return float64(whole) < share*float64(all)
}

// tryList fits a level of lists to the page: what it leads to is there, and the page's
// address or one of its patterns, which nearly fires, tells it. Of a page whose address
// tells nothing it is told by its links, where those to one level are most.
func (s *session) tryList(v *kb.Level) *levelPlan {
	l := &levelPlan{v: v}
	var links int
	l.plan, links = s.navigation(v, nil)
	switch far := s.likeness(v); {
	case s.own.level == v.ID && (links > 0 || len(l.steps) > 0):
		l.fit = toldFit
	case links < fewestTopics || s.own.level == "" && s.oversees(v.ID):
		return nil
	case far <= farAway:
		l.fit = 1 + float64(farAway-far)/farAway
	case s.linksTo(v.ID) >= listLinks:
		l.fit = 1 + min(1, 0.05*float64(links))
	default:
		return nil
	}
	return l
}

// What tells a list.
const (
	toldFit   = 3.0 // its address
	listLinks = 5   // so many links to what it leads to, where nothing else does
)

// linksTo counts the different pages, by their addresses, to which a level of lists
// leads; 0 where the page names more of another level.
func (s *session) linksTo(id kb.LevelID) int {
	count := map[kb.LevelID]map[string]bool{}
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		if a := s.addressed(s.r.Link(href)); a.whole && s.x.length(n) > 0 {
			if count[a.level] == nil {
				count[a.level] = map[string]bool{}
			}
			count[a.level][a.key] = true
		}
	}
	best := 0
	for _, v := range s.page.Type.Level(id) {
		for _, f := range v.Follow {
			if !f.Paging && !f.Optional && down(s.page.Type, id, f.To) {
				best = max(best, len(count[f.To]))
			}
		}
	}
	for _, v := range s.page.Type.Levels {
		for _, f := range v.Follow {
			if !f.Paging && !f.Optional && len(count[f.To]) > best {
				return 0
			}
		}
	}
	return best
}

// oversees reports whether a page names as many lists of a level, where its addresses tell them, as things that such a list leads to: it
// is of a level above, which shows the newest of each list.
func (s *session) oversees(id kb.LevelID) bool {
	lists, things := map[string]bool{}, map[string]bool{}
	for _, a := range s.anchored() {
		switch {
		case a.trail || a.menu || !a.at.whole:
		case a.at.level == id:
			lists[a.at.key] = true
		case down(s.page.Type, id, a.at.level):
			things[a.at.key] = true
		}
	}
	return len(lists) >= fewestTopics && len(lists) >= len(things)
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

// likeness gives the distance of the nearest relaxation of a level's patterns that
// holds on the page with one change.
func (s *session) likeness(v *kb.Level) int {
	best := math.MaxInt
	if s.spent() {
		return best
	}
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

// fuller is by how much of a field in each of its objects one family of templates must
// beat another.
const fuller = 0.5

// fullest plans all fields of the best plan for a page of unknown level. Families of
// templates declare different fields, and what is required says nothing of the others: of
// those that find the same objects the one is taken that finds most fields of them.
func (s *session) fullest(best *levelPlan, plans []*levelPlan) *levelPlan {
	full := s.tryLevel(best.v, true)
	if full == nil {
		return best
	}
	for _, l := range plans {
		if l.v == best.v || l.v.ID != best.v.ID || declared(l.v.Objects) < full.filled+fuller || len(l.records) != len(full.records) ||
			!s.same(l.records, full.records) {
			continue
		}
		unknown := s.unknown
		if whole := s.tryLevel(l.v, true); whole != nil && whole.filled >= full.filled+fuller {
			full = whole
		} else {
			s.unknown = unknown
		}
	}
	return full
}

// declared counts the fields of objects, and of those inside them.
func declared(list []*kb.Object) float64 {
	n := 0.0
	for _, o := range list {
		n += float64(len(o.Fields)) + declared(o.Objects)
	}
	return n
}
