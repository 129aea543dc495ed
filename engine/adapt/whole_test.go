package adapt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// TestAContentThatHasOnlyItsPlaceLeft: the object is the page, under the condition that its
// content is there, and the content lost its only name.
func TestAContentThatHasOnlyItsPlaceLeft(t *testing.T) {
	b := loadBuiltin(t)
	p, h := b.page(t, "blogger", "https://quay.blogspot.com/2020/07/ice.html",
		`<html><head><title>Quay: Ice</title><link rel="canonical" href="https://quay.blogspot.com/2020/07/ice.html"></head><body>
<div class="date-outer"><h2 class="date-header">Sunday, July 05, 2020</h2><article class="post hentry">`+
			`<h1 class="post-title">Ice</h1><div class="post-header-line-1"></div><div>`+strings.Repeat(sentenceOf+" ", 5)+`</div>`+
			`<div class="post-footer">
<span class="post-labels">Labels: <a rel="tag" href="https://quay.blogspot.com/search/label/Winter">Winter</a></span></div>`+
			`</article></div></body></html>`)
	if len(h.Objects) > 0 {
		t.Fatalf("the page is read: %v", h.Objects)
	}
	a := b.mend(p, h)
	if len(a.Harvest.Objects) != 1 || !strings.HasPrefix(a.Harvest.Objects[0].Value("content"), "The harbour froze") ||
		a.Harvest.Objects[0].Value("title") != "Ice" || a.Harvest.Objects[0].Value("created") != "2020-07-05" {
		t.Fatalf("mended to %v by %v: %s", a.Harvest.Objects, a.Entries, a.Left)
	}
	for _, e := range a.Entries {
		if e.Confidence < 0.6 {
			t.Errorf("%s is believed by %.2f only", e.Expr, e.Confidence)
		}
		if e.Part == "sioct:BlogPost" && !strings.HasPrefix(e.Expr, "html[") {
			t.Errorf("the page is an object whatever is on it: %s", e.Expr)
		}
	}
}

// TestWithoutANameBesideOthers: a content without a name stands behind a signature in some
// posts. Whether it is found is a matter of what was learned; the signature is none.
func TestWithoutANameBesideOthers(t *testing.T) {
	b := loadBuiltin(t)
	var body strings.Builder
	body.WriteString(`<html><head><title>Which rope? - Quayside</title></head><body id="phpbb" class="section-viewtopic"><h2><a ` +
		`href="./viewtopic.php?f=2&amp;t=7">Which rope?</a></h2>`)
	for i, name := range []string{"Ada", "Bo", "Cyd", "Dan", "Eve", "Flo"} {
		signature := ""
		if i%2 == 1 {
			signature = `<div class="signature">` + name + ` of the fleet, the first to leave the harbour in spring</div>`
		}
		fmt.Fprintf(&body, `<div id="p%[1]d" class="post bg%[2]d"><div class="inner"><div class="postbody"><h3><a href="#p%[1]d">Re: `+
			`Which rope?</a></h3><p class="author">by <strong><a href="./memberlist.php?mode=viewprofile&amp;u=%[1]d">%[3]s</a></strong>`+
			` » Fri Oct 0%[4]d, 2011 8:23 am</p>%[5]s<div>Number %[1]d says that nylon stretches and polyester does not, and that %[3]s `+
			`would splice it.</div></div></div></div>`,
			40+i, i%2+1, name, i+3, signature)
	}
	body.WriteString(`</body></html>`)
	p, h := b.page(t, "phpbb", "http://quay.example/viewtopic.php?f=2&t=7", body.String())
	a := b.mend(p, h)
	for _, o := range a.Harvest.Objects {
		if c := o.Value("content"); o.Class == "sioc:Post" && c != "" && !strings.HasPrefix(c, "Number ") {
			t.Errorf("a signature is taken for a content: %q by %v", c, a.Entries)
		}
	}
}

// TestPartsOfTheMainText: what generic reading says of a candidate for the text of an article.
func TestPartsOfTheMainText(t *testing.T) {
	b := loadBuiltin(t)
	text := paragraphs(0, 4)
	links := `<ul class="links">` + strings.Repeat(`<li><a href="/crew/">`+sentenceOf+`</a></li>`, 20) + `</ul>`
	page := blogPage("Ice", "", `<div class="all">`+links+`<div class="frame"><h1>Ice</h1><div class="text"><div class="part">`+text+
		`</div>`+paragraphs(4, 8)+`</div></div></div><div class="list">`+teaser("h3", 1)+teaser("h3", 2)+`</div>`)
	p, _ := b.page(t, "wordpress", "http://quayside.example/ice/", page)
	s := newSession(b.base, p, Options{})
	post := &kb.Object{Class: "sioct:BlogPost", Fields: []*kb.Field{{Name: "content", As: kb.HTML}}}
	content := post.Fields[0]
	q := &ask{s: s, spot: kb.Spot{Objects: []*kb.Object{post}, Field: content}, field: content, sc: &scope{records: []int{-1}}}
	if bulk := s.bulk(); bulk < 0 || !strings.Contains(s.x.read(s.x.nodes[bulk]), sentenceOf) {
		t.Fatal("generic reading finds no main text")
	}
	for class, doubted := range map[string]bool{"frame": false, "text": false, "part": true, "list": true, "all": true} {
		c := &candidate{nodes: [][]int{s.x.values["class"][class]}}
		c.share = 1
		against := 0.0
		for _, f := range ofContent {
			if f.name == "less" || f.name == "more" || f.name == "listing" {
				against += f.of(q, c)
			}
		}
		if (against > 0) != doubted {
			t.Errorf("%s: %v", class, against)
		}
	}
}

// TestHalfATextIsNone: where an action would give a column of the main text, all of it stands.
func TestHalfATextIsNone(t *testing.T) {
	b := loadBuiltin(t)
	for main, sentences := range map[string]int{
		`<h1>Notes</h1><div class="entry-box">` + paragraphs(0, 5) + `</div>`: 5,
		`<h1>Notes</h1><div class="grid"><div class="entry-copy">` + paragraphs(0, 4) +
			`</div><div class="side">` + paragraphs(4, 4) + `</div><div class="foot">` + paragraphs(8, 4) + `</div></div>`: 12,
	} {
		body := strings.Replace(blogPage("Notes", "", main), `class="zz"`, `class="single-post postid-7"`, 1)
		body = strings.NewReplacer("<main>", "", "</main>", "", "<article", "<section", "</article", "</section").Replace(body)
		p, _ := b.page(t, "wordpress", "http://quayside.example/notes/", body)
		p.Generic = true
		a := b.mend(p, extract.Run(p))
		if got := strings.Count(a.Harvest.Objects[0].Value("content"), " ice"); got != sentences {
			t.Errorf("%d sentences of %d by %v: %s", got, sentences, a.Entries, a.Left)
		}
	}
}
