package xpath

import (
	"math"
	"strconv"
	"strings"
)

// Fragment gives a node as an expression of the fragment; ok is false where it is none.
// [Parse] takes exactly what [ParseTree] reads as such a node, of up to [MaxLen] bytes.
func Fragment(n Node) (e *Expr, ok bool) {
	path, isPath := n.(*Path)
	if !isPath || path.From != nil || len(path.Steps) == 0 {
		return nil, false
	}
	e = &Expr{}
	for i, at := range path.Steps {
		s, ok := at.Fragment()
		if !ok || i > 0 && !element(e.Steps[i-1].Test) {
			return nil, false
		}
		if i == 0 && !path.Root {
			s.Axis = Descendant
		}
		for _, q := range at.Preds {
			p, ok := PredOf(q)
			if !ok {
				return nil, false
			}
			s.Preds = append(s.Preds, p)
		}
		e.Steps = append(e.Steps, s)
	}
	return e, len(e.String()) <= MaxLen
}

func element(t Test) bool { return t.Kind == Tag || t.Kind == AnyTag }

// Fragment gives the step without its predicates; ok is false where it is not in the
// fragment. Its axis is as behind another step.
func (s *PathStep) Fragment() (out Step, ok bool) {
	if !s.Deep {
		out.Axis = Child
	}
	switch out.Test, ok = s.test(); out.Test.Kind {
	case Self:
		return out, false
	case Tag:
		if out.Test.Name == "*" {
			out.Test = Test{Kind: AnyTag}
		}
	case Attr:
		if out.Test.Name == "*" {
			out.Test = Test{Kind: AnyAttr}
		}
	}
	return out, ok
}

// test gives what the step selects, "*" as a name.
func (s *PathStep) test() (t Test, ok bool) {
	call := strings.HasSuffix(s.Test, ")")
	switch {
	case s.Axis == ".":
		return Test{Kind: Self}, true
	case s.Axis == "" && s.Test == "text()":
		return Test{Kind: Text}, true
	case s.Axis == "" && !call:
		return Test{Kind: Tag, Name: s.Test}, true
	case s.Axis == "@" && !call:
		return Test{Kind: Attr, Name: s.Test}, true
	}
	return t, false
}

// PredOf gives a node that stands in the brackets of a predicate as one of the fragment;
// ok is false where it is none.
func PredOf(n Node) (p Pred, ok bool) {
	switch n := n.(type) {
	case Number:
		at, err := strconv.ParseInt(string(n), 10, 32)
		return Pred{Kind: Position, N: int(at)}, err == nil && at >= 1 && at <= math.MaxInt32
	case *Call:
		if n.Name == "last" && len(n.Args) == 0 {
			return Pred{Kind: Last}, true
		}
	}
	return conditionOf(n)
}

func conditionOf(n Node) (p Pred, ok bool) {
	switch n := n.(type) {
	case Class:
		return TokenPred(string(n)), true
	case *Binary:
		p.Kind = Equals
		return p.asks(n.Left, n.Right, n.Op == "=")
	case *Path:
		p.Value, ok = valueOf(n)
		return p, ok
	case *Call:
		switch {
		case n.Name == "not" && len(n.Args) == 1:
			inner, ok := conditionOf(n.Args[0])
			return Pred{Kind: Not, Inner: &inner}, ok
		case n.Name == "contains" && len(n.Args) == 2:
			p.Kind = Contains
			return p.asks(n.Args[0], n.Args[1], true)
		case n.Name == "starts-with" && len(n.Args) == 2:
			p.Kind = StartsWith
			return p.asks(n.Args[0], n.Args[1], true)
		}
	}
	return p, false
}

// asks fills in a comparison of a value with a string.
func (p Pred) asks(value, with Node, known bool) (Pred, bool) {
	path, isPath := value.(*Path)
	s, isText := with.(Literal)
	if !known || !isPath || !isText {
		return p, false
	}
	p.Literal = string(s)
	p.Value, known = valueOf(path)
	return p, known
}

func valueOf(path *Path) (Test, bool) {
	if path.From != nil || path.Root || len(path.Steps) != 1 || len(path.Steps[0].Preds) > 0 {
		return Test{}, false
	}
	t, ok := path.Steps[0].test()
	return t, ok && t.Name != "*"
}

// Tree gives the expression as a node.
func (e *Expr) Tree() *Path {
	out := &Path{Root: e.Steps[0].Axis == Child}
	for i, s := range e.Steps {
		out.Steps = append(out.Steps, s.tree(i > 0))
	}
	return out
}

// tree gives the step as one of a path; deep steps are written with "//".
func (s Step) tree(deep bool) *PathStep {
	out := s.Test.tree()
	out.Deep = deep && s.Axis == Descendant
	for _, p := range s.Preds {
		out.Preds = append(out.Preds, p.Tree())
	}
	return out
}

func (t Test) tree() *PathStep {
	switch t.Kind {
	case AnyTag:
		return &PathStep{Test: "*"}
	case Attr:
		return &PathStep{Axis: "@", Test: t.Name}
	case AnyAttr:
		return &PathStep{Axis: "@", Test: "*"}
	case Text:
		return &PathStep{Test: "text()"}
	case Self:
		return &PathStep{Axis: "."}
	}
	return &PathStep{Test: t.Name}
}

// Tree gives the predicate as what stands in its brackets.
func (p Pred) Tree() Node {
	value := &Path{Steps: []*PathStep{p.Value.tree()}}
	switch p.Kind {
	case Equals:
		return &Binary{"=", value, Literal(p.Literal)}
	case Contains:
		return &Call{"contains", []Node{value, Literal(p.Literal)}}
	case StartsWith:
		return &Call{"starts-with", []Node{value, Literal(p.Literal)}}
	case Not:
		return &Call{"not", []Node{p.Inner.Tree()}}
	case Position:
		return Number(strconv.Itoa(p.N))
	case Last:
		return &Call{Name: "last"}
	case Token:
		return Class(p.Literal)
	}
	return value
}

// Padded reports whether a node is contains(concat(' ', @attr, ' '), 'literal'), with
// normalize-space around the attribute or without: the way to ask for one token of a class
// in XPath 1.0.
func Padded(n Node) (attr, literal string, ok bool) {
	c, _ := n.(*Call)
	if c == nil || c.Name != "contains" || len(c.Args) != 2 {
		return "", "", false
	}
	s, isText := c.Args[1].(Literal)
	of, _ := c.Args[0].(*Call)
	if !isText || of == nil || of.Name != "concat" || len(of.Args) != 3 {
		return "", "", false
	}
	if space := Node(Literal(" ")); of.Args[0] != space || of.Args[2] != space {
		return "", "", false
	}
	value := of.Args[1]
	if inner, isCall := value.(*Call); isCall && inner.Name == "normalize-space" && len(inner.Args) == 1 {
		value = inner.Args[0]
	}
	if path, isPath := value.(*Path); isPath {
		t, known := valueOf(path)
		return t.Name, string(s), known && t.Kind == Attr
	}
	return "", "", false
}

// PaddedToken tests one token of an attribute, as [Padded] reads it.
func PaddedToken(attr, word string) Node {
	value := &Path{Steps: []*PathStep{{Axis: "@", Test: attr}}}
	padded := &Call{"concat", []Node{Literal(" "), &Call{"normalize-space", []Node{value}}, Literal(" ")}}
	return &Call{"contains", []Node{padded, Literal(" " + word + " ")}}
}

// Edit gives the node with what f makes of it and of the nodes in it, the outer first. f
// returns its argument to keep it, and whether the nodes in what it returns are edited too.
// What is unchanged is shared.
func Edit(n Node, f func(Node) (now Node, into bool)) Node {
	n, into := f(n)
	if !into {
		return n
	}
	all := func(list []Node) (out []Node, changed bool) {
		for _, n := range list {
			now := Edit(n, f)
			out, changed = append(out, now), changed || now != n
		}
		return out, changed
	}
	switch e := n.(type) {
	case *Binary:
		if l, r := Edit(e.Left, f), Edit(e.Right, f); l != e.Left || r != e.Right {
			return &Binary{e.Op, l, r}
		}
	case *Minus:
		if of := Edit(e.Of, f); of != e.Of {
			return &Minus{of}
		}
	case *Group:
		if of := Edit(e.Of, f); of != e.Of {
			return &Group{of}
		}
	case *Call:
		if args, changed := all(e.Args); changed {
			return &Call{e.Name, args}
		}
	case *Path:
		out, changed := &Path{Root: e.Root}, false
		if e.From != nil {
			out.From = Edit(e.From, f)
		}
		out.Preds, changed = all(e.Preds)
		changed = changed || out.From != e.From
		for _, s := range e.Steps {
			if preds, now := all(s.Preds); now {
				s, changed = &PathStep{s.Deep, s.Axis, s.Test, preds}, true
			}
			out.Steps = append(out.Steps, s)
		}
		if changed {
			return out
		}
	}
	return n
}
