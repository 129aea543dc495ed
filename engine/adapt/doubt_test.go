package adapt

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// TestFramesAreNoContents: where nothing names the message of a post, the cell with it, its title
// and what was added later is not taken for the message.
func TestFramesAreNoContents(t *testing.T) {
	b := loadBuiltin(t)
	body := edit(t, template(t, "vbulletin-3-topic.html"), `<div id="post_message_\d+">`, `<div>`)
	p, h := b.page(t, "vbulletin", "http://board.example/showthread.php?t=7", body)
	if slices.ContainsFunc(h.Objects, func(o extract.Object) bool { return o.Value("content") != "" }) {
		t.Fatal("the edit breaks no content")
	}
	a := b.mend(p, h)
	for _, o := range a.Harvest.Objects {
		if c := o.Value("content"); strings.Contains(c, "Last edited") || strings.Contains(c, "Thanks") || strings.Contains(c, "Re:") {
			t.Errorf("%s has the content %q", o.ID, c)
		}
	}
}

// TestCommentsAreFoundOnce: an action for the comments of the question must not
// find those of the answers too, which another finds.
func TestCommentsAreFoundOnce(t *testing.T) {
	b := loadBuiltin(t)
	body := template(t, "stackexchange-2022-topic.html")
	p, h := b.page(t, "stackexchange", "https://english.stackexchange.com/questions/7/x", edit(t, body, `class="comment `, `class="k1 `))
	a := b.mend(p, h)
	if n := doubles(a.Harvest); n > 0 {
		t.Errorf("%d objects are there twice: %v", n, a.Entries)
	}
}

// TestBetterKeepsContents: what was found stays as it was.
func TestBetterKeepsContents(t *testing.T) {
	post := func(id, content string) extract.Object {
		return extract.Object{Class: "sioc:Post", ID: id,
			Fields: []extract.Field{{Name: "content", As: kb.HTML, Values: []string{content}}}}
	}
	was := extract.Harvest{Objects: []extract.Object{post("1", "Tar first.")}}
	for _, c := range []struct {
		name string
		is   []extract.Object
		want bool
	}{
		{"another post", []extract.Object{post("1", "Tar first."), post("2", "Then paint.")}, true},
		{"another content", []extract.Object{post("1", "Trending: Tar first."), post("2", "Then paint.")}, false},
		{"the same again", []extract.Object{post("1", "Tar first."), post("2", "Tar first.")}, false},
		{"nothing new", []extract.Object{post("1", "Tar first.")}, false},
	} {
		if got := better(was, extract.Harvest{Objects: c.is}); got != c.want {
			t.Errorf("%s: better is %v", c.name, got)
		}
	}
}

// TestHarmHasAReason: a harvest without something found before is refused with the reason, and a total alone is a gain.
func TestHarmHasAReason(t *testing.T) {
	thread := func(title string) extract.Harvest {
		return extract.Harvest{Objects: []extract.Object{{Class: "sioc:Thread", ID: "t1",
			Fields: []extract.Field{{Name: "title", Values: []string{title}}}}}}
	}
	was, counted := thread("Tar"), thread("Tar")
	counted.Totals = []extract.Total{{Of: "sioc:Post", Object: "t1", Count: 7}}
	if why := harm(was, counted); why != "" || !gains(was, counted) || gains(was, was) {
		t.Errorf("want a total to be a gain, and equal harvests to be none; harm is %q", why)
	}
	if why := harm(was, thread("Pitch")); why != "changes the title of the sioc:Thread t1" {
		t.Errorf("%q", why)
	}
	if why := harm(was, extract.Harvest{}); why != "loses the sioc:Thread t1" {
		t.Errorf("%q", why)
	}
}
