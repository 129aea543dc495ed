package kb_test

import (
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

func body(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root.LastChild.LastChild
}

func selected(t testing.TB, source string, n *html.Node) string {
	t.Helper()
	e, err := kb.NewExpr(source)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range e.Select(n, nil) {
		out = append(out, v.Text())
	}
	return strings.Join(out, " ")
}

func TestSelect(t *testing.T) {
	n := body(t, `<div id=1 class=o><p id=2>two<b>x</b></p><div id=3><p id=4>four</p><p id=5>five<i>y</i></p></div></div><p id=6>six</p>`)
	for _, c := range []struct{ expr, want string }{
		{"p/@id", "2 4 5 6"},                     // the implicit //
		{"./p/@id", "6"},                         // none after .
		{"/p/@id", "6"},                          // nor after /, which is the context node
		{"//p/@id", "2 4 5 6"},                   // written out
		{"p[@id > 3]/@id", "4 5 6"},              // full XPath has it too
		{"child::p/@id", "6"},                    // an axis has none
		{"text()", "two x four five y six"},      // a node test does
		{"div//p/@id", "2 4 5"},                  // below two, but once
		{".//p/@id | .//div/@id", "1 2 3 4 5 6"}, // in the order of the page
		{"b | p[@id='6']", "x six"},              // each branch has its //
		{"b[contains(., '|')] | i", "y"},         // a bar in a string is none
		{"(.//p)[2]/@id", "4"},
		{".//i/ancestor::div/@id", "1 3"},
		{".//p[@id='5']/preceding-sibling::p", "four"},
		{"@*", "1 o 2 3 4 5 6"},
		{"count(.//p)", "4"},
		{"count(.//p) * 1000000", "4000000"},
		{"1 div 3 > 2", ""},
		{"number('x')", ""},
		{"string(.//b)", "x"},
		{"concat(.//b, '-', .//i)", "x-y"},
		{"substring-after(.//p/@id, '0')", ""},
		{"q", ""},
		{"floor('x')", ""}, // whatever the library thinks of it
		{"translate(.//b, 'x')", ""},
	} {
		if _, err := kb.NewExpr(c.expr); err != nil && c.want == "" {
			continue // refused at once: as good
		}
		if got := selected(t, c.expr, n); got != c.want {
			t.Errorf("%s: got %q, want %q", c.expr, got, c.want)
		}
	}
}

// An expression that would take for ever yields nothing, and says that it ran
// out of work; what runs after it on the same work does not run at all.
func TestWorkIsBounded(t *testing.T) {
	n := body(t, strings.Repeat("<div>", 400)+strings.Repeat("<b></b>", 2000))
	slow, err := kb.NewExpr(".//div[.//div[.//div[.//div[count(.//b) > 2000]]]]")
	if err != nil {
		t.Fatal(err)
	}
	work := kb.NewWork(1 << 20)
	if got := slow.Select(n, work); got != nil || !work.Spent() {
		t.Errorf("%d values, spent %v", len(got), work.Spent())
	}
	quick, _ := kb.NewExpr("b")
	if got := quick.Select(n, work); got != nil {
		t.Errorf("%d values without any work left", len(got))
	}
	if got := quick.Select(n, nil); len(got) != 2000 {
		t.Errorf("%d values, want 2000", len(got))
	}
}

func TestSelectConcurrently(t *testing.T) {
	n := body(t, "<p>a</p><p>b<i>c</i></p>")
	e, err := kb.NewExpr("p[position() > 1] | i")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if got := e.Select(n, nil); len(got) != 2 || got[0].Text() != "bc" || got[1].Text() != "c" {
					t.Errorf("got %v", got)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestBuildMoved takes the longest number where the name around it has one too.
func TestBuildMoved(t *testing.T) {
	tpl, err := kb.NewTemplate(`{parent}#{@id ~ \d+}`)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"frag-i11-3960645": "3960645", "c2_17": "17", "post-9": "9", "msg_12_34": "12", "title": ""} {
		n := &html.Node{Type: html.ElementNode, Data: "li", Attr: []html.Attribute{{Key: "id", Val: id}}}
		got, ok := tpl.BuildMoved(n, kb.Names{}, kb.NewWork(1000))
		if ok != (want != "") || ok && got != "#"+want {
			t.Errorf("%s: %q, %v, want %q", id, got, ok, want)
		}
	}
}

func TestTemplate(t *testing.T) {
	n := body(t, `<div id=post-17 class=" c "><a href="/x"></a></div>`).FirstChild
	for _, c := range []struct{ source, want string }{
		{"plain", "plain"},
		{"{url}#{@id}", "U#post-17"},
		{"{outer}|{parent}", "O|P"},
		{"p={@id ~ \\d+}", "p=17"},
		{"{@id ~ (\\w)\\w+-(\\d)}", "p"},
		{"{ a/@href }", "/x"},
		{"{@class}", "c"},
		{"{count(a)}", "1"},
		{"{@none}", "-"},
		{"{@id ~ x+}", "-"},
		{"a}b", "a}b"},
	} {
		tpl, err := kb.NewTemplate(c.source)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		got, ok := tpl.Build(n, kb.Names{URL: "U", Outer: "O", Parent: "P"}, nil)
		if !ok {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.source, got, c.want)
		}
	}
}

// TestTextOfAValueMadeByHand holds that a value which no expression gave has a
// text too.
func TestTextOfAValueMadeByHand(t *testing.T) {
	div := &html.Node{Type: html.ElementNode, Data: "div"}
	for _, s := range []string{"oak ", "ash"} {
		b := &html.Node{Type: html.ElementNode, Data: "b"}
		b.AppendChild(&html.Node{Type: html.TextNode, Data: s})
		div.AppendChild(b)
	}
	if got := (kb.Value{Node: div}).Text(); got != "oak ash" {
		t.Errorf("text %q", got)
	}
}
