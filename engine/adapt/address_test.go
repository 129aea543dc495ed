package adapt

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// board describes one template of a forum, and the addresses of all.
const board = `<kb xmlns="urn:awarc:kb:1"><category id="forum" name="Forum"><type id="board">
<detect><pattern>body[@id='b']</pattern></detect>
<urls><paging param="start"/>
 <address level="topic">show.php?t={t}</address><address level="topic" part="yes">show.php?p={p}</address>
 <address level="list">list.php?f={f}</address></urls>
<level id="topic" variant="old" kind="terminal"><detect><pattern>div[@class='post']</pattern></detect>
 <follow to="topic" paging="yes">p[@class='pages']/a</follow>
 <follow to="list">p[@class='trail']/a</follow>
 <follow to="index">p[@class='trail']/b/a</follow>
 <object class="sioc:Thread" id="{url}"><field name="title" required="yes">h1[@class='topic']</field>
  <object class="sioc:Post" at="div[@class='post']" id="show.php?p={a/@name ~ \d+}#p{a/@name ~ \d+}">
   <field name="creator" required="yes">b[@class='who']</field>
   <field name="created" as="date" required="yes" match="^[^:]*:\s*(.+)$">i[@class='when']</field>
   <field name="content" as="html" required="yes">div[@class='text']</field>
  </object></object></level>
<level id="list" variant="old" kind="intermediate"><detect><pattern>ul[@class='topics']</pattern></detect>
 <follow to="topic">ul[@class='topics']/li/a</follow>
 <follow to="list">p[@class='trail']/a</follow></level>
<level id="index" variant="old" kind="intermediate"><detect><pattern>ul[@class='lists']</pattern></detect>
 <follow to="list">ul[@class='lists']/li/a</follow></level>
</type></category></kb>`

func loadBoard(t *testing.T) builtin {
	t.Helper()
	base, err := kb.Load(kb.Source{Name: "board.xml", Data: []byte(board)})
	if err != nil {
		t.Fatal(err)
	}
	return builtin{base, detect.New(base), NewLexicon(base)}
}

var posts = []struct{ who, date, iso, text string }{
	{"Ada", "Mon May 6, 2024 8:15 pm", "2024-05-06T18:15:00+00:00",
		"Which rope would you take for a mooring in a tidal river with a muddy ground?"},
	{"Bob", "Mon May 6, 2024 9:40 pm", "2024-05-06T19:40:00+00:00",
		"A chain, and then nylon, since that stretches where all others only pull."},
	{"Cyd", "Tue May 7, 2024 7:02 am", "2024-05-07T05:02:00+00:00",
		"Nylon chafes. Whatever you take, look at it twice a year, and where it bends."},
	{"Ada", "Wed May 8, 2024 11:30 am", "2024-05-08T09:30:00+00:00",
		"Thank you both, I shall go for a chain and eight metres of nylon then."},
}

// newTopic is a page of a template of which the knowledge base knows nothing.
func newTopic(head string) string {
	var b strings.Builder
	for i, p := range posts {
		fmt.Fprintf(&b, `<article class="entry" id="e%d"><header>by <a class="name" href="user.php?id=%d">%s</a> » <time datetime="%s">`+
			`%s</time></header><section class="said">%s</section></article>`,
			40+i, i%3, p.who, p.iso, p.date, p.text)
	}
	return `<html><head><title>Boats - Rope for a mooring</title>` + head +
		`</head><body id="b"><nav><a href="list.php?f=9">All lists</a></nav>
<ol class="crumbs"><li><a href="list.php?f=2">Gear</a></li></ol><h2>Rope for a mooring</h2>` + b.String() +
		`<p><a href="list.php?f=3">Go to Sails</a></p></body></html>`
}

func linksTo(h extract.Harvest, to kb.LevelID) []string {
	var out []string
	for _, l := range h.Links {
		if l.To == to {
			out = append(out, strings.TrimPrefix(l.URL, "http://board.example/"))
		}
	}
	slices.Sort(out)
	return out
}

// The address of a page tells its level where its template is another one, and the
// level's actions are found by what they are for.
func TestTopicsAreToldByTheirAddresses(t *testing.T) {
	b := loadBoard(t)
	for _, c := range []struct {
		at, head, pattern string
		told              bool
	}{
		{"http://board.example/show.php?t=7", "", "url/path[contains(., 'show.php')]", true},
		{"http://board.example/show.php@t=7.html", "", "url/path[contains(., 'show.php')]", true},
		{"http://board.example/seven", `<link rel="canonical" href="http://board.example/show.php?t=7">`,
			"link[@rel='canonical'][contains(@href, 'show.php')]", true},
		{"http://board.example/list.php?f=2", "", "", false},
	} {
		p, h := b.page(t, "board", c.at, newTopic(c.head))
		if h.Level != nil {
			t.Fatal("the level is detected: the test shows nothing")
		}
		a := MendLevel(b.base, p, h, Options{Lexicon: b.lexicon})
		if !c.told {
			if len(a.Harvest.Objects) > 0 {
				t.Errorf("%s: %v", c.at, a.Harvest.Objects)
			}
			continue
		}
		if len(a.Entries) == 0 || a.Entries[0].Expr != c.pattern {
			t.Errorf("%s: %v, want the pattern %s; %v", c.at, a.Entries, c.pattern, a.Left)
			continue
		}
		want := []string{"sioc:Thread 1 title = Rope for a mooring"}
		for i, o := range posts {
			for _, f := range []string{"creator = " + o.who, "created = " + strings.Replace(o.iso, "+00:00", "Z", 1),
				"content = " + o.text, fmt.Sprint("creator_url = http://board.example/user.php?id=", i%3)} {
				want = append(want, fmt.Sprintf("sioc:Post %d %s", i+1, f))
			}
		}
		got := fieldsOf(a.Harvest)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.at, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got := linksTo(a.Harvest, "list"); !slices.Equal(got, []string{"list.php?f=2"}) {
			t.Errorf("%s: the way up is %v; a menu and what comes after the posts are none of it", c.at, got)
		}
	}
}

// Lists are told by their addresses too, or by most of their links, and lead where
// these say: not to single posts, and not to the page itself.
func TestListsAreToldByAddresses(t *testing.T) {
	b := loadBoard(t)
	var rows strings.Builder
	for i, title := range []string{"Which rope for a mooring?", "A mast that bends too far", "Where to winter on the coast",
		"Leaks at the keel bolts", "Paint that stays", "A stove for two"} {
		fmt.Fprintf(&rows, `<tr><td><a href="show.php?t=%d">%s</a></td><td><a href="show.php?p=%d#p%[3]d">Yesterday</a></td></tr>`, 20+i,
			title, 90+i)
	}
	body := `<html><body id="b"><ol class="crumbs"><li><a href="list.php?f=1">Boats</a></li><li><a href="list.php?f=2">Gear</a></li>` +
		`</ol><table>` + rows.String() + `</table><p><a href="list.php?f=3">Go to Sails</a></p></body></html>`
	for _, at := range []string{"http://board.example/list.php?f=2", "http://board.example/gear"} {
		p, h := b.page(t, "board", at, body)
		a := MendLevel(b.base, p, h, Options{Lexicon: b.lexicon})
		if a.Harvest.Level == nil || a.Harvest.Level.ID != "list" {
			t.Errorf("%s: %v", at, a)
			continue
		}
		if got := linksTo(a.Harvest, "topic"); !slices.Equal(got,
			[]string{"show.php?t=20", "show.php?t=21", "show.php?t=22", "show.php?t=23", "show.php?t=24", "show.php?t=25"}) {
			t.Errorf("%s: topics %v", at, got)
		}
		if got := linksTo(a.Harvest, "list"); slices.Contains(got, "list.php?f=3") || !slices.Contains(got, "list.php?f=1") {
			t.Errorf("%s: lists %v", at, got)
		}
	}
	var index strings.Builder
	for i := range 8 {
		fmt.Fprintf(&index, `<dt><a href="list.php?f=%d">List of things %d</a></dt><dd><a href="show.php?p=%d">Last</a></dd>`, 10+i, i,
			70+i)
	}
	p, h := b.page(t, "board", "http://board.example/", `<html><body id="b"><dl>`+index.String()+`</dl></body></html>`)
	a := MendLevel(b.base, p, h, Options{Lexicon: b.lexicon})
	if a.Harvest.Level == nil || a.Harvest.Level.ID != "index" || len(linksTo(a.Harvest, "list")) != 8 {
		t.Errorf("%v: %v", a.Entries, a.Harvest.Links)
	}
}

// A post in two rows of a table is one record, with what its second row holds.
func TestPostsInTwoRows(t *testing.T) {
	b := loadBoard(t)
	var rows strings.Builder
	for i, p := range posts {
		fmt.Fprintf(&rows, `<tr><td class="l"><span class="name"><a name="%d"></a><b>%s</b></span></td><td><span class="stamp">Posted: `+
			`%s</span></td></tr><tr><td></td><td class="r"><span class="said">%s</span></td></tr>`, 40+i, p.who, p.date, p.text)
	}
	p, h := b.page(t, "board", "http://board.example/show.php?t=7",
		`<html><head><title>Boats :: Rope for a mooring</title></head><body id="b"><h1>Rope for a mooring</h1><table>`+rows.String()+
			`</table></body></html>`)
	a := MendLevel(b.base, p, h, Options{Lexicon: b.lexicon})
	n := 0
	for _, f := range fieldsOf(a.Harvest) {
		for _, o := range posts {
			if strings.HasSuffix(f, "content = "+o.text) || strings.HasSuffix(f, "creator = "+o.who) {
				n++
				break
			}
		}
	}
	if n != 2*len(posts) {
		t.Errorf("%d of %d values: %v, %v", n, 2*len(posts), fieldsOf(a.Harvest), a.Left)
	}
}

// The cut that leaves the whole date is taken, not the first that leaves something
// like one.
func TestDatesAreCutWhole(t *testing.T) {
	s := &session{lex: &Lexicon{}}
	own := usualCuts[1]
	for text, want := range map[string]string{
		"by Ada » Mon May 6, 2024 8:15 pm": "Mon May 6, 2024 8:15 pm",
		"Posted: 06.05.2024 - 20:15":       "06.05.2024 - 20:15",
		"2024-05-06T18:15:00+00:00":        "2024-05-06T18:15:00+00:00",
	} {
		if got := strings.TrimSpace(cutBy(s.dateCut(text, own), text)); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}

func TestSavedAddresses(t *testing.T) {
	for was, want := range map[string]string{
		"http://a.example/f/show.php@t=7&start=20.html":   "http://a.example/f/show.php?t=7&start=20",
		"http://a.example/f/show.php-page=2-t=7.html":     "http://a.example/f/show.php?page=2&t=7",
		"http://a.example/f/show.php-7.html":              "http://a.example/f/show.php-7.html",
		"http://a.example/f/show.php%3Ft=7.html":          "http://a.example/f/show.php?t=7",
		"http://a.example/f/show.php?t=7":                 "http://a.example/f/show.php?t=7",
		"http://a.example/@ada/posts.html":                "http://a.example/@ada/posts.html",
		"http://a.example/show.php@t=7.html?utm_source=x": "http://a.example/show.php@t=7.html?utm_source=x",
		"http://a.example/f/index.php-15.html?knots/2/":   "http://a.example/f/index.php?knots/2/",
		"http://a.example/f/index.php.html":               "http://a.example/f/index.php",
		"http://a.example/f/show1b44.html?s=&t=7":         "http://a.example/f/show.php?s=&t=7",
		"http://a.example/f/show1b44.html":                "http://a.example/f/show1b44.html",
	} {
		u, err := url.Parse(was)
		if err != nil {
			t.Fatal(err)
		}
		if got := unsaved(u).String(); got != want {
			t.Errorf("%s is %s, want %s", was, got, want)
		}
	}
}
