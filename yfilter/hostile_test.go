package yfilter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// nest makes depth divs, one inside the other, each with the text before and
// after the inner one.
func nest(depth int, before, after string) (root, innermost *html.Node) {
	root = &html.Node{Type: html.DocumentNode}
	innermost = root
	for range depth {
		n := element("div", "", before)
		innermost.AppendChild(n)
		if after != "" {
			defer n.AppendChild(&html.Node{Type: html.TextNode, Data: after})
		}
		innermost = n
	}
	return root, innermost
}

// TestDeepNesting: a hundred thousand elements inside each other, deeper than
// html.Parse allows. Anything that costs a path or a subtree for each element
// costs ten thousand million steps here and does not end.
func TestDeepNesting(t *testing.T) {
	const depth = 100_000
	root, innermost := nest(depth, "a", "")
	innermost.AppendChild(element("p", "x", "needle"))
	a := compile(t,
		"div//div//div//div//p",
		"div[1]//div[last()]//p[1]",
		"div[contains(., 'needle')]",
		"div[contains(., 'nothing')]",
		"div[not(starts-with(., 'aaa'))]",
		"div[.='']",
		"div[div='needle']",
		"div[contains(div, 'aneedle')]",
		"div[@id='x']//p",
		"div/div/div/p/@name",
	)
	count := make([]int, a.Patterns())
	a.Run(root, func(id int, _ *html.Node, _ string) bool { count[id]++; return true })
	want := fmt.Sprint([]int{1, 1, depth, 0, 3 - 1, 0, 0, depth - 1, 0, 1})
	if got := fmt.Sprint(count); got != want {
		t.Errorf("matches %s, want %s", got, want)
	}
}

func TestManySiblings(t *testing.T) {
	root := &html.Node{Type: html.DocumentNode}
	top := element("div", "", "")
	root.AppendChild(top)
	const many = 100_000
	for range many {
		p := element("p", "n", "x")
		p.AppendChild(element("i", "", ""))
		top.AppendChild(p)
	}
	a := compile(t, "p[last()]", "p[99999]", "p[@name='n'][last()]", "p[not(.='x')][1]", "p[.='x'][last()]", "div[p='y']", "p[100001]",
		"*[99999]") // between two p its place below i is looked for, and the one below div must not be forgotten
	count := make([]int, a.Patterns())
	a.Run(root, func(id int, _ *html.Node, _ string) bool { count[id]++; return true })
	if got := fmt.Sprint(count); got != "[1 1 1 0 1 0 0 1]" {
		t.Errorf("matches %s", got)
	}
}

func TestHugeAttributes(t *testing.T) {
	huge := strings.Repeat("class ", 1<<20)
	attrs := make([]html.Attribute, 50_000)
	for i := range attrs {
		attrs[i] = html.Attribute{Key: fmt.Sprint("k", i), Val: "v"}
	}
	root := &html.Node{Type: html.DocumentNode}
	a := element("a", "", "")
	a.Attr = append(attrs, html.Attribute{Key: "class", Val: huge + "needle"})
	root.AppendChild(a)
	nfa := compile(t, "a[contains(@class, 'needle')]", "a[starts-with(@class, 'class class')]", "a[@class='class']",
		"a/@class[contains(., 'needle')]", "a/@*[last()]", "a/@*[50000]", "a[@k7='v']/@*[.='v'][2]", "@k49999")
	got := describe(runAll(t, nfa, root, false))
	got = strings.ReplaceAll(got, huge, "HUGE ")
	if want := "0:a 1:a 6:@k1=v 5:@k49999=v 7:@k49999=v 3:@class=HUGE needle 4:@class=HUGE needle"; got != want {
		t.Errorf("matches %s, want %s", got, want)
	}
}

// TestStringValues compares the three ways of reading an element's text with
// the obvious one, around the bounds between them.
func TestStringValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		root, inner := nest(1+r.IntN(40), strings.Repeat("ab", r.IntN(60)), strings.Repeat("ba", r.IntN(2)))
		for range r.IntN(100) {
			inner.AppendChild(element("b", "", strings.Repeat("aab", r.IntN(4))))
			inner.AppendChild(&html.Node{Type: html.CommentNode, Data: "aaaa"})
		}
		text := stringValue(point{root, itself})
		tr := reader{root: root}
		for n := root; n != nil; n = following(n, root) {
			if n.Type != html.ElementNode {
				continue
			}
			literal := "b"
			if len(text) > 0 {
				from := r.IntN(len(text))
				literal = text[from : from+r.IntN(min(len(text)-from, 1+r.IntN(600)))]
			}
			for _, lit := range []string{literal, "aabb", "", stringValue(point{n, itself})} {
				for _, kind := range []xpath.PredKind{xpath.Equals, xpath.Contains, xpath.StartsWith} {
					p := xpath.Pred{Kind: kind, Value: xpath.Test{Kind: xpath.Self}, Literal: lit}
					if got := tr.matches(&p, n); got != holdsByHand(p, point{n, itself}) {
						t.Fatalf("[%s] of an element with %d bytes of text: %v", p, len(stringValue(point{n, itself})), got)
					}
				}
			}
		}
	}
}

// TestOccurrenceAcrossBlocks puts the only occurrence of a literal at each
// offset around the bound between two blocks of the text.
func TestOccurrenceAcrossBlocks(t *testing.T) {
	for at := block - 10; at < block+10; at++ {
		root, inner := nest(1, strings.Repeat("x", at)+"needle"+strings.Repeat("x", 3*block), "")
		inner.AppendChild(&html.Node{Type: html.CommentNode})
		tr := reader{root: root}
		p := xpath.Pred{Kind: xpath.Contains, Literal: "needle"}
		if !tr.matches(&p, inner) {
			t.Errorf("not found at %d", at)
		}
		if len(tr.marks) == 0 {
			t.Fatal("the text was searched without blocks")
		}
	}
}

// TestTextReaderGivesMemoryBack: what an exceptional page needed is not kept.
func TestTextReaderGivesMemoryBack(t *testing.T) {
	root, _ := nest(100, strings.Repeat("x", 20_000), "")
	tr := reader{root: root}
	p := xpath.Pred{Kind: xpath.Contains, Literal: "y"}
	tr.matches(&p, root.FirstChild)
	if cap(tr.whole) < 2_000_000 || len(tr.spans) == 0 || len(tr.marks) == 0 {
		t.Fatal("the text of the page was not collected")
	}
	small := element("p", "", "x")
	small.AppendChild(&html.Node{Type: html.CommentNode})
	tr.matches(&p, small)
	tr.reset()
	if cap(tr.whole) != 0 || len(tr.spans) != 0 || len(tr.marks) != 0 || tr.root != nil || tr.last != nil {
		t.Error("the text of the page was kept")
	}
}
