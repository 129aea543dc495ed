package adapt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// otherProsilver is a topic of so many posts in a style made from prosilver, with names of
// its own.
func otherProsilver(t *testing.T, topic, posts int) string {
	t.Helper()
	body := edit(t, template(t, "phpbb-prosilver-topic.html"), `id="p(\d+)" class="post `, `id="msg$1" class="entry `, `class="author"`,
		`class="line"`, `class="content"`, `class="words"`,
		`class="postbody"`, `class="main"`, `class="postprofile"`, `class="who"`, `section-viewtopic`, `topics`, `class="username"`,
		`class="member"`, `(?s)<form method="post">.*?</form>`, "",
		`(?s)<dd class="profile-joined">.*?</dd>`, "", `<div class="notice">.*?</div>`, "")
	first, second, last := strings.Index(body, `<div id="msg31"`), strings.Index(body, `<div id="msg32"`),
		strings.LastIndex(body, `<dd>knot.jpg`)
	last += strings.Index(body[last:], "\n")
	var b strings.Builder
	b.WriteString(body[:first])
	for i := range posts {
		n := fmt.Sprint(100*topic + i)
		b.WriteString(strings.NewReplacer("31", n, "Ada", "member"+n, "2024-05-04T10:00",
			fmt.Sprintf("2024-05-%02dT%02d:00", i+4, 10+topic%10),
			"Nylon or polyester?", "What number "+n+" had to say of it, at some length, and with reasons that others of topic "+
				fmt.Sprint(topic)+" gave before.").Replace(body[first:second]))
	}
	return b.String() + body[last:]
}

// TestOneObjectAloneProvesNothing: on topics of one post whatever holds the post selects it.
// What was learned there is not confirmed before a page shows several, however many
// topics agree, and what that page shows is.
func TestOneObjectAloneProvesNothing(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{})
	learned := map[string]kb.Entry{}
	page := func(n, posts int) Result {
		p, h := b.page(t, "phpbb", fmt.Sprintf("http://board.example/viewtopic.php?t=%d", n), otherProsilver(t, n, posts))
		r := l.Page(b.base, p, h)
		for _, e := range r.Confirmed {
			learned[e.ID()] = e
		}
		return r
	}
	for n := 1; n <= 8; n++ {
		r := page(n, 1)
		if len(r.Confirmed) > 0 {
			t.Fatalf("topic %d of one post confirmed %v", n, r.Confirmed)
		}
		if !r.Pending {
			t.Errorf("topic %d does not wait", n)
		}
	}
	for n := 9; n <= 14; n++ {
		if page(n, 6); len(learned) > 0 {
			break
		}
	}
	var entries []kb.Entry
	for _, e := range learned {
		entries = append(entries, e)
	}
	p, h := b.page(t, "phpbb", "http://board.example/viewtopic.php?t=20", otherProsilver(t, 20, 6))
	_, now := applied(p, h, entries)
	posts := 0
	for _, o := range now.Objects {
		if o.Class == "sioc:Post" {
			posts++
		}
	}
	if posts != 6 {
		t.Errorf("%d of 6 posts", posts)
		for _, e := range entries {
			t.Errorf("%s: %s", e.String(), e.Expr)
		}
	}
}

// TestManyPagesOfOneObject: where all pages of a level have one object, many of them are
// enough.
func TestManyPagesOfOneObject(t *testing.T) {
	c := &lesson{entry: kb.Entry{Place: kb.Place{Part: "sioc:Thread/sioc:Post"}}, pages: map[string]bool{}}
	for i := range aloneEnough {
		if !c.alone() {
			t.Fatalf("believed after %d pages", i)
		}
		c.pages[fmt.Sprint(i)] = true
	}
	if c.alone() {
		t.Errorf("not believed after %d pages", aloneEnough)
	}
	field := &lesson{entry: kb.Entry{Place: kb.Place{Part: "sioc:Thread/sioc:Post title"}}}
	outer := &lesson{entry: kb.Entry{Place: kb.Place{Part: "sioct:BlogPost"}}}
	if field.alone() || outer.alone() {
		t.Error("a field, or an object that is not inside another, needs no others beside it")
	}
}
