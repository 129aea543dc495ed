package xpath

import (
	"fmt"
	"slices"
	"strings"
)

// A Node is an expression of XPath 1.0, or a part of one: a [*Path], [*Binary],
// [*Minus], [*Group], [*Call], [Literal], [Number] or [Class]. Nodes are not changed once
// others may hold them: what edits an expression copies what it changes.
type Node interface {
	// String prints the node in the form that [ParseTree] reads back to an equal one.
	String() string
	print(*printer)
}

// A Path is a location path.
type Path struct {
	// From is what the path starts from, a *[Group] or a *[Call]; nil for the context
	// node, or with Root for the root.
	From Node
	// Preds are the predicates of From. A position among them counts along all of its
	// nodes.
	Preds []Node
	Root  bool
	Steps []*PathStep
}

// A PathStep is a step of a [Path], as it is written.
type PathStep struct {
	// Deep is set where "//" stands before the step.
	Deep bool
	// Axis is the name of the axis, or "" (child), "@", "." or "..".
	Axis string
	// Test is a name, "*" or a node test such as "text()"; empty after "." and "..".
	Test  string
	Preds []Node
}

// A Binary is an operator with its two sides: "or", "and", "=", "!=", "<", "<=", ">",
// ">=", "+", "-", "*", "div", "mod" or "|".
type Binary struct {
	Op          string
	Left, Right Node
}

// A Minus is the negative of a number.
type Minus struct{ Of Node }

// A Group is what stands in brackets.
type Group struct{ Of Node }

// A Call is a call of a function.
type Call struct {
	Name string
	Args []Node
}

// A Literal is a string, without its quotes.
type Literal string

// A Number is a number as it is written.
type Number string

// A Class is true where the class attribute has this word. It is written .word, which no
// XPath is: behind a point XPath has a digit, a sign or one of the words "or", "and", "div"
// and "mod", none of which it takes from XPath.
type Class string

// printer writes nodes. A strict one keeps to XPath 1.0, which has no doubled quotes.
type printer struct {
	strings.Builder
	strict bool
}

func printed(n Node) string {
	var p printer
	n.print(&p)
	return p.String()
}

// strictly prints a node for an evaluator that knows nothing of this package.
func strictly(n Node) string {
	p := printer{strict: true}
	n.print(&p)
	return p.String()
}

// Standard prints an expression as other evaluators read it, without what this package adds to
// XPath 1.0. Its context node is the document.
func Standard(n Node) string { return strictly(Below(Spelled(n))) }

func (e *Path) String() string   { return printed(e) }
func (e *Binary) String() string { return printed(e) }
func (e *Minus) String() string  { return printed(e) }
func (e *Group) String() string  { return printed(e) }
func (e *Call) String() string   { return printed(e) }
func (e Literal) String() string { return printed(e) }
func (e Number) String() string  { return string(e) }
func (e Class) String() string   { return "." + string(e) }

func (e *Path) print(p *printer) {
	if e.From != nil {
		e.From.print(p)
		p.predicates(e.Preds)
	}
	if e.Root && len(e.Steps) == 0 {
		p.WriteByte('/')
	}
	for i, s := range e.Steps {
		switch {
		case s.Deep:
			p.WriteString("//")
		case i > 0 || e.Root || e.From != nil:
			p.WriteByte('/')
		}
		p.WriteString(s.Axis)
		if s.Axis != "" && !s.short() {
			p.WriteString("::")
		}
		p.WriteString(s.Test)
		p.predicates(s.Preds)
	}
}

// short reports whether the axis is written as a sign, or not at all.
func (s *PathStep) short() bool {
	return s.Axis == "" || s.Axis == "@" || s.Axis == "." || s.Axis == ".."
}

func (p *printer) predicates(preds []Node) {
	for _, q := range preds {
		p.WriteByte('[')
		q.print(p)
		p.WriteByte(']')
	}
}

func (e *Binary) print(p *printer) {
	e.Left.print(p)
	if _, text := e.Right.(Literal); text && (e.Op == "=" || e.Op == "!=") {
		p.WriteString(e.Op)
	} else {
		p.WriteString(" " + e.Op + " ")
	}
	e.Right.print(p)
}

func (e *Minus) print(p *printer) {
	p.WriteByte('-')
	e.Of.print(p)
}

func (e *Group) print(p *printer) {
	p.WriteByte('(')
	e.Of.print(p)
	p.WriteByte(')')
}

func (e *Call) print(p *printer) {
	p.WriteString(e.Name)
	p.WriteByte('(')
	for i, a := range e.Args {
		if i > 0 {
			p.WriteString(", ")
		}
		a.print(p)
	}
	p.WriteByte(')')
}

func (e Literal) print(p *printer) {
	if p.strict {
		p.WriteString(fullQuote(string(e)))
	} else {
		p.WriteString(quote(string(e)))
	}
}

func (e Number) print(p *printer) { p.WriteString(string(e)) }

func (e Class) print(p *printer) {
	if p.strict {
		e.spelled().print(p)
	} else {
		p.WriteString(e.String())
	}
}

func (e Class) spelled() Node { return PaddedToken("class", string(e)) }

// Spelled gives the node with each [Class] as XPath 1.0 has it.
func Spelled(n Node) Node {
	return Edit(n, func(n Node) (Node, bool) {
		if c, ok := n.(Class); ok {
			return c.spelled(), false
		}
		return n, true
	})
}

// Operands lists what an operator joins, from left to right; a node that is not of the
// operator is one operand.
func Operands(n Node, op string) []Node {
	var out []Node
	for {
		b, ok := n.(*Binary)
		if !ok || b.Op != op {
			break
		}
		out = append(out, b.Right)
		n = b.Left
	}
	out = append(out, n)
	slices.Reverse(out)
	return out
}

// First gives the operand that an expression begins with.
func First(n Node) Node {
	for {
		b, ok := n.(*Binary)
		if !ok {
			return n
		}
		n = b.Left
	}
}

// Check reports what keeps a node that was put together from being written: a name that
// none can be, as pages have them, or too great a length. Trees that were read are sound.
func Check(n Node) error {
	if len(n.String()) > MaxTree {
		return fmt.Errorf("an expression of more than %d bytes", MaxTree)
	}
	var bad *string
	Edit(n, func(n Node) (Node, bool) {
		if path, ok := n.(*Path); ok {
			for _, s := range path.Steps {
				if !s.sound() {
					bad = &s.Test
				}
			}
		}
		return n, bad == nil
	})
	if bad != nil {
		return fmt.Errorf("invalid name %q in an expression", *bad)
	}
	return nil
}

func (s *PathStep) sound() bool {
	test, call := strings.CutSuffix(s.Test, "()")
	switch {
	case call:
		return slices.Contains(nodeTests, test)
	case s.Test == "*", s.Test == "", strings.HasPrefix(s.Test, "processing-instruction("):
		return true
	}
	return (&parser{s: s.Test}).word() == s.Test
}

// Below gives the path as it is meant from a context node: a path without a lead, unless
// an axis or a "." begins it, leads anywhere below the node, and "/" stays inside it.
func (e *Path) Below() *Path {
	var lead bool
	switch {
	case e.From != nil || len(e.Steps) == 0:
	case e.Root:
		lead = e.Steps[0].Deep
	default:
		lead = e.Steps[0].Axis == "" || e.Steps[0].Axis == "@"
	}
	if !lead {
		return e
	}
	first := *e.Steps[0]
	first.Deep = true
	return &Path{Steps: append([]*PathStep{{Axis: "."}, &first}, e.Steps[1:]...)}
}

// Below gives an expression as it is meant from a context node: its first path, and the
// first of each branch of a union outside brackets, as [Path.Below] does.
func Below(n Node) Node { return below(n, true) }

func below(n Node, first bool) Node {
	switch e := n.(type) {
	case *Path:
		if first {
			return e.Below()
		}
	case *Binary:
		return &Binary{e.Op, below(e.Left, first), below(e.Right, e.Op == "|")}
	case *Minus:
		return &Minus{below(e.Of, false)}
	}
	return n
}
