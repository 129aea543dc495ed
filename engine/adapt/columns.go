package adapt

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// column is links that one expression selects: a candidate for a navigation action.
type column struct {
	candidate
	links []*anchor   // with different addresses, in the order of the page
	name  *xpath.Expr // the elements with a name of their own that it, or one like it, asks for; nil for none
}

// columns gathers the columns that hold links which the action may be about, each once: relaxations of the action, groups of links as they
// are, and what their addresses have.
func (r *route) columns() []*column {
	s := r.s
	var out []*column
	byLinks := map[string]*column{}
	add := func(list ...*candidate) {
		for _, c := range list {
			if c == nil || s.spent() {
				continue
			}
			col := r.column(c)
			if col == nil {
				continue
			}
			key := strings.Join(col.urls(), "\n")
			switch same := byLinks[key]; {
			case same == nil:
				byLinks[key] = col
				out = append(out, col)
			case same.name == nil:
				same.name = col.name
			}
		}
	}
	if r.way == upward && !r.told {
		return nil
	}
	add(r.byAddress(&group{tag: "a"})...)
	known, sources := s.lex.known(s.category, purpose(r.spot)), s.sources(r.spot)
	for _, g := range s.allGroups() {
		for _, m := range g.typical(s.x, nil) {
			n := s.alone(m)
			if n < 0 || !r.concerns(g) {
				continue
			}
			best := s.nearest(sources, nil, n, -1, xpath.Test{}, known)
			if add(best, ofGroup(g, best)); !r.untold() {
				add(r.byAddress(g)...)
				break
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
	if !asks(c.reading.Expr) {
		return nil
	}
	col := &column{candidate: *c}
	if steps := elementSteps(c.reading.Expr); slices.ContainsFunc(steps, hasName) {
		col.name = &xpath.Expr{Steps: steps}
	}
	seen := map[string]bool{}
	wanted := false
	for _, n := range s.x.selectIn(c.reading.Expr, -1) {
		if a := s.anchored()[n]; a != nil && !seen[a.url] && len(col.links) < maxRecords {
			seen[a.url] = true
			col.links = append(col.links, a)
			wanted = wanted || r.wanted[a]
		}
	}
	if !wanted {
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

// byAddress writes the links of a group that the action is about by what their addresses have and those of others have not: the fixed parts
// of each form of address of the level, and for further pages the parameter that tells them apart.
func (r *route) byAddress(g *group) []*candidate {
	if r.way == across || g.tag != "a" || g.outer != (xpath.Pred{}) || g.cond.Value.Name == "href" {
		return nil
	}
	var all []*candidate
	add := func(form []xpath.Pred, more ...xpath.Pred) {
		if c := r.apart(g, form, more...); c != nil {
			all = append(all, c)
		}
	}
	for i := range r.s.page.Type.URLs.Addresses {
		form := &r.s.page.Type.URLs.Addresses[i]
		var preds []xpath.Pred
		for _, sign := range signs(form.Of) {
			preds = append(preds, hrefHas(sign))
		}
		switch {
		case form.Part || len(preds) == 0:
		case r.way != ahead && form.Level == r.spot.Follow.To:
			add(preds)
		case r.way == ahead && form == r.s.own.form:
			for _, p := range r.s.page.Type.URLs.Pagings {
				if p.Param != "" {
					add(preds, hrefHas(p.Param+"="))
				}
			}
		}
	}
	if stem := r.stem(); stem != "" && len(all) == 0 {
		add([]xpath.Pred{hrefHas(stem)})
	}
	return all
}

// stem is the word with which the last parts of all addresses begin that an action is about, as copies of sites name their files; "" for
// none.
func (r *route) stem() string {
	const shortest = 5
	stem := ""
	for a := range r.wanted {
		word := fileWord.FindStringSubmatch(a.href)[1]
		if stem == "" {
			stem = word
		}
		for !strings.HasPrefix(word, stem) {
			stem = stem[:len(stem)-1]
		}
		if len(stem) < shortest {
			return ""
		}
	}
	if !r.told || len(r.wanted) < fewestTopics {
		return ""
	}
	return stem
}

// fileWord is the letters at the start of the name of a file.
var fileWord = regexp.MustCompile(`(?:^|.*/)([A-Za-z]*)`)

// hrefHas asks for a text in the address of a link.
func hrefHas(text string) xpath.Pred {
	return xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: text}
}

// apart writes links of a group with the conditions of a form, and more, without those of the form that the action is not about; nil where
// there are no others.
func (r *route) apart(g *group, form []xpath.Pred, more ...xpath.Pred) *candidate {
	var preds []xpath.Pred
	if g.cond != (xpath.Pred{}) {
		preds = append(preds, g.cond)
	}
	preds = append(preds, form...)
	var out []string
	shortest := map[string]string{} // by what they lead to
	for _, n := range r.s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}) {
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
	for _, word := range telling(in, out) {
		is := hrefHas(word)
		preds = append(preds, xpath.Pred{Kind: xpath.Not, Inner: &is})
	}
	c := proposal(relax.Reading{Expr: &xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}}}}, nil)
	c.cost.Changes = 2
	return c
}

// telling gives what is in addresses of one list and in none of another: names of parameters, folders of the path, or a fragment; the most
// frequent first.
func telling(in, out []string) []string {
	const bound = 4
	var words []string
	for len(words) < bound {
		count := map[string]int{}
		for _, href := range out {
			for _, w := range addressWords.FindAllString(href, -1) {
				if !slices.ContainsFunc(in, func(href string) bool { return strings.Contains(href, w) }) {
					count[w]++
				}
			}
		}
		best := most(count)
		if best == "" {
			break
		}
		words = append(words, best)
		out = slices.DeleteFunc(out, func(href string) bool { return strings.Contains(href, best) })
	}
	return words
}

// addressWords are the parts of an address that stay the same from one to the next of its kind.
var addressWords = regexp.MustCompile(`[?&;][a-z_]+=(?:[a-z]+\b)?|/[a-z]{3,}(?:-|/|$)|#`)
