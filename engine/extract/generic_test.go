package extract

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// prose is n paragraphs of what people write; each says its number.
func prose(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<p>Paragraph %d tells, at some length, how a plank is steamed, bent over its mould and left to cool, so that "+
			"it keeps its shape for the years to come, in all weathers and on every water.</p>\n", i+1)
	}
	return b.String()
}

// around puts what real pages have around their text.
func around(head, body string) string {
	return `<html><head><title>Steaming planks - The Slipway</title>` + head + `</head><body class="page has-sidebar">
<div class="cookie-notice">
<p>This site uses cookies to remember what you like, to count its visitors and for other purposes that nobody reads about.</p></div>
<div id="masthead"><a href="/">The Slipway</a></div><nav><ul><li><a href="/hulls/">Hulls</a></li><li>
<a href="/oars/">Oars and other things to row with</a></li></ul></nav>
` + body + `
<div class="sidebar"><h3>About</h3>
<p>This is a site about boats, and has been since the days when people wrote their pages by hand, one by one, at night.</p></div>
<div class="relatedPosts"><h4><a href="/a/">Adzes</a></h4>
<p>Another text about another thing that begins like this and goes on elsewhere, for those who like to read.</p></div>
<div class="comments"><h3>2 comments</h3>
<p>I have always done it otherwise, and so did my father before me, on the very same river, and it held.</p></div>
<footer><p>All rights are reserved by the owners of this site, as they have been since it was opened to the public.</p></footer></body>
</html>`
}

func generic(t testing.TB, page, address string, typ *kb.Type) Harvest {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := Page{Doc: document(t, page, at), URL: at, Type: typ, Generic: true}
	if typ != nil {
		p.Levels = typ.Levels
	}
	return Run(p)
}

const article = `<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"The Slipway"},
{"@type":["BlogPosting"],"headline":"Steaming planks","datePublished":"2023-02-03T07:15:00+01:00",
"author":{"@id":"#ruth"}},{"@type":"Person","@id":"#ruth","name":"Ruth Alder"}]}</script>`

// TestGenericReading holds when a page of an unknown application is read, and
// what is taken from it.
func TestGenericReading(t *testing.T) {
	text := `<div class="x1"><div class="x2"><h1>Steaming planks</h1><div class="meta">By Ruth</div><div class="x3">` + prose(4) +
		`<ul><li>Oak</li><li>Ash</li></ul>` + prose(1) + `</div></div></div>`
	long := `<div class="x1"><h1>Steaming planks</h1>` + prose(12) + `</div>`
	item := func(i int) string {
		return fmt.Sprintf(`<div class="row"><h2><a href="/p/%d">Plank %d</a></h2>%s</div>`, i, i, prose(2))
	}
	list := `<div class="x1">` + item(1) + item(2) + item(3) + item(4) + item(5) + item(6) + `</div>`
	post := func(i int) string {
		return fmt.Sprintf(`<div class="row"><div><a href="/u/%d">Member %d</a></div><div>%s</div></div>`, i, i, prose(3))
	}
	topic := `<div class="x1"><h1>Steaming planks</h1>` + post(1) + post(2) + post(3) + post(4) + `</div>`
	const address = "http://boats.example/steaming"
	for _, c := range []struct {
		name, page, address string
		want                string // title|creator|created, or empty for no object
	}{
		{"JSON-LD", around(article, text), address, "Steaming planks|Ruth Alder|2023-02-03T07:15:00+01:00"},
		{"Open Graph", around(`<meta property="og:type" content="article"><meta property="og:title" content="Steaming planks"><meta `+
			`property="article:published_time" content="2023-02-03"><meta name="author" content="Ruth Alder">`, text), address,
			"Steaming planks|Ruth Alder|2023-02-03"},
		{"microdata", around("", `<article itemscope itemtype="https://schema.org/Article"><span itemprop="author" itemscope><b `+
			`itemprop="name">Ruth Alder</b></span><time itemprop="datePublished" datetime="2023-02-03">Friday</time>`+text+`</article>`),
			address, "Steaming planks|Ruth Alder|2023-02-03"},
		{"links and times", around(`<meta property="og:type" content="article">`,
			`<a rel="author" href="/ruth">Ruth Alder</a> <time class="published" datetime="2023-02-03">3 Feb</time>`+text), address,
			"Steaming planks|Ruth Alder|2023-02-03"},
		{"a text that dominates", around("", long), address, "Steaming planks||"},
		{"a short text of which nothing is said", around("", text), address, ""},
		{"a front page", around("", long), "http://boats.example/", ""},
		{"a search", around("", long), "http://boats.example/find?q=plank", ""},
		{"a category", around("", long), "http://boats.example/category/planks/", ""},
		{"a list of teasers", around(`<meta property="og:type" content="article">`, list), address, ""},
		{"a list that says so", around(`<script type="application/ld+json">{"@type":"CollectionPage"}</script>`, long), address, ""},
		{"a discussion", around(`<meta property="og:type" content="article">`, topic), address, ""},
		{"a discussion that says so", around(`<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>`, long),
			address, ""},
		{"a page that is not there", around(`<meta property="og:type" content="article">`,
			strings.ReplaceAll(text, "Steaming planks", "Error 404")), address, "Steaming planks - The Slipway||"},
		{"a page that is not there and says so", strings.ReplaceAll(around(`<meta property="og:type" content="article">`, text),
			"Steaming planks", "Page not found"), address, ""},
		{"an article without text", around(article, "<h1>Steaming planks</h1><p>Soon.</p>"), address, ""},
		{"broken JSON-LD", around(`<script type="application/ld+json">{"@type":"Article",}</script>`, text), address, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := generic(t, c.page, c.address, nil)
			got := ""
			for _, o := range h.Objects {
				got += o.Value("title") + "|" + o.Value("creator") + "|" + o.Value("created")
				if o.Class != "schema:WebPage" || o.ID != c.address || !h.Generic {
					t.Errorf("%+v, generic %v", o, h.Generic)
				}
				content := o.Value("content")
				for _, mark := range []string{"cookies", "Hulls", "about boats", "Adzes", "my father", "reserved", "By Ruth"} {
					if strings.Contains(content, mark) {
						t.Errorf("%q is in the main text:\n%s", mark, content)
					}
				}
				if !strings.HasPrefix(content, "Paragraph 1 tells") || strings.Contains(c.page, "<li>Ash") &&
					!strings.Contains(content, "\nOak\nAsh\n") || !strings.Contains(o.Value("content_html"), "<p>Paragraph 1") {
					t.Errorf("the main text is\n%s", content)
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(h.Links) == 0 {
				t.Error("a page of an unknown application gives all its links")
			}
			if without := generic(t, c.page, c.address, nil); c.want == "" && without.Generic {
				t.Error("nothing was read, and yet it says so")
			}
		})
	}
	at, _ := url.Parse(address)
	if h := Run(Page{Doc: document(t, around(article, text), at), URL: at}); len(h.Objects) != 0 {
		t.Error("a page is read generically that nobody asked to read so")
	}
}

// TestGenericContent holds when the content of a known application's page is
// found generically: where its level has one, shows it, and no action gave it.
func TestGenericContent(t *testing.T) {
	typ := typeOf(t, "",
		`<level id="post" kind="terminal"><detect><pattern>html</pattern></detect><object class="sioct:BlogPost" id="{url}">
		<field name="title">h1</field>
		<field name="content" as="html" required="yes" unless="form[@class='password']">div[@class='entry']</field>
		<object class="sioct:Comment" id="#{@id}" at="div[@class='reaction']"><field name="content" as="html">p</field></object></object>
		</level>`)
	builder := `<div class="b1"><h1>Planks</h1><div class="b2"><h2>Why</h2>` + prose(2) + `</div><div class="b2"><h2>How</h2>` + prose(2) +
		`</div></div>`
	for _, c := range []struct{ name, body, starts, not string }{
		{"a page builder", builder, "Why\nParagraph 1", ""},
		{"comments are objects of their own", builder + `<div class="reaction" id="c1">` + prose(20) + `</div>`, "Why\nParagraph 1",
			"Paragraph 20"},
		{"an action found it", `<h1>Planks</h1><div class="entry">Short.</div>` + builder, "Short.", "Paragraph"},
		{"it is a picture", `<h1>Planks</h1><div class="entry"><img src="p.png"></div>` + builder, "", "Paragraph"},
		{"it is behind a password", `<h1>Planks</h1><form class="password"></form>` + builder, "", "Paragraph"},
		{"there is none", `<h1>Planks</h1><p>Soon.</p>`, "", "Soon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := generic(t, around("", c.body), "http://boats.example/planks", typ)
			if len(h.Objects) == 0 || h.Objects[0].Value("title") != "Planks" {
				t.Fatalf("%+v", h.Objects)
			}
			content := h.Objects[0].Value("content")
			if !strings.HasPrefix(content, c.starts) || c.starts == "" && content != "" || c.not != "" && strings.Contains(content, c.not) {
				t.Errorf("content\n%s", content)
			}
			if c.name == "a page builder" && len(h.Misses) != 1 {
				t.Errorf("misses %v: that no action fits the page is still to be known", h.Misses)
			}
		})
	}
}

// TestMainTextOfLinkedParts holds that an article whose parts have linked
// headings is told from teasers by what the page says of itself.
func TestMainTextOfLinkedParts(t *testing.T) {
	part := func(i int) string {
		return fmt.Sprintf(`<div class="part"><h3><a href="/venue/%d">Venue %d</a></h3>%s</div>`, i, i, prose(2))
	}
	page := around(article, `<div class="x"><h1>Steaming planks</h1>`+prose(1)+part(1)+part(2)+part(3)+part(4)+`</div>`)
	h := generic(t, page, "http://boats.example/steaming", nil)
	if len(h.Objects) != 1 || strings.Count(h.Objects[0].Value("content"), "Paragraph") != 9 ||
		!strings.Contains(h.Objects[0].Value("content"), "Venue 4") {
		t.Errorf("%+v", h.Objects)
	}
}

// TestWeighing holds that ideographs weigh what the letters would that say as
// much.
func TestWeighing(t *testing.T) {
	for s, want := range map[string]int{"": 0, " \n ": 0, "oak": 3, " oak  and\nash ": 12, "橡木": 6, "かなカナ": 12} {
		if got := weigh(s); got != want {
			t.Errorf("weigh(%q) = %d, want %d", s, got, want)
		}
	}
}

// TestBesideNames checks the reader of class names against an obvious one.
func TestBesideNames(t *testing.T) {
	word := regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	obvious := func(names string) (beside, sure bool) {
		for _, name := range strings.Fields(names) {
			words := word.FindAllString(name, -1)
			for i, w := range words {
				w = strings.ToLower(w)
				beside = beside || besideWords[w]
				sure = sure || sureWords[w] || coverWords[w] && i == len(words)-1 && strings.HasSuffix(strings.ToLower(name), w)
			}
		}
		return beside, sure
	}
	parts := []string{"sidebar", "Comments", "nav", "cli", "Modal", "content", "entry", "Ads", "-", "_", " ", "2", "é", "related", "Popup",
		"x"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		for range r.IntN(7) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		beside, sure := besideName(b.String())
		if wantBeside, wantSure := obvious(b.String()); beside != wantBeside || sure != wantSure {
			t.Fatalf("%q: %v %v, want %v %v", b.String(), beside, sure, wantBeside, wantSure)
		}
	}
}

// TestGenericReadingIsBounded holds that hostile pages end within the budget of
// steps, with no object rather than half of one.
func TestGenericReadingIsBounded(t *testing.T) {
	repeat := func(s string) string { return strings.Repeat(s, 3000) }
	for name, body := range map[string]string{
		"nested": strings.Repeat("<div class='row x'>", 500) +
			repeat("<p>one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen</p>"),
		"headings":  strings.Repeat("<div>", 400) + repeat("<h2><a href=/x>x</a></h2><div>a few words</div>"),
		"microdata": strings.Repeat("<div itemprop=author><span itemprop=name>", 200),
		"classes":   repeat("<b class='" + strings.Repeat("a-", 400) + "'>x</b>"),
		"JSON-LD": "<script type='application/ld+json'>" + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "</script>" +
			repeat("<script type='application/ld+json'>{\"@type\":\"Article\"}</script>"),
		"text nodes": "<p>" + repeat("a<b>b</b>"),
	} {
		at := &url.URL{Scheme: "http", Host: "h.example", Path: "/x"}
		root, err := html.Parse(strings.NewReader(around(article, body)))
		if err != nil {
			t.Fatal(name, err)
		}
		for _, steps := range []int{0, 100, 10_000, 200_000, maxWork} {
			work := kb.NewWork(steps)
			h := runWithin(Page{Doc: root, URL: at, Generic: true}, work, nil)
			if work.Spent() && len(h.Objects) > 0 {
				t.Errorf("%s: an object of a page that was not read to its end", name)
			}
			if steps < 1000 && !work.Spent() {
				t.Errorf("%s: %d steps were enough", name, steps)
			}
		}
	}
}
