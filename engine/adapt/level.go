package adapt

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
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
	a.Tried, a.Work, a.Why = s.tried, s.parses(), s.why
	if best == nil || next != nil && best.fit-next.fit < levelMargin {
		return a
	}
	best = s.fullest(best, plans)
	if best.v.Kind == kb.Terminal {
		nav, _ := s.navigation(best.v, best.records)
		best.steps = append(best.steps, nav.steps...)
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
		a.Margin = levelMargin
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

// rows tells whether objects are many and none has a text that somebody wrote: the rows
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

// ofScript tells whether a page can be of a level by its address: where another
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
	l.margin = math.Inf(1)
	for _, o := range v.Objects {
		p, ok := s.object(v, spots, o, -1, true, all)
		if !ok || len(p.missing) > 0 && !(s.own.level == v.ID && !essential(o) && len(p.missing) <= mostMissing) {
			if !s.hasty {
				s.why = append(s.why, fmt.Sprintf("no %s: %s", v.ID, strings.Join(p.missing, ", ")))
			}
			return nil
		}
		l.steps = append(l.steps, p.steps...)
		l.score += p.score
		l.filled += p.filled
		l.records = p.records
		if in := essentialObject(o); in != nil && len(p.inner) > 0 {
			l.records = p.inner
		} else if in == nil && s.own.level != v.ID && (essential(o) || s.likeness(v) > farAway) {
			return nil // a page without repeating objects says too little by itself
		}
	}
	l.fit = l.score - 0.15*float64(len(l.steps))
	return l
}

// mostMissing is how many required fields an article may lack whose level is told by its
// address, or by what the page states: its author, mostly.
const mostMissing = 1

// foreign tells whether a page is of a template of which a level says little: of its
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
	l.margin = margin
	var links int
	l.plan, links = s.navigation(v, nil)
	switch far := s.likeness(v); {
	case links == 0:
		return nil
	case s.own.level == v.ID:
		l.fit = toldFit
	case links < fewestTopics:
		return nil
	case far <= farAway:
		l.fit = 1 + float64(farAway-far)/farAway
	case s.linksTo(v.ID) >= listLinks && len(l.steps) > 0:
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

// patterns gives the nearest relaxations of a level's patterns, each to the element
// of the page that is nearest; only to elements that lie around, on or in one of
// the given ones, where there are some.
func (s *session) patterns(v *kb.Level, near []int) []relax.Relaxation {
	var out []relax.Relaxation
	known := s.lex.known(s.category, kb.PartDetect)
	for _, p := range v.Detect {
		if p.Weak || target(p.Expr) != (xpath.Test{}) || p.Learned != nil || ofURL(p.Expr) {
			continue
		}
		var best relax.Relaxation
		for _, g := range s.allGroups() {
			n := g.nodes[0]
			if len(near) > 0 && !slices.ContainsFunc(near, func(m int) bool { return s.x.inside(m, n) || s.x.inside(n, m) }) {
				continue
			}
			if s.spent() {
				return out
			}
			path := s.x.path(n, -1)
			s.x.spend(matchWork * len(path) * len(p.Expr.Steps))
			r, ok := relax.Nearest(p.Expr, 0, path, xpath.Test{}, known)
			if ok && asks(r.Expr) && (best.Expr == nil || r.Compare(best) < 0) {
				best = r
			}
		}
		if best.Expr != nil {
			out = append(out, best)
		}
	}
	slices.SortFunc(out, relax.Relaxation.Compare)
	return out
}

// asks tells whether an expression asks for more than tags. That something is not there
// says nothing.
func asks(e *xpath.Expr) bool {
	return slices.ContainsFunc(e.Steps, func(s xpath.Step) bool {
		return slices.ContainsFunc(s.Preds, func(p xpath.Pred) bool { return p.Kind != xpath.Not })
	})
}

// ofURL tells whether a pattern is about the address or the answer: no template
// changes those.
func ofURL(e *xpath.Expr) bool {
	name := e.Steps[0].Test.Name
	return name == "url" || name == "http" || name == "page"
}

func (s *session) allGroups() []*group {
	if s.groupsOfPage == nil {
		s.groupsOfPage = s.groups([]int{-1}, nil)
	}
	return s.groupsOfPage
}

// pattern chooses the pattern to learn for a level: of a list its links, else the
// nearest relaxation of one of its own that is fulfilled by the nodes of its objects
// or what is around or in them.
func (s *session) pattern(l *levelPlan, o Options) (kb.Entry, bool) {
	s.most = max(s.most, s.x.work) + s.most/5 // what was found is lost without a pattern
	if s.own.level == l.v.ID {
		is := ""
		if s.own.form != nil {
			is = s.addressPattern(s.own)
		}
		if ofArticle(s.page.Type) == l.v.ID { // texts of other levels may have dates too
			is = cmp.Or(is, s.statedPattern())
		}
		if is = cmp.Or(is, s.shapePattern(l.v)); is != "" {
			return kb.Entry{
				Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
				Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: 1, Site: o.site(s.page), Pages: 1, Confidence: 0.9, Evidence: "such addresses are of pages of the level"},
			}, true
		}
	}
	if l.v.Kind == kb.Intermediate {
		is, ok := s.listPattern(l.v)
		return kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
			Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: 1, Site: o.site(s.page), Pages: 1, Confidence: 0.7, Evidence: "its links are there"},
		}, ok
	}
	near := l.records[:min(1, len(l.records))]
	if len(near) == 1 && near[0] < 0 {
		near = nil
	}
	if is, was, cost, ok := s.changedPattern(l.v); ok {
		return kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
			Provenance: kb.Provenance{From: was, Cost: cost.Changes, Site: s.patternSite(l.v, o.site(s.page)), Pages: 1, Confidence: 0.7, Evidence: "its actions make sense of the page"},
		}, true
	}
	for _, r := range s.patterns(l.v, near) {
		e := kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: r.Expr.String(),
			Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: r.Cost.Changes, Site: s.patternSite(l.v, o.site(s.page)), Pages: 1, Confidence: 0.7, Evidence: "its actions make sense of the page"},
		}
		return e, true
	}
	if is := contentPattern(l.steps); is != "" {
		return kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
			Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: 1, Site: s.patternSite(l.v, o.site(s.page)), Pages: 1, Confidence: 0.7, Evidence: "its contents are there"},
		}, true
	}
	return kb.Entry{}, false
}

// listPattern gives as the pattern of a list the links that lead down from it: where
// it fires they are there, so that no page is taken for a list and leads nowhere. They
// must have a name of their own: links to topics are on many pages.
func (s *session) listPattern(v *kb.Level) (expr string, ok bool) {
	for _, spot := range v.Spots() {
		f := spot.Follow
		if f == nil || f.Paging || f.Optional || !down(s.page.Type, v.ID, f.To) {
			continue
		}
		var named []*xpath.Expr
		for _, src := range s.sources(spot) {
			if steps := elementSteps(src.reading.Expr); src.reading.Before == "" && src.reading.Pick == "" && slices.ContainsFunc(steps, hasName) {
				named = append(named, &xpath.Expr{Steps: steps})
			}
		}
		if e := s.listNames[spot.Place]; e != nil {
			named = append(named, e)
		}
		for _, e := range named {
			if x, err := kb.NewExpr(e.String()); err == nil && x.Fragment != nil && len(s.x.selectIn(e, -1)) >= fewestTopics {
				return e.String(), true
			}
		}
	}
	return "", false
}

// hasName tells whether a step asks for a class or an id.
func hasName(step xpath.Step) bool {
	return slices.ContainsFunc(step.Preds, func(p xpath.Pred) bool {
		return p.Kind != xpath.Not && p.Value.Kind == xpath.Attr && (p.Value.Name == "class" || p.Value.Name == "id") && p.Literal != ""
	})
}
