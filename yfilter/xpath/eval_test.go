package xpath_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// work is more than what a page needs.
const work = 1 << 24

func tree(t testing.TB, source string) xpath.Node {
	t.Helper()
	n, err := xpath.ParseTree(source)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func query(t testing.TB, source string) *xpath.Query {
	t.Helper()
	q, err := xpath.Compile(tree(t, source))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func parsedPage(t testing.TB, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// shownValues writes values by the ids of their elements.
func shownValues(values []xpath.Value) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		if v.Node == nil {
			fmt.Fprintf(&b, "%q", v.Text())
			continue
		}
		n, name := v.Node, ""
		for ; n != nil && name == ""; n = n.Parent {
			if n != v.Node {
				b.WriteByte('>')
			}
			for _, a := range n.Attr {
				if a.Key == "id" {
					name = a.Val
				}
			}
		}
		b.WriteString(name)
		if v.Attr != "" {
			b.WriteString("@" + v.Attr)
		}
	}
	return b.String()
}

// TestXPath has what each part of XPath selects, as the standard says it. The library
// is asked the same where it is right.
func TestXPath(t *testing.T) {
	const page = `<div id=t class="list big"><p id=a class="post first" title=7>one <b id=a1>bold</b></p><p id=b class=post>two</p><p ` +
		`id=c class="post-x last">three <i id=c1></i></p>` +
		`<ul id=u><li id=u1>1<li id=u2><a id=k href="?p=12#x">2</a><li id=u3>3</ul></div><div id=s><div id=s1><p id=d class="post">` +
		`four</p></div><p id=e>five</p></div>`
	doc := parsedPage(t, page)
	for _, c := range []struct {
		source, want string
		library      bool // it agrees
	}{
		{"*[contains(concat(' ', @class, ' '), ' post ')]", "a b d", true},
		{"*[contains(concat(' ', normalize-space(@class), ' '), ' big ') or @id='e']", "t e", true},
		{"p[@class='post' and not(@title)]", "b d", true},
		{"p[1]", "a d e", true},
		{"(.//p)[1]", "a", true},
		{"(.//p)[last()]", "e", false},
		{"(.//p[b])[last()]", "a", false},
		{"li[position() > 1][position() < last()]", "u2", true},
		{"ul/li[last()]", "u3", true},
		{"p[contains(@class, 'post')][2]", "b", true},
		{"div[p[b][1]]", "t", true},
		{"p | b", "a a1 b c d e", true},
		{"b/.. | p[@id='a']", "a", true},
		{"div//div//p | div//p", "a b c d e", true},
		{"i/ancestor::*[@id]", "t c", true},
		{"i/ancestor::*[1]", "c", true},
		{"p[@id='b']/following-sibling::*", "c u", true},
		{"p[@id='c']/preceding-sibling::p[1]", "b", true},
		{"a/following::p", "d e", true},
		{"li[@id='u3']/preceding::b", "a1", true},
		{"p/self::p[@title]/@title", "a@title", true},
		{"li[a]/@*", "u2@id", true},
		{"p[@id='a']/text()", ">a", true},
		{"p[@id='a']/node()", ">a a1", true},
		{"*[self::b or self::i]", "a1 c1", true},
		{"p[normalize-space(.)='three']", "c", true},
		{"p[@title > 6]", "a", true},
		{"p[number(@title) = 7]", "a", true},
		{"p[string-length(@class) > 5]", "a c", true},
		{"a[substring-after(@href, '#')='x'][substring-before(@href, '=')='?p']", "k", true},
		{"p[translate(substring(@class, 5, 2), 'xy', '12')='-1']", "c", true},
		{"ul[count(li) = 3]", "u", true},
		{"*[count(.//p) - 1 = 1]", "s", true},
		{"p[starts-with(., 'f')]", "d e", true},
		{"p[. = //div/p[2]]", "b", true},
		{"concat(.//a/@href, ' ', .//b)", `"?p=12#x bold"`, true},
		{"count(.//li)", `"3"`, true},
		{"string(.//i)", "", true},
		{"count(.//p) = 5", "", true}, // what is true or false is no value
		{"p[7]", "", true},
		{"descendant::li[2]", "u2", true},
		{"p[@nothing]", "", true},
		{"p[not(@class) or @class != 'post']", "a c e", true},
	} {
		q := query(t, c.source)
		if !q.Own() {
			t.Errorf("%s: is left to the library", c.source)
		}
		if got := shownValues(q.Select(doc, xpath.NewWork(work))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.source, got, c.want)
		}
		if got := shownValues(xpath.ByLibrary(tree(t, c.source)).Select(doc, xpath.NewWork(work))); (got == c.want) != c.library {
			t.Errorf("%s: the library gives %q", c.source, got)
		}
	}
	for _, source := range []string{"p[matches(., 'x')]", "p[lower-case(@id)='a']", "p[name()='p']", "p[@title * 2 > 6]",
		"p[processing-instruction()]"} {
		if q, err := xpath.Compile(tree(t, source)); err != nil || q.Own() {
			t.Errorf("%s: is not left to the library: %v", source, err)
		}
	}
	if n, err := xpath.ParseTree(strings.Repeat("(", 5000) + "a" + strings.Repeat(")", 5000)); err == nil {
		t.Errorf("5000 brackets: read as %T", n)
	}
}

// mistaken are expressions of the built-in types that the library evaluates against the
// standard: positions behind predicates, last() of what stands in brackets, and a context
// node that is another one after the first argument of a function.
var mistaken = []string{"[position() < last()]", ")[last()]", "[b][1]", "/following-sibling::div[@class='smalltext'][1]",
	"normalize-space(ancestor::html", "following-sibling::td[1])[1]"}

// TestXPathAgrees runs the expressions of the built-in types on saved pages of each, from the
// page and from elements inside, by both.
func TestXPathAgrees(t *testing.T) {
	const dir, pagesOfType, contexts = "../../../shared/pages", 2, 3
	if _, err := os.Stat(dir); err != nil || raceDetector {
		t.Skip("skipped: the saved pages of real sites are not in ../shared/pages, or the race detector runs")
	}
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range base.Types {
		files, _ := filepath.Glob(filepath.Join(dir, string(typ.ID), "*", "*.html"))
		for i := 0; i < len(files); i += len(files)/pagesOfType + 1 {
			data, err := os.ReadFile(files[i])
			if err != nil || len(data) > 200_000 {
				continue
			}
			doc, err := html.Parse(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			from := []*html.Node{doc}
			n := 0
			for d := range doc.Descendants() {
				if d.Type == html.ElementNode && d.FirstChild != nil && len(from) < contexts {
					if n++; n%151 == 0 {
						from = append(from, d)
					}
				}
			}
			seen := map[string]bool{}
			for _, v := range typ.Levels {
				for _, s := range v.Spots() {
					for _, try := range s.Tries {
						if e := try.Expr; e.Fragment == nil && !seen[e.Source] {
							seen[e.Source] = true
							agree(t, files[i], e, from)
						}
					}
				}
			}
		}
	}
}

func agree(t *testing.T, file string, e *kb.Expr, from []*html.Node) {
	for _, m := range mistaken {
		if strings.Contains(e.Source, m) {
			return
		}
	}
	own, err := xpath.Compile(e.Tree)
	if err != nil || !own.Own() {
		return
	}
	library := xpath.ByLibrary(e.Tree)
	for _, n := range from {
		got, want := own.Select(n, xpath.NewWork(work)), library.Select(n, xpath.NewWork(work))
		same := len(got) == len(want)
		for i := range got {
			same = same && got[i].Node == want[i].Node && got[i].Attr == want[i].Attr &&
				(got[i].Node != nil || got[i].Text() == want[i].Text())
		}
		if !same {
			t.Errorf("%s: %s from <%s>: got %q, the library %q", file, e.Source, n.Data, shownValues(got), shownValues(want))
		}
	}
}

// BenchmarkXPath evaluates expressions of built-in types on a page of 200 posts.
func BenchmarkXPath(b *testing.B) {
	var page strings.Builder
	for i := range 200 {
		fmt.Fprintf(&page, `<div class="post hentry" id="p%d"><h3 class="entry-title"><a href="/a/%d">t</a></h3><p class="byline vcard">`+
			`<span class="fn">x</span></p><div class="body"><p>text<p>text</div></div>`, i, i)
	}
	doc := parsedPage(b, page.String())
	sources := []string{
		"*[contains(concat(' ', @class, ' '), ' hentry ')]//*[self::h1 or self::h2 or self::h3]//a",
		"*[contains(@class, 'vcard') or contains(@class, 'author')][not(ancestor::*[contains(@class, 'sidebar')])]//span",
		".//div[starts-with(@id, 'p')][translate(substring(@id, 2), '0123456789', '')='']",
		"(.//a[contains(@href, '/a/') or contains(@href, '/b/')])[1]",
	}
	for _, by := range []struct {
		name  string
		query func(source string) *xpath.Query
	}{{"own", func(s string) *xpath.Query { return query(b, s) }},
		{"library", func(s string) *xpath.Query { return xpath.ByLibrary(tree(b, s)) }}} {
		b.Run(by.name, func(b *testing.B) {
			var all []*xpath.Query
			for _, s := range sources {
				all = append(all, by.query(s))
			}
			for b.Loop() {
				for _, q := range all {
					q.Select(doc, xpath.NewWork(work))
				}
			}
		})
	}
}
