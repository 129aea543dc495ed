package xpath

import (
	"errors"
	"strconv"
	"strings"
)

// errUnknown is for what is left to the library.
var errUnknown = errors.New("not evaluated here")

// compiled makes an operand of a node. The error is errUnknown for the rarer operators,
// functions and node tests.
func compiled(n Node) (operand, error) {
	switch n := n.(type) {
	case Literal:
		return literal{s: string(n)}, nil
	case Number:
		f, err := strconv.ParseFloat(string(n), 64)
		return literal{f: f, n: true}, err
	case *Group:
		o, err := compiled(n.Of)
		if list, ok := o.(nodes); ok && err == nil {
			return bracketed{nodes: list}, nil
		}
		return o, err
	case *Call:
		args, err := compiledAll(n.Args)
		if err != nil {
			return nil, err
		}
		if o := call(n.Name, args); o != nil {
			return o, nil
		}
	case *Binary:
		return compiledBinary(n)
	case *Path:
		return compiledPath(n)
	}
	return nil, errUnknown
}

func compiledAll(list []Node) ([]operand, error) {
	var out []operand
	for _, n := range list {
		o, err := compiled(n)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func compiledBinary(n *Binary) (operand, error) {
	if n.Op == "|" {
		var all union
		for _, branch := range Operands(n, "|") {
			o, err := compiled(branch)
			list, ok := o.(nodes)
			if err != nil || !ok {
				return nil, errUnknown
			}
			all = append(all, list)
		}
		return all, nil
	}
	both, err := compiledAll([]Node{n.Left, n.Right})
	if err != nil {
		return nil, err
	}
	a, b := both[0], both[1]
	switch n.Op {
	case "or":
		return condition(func(ev *evaluation, at place) bool { return a.truth(ev, at) || b.truth(ev, at) }), nil
	case "and":
		return condition(func(ev *evaluation, at place) bool { return a.truth(ev, at) && b.truth(ev, at) }), nil
	case "+":
		return amount(func(ev *evaluation, at place) float64 { return a.number(ev, at) + b.number(ev, at) }), nil
	case "-":
		return amount(func(ev *evaluation, at place) float64 { return a.number(ev, at) - b.number(ev, at) }), nil
	case "*", "div", "mod":
		return nil, errUnknown
	}
	return compared(n.Op, a, b), nil
}

func compiledPath(n *Path) (operand, error) {
	out := &locationPath{root: n.Root}
	if n.From != nil {
		o, err := compiled(n.From)
		if err != nil {
			return nil, err
		}
		list, ok := o.(nodes)
		if !ok {
			return nil, errUnknown
		}
		if len(n.Preds) > 0 {
			preds, err := predicates(n.Preds)
			if err != nil {
				return nil, err
			}
			list = bracketed{list, preds}
		}
		if len(n.Steps) == 0 {
			return list, nil
		}
		out.from = list
	}
	for _, s := range n.Steps {
		if s.Deep {
			out.steps = append(out.steps, pathStep{axis: descendantOrSelf, flat: true})
		}
		step, err := compiledStep(s)
		if err != nil {
			return nil, err
		}
		out.add(step)
	}
	return out, nil
}

// axes are the axes that are evaluated here, as a step names them.
var axes = map[string]axis{
	"": child, "@": attributeAxis, ".": self, "..": parent,
	"child": child, "descendant": descendant, "descendant-or-self": descendantOrSelf, "self": self, "parent": parent, "ancestor": ancestor,
	"ancestor-or-self": ancestorOrSelf, "following-sibling": followingSibling, "preceding-sibling": precedingSibling,
	"following": following,
	"preceding": preceding, "attribute": attributeAxis,
}

func compiledStep(n *PathStep) (s pathStep, err error) {
	known := false
	if s.axis, known = axes[n.Axis]; !known {
		return s, errUnknown
	}
	switch {
	case n.Test == "node()" || n.Test == "":
		s.test.kind = anyNode
	case n.Test == "text()":
		s.test.kind = textNode
	case n.Test == "comment()":
		s.test.kind = commentNode
	case n.Test == "*":
		s.test.kind = anyName
	case strings.HasSuffix(n.Test, ")"):
		return s, errUnknown
	default:
		s.test = nodeTest{named, n.Test}
	}
	if s.preds, err = predicates(n.Preds); err != nil || len(s.preds) > len(pathStepPositions{}) {
		return s, errUnknown
	}
	s.flat = true
	for i, q := range n.Preds {
		s.sized = s.sized || calls(q, "last")
		s.flat = s.flat && !s.preds[i].isNumber && !calls(q, "last") && !calls(q, "position")
	}
	return s, nil
}

// calls reports whether a function is called anywhere in a node.
func calls(n Node, name string) bool {
	found := false
	Edit(n, func(n Node) (Node, bool) {
		c, ok := n.(*Call)
		found = found || ok && c.Name == name
		return n, !found
	})
	return found
}

// add adds a step; a "//" before a child, which is asked for no position, is one step
// with it.
func (p *locationPath) add(s pathStep) {
	if n := len(p.steps) - 1; n >= 0 && s.axis == child && s.flat {
		if deep := p.steps[n]; deep.axis == descendantOrSelf && deep.test.kind == anyNode && len(deep.preds) == 0 {
			s.axis = descendant
			p.steps[n] = s
			return
		}
	}
	if s.axis == self && s.test.kind == anyNode && len(s.preds) == 0 {
		return
	}
	p.steps = append(p.steps, s)
}

func predicates(list []Node) ([]predicate, error) {
	all, err := compiledAll(list)
	if err != nil {
		return nil, err
	}
	var out []predicate
	for _, o := range all {
		out = append(out, predicate{o, isNumber(o)})
	}
	return out, nil
}
