package adapt

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

const boats = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="boats"><detect><pattern>body[@class='boats']</pattern></detect>
<level id="topic" kind="terminal"><detect><pattern>h1</pattern></detect>
<object class="sioc:Thread" id="{url}"><field name="title" required="yes">h1</field>
<object class="sioc:Post" at="div[@class='post']" id="{url}#{@id}">
<field name="title">h3[@class='subject']</field>
<field name="creator" required="yes">span[@class='who']</field>
<field name="content" as="html" required="yes">div[@class='body']</field>
</object></object></level></type></category></kb>`

type boatPost struct{ subject, author, owner, body string }

var boatPosts = []boatPost{
	{"Tar", "Ada Byron", "Hull Nine", "Which paint do you use below the waterline, hard or soft antifouling?"},
	{"Copper", "Bob Finch", "Mast Two", "Copper first, then two coats of the soft one, and let the second dry for a week."},
	{"Lead", "Cyd Moor", "Keel Six", "Nobody has been allowed to sell the old lead paint here since the harbour was sold."},
}

func oldBoats(posts []boatPost) string {
	var b strings.Builder
	b.WriteString("<body class=boats><h1>Paint</h1>")
	for i, p := range posts {
		fmt.Fprintf(&b, "<div class=post id=p%d><h3 class=subject>%s</h3><span class=who>%s</span> of <span class=boat>%s</span><div "+
			"class=body>%s</div></div>", i, p.subject, p.author, p.owner, p.body)
	}
	return b.String()
}

// newBoats is the same in a template in which nothing tells the author from the boat.
func newBoats(posts []boatPost) string {
	var b strings.Builder
	b.WriteString("<body class=boats><h1>Paint</h1>")
	for i, p := range posts {
		fmt.Fprintf(&b, "<section class=slab id=p%d><p class=k1>%s</p><b class=k3>%s</b> <b class=k2>%s</b><section class=k4>"+
			"%s</section></section>", i, p.subject, p.owner, p.author, p.body)
	}
	return b.String()
}

func boatPage(t *testing.T, body string) (*kb.Base, extract.Page, extract.Harvest) {
	t.Helper()
	return boatPageAt(t, boats, "/t/1", body)
}

// boatPageAt reads a page as one of the type of a knowledge base, of its one level
// where that is detected by the body.
func boatPageAt(t *testing.T, source, path, body string) (*kb.Base, extract.Page, extract.Harvest) {
	t.Helper()
	base, err := kb.Load(kb.Source{Name: "boats.xml", Data: []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "http", Host: "boats.example", Path: path}
	typ := base.Type("boats")
	doc := yfilter.Document(root, yfilter.Meta{Status: 200, URL: u})
	p := extract.Page{Doc: doc, URL: u, Type: typ, Levels: detect.New(base).Page(doc, detect.Hints{Force: typ}).Levels}
	return base, p, extract.Run(p)
}

// TestRealign: of two names in each post, the one that was the author before is
// the author.
func TestRealign(t *testing.T) {
	_, _, first := boatPage(t, oldBoats(boatPosts))
	if len(first.Objects) != 4 || len(first.Misses) > 0 {
		t.Fatalf("the first crawl found %+v", first.Objects)
	}
	base, page, now := boatPage(t, newBoats(boatPosts))
	o := Options{Earlier: func(*url.URL) []extract.Object { return first.Objects }}
	a := Mend(base, page, now, Judge(page, now), o)
	if len(a.Harvest.Objects) != 4 {
		t.Fatalf("%d objects, entries %v: %v", len(a.Harvest.Objects), a.Entries, a.Left)
	}
	for i, was := range first.Objects {
		for _, field := range []string{"title", "creator", "content"} {
			if is := a.Harvest.Objects[i].Value(field); is != was.Value(field) {
				t.Errorf("%s of %s is %q, was %q", field, was.ID, is, was.Value(field))
			}
		}
	}
	// A page with a new post teaches the same.
	more := append([]boatPost{{"Oil", "Dan Reef", "Sail One", "Linseed oil on bare wood, for as long as the wood will drink any of it."}},
		boatPosts...)
	base, page, now = boatPage(t, newBoats(more))
	if a := Mend(base, page, now, Judge(page, now), o); len(a.Harvest.Objects) != 5 || a.Harvest.Objects[1].Value("creator") != "Dan Reef" {
		t.Errorf("with a new post: %+v", a.Harvest.Objects)
	}
}

// TestContradictedValuesAreRejected learns no author from an element that gives other names than the
// earlier crawl found, and counts values that it found none of against an optional field.
func TestContradictedValuesAreRejected(t *testing.T) {
	_, _, first := boatPage(t, oldBoats(boatPosts))
	others := slices.Clone(boatPosts)
	for i, name := range []string{"Eli Quill", "Fay Brook", "Gus Stone"} {
		others[i].author = name
	}
	base, page, now := boatPage(t, strings.ReplaceAll(oldBoats(others), "class=who>", "class=by>"))
	for earlier, want := range map[bool]string{false: "Eli Quill", true: ""} {
		o := Options{}
		if earlier {
			o.Earlier = func(*url.URL) []extract.Object { return first.Objects }
		}
		a := Mend(base, page, now, Judge(page, now), o)
		if got := a.Harvest.Objects[1].Value("creator"); got != want {
			t.Errorf("with an earlier crawl: %v; the author is %q, want %q", earlier, got, want)
		}
	}
	was := remember(newIndex(page.Doc), first.Objects)
	records := was.x.tags["div"] // a post and its body, three times
	field := func(name string) float64 {
		return was.added("sioc:Post", &kb.Field{Name: name}, []int{records[0], records[2]}, []string{"x", ""})
	}
	if unknown, known := field("modified"), field("title"); unknown != 0.5 || known != 0 {
		t.Errorf("added to half of the posts: %v and %v, want 0.5 and 0", unknown, known)
	}
}

// TestRealignCutsLabels: what was a name alone stands behind a word now.
func TestRealignCutsLabels(t *testing.T) {
	_, _, first := boatPage(t, oldBoats(boatPosts))
	body := strings.NewReplacer("class=who>", "class=by>Words by ", "class=subject>", "class=line>").Replace(oldBoats(boatPosts))
	base, page, now := boatPage(t, body)
	o := Options{Earlier: func(*url.URL) []extract.Object { return first.Objects }}
	a := Mend(base, page, now, Judge(page, now), o)
	for i, was := range first.Objects {
		if is := a.Harvest.Objects[i].Value("creator"); is != was.Value("creator") {
			t.Errorf("the creator of %s is %q, was %q; entries %v, %v", was.ID, is, was.Value("creator"), a.Entries, a.Left)
		}
	}
}

// TestDeletedObjectsAreNotRelearned: what an earlier crawl found is gone, and what
// else repeats on the page does not take its place.
func TestDeletedObjectsAreNotRelearned(t *testing.T) {
	_, _, first := boatPage(t, oldBoats(boatPosts))
	other := []boatPost{
		{"Rope", "Eve Gale", "Deck Five", "Nylon stretches and saves the cleats, so it is the only rope for an anchor line here."},
		{"Knots", "Fay Tide", "Bow Eight", "A bowline never jams, which is why it is the first knot that anybody teaches you."},
		{"Tides", "Gus Lock", "Stern Four", "The tables in the office are those of last year, so better look at the quay itself."},
		{"Locks", "Hal Weir", "Keel Two", "Two boats fit into the upper one, and three where nobody minds a scratch or a wet foot."},
		{"Fog", "Ida Moss", "Mast Nine", "We waited until noon, and then the whole of the channel was as clear as on a postcard."},
	}
	base, page, now := boatPage(t, strings.ReplaceAll(oldBoats(other), "class=post", "class=related-post"))
	o := Options{Earlier: func(*url.URL) []extract.Object { return first.Objects }}
	if a := Mend(base, page, now, Judge(page, now), o); len(a.Entries) > 0 {
		t.Errorf("relearned %v", a.Entries)
	}
	if a := Mend(base, page, now, Judge(page, now), Options{}); len(a.Entries) == 0 {
		t.Error("the page could not be mistaken in the first place, so the test shows nothing")
	}
}

func TestChanged(t *testing.T) {
	_, page, first := boatPage(t, oldBoats(boatPosts))
	if f := Changed(page, first, first.Objects); len(f) > 0 {
		t.Errorf("the same page: %v", f)
	}
	places := func(body string) string {
		_, page, now := boatPage(t, body)
		var out []string
		for _, f := range Changed(page, now, first.Objects) {
			out = append(out, f.Place.Part)
		}
		return strings.Join(out, ", ")
	}
	for _, c := range []struct{ name, body, want string }{
		{"a field moved", strings.ReplaceAll(oldBoats(boatPosts), "class=subject", "class=heading"), "sioc:Thread/sioc:Post title"},
		{"a field was dropped", strings.NewReplacer("<h3 class=subject>Tar</h3>", "", "<h3 class=subject>Copper</h3>", "",
			"<h3 class=subject>Lead</h3>", "").Replace(strings.ReplaceAll(strings.ReplaceAll(oldBoats(boatPosts), "Copper first", "First"),
			"lead paint", "paint")), ""},
		{"one post was deleted", oldBoats(boatPosts[1:]), ""},
		{"all posts were deleted", oldBoats(nil), ""},
		{"everything moved", newBoats(boatPosts), "sioc:Thread/sioc:Post, sioc:Thread/sioc:Post title, sioc:Thread/sioc:Post creator, " +
			"sioc:Thread/sioc:Post content"},
	} {
		if got := places(c.body); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
