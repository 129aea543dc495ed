package engine_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// sitesGolden is hand-made truth about pages that are one main object each:
// an article, a post or a question, and what is said below it.
type sitesGolden struct {
	Type, Level, Class string
	Pages              []struct {
		File, Title      string
		Level            string // where it is not that of the others
		Creator, Created *string
		Modified         *string
		Starts, Ends     string
		AltEnds          string `json:"alt_ends"`
		Empty            bool
		Parts            map[string]int
		First, Last      *goldenPost
	}
}

// TestGoldenSites compares wikis, blogs and questions with what a reader wrote
// down about them.
func TestGoldenSites(t *testing.T) {
	needPages(t)
	d := builtinDetector(t)
	for _, name := range []string{"mediawiki", "blogger", "movabletype", "stackexchange"} {
		var golden sitesGolden
		readGolden(t, name, &golden)
		for _, want := range golden.Pages {
			t.Run(name+"/"+filepath.Base(want.File), func(t *testing.T) {
				p := inspectFile(t, d, filepath.Join(pagesDir, want.File))
				level := cmp.Or(want.Level, golden.Level)
				if f := p.Finding; f.Type == nil || string(f.Type.ID) != golden.Type || f.Level() == nil || string(f.Level().ID) != level {
					t.Fatalf("%v %v, want %s/%s", f.Type, f.Level(), golden.Type, level)
				}
				objects := p.Harvest.Objects
				if len(objects) == 0 || objects[0].Class != golden.Class {
					t.Fatalf("no %s but %v", golden.Class, objects)
				}
				main, parts := objects[0], objects[1:]
				if got := main.Value("title"); got != want.Title {
					t.Errorf("title %q, want %q", got, want.Title)
				}
				for field, value := range map[string]*string{"creator": want.Creator, "created": want.Created, "modified": want.Modified} {
					if got := main.Value(field); value != nil && got != *value {
						t.Errorf("%s %q, want %q", field, got, *value)
					} else if value == nil && got != "" && field != "modified" {
						t.Errorf("%s %q where the page shows none", field, got)
					}
				}
				content := bare(main.Value("content"))
				if !strings.HasPrefix(content, bare(want.Starts)) || want.Empty && content != "" {
					t.Errorf("content starts %.160q, want %q", main.Value("content"), want.Starts)
				}
				if !strings.HasSuffix(content, bare(want.Ends)) && (want.AltEnds == "" || !strings.HasSuffix(content, bare(want.AltEnds))) {
					c := main.Value("content")
					t.Errorf("content ends %q, want %q", c[max(0, len(c)-160):], want.Ends)
				}
				compareParts(t, parts, want.Parts, want.First, want.Last)
			})
		}
	}
}

// compareParts compares the objects below the main one: how many of each class,
// all of them with author, time and text, the first and last in detail.
func compareParts(t *testing.T, parts []extract.Object, counts map[string]int, first, last *goldenPost) {
	t.Helper()
	got := map[string]int{}
	for _, o := range parts {
		got[o.Class]++
		if o.Value("creator") == "" || o.Value("created") == "" || o.Value("content") == "" || o.Parent == "" {
			t.Errorf("%s: creator %q, created %q, %d bytes of content, in %q", o.ID, o.Value("creator"), o.Value("created"),
				len(o.Value("content")), o.Parent)
		}
	}
	for class, n := range counts {
		if got[class] != n {
			t.Errorf("%d %s, want %d", got[class], class, n)
		}
		delete(got, class)
	}
	if len(got) > 0 {
		t.Errorf("more than the page has: %v", got)
	}
	if first != nil && len(parts) > 0 {
		comparePost(t, "first", parts[0], first)
	}
	if last != nil && len(parts) > 0 {
		comparePost(t, "last", parts[len(parts)-1], last)
	}
}

// TestSiteLinks holds which links a crawl follows from one page of each type:
// content, lists and further pages, not what edits, compares or shares.
func TestSiteLinks(t *testing.T) {
	for _, c := range []struct {
		page  string
		links []string
	}{
		{"mediawiki-vector-article", []string{"article wiki/Clinker", "article wiki/Frame", "article wiki/Hulls", "article wiki/Main_Page",
			"article wiki/Paying:_a_method", "category wiki/Category:Building", "topic wiki/Talk:Carvel_planking"}},
		{"mediawiki-vector-topic", []string{"article wiki/Carvel_planking", "topic wiki/Talk:Carvel_planking/Archive_1"}},
		{"mediawiki-discussiontools-topic", []string{"article wiki/Frame"}},
		{"mediawiki-vector-category", []string{"article wiki/Carvel_planking", "article wiki/Clinker", "article wiki/Main_Page",
			"category wiki/Category:Boats", "category wiki/Category:Tools", "category+ index.php?pagefrom=Frame&title=Category:Building"}},
		{"dokuwiki-dokuwiki-article", []string{"article cloth", "article rig/boom", "article rig/start", "article start"}},
		{"movabletype-2-archive", []string{"archive http://harbour.example/archives/2004_03.html", "home http://harbour.example/",
			"post http://harbour.example/archives/000012.html"}},
		{"blogger-simple-home", []string{"home+ http://knots.example/search?max-results=2&updated-max=2012-02-01T00:00:00%2B01:00",
			"page http://knots.example/p/about.html", "post http://knots.example/2012/02/splices.html",
			"post http://knots.example/2012/03/fewer-lines.html"}},
		{"stackexchange-2022-topic", []string{"forum questions"}},
		{"stackexchange-2022-forum", []string{"forum questions", "forum+ questions?page=2", "topic questions/7", "topic questions/8"}},
		{"reddit-old-topic", []string{"forum https://old.reddit.com/r/boats/", "topic+ r/boats/comments/1abc2d/which_anchor/k2/"}},
		{"hackernews-2023-forum", []string{"forum+ ?p=2", "topic item?id=700"}},
	} {
		t.Run(c.page, func(t *testing.T) {
			p := inspectExample(t, kb.Example{Page: "testdata/" + c.page + ".html"})
			if p.Finding.Type == nil {
				t.Fatal("no type")
			}
			if links := followed(t, p); !slices.Equal(links, c.links) {
				t.Errorf("links\n%s\nwant\n%s", strings.Join(links, "\n"), strings.Join(c.links, "\n"))
			}
		})
	}
}
