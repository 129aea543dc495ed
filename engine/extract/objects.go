package extract

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// objects harvests all objects of some declarations below a node. All nodes are
// claimed before any field is read: what one declaration finds may lie inside
// what another does.
func (r *run) objects(declared []*kb.Object, scope *html.Node, parent string) {
	nodes := make([][]*html.Node, len(declared))
	for i, o := range declared {
		nodes[i] = []*html.Node{scope}
		if len(o.At) > 0 {
			nodes[i] = r.nodesAt(o.At, scope, func(n *html.Node) bool {
				return r.id(o, n, kb.Names{URL: r.key, Outer: parent, Parent: parent}) != ""
			})
		}
		for _, n := range nodes[i] {
			r.claimed[n] = true
		}
	}
	for i, o := range declared {
		ids := map[*html.Node]string{}
		for _, n := range nodes[i] {
			up := parent
			if o.Nests {
				for a := n.Parent; a != nil && a != scope; a = a.Parent {
					if id := ids[a]; id != "" {
						up = id
						break
					}
				}
			}
			ids[n] = r.object(o, n, parent, up)
		}
	}
}

// object harvests one object and those inside it, and returns its id. outer is
// the object that it is declared in, parent the one that it belongs to.
func (r *run) object(o *kb.Object, n *html.Node, outer, parent string) string {
	if len(r.h.Objects) >= maxObjects {
		r.h.Cut = true
		return ""
	}
	id := r.id(o, n, kb.Names{URL: r.key, Outer: outer, Parent: parent})
	if id == "" {
		return ""
	}
	for _, t := range o.Parent {
		if p, ok := t.Build(n, kb.Names{URL: r.key, Outer: outer, Parent: parent}, r.work); ok {
			parent = r.resolve.id(p)
			break
		}
	}
	out := Object{Class: o.Class, ID: id, Parent: parent}
	if parent != "" {
		out.Rel = o.Rel
	}
	at := len(r.h.Objects)
	r.h.Objects, r.nodes = append(r.h.Objects, out), append(r.nodes, n)
	r.objects(o.Objects, n, id)
	r.quotes = nil
	var creators []kb.Value
	r.whole, r.byline = n, nil
	for _, f := range o.Fields {
		if f.Unless != nil && len(f.Unless.Select(n, r.work)) > 0 {
			continue
		}
		fields, from := r.field(f, n)
		if len(fields) == 0 && f.Required {
			r.h.Misses = append(r.h.Misses, Miss{Object: o.Class, Field: f.Name, ID: id})
		}
		if f.Name == creatorField && len(fields) > 0 {
			creators = from
		}
		if f.Name == creatorField || f.As == kb.Date {
			r.byline = append(r.byline, from...)
		}
		out.Fields = append(out.Fields, fields...)
	}
	r.h.Objects[at].Fields = append(r.withAccounts(out.Fields, creators), r.answered(id)...)
	for _, t := range o.Totals {
		if n, ok := r.total(t, n); ok {
			r.h.Totals = append(r.h.Totals, Total{Of: t.Of, Object: id, Count: n})
		}
	}
	return id
}

// levelTotal reads what a list says of itself, or of each page that it leads to.
func (r *run) levelTotal(t *kb.Total) {
	for _, n := range r.counters(t) {
		of := Total{Of: t.Of, Object: r.key}
		if t.Link != nil {
			href, node := hrefOf(t.Link.Select(n, r.work)[0])
			of.Object, of.Text = r.objectKey(r.resolve.link(href)), r.anchorText(node)
		} else {
			of.Linked = r.linked(t.Of)
		}
		var ok bool
		if of.Count, ok = r.total(t, n); ok && of.Object != "" && r.keep(len(of.Object)+len(of.Text)) {
			r.h.Totals = append(r.h.Totals, of)
		}
	}
}

// linked are the objects of a class that the page links to, whose levels declare the class first.
func (r *run) linked(class string) (keys []string) {
	seen := map[string]bool{"": true}
	for _, l := range r.h.Links {
		to := r.page.Type.Level(l.To)
		if l.Paging || len(to) == 0 || len(to[0].Objects) == 0 || to[0].Objects[0].Class != class {
			continue
		}
		if key := r.objectKey(l.URL); !seen[key] && r.keep(len(key)) {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// counters gives the nodes that say a number of things each.
func (r *run) counters(t *kb.Total) []*html.Node {
	if t.At == nil {
		return []*html.Node{r.page.Doc}
	}
	var nodes []*html.Node
	for _, v := range t.At.Select(r.page.Doc, r.work) {
		if v.Node != nil && v.Attr == "" && len(t.Link.Select(v.Node, r.work)) > 0 {
			nodes = append(nodes, v.Node)
		}
	}
	return nodes
}

// nodesAt gives the element nodes that the first yielding expression selects. Where
// a learned one follows, nodes of which none is named are no yield: what names them
// moved. Without named all are.
func (r *run) nodesAt(tries []*kb.Try, scope *html.Node, named func(*html.Node) bool) []*html.Node {
	tries = r.tries(tries)
	for i, t := range tries {
		var nodes []*html.Node
		for _, v := range t.Expr.Select(scope, r.work) {
			if v.Node != nil && v.Attr == "" && v.Node.Type == html.ElementNode {
				nodes = append(nodes, v.Node)
			}
		}
		if named != nil && t.Learned == nil && slices.ContainsFunc(tries[i+1:], func(t *kb.Try) bool { return t.Learned != nil }) &&
			!slices.ContainsFunc(nodes, named) {
			continue
		}
		if len(nodes) > 0 {
			r.used(t)
			if t.Learned != nil {
				for _, n := range nodes {
					r.moved[n] = true
				}
			}
			return nodes
		}
	}
	return nil
}

// sortObjects brings objects of several declarations (comments and pingbacks,
// say) into the order of the page.
func (r *run) sortObjects() {
	place := map[*html.Node]int{r.page.Doc: 0}
	for n := range r.page.Doc.Descendants() {
		if r.claimed[n] {
			place[n] = len(place)
		}
	}
	order := make([]int, len(r.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return place[r.nodes[a]] - place[r.nodes[b]] })
	sorted, nodes := make([]Object, len(order)), make([]*html.Node, len(order))
	for i, at := range order {
		sorted[i], nodes[i] = r.h.Objects[at], r.nodes[at]
	}
	r.h.Objects, r.h.nodes = sorted, nodes
}

// id builds an object's id by the first template that can be filled.
func (r *run) id(o *kb.Object, n *html.Node, names kb.Names) string {
	if r.moved[n] {
		return r.idAnyway(o, n, names)
	}
	for _, t := range o.ID {
		if id, ok := t.Build(n, names, r.work); ok {
			return r.resolve.id(id)
		}
	}
	return ""
}

// idAnyway builds the id of an object whose template changed.
func (r *run) idAnyway(o *kb.Object, n *html.Node, names kb.Names) string {
	for _, t := range o.ID {
		if id, ok := t.BuildMoved(n, names, r.work); ok {
			return r.resolve.id(id)
		}
	}
	for _, t := range o.ID {
		if id, ok := t.BuildAnyway(n, names, r.work); ok {
			return r.resolve.id(id)
		}
	}
	return ""
}
