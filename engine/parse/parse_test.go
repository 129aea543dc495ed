package parse

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// count writes a format with the numbers from 0 on, n times.
func count(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// normal is about as much markup as the pages in bombs.
var normal = strings.Repeat(`<div class="post"><p>Some words here <a href="/x">link</a> and <b>bold</b></p></div>`+"\n", 2200)

// bombs are pages of about 200 kB that HTML, or a parser of it, makes something big of.
var bombs = map[string]string{
	"open fonts":               "<p>" + count("<font size=%d>", 480) + strings.Repeat("<p>x", 47_000),
	"fonts open behind blocks": count("<div><font size=%d></div>", 480) + strings.Repeat("<div>x</div>", 15_000),
	"all formatting": "<p>" + count("<b a=%[1]d><i a=%[1]d><font a=%[1]d><u a=%[1]d><code a=%[1]d>", 90) +
		strings.Repeat("<p>x", 47_000),
	"fonts in paragraphs":      count("<p><font size=%d>x", 10_000),
	"one font in paragraphs":   strings.Repeat("<p><font size=1 color=red>", 8000),
	"b and div":                strings.Repeat("<b><div>", 25_000),
	"adopted":                  strings.Repeat("<b><i><u><s><div></b>", 9500),
	"adopted and closed":       strings.Repeat("<b><i><u><div></b></div>", 8300),
	"links never closed":       strings.Repeat("<a href=x>y", 18_000),
	"links around blocks":      strings.Repeat("<a href=x><div>y", 12_000),
	"nobr":                     strings.Repeat("<nobr>y", 28_000),
	"nobr around blocks":       strings.Repeat("<nobr><div>y", 16_000),
	"tables":                   strings.Repeat("<table>", 28_000),
	"tables and formatting":    strings.Repeat("<table><b>x", 18_000),
	"cells":                    strings.Repeat("<table><tr><td>", 13_000),
	"foster parents":           "<table>" + strings.Repeat("x<b>", 50_000),
	"templates":                strings.Repeat("<template>", 20_000),
	"selects":                  strings.Repeat("<select><option>", 12_000),
	"svg":                      strings.Repeat("<svg>", 40_000),
	"formatting in svg titles": strings.Repeat("<svg><title><b>", 13_000),
	"formatting hidden in svg": "<svg><style><!--</style></font>-->" + strings.Repeat("<font a=1></style></font>-->", 300) +
		strings.Repeat("<p>x", 47_000),
	"math":                      strings.Repeat("<math><mi>", 20_000),
	"framesets":                 strings.Repeat("<frameset>", 20_000),
	"buttons":                   strings.Repeat("<button>", 25_000),
	"blocks":                    strings.Repeat("<div>", 40_000),
	"blocks, closed":            strings.Repeat("<blockquote><div>", 10_000) + strings.Repeat("</div></blockquote>", 10_000),
	"objects":                   strings.Repeat("<object><b>", 18_000),
	"objects in a table":        "<table>" + strings.Repeat("<object><tr>", 17_000),
	"attributes":                "<div " + count("a%d ", 28_000) + ">x",
	"attributes of formatting":  "<p><b " + count("a%d ", 200) + ">" + strings.Repeat("<p>x", 47_000),
	"attributes of many bodies": count("<body a%d>", 16_000),
	"attributes of many roots":  count("<html a%d=1>", 14_000),
	"a long value":              `<a href="` + strings.Repeat("x", 200_000) + `">y`,
	"items":                     strings.Repeat("<li>", 50_000),
	"end tags":                  strings.Repeat("<div>", 1900) + strings.Repeat("</x>", 48_000),
	"unknown elements":          count("<x%d>", 22_000),
}

// TestBombs: a page costs at most a few times what an ordinary page of its size does.
func TestBombs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	base := perByte(normal)
	for name, page := range bombs {
		if ratio := perByte(page) / base; ratio > 8 {
			t.Errorf("%s: %.1f times the memory of an ordinary page", name, ratio)
		} else {
			t.Logf("%-26s %.1f times the memory of an ordinary page", name, ratio)
		}
	}
}

// perByte is what HTML allocates for each byte of a page.
func perByte(page string) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	HTML([]byte(page))
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(page))
}

// render writes a tree as HTML.
func render(t *testing.T, n *html.Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPlainAsBrowsers: where authors left out what HTML lets them leave out, a plain tree is
// that of browsers.
func TestPlainAsBrowsers(t *testing.T) {
	for _, page := range []string{
		`<title>T</title><p>a<p>b<ul><li>c<li>d<ul><li>e</ul><li>f</ul><dl><dt>g<dd>h<dt>i</dl>`,
		`<html lang=en><head><meta name=a><link rel=b></head><body class=c><h1>x</h1><h2>y</h2></body></html>`,
		`<table><tr><td>a<td>b<tr><th>c<table><td>d</table></table><p>e`,
		`<table><caption>c</caption><colgroup><col><thead><tr><td>a<tbody><tr><td>b</table>`,
		`<table><tr><td><b>x</b></td></tr></table><a href=1>one<a href=2>two</a>`,
		`<table>text<tr><td>a</table>`,
		`<select><option>a<option>b</select><form><input><textarea><b></textarea></form>`,
		`<svg><path d=1 /><title>t</title></svg><p>x</p><script>if (a<b) "</p>"</script>`,
		`<div><p>a<div>b</div></div><pre>c</pre><br><img src=x><hr>`,
		`<p>a<span>b<em>c</em></span></p><blockquote>d<p>e</blockquote>f`,
		`<tr><td>a</td></tr><noscript><p>x</p></noscript>`,
		`<head><title>a</title><script>1</script><style>b</style>c`,
		`<body><div a=1 a=2>x</span></div>y</body>z`,
		`<frameset><frame src=a><frame src=b></frameset>`,
		`<ruby>a<rp>(<rt>b<rp>)</ruby><button>x<button>y</button>`,
	} {
		root, err := html.ParseWithOptions(strings.NewReader("<!doctype html>"+page), html.ParseOptionEnableScripting(false))
		if err != nil {
			t.Fatal(err)
		}
		root.RemoveChild(root.FirstChild)
		if got, want := render(t, plain([]byte(page)).Root), render(t, root); got != want {
			t.Errorf("%s\nplain    %s\nbrowsers %s", page, got, want)
		}
	}
}

// TestDeep: what is nested deeper than html.Parse takes is there, in its place up to
// maxDepth and without more structure below it.
func TestDeep(t *testing.T) {
	for _, depth := range []int{600, 1900, 20_000} {
		var b strings.Builder
		for i := range depth {
			fmt.Fprintf(&b, `<div id=d%d><a href="/%d">t%d</a>`, i, i, i)
		}
		b.WriteString(strings.Repeat("</div>", depth) + "<p id=last>end")
		tree := HTML([]byte(b.String()))
		links, texts := 0, 0
		var last *html.Node
		for n := range tree.Root.Descendants() {
			if n.Data == "a" && n.Attr[0].Val == fmt.Sprint("/", links) {
				links++
			}
			if n.Type == html.TextNode {
				texts++
			}
			if n.Data == "p" {
				last = n
			}
		}
		if links != depth || texts != depth+1 {
			t.Errorf("%d of %d links in order, %d texts", links, depth, texts)
		}
		if last == nil || last.Parent.Data != "body" {
			t.Errorf("at a depth of %d what follows is not in the body", depth)
		}
		if want := depth > maxDepth; tree.Cut != want || tree.End != b.Len() {
			t.Errorf("at a depth of %d: cut %v, to byte %d of %d", depth, tree.Cut, tree.End, b.Len())
		}
	}
}

// TestTooBig: a tree ends where its budget does, and what is behind it is read flat.
func TestTooBig(t *testing.T) {
	for name, item := range map[string]string{"plain": "<b x=%[1]d><div><a href=/%[1]d>t%[1]d</a>\n",
		"browsers'": "<p class=x><a href=/%[1]d>t%[1]d</a></p>\n"} {
		page := []byte(count(item, 320_000))
		tree := HTML(page)
		n := 0
		see := func(k *html.Node) {
			if k.Data == "a" {
				if href := k.Attr[0].Val; href != fmt.Sprint("/", n) || k.FirstChild == nil || k.FirstChild.Data != fmt.Sprint("t", n) {
					t.Fatalf("%s: %s is link %d", name, href, n)
				}
				n++
			}
		}
		for k := range tree.Root.Descendants() {
			see(k)
		}
		if n > 310_000 {
			t.Errorf("%s: %d links in the tree; the test does not reach its end", name, n)
		}
		for part := range Flat(page[tree.End:]) {
			for k := range part.Descendants() {
				see(k)
			}
		}
		if n != 320_000 {
			t.Errorf("%s: %d links of 320000", name, n)
		}
	}
}

// TestScriptAcrossTheEnd: what is behind the end of a tree does not begin within a script.
func TestScriptAcrossTheEnd(t *testing.T) {
	for _, begin := range []string{"", strings.Repeat("<p><b>", 2000)} { // for html.Parse, and for a plain tree
		for pad := range 8 {
			filler := strings.Repeat("<br>", maxUnits-strings.Count(begin, "<")-4+pad)
			page := []byte(begin + filler + `<script>"<a href=/not>"</script><a href=/yes>x</a><p>`)
			tree := HTML(page)
			for part := range Flat(page[tree.End:]) {
				for k := range part.Descendants() {
					if k.Data == "a" && k.Attr[0].Val == "/not" {
						t.Errorf("with %d more: a link of a script at byte %d of %d", pad, tree.End, len(page))
					}
				}
			}
		}
	}
}

// TestAttributesAreCut: a tag keeps its first attributes, and the page goes on behind it.
func TestAttributesAreCut(t *testing.T) {
	for _, page := range []string{
		"<script " + count("a%d='>' ", 1000) + ">1<b></script><p>x",
		"<a href=/x " + count("a%d=\">\"", 1000) + "/>y</a><p>x",
	} {
		tree := HTML([]byte(strings.Repeat("<p>", 1000) + page))
		if !tree.Cut {
			t.Error("attributes are left out without a word")
		}
		last := ""
		for n := range tree.Root.Descendants() {
			if len(n.Attr) > maxAttrs {
				t.Errorf("<%s> has %d attributes", n.Data, len(n.Attr))
			}
			if n.Data == "b" {
				t.Error("the text of a script is markup")
			}
			if n.Type == html.TextNode {
				last = n.Data
			}
		}
		if last != "x" {
			t.Errorf("the page ends in %q", last)
		}
	}
}

// TestAppraisedByChance: html.Parse never makes more of a page than it was appraised at,
// whatever is repeated in it.
func TestAppraisedByChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		var program []byte
		for range 3 {
			part := make([]byte, 1+r.IntN(8))
			for i := range part {
				part[i] = byte(r.IntN(len(pieces)))
			}
			program = append(program, bytes.Repeat(part, 1+r.IntN(50))...)
		}
		checkAppraisal(t, pageOf(program))
	}
}

// TestAppraised is the same for pages of which html.Parse makes much more than they are.
func TestAppraised(t *testing.T) {
	for _, page := range []string{
		"<p>" + count("<font size=%d>", 100) + strings.Repeat("<p>x", 300),
		"<p>" + count("<font size=%d>", 100) + strings.Repeat("<p><br>", 300),
		"<p><b " + count("a%d ", 100) + ">" + strings.Repeat("<p>x", 300),
		count("<div><i a=%d></div>", 100) + strings.Repeat("<div>x</div>", 300),
		count("<font a=%[1]d><table></font>", 100) + strings.Repeat("<td><p>x", 300),
		"<p>" + count("<b a=%[1]d><object></b></object>", 100) + strings.Repeat("<p>x", 300),
		"<p>" + strings.Repeat("<u><i><b>", 3) + strings.Repeat("<div></u>x</div>", 300),
		count("<body a%d>", 300), count("<html a%d>", 300),
	} {
		checkAppraisal(t, []byte(page))
	}
}

// TestLongTokens: what is longer than a token may be costs neither the memory of it nor what is behind it.
func TestLongTokens(t *testing.T) {
	long := strings.Repeat("x<a href=/not>", 2*maxToken/14)
	for name, page := range map[string]string{
		"comment": "<!--" + long + "-->", "script": "<script>" + long + "</s></SCRIPT>", "attribute": "<p title='" + long + "'>",
		"end tag": "</p " + strings.Repeat("x", 2*maxToken) + ">", "declaration": "<!" + strings.Repeat("x", 2*maxToken) + ">",
		"text": strings.Repeat("x", 2*maxToken),
	} {
		for _, begin := range []string{"", strings.Repeat("<p><b>", 2000)} {
			all := []byte(begin + page + "<a href=/yes>y</a>")
			tree := HTML(all)
			if name != "text" && !tree.Cut && tree.End == len(all) {
				t.Errorf("%s: nothing says that it is cut", name)
			}
			var found []string
			see := func(n *html.Node) {
				if n.Data == "a" {
					found = append(found, n.Attr[0].Val)
				}
			}
			for n := range tree.Root.Descendants() {
				see(n)
			}
			for part := range Flat(all[tree.End:]) {
				for n := range part.Descendants() {
					see(n)
				}
			}
			if len(found) != 1 || found[0] != "/yes" {
				t.Errorf("%s: links to %d addresses, want /yes alone", name, len(found))
			}
		}
	}
}
