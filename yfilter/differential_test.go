package yfilter

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/antchfx/htmlquery"
	antchfx "github.com/antchfx/xpath"
	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// match is what Found is told, with the attribute as its index, so that it
// can be compared with what other evaluators select.
type match struct {
	pattern int
	at      point
}

// runAll collects all matches in the order in which they come.
func runAll(t testing.TB, a *NFA, root *html.Node, first bool) []match {
	t.Helper()
	var list []match
	run := a.Run
	if first {
		run = a.RunFirst
	}
	run(root, func(id int, n *html.Node, attr string) bool {
		i := itself
		if attr != "" {
			i = slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == attr })
		}
		list = append(list, match{id, point{n, i}})
		return true
	})
	return list
}

// order numbers all nodes in document order.
func order(root *html.Node) map[point]int {
	m := map[point]int{}
	for n := root; n != nil; n = following(n, root) {
		m[point{n, itself}] = len(m)
		for i := range n.Attr {
			m[point{n, i}] = len(m)
		}
	}
	return m
}

// byAntchfx evaluates an expression of full XPath.
func byAntchfx(root *html.Node, expr string) (set map[point]bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("antchfx panics: %v", r)
		}
	}()
	e, err := antchfx.Compile(expr)
	if err != nil {
		return nil, err
	}
	set = map[point]bool{}
	for t := e.Select(htmlquery.CreateXPathNavigator(root)); t.MoveNext(); {
		nav := t.Current().(*htmlquery.NodeNavigator)
		i := itself
		if nav.NodeType() == antchfx.AttributeNode {
			name, n := nav.LocalName(), nav.Current()
			i = slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && a.Val == nav.Value() })
		}
		set[point{nav.Current(), i}] = true
	}
	return set, nil
}

// vocabulary is what expressions about a page can be made of, so that they
// have a chance to match.
type vocabulary struct {
	tags, attrs, values, texts []string
}

func vocabularyOf(root *html.Node) *vocabulary {
	v := &vocabulary{
		tags:   []string{"div", "a", "p", "or", "nosuch"},
		attrs:  []string{"class", "href", "nosuch"},
		values: []string{"", "a", `it's "x"`},
		texts:  []string{"", "x"},
	}
	for n := root; n != nil; n = following(n, root) {
		switch n.Type {
		case html.ElementNode:
			v.tags = append(v.tags, n.Data)
		case html.TextNode:
			v.texts = append(v.texts, n.Data)
		}
		for _, a := range n.Attr {
			v.attrs = append(v.attrs, a.Key)
			v.values = append(v.values, a.Val)
		}
	}
	return v
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// piece returns a string that the page has, or a part of it.
func (v *vocabulary) piece(r *rand.Rand, list []string) string {
	s := pick(r, list)
	if len(s) > 0 && r.IntN(2) == 0 {
		from := r.IntN(len(s))
		s = s[from : from+r.IntN(min(len(s)-from, 30)+1)]
	}
	return s[:min(len(s), 300)]
}

// expr makes an expression. Names that the language cannot say (an attribute
// called "<a") are made, too: the caller parses what String prints.
func (v *vocabulary) expr(r *rand.Rand) *xpath.Expr {
	e := &xpath.Expr{}
	for {
		s := xpath.Step{Axis: xpath.Axis(r.IntN(2)), Test: v.test(r)}
		if len(e.Steps) == 0 && r.IntN(4) > 0 {
			s.Axis = xpath.Descendant
		}
		for r.IntN(5) < 2 {
			s.Preds = append(s.Preds, v.pred(r))
		}
		e.Steps = append(e.Steps, s)
		if s.Test.IsAttr() || s.Test.Kind == xpath.Text || r.IntN(5) < 2 {
			return e
		}
	}
}

func (v *vocabulary) test(r *rand.Rand) xpath.Test {
	switch r.IntN(12) {
	case 0:
		return xpath.Test{Kind: xpath.Attr, Name: pick(r, v.attrs)}
	case 1:
		return xpath.Test{Kind: xpath.AnyAttr}
	case 2:
		return xpath.Test{Kind: xpath.Text}
	case 3, 4:
		return xpath.Test{Kind: xpath.AnyTag}
	}
	return xpath.Test{Kind: xpath.Tag, Name: pick(r, v.tags)}
}

func (v *vocabulary) pred(r *rand.Rand) xpath.Pred {
	switch r.IntN(10) {
	case 0, 1:
		return xpath.Pred{Kind: xpath.Position, N: 1 + r.IntN(3)}
	case 2:
		return xpath.Pred{Kind: xpath.Last}
	}
	return v.condition(r)
}

func (v *vocabulary) condition(r *rand.Rand) xpath.Pred {
	if r.IntN(6) == 0 {
		inner := v.condition(r)
		return xpath.Pred{Kind: xpath.Not, Inner: &inner}
	}
	if r.IntN(6) == 0 {
		if words := strings.Fields(pick(r, v.values)); len(words) > 0 {
			return xpath.TokenPred(pick(r, words))
		}
	}
	p := xpath.Pred{Kind: xpath.PredKind(r.IntN(4))} // Exists, Equals, Contains, StartsWith
	literals := v.texts
	switch r.IntN(6) {
	case 0, 1, 2:
		p.Value = xpath.Test{Kind: xpath.Attr, Name: pick(r, v.attrs)}
		literals = v.values
	case 3:
		p.Value = xpath.Test{Kind: xpath.Tag, Name: pick(r, v.tags)}
	case 4:
		p.Value = xpath.Test{Kind: xpath.Text}
	case 5:
		p.Value = xpath.Test{Kind: xpath.Self}
		literals = append(literals[:len(literals):len(literals)], v.values...)
	}
	if p.Kind != xpath.Exists {
		p.Literal = v.piece(r, literals)
	}
	return p
}

var testURL = &url.URL{Scheme: "http", Host: "Example.org:8080", Path: "/forum/viewtopic.php", RawQuery: "t=7&start=10"}

func testMeta() Meta {
	return Meta{Status: 200, URL: testURL, Header: http.Header{
		"Content-Type": {"text/html; charset=utf-8"},
		"Set-Cookie":   {"phpbb3_sid=abc; path=/", "phpbb3_u=1"},
	}}
}

// FuzzAgainstXPath compares the automaton with two evaluators that go through
// the page once for each expression: selectByHand, and antchfx/xpath on the
// same tree, where that is known to be right. The first expression is the
// fuzzer's own if it can be parsed, the others are made from the words of the
// page, and all are in one automaton.
func FuzzAgainstXPath(f *testing.F) {
	pages := []string{
		`<div id=0><p><a href=1>x</a><a href=3>y</a></p><p><fb:like x=1></fb:like><a href=4 xml:lang=f>z</a><svg xmlns="u" xlink:href=5>` +
			`<a xlink:href=6 /></svg></p><section><or>t<!--c-->u</or></section></div>`,
		`<!DOCTYPE html><title>a b</title><ul class="a b"><li>1<ul><li class=b>2<li>3</ul><li>4</ul><script>var x="<b>"</script>` +
			`<template><p class=a>t</p></template>`,
		"<p class='a b'><i class=' b\ta\n'><b class='ab'><u class=a-b>x</u></b></i><i>y</i></p><p class=''>",
		`<table><tr><td>a<td><b>a</b>b<tr><td class="it's">c</table><p>a<p>a b<p>`,
		`<div><div><div class=a><div>x<div>y</div></div></div></div></div>`,
		"<div>ab<div>" + strings.Repeat("a b<b>ab</b>", 200) + "<div>abc<p></p></div></div>bc</div>",
	}
	for i, page := range pages {
		for seed := range 4 {
			f.Add("div[contains(@class, 'a')]//a[1]/@href", page, uint64(i*100+seed))
			f.Add("*[.a][not(.ab)]", page, uint64(i*100+50+seed))
		}
	}
	f.Fuzz(func(t *testing.T, expr, page string, seed uint64) {
		if len(page) > 4096 {
			t.Skip("long pages make the slow evaluators too slow")
		}
		parsed, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Skip(err)
		}
		if namesTwice(parsed) {
			t.Skip("a match names an attribute that is there twice: which is meant is not known")
		}
		root := Document(parsed, testMeta())
		r := rand.New(rand.NewPCG(seed, 0))
		v := vocabularyOf(root)
		var exprs []*xpath.Expr
		if e, err := xpath.Parse(expr); err == nil {
			exprs = append(exprs, e)
		}
		for range 20 {
			if e, err := xpath.Parse(v.expr(r).String()); err == nil {
				exprs = append(exprs, e)
			}
		}
		compareAll(t, root, exprs)
		// The same below an element, as for the parts of an object.
		if body := htmlquery.FindOne(root, "//body"); body != nil {
			compareAll(t, body, exprs)
		}
	})
}

// namesTwice reports whether an element has two attributes of one name: href
// and xlink:href, in SVG.
func namesTwice(root *html.Node) bool {
	for n := root; n != nil; n = following(n, root) {
		for i, a := range n.Attr {
			if slices.ContainsFunc(n.Attr[:i], func(b html.Attribute) bool { return a.Key == b.Key }) {
				return true
			}
		}
	}
	return false
}

// compareAll evaluates the expressions in one automaton and one by one.
func compareAll(t *testing.T, root *html.Node, exprs []*xpath.Expr) {
	t.Helper()
	b := NewBuilder()
	for i, e := range exprs {
		if id := b.Add(e); id != i {
			t.Fatalf("pattern %d has number %d", i, id)
		}
	}
	nfa := b.Build()
	got := runAll(t, nfa, root, false)
	compareOrder(t, root, got)
	compareFirst(t, got, runAll(t, nfa, root, true))
	sets := make([]map[point]bool, len(exprs))
	for i := range sets {
		sets[i] = map[point]bool{}
	}
	for _, m := range got {
		if sets[m.pattern][m.at] {
			t.Errorf("%s: told twice of one node", exprs[m.pattern])
		}
		sets[m.pattern][m.at] = true
	}
	for i, e := range exprs {
		if want := selectByHand(root, e); !sameSet(sets[i], want) {
			t.Errorf("%s: automaton selects %s, by hand %s", e, show(sets[i]), show(want))
			continue
		}
		if reason := antchfxIsWrong(e); reason != "" {
			continue
		}
		full := e.XPath(root.Parent != nil)
		want, err := byAntchfx(root, full)
		if err != nil {
			t.Errorf("%s: %v", full, err)
		} else if !sameSet(sets[i], want) {
			t.Errorf("%s: automaton selects %s, antchfx/xpath %s", full, show(sets[i]), show(want))
		}
	}
}

// compareOrder demands document order and, at one node, rising numbers.
func compareOrder(t *testing.T, root *html.Node, got []match) {
	t.Helper()
	num := order(root)
	for i := 1; i < len(got); i++ {
		a, b := got[i-1], got[i]
		if num[a.at] > num[b.at] || a.at == b.at && a.pattern >= b.pattern {
			t.Errorf("match %d of pattern %d comes before match of pattern %d", i-1, a.pattern, b.pattern)
		}
	}
}

// compareFirst demands of RunFirst the first match of each pattern in Run.
func compareFirst(t *testing.T, all, first []match) {
	t.Helper()
	seen := map[int]bool{}
	var want []match
	for _, m := range all {
		if !seen[m.pattern] {
			seen[m.pattern] = true
			want = append(want, m)
		}
	}
	if !slices.Equal(want, first) {
		t.Errorf("RunFirst tells of %v, the first ones of Run are %v", first, want)
	}
}

func sameSet(a, b map[point]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for p := range a {
		if !b[p] {
			return false
		}
	}
	return true
}

// show describes nodes so that a failure can be understood.
func show(set map[point]bool) string {
	var list []string
	for p := range set {
		path := ""
		for n := p.n; n.Parent != nil; n = n.Parent {
			before := 0
			for s := n.PrevSibling; s != nil; s = s.PrevSibling {
				before++
			}
			path = fmt.Sprintf("/%.20s:%d", n.Data, before) + path
		}
		if p.attr != itself {
			path += "/@" + p.n.Attr[p.attr].Key
		}
		list = append(list, path)
	}
	slices.Sort(list)
	return fmt.Sprintf("%d %.600s", len(list), strings.Join(list, " "))
}

// antchfxIsWrong says why antchfx/xpath v1.3.9 cannot judge an expression;
// TestKnownErrorsOfAntchfx shows a case of each.
func antchfxIsWrong(e *xpath.Expr) string {
	for _, s := range e.Steps {
		for i, p := range s.Preds {
			switch {
			case p.Positional() && s.Test.IsAttr():
				return "takes every attribute for the first and the last"
			case p.Positional() && (i > 0 || strings.Contains(s.Test.Name, ":")): // name()='a:b' is a predicate
				return "counts a position behind another predicate over several contexts together"
			}
			for p.Kind == xpath.Not {
				p = *p.Inner
			}
			switch {
			case p.Literal == "" && (p.Kind == xpath.Contains || p.Kind == xpath.StartsWith):
				return "denies that the string-value of no node contains the empty string"
			case p.Value.IsAttr() && s.Test.IsAttr():
				return "finds an attribute of an attribute: a later one of the same element"
			}
		}
	}
	return ""
}

// TestKnownErrorsOfAntchfx shows that antchfx/xpath errs where
// antchfxIsWrong says so. When a case fails because a new version is right,
// take it out of antchfxIsWrong.
func TestKnownErrorsOfAntchfx(t *testing.T) {
	parsed, err := html.Parse(strings.NewReader(
		`<p><a href=1 title=x>1</a><a>2</a><fb:like></fb:like></p><p><a href=3>3</a><fb:like></fb:like></p>`))
	if err != nil {
		t.Fatal(err)
	}
	root := Document(parsed, Meta{})
	for _, c := range []struct {
		expr        string
		right, errs int // nodes
	}{
		{"a[@href][1]", 2, 1},
		{"a[last()][1]", 2, 1},
		{"fb:like[1]", 2, 1},
		{"a/@*[last()]", 2, 3},
		{"a/@*[2]", 1, 0},
		{"a[contains(@title, '')]", 3, 1},
		{"a/@href[@title]", 0, 1},
	} {
		e, err := xpath.Parse(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if antchfxIsWrong(e) == "" {
			t.Errorf("%s: not known as an error", e)
		}
		if n := len(selectByHand(root, e)); n != c.right {
			t.Errorf("%s: selects %d nodes by hand, want %d", e, n, c.right)
		}
		if set, err := byAntchfx(root, e.XPath(false)); err != nil || len(set) != c.errs {
			t.Errorf("%s: antchfx/xpath selects %d nodes (%v), used to be %d", e, len(set), err, c.errs)
		}
	}
}
