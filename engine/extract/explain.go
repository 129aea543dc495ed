package extract

import (
	"fmt"
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Trial is what one expression of an action yields on a page, whether or not one
// before it was enough.
type Trial struct {
	Expr  *kb.Expr
	Count int    // links, nodes, or objects in which it gives a value
	Used  bool   // it is what the action took, at least once
	Path  string // of the first node that it selects; empty for none
	// Found is what it selects, the first of it, whether it is taken or not; a node is nil where the value is put together.
	Found []kb.Value
	// Why tells where an expression that gives nothing fails.
	Why string

	scope *html.Node // the first that it was asked in
}

// mostFound bounds what a trial names of what it selects.
const mostFound = 200

// Action is what one action of a level yields on a page.
type Action struct {
	Kind     string // follow, object, field or total
	Name     string // such as "topic paging", "sioc:Post" or "creator of sioc:Post"
	Required bool
	Optional bool
	Count    int // results: links, objects with an id, or objects that have the field
	Of       int // of a field: the objects that could have it
	Trials   []Trial
	Pos      kb.Position
	// Unnamed tells of nodes that are no objects, since they have no id; empty where all have one.
	Unnamed string
	// Excess tells of links that are more than the author may think; empty where all lead to pages of their own.
	Excess string

	asked string // what a value is to be, such as "a date"
}

// Explain runs each expression of a level's actions on a page by itself. It is
// for people: a harvest stops at the first expression that yields.
func Explain(p Page, v *kb.Level) []Action {
	r := newRun(p, kb.NewWork(maxWork), nil)
	r.level(v) // claims the nodes of all objects
	r.work = kb.NewWork(maxWork)
	x := &explainer{run: r, at: map[kb.Position]int{}}
	for _, f := range v.Follow {
		x.follow(v, f)
	}
	for _, o := range v.Objects {
		x.object(o, p.Doc, "")
	}
	for _, t := range v.Totals {
		for _, n := range x.counters(t) {
			x.total(string(v.ID), t, n)
		}
		x.action(totalAction(string(v.ID), t), t.Tries) // also where there is no node
	}
	for i := range x.actions {
		for k := range x.actions[i].Trials {
			if t := &x.actions[i].Trials[k]; t.Count == 0 {
				t.Why = x.why(t, x.actions[i].asked)
			}
		}
	}
	return x.actions
}

type explainer struct {
	*run
	actions []Action
	at      map[kb.Position]int // index of what was seen in an object before
}

// action gives the entry of an action, which objects of one kind share.
func (x *explainer) action(a Action, tries []*kb.Try) *Action {
	i, known := x.at[a.Pos]
	if !known {
		for _, t := range tries {
			a.Trials = append(a.Trials, Trial{Expr: t.Expr})
		}
		i = len(x.actions)
		x.at[a.Pos] = i
		x.actions = append(x.actions, a)
	}
	return &x.actions[i]
}

// tried counts what a try gave; used tells that none before it gave anything.
func (x *explainer) tried(t *Trial, n int, used bool, scope *html.Node) {
	t.Count += n
	t.Used = t.Used || used && n > 0
	if t.scope == nil {
		t.scope = scope
	}
	if len(t.Found) >= mostFound {
		return
	}
	values := t.Expr.Select(scope, x.work)
	t.Found = append(t.Found, values[:min(len(values), mostFound-len(t.Found))]...)
	if n > 0 && t.Path == "" && len(values) > 0 && values[0].Node != nil {
		t.Path = yfilter.Path(values[0].Node, values[0].Attr)
	}
}

// why tells where an expression that gives nothing fails: at the first step or condition with which it selects nothing.
func (x *explainer) why(t *Trial, asked string) string {
	switch {
	case t.scope == nil:
		return "there is no object that it could be in"
	case len(t.Found) > 0:
		return x.noneOf(t, asked)
	}
	path, ok := xpath.Operands(t.Expr.Tree, "|")[0].(*xpath.Path)
	if !ok {
		return ""
	}
	before, n := "", 0
	part := *path
	for i, step := range path.Steps {
		for k := range len(step.Preds) + 1 {
			of := *step
			of.Preds = step.Preds[:k]
			part.Steps = append(slices.Clone(path.Steps[:i]), &of)
			e, err := kb.ExprOf(&part)
			if err != nil {
				return ""
			}
			found := len(e.Select(t.scope, x.work))
			switch {
			case found == 0 && before == "":
				return fmt.Sprintf("there is no %s", e.Source)
			case found == 0:
				return fmt.Sprintf("%s selects %d, %s none", before, n, e.Source)
			}
			before, n = e.Source, found
		}
	}
	return ""
}

func (x *explainer) follow(v *kb.Level, f *kb.Follow) {
	name := string(f.To)
	if f.Paging {
		name += " paging"
	}
	a := x.action(Action{Kind: "follow", Name: name, Optional: f.Optional, Pos: f.Pos, asked: "address of a page"}, f.Tries)
	for i, t := range f.Tries {
		one := *f
		one.Tries = []*kb.Try{t}
		x.h, x.size = &Harvest{}, 0
		links := x.run.follow(v, &one)
		x.tried(&a.Trials[i], len(links), a.Count == 0, x.page.Doc)
		if a.Count == 0 {
			a.Count, a.Excess = len(links), x.excess(f, links)
		}
	}
}

func (x *explainer) object(o *kb.Object, scope *html.Node, outer string) {
	a := Action{Kind: "object", Name: o.Class, Pos: o.Pos, asked: "element"}
	nodes := []*html.Node{scope}
	if len(o.At) > 0 {
		nodes = nil
		e := x.action(a, o.At)
		for i, t := range o.At {
			found := x.nodesAt([]*kb.Try{t}, scope, nil)
			x.tried(&e.Trials[i], len(found), nodes == nil, scope)
			if nodes == nil {
				nodes = found
			}
		}
	}
	x.action(a, o.At) // also where there is no node
	for _, n := range nodes {
		id := x.id(o, n, kb.Names{URL: x.key, Outer: outer, Parent: outer})
		if id == "" {
			x.action(a, nil).unnamed(o, n)
			continue
		}
		x.action(a, nil).Count++
		for _, f := range o.Fields {
			x.field(o, f, n)
		}
		for _, t := range o.Totals {
			x.total(o.Class, t, n)
		}
		for _, inner := range o.Objects {
			x.object(inner, n, id)
		}
	}
}

func (x *explainer) field(o *kb.Object, f *kb.Field, n *html.Node) {
	a := x.action(Action{Kind: "field", Name: f.Name + " of " + o.Class, Required: f.Required, Pos: f.Pos, asked: askedAs(f.As)}, f.Tries)
	if f.Unless != nil && len(f.Unless.Select(n, x.work)) > 0 {
		return
	}
	a.Of++
	has := false
	for i, t := range f.Tries {
		one := *f
		one.Tries = []*kb.Try{t}
		x.h, x.size = &Harvest{}, 0
		fields, _ := x.run.field(&one, n)
		x.tried(&a.Trials[i], min(len(fields), 1), !has, n)
		has = has || len(fields) > 0
	}
	if has {
		a.Count++
	}
}

func totalAction(of string, t *kb.Total) Action {
	return Action{Kind: "total", Name: t.Of + " of " + of, Pos: t.Pos, asked: "number"}
}

func (x *explainer) total(of string, t *kb.Total, n *html.Node) {
	a := x.action(totalAction(of, t), t.Tries)
	a.Of++
	has := false
	for i, try := range t.Tries {
		one := *t
		one.Tries = []*kb.Try{try}
		_, ok := x.run.total(&one, n)
		if ok {
			x.tried(&a.Trials[i], 1, !has, n)
			has = true
		} else {
			x.tried(&a.Trials[i], 0, false, n)
		}
	}
	if has {
		a.Count++
	}
}
