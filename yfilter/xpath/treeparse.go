package xpath

import (
	"fmt"
	"slices"
	"strings"
)

// MaxTree is the greatest length, in bytes, of an expression that [ParseTree] accepts.
const MaxTree = 16 << 10

// maxDepth bounds brackets in brackets: reading, printing and running an expression recurse.
const maxDepth = 1024

// ParseTree reads an expression of XPath 1.0 without variables. It takes each expression
// that [Parse] takes, and in strings a doubled quote as Parse does. The error is a
// *[SyntaxError].
func ParseTree(s string) (Node, error) {
	p := &parser{s: s}
	if len(s) > MaxTree {
		return nil, p.want(MaxTree, fmt.Sprintf("at most %d bytes", MaxTree))
	}
	n, err := p.operation(0)
	if err != nil {
		return nil, err
	}
	if p.space() {
		return nil, p.want(p.i, "an operator, '/', '//', '[' or the end")
	}
	return n, nil
}

// operators are those of two sides, in the order of how loosely they bind; of those that
// begin alike the longer ones come first.
var operators = [...][]string{{"or"}, {"and"}, {"!=", "="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "div", "mod"}}

// operation reads operators of a level, and of those that bind more closely.
func (p *parser) operation(level int) (Node, error) {
	if level == len(operators) {
		return p.unary()
	}
	if level == 0 {
		if p.depth++; p.depth > maxDepth {
			return nil, p.want(p.i, fmt.Sprintf("at most %d nested brackets", maxDepth))
		}
		defer func() { p.depth-- }()
	}
	left, err := p.operation(level + 1)
	for err == nil {
		i := slices.IndexFunc(operators[level], p.operator)
		if i < 0 {
			return left, nil
		}
		var right Node
		if right, err = p.operation(level + 1); err == nil {
			left = &Binary{operators[level][i], left, right}
		}
	}
	return nil, err
}

// operator moves past an operator if it is what comes next.
func (p *parser) operator(op string) bool {
	at := p.i
	if p.take(op) {
		if op[0] < 'a' {
			return true
		}
		if rest := (&parser{s: p.s, i: at}); rest.space() && rest.word() == op {
			return true
		}
	}
	p.i = at
	return false
}

func (p *parser) unary() (Node, error) {
	n := 0
	for p.take("-") {
		n++
	}
	of, err := p.path()
	for err == nil && p.take("|") {
		var right Node
		if right, err = p.path(); err == nil {
			of = &Binary{"|", of, right}
		}
	}
	if err != nil {
		return nil, err
	}
	if n > maxDepth {
		return nil, p.want(p.i, fmt.Sprintf("at most %d signs", maxDepth))
	}
	for range n {
		of = &Minus{of}
	}
	return of, nil
}

const wantOperand = "a path, a function, a string, a number or '('"

// path reads a location path, or another primary expression with what follows it.
func (p *parser) path() (Node, error) {
	if !p.space() {
		return nil, p.want(p.i, wantOperand)
	}
	switch c := p.s[p.i]; {
	case c == '\'' || c == '"':
		s, err := p.str()
		return Literal(s), err
	case isDigit(c) || c == '.' && p.i+1 < len(p.s) && isDigit(p.s[p.i+1]):
		return p.number()
	case c == '.':
		if word := p.class(); word != "" {
			return Class(word), nil
		}
	}
	out := &Path{}
	var err error
	if out.From, err = p.primary(); err != nil {
		return nil, err
	}
	if out.From != nil {
		if out.Preds, err = p.predicates(); err != nil {
			return nil, err
		}
		if p.space(); len(out.Preds) == 0 && !strings.HasPrefix(p.s[p.i:], "/") {
			return out.From, nil
		}
		return out, p.steps(out)
	}
	deep := p.take("//")
	out.Root = deep || p.take("/")
	if out.Root && !deep && !p.stepNext() {
		return out, nil
	}
	if err := p.addStep(out, deep); err != nil {
		return nil, err
	}
	return out, p.steps(out)
}

// number reads digits with at most one point.
func (p *parser) number() (Node, error) {
	start, points := p.i, 0
	for p.i < len(p.s) && (isDigit(p.s[p.i]) || p.s[p.i] == '.') {
		if p.s[p.i] == '.' {
			points++
		}
		p.i++
	}
	if points > 1 {
		return nil, p.want(start, "a number with one point")
	}
	return Number(p.s[start:p.i]), nil
}

// nodeTests are the node tests that look like calls.
var nodeTests = []string{"text", "node", "comment", "processing-instruction"}

// primary reads what stands in brackets, or a call; nil where neither comes next.
func (p *parser) primary() (Node, error) {
	at := p.i
	name := p.word()
	if !p.take("(") || slices.Contains(nodeTests, name) {
		p.i = at
		return nil, nil
	}
	if name == "" {
		of, err := p.operation(0)
		if err != nil {
			return nil, err
		}
		return &Group{of}, p.must(")")
	}
	call := &Call{Name: name}
	if p.take(")") {
		return call, nil
	}
	for {
		a, err := p.operation(0)
		if err != nil {
			return nil, err
		}
		call.Args = append(call.Args, a)
		if p.take(")") {
			return call, nil
		}
		if !p.take(",") {
			return nil, p.want(p.i, "',' or ')'")
		}
	}
}

// stepNext reports whether a step comes next.
func (p *parser) stepNext() bool {
	if !p.space() {
		return false
	}
	at := p.i
	defer func() { p.i = at }()
	return strings.IndexByte(".@*", p.s[p.i]) >= 0 || p.word() != ""
}

// steps reads what follows the first step of a path.
func (p *parser) steps(to *Path) error {
	for {
		deep := p.take("//")
		if !deep && !p.take("/") {
			return nil
		}
		if err := p.addStep(to, deep); err != nil {
			return err
		}
	}
}

func (p *parser) addStep(to *Path, deep bool) error {
	s := &PathStep{Deep: deep}
	to.Steps = append(to.Steps, s)
	switch {
	case p.take(".."):
		s.Axis = ".."
		return nil
	case p.take("."):
		s.Axis = "."
		return nil
	case p.take("@"):
		s.Axis = "@"
	}
	p.space()
	at := p.i
	if name := p.word(); s.Axis == "" && name != "" && p.take("::") {
		if _, known := axes[name]; !known && name != "namespace" {
			return p.want(at, "an axis such as ancestor or following-sibling")
		}
		s.Axis = name
	} else {
		p.i = at
	}
	var err error
	if s.Test, err = p.nodeTest(); err == nil {
		s.Preds, err = p.predicates()
	}
	return err
}

func (p *parser) nodeTest() (string, error) {
	if p.take("*") {
		return "*", nil
	}
	p.space()
	at := p.i
	name := p.word()
	switch {
	case name == "":
		return "", p.want(at, "a name, '*' or a node test such as text()")
	case !p.take("("):
		return name, nil
	case !slices.Contains(nodeTests, name):
		return "", p.want(at, "a name, '*' or a node test such as text(); "+name+"() is not a node test")
	case p.take(")"):
		return name + "()", nil
	case name != "processing-instruction":
		return "", p.want(p.i, "')'")
	}
	target, err := p.str()
	if err != nil {
		return "", err
	}
	return name + "(" + quote(target) + ")", p.must(")")
}

func (p *parser) predicates() ([]Node, error) {
	var out []Node
	for p.take("[") {
		n, err := p.operation(0)
		if err != nil {
			return nil, err
		}
		if err := p.must("]"); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}
