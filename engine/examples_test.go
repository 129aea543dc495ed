package engine_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// TestExamples runs every example of the built-in knowledge base.
func TestExamples(t *testing.T) {
	d := builtinDetector(t)
	for _, typ := range d.Base().Types {
		for i := range typ.Examples {
			x := &typ.Examples[i]
			t.Run(string(typ.ID)+"/"+filepath.Base(x.Page), func(t *testing.T) {
				r, err := engine.RunExample(d, typ, x)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range r.Failures {
					t.Errorf("%s: %s", f.Pos, f.Msg)
				}
			})
		}
	}
}

func inspectExample(t *testing.T, x kb.Example) engine.Page {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("../kb", x.Page))
	if err != nil {
		t.Fatal(err)
	}
	a := engine.Answer{HTML: fetch.DecodeHTML(body, "").HTML}
	if x.URL != "" {
		if a.URL, err = url.Parse(x.URL); err != nil {
			t.Fatal(err)
		}
	}
	p, err := engine.Inspect(builtinDetector(t), a, engine.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestForumTemplates holds what the built-in knowledge base takes from one page
// of each family of templates: posts as creator|created|content, and the links
// that it follows, without those that are optional. Signatures, edit notes,
// polls, advertisements, print views, sorts and last-post links are on these
// pages and are not taken.
func TestForumTemplates(t *testing.T) {
	checkTemplates(t, []templateCase{
		{"phpbb-prosilver-topic", "Which rope for a mooring?",
			[]string{"Ada|2024-05-04T10:00:00Z|Nylon or polyester? Code: haul 3",
				"Guest7|2024-05-04T11:30:00Z|Ada wrote: Sat May 04, 2024 12:00 pm Nylon or polyester? Nylon, it stretches.",
				"Bo|2024-05-05T07:15:00Z|"},
			[]string{"forum viewforum.php?f=1", "forum viewforum.php?f=2", "index ", "topic+ viewtopic.php?start=10&t=7"}},
		{"phpbb-prosilver30-topic", "Quel vernis ?",
			[]string{"Léa|2011-10-07T08:23:00|Deux couches ou trois ?", "Visiteur|2011-10-08T19:05:00|Trois, au soleil."},
			[]string{"forum forum/bateaux-f2.html", "index forum/", "topic+ forum/quel-vernis-t7-10.html"}},
		{"phpbb-absolution-topic", "Amarres",
			[]string{"Marc|2015-07-07T11:12:00|Quatre suffisent.", "Invité|2015-08-29T00:54:00|Merci."},
			[]string{"forum viewforum.php?f=2", "topic+ viewtopic.php?start=10&t=7"}},
		{"phpbb-subsilver2-topic", "Ash or spruce oars",
			[]string{"Nils|2016-01-09T02:30:00|Which wood lasts?", "Ola|2016-01-20T18:40:00|Ash."},
			[]string{"forum viewforum.php?f=1", "forum viewforum.php?f=2", "index ", "topic+ viewtopic.php?start=15&t=7"}},
		{"phpbb-subsilver-topic", "Pumps",
			[]string{"Ina|2005-03-01T17:30:00|It drips.", "Uwe|2005-03-02T07:10:00|Ina wrote: It drips. Change the gland."},
			[]string{"forum viewforum.php?f=2", "index ", "topic+ viewtopic.php?start=15&t=7", "topic+ viewtopic.php?t=7"}},
		{"phpbb-subsilver-rows-topic", "Anker", []string{"Kai|2009-01-29T18:23:00|Wie schwer?", "Jo|2009-02-03T09:05:00|Zehn Kilo."}, nil},
		{"phpbb-prosilver-forum", "", nil,
			[]string{"forum viewforum.php?f=1", "forum viewforum.php?f=2", "forum viewforum.php?f=3", "forum+ viewforum.php?f=2&start=50",
				"index ", "topic viewtopic.php?t=1", "topic viewtopic.php?t=7", "topic viewtopic.php?t=8"}},
		{"phpbb-prosilver-index", "", nil, []string{"forum viewforum.php?f=1", "forum viewforum.php?f=2", "forum viewforum.php?f=3"}},
		{"phpbb-subsilver2-forum", "", nil,
			[]string{"forum viewforum.php?f=1", "forum viewforum.php?f=2", "forum viewforum.php?f=3", "forum+ viewforum.php?f=2&start=50",
				"index ", "topic viewtopic.php?t=7"}},
		{"phpbb-subsilver-forum", "", nil, []string{"forum+ viewforum.php?f=2&start=50", "index ", "topic viewtopic.php?t=1",
			"topic viewtopic.php?t=7"}},
		{"phpbb-subsilver-index", "", nil, []string{"forum viewforum.php?f=2", "index index.php?c=1"}},

		{"vbulletin-2-topic", "Knots",
			[]string{"Aino|2020-12-03T21:04:00|Bowline or hitch?", "Veli|2020-12-05T04:09:00|Hitch."},
			[]string{"forum forumdisplay.php?f=2", "topic+ showthread.php?page=2&t=7"}},
		{"vbulletin-3-topic", "Plane irons",
			[]string{"Tove|2009-03-29T23:42:00|How do you hone them?",
				"Passer-by|2009-04-01T06:05:00|Quote: Originally Posted by Tove How do you hone them? On a wet stone."},
			[]string{"forum forumdisplay.php?f=1", "forum forumdisplay.php?f=2", "index ", "topic+ showthread.php?page=2&t=7"}},
		{"vbulletin-4-topic", "Sail twine",
			[]string{"Eva|2005-04-09T18:46:00|Waxed or plain?", "Visitor|2005-04-10T07:00:00|Waxed."},
			[]string{"forum forumdisplay.php?f=1", "forum forumdisplay.php?f=2", "index forum.php", "topic+ showthread.php?page=2&t=7"}},
		{"vbulletin-5-topic", "Hollow masts",
			[]string{"Isa|2024-04-16T17:53:41-07:00|Worth the work?", "Rolf|2024-04-17T09:00:00|Above six metres."},
			[]string{"forum forum", "forum forum/spars", "topic+ forum/spars/7-hollow-masts", "topic+ forum/spars/7-hollow-masts/page2"}},
		{"vbulletin-3-forum", "", nil,
			[]string{"forum forumdisplay.php?f=1", "forum forumdisplay.php?f=2", "forum forumdisplay.php?f=3",
				"forum+ forumdisplay.php?f=2&page=2", "index ", "topic showthread.php?t=18", "topic showthread.php?t=7"}},
		{"vbulletin-3-index", "", nil, []string{"forum forumdisplay.php?f=1", "forum forumdisplay.php?f=2", "forum forumdisplay.php?f=3"}},
		{"vbulletin-4-forum", "", nil,
			[]string{"forum forumdisplay.php?f=1", "forum forumdisplay.php?f=3", "forum forumdisplay.php?f=4",
				"forum+ forumdisplay.php?f=2&page=2", "index forum.php", "topic showthread.php?t=7"}},
		{"vbulletin-4-index", "", nil, []string{"forum forumdisplay.php?f=1", "forum forumdisplay.php?f=2", "forum forumdisplay.php?f=3"}},
		{"vbulletin-5-forum", "", nil, []string{"forum forum", "forum forum/spars", "forum+ forum/spars", "forum+ forum/spars/page2",
			"topic forum/spars/7-hollow-masts"}},
		{"vbulletin-5-index", "", nil, []string{"forum forum/spars"}},
	})
}

// templateCase is a small page of a family of templates with all that is taken
// from it: posts as author, time and text, links as level and address.
type templateCase struct {
	page, title  string
	posts, links []string
}

func checkTemplates(t *testing.T, cases []templateCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.page, func(t *testing.T) {
			p := inspectExample(t, kb.Example{Page: "testdata/" + c.page + ".html"})
			if p.Finding.Type == nil {
				t.Fatal("no type")
			}
			title, posts := threadOf(p.Harvest)
			if title != c.title {
				t.Errorf("title %q, want %q", title, c.title)
			}
			var got []string
			for _, o := range posts {
				got = append(got, o.Value("creator")+"|"+o.Value("created")+"|"+strings.ReplaceAll(o.Value("content"), "\n", " "))
			}
			if !slices.Equal(got, c.posts) {
				t.Errorf("posts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.posts, "\n"))
			}
			if links := followed(t, p); !slices.Equal(links, c.links) {
				t.Errorf("links\n%s\nwant\n%s", strings.Join(links, "\n"), strings.Join(c.links, "\n"))
			}
		})
	}
}

// followed lists the links that a crawl follows: level, "+" where it is paging,
// and the key without the host, each once.
func followed(t *testing.T, p engine.Page) []string {
	t.Helper()
	var out []string
	for _, l := range p.Harvest.Links {
		if l.Optional {
			continue
		}
		u, err := url.Parse(l.URL)
		if err != nil {
			t.Fatal(err)
		}
		mark := " "
		if l.Paging {
			mark = "+ "
		}
		out = append(out, string(l.To)+mark+strings.TrimPrefix(p.Finding.Type.URLs.Key(u), "http://localhost/"))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
