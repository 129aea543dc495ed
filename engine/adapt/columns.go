package adapt

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// column is links that one expression selects: a candidate for a navigation action.
type column struct {
	candidate
	links   []*anchor   // with different addresses, in the order of the page
	name    *xpath.Expr // the elements with a name of their own that it, or one like it, asks for; nil for none
	above   bool        // it stands right above the rest of a trail
	changed bool        // one change of the template explains it
}

// columns gathers the columns that hold links which the action may be about, each once: relaxations of the action, groups of links
// as they are, what their addresses have, what is tagged so, and what stands above a trail.
func (r *route) columns() []*column {
	s := r.s
	var out []*column
	byLinks := map[string]*column{}
	add := func(as column, list ...*candidate) {
		for _, c := range list {
			if c == nil || s.spent() {
				continue
			}
			col := r.column(c)
			if col == nil {
				continue
			}
			col.above, col.changed = as.above, as.changed
			key := strings.Join(col.each(addressOf), "\n")
			switch same := byLinks[key]; {
			case same == nil:
				byLinks[key] = col
				out = append(out, col)
			case same.name == nil:
				same.name = col.name
			}
		}
	}
	switch {
	case r.way == across:
		add(column{}, s.tagged(r.spot)...)
		return out
	case r.way == upward && !r.told:
		if add(column{above: true}, r.above()...); len(out) == 0 {
			add(column{}, r.toRoot()...)
		}
		return out
	}
	add(column{changed: true}, r.underChange()...)
	add(column{}, r.byAddress(&group{tag: "a"})...)
	known, sources := s.lex.known(s.category, purpose(r.spot)), s.sources(r.spot)
	for _, g := range s.allGroups() {
		for _, m := range g.typical(s.x, nil) {
			n := s.alone(m)
			if n < 0 || !r.concerns(g) {
				continue
			}
			best, own := s.nearest(sources, nil, g, n, -1, xpath.Test{}, known)
			if add(column{}, best, own, ofGroup(g, best)); !r.told && r.way == downward {
				continue
			}
			add(column{}, r.byAddress(g)...)
			break
		}
	}
	return out
}

// underChange writes what the action became if one element of the template changed.
func (r *route) underChange() []*candidate {
	var out []*candidate
	for _, c := range r.s.changes(exprsOf(r.spot), purpose(r.spot), 0) {
		for _, w := range c.rewrite(r.s, r.spot.Tries) {
			if len(r.s.lex.steps(w.try.Expr)) > 0 { // bare tags say nothing
				out = append(out, &candidate{try: w.try, expr: w.try.Expr.Tree, from: w.from, cost: c.cost})
			}
		}
	}
	return out
}

// concerns reports whether a group of elements holds links that the action may be about.
func (r *route) concerns(g *group) bool {
	const most = 40
	return slices.ContainsFunc(g.nodes[:min(len(g.nodes), most)], func(m int) bool {
		n := r.s.alone(m)
		return n >= 0 && r.wanted[r.s.anchored()[n]]
	})
}

// column reads where a candidate leads; nil for nowhere that the action may be about, and for all that is a link.
func (r *route) column(c *candidate) *column {
	s := r.s
	s.tried++
	col := &column{candidate: *c}
	var nodes []int
	if c.try != nil {
		for _, v := range s.selectAll(c.try.Expr, -1) {
			if n, ok := s.x.number[elementOf(v.Node)]; ok {
				nodes = append(nodes, n)
			}
		}
	} else if !asks(c.reading.Expr) {
		return nil
	} else {
		nodes = s.x.selectIn(c.reading.Expr, -1)
		if steps := elementSteps(c.reading.Expr); slices.ContainsFunc(steps, hasName) {
			col.name = &xpath.Expr{Steps: steps}
		}
	}
	seen := map[string]bool{}
	wanted := r.way == across || r.way == upward && !r.told
	for _, n := range nodes {
		if a := s.anchored()[n]; a != nil && !seen[a.url] && len(col.links) < maxRecords {
			seen[a.url] = true
			col.links = append(col.links, a)
			wanted = wanted || r.wanted[a]
		}
	}
	if len(col.links) == 0 || !wanted {
		return nil
	}
	return col
}

// ofGroup writes the links in a group as an expression of their own.
func ofGroup(g *group, nearest *candidate) *candidate {
	e := g.expr()
	if g.tag != "a" {
		e.Steps = append(e.Steps, xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}})
	}
	return proposal(relax.Reading{Expr: e}, nearest)
}

// byAddress writes the links of a group that the action is about by what their addresses have and those of others have not:
// the fixed parts of each form of address of the level, and for further pages the parameter that tells them apart.
func (r *route) byAddress(g *group) []*candidate {
	if g.tag != "a" || g.outer != (xpath.Pred{}) || g.cond.Value.Name == "href" {
		return nil
	}
	var all []*candidate
	for i, form := range r.s.page.Type.URLs.Addresses {
		if form.Part || r.way == ahead && r.s.own.form != &r.s.page.Type.URLs.Addresses[i] ||
			r.way != ahead && form.Level != r.spot.Follow.To {
			continue
		}
		var preds []xpath.Pred
		for _, sign := range signs(form.Of) {
			preds = append(preds, hrefHas(sign.href()))
		}
		params := [][]xpath.Pred{nil}
		if r.way == ahead {
			params = nil
			for _, p := range r.s.page.Type.URLs.Pagings {
				if p.Param != "" {
					params = append(params, []xpath.Pred{hrefHas(sign{param: true, text: p.Param}.href())})
				}
			}
		}
		for _, more := range params {
			if len(preds) > 0 {
				all = append(all, r.apart(g, preds, more))
			}
		}
	}
	if stem := r.stem(); stem != "" && !slices.ContainsFunc(all, func(c *candidate) bool { return c != nil }) {
		all = append(all, r.apart(g, []xpath.Pred{hrefHas(stem)}, nil))
	}
	return all
}

// stem is the word with which the last parts of all addresses begin that an action is about, as copies of sites name their
// files; "" for none.
func (r *route) stem() string {
	stem, n := "", 0
	for a := range r.wanted {
		last := a.href[strings.LastIndexByte(a.href, '/')+1:]
		if n++; n == 1 {
			stem = last
		}
		for !strings.HasPrefix(last, stem) {
			stem = stem[:len(stem)-1]
		}
	}
	if stem = stemWord.FindString(stem); n < fewestTopics || len(stem) < 5 || !r.told {
		return ""
	}
	return stem
}

// stemWord is the letters at the start of the name of a file.
var stemWord = regexp.MustCompile(`^[A-Za-z]*`)

// hrefHas asks for a text in the address of a link.
func hrefHas(text string) xpath.Pred {
	return xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: text}
}

// apart writes links of a group with the conditions of a form, and more, without those of the form that the action is not about;
// nil where there are no others.
func (r *route) apart(g *group, form, more []xpath.Pred) *candidate {
	preds := slices.Clone(form)
	if g.cond != (xpath.Pred{}) {
		preds = append([]xpath.Pred{g.cond}, form...)
	}
	var out []string
	shortest := map[string]string{} // by what they lead to
	for _, n := range r.s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}).list {
		switch a := r.s.anchored()[n]; {
		case a == nil:
		case r.about(a) || r.way != ahead && a.at.level == r.spot.Follow.To && a.at.whole:
			if k := a.thing(); shortest[k] == "" || len(a.href) < len(shortest[k]) {
				shortest[k] = a.href
			}
		default:
			out = append(out, a.href)
		}
	}
	if len(shortest) == 0 {
		return nil
	}
	in := slices.Collect(maps.Values(shortest))
	preds = append(preds, more...)
	without := func(is xpath.Pred, matches func(href string) bool) {
		preds = append(preds, xpath.Pred{Kind: xpath.Not, Inner: &is})
		out = slices.DeleteFunc(out, matches)
	}
	for _, word := range telling(in, out) {
		without(hrefHas(word), func(href string) bool { return strings.Contains(href, word) })
	}
	if len(out) == 1 { // "/forums/" beside "/forums/knots.2/"
		is := out[0]
		without(xpath.Pred{Kind: xpath.Equals, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: is},
			func(href string) bool { return href == is })
	}
	c := proposal(relax.Reading{Expr: &xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}}}}, nil)
	c.cost.Changes = 2
	return c
}

// mostTelling bounds what is asked not to be in addresses.
const mostTelling = 4

// telling gives what is in addresses of one list and in none of another: names of
// parameters, folders of the path, or a fragment; the most frequent first.
func telling(in, out []string) []string {
	out = slices.Clone(out)
	var words []string
	for len(out) > 0 && len(words) < mostTelling {
		count := map[string]int{}
		for _, href := range out {
			for _, w := range addressWords.FindAllString(href, -1) {
				count[w]++
			}
		}
		best := ""
		for w, n := range count {
			if slices.ContainsFunc(in, func(href string) bool { return strings.Contains(href, w) }) {
				continue
			}
			if best == "" || n > count[best] || n == count[best] && w < best {
				best = w
			}
		}
		if best == "" {
			break
		}
		words = append(words, best)
		out = slices.DeleteFunc(out, func(href string) bool { return strings.Contains(href, best) })
	}
	return words
}

// addressWords are the parts of an address that stay the same from one to the next of
// its kind.
var addressWords = regexp.MustCompile(`[?&;][a-z_]+=(?:[a-z]+\b)?|/[a-z]{3,}(?:-|/|$)|#`)

// above writes the way to a level whose addresses tell nothing, and that leads to
// levels whose addresses do: in a trail each link leads down to the next, so that it is
// the last one before the first to such a level.
func (r *route) above() []*candidate {
	s := r.s
	below := s.below(r.spot.Follow.To)
	var marked, plain []*anchor // links below, in what is named as a trail and elsewhere
	for _, n := range s.x.tags["a"] {
		switch a := s.anchored()[n]; {
		case a == nil || n >= r.before || !a.local || !slices.Contains(below, a.at.level) || !a.at.whole && a.at.key != s.own.key:
		case a.trail:
			marked = append(marked, a)
		case !a.menu:
			plain = append(plain, a)
		}
	}
	if len(marked) == 0 {
		marked = plain
	}
	var out []*candidate
	for _, a := range marked {
		trail := s.trailOf(a.node)
		i := slices.Index(trail, a)
		if i < 1 || trail[i-1].at.level != "" || ofArticle(s.page.Type) != "" && !s.homeward(trail[i-1].node) {
			continue // beside an article also its author and subjects are named
		}
		for _, expr := range s.wayUp(trail[i-1], a.at) {
			e, err := kb.NewExpr(expr)
			if err != nil {
				continue
			}
			if l := s.selected(e, -1); len(l) > 0 && !slices.ContainsFunc(l, func(n int) bool { return s.linkOf(n) != trail[i-1].url }) {
				return append(out, trial(e, nil, 3))
			}
		}
	}
	return out
}

// below lists the levels that a level leads down to.
func (s *session) below(id kb.LevelID) []kb.LevelID {
	var out []kb.LevelID
	for _, v := range s.page.Type.Level(id) {
		for _, f := range v.Follow {
			if !f.Paging && !f.Optional && down(s.page.Type, id, f.To) && s.hasForm(f.To) {
				out = append(out, f.To)
			}
		}
	}
	return out
}

// trailOf lists the links of the smallest element around a link that has others before
// it, where they are few and all in front of it lead elsewhere on the site.
func (s *session) trailOf(n int) []*anchor {
	for up := s.x.parent[n]; up >= 0; up = s.x.parent[up] {
		links := within(s.x.tags["a"], up, s.x)
		if len(links) > longestTrail {
			return nil
		}
		if len(links) > 0 && links[0] < n {
			return slices.DeleteFunc(s.anchorsIn(up), func(a *anchor) bool { return !a.local || s.x.length(a.node) == 0 && a.node != n })
		}
	}
	return nil
}

// wayUp writes a link of a trail as expressions: by its address, which is the same on
// all pages of a site, or as what stands before the first link below.
func (s *session) wayUp(a *anchor, below address) []string {
	var out []string
	u, err := url.Parse(a.href)
	if err == nil && u.RawQuery == "" && u.Fragment == "" && !strings.HasPrefix(a.href, ".") && !strings.Contains(a.href, "'") {
		out = append(out, fmt.Sprintf("a[@href='%s']", a.href))
	}
	in := ""
	if attr, value, _ := s.nameAround(a.node, isTrail); attr != "" && !strings.Contains(value, "'") {
		in = fmt.Sprintf("*[@%s='%s']//", attr, value)
	}
	for _, sign := range signs(below.form.Of) {
		out = append(out, fmt.Sprintf("(.//%sa[not(contains(@href, '%s'))][following::a[1][contains(@href, '%[2]s')]])[1]", in,
			sign.href()))
	}
	return out
}
