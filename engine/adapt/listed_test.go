package adapt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

const sentenceOf = "The harbour froze over in the night, and the ferries stayed where they were until the sun had done its work on the ice."

// blogPage is a page of a WordPress site whose theme writes none of the names of the body.
// sentences are as long as sentenceOf and all different, as they are on real pages.
var sentences = []string{
	sentenceOf,
	"The oldest pilots did not remember ice of that strength, though the old lock keeper had measured it each winter since his wedding.",
	"Children skated to the far mole and back for bread, while their mothers called from the steps that the ice was thinner there.",
	"A herring boat from the north lay fast beside the coal pier, and her crew walked over the ice to the inn with empty cans.",
	"Two men sawed a channel for the pilot, one block after the other, and pushed each piece below the ice with long poles.",
	"When the wind turned at noon the whole bay cracked with a noise like a cart of planks, and the ice moved a yard to the east.",
	"The mayor forbade sledges behind the third buoy, which was painted red for the purpose and stood crooked in the ice for weeks.",
	"In the evening there were lanterns on the breakwater and music from the custom house, and steam rose where the ice was open.",
	"Letters came by foot from the island, wrapped in oilcloth, carried by a boy who tested the ice before him with an iron rod.",
	"The price of coal went up twice in one week, so that the school was closed and its pupils helped to clear ice from the slip.",
	"It ended as it had begun, without a sign: rain fell on a Sunday, and by Tuesday the last ice was a grey heap below the crane.",
	"The keeper wrote the day into his book, drew a line below it, and hung the ice saw back on its two nails in the boat house.",
}

// paragraphs are n sentences after some others.
func paragraphs(from, n int) string {
	return "<p>" + strings.Join(sentences[from:from+n], "</p><p>") + "</p>"
}

func blogPage(title, head, main string) string {
	return `<html><head><title>` + title + ` – Quayside</title><meta name="generator" content="WordPress 6.1">` + head +
		`</head><body class="zz">
<header><p class="a1"><a href="/">Quayside</a></p></header><main>` + main + `</main></body></html>`
}

func teaser(heading string, n int) string {
	return fmt.Sprintf(`<article class="t4"><%[1]s><a href="/2021/06/%[2]d/ice-%[2]d/">Ice, part %[2]d</a></%[1]s><time `+
		`datetime="2021-06-%[2]dT08:00:00Z">June %[2]d</time><div class="x3"><p>%[3]s</p></div></article>`, heading, 10+n, sentences[n])
}

func TestTextsOfAListHavePagesOfTheirOwn(t *testing.T) {
	b := loadBuiltin(t)
	for name, c := range map[string]struct {
		at, title, head, main string
		want                  bool
	}{
		"one teaser under its title": {"/2021/06/", "June 2021", "", `<h1>Month: June 2021</h1>` + teaser("h2", 1), true},
		"several":                    {"/notes/", "Notes", "", teaser("h2", 1) + teaser("h2", 2), true},
		"the title in a link": {"/notes/", "Notes", "",
			`<a href="/one/"><h3>One</h3></a><p>` + sentenceOf + `</p><a href="/two/"><h3>Two</h3></a><p>` + sentenceOf + `</p>`, true},
		"an article under its own title": {"/ice/", "Ice", "", `<h1>Ice</h1><div><p>` + sentenceOf + `</p></div>`, false},
		"a title that links to its own page": {"/ice/", "Winter", "",
			`<h2><a href="http://www.quayside.example/ice">Ice</a></h2><p>` + sentenceOf + `</p>`, false},
		"or that is the page's": {"/?p=7", "Ice", "", `<h2><a href="/ice/">Ice</a></h2><p>` + sentenceOf + `</p>`, false},
		"the name of the site above": {"/notes/ice/", "Winter", "", `<h1><a href="/notes/">Notes</a></h1><p>` + sentenceOf + `</p>`,
			false},
		"links to other sites": {"/ice/", "Winter", "",
			`<h2><a href="https://other.example/a/">Ice</a></h2><p>` + sentenceOf +
				`</p><h2><a href="https://other.example/b/">Snow</a></h2><p>` + sentenceOf + `</p>`, false},
		"an article with others below it": {"/ice/", "Ice", "", `<h1>Ice</h1><p>` + sentenceOf + `</p>` + teaser("h2", 1) + teaser("h2", 2),
			false},
	} {
		p, _ := b.page(t, "wordpress", "http://quayside.example"+c.at, blogPage(c.title, c.head, c.main))
		of := "main"
		if name == "one teaser under its title" {
			of = "div" // its text alone
		}
		var main *html.Node
		for n := range p.Doc.Descendants() {
			if n.Data == of {
				main = n
			}
		}
		if got := newLister(p).lists(main); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestListsAreNoPosts: where no name of the body says what a page is, a list of a day with
// one post in it looks like the post.
func TestListsAreNoPosts(t *testing.T) {
	b := loadBuiltin(t)
	for at, c := range map[string]struct {
		main  string
		level kb.LevelID
	}{
		"/2021/06/11/":     {`<h1>Day: June 11, 2021</h1>` + teaser("h2", 1), "archive"},
		"/2021/06/page/2/": {`<h1>Month: June 2021</h1>` + teaser("h2", 1) + teaser("h2", 2) + teaser("h2", 3), "archive"},
		"/notes/":          {teaser("h2", 1), ""},
	} {
		p, h := b.page(t, "wordpress", "http://quayside.example"+at, blogPage("June 11, 2021", "", c.main))
		p.Generic = true
		a := b.mend(p, h)
		if len(a.Harvest.Objects) > 0 || c.level == "" && a.Harvest.Level != nil || c.level != "" &&
			(a.Harvest.Level == nil || a.Harvest.Level.ID != c.level) {
			t.Errorf("%s: %v, objects %v; %s", at, a.Entries, a.Harvest.Objects, a.Left)
		}
		if c.level != "" && len(linksTo(a.Harvest, "post")) == 0 {
			t.Errorf("%s: leads to no post: %v", at, a.Entries)
		}
	}
}

// TestWhatPassesForAPost: two weak signs tell a post, and a list can have them.
func TestWhatPassesForAPost(t *testing.T) {
	b := loadBuiltin(t)
	weak := `<meta property="article:published_time" content="2021-06-11T08:00:00+00:00">`
	whole := `<h1 class="entry-title">Ice</h1><div class="entry-content"><p>` + strings.Repeat(sentenceOf+" ", 5) + `</p></div>`
	for name, c := range map[string]struct {
		at, body string
		want     bool
	}{
		"a post": {"/ice/", blogPage("Ice", weak, whole), true},
		"a list": {"/notes/",
			blogPage("Notes", weak, strings.ReplaceAll(teaser("h2", 1)+teaser("h2", 2), "x3", "entry-content")), false},
		"the front of the site": {"/", blogPage("Quayside", weak, whole), false},
		"a list that the theme calls so": {"/notes/",
			strings.Replace(blogPage("Notes", weak, strings.ReplaceAll(teaser("h2", 1)+teaser("h2", 2), "x3", "entry-content")),
				`class="zz"`, `class="single-post"`, 1), true},
	} {
		p, h := b.page(t, "wordpress", "http://quayside.example"+c.at, c.body)
		if h.Level == nil || h.Level.ID != "post" {
			t.Fatalf("%s does not pass for a post", name)
		}
		if lost(h, Judge(p, h)) == c.want {
			t.Errorf("%s: %v", name, Judge(p, h))
		}
		isPost := func(o extract.Object) bool { return o.Class == "sioct:BlogPost" }
		r := New(LearnerOptions{}).Page(b.base, p, h)
		if got := slices.ContainsFunc(r.Harvest.Objects, isPost) || r.Provisional != nil &&
			slices.ContainsFunc(r.Provisional.Objects, isPost); got != c.want {
			t.Errorf("%s: a learner publishes %v, provisionally %v", name, r.Harvest.Objects, r.Provisional)
		}
		if a := b.mend(p, h); slices.ContainsFunc(a.Harvest.Objects, isPost) != c.want {
			t.Errorf("%s is mended as %v", name, a.Harvest.Objects)
		}
	}
}

// TestFrontsAreLists: a level that may be a text or a list leads to posts like a list; where
// its author wants no archives beside further pages of it, none are looked for.
func TestFrontsAreLists(t *testing.T) {
	b := loadBuiltin(t)
	if typ := b.base.Type("wordpress"); !down(typ, "home", "post") || down(typ, "post", "home") {
		t.Error("the front of a blog does not lead down to its posts")
	}
	menu := `<p class="w4"><a href="/category/ropes/">Ropes</a> <a href="/category/ice/">Ice</a> <a href="/category/keels/">Keels</a></p>`
	for paging, want := range map[string]int{"": 3, `<div class="q8"><a href="/page/2/">Older</a></div>`: 0} {
		p, h := b.page(t, "wordpress", "http://quayside.example/",
			blogPage("Quayside", "", menu+teaser("h2", 1)+teaser("h2", 2)+teaser("h2", 3)+paging))
		if a := b.mend(p, h); len(linksTo(a.Harvest, "archive")) != want {
			t.Errorf("with %q: archives %v, want %d; %v", paging, linksTo(a.Harvest, "archive"), want, a.Entries)
		}
	}
}
