package adapt

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
)

// slates is a page of posts that are tables like all others of the page, each told
// by an anchor inside alone, in a template that nothing of the type's fits.
func slates(posts []boatPost) string {
	var b strings.Builder
	b.WriteString(`<body class=boats><table class=slate><tr><td>Board index, all times are UTC</td></tr></table><div class=top><h2>` +
		`Paint for the hull</h2></div><title>Paint for the hull</title>`)
	for i, p := range posts {
		fmt.Fprintf(&b, `<table class=slate><tr class=row%d><td><a name=p%d></a><b class=author>%s</b></td><td class=when>January `+
			`%[5]dth, 2016, 2:30 am</td></tr><tr class=row%[1]d><td>Joined</td><td><div class=words>%[4]s</div></td></tr></table>`, 1+i%2,
			7+i, p.author, p.body, 4+i)
	}
	return b.String()
}

const slateBoats = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="boats"><detect>` +
	`<pattern>body[@class='boats']</pattern></detect>
<level id="topic" kind="terminal"><detect><pattern>div[@class='posts']//div[@class='k4']</pattern></detect>
<object class="sioc:Thread" id="{url}"><field name="title" required="yes">h1</field>
<object class="sioc:Post" at="div[@class='post']" id="viewtopic.php?p={@id ~ \d+}#p{@id ~ \d+}">
<field name="creator" required="yes">span[@class='who']</field>
<field name="created" as="date" required="yes">span[@class='at']</field>
<field name="content" as="html" required="yes">div[@class='body']</field>
</object></object></level></type></category></kb>`

// Objects that only a mark inside tells are found around it, with the number of the
// mark in their ids; one object alone tells nothing, and neither does the page of
// another script.
func TestObjectsAroundTheirMarks(t *testing.T) {
	posts := append(slices.Clone(boatPosts), boatPost{author: "Dee Holt",
		body: "We left ours bare for one winter and spent the whole of the spring scraping mussels off."})
	base, p, h := boatPageAt(t, slateBoats, "/viewtopic.php", slates(posts))
	if h.Level != nil {
		t.Fatal("the level is detected: the test shows nothing")
	}
	a := MendLevel(base, p, h, Options{})
	var got, want []string
	for _, o := range a.Harvest.Objects {
		if o.Class == "sioc:Post" {
			got = append(got, o.ID+" "+o.Value("creator")+": "+o.Value("content"))
		}
	}
	for i, p := range posts {
		want = append(want, fmt.Sprintf("http://boats.example/viewtopic.php?p=%d#p%[1]d %s: %s", 7+i, p.author, p.body))
	}
	if !slices.Equal(got, want) {
		t.Errorf("posts: %q, want %q; %v", got, want, a.Left)
	}
	for _, c := range []struct{ path, body string }{{"/viewtopic.php", slates(posts[:1])}, {"/search.php", slates(posts)}} {
		base, p, h := boatPageAt(t, slateBoats, c.path, c.body)
		if a := MendLevel(base, p, h, Options{}); len(a.Entries) > 0 {
			t.Errorf("%s taught %v", c.path, a.Entries)
		}
	}
	earlier := Options{Earlier: func(*url.URL) []extract.Object { return []extract.Object{} }}
	if a := MendLevel(base, p, h, earlier); len(a.Entries) > 0 {
		t.Errorf("a page on which the earlier crawl found nothing taught %v", a.Entries)
	}
}

// A page that cannot tell its level waits once another of the site may, and is read
// again with what that one taught.
func TestPagesOfNoLevelWait(t *testing.T) {
	posts := append(slices.Clone(boatPosts), boatPost{author: "Dee Holt",
		body: "We left ours bare for one winter and spent the whole of the spring scraping mussels off."})
	l := New(LearnerOptions{})
	read := func(posts []boatPost) Result {
		base, p, h := boatPageAt(t, slateBoats, "/viewtopic.php", slates(posts))
		return l.Page(base, p, h)
	}
	if r := read(posts[:1]); r.Pending {
		t.Error("a page waits for nothing")
	}
	if r := read(posts); !r.Pending || r.Provisional == nil {
		t.Fatalf("nothing is learned from a page of %d posts", len(posts))
	}
	if r := read(posts[:1]); !r.Pending {
		t.Error("a page of one post does not wait for what was learned")
	}
	if left := l.Finish(); len(left) != 1 || len(left[0].Entries) == 0 {
		t.Errorf("at the end: %v", left)
	}
}
