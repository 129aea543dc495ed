package adapt

import (
	"fmt"
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

// TestRelatedArticlesAreNoComments: a list of other articles has names, dates and
// texts as comments do.
func TestRelatedArticlesAreNoComments(t *testing.T) {
	b := loadBuiltin(t)
	var list strings.Builder
	for i, s := range []string{"Reefing early", "Tarred marline", "A new bowsprit", "Rot in the stem", "Splicing wire", "Lead or iron"} {
		fmt.Fprintf(&list, `<article id="post-%d" class="entry cf entry-card post-%[1]d post type-post"><div class="entry-card-content">`+
			`<header><h2><a href="/%[1]d/" class="entry-title">%s</a></h2><p class="post-meta"><span class="post-date"><span `+
			`class="published">2016/3/%d</span></span> <span class="category"><a href="/category/%d/" rel="category tag">Craft %[4]d</a>`+
			`</span></p></header><p class="entry-snippet">%[2]s is what the yard was asked about most in that spring, and what came of `+
			`it in the end is told here.</p></div></article>`, 400-i, s, 20-i, i%4)
	}
	p, h := b.page(t, "wordpress", "http://yard.example/2019/05/caulking/",
		edit(t, template(t, "wordpress-classic-post.html"), `</main>`, list.String()+`</main>`, `<li id="comment-`,
			`<li class="x" id="remark-`))
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	spots := h.Level.Spots()
	i := slices.IndexFunc(spots, func(s kb.Spot) bool { return s.At && s.Objects[len(s.Objects)-1].Class == "sioct:Comment" })
	comment := spots[i].Objects[len(spots[i].Objects)-1]
	for at, want := range map[string]bool{`li[starts-with(@id, 'remark-')][contains(@class, 'x')]`: true,
		`article[contains(@class, 'entry-card')]`: false} {
		e, err := kb.NewExpr(at)
		if err != nil {
			t.Fatal(err)
		}
		set := &recordSet{list: s.x.selectIn(e.Fragment, -1)}
		set.reading.Expr, set.cost.Changes = e.Fragment, 1
		if len(set.list) < 2 {
			t.Fatalf("%s selects %d elements", at, len(set.list))
		}
		if got := s.likely(comment, set); got != want {
			t.Errorf("%s: likely to be comments is %v", at, got)
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
		if got := better(extract.Page{}, was, extract.Harvest{Objects: c.is}); got != c.want {
			t.Errorf("%s: better is %v", c.name, got)
		}
	}
}
