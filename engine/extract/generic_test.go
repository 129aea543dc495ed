package extract

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// sentences are what a page about boats tells, so that no two paragraphs of a page are equal.
var sentences = []string{
	"how a plank is steamed, bent over its mould and left to cool, so that it keeps its shape for years, in all weathers.",
	"which trees were felled in winter, when the sap is low, and why the sawyer turned each log twice before the first cut.",
	"of the shed by the river, whose doors were too narrow for the last hull, until somebody took out the wall on the south side.",
	"that copper nails are dearer than iron ones, but no owner has ever asked us to draw them again after twenty summers at sea.",
	"how the ribs were laid out on the floor in chalk, at full size, and how an error of a finger's width was found too late.",
	"why tar smells of smoke, how long it must be boiled with resin, and what happens to a brush that is left in it overnight.",
	"about the apprentice who planed the wrong side of a board for a whole morning, and whom nobody stopped, so that he learned it.",
	"where the mast came from, on which ship it had stood before, and who carried it through the village with eleven neighbours.",
	"that a sail is cut flatter for strong wind, that old sailmakers did so by eye, and that ours was too full in its first year.",
	"how the boat was launched at high water in the rain, with one pump running, and was dry inside after three days at the pier.",
	"what the repair cost in hours, in timber and in bread and soup, written down on the back of an invoice from the year before.",
	"why we would do it again, though with a lighter keel, a longer rudder, better gloves and less advice from the far bank.",
}

// prose is n paragraphs of what people write; each says its number.
func prose(n int) string { return proseFrom(0, n) }

// proseFrom is n paragraphs after some others.
func proseFrom(at, n int) string {
	var b strings.Builder
	for i := at; i < at+n; i++ {
		fmt.Fprintf(&b, "<p>Paragraph %d tells, at some length, %s</p>\n", i+1, sentences[i%len(sentences)])
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
	text := `<div class="x1"><div class="x2"><h1>Steaming planks</h1><div class="meta">By Ruth</div><div class="x3">` + prose(9) +
		`<ul><li>Oak</li><li>Ash</li></ul>` + prose(3) + `</div></div></div>`
	short := `<div class="x1"><h1>Steaming planks</h1>` + prose(5) + `</div>`
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
		{"a short text of which nothing is said", around("", short), address, ""},
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
		{"broken JSON-LD", around(`<script type="application/ld+json">{"@type":"Article",}</script>`, text), address, "Steaming planks||"},
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
	builder := `<div class="b1"><h1>Planks</h1><div class="b2"><h2>Why</h2>` + prose(2) + `</div>` +
		`<div class="b2"><h2>How</h2>` + proseFrom(2, 2) +
		`</div></div>`
	for _, c := range []struct{ name, body, starts, not string }{
		{"a page builder", builder, "Why\nParagraph 1", ""},
		{"comments are objects of their own", builder + `<div class="reaction" id="c1">` + proseFrom(16, 8) + `</div>`, "Why\nParagraph 1",
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
		return fmt.Sprintf(`<div class="part"><h3><a href="/venue/%d">Venue %d</a></h3>%s</div>`, i, i, proseFrom(2*i, 2))
	}
	page := around(article, `<div class="x"><h1>Steaming planks</h1>`+prose(1)+part(1)+part(2)+part(3)+part(4)+`</div>`)
	h := generic(t, page, "http://boats.example/steaming", nil)
	if len(h.Objects) != 1 || strings.Count(h.Objects[0].Value("content"), "Paragraph") != 9 ||
		!strings.Contains(h.Objects[0].Value("content"), "Venue 4") {
		t.Errorf("%+v", h.Objects)
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
