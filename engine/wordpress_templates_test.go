package engine_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/kb"
)

// TestWordPressTemplates holds what the built-in knowledge base takes from one
// page of each family of themes: title, objects as
// fragment<parent|creator|created|content, and the links that it follows. Share
// links, calendars, archives, feeds, log-ins, replies, other posts' comment
// pages and queries inside a post are on these pages and are not taken.
func TestWordPressTemplates(t *testing.T) {
	const post = "http://localhost/2019/05/caulking/"
	for _, c := range []struct {
		page, url      string
		title, creator string
		created, text  string
		topics         []string
		comments       []string
		links          []string
	}{
		{page: "classic-post", url: post, title: "Caulking a clinker hull", creator: "Maud Penn", created: "2019-05-04T09:30:00+02:00",
			text: "Cotton first, then putty. Never the other way round.", topics: []string{"Hulls", "cotton"},
			comments: []string{
				"7<|Joss|2019-05-04T12:00:00+02:00|Oakum is older.", "9<7|Maud Penn|2019-05-05T08:00:00+02:00|And rots sooner.",
				"8<|Links of the week||", "pingback-http://quay.example/<|Quayside||",
			},
			links: []string{"home ", "page about/", "page yard-rules/", "post 2019/04/oars/", "post 2019/06/masts/",
				"post+ 2019/05/caulking/2/", "post+ 2019/05/caulking/comment-page-2/"}},
		{page: "classic-post-2", url: post + "2/", title: "Caulking a clinker hull", creator: "Maud Penn",
			created: "2019-05-04T09:30:00+02:00", text: "Putty is linseed oil and whiting.",
			comments: []string{"7<|Joss|2019-05-04T12:00:00+02:00|Oakum is older."},
			links:    []string{"post+ 2019/05/caulking/"}},
		{page: "kubrick-post", url: post, title: "Ein neuer Kiel", created: "2007-01-08T17:10:00", text: "Eiche, in einem Stück.",
			topics:   []string{"Boote"},
			comments: []string{"31<|Hein|2007-01-14T18:05:00|Wie schwer?", "32<|Gast|2007-01-15T07:40:00|Achtzig Kilo. Ohne Bolzen."},
			links:    []string{"post 2006/12/altes-holz/"}},
		{page: "block-post", url: post, title: "Steaming planks", creator: "Ruth Alder", created: "2023-02-03T07:15:00Z",
			text: "One hour for each inch.", topics: []string{"Steam"},
			comments: []string{"3<|Pim|2023-02-03T09:00:00Z|Or microwave the small ones.", "4<3|Orla|2023-02-04T10:30:00Z|Please do not."},
			links:    []string{"home ", "page crew/", "post adzes/", "post+ steaming/comment-page-2/"}},
		{page: "protected-post", url: post, title: "Protected: Accounts", creator: "Maud Penn", created: "2020-01-02T03:04:05Z"},
		{page: "classic-page", url: "http://localhost/about/", title: "About", text: "Three people and a shed.",
			links: []string{"home ", "page about/", "page about/shed/"}},
		{page: "classic-home", links: []string{"home+ page/13/", "home+ page/2/", "page about/", "post 2018/01/welcome/",
			"post 2019/04/40/", "post 2019/05/caulking/"}},
		{page: "classic-home-short", links: []string{"archive category/hulls/", "post newest/"}},
		{page: "block-home", links: []string{"home+ ", "home+ page/3/", "page crew/", "post steaming/"}},
		{page: "classic-archive", links: []string{"archive+ category/hulls/page/2/", "home ", "post 2019/05/caulking/"}},
	} {
		t.Run(c.page, func(t *testing.T) {
			p := inspectExample(t, kb.Example{Page: "testdata/wordpress-" + c.page + ".html", URL: c.url})
			got, comments := postOf(p.Harvest)
			base := strings.TrimSuffix(c.url, "2/")
			if got.ID != "" && got.ID != base {
				t.Errorf("id %s, want %s", got.ID, base)
			}
			text := strings.ReplaceAll(got.Value("content"), "\n", " ")
			if got.Value("title") != c.title || got.Value("creator") != c.creator || got.Value("created") != c.created || text != c.text {
				t.Errorf("%s|%s|%s|%s", got.Value("title"), got.Value("creator"), got.Value("created"), text)
			}
			var topics, lines []string
			for _, f := range got.Fields {
				if f.Name == "topic" {
					topics = f.Values
				}
			}
			if !slices.Equal(topics, c.topics) {
				t.Errorf("topics %q, want %q", topics, c.topics)
			}
			short := func(id string) string {
				return strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(id, base), "#"), "comment-")
			}
			for _, o := range comments {
				lines = append(lines, short(o.ID)+"<"+short(o.Parent)+"|"+o.Value("creator")+"|"+o.Value("created")+"|"+
					strings.ReplaceAll(o.Value("content"), "\n", " "))
			}
			if !slices.Equal(lines, c.comments) {
				t.Errorf("comments\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(c.comments, "\n"))
			}
			if links := followed(t, p); !slices.Equal(links, c.links) {
				t.Errorf("links\n%s\nwant\n%s", strings.Join(links, "\n"), strings.Join(c.links, "\n"))
			}
		})
	}
}

// TestWordPressArchivesWithoutClasses holds that themes from before body_class()
// have their lists told from the front page: by a heading, by a title that
// wp_title(”) wrote, or by the address.
func TestWordPressArchivesWithoutClasses(t *testing.T) {
	const list = `<html><head><title>%s</title><meta name="generator" content="WordPress 2.1"></head><body>%s
		<h2><a href="/2007/01/kiel/" rel="bookmark">Kiel</a></h2><h2><a href="/2007/01/leim/" rel="bookmark">Leim</a></h2></body></html>`
	for _, c := range []struct{ title, heading, url, level string }{
		{" Werftbuch", "", "http://localhost/", "home"},
		{" Werftbuch", "", "http://localhost/page/2/", "home"},
		{" Werftbuch", `<h2 class="pagetitle">Januar</h2>`, "http://localhost/x", "archive"},
		{"  2007  Januar Werftbuch", "", "http://localhost/x", "archive"},
		{"Werftbuch", "", "http://localhost/2007/01/", "archive"},
		{"Werftbuch", "", "http://localhost/2007/01/page/3/", "archive"},
		{"Werftbuch", "", "http://localhost/?m=200701", "archive"},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		p, err := engine.Inspect(builtinDetector(t), engine.Answer{URL: u, HTML: fmt.Appendf(nil, list, c.title, c.heading)},
			engine.Hints{})
		if err != nil {
			t.Fatal(err)
		}
		if v := p.Finding.Level(); v == nil || string(v.ID) != c.level {
			t.Errorf("%+v: level %v", c, v)
		}
	}
}

// TestWordPressAuthorsAreNames: a sentence links to the author's posts as the name does.
func TestWordPressAuthorsAreNames(t *testing.T) {
	const post = `<html><head><meta name="generator" content="WordPress 6.1"></head><body class="single-post"><article><h1 ` +
		`class="entry-title">Leim</h1>%s</article></body></html>`
	u := &url.URL{Scheme: "http", Host: "localhost", Path: "/leim/"}
	for body, want := range map[string]string{
		`<a rel="author" href="/author/ada/">View all of Ada's posts.</a>`:                         "",
		`<div class="author-bio byline"><a href="/author/ada/">View all of Ada's posts.</a></div>`: "",
		`<a rel="author" href="/author/ada/">Ada</a>`:                                              "Ada",
		`<a rel="author" href="/author/ada/">Ada Quist Jr.</a>`:                                    "Ada Quist Jr.",
		`<span class="byline"><a href="/author/ada/">Ada Maria van der Quist</a></span>`:           "Ada Maria van der Quist",
	} {
		p, err := engine.Inspect(builtinDetector(t), engine.Answer{URL: u, HTML: fmt.Appendf(nil, post, body)}, engine.Hints{})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := postOf(p.Harvest); got.Value("creator") != want {
			t.Errorf("%s: %q, want %q", body, got.Value("creator"), want)
		}
	}
}
