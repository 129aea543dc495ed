package text

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/rank"
)

func parsed(t testing.TB, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

const menu = `<nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/boats">Boats for sale</a></li>
	<li><a href="/about">About our yard</a></li></ul></nav>`

const footer = `<footer><p><a href="/terms">Terms of use</a> | <a href="/privacy">Privacy policy</a></p><p>© 2026 The Yard</p></footer>`

// prose is text in paragraphs, each of its own words.
func prose(paragraphs int) string {
	var b strings.Builder
	for i := range paragraphs {
		fmt.Fprintf(&b, "<p>The mast number %d of the old schooner was made of spruce, and the riggers of the yard, "+
			"who knew it well, said in "+
			"the year %d that it would not last another winter in the harbour.</p>\n", i+1, 1900+i)
	}
	return b.String()
}

func TestTextOfPages(t *testing.T) {
	var posts, cards strings.Builder
	for i := range 6 {
		fmt.Fprintf(&posts, `<div class="row"><div class="user"><a href="/u/%d">sailor%d</a><br>Posts: %d</div><div class="message">
			<p>I replaced the winch number %d last spring and it has held since then, although the salt water was not kind to it.</p>
			</div><div class="tools"><a href="#">Reply</a> <a href="#">Quote</a> <a href="#">Report</a></div></div>`, i, i, 100+i, i)
		fmt.Fprintf(&cards, `<li class="card"><a href="/p/%d"><img src="%d.png"><h3>Ketch of the year %d</h3></a>
<p>A ketch of %d feet with two
			masts, built of oak and ready to sail.</p></li>`, i, i, 1950+i, 30+i)
	}
	for name, c := range map[string]struct {
		body      string
		want, not []string
	}{
		"article": {menu + `<div class="wrap"><div class="post"><h1>Masts</h1>` + prose(8) +
			`</div><div class="sidebar"><h3>Popular</h3><ul>
			<li><a href="/1">Sails in winter</a></li><li><a href="/2">Ropes and knots</a></li></ul></div></div>` + footer,
			[]string{"number 1 of", "number 8 of"}, []string{"Boats for sale", "Privacy policy", "Ropes and knots"}},
		"forum": {menu + `<h1>Winches</h1><div class="thread">` + posts.String() + `</div>` + footer,
			[]string{"winch number 0", "winch number 5"}, []string{"Boats for sale", "Privacy policy"}},
		"list": {menu + `<h1>Ketches</h1><ul class="grid">` + cards.String() + `</ul>` + footer,
			[]string{"ketch of 30 feet", "ketch of 35 feet"}, []string{"Privacy policy"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(parsed(t, "<title>The Yard</title><body>"+c.body))
			for _, w := range c.want {
				if !strings.Contains(got.Text, w) {
					t.Errorf("%q is not in the text:\n%s", w, got.Text)
				}
			}
			for _, w := range c.not {
				if strings.Contains(got.Text, w) {
					t.Errorf("%q is in the text:\n%s", w, got.Text)
				}
			}
			if got.Confidence <= 0.3 || got.Confidence > 1 || got.Declared || got.Cut {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestShellOfScripts holds that a page that scripts fill has the text that it declares.
func TestShellOfScripts(t *testing.T) {
	const body = "The mast of the old schooner was made of spruce and did not last another winter."
	for name, head := range map[string]string{
		"description": `<meta property="og:description" content="` + body + `">`,
		"JSON-LD":     `<script type="application/ld+json">{"@graph":[{"@type":"Article","articleBody":"` + body + `"}]}</script>`,
		"title":       `<title>` + body + `</title>`,
	} {
		got := Of(parsed(t, head+`<body><div id="app"></div><script>run()</script>`))
		if got.Text != body || !got.Declared || got.Confidence > 0.2 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Of(parsed(t, "<body></body>")); got != (Text{}) {
		t.Errorf("a page without anything: %+v", got)
	}
	if got := Of(&html.Node{Type: html.DocumentNode}); got != (Text{}) {
		t.Errorf("no page: %+v", got)
	}
}

// TestHostilePages holds that no page takes more than its size: deep, wide, long, and with names without end.
func TestHostilePages(t *testing.T) {
	deep := &html.Node{Type: html.ElementNode, Data: "div"}
	doc := parsed(t, "<body></body>")
	doc.LastChild.LastChild.AppendChild(deep)
	for range 100_000 {
		k := &html.Node{Type: html.ElementNode, Data: "div"}
		deep.AppendChild(k)
		deep = k
	}
	deep.AppendChild(&html.Node{Type: html.TextNode, Data: "below"})
	Of(doc)
	for name, c := range map[string]struct {
		page string
		cut  bool
	}{
		"blocks":                   {strings.Repeat("<p>mast", maxBlocks+10), true},
		"bytes":                    {strings.Repeat("<p>"+strings.Repeat("mast ", 20_000), 60), true},
		"names":                    {`<div class="` + strings.Repeat("post ", 1<<18) + `">` + prose(3) + `</div>`, false},
		"nesting":                  {strings.Repeat(`<b class="x">`, 300) + prose(3), false},
		"JSON":                     {`<script type="application/ld+json">` + strings.Repeat("[", 1<<18) + `</script>` + prose(3), false},
		"bytes that are not UTF-8": {"<p>\xff\xfe\x80" + prose(3), false},
	} {
		if got := Of(parsed(t, c.page)); got.Text == "" || got.Cut != c.cut {
			t.Errorf("%s: %d bytes of text, cut %t", name, len(got.Text), got.Cut)
		}
	}
}

// TestForestKnowsItsFeatures holds that the learned forests are of the features that the code computes.
func TestForestKnowsItsFeatures(t *testing.T) {
	m := model()
	for i, f := range []rank.Forest{m.First, m.Second} {
		want := Names(i == 1)
		if !slices.Equal(f.Names, want) {
			t.Fatalf("forest %d is of other features: run awarc eval text DIR --write engine/read/text/forest.txt\n"+
				"have %v\nwant %v", i+1, f.Names,
				want)
		}
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := rank.ReadForests(&b)
		if err != nil || len(again) != 1 || len(again[0].Trees) != len(f.Trees) {
			t.Fatalf("written and read: %v", err)
		}
		x := make([]float32, len(f.Names))
		for j := range x {
			x[j] = float32(j%7) / 3
		}
		if a, b := f.Score(x), again[0].Score(x); a-b > 1e-3 || b-a > 1e-3 {
			t.Errorf("%v became %v", a, b)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("<body>" + menu + prose(2) + footer)
	f.Add(`<table><tr><td>a<td><pre>b` + "\n" + `c</pre><script type="application/ld+json">{"@type":["Article",1],"text":"x"}</script>`)
	f.Fuzz(func(t *testing.T, page string) {
		doc, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Skip()
		}
		got := Of(doc)
		if got.Confidence < 0 || got.Confidence > 1 || got != Of(doc) {
			t.Errorf("%+v", got)
		}
	})
}

// BenchmarkOf compares with html.Parse on the saved page of the environment, or the pages of the knowledge base.
func BenchmarkOf(b *testing.B) {
	files, _ := filepath.Glob("../../../kb/testdata/*.html") // the pattern is well-formed
	if dir := os.Getenv("AWARC_TEXT_PAGES"); dir != "" {
		files, _ = filepath.Glob(filepath.Join(dir, "*", "*", "*.html"))
	}
	var pages [][]byte
	var docs []*html.Node
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		pages = append(pages, data)
		docs = append(docs, parsed(b, string(data)))
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			for _, p := range pages {
				if _, err := html.Parse(bytes.NewReader(p)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			for _, d := range docs {
				Of(d)
			}
		}
	})
}
