package adapt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// gathered are candidates, each once.
type gathered struct {
	list []*candidate
	seen map[string]bool
}

func (g *gathered) add(c *candidate) {
	if c == nil {
		return
	}
	key := c.written()
	if c.match != nil {
		key += "\x00" + c.match.String()
	}
	if !g.seen[key] {
		g.seen[key] = true
		g.list = append(g.list, c)
	}
}

// candidates lists expressions for a field: for each group of elements in the
// records that could be it, the cheapest relaxation that selects it, and the
// group itself. They come after those that a change of the template gives, and leave half
// of the work for judging.
func (s *session) candidates(spot kb.Spot, sc *scope, changed []*candidate) []*candidate {
	f := spot.Field
	most := s.x.work + (s.most-s.x.work)/2
	known := s.lex.known(s.category, purpose(spot))
	sources := s.sources(spot)
	out := &gathered{seen: map[string]bool{}}
	for _, c := range changed {
		fresh := *c // it may have been read, and its cut changed
		out.add(&fresh)
	}
	if f.Name == "title" && f.Required && page(sc) {
		out.add(s.ownTitle())
		for _, c := range s.windowTitles() {
			out.add(c)
		}
	}
	if f.As == kb.Date {
		for _, c := range s.labelled(sc) {
			out.add(c)
		}
	}
	for _, before := range befores(sources, sc) {
		contexts, records := s.sample(sc, before)
		for _, g := range s.groups(contexts, sc.inner) {
			if s.x.work >= most {
				return out.list
			}
			if 2*g.in < records || !s.possible(f, g, contexts) {
				continue
			}
			for _, n := range g.typical(s.x, contexts) {
				ctx := contextOf(s.x, n, contexts)
				for _, to := range s.targets(f, n) {
					best, own := s.nearest(sources, before, g, n, ctx, to, known)
					var free *candidate
					if own == nil || g.cond.Inner != nil { // a relaxation does not ask that something is not there
						free = s.proposed(f, g, n, ctx, before, to, best)
					}
					for _, c := range []*candidate{best, own, free} {
						if c != nil && f.As == kb.Date {
							s.asDate(c, n, to, out)
						}
						out.add(c)
					}
					if f.As == kb.HTML && before == nil && len(sc.records) > 1 {
						out.add(s.placed(g, n, ctx, best))
					}
					if f.As == kb.HTML && g.several(s.x) { // paragraphs of a content without an element of its own
						out.add(proposal(relax.Reading{Before: before, Expr: g.expr()}, best))
					}
				}
			}
		}
	}
	return out.list
}

// befores are the paths in front of expressions after which is looked: those of sources, none, and the next row.
func befores(sources []source, sc *scope) (out []*xpath.Path) {
	add := func(before *xpath.Path) {
		if !slices.ContainsFunc(out, func(p *xpath.Path) bool { return samePath(p, before) }) {
			out = append(out, before)
		}
	}
	for _, src := range sources {
		add(src.reading.Before)
	}
	add(nil)
	if sc.ends != nil {
		add(nextRow)
	}
	return out
}

// asDate notes how surely what a candidate finds at an element is a date, how that is cut out, and adds it cut in other ways.
func (s *session) asDate(c *candidate, n int, to xpath.Test, out *gathered) {
	raw := s.raw(n, to)
	c.early = earliness(raw)
	if c.match != nil && dates.Like(raw) { // the moment itself, without what stood around it
		d := *c
		d.match = nil
		out.add(&d)
	}
	if c.match = s.dateCut(raw, c.match); c.match == nil && s.speaksOfDate(s.x.nodes[n]) {
		if m := dateAmong(raw); m != nil {
			d := *c
			d.match = m
			out.add(&d)
		}
	}
}

// ownTitle proposes the title that a page gives itself for others to show, where that
// leaves out what the title of the window adds: the name of the site, mostly.
func (s *session) ownTitle() *candidate {
	for _, of := range []struct{ attr, value string }{{"property", "og:title"}, {"itemprop", "headline"}} {
		title := ""
		for _, n := range s.x.tags["meta"] {
			if v, _ := s.x.attr(n, of.attr); v == of.value && title == "" {
				title, _ = s.x.attr(n, "content")
			}
		}
		e, err := kb.NewExpr(fmt.Sprintf("meta[@%s='%s']/@content", of.attr, of.value))
		if err == nil && !strings.HasSuffix(title, "...") && !strings.HasSuffix(title, "…") && s.shorter(title) {
			return trial(e, nil, 1)
		}
	}
	return nil
}

// windowCuts take one part out of the title of a window: what stands before the last sign, before the first one, after it, or after
// a label.
var windowCuts = []*kb.Regexp{
	{Regexp: regexp.MustCompile(`^(.+)` + titleSign)},
	{Regexp: regexp.MustCompile(`^(.+?)` + titleSign)},
	{Regexp: regexp.MustCompile(`^.+?` + titleSign + `(.+)$`)},
	{Regexp: regexp.MustCompile(`^[^:]+:\s(.+)$`)},
}

// windowTitles proposes the title of the window, and parts of it: the rest is the name of the site, mostly.
func (s *session) windowTitles() []*candidate {
	e, err := kb.NewExpr("title")
	if err != nil || len(s.x.tags["title"]) == 0 {
		return nil
	}
	var out []*candidate
	for _, cut := range append([]*kb.Regexp{nil}, windowCuts...) {
		out = append(out, trial(e, cut, 1))
	}
	return out
}

// exact is the earliness of a moment written for programs.
const exact = 2

// earliness ranks texts by how surely they are dates: moments written for programs, then
// dates alone, then what has one in it.
func earliness(raw string) int {
	switch {
	case dates.ForPrograms(raw):
		return exact
	case dates.Like(raw):
		return 1
	}
	return 0
}

// typical gives the elements of a group that relaxations are made towards: the
// first of the first record and, where it has several, the last.
func (g *group) typical(x *index, contexts []int) []int {
	first := g.nodes[0]
	ctx := contextOf(x, first, contexts)
	last := first
	for _, n := range g.nodes {
		if ctx < 0 || x.inside(n, ctx) {
			last = n
		}
	}
	if last == first {
		return g.nodes[:1]
	}
	return []int{first, last}
}

// nearest gives the cheapest relaxation of some sources that selects a node, and
// the cheapest that selects it first; nil for none.
func (s *session) nearest(sources []source, before *xpath.Path, g *group, n, ctx int, to xpath.Test, known func(xpath.Pred) bool) (best,
	own *candidate) {
	var all []*candidate
	for _, src := range sources {
		if !samePath(src.reading.Before, before) {
			continue
		}
		if c := s.relaxed(src, g, n, ctx, to, known); c != nil {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return a.cost.Compare(b.cost) })
	for _, c := range all {
		if s.selectsFirst(c.reading, n, ctx) {
			return all[0], c
		}
	}
	return all[0], nil
}

// samePath reports whether two paths, or none, are written alike.
func samePath(a, b *xpath.Path) bool {
	return a == b || a != nil && b != nil && a.String() == b.String()
}

// selectsFirst reports whether a reading selects a node before any other.
func (s *session) selectsFirst(r relax.Reading, n, ctx int) bool {
	if r.Pick == (xpath.Pred{}) || r.Pick == relax.First {
		first, ok := s.x.firstIn(r.Expr, ctx)
		return ok && first == n
	}
	list := pick(s.x.selectIn(r.Expr, ctx), r.Pick)
	return len(list) > 0 && list[0] == n
}

// proposed writes a group as an expression of its own, with what is around it
// where that is needed to select a node first.
func (s *session) proposed(f *kb.Field, g *group, n, ctx int, before *xpath.Path, to xpath.Test, nearest *candidate) *candidate {
	r := relax.Reading{Before: before, Expr: g.expr()}
	if f.As == kb.HTML {
		r.Pick = relax.First
	}
	for up := s.x.parent[n]; up > ctx && !s.selectsFirst(r, n, ctx); up = s.x.parent[up] {
		if conds := s.x.conditions(up); len(conds) > 0 {
			last := r.Expr.Steps[len(r.Expr.Steps)-1:]
			outer := xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: conds[:1]}
			r.Expr = &xpath.Expr{Steps: append([]xpath.Step{outer}, last...)}
			break
		}
	}
	if to != (xpath.Test{}) {
		r.Expr = &xpath.Expr{Steps: append(slices.Clone(r.Expr.Steps), xpath.Step{Axis: xpath.Child, Test: to})}
	}
	return proposal(r, nearest)
}

// placed proposes a group as it stands in the next element around it that has a name:
// elsewhere in some objects may be others like it.
func (s *session) placed(g *group, n, ctx int, nearest *candidate) *candidate {
	up := s.x.parent[n]
	for up > ctx && len(s.x.conditions(up)) == 0 {
		up = s.x.parent[up]
	}
	if up <= ctx || g.cond == (xpath.Pred{}) {
		return nil
	}
	outer := xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: s.x.conditions(up)[:1]}
	return proposal(relax.Reading{Expr: &xpath.Expr{Steps: append([]xpath.Step{outer}, g.expr().Steps...)}, Pick: relax.First}, nearest)
}

// several reports whether a group has elements side by side, as paragraphs are.
func (g *group) several(x *index) bool {
	for i := 1; i < len(g.nodes); i++ {
		if x.parent[g.nodes[i]] == x.parent[g.nodes[i-1]] {
			return true
		}
	}
	return false
}

// sample gives the contexts of some records, spread over the page, and how many
// they are.
func (s *session) sample(sc *scope, before *xpath.Path) (contexts []int, records int) {
	const most = 6
	all := s.cachedContexts(sc, before)
	step := max(1, len(all)/most)
	for i := 0; i < len(all) && records < most; i += step {
		if len(all[i]) > 0 {
			contexts = append(contexts, all[i]...)
			records++
		}
	}
	slices.Sort(contexts)
	return contexts, records
}

func contextOf(x *index, n int, contexts []int) int {
	best := -1
	for _, c := range contexts {
		if c >= 0 && c < n && x.inside(n, c) && c > best {
			best = c
		}
	}
	return best
}

// possible reports whether a group could be a field at all.
func (s *session) possible(f *kb.Field, g *group, contexts []int) bool {
	n := g.nodes[0]
	node := s.x.nodes[n]
	if node.Type != html.ElementNode || node.DataAtom == atom.Body || node.DataAtom == atom.Html || node.DataAtom == atom.Br {
		return false
	}
	if unread(node) && node.DataAtom != atom.Head || node.Parent != nil && (node.Parent.Data == "url" || node.Parent.Data == "http") {
		return false
	}
	length := s.x.length(n)
	switch {
	case f.As == kb.HTML:
		for _, n := range g.nodes[:min(4, len(g.nodes))] {
			if s.x.length(n) > 0 {
				return true
			}
		}
		return false
	case f.As == kb.Date:
		for _, n := range g.nodes[:min(3, len(g.nodes))] {
			if len(s.dateTargets(n)) > 0 {
				return true
			}
		}
		return false
	case f.Name == "creator" || f.Name == "name":
		return length > 0 && length <= 2*maxName
	default:
		return length > 0 && length <= 400
	}
}

// targets lists what of an element could be a field: itself, an attribute, its
// text.
func (s *session) targets(f *kb.Field, n int) []xpath.Test {
	if f.As == kb.Date {
		return s.dateTargets(n)
	}
	if f.Name == "title" && (s.prefix(n) != nil || s.crowded(n)) {
		return []xpath.Test{{}, {Kind: xpath.Text}}
	}
	return []xpath.Test{{}}
}

// crowded reports whether an element has a title as its first text and more in it: the
// buttons that stand beside a heading.
func (s *session) crowded(n int) bool {
	for t := s.x.nodes[n].FirstChild; t != nil; t = t.NextSibling {
		if t.Type == html.TextNode && strings.TrimSpace(t.Data) != "" {
			return t.NextSibling != nil && s.inTitle(t.Data) && !s.inTitle(s.x.read(s.x.nodes[n]))
		}
	}
	return false
}

// prefix gives the element in a title that stands before its text and is a label by its
// name: "[Solved]"; nil for none.
func (s *session) prefix(n int) *html.Node {
	first := s.x.nodes[n].FirstChild
	for first != nil && first.Type == html.TextNode && strings.TrimSpace(first.Data) == "" {
		first = first.NextSibling
	}
	if first == nil || first.Type != html.ElementNode ||
		!slices.ContainsFunc(first.Attr, func(a html.Attribute) bool { return a.Key == "class" && prefixName.MatchString(a.Val) }) {
		return nil
	}
	for t := first.NextSibling; t != nil; t = t.NextSibling {
		if t.Type == html.TextNode && s.inTitle(t.Data) {
			return first
		}
	}
	return nil
}

var prefixName = regexp.MustCompile(`(?i)label|prefix|badge|flair|\btag`)

// dateTargets lists what of an element may be a date.
func (s *session) dateTargets(n int) []xpath.Test {
	var out []xpath.Test
	node := s.x.nodes[n]
	for _, a := range node.Attr {
		switch a.Key {
		case "id", "class", "href", "src", "style", "width", "height":
			continue
		}
		if s.dateLike(a.Val) {
			out = append(out, xpath.Test{Kind: xpath.Attr, Name: a.Key})
		}
	}
	if s.x.length(n) <= dates.LongestLike && s.x.length(n) > 0 && s.dateLike(s.x.read(node)) {
		out = append(out, xpath.Test{})
	}
	if node.FirstChild != node.LastChild && s.speaksOfDate(node) {
		out = append(out, xpath.Test{Kind: xpath.Text})
	}
	return out
}
