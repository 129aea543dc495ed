package detect

import (
	"cmp"
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// Evidence is what one pattern found on a page.
type Evidence struct {
	Pattern   kb.Pattern
	Inherited bool   // from a parent or the category
	Count     int    // nodes that it selects; 0: it failed
	Path      string // of the first of them
}

// TypeEvidence is what a page shows of one type.
type TypeEvidence struct {
	Type     *kb.Type
	Accepted bool // the page could be of the type
	Patterns []Evidence
	Levels   []LevelEvidence
}

// LevelEvidence is what a page shows of one level.
type LevelEvidence struct {
	Level    *kb.Level
	Fired    bool
	Patterns []Evidence
}

// Explain returns, for at most most of the likely types of a page, which
// patterns matched, where, and which failed: first the found types, in the
// order of the finding, then the types with the most evidence. The
// types of also are always included. It walks the page again and compiles
// patterns: it is for people, not for crawls.
func (d *Detector) Explain(doc *html.Node, f Finding, most int, also ...*kb.Type) []TypeEvidence {
	var types []*kb.Type
	add := func(t *kb.Type) {
		if t != nil && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	for _, m := range f.Matches[:min(most, len(f.Matches))] {
		add(m.Type)
	}
	for _, t := range d.suspects(doc) {
		if len(types) < most {
			add(t)
		}
	}
	for _, t := range also {
		add(t)
	}
	c := newCount(doc, types)
	c.address = f.address
	var out []TypeEvidence
	for _, t := range types {
		e := TypeEvidence{Type: t, Patterns: append(c.evidence(t.Detect, false), c.evidence(t.Inherited, true)...)}
		e.Accepted = slices.ContainsFunc(f.Matches, func(m Match) bool { return m.Type == t })
		for _, v := range t.Levels {
			l := LevelEvidence{Level: v, Patterns: c.evidence(v.Detect, false)}
			l.Fired = weight(l.Patterns) > 1
			e.Levels = append(e.Levels, l)
		}
		out = append(out, e)
	}
	return out
}

// weight adds up evidence: a strong pattern is worth two weak ones.
func weight(list []Evidence) int {
	n := 0
	for _, e := range list {
		switch {
		case e.Count == 0:
		case e.Pattern.Weak:
			n++
		default:
			n += 2
		}
	}
	return n
}

// suspects are the types with patterns of their own that fire, the most first.
func (d *Detector) suspects(doc *html.Node) []*kb.Type {
	b := yfilter.NewBuilder()
	var owners [][]int
	var worth [][]int
	for i, t := range d.base.Types {
		for _, p := range t.Detect {
			id, added := b.AddOnce(p.Expr)
			if added {
				owners, worth = append(owners, nil), append(worth, nil)
			}
			w := 2
			if p.Weak {
				w = 1
			}
			owners[id], worth[id] = append(owners[id], i), append(worth[id], w)
		}
	}
	scores := map[int]int{}
	b.Build().RunFirst(doc, func(id int, _ *html.Node, _ string) bool {
		for k, i := range owners[id] {
			scores[i] += worth[id][k]
		}
		return true
	})
	var order []int
	for i := range scores {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(scores[b]-scores[a], a-b) })
	var out []*kb.Type
	for _, i := range order {
		out = append(out, d.base.Types[i])
	}
	return out
}

// count holds what each pattern of some types selects on a page.
type count struct {
	number  map[string]int // of an expression
	hits    []Evidence
	address string // of the page
}

func newCount(doc *html.Node, types []*kb.Type) *count {
	c := &count{number: map[string]int{}}
	b := yfilter.NewBuilder()
	add := func(list []kb.Pattern) {
		for _, p := range list {
			id, added := b.AddOnce(p.Expr)
			if added {
				c.hits = append(c.hits, Evidence{})
			}
			c.number[p.Expr.String()] = id
		}
	}
	for _, t := range types {
		add(t.Detect)
		add(t.Inherited)
		for _, v := range t.Levels {
			add(v.Detect)
		}
	}
	b.Build().Run(doc, func(id int, n *html.Node, attr string) bool {
		h := &c.hits[id]
		if h.Count++; h.Count == 1 {
			h.Path = yfilter.Path(n, attr)
		}
		return true
	})
	return c
}

func (c *count) evidence(list []kb.Pattern, inherited bool) []Evidence {
	var out []Evidence
	for _, p := range list {
		e := c.hits[c.number[p.Expr.String()]]
		if p.Learned != nil && !p.Learned.AppliesAt(c.address) {
			e = Evidence{}
		}
		e.Pattern, e.Inherited = p, inherited
		out = append(out, e)
	}
	return out
}
