package kb

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	antxpath "github.com/antchfx/xpath"
	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Expr is the expression of an action, ready to run. It is safe for concurrent
// use.
type Expr struct {
	// Source is the expression as written.
	Source string
	// Fragment is the parsed form where the expression lies inside the fragment
	// of package xpath; nil for other XPath 1.0.
	Fragment *xpath.Expr
	Pos      Position

	nfa  *yfilter.NFA // runs a Fragment: one walk, and exact positions
	own  operand      // runs what parseXPath knows
	pool sync.Pool    // of *antxpath.Expr for the rest, which keeps state while it runs
}

// Value is one result of an expression: a node, or a computed string.
type Value struct {
	// Node is the selected element or text node; for an attribute the element
	// that owns it; nil for a computed string.
	Node *html.Node
	// Attr is the attribute's name where one was selected.
	Attr string

	text string // of a computed string
	work *Work
}

// ValueAt gives a node, or the attribute of it with a name, as an expression
// that selects it would.
func ValueAt(n *html.Node, attr string, work *Work) Value {
	return Value{Node: n, Attr: attr, work: work}
}

// Text is the string-value; that of an element is cut after one mebibyte.
func (v Value) Text() string {
	switch {
	case v.Node == nil:
		return v.text
	case v.Attr == "" && v.work == nil: // not of an evaluation: a budget of its own
		return NewWork(maxText).text(v.Node)
	case v.Attr == "":
		return v.work.text(v.Node)
	}
	for _, a := range v.Node.Attr {
		if a.Key == v.Attr {
			return a.Val
		}
	}
	return ""
}

// maxExpr bounds an expression, in bytes: parsers recurse.
const maxExpr = 16 << 10

// NewExpr compiles an expression: of the fragment with its implicit leading
// "//", or full XPath 1.0. A relative path of full XPath also starts anywhere
// below the context node, unless it begins with ".", "/", "(" , an axis or a
// function call; each branch of a union is treated by itself.
func NewExpr(source string) (*Expr, error) {
	source = strings.TrimSpace(source)
	switch {
	case source == "":
		return nil, errors.New("an expression is empty; expected an XPath")
	case len(source) > maxExpr:
		return nil, fmt.Errorf("an expression of %d bytes; expected at most %d", len(source), maxExpr)
	}
	e := &Expr{Source: source}
	if f, err := xpath.Parse(source); err == nil {
		e.Fragment = f
		b := yfilter.NewBuilder()
		b.Add(f)
		e.nfa = b.Build()
		return e, nil
	}
	full := implicitDescent(source)
	if o, err := parseXPath(full); err == nil {
		e.own = o
		return e, nil
	}
	c, err := antxpath.Compile(full)
	if err != nil {
		return nil, fmt.Errorf("not an XPath 1.0 expression: %s: %w", source, err)
	}
	e.pool.New = func() any { return antxpath.MustCompile(full) }
	e.pool.Put(c)
	return e, nil
}

// String gives the expression as written.
func (e *Expr) String() string { return e.Source }

// ownWork is what one expression may do when nobody shares its work out.
const ownWork = 1 << 24

// Select runs the expression with n as its context node and returns what it
// yields, in document order and each node once. It never returns an error: an
// expression that selects nothing, panics inside the XPath library or runs out
// of work yields nothing. A nil work gives it steps of its own.
func (e *Expr) Select(n *html.Node, work *Work) []Value {
	if work == nil {
		work = NewWork(ownWork)
	}
	switch {
	case e.own != nil:
		return e.run(n, work)
	case e.nfa == nil:
		return e.evaluate(n, work)
	}
	if !work.spendTree(n) {
		return nil
	}
	var values []Value
	e.nfa.Run(n, func(_ int, found *html.Node, attr string) bool {
		values = append(values, Value{Node: found, Attr: attr, work: work})
		return true
	})
	return values
}

// run evaluates what parseXPath read.
func (e *Expr) run(n *html.Node, work *Work) (values []Value) {
	defer func() {
		if recover() != nil { // no more work
			values = nil
		}
	}()
	ev, at := &evaluation{n, work}, place{spot: spot{n, -1}, position: 1, size: 1}
	text := ""
	switch o := e.own.(type) {
	case nodes:
		for _, n := range o.list(ev, at) {
			v := Value{Node: n.node, work: work}
			if n.attr >= 0 {
				v.Attr = n.node.Attr[n.attr].Key
			}
			values = append(values, v)
		}
		return values
	case condition:
		return nil
	default:
		if text = o.text(ev, at); isNumber(o) && text == "NaN" {
			return nil
		}
	}
	if text == "" {
		return nil
	}
	return []Value{{text: text}}
}

// evaluate runs an expression outside the fragment by the XPath library.
func (e *Expr) evaluate(n *html.Node, work *Work) (values []Value) {
	c := e.pool.Get().(*antxpath.Expr)
	defer func() {
		if recover() != nil { // some type errors, only seen at run time; no more work
			values = nil
			return
		}
		e.pool.Put(c)
	}()
	switch v := c.Evaluate(&navigator{root: n, curr: n, attr: -1, work: work}).(type) {
	case *antxpath.NodeIterator:
		return nodeSet(v, work)
	case string:
		if v != "" {
			values = append(values, Value{text: v})
		}
	case float64:
		if v == v { // not NaN
			values = append(values, Value{text: strconv.FormatFloat(v, 'f', -1, 64)})
		}
	}
	return values
}

// nodeSet reads what the library found. It keeps neither the document's order
// (unions, reverse axes) nor each node once (a "//" below a "//").
func nodeSet(it *antxpath.NodeIterator, work *Work) []Value {
	var values []Value
	seen := map[Value]bool{}
	for it.MoveNext() {
		at := it.Current().(*navigator)
		v := Value{Node: at.curr, work: work}
		if at.attr >= 0 {
			v.Attr = at.LocalName()
		}
		if !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	order := func(a, b Value) int { return work.compare(a.Node, b.Node) }
	if !slices.IsSortedFunc(values, order) {
		slices.SortStableFunc(values, order)
	}
	return values
}

var (
	axisStart     = regexp.MustCompile(`^(ancestor|ancestor-or-self|attribute|child|descendant|descendant-or-self|following|following-sibling|parent|preceding|preceding-sibling|self)::`)
	functionStart = regexp.MustCompile(`^([a-z-]+)\(`)
)

// implicitDescent writes the leading "//" of each branch of a union that has
// none.
func implicitDescent(source string) string {
	branches := splitUnion(source)
	for i, b := range branches {
		b = strings.TrimSpace(b)
		if needsDescent(b) {
			b = ".//" + b
		} else if strings.HasPrefix(b, "//") {
			b = "." + b
		}
		branches[i] = b
	}
	return strings.Join(branches, " | ")
}

func needsDescent(branch string) bool {
	if branch == "" || strings.ContainsRune("./(-$\"'0123456789", rune(branch[0])) || axisStart.MatchString(branch) {
		return false
	}
	if m := functionStart.FindStringSubmatch(branch); m != nil {
		switch m[1] {
		case "text", "node", "comment", "processing-instruction":
			return true
		}
		return false
	}
	return true
}

// splitUnion cuts a source at each "|" that is outside brackets and strings.
func splitUnion(source string) []string {
	var parts []string
	depth, start := 0, 0
	var quote rune
	for i, r := range source {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == '[' || r == '(':
			depth++
		case r == ']' || r == ')':
			depth--
		case r == '|' && depth == 0:
			parts = append(parts, source[start:i])
			start = i + 1
		}
	}
	return append(parts, source[start:])
}

// Regexp is a regular expression that cuts a value.
type Regexp struct{ *regexp.Regexp }

func newRegexp(source string) (*Regexp, error) {
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, err
	}
	return &Regexp{re}, nil
}

// Cut returns the first group of the match, or the whole match where the
// expression has no group; "" where it does not match.
func (r *Regexp) Cut(s string) string {
	m := r.FindStringSubmatch(s)
	switch {
	case m == nil:
		return ""
	case len(m) > 1:
		return m[1]
	default:
		return m[0]
	}
}

// longest is Cut for the longest match, the first of those.
func (r *Regexp) longest(s string) string {
	best := ""
	for _, m := range r.FindAllStringSubmatch(s, -1) {
		if got := m[min(1, len(m)-1)]; len(got) > len(best) {
			best = got
		}
	}
	return best
}

// Template builds an object's id: literal text with {url} (the page's
// canonical URL without its paging), {outer} (the id of the object that it is
// declared in), {parent} (the id of what it belongs or replies to) and
// {EXPRESSION} or {EXPRESSION ~ REGEXP} over the object's node.
type Template struct {
	Source string
	parts  []templatePart
}

type templatePart struct {
	literal string
	name    string // url, outer, parent
	expr    *Expr
	cut     *Regexp
}

// NewTemplate parses a template.
func NewTemplate(source string) (*Template, error) {
	t := &Template{Source: source}
	rest := source
	for rest != "" {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			t.parts = append(t.parts, templatePart{literal: rest})
			break
		}
		end := strings.IndexByte(rest[open:], '}')
		if end < 0 {
			return nil, fmt.Errorf("a { without } in %q", source)
		}
		if open > 0 {
			t.parts = append(t.parts, templatePart{literal: rest[:open]})
		}
		part, err := parsePart(rest[open+1 : open+end])
		if err != nil {
			return nil, fmt.Errorf("in %q: %w", source, err)
		}
		t.parts = append(t.parts, part)
		rest = rest[open+end+1:]
	}
	if len(t.parts) == 0 {
		return nil, fmt.Errorf("an id template is empty; expected for example {url}#{@id}")
	}
	return t, nil
}

func parsePart(s string) (templatePart, error) {
	s = strings.TrimSpace(s)
	if s == "url" || s == "outer" || s == "parent" {
		return templatePart{name: s}, nil
	}
	var part templatePart
	if expr, re, ok := strings.Cut(s, " ~ "); ok {
		r, err := newRegexp(strings.TrimSpace(re))
		if err != nil {
			return part, err
		}
		part.cut, s = r, expr
	}
	if strings.HasPrefix(s, "@") {
		s = "./" + s // the object's own attribute, not one of something below it
	}
	e, err := NewExpr(s)
	part.expr = e
	return part, err
}

// Names are the values of the named parts of a template.
type Names struct{ URL, Outer, Parent string }

// Build fills the template for an object at node n; ok is false where an
// expression of it yields nothing.
func (t *Template) Build(n *html.Node, in Names, work *Work) (id string, ok bool) {
	return t.build(n, in, work, (*Regexp).Cut, func(templatePart) string { return "" })
}

// BuildMoved is Build for an object whose template changed: of several numbers in a
// value the longest one names it, the others belong to new names.
func (t *Template) BuildMoved(n *html.Node, in Names, work *Work) (id string, ok bool) {
	return t.build(n, in, work, (*Regexp).longest, func(templatePart) string { return "" })
}

// BuildAnyway is BuildMoved where that gives nothing: where an expression
// with a REGEXP yields nothing, the first id or name at or below the node that the
// REGEXP cuts something from takes its place. What names a record is its number,
// and templates write that into one or the other.
func (t *Template) BuildAnyway(n *html.Node, in Names, work *Work) (id string, ok bool) {
	return t.build(n, in, work, (*Regexp).longest, func(p templatePart) string {
		if p.cut == nil || !work.spendTree(n) {
			return ""
		}
		if s := p.cutFrom(n); s != "" {
			return s
		}
		for d := range n.Descendants() {
			if s := p.cutFrom(d); s != "" {
				return s
			}
		}
		return ""
	})
}

// cutFrom cuts the part out of an element's id or name.
func (p templatePart) cutFrom(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && (a.Key == "id" || a.Key == "name") {
			if s := p.cut.longest(a.Val); s != "" {
				return s
			}
		}
	}
	return ""
}

func (t *Template) build(n *html.Node, in Names, work *Work, cut func(*Regexp, string) string, otherwise func(templatePart) string) (id string, ok bool) {
	var b strings.Builder
	for _, p := range t.parts {
		switch {
		case p.name == "url":
			b.WriteString(in.URL)
		case p.name == "outer":
			b.WriteString(in.Outer)
		case p.name == "parent":
			b.WriteString(in.Parent)
		case p.expr != nil:
			s := first(p.expr.Select(n, work))
			if p.cut != nil {
				s = cut(p.cut, s)
			}
			if s == "" {
				s = otherwise(p)
			}
			if s == "" {
				return "", false
			}
			b.WriteString(s)
		default:
			b.WriteString(p.literal)
		}
	}
	return b.String(), true
}

func first(values []Value) string {
	for _, v := range values {
		if s := strings.TrimSpace(v.Text()); s != "" {
			return s
		}
	}
	return ""
}
