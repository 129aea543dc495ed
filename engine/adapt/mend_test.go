package adapt

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// builtin is the knowledge base of the program with what is made of it once.
type builtin struct {
	base    *kb.Base
	d       *detect.Detector
	lexicon *Lexicon
}

func loadBuiltin(t *testing.T) builtin {
	t.Helper()
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	return builtin{base, detect.New(base), NewLexicon(base)}
}

func template(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../kb/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// page reads a page of a template as a page of a type.
func (b builtin) page(t *testing.T, typ kb.TypeID, at, body string) (extract.Page, extract.Harvest) {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(body), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	doc := yfilter.Document(root, yfilter.Meta{Status: 200, URL: u})
	f := b.d.Page(doc, detect.Hints{Address: u.Host + u.Path, Force: b.base.Type(typ)})
	p := extract.Page{Doc: doc, URL: u, Type: f.Type, Levels: f.Levels}
	return p, extract.Run(p)
}

// mend does what a learner does with one page.
func (b builtin) mend(p extract.Page, h extract.Harvest) Attempt {
	o := Options{Lexicon: b.lexicon}
	if h.Level == nil {
		return MendLevel(b.base, p, h, o)
	}
	return Mend(b.base, p, h, Judge(p, h), o)
}

// fieldsOf lists the fields of a harvest's objects, markup left out.
func fieldsOf(h extract.Harvest) []string {
	var out []string
	n := map[string]int{}
	for _, o := range h.Objects {
		n[o.Class]++
		for _, f := range o.Fields {
			if !strings.HasSuffix(f.Name, "_html") {
				out = append(out, fmt.Sprintf("%s %d %s = %s", o.Class, n[o.Class], f.Name, strings.Join(f.Values, " | ")))
			}
		}
	}
	return out
}

// edit rewrites markup: pairs of a regular expression and what takes its place.
func edit(t *testing.T, body string, edits ...string) string {
	t.Helper()
	for i := 0; i < len(edits); i += 2 {
		re := regexp.MustCompile(edits[i])
		if !re.MatchString(body) {
			t.Fatalf("the template has no %s", edits[i])
		}
		body = re.ReplaceAllString(body, edits[i+1])
	}
	return body
}

// TestMendsTemplates edits pages of real templates and finds every field again.
func TestMendsTemplates(t *testing.T) {
	b := loadBuiltin(t)
	const at = "http://board.example/"
	for _, c := range []struct {
		name, file string
		typ        kb.TypeID
		edits      []string
	}{
		{"authors renamed", "phpbb-prosilver-topic.html", "phpbb",
			[]string{`username`, `zx9`, `class="author"`, `class="k2"`, `postprofile`, `k3`}},
		{"content renamed", "phpbb-prosilver-topic.html", "phpbb", []string{`class="content"`, `class="k4"`}},
		{"posts renamed, ids kept", "phpbb-prosilver-topic.html", "phpbb", []string{`class="post `, `class="slab `}},
		{"authors and posts renamed", "phpbb-absolution-topic.html", "phpbb",
			[]string{`class="vtusername"`, `class="k1"`, `vtouter`, `k2`}},
		{"another tag", "phpbb-prosilver-topic.html", "phpbb",
			[]string{`<p class="author">((?s:.*?))</p>`, `<div class="author">$1</div>`}},
		{"class to id", "phpbb-absolution-topic.html", "phpbb", []string{`class="vtusername"`, `id="vtusername"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := template(t, c.file)
			_, whole := b.page(t, c.typ, at, body)
			p, broken := b.page(t, c.typ, at, edit(t, body, c.edits...))
			want, was := fieldsOf(whole), fieldsOf(broken)
			if slices.Equal(want, was) {
				t.Fatal("the edit breaks nothing")
			}
			a := b.mend(p, broken)
			if got := fieldsOf(a.Harvest); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s\nentries %v, not mended %v", strings.Join(got, "\n"), strings.Join(want, "\n"), a.Entries,
					a.Left)
			}
			if a.Tried == 0 || a.Work > defaultWork {
				t.Errorf("%d candidates were tried, for %.1f parses of the page", a.Tried, a.Work)
			}
		})
	}
}

// An action that works is never replaced: there are entries for what failed only,
// and what was found is still found.
func TestAWorkingActionIsNeverReplaced(t *testing.T) {
	b := loadBuiltin(t)
	body := edit(t, template(t, "phpbb-prosilver-topic.html"), `class="content"`, `class="k4"`, `class="postbody"`, `class="k5"`)
	p, broken := b.page(t, "phpbb", "http://board.example/viewtopic.php?t=7", body)
	a := b.mend(p, broken)
	if len(a.Entries) == 0 {
		t.Fatalf("nothing was mended: %v", a.Left)
	}
	for _, e := range a.Entries {
		if !slices.ContainsFunc(Judge(p, broken), func(f Fault) bool {
			return f.Place == e.Place || f.Kind == NoObject || f.Kind ==
				NoLevel
		}) {
			t.Errorf("%s was learned where nothing failed", e.Place)
		}
	}
	now := fieldsOf(a.Harvest)
	for _, was := range fieldsOf(broken) {
		if !slices.Contains(now, was) {
			t.Errorf("lost: %s", was)
		}
	}
	if p2, h := b.page(t, "phpbb", "http://board.example/viewtopic.php?t=7",
		template(t, "phpbb-prosilver-topic.html")); len(b.mend(p2, h).Entries) > 0 {
		t.Error("a whole page was mended")
	}
}

// A level whose patterns broke is found by what its actions make of the page.
func TestMendLevel(t *testing.T) {
	b := loadBuiltin(t)
	body := template(t, "xenforo-1-topic.html")
	_, whole := b.page(t, "xenforo", "http://board.example/threads/x.1/", body)
	p, h := b.page(t, "xenforo", "http://board.example/threads/x.1/",
		edit(t, body, `id="messageList"`, `id="zz"`, `class="messageList`, `class="zz`, `messageText`, `zztext`, `class="message `,
			`class="zzm `, `<li id="post-`, `<li id="beitrag-`))
	if h.Level != nil {
		t.Skipf("the level was found as %s", h.Level.Name())
	}
	a := MendLevel(b.base, p, h, Options{Lexicon: b.lexicon})
	if a.Harvest.Level == nil || a.Harvest.Level.ID != "topic" {
		t.Fatalf("level %v: %v", a.Harvest.Level, a.Left)
	}
	var posts int
	for _, o := range a.Harvest.Objects {
		if o.Class == "sioc:Post" {
			posts++
		}
	}
	want := 0
	for _, o := range whole.Objects {
		if o.Class == "sioc:Post" {
			want++
		}
	}
	if posts != want {
		t.Errorf("%d posts, want %d", posts, want)
	}
	if len(a.Entries) > 0 && a.Entries[0].Part != kb.PartDetect {
		t.Errorf("the first entry is for %s, want the pattern", a.Entries[0].Place)
	}
}

// Paging under other names is found by where it leads.
func TestMendsPaging(t *testing.T) {
	b := loadBuiltin(t)
	const at = "http://board.example/viewtopic.php?t=7"
	body := edit(t, template(t, "phpbb-prosilver-topic.html"), `class="pagination"`, `class="leaf"`)
	p, h := b.page(t, "phpbb", at, body)
	a := b.mend(p, h)
	for _, l := range a.Harvest.Links {
		if l.Paging && strings.Contains(l.URL, "start=10") {
			return
		}
	}
	t.Errorf("no link to the second page: faults %v, links %v, %v", Judge(p, h), a.Harvest.Links, a.Left)
}

// Topic lists under other names are found as what they are: many titles that lead
// to addresses of one shape.
func TestMendsTopicLists(t *testing.T) {
	b := loadBuiltin(t)
	var rows bytes.Buffer
	for i, s := range []string{"Which rope for a mooring?", "Antifouling in spring", "Selling my dinghy, one owner",
		"Charts of the inner lead", "Diesel in the bilge again"} {
		fmt.Fprintf(&rows, `<li class="row"><a href="./viewtopic.php?f=2&amp;t=%d" class="zztitle">%s</a> by <a `+
			`href="./memberlist.php?mode=viewprofile&amp;u=%d" class="username">U%d</a></li>`, 100+i, s, i, i)
	}
	body := `<html><body id="phpbb" class="section-viewforum"><ul class="navlinks"><li><a href="./index.php">Index</a></li></ul><ul ` +
		`class="rows">` + rows.String() + `</ul></body></html>`
	p, h := b.page(t, "phpbb", "http://board.example/viewforum.php?f=2", body)
	a := b.mend(p, h)
	topics := 0
	for _, l := range a.Harvest.Links {
		if l.To == "topic" {
			topics++
		}
	}
	if topics != 5 {
		t.Errorf("%d topics, want 5: faults %v, %v", topics, Judge(p, h), a.Left)
	}
}

// TestDeletedPostsAreNotRelearned deletes all posts of pages of real templates.
func TestDeletedPostsAreNotRelearned(t *testing.T) {
	b := loadBuiltin(t)
	for file, typ := range map[string]kb.TypeID{
		"phpbb-prosilver-topic.html": "phpbb", "xenforo-2-topic.html": "xenforo", "smf-2.0-topic.html": "smf",
		"vbulletin-4-topic.html": "vbulletin",
		"mybb-1.8-topic.html":    "mybb", "discourse-crawler-topic.html": "discourse", "wordpress-classic-post.html": "wordpress",
	} {
		p, h := b.page(t, typ, "http://board.example/x/7", template(t, file))
		for _, s := range h.Level.Spots() {
			if !s.At || len(s.Objects) < 2 {
				continue
			}
			for _, try := range s.Tries {
				for _, v := range try.Expr.Select(p.Doc, nil) {
					if v.Node.Parent != nil {
						v.Node.Parent.RemoveChild(v.Node)
					}
				}
			}
		}
		h = extract.Run(p)
		if a := b.mend(p, h); len(a.Entries) > 0 {
			t.Errorf("%s: relearned %v", file, a.Entries)
		}
	}
}

// A list that only its links tell is detected by them from then on, and no page
// without them is taken for one, however much else it shares with the list.
func TestListsAreToldByTheirLinks(t *testing.T) {
	b := loadBuiltin(t)
	var rows strings.Builder
	for i, title := range []string{"Which rope for a mooring?", "A mast that bends too far", "Where to winter on the coast",
		"Leaks at the keel bolts"} {
		fmt.Fprintf(&rows, `<li><a href="./viewtopic.php?t=%d" class="topictitle">%s</a></li>`, 20+i, title)
	}
	const body = `<html><body id="phpbb" class="section-boards"><h2><a href="./viewforum.php?f=2">Boats</a></h2><ul>%s</ul></body></html>`
	p, h := b.page(t, "phpbb", "http://board.example/viewforum.php?f=2", fmt.Sprintf(body, rows.String()))
	if h.Level != nil {
		t.Fatal("the level is detected: the test shows nothing")
	}
	a := MendLevel(b.base, p, h, Options{Lexicon: b.lexicon})
	if len(a.Entries) != 1 || a.Entries[0].Part != kb.PartDetect || a.Entries[0].Level != "forum" || len(a.Harvest.Links) < 4 {
		t.Fatalf("%v, %d links", a.Entries, len(a.Harvest.Links))
	}
	if !fires(p, &a.Entries[0]) {
		t.Errorf("%s does not fire on its own page", a.Entries[0].Expr)
	}
	other, _ := b.page(t, "phpbb", "http://board.example/ucp.php",
		fmt.Sprintf(body, `<li><a href="./viewtopic.php?t=20">Last post</a></li>`))
	if fires(other, &a.Entries[0]) {
		t.Errorf("%s fires on a page without links to topics", a.Entries[0].Expr)
	}
}
