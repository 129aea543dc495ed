package relax

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Term is what the steps of expressions ask of one element of a template: a tag,
// and an attribute that equals, contains or starts with a literal. A literal between
// spaces, in contains, is one token of the attribute, as XPath 1.0 tests it with
// concat(' ', @class, ' ').
type Term struct {
	Tag  string     // "*" for any
	Pred xpath.Pred // the zero Pred tests nothing
}

// Step is the term as a step of an expression.
func (t Term) Step() xpath.Step {
	s := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: t.Tag}}
	if t.Tag == "*" {
		s.Test = xpath.Test{Kind: xpath.AnyTag}
	}
	if t.Pred != (xpath.Pred{}) {
		s.Preds = []xpath.Pred{t.Pred}
	}
	return s
}

// String writes the term as a step of an expression.
func (t Term) String() string { return (&xpath.Expr{Steps: []xpath.Step{t.Step()}}).String() }

// Cost is what it costs to ask for to instead: one change, as all of a template's
// change at once.
func (t Term) Cost(to Term, known func(xpath.Pred) bool) Cost {
	c := Cost{Changes: 1}
	if t.Tag != to.Tag {
		c.Distance += tagDistance(t.Tag, to.Tag)
	}
	switch {
	case to.Pred == (xpath.Pred{}):
		c.Distance += farRemoved
	case to.Pred != t.Pred:
		_, far, _ := replaced(t.Pred, to.Pred, known)
		c.Distance += far
	}
	return c
}

// Steps lists what the steps of an expression of full XPath 1.0 compare attributes
// with, each step by itself, also in the paths inside its predicates, with the
// alternatives of which one must hold. A negated test requires no element, however deep
// it stands.
func Steps(n xpath.Node) [][]xpath.Step {
	var out [][]xpath.Step
	at := map[bracket]int{}
	ask(n, bracket{}, false, func(t Term, in bracket, alone bool) {
		if alone {
			in.pred = nil
		}
		i, known := at[in]
		switch {
		case !known:
			at[in] = len(out)
			out = append(out, []xpath.Step{t.Step()})
		case alone:
			out[i][0].Preds = append(out[i][0].Preds, t.Pred)
		default:
			out[i] = append(out[i], t.Step())
		}
	})
	return out
}

// bracket names a predicate by what it is a predicate of, a step or what a path starts from.
type bracket struct {
	of   any // *xpath.PathStep or *xpath.Path
	tag  string
	pred xpath.Node
}

// ask visits what is compared inside predicates and not denied, from left to right. alone
// is set where the comparison is all of the predicate.
func ask(n xpath.Node, in bracket, denied bool, visit func(t Term, in bracket, alone bool)) {
	inside := func(of any, tag string, preds []xpath.Node) {
		for _, q := range preds {
			ask(q, bracket{of, tag, q}, denied, visit)
		}
	}
	switch n := n.(type) {
	case *xpath.Binary:
		ask(n.Left, in, denied, visit)
		ask(n.Right, in, denied, visit)
	case *xpath.Minus:
		ask(n.Of, in, denied, visit)
	case *xpath.Group:
		ask(n.Of, in, denied, visit)
	case *xpath.Call:
		for _, a := range n.Args {
			ask(a, in, denied || n.Name == "not", visit)
		}
	case *xpath.Path:
		if n.From != nil {
			ask(n.From, in, denied, visit)
			inside(n, "*", n.Preds)
		}
		for _, s := range n.Steps {
			inside(s, tagOf(s), s.Preds)
		}
	}
	if p, ok := compared(n); ok && in.of != nil && !denied {
		visit(Term{Tag: in.tag, Pred: p}, in, n == in.pred)
	}
}

// tagOf is the tag that a step asks for, "*" for any node.
func tagOf(s *xpath.PathStep) string {
	if s.Test == "" || strings.HasSuffix(s.Test, ")") {
		return "*"
	}
	return s.Test
}

// compared gives a comparison of an attribute of the node itself with a string as a
// predicate; a token keeps the spaces around it.
func compared(n xpath.Node) (p xpath.Pred, ok bool) {
	if attr, literal, padded := xpath.Padded(n); padded {
		p = xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: attr}, Literal: literal}
	} else if p, ok = xpath.PredOf(n); !ok || !asksAttribute(p) {
		return p, false
	}
	return p, strings.TrimSpace(p.Literal) != ""
}

// Substitute writes an expression for a template in which one element changed:
// every step that tests the term from tests to instead, anywhere. ok is
// false where no step does.
//
// Relaxing one step of one expression cannot bear such a change where several
// expressions, or several paths of one, name the element: a record, what it is named by
// and its fields.
func Substitute(n xpath.Node, from, to Term) (out xpath.Node, ok bool) {
	s := substitution{from: from, to: to, now: &xpath.Call{Name: "true"}}
	if to.Pred != (xpath.Pred{}) {
		s.now = to.Pred.Tree()
	}
	out = xpath.Edit(n, func(n xpath.Node) (xpath.Node, bool) {
		if path, ok := n.(*xpath.Path); ok {
			return s.path(path), true
		}
		return n, true
	})
	if !s.done {
		return n, false
	}
	return out, true
}

// substitution is one call of [Substitute].
type substitution struct {
	from, to Term
	now      xpath.Node // what is asked instead
	done     bool       // something was changed
}

// path substitutes in what the steps of a path themselves are asked for.
func (s *substitution) path(path *xpath.Path) xpath.Node {
	out := &xpath.Path{From: path.From, Root: path.Root}
	var asked, some bool
	out.Preds, some = s.preds(path.Preds, "*")
	for _, step := range path.Steps {
		is := *step
		if is.Preds, asked = s.preds(step.Preds, tagOf(step)); asked {
			some = true
			if s.to.Tag != s.from.Tag && s.to.Tag != "*" && tagOf(step) == step.Test {
				is.Test, s.done = s.to.Tag, true
			}
		}
		out.Steps = append(out.Steps, &is)
	}
	if !some {
		return path
	}
	return out
}

// preds substitutes in the predicates of a step with a tag. asked is false where none of
// them asks for the term.
func (s *substitution) preds(preds []xpath.Node, tag string) (out []xpath.Node, asked bool) {
	if tag != s.from.Tag {
		return preds, false
	}
	list := make([]xpath.Node, len(preds))
	for i, q := range preds {
		list[i] = s.within(q)
		asked = asked || list[i] != q
	}
	if !asked {
		return preds, false
	}
	dropped := s.to.Pred == (xpath.Pred{})
	onlyDropped := dropped && !slices.ContainsFunc(preds, func(q xpath.Node) bool { return !s.all(q) && s.within(q) != q })
	for i, q := range preds {
		_, alone := compared(q)
		switch {
		case s.to.Pred == s.from.Pred:
		case dropped && s.all(q):
			continue
		case list[i] != q:
			q = list[i]
		case !onlyDropped && !alone && mentions(q, s.from.Pred.Value.Name): // what else is asked of the old value
			continue
		}
		out = append(out, q)
	}
	s.done = s.done || s.to.Pred != s.from.Pred
	return out, true
}

// all reports whether what the term compares is all of a predicate.
func (s *substitution) all(q xpath.Node) bool {
	p, ok := compared(q)
	return ok && p == s.from.Pred
}

// within gives a predicate with what the term compares replaced, but for what is denied and
// for brackets of its own; the same one where there is nothing of it.
func (s *substitution) within(q xpath.Node) xpath.Node {
	return xpath.Edit(q, func(n xpath.Node) (xpath.Node, bool) {
		if s.all(n) {
			return s.now, false
		}
		_, isPath := n.(*xpath.Path)
		call, isCall := n.(*xpath.Call)
		return n, !isPath && !(isCall && call.Name == "not")
	})
}

// mentions reports whether a predicate asks anything of an attribute of the element, and has no path of several steps.
// What it denies is no such thing: a guard holds for the changed template, too.
func mentions(q xpath.Node, attr string) bool {
	found, path := false, false
	xpath.Edit(q, func(n xpath.Node) (xpath.Node, bool) {
		switch n := n.(type) {
		case *xpath.Call:
			return n, n.Name != "not"
		case *xpath.Path:
			found = found || len(n.Steps) == 1 && n.Steps[0].Axis == "@" && n.Steps[0].Test == attr
			path = path || n.Root || len(n.Steps) > 1
		}
		return n, true
	})
	return found && !path
}
