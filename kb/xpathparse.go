package kb

import (
	"errors"
	"strconv"
	"strings"
)

// errUnknown tells that an expression has something that is left to the library.
var errUnknown = errors.New("not evaluated here")

// parseXPath reads an expression of XPath 1.0 without variables, namespaces and the
// rarer functions. maxExpr bounds how deep it can be.
func parseXPath(source string) (operand, error) {
	p := parser{}
	if err := p.scan(source); err != nil {
		return nil, err
	}
	o, err := p.or()
	if err == nil && p.at < len(p.tokens) {
		err = errUnknown
	}
	return o, err
}

type tokenKind int

const (
	tokenSign tokenKind = iota // of operators and brackets
	tokenName
	tokenText
	tokenNumber
)

type token struct {
	kind tokenKind
	s    string
}

type parser struct {
	tokens []token
	at     int
	depth  int
}

// maxDepth bounds brackets in brackets.
const maxDepth = 64

func (p *parser) scan(s string) error {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case isSpace(rune(c)):
			i++
		case c == '\'' || c == '"':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				return errUnknown
			}
			p.tokens = append(p.tokens, token{tokenText, s[i+1 : i+1+end]})
			i += end + 2
		case '0' <= c && c <= '9' || c == '.' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9':
			end := i
			for end < len(s) && ('0' <= s[end] && s[end] <= '9' || s[end] == '.') {
				end++
			}
			p.tokens = append(p.tokens, token{tokenNumber, s[i:end]})
			i = end
		case nameStart(c):
			end := i
			for end < len(s) && (nameStart(s[end]) || '0' <= s[end] && s[end] <= '9' || s[end] == '-' || s[end] == '.') {
				end++
			}
			p.tokens = append(p.tokens, token{tokenName, s[i:end]})
			i = end
		default:
			n := 1
			if i+1 < len(s) {
				switch s[i : i+2] {
				case "//", "..", "::", "!=", "<=", ">=":
					n = 2
				}
			}
			if !strings.Contains("//..::!=<=>=()[]@,|+*-", s[i:i+n]) {
				return errUnknown
			}
			p.tokens = append(p.tokens, token{tokenSign, s[i : i+n]})
			i += n
		}
	}
	return nil
}

func nameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// next tells whether a sign, or an operator that is a name, comes next, and takes it.
func (p *parser) next(s string) bool {
	if p.at < len(p.tokens) && p.tokens[p.at].s == s && (p.tokens[p.at].kind == tokenSign || p.tokens[p.at].kind == tokenName) {
		p.at++
		return true
	}
	return false
}

// sees tells whether a sign stands n tokens ahead.
func (p *parser) sees(n int, s string) bool {
	return p.at+n < len(p.tokens) && p.tokens[p.at+n].kind == tokenSign && p.tokens[p.at+n].s == s
}

func (p *parser) or() (operand, error) {
	return p.joined("or", p.and, func(a, b operand) operand {
		return condition(func(ev *evaluation, at place) bool { return a.truth(ev, at) || b.truth(ev, at) })
	})
}

func (p *parser) and() (operand, error) {
	return p.joined("and", p.comparison, func(a, b operand) operand {
		return condition(func(ev *evaluation, at place) bool { return a.truth(ev, at) && b.truth(ev, at) })
	})
}

func (p *parser) joined(op string, part func() (operand, error), join func(a, b operand) operand) (operand, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errUnknown
	}
	defer func() { p.depth-- }()
	a, err := part()
	for err == nil && p.next(op) {
		var b operand
		if b, err = part(); err == nil {
			a = join(a, b)
		}
	}
	return a, err
}

func (p *parser) comparison() (operand, error) {
	a, err := p.sum()
	for err == nil {
		op := ""
		for _, o := range []string{"!=", "<=", ">=", "=", "<", ">"} {
			if p.next(o) {
				op = o
				break
			}
		}
		if op == "" {
			break
		}
		var b operand
		if b, err = p.sum(); err == nil {
			a = compared(op, a, b)
		}
	}
	return a, err
}

func (p *parser) sum() (operand, error) {
	a, err := p.union()
	for err == nil {
		sign := 1.0
		switch {
		case p.next("-"):
			sign = -1
		case !p.next("+"):
			return a, nil
		}
		var b operand
		if b, err = p.union(); err == nil {
			x := a
			a = amount(func(ev *evaluation, at place) float64 { return x.number(ev, at) + sign*b.number(ev, at) })
		}
	}
	return nil, err
}

func (p *parser) union() (operand, error) {
	a, err := p.path()
	if err != nil || !p.sees(0, "|") {
		return a, err
	}
	all, ok := union(nil), true
	for {
		n, isNodes := a.(nodes)
		ok = ok && isNodes
		all = append(all, n)
		if !p.next("|") {
			break
		}
		if a, err = p.path(); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, errUnknown
	}
	return all, nil
}

// path reads a location path, or another primary expression with what follows it.
func (p *parser) path() (operand, error) {
	if p.at >= len(p.tokens) {
		return nil, errUnknown
	}
	t := p.tokens[p.at]
	out := &locationPath{}
	switch {
	case t.kind == tokenText:
		p.at++
		return literal{s: t.s}, nil
	case t.kind == tokenNumber:
		p.at++
		f, err := strconv.ParseFloat(t.s, 64)
		return literal{f: f, n: true}, err
	case p.sees(0, "(") || t.kind == tokenName && p.sees(1, "(") && !nodeTypes[t.s]:
		o, err := p.primary()
		if err != nil {
			return nil, err
		}
		n, isNodes := o.(nodes)
		if p.sees(0, "[") {
			preds, err := p.predicates()
			if err != nil || !isNodes {
				return nil, errUnknown
			}
			n = bracketed{n, preds}
			o = n
		}
		if !p.sees(0, "/") && !p.sees(0, "//") {
			return o, nil
		}
		if !isNodes {
			return nil, errUnknown
		}
		out.from = n
	case p.next("/"):
		out.root = true
		if p.at >= len(p.tokens) || !p.sees(0, ".") && !p.sees(0, "..") && !p.sees(0, "@") && !p.sees(0, "*") && p.tokens[p.at].kind != tokenName {
			return out, nil
		}
		if err := p.step(out); err != nil {
			return nil, err
		}
	case p.sees(0, "//"):
		out.root = true
	default:
		if err := p.step(out); err != nil {
			return nil, err
		}
	}
	for {
		switch {
		case p.next("//"):
			out.steps = append(out.steps, pathStep{axis: descendantOrSelf, flat: true})
		case !p.next("/"):
			return out, nil
		}
		if err := p.step(out); err != nil {
			return nil, err
		}
	}
}

var nodeTypes = map[string]bool{"text": true, "node": true, "comment": true, "processing-instruction": true}

// primary reads what stands in brackets, or a call.
func (p *parser) primary() (operand, error) {
	name := ""
	if p.tokens[p.at].kind == tokenName {
		name = p.tokens[p.at].s
		p.at++
	}
	p.at++ // the bracket
	var args []operand
	for !p.next(")") {
		if len(args) > 0 && !p.next(",") {
			return nil, errUnknown
		}
		a, err := p.or()
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	if name != "" {
		if o := call(name, args); o != nil {
			return o, nil
		}
		return nil, errUnknown
	}
	if len(args) != 1 {
		return nil, errUnknown
	}
	if n, ok := args[0].(nodes); ok {
		return bracketed{nodes: n}, nil
	}
	return args[0], nil
}

var axes = map[string]axis{
	"child": child, "descendant": descendant, "descendant-or-self": descendantOrSelf, "self": self, "parent": parent, "ancestor": ancestor,
	"ancestor-or-self": ancestorOrSelf, "following-sibling": followingSibling, "preceding-sibling": precedingSibling, "following": following,
	"preceding": preceding, "attribute": attributeAxis,
}

func (p *parser) step(to *locationPath) error {
	s := pathStep{axis: child, flat: true}
	switch {
	case p.next("."):
		s.axis = self
		to.add(s)
		return nil
	case p.next(".."):
		s.axis = parent
		to.add(s)
		return nil
	case p.next("@"):
		s.axis = attributeAxis
	case p.sees(1, "::"):
		a, known := axes[p.tokens[p.at].s]
		if !known {
			return errUnknown
		}
		s.axis = a
		p.at += 2
	}
	if p.at >= len(p.tokens) {
		return errUnknown
	}
	switch t := p.tokens[p.at]; {
	case p.next("*"):
		s.test.kind = anyName
	case t.kind != tokenName || p.sees(1, "::"):
		return errUnknown
	case p.sees(1, "("):
		kinds := map[string]testKind{"node": anyNode, "text": textNode, "comment": commentNode}
		kind, known := kinds[t.s]
		if !known || !p.sees(2, ")") {
			return errUnknown
		}
		s.test.kind = kind
		p.at += 3
	default:
		s.test = nodeTest{named, t.s}
		p.at++
	}
	var err error
	first := p.at
	if s.preds, err = p.predicates(); err != nil || len(s.preds) > len(pathStepPositions{}) {
		return errUnknown
	}
	for i := first; i < p.at; i++ {
		if p.tokens[i].kind == tokenName && p.sees(i-p.at+1, "(") {
			s.sized = s.sized || p.tokens[i].s == "last"
			s.flat = s.flat && p.tokens[i].s != "last" && p.tokens[i].s != "position"
		}
	}
	for _, q := range s.preds {
		s.flat = s.flat && !q.isNumber
	}
	to.add(s)
	return nil
}

// add adds a step; a "//" before a child, which is asked for no position, is one step
// with it.
func (p *locationPath) add(s pathStep) {
	if n := len(p.steps) - 1; n >= 0 && s.axis == child && s.flat && p.steps[n].axis == descendantOrSelf && p.steps[n].test.kind == anyNode && len(p.steps[n].preds) == 0 {
		s.axis = descendant
		p.steps[n] = s
		return
	}
	if s.axis == self && s.test.kind == anyNode && len(s.preds) == 0 {
		return
	}
	p.steps = append(p.steps, s)
}

func (p *parser) predicates() ([]predicate, error) {
	var out []predicate
	for p.next("[") {
		o, err := p.or()
		if err != nil {
			return nil, err
		}
		if !p.next("]") {
			return nil, errUnknown
		}
		out = append(out, predicate{o, isNumber(o)})
	}
	return out, nil
}
