package yfilter

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

func compile(t testing.TB, exprs ...string) *NFA {
	t.Helper()
	b := NewBuilder()
	for _, s := range exprs {
		e, err := xpath.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		b.Add(e)
	}
	return b.Build()
}

// describe writes matches as "pattern:what" where what is the text of a
// text, @name=value of an attribute, and tag#id of an element.
func describe(list []match) string {
	var words []string
	for _, m := range list {
		n := m.at.n
		what := n.Data
		if m.at.attr != itself {
			what = "@" + n.Attr[m.at.attr].Key + "=" + n.Attr[m.at.attr].Val
		} else if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "id" }); i >= 0 {
			what += "#" + n.Attr[i].Val
		}
		words = append(words, fmt.Sprintf("%d:%s", m.pattern, what))
	}
	return strings.Join(words, " ")
}

// TestMeaning spells out, by hand, what a few expressions select, so that the
// evaluators that check each other have something to be checked against.
func TestMeaning(t *testing.T) {
	const lists = `<ul id=u><li id=1>a<ul id=v><li id=2 class=x>b<li id=3 class=x>c</ul><li id=4 class=x>d</ul>`
	const svg = `<template id=t><a id=1 href=x></a></template><svg><a id=2 xlink:href=y></a><foreignObject id=3></foreignObject></svg>`
	for _, c := range []struct{ page, expr, want string }{
		{lists, "li[1]", "0:li#1 0:li#2"},
		{lists, "ul//li[2]", "0:li#3 0:li#4"},
		{lists, "li[last()]", "0:li#3 0:li#4"},
		{lists, "body/ul/li", "0:li#1 0:li#4"},
		{lists, "/page/html/body/ul", "0:ul#u"},
		{lists, "/html", ""},
		{lists, "li[@class='x'][1]", "0:li#2 0:li#4"},
		{lists, "li[1][@class='x']", "0:li#2"},
		{lists, "li[2][1]", "0:li#3 0:li#4"},
		{lists, "li[2][last()]", "0:li#3 0:li#4"},
		{lists, "li[1][2]", ""},
		{lists, "li[4294967295]", "error"},
		{lists, "li[not(@class)]", "0:li#1"},
		{lists, "li[.='abc']", "0:li#1"},
		{lists, "li[text()='b']", "0:li#2"},
		{lists, "ul[li='c']", "0:ul#v"},
		{lists, "ul[contains(li, 'c')]", "0:ul#u"},
		{lists, "ul[contains(li, 'bc')]", "0:ul#u"},
		{lists, "body//@id[.='4']", "0:@id=4"},
		{lists, "ul/@id", "0:@id=u 0:@id=v"},
		{lists, "ul[@id='u']//@class", "0:@class=x 0:@class=x 0:@class=x"},
		{lists, "li/@*[last()]", "0:@id=1 0:@class=x 0:@class=x 0:@class=x"},
		{lists, "li/text()[1]", "0:a 0:b 0:c 0:d"},
		{lists, "url/param[@name='t']", "0:param"},
		{lists, "http/status[.='200']", "0:status"},
		{lists, "http/cookie[starts-with(@name, 'phpbb3')][last()]/text()", "0:1"},
		{`<p id=1>a<!--b-->c<b></b></p>`, "p[text()='c']", "0:p#1"},
		{`<p id=1>a<!--b-->c<b></b></p>`, "p[contains(text(), 'c')]", ""},
		{`<p id=1>a<!--b-->c<b></b></p>`, "p[.='ac']/text()[2]", "0:c"},
		{`<p id=1>a<!--b-->c<b></b></p>`, "p[not(text())]", ""},
		{`<p id=1><p id=2>x`, "p[contains(@no, '')][.='']", "0:p#1"},
		{`<script id=s>if (a<b) x()</script>`, "script[contains(., 'a<b')]", "0:script#s"},
		{svg, "a", "0:a#1 0:a#2"},
		{svg, "a/@href", "0:@href=x 0:@href=y"},
		{svg, "a/@xlink:href", ""},
		{svg, "foreignObject", "0:foreignObject#3"},
		{svg, "template/a", "0:a#1"},
	} {
		e, err := xpath.Parse(c.expr)
		if err != nil {
			if c.want != "error" {
				t.Error(err)
			}
			continue
		}
		root := Document(mustParse(t, c.page), testMeta())
		b := NewBuilder()
		b.Add(e)
		if got := describe(runAll(t, b.Build(), root, false)); got != c.want {
			t.Errorf("%s: %s selects %q, want %q", c.page, c.expr, got, c.want)
		}
	}
}

func TestPrefixesAreShared(t *testing.T) {
	a := compile(t,
		"div[@class='post']/h2",
		"div[@class='post']/h2/a/@href",
		"div[@class='post']//a[@rel='author']",
		"div[@class='post'][2]/h2",
		"div",
		"div[@class='post']/h2",
		"/page/url/path[contains(., 'x')]",
		"/page/url/path[contains(., 'x')][1][last()]/text()",
		"li[1][2]",
	)
	const want = `nothing matches => 8
/page
  /url
    /path
      [contains(., 'x')] => 6
        [1]
          /text() => 7
//div => 4
  [@class='post']
    [2]
      /h2 => 3
    /h2 => 0 5
      /a
        /@href => 1
    //a
      [@rel='author'] => 2
`
	if got := a.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a.Patterns() != 9 {
		t.Errorf("%d patterns", a.Patterns())
	}
	if a.states != 14 {
		t.Errorf("%d states, though 13 steps are distinct", a.states)
	}
}

// TestExpressionsThatParseCannotMake: a program can build them, and they
// select nothing.
func TestExpressionsThatParseCannotMake(t *testing.T) {
	b := NewBuilder()
	b.Add(&xpath.Expr{})
	b.Add(&xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.Self}}}})
	b.Add(&xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.AnyAttr}}, {Test: xpath.Test{Kind: xpath.AnyAttr}}}})
	b.Add(&xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: []xpath.Pred{{Kind: xpath.Position}}}}})
	a := b.Build()
	root := Document(mustParse(t, "<p id=1>x"), testMeta())
	if got := runAll(t, a, root, false); len(got) != 0 {
		t.Errorf("matches: %s", describe(got))
	}
	a.RunFirst(nil, func(int, *html.Node, string) bool { t.Error("a match in nothing"); return true })
}

// TestElementAsRoot: below an element the leading "//" and "/" start there,
// its attributes count and the element itself does not.
func TestElementAsRoot(t *testing.T) {
	root := Document(mustParse(t, `<div id=0><div id=1 class=c><div id=2 class=d><p id=3></p></div></div><p id=4></p></div>`), testMeta())
	inner := runAll(t, compile(t, "div[@id='1']"), root, true)[0].at.n
	got := describe(runAll(t, compile(t, "div", "/div", "/@class", "@class", "p[1]", "/p", "div//p"), inner, false))
	if want := "2:@class=c 3:@class=c 0:div#2 1:div#2 3:@class=d 4:p#3 6:p#3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRepeatedAttributeMatchesOnce(t *testing.T) {
	n := &html.Node{Type: html.ElementNode, Data: "a", Attr: []html.Attribute{
		{Key: "rel", Val: "x"}, {Key: "rel", Val: "x"}, {Key: "rel", Val: "y"}}}
	root := &html.Node{Type: html.DocumentNode}
	root.AppendChild(n)
	got := describe(runAll(t, compile(t, "a[@rel='x']", "a[@rel='y']", "a[@rel='x'][@rel='y']"), root, false))
	if want := "0:a 1:a 2:a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// entered runs an automaton and returns how many elements, the document node
// included, the walk entered.
func entered(a *NFA, root *html.Node, first bool, found Found) int {
	r := newRunner(a)
	r.walk(root, found, first)
	n := int(r.entered)
	r.reset()
	return n
}

func TestWalkStops(t *testing.T) {
	// The document node, page, http, url, html, head, body: 7 elements; then p, p, p.
	root := Document(mustParse(t, strings.Repeat("<p>x", 1000)), Meta{})
	all := func(int, *html.Node, string) bool { return true }
	for _, c := range []struct {
		name  string
		exprs []string
		first bool
		found Found
		want  int
	}{
		{"to the end", []string{"p", "nosuch"}, false, all, 1007},
		{"when told to", []string{"p"}, false, func(int, *html.Node, string) bool { return false }, 8},
		{"when all have matched", []string{"p", "p[2]", "body"}, true, all, 9},
		{"not while one has not matched", []string{"p", "nosuch"}, true, all, 1007},
		{"though one can never match", []string{"p", "p[1][2]"}, true, all, 8},
		{"in subtrees where nothing can match", []string{"/page/url/path"}, false, all, 5},
		{"at once, when nothing can match", []string{"/nosuch"}, false, all, 2},
	} {
		if got := entered(compile(t, c.exprs...), root, c.first, c.found); got != c.want {
			t.Errorf("%s: entered %d elements, want %d", c.name, got, c.want)
		}
	}
}

// TestFirstForgetsWhatMatched: after its first match a pattern costs nothing;
// here, its position is not looked for in the second parent.
func TestFirstForgetsWhatMatched(t *testing.T) {
	root := Document(mustParse(t, "<p>x</p><div><p>y</p><b></b></div>"), Meta{})
	for _, first := range []bool{false, true} {
		r := newRunner(compile(t, "p[1]", "b", "nosuch"))
		places := 0
		r.walk(root, func(id int, _ *html.Node, _ string) bool {
			if id == 1 {
				places = len(r.undo)
			}
			return true
		}, first)
		if want := map[bool]int{false: 2, true: 1}[first]; places != want {
			t.Errorf("first %v: positions looked for below %d elements, want %d", first, places, want)
		}
	}
}

// TestRunnerIsCleanAfterStop uses one runner for a walk that stops in the
// middle and another walk after it.
func TestRunnerIsCleanAfterStop(t *testing.T) {
	root := Document(mustParse(t, `<div><div><p>1</p><p>2</p></div></div>`), Meta{})
	a := compile(t, "div//p[1]", "div/div/p[last()]", "p[contains(., '2')]")
	r := newRunner(a)
	var want, got []int
	collect := func(list *[]int) Found {
		return func(id int, _ *html.Node, _ string) bool { *list = append(*list, id); return true }
	}
	r.walk(root, collect(&want), false)
	r.reset()
	for range 3 {
		r.walk(root, func(int, *html.Node, string) bool { return false }, true)
		r.reset()
		got = nil
		r.walk(root, collect(&got), false)
		r.reset()
		if !slices.Equal(got, want) {
			t.Fatalf("after a stop: %v, before: %v", got, want)
		}
	}
	for _, f := range r.frames[:cap(r.frames)] {
		if f.node != nil {
			t.Fatal("a runner at rest holds on to the tree")
		}
	}
}

func TestConcurrentRuns(t *testing.T) {
	a := compile(t, "div//p[2]", "p[contains(., 'x')]", "@class[.='c']", "div[p='x']", "li[last()]/text()")
	pages := []string{
		`<div class=c><p>x<p>y<div><p>z<p>x</div></div>`,
		`<ul><li>a<li>b</ul><div><div><p>x<p>x</div></div>`,
		strings.Repeat(`<div class=c>`, 100) + `<p>1<p>xx`,
	}
	var want []string
	var roots []*html.Node
	for _, p := range pages {
		root := Document(mustParse(t, p), testMeta())
		roots = append(roots, root)
		want = append(want, describe(runAll(t, a, root, false)))
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				k := (g + i) % len(roots)
				if got := describe(runAll(t, a, roots[k], false)); got != want[k] {
					t.Errorf("page %d: %s, want %s", k, got, want[k])
				}
			}
		})
	}
	wg.Wait()
}

// TestRunInsideFound: a match may start a run of the same automaton.
func TestRunInsideFound(t *testing.T) {
	root := Document(mustParse(t, `<div id=1><div id=2><div id=3></div></div></div>`), Meta{})
	a := compile(t, "div")
	var inner []int
	a.Run(root, func(_ int, n *html.Node, _ string) bool {
		inner = append(inner, len(runAll(t, a, n, false)))
		return true
	})
	if !slices.Equal(inner, []int{2, 1, 0}) {
		t.Errorf("matches below each match: %v", inner)
	}
}
