package adapt

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/yfilter/xpath"
)

// blog is a page of a template that no knowledge base knows: what it states of itself
// is all that tells its parts for sure.
func blog(head, byline string) string {
	text := strings.Repeat("<p>The harbour froze over in the night, and the ferries stayed where they were until the sun had done its "+
		"work on the ice.</p>", 6)
	return `<html><head><title>Ice in the harbour – Quayside</title>` + head + `</head><body class="xq product">
<div class="m1"><a href="/">Quayside</a> <a href="/author/mona/">Mona Lund</a></div>
<div class="w7"><div class="k2"><h1>Ice in the harbour</h1>` + byline + `</div><div class="z3">` + text + `</div></div>
<div class="f9">2017-03-01 <a href="/author/otto/">Otto Berg</a></div></body></html>`
}

const (
	stated = `<meta property="og:type" content="article"><meta property="article:published_time" content="2019-02-03T08:15:00+00:00">` +
		`<meta name="author" content="Ada Quist">`
	linked = `<script type="application/ld+json">{"@context":"https://schema.org","@type":"BlogPosting","headline":"Ice in the harbour",` +
		`"datePublished":"2019-02-03T08:15:00Z","author":{"@type":"Person","name":"Ada Quist"}}</script>`
)

func TestWhatAPageStatesIsItsArticle(t *testing.T) {
	b := loadBuiltin(t)
	for name, c := range map[string]struct{ head, byline, created string }{
		"Open Graph": {stated, "", "2019-02-03T08:15:00Z"},
		"JSON-LD":    {linked, "", "2019-02-03T08:15:00Z"},
		"a comment half an hour later": {strings.Replace(stated, "article:published_time", "dcterms.created", 1),
			`<p><time class="q8" datetime="2019-02-03T03:45:00-05:00">3 February</time></p>`, "2019-02-03T08:15:00Z"},
		"an hour of Greenwich with the offset of the site": {
			`<meta property="og:type" content="article"><meta name="author" content="Ada Quist"><meta name="dcterms.created" ` +
				`content="2019-02-03T08:15:00+01:00">`, `<time class="q8" datetime="2019-02-03T09:15:00+01:00">3 February</time>`,
			"2019-02-03T09:15:00+01:00",
		},
	} {
		p, h := b.page(t, "wordpress", "https://quayside.example/ice-in-the-harbour/", blog(c.head, c.byline))
		p.Generic = true
		if h = extract.Run(p); h.Level != nil || len(h.Objects) != 1 {
			t.Fatalf("%s: the template is known, or nothing is read generically: %v", name, h.Objects)
		}
		a := b.mend(p, h)
		got := fieldsOf(a.Harvest)
		for _, want := range []string{"title = Ice in the harbour", "creator = Ada Quist", "created = " + c.created} {
			if want = "sioct:BlogPost 1 " + want; !slices.Contains(got, want) {
				t.Errorf("%s: no %q in %q; %s", name, want, got, a.Left)
			}
		}
	}
}

func TestAPageWithoutStatementIsNoArticle(t *testing.T) {
	b := loadBuiltin(t)
	for name, head := range map[string]string{
		"nothing stated": "",
		"a list of articles": strings.Replace(linked, `{"@context"`,
			`{"@type":"ItemList","itemListElement":[]}</script>`+linked+linked+`<script type="application/ld+json">{"@context"`, 1),
	} {
		p, h := b.page(t, "wordpress", "https://quayside.example/ice-in-the-harbour/", blog(head, ""))
		p.Generic = true
		if a := b.mend(p, h); a.Harvest.Level != nil {
			t.Errorf("%s: told as %s by %v", name, a.Harvest.Level.ID, a.Entries)
		}
	}
}

func TestTheTextThatReadsGenericallyHidesNoOtherField(t *testing.T) {
	b := loadBuiltin(t)
	body := strings.Replace(blog(linked, ""), `class="xq product"`, `class="single-post postid-7"`, 1)
	p, _ := b.page(t, "wordpress", "https://quayside.example/ice-in-the-harbour/", body)
	p.Generic = true
	h := extract.Run(p)
	if !h.Generic || len(h.Objects) != 1 {
		t.Fatalf("the page is not read generically: %v", h.Objects)
	}
	a := b.mend(p, h)
	if o := a.Harvest.Objects[0]; o.Value("created") != "2019-02-03T08:15:00Z" || o.Value("creator") != "Ada Quist" ||
		!strings.HasPrefix(o.Value("content"), "The harbour froze") {
		t.Errorf("mended to %v: %s", o, a.Left)
	}
}

func TestALevelIsToldByWhatIsThere(t *testing.T) {
	b := loadBuiltin(t)
	for _, at := range []string{"https://quayside.example/2019/02/index.html", "https://quayside.example/2019/02/index"} {
		p, h := b.page(t, "wordpress", at, blog("", ""))
		p.Generic = true
		if a := b.mend(p, h); a.Harvest.Level != nil {
			t.Errorf("%s: the list of a month is told as %s by %s", at, a.Harvest.Level.ID, a.Entries[0].Expr)
		}
	}
	e, err := xpath.Parse("body[not(contains(@class, 'attachment'))]")
	if err != nil || asks(e) {
		t.Errorf("what is not there says something: %v", err)
	}
}
