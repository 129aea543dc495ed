package kb

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Bounds of the search for types that match the same pages, so that it stays linear in their number. Both are arbitrary, and
// far above the knowledge bases there are.
const (
	mostOwners  = 1000    // types that one type is compared with
	mostImplied = 1 << 21 // implications between two patterns
)

// overlap finds types that match the same pages.
type overlap struct {
	strong  map[*Type]map[string]bool // strong patterns, as written
	owners  map[string][]*Type
	implied map[string][]string // the strong patterns that match wherever one does
	place   map[*Type]int       // in the order of the sources
}

// apart tells of types that always match together.
func (l *linter) apart() {
	o := &overlap{map[*Type]map[string]bool{}, map[string][]*Type{}, map[string][]string{}, map[*Type]int{}}
	exprs := map[string]*xpath.Expr{}
	for i, t := range l.base.Types {
		o.place[t], o.strong[t] = i, map[string]bool{}
		for _, p := range t.Detect {
			if s := p.Expr.String(); !p.Weak && !o.strong[t][s] {
				o.strong[t][s], exprs[s] = true, p.Expr
				o.owners[s] = append(o.owners[s], t)
			}
		}
	}
	o.imply(exprs)
	for _, a := range l.base.Types {
		if len(o.strong[a]) == 0 || a.Site != "" {
			continue
		}
		found := len(l.problems)
		for _, b := range o.candidates(a) {
			if b != a && b.Site == "" && o.covers(b, a) {
				l.together(o, a, b)
			}
			if len(l.problems) > found {
				break // one is enough to see the mistake
			}
		}
	}
}

// imply fills in what the patterns imply. A pattern is compared only with the patterns that match a page made for it, which one
// walk finds for all patterns.
func (o *overlap) imply(exprs map[string]*xpath.Expr) {
	sources := slices.Sorted(maps.Keys(exprs))
	b := yfilter.NewBuilder()
	page := &html.Node{Type: html.DocumentNode}
	of := map[*html.Node]int{}
	for i, s := range sources {
		b.Add(exprs[s])
		m := model(exprs[s])
		of[m] = i
		page.AppendChild(m)
	}
	pairs := map[[2]int]bool{}
	b.Build().Run(page, func(q int, n *html.Node, _ string) bool {
		for n.Parent != page {
			n = n.Parent
		}
		if p := of[n]; p != q && !pairs[[2]int{p, q}] && implies(exprs[sources[p]], exprs[sources[q]]) {
			pairs[[2]int{p, q}] = true
			o.implied[sources[p]] = append(o.implied[sources[p]], sources[q])
		}
		return len(pairs) < mostImplied
	})
}

// model makes the smallest page that an expression is likely to match.
func model(e *xpath.Expr) *html.Node {
	top := &html.Node{Type: html.ElementNode, Data: "model"}
	at := top
	for _, s := range e.Steps {
		at = plant(at, s.Test, "")
		for _, p := range s.Preds {
			if p.Kind <= xpath.StartsWith || p.Kind == xpath.Token {
				plant(at, p.Value, p.Literal)
			}
		}
	}
	return top
}

// plant puts a node with a text below another, and returns it; for an attribute or a text the node itself.
func plant(at *html.Node, t xpath.Test, text string) *html.Node {
	switch t.Kind {
	case xpath.Attr, xpath.AnyAttr:
		name := strings.TrimPrefix(t.String(), "@")
		for i := range at.Attr {
			if at.Attr[i].Key == name {
				at.Attr[i].Val = strings.TrimSpace(at.Attr[i].Val + " " + text)
				return at
			}
		}
		at.Attr = append(at.Attr, html.Attribute{Key: name, Val: text})
		return at
	case xpath.Text, xpath.Self:
		at.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		return at
	}
	c := &html.Node{Type: html.ElementNode, Data: t.String()}
	if text != "" {
		c.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}
	at.AppendChild(c)
	return c
}

// candidates are the types that could match wherever a type does: owners of one of its patterns, the rarest.
func (o *overlap) candidates(a *Type) (best []*Type) {
	for i, s := range slices.Sorted(maps.Keys(o.strong[a])) {
		list := o.owners[s]
		for _, q := range o.implied[s] {
			list = append(list[:len(list):len(list)], o.owners[q]...)
		}
		if i == 0 || len(list) < len(best) {
			best = list
		}
	}
	return best[:min(len(best), mostOwners)]
}

// covers reports whether each strong pattern of a matches only where one of b does.
func (o *overlap) covers(b, a *Type) bool {
	has := func(s string) bool { return o.strong[b][s] }
	for s := range o.strong[a] {
		if !has(s) && !slices.ContainsFunc(o.implied[s], has) {
			return false
		}
	}
	return true
}

// together tells of type a, which matches only where b does.
func (l *linter) together(o *overlap, a, b *Type) {
	where := "type[" + string(a.ID) + "]"
	same := maps.Equal(o.strong[a], o.strong[b])
	const hint = "give each type a strong pattern of its own"
	switch {
	case below(a, b): // a refines b and is preferred to it
		if same {
			l.errorf(a.Pos, "type-same", where, hint,
				"has the strong patterns of its parent %s (%s): no page can be of the parent", b.ID, b.Pos)
		}
	case below(b, a):
		if !same {
			l.errorf(a.Pos, "type-same", where, hint, "has only strong patterns of its subtype %s (%s): all pages go to the subtype", b.ID,
				b.Pos)
		}
	case a.Rank > b.Rank:
	case same && a.Rank == b.Rank:
		if o.place[a] > o.place[b] {
			l.errorf(a.Pos, "type-same", where, hint, "has the same strong patterns as %s (%s): pages match both", b.ID, b.Pos)
		}
	default:
		l.warn(a.Pos, "type-covered", where, hint, "its strong patterns match only where %s (%s) matches too", b.ID, b.Pos)
	}
}
