package xpath

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLen is the greatest length, in bytes, of an expression that [Parse]
// accepts. It also bounds how deep not() can nest.
const MaxLen = 4096

// A SyntaxError says where an expression leaves the language and what would
// have been right there.
type SyntaxError struct {
	Expr   string // the expression as given
	Offset int    // in bytes; len(Expr) when the end came too early
	Want   string // what could have stood there
}

// Error quotes the expression, cut at 80 bytes, and what stands at the offset.
func (e *SyntaxError) Error() string {
	expr, found := e.Expr, "the end"
	if e.Offset < len(e.Expr) {
		r, _ := utf8.DecodeRuneInString(e.Expr[e.Offset:])
		found = strconv.QuoteRune(r)
	}
	if len(expr) > 80 {
		expr = expr[:80] + "..."
	}
	return fmt.Sprintf("xpath: %q: at byte %d: want %s, found %s", expr, e.Offset, e.Want, found)
}

// Parse reads an expression of the fragment described in the package
// documentation. The error is a *[SyntaxError].
func Parse(s string) (*Expr, error) {
	p := &parser{s: s}
	if len(s) > MaxLen {
		return nil, p.want(MaxLen, fmt.Sprintf("at most %d bytes", MaxLen))
	}
	return p.expr()
}

// parser is a recursive descent over s, one method per rule of the grammar.
// Each rule begins by skipping white space.
type parser struct {
	s     string
	i     int
	depth int // of brackets, in a tree
}

func (p *parser) want(at int, what string) *SyntaxError {
	return &SyntaxError{Expr: p.s, Offset: at, Want: what}
}

// space moves to the next token and reports whether there is one.
func (p *parser) space() bool {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
	return p.i < len(p.s)
}

// take moves past tok if it is what comes next.
func (p *parser) take(tok string) bool {
	p.space()
	if !strings.HasPrefix(p.s[p.i:], tok) {
		return false
	}
	p.i += len(tok)
	return true
}

func (p *parser) must(tok string) error {
	if !p.take(tok) {
		return p.want(p.i, "'"+tok+"'")
	}
	return nil
}

func (p *parser) expr() (*Expr, error) {
	e := &Expr{}
	axis := Descendant
	if !p.take("//") && p.take("/") {
		axis = Child
	}
	for {
		s, err := p.step(axis)
		if err != nil {
			return nil, err
		}
		e.Steps = append(e.Steps, s)
		if !p.space() {
			return e, nil
		}
		at := p.i
		switch {
		case p.take("//"):
			axis = Descendant
		case p.take("/"):
			axis = Child
		default:
			return nil, p.want(at, "'/', '//', '[' or the end")
		}
		if s.Test.IsAttr() || s.Test.Kind == Text {
			return nil, p.want(at, "the end: no step can follow "+s.Test.String())
		}
	}
}

func (p *parser) step(axis Axis) (Step, error) {
	test, err := p.test()
	if err != nil {
		return Step{}, err
	}
	s := Step{Axis: axis, Test: test}
	for p.take("[") {
		pred, err := p.predicate()
		if err != nil {
			return Step{}, err
		}
		if err := p.must("]"); err != nil {
			return Step{}, err
		}
		s.Preds = append(s.Preds, pred)
	}
	return s, nil
}

func (p *parser) test() (Test, error) {
	switch {
	case p.take("*"):
		return Test{Kind: AnyTag}, nil
	case p.take("@"):
		if p.take("*") {
			return Test{Kind: AnyAttr}, nil
		}
		name, err := p.name("an attribute name or '*'")
		return Test{Kind: Attr, Name: name}, err
	}
	p.space()
	at := p.i
	name, err := p.name("a tag name, '*', '@' or text()")
	if err != nil {
		return Test{}, err
	}
	if !p.take("(") {
		return Test{Kind: Tag, Name: name}, nil
	}
	if name != "text" {
		return Test{}, p.want(at, "a tag name, '*', '@' or text(); "+name+"() is not supported as a node test")
	}
	return Test{Kind: Text}, p.must(")")
}

// name reads a tag or attribute name.
func (p *parser) name(what string) (string, error) {
	name := p.word()
	switch {
	case name == "":
		return "", p.want(p.i, what)
	case strings.HasPrefix(p.s[p.i:], "::"):
		return "", p.want(p.i, "'/' or '//' before a name: axes are not supported")
	}
	return name, nil
}

// word moves past a name, up to a "::"; it is empty where none comes next.
func (p *parser) word() string {
	p.space()
	start := p.i
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		letter := r != utf8.RuneError && (r == '_' || unicode.IsLetter(r))
		inner := r == '-' || r == '.' || r == ':' && !strings.HasPrefix(p.s[p.i:], "::") || unicode.IsDigit(r)
		if !letter && (!inner || p.i == start) {
			break
		}
		p.i += n
	}
	return p.s[start:p.i]
}

// class moves past a token of a class, ".word"; it is empty where none comes next.
func (p *parser) class() string {
	p.space()
	start := p.i + 1
	if start >= len(p.s) || p.s[p.i] != '.' {
		return ""
	}
	end := start
	for end < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[end:])
		letter := r != utf8.RuneError && (r == '_' || unicode.IsLetter(r))
		if !letter && (end == start || r != '-' && !unicode.IsDigit(r)) {
			break
		}
		end += n
	}
	word := p.s[start:end]
	if slices.Contains(spelledOperators, word) {
		return ""
	}
	if word != "" {
		p.i = end
	}
	return word
}

// spelledOperators can stand behind a "." in XPath.
var spelledOperators = []string{"or", "and", "div", "mod"}

func (p *parser) predicate() (Pred, error) {
	if p.space() && isDigit(p.s[p.i]) {
		return p.position()
	}
	at := p.i
	if p.takeCall("last") {
		return Pred{Kind: Last}, p.must(")")
	}
	p.i = at
	return p.condition()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *parser) position() (Pred, error) {
	start := p.i
	for p.i < len(p.s) && isDigit(p.s[p.i]) {
		p.i++
	}
	n, err := strconv.ParseInt(p.s[start:p.i], 10, 32)
	if err != nil || n < 1 {
		return Pred{}, p.want(start, fmt.Sprintf("a position from 1 to %d", math.MaxInt32))
	}
	return Pred{Kind: Position, N: int(n)}, nil
}

// takeCall moves past name and an opening bracket. A name that goes on, or is
// not called, is a tag, and it is left to the caller to go back.
func (p *parser) takeCall(name string) bool { return p.take(name) && p.take("(") }

const wantCondition = "a condition: a tag, @name, text(), '.', contains(, starts-with( or not("

func (p *parser) condition() (Pred, error) {
	if !p.space() {
		return Pred{}, p.want(p.i, wantCondition)
	}
	at := p.i
	if p.takeCall("contains") {
		return p.call(Contains)
	}
	p.i = at
	if p.takeCall("starts-with") {
		return p.call(StartsWith)
	}
	p.i = at
	if p.takeCall("not") {
		return p.not()
	}
	p.i = at
	if word := p.class(); word != "" {
		return TokenPred(word), nil
	}
	v, err := p.value(wantCondition)
	if err != nil {
		return Pred{}, err
	}
	if !p.take("=") {
		return Pred{Kind: Exists, Value: v}, nil
	}
	lit, err := p.str()
	return Pred{Kind: Equals, Value: v, Literal: lit}, err
}

// call reads the arguments of a function of a value and a string.
func (p *parser) call(kind PredKind) (Pred, error) {
	v, err := p.value("a tag, @name, text() or '.'")
	if err != nil {
		return Pred{}, err
	}
	if err := p.must(","); err != nil {
		return Pred{}, err
	}
	lit, err := p.str()
	if err != nil {
		return Pred{}, err
	}
	return Pred{Kind: kind, Value: v, Literal: lit}, p.must(")")
}

func (p *parser) not() (Pred, error) {
	more := p.space()
	at := p.i
	positional := more && isDigit(p.s[at]) || p.takeCall("last")
	p.i = at
	if positional {
		return Pred{}, p.want(at, "a condition: a position cannot be negated")
	}
	inner, err := p.condition()
	if err != nil {
		return Pred{}, err
	}
	return Pred{Kind: Not, Inner: &inner}, p.must(")")
}

func (p *parser) value(what string) (Test, error) {
	if p.take(".") {
		return Test{Kind: Self}, nil
	}
	if p.take("@") {
		name, err := p.name("an attribute name")
		return Test{Kind: Attr, Name: name}, err
	}
	p.space()
	at := p.i
	name, err := p.name(what)
	if err != nil {
		return Test{}, err
	}
	if !p.take("(") {
		return Test{Kind: Tag, Name: name}, nil
	}
	if name != "text" {
		return Test{}, p.want(at, what+"; "+name+"() is not supported")
	}
	return Test{Kind: Text}, p.must(")")
}

// str reads a string in quotes, in which the quote itself is doubled.
func (p *parser) str() (string, error) {
	if !p.space() || (p.s[p.i] != '\'' && p.s[p.i] != '"') {
		return "", p.want(p.i, "a string in quotes")
	}
	start, q := p.i, p.s[p.i:p.i+1]
	var b strings.Builder
	for {
		p.i++
		end := strings.Index(p.s[p.i:], q)
		if end < 0 {
			return "", p.want(start, "a string that ends with "+q)
		}
		b.WriteString(p.s[p.i : p.i+end])
		p.i += end + 1
		if !strings.HasPrefix(p.s[p.i:], q) {
			return b.String(), nil
		}
		b.WriteString(q)
	}
}
