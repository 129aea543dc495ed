package kb

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Work bounds what the expressions of a page may do, and Value is what one yields.
type (
	Work  = xpath.Work
	Value = xpath.Value
)

// NewWork gives out a number of steps.
func NewWork(steps int) *Work { return xpath.NewWork(steps) }

// ValueAt gives a node, or the attribute of it with a name, as an expression
// that selects it would.
func ValueAt(n *html.Node, attr string, work *Work) Value { return xpath.ValueAt(n, attr, work) }

// Expr is the expression of an action, ready to run. It is safe for concurrent
// use.
type Expr struct {
	// Source is the expression as written.
	Source string
	// Tree is the expression as read, what is short for XPath spelled out; it is not to be changed.
	Tree xpath.Node
	// Fragment is the expression where it lies inside the fragment of package xpath; nil
	// for other XPath 1.0.
	Fragment *xpath.Expr
	Pos      Position

	nfa   func() *yfilter.NFA // runs a Fragment: one walk, and exact positions; built when first asked for
	query *xpath.Query        // runs the rest
}

// NewExpr reads an expression: of the fragment with its implicit leading "//", or of
// full XPath 1.0, see [xpath.Compile].
func NewExpr(source string) (*Expr, error) {
	source = strings.TrimSpace(source)
	if source == "" {
		return nil, errors.New("an expression is empty; expected an XPath")
	}
	tree, err := xpath.ParseTree(source)
	if err != nil {
		return nil, misread(source, fmt.Errorf("not an XPath 1.0 expression: %w", err))
	}
	if _, asks := tree.(xpath.Class); asks {
		return nil, fmt.Errorf("%s tests a class but selects nothing; expected an element with it, such as *[%s]", source, source)
	}
	return newExpr(source, tree)
}

// ExprOf makes an expression of a tree that was put together, without reading it again. The
// tree is not to be changed afterwards.
func ExprOf(tree xpath.Node) (*Expr, error) {
	if err := xpath.Check(tree); err != nil {
		return nil, err
	}
	return newExpr(tree.String(), tree)
}

func newExpr(source string, tree xpath.Node) (e *Expr, err error) {
	e = &Expr{Source: source, Tree: xpath.Spelled(tree)}
	if f, ok := xpath.Fragment(tree); ok {
		e.Fragment = f
		e.nfa = sync.OnceValue(func() *yfilter.NFA {
			b := yfilter.NewBuilder()
			b.Add(f)
			return b.Build()
		})
		return e, nil
	}
	if e.query, err = xpath.Compile(e.Tree); err != nil {
		return nil, err
	}
	return e, nil
}

// String gives the expression as written.
func (e *Expr) String() string { return e.Source }

// XPath gives the expression as other evaluators read it, from the document as its context node.
func (e *Expr) XPath() string { return xpath.Standard(e.Tree) }

// ownWork is what one expression may do when nobody shares its work out.
const ownWork = 1 << 24

// Select runs the expression with n as its context node and returns what it
// yields, in document order and each node once. It never returns an error: an
// expression that selects nothing, panics inside the XPath library or runs out
// of work yields nothing. A nil work gives it steps of its own.
func (e *Expr) Select(n *html.Node, work *Work) (values []Value) {
	if work == nil {
		work = NewWork(ownWork)
	}
	work.Charge(e, func() { values = e.run(n, work) })
	return values
}

func (e *Expr) run(n *html.Node, work *Work) []Value {
	if e.nfa == nil {
		return e.query.Select(n, work)
	}
	if !work.SpendTree(n) {
		return nil
	}
	var values []Value
	e.nfa().Run(n, func(_ int, found *html.Node, attr string) bool {
		values = append(values, ValueAt(found, attr, work))
		return true
	})
	return values
}

// Cost is the work of an expression on a page.
type Cost struct {
	Expr  *Expr
	Steps int
}

// Costs lists the work of each expression, the dearest first.
func Costs(work *Work) []Cost {
	var all []Cost
	for user, steps := range work.By() {
		if e, ok := user.(*Expr); ok {
			all = append(all, Cost{e, steps})
		}
	}
	slices.SortFunc(all, func(a, b Cost) int {
		return cmp.Or(b.Steps-a.Steps, strings.Compare(a.Expr.Pos.File, b.Expr.Pos.File), a.Expr.Pos.Line-b.Expr.Pos.Line,
			a.Expr.Pos.Column-b.Expr.Pos.Column, strings.Compare(a.Expr.Source, b.Expr.Source))
	})
	return all
}

// Dearest names the expression that took the most work of a page, with its place and its share of the limit; "" for none.
func Dearest(work *Work) string {
	all := Costs(work)
	if len(all) == 0 {
		return ""
	}
	most := all[0]
	return fmt.Sprintf("expression at %s took %.0f %% of the page's work limit: %s", most.Expr.Pos, 100*work.Share(most.Steps), most.Expr)
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
		if p.cut == nil || !work.SpendTree(n) {
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

func (t *Template) build(
	n *html.Node, in Names, work *Work, cut func(*Regexp, string) string, otherwise func(templatePart) string,
) (id string, ok bool) {
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
