package adapt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
)

// boardTopic is a page of a template of which the knowledge base knows nothing, with n posts
// as a function writes them.
func boardTopic(head, title string, n int, write func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(write(i))
	}
	return `<html><head><title>Boats - Rope for a mooring</title>` + head + `</head><body id="b">` + title + b.String() + `</body></html>`
}

// entry writes a post: who wrote it, when, and what.
func entry(who, when, what func(i int) string) func(i int) string {
	return func(i int) string {
		return fmt.Sprintf(`<article class="entry" id="e%d"><header>%s %s</header>%s</article>`, 40+i, who(i), when(i), what(i))
	}
}

func anyone(i int) string {
	return fmt.Sprintf(`by <a class="name" href="user.php?id=%d">%s</a>`, i%4%3, posts[i%4].who)
}

func sometime(i int) string { return fmt.Sprintf(`<time datetime="%s">then</time>`, moments(i)) }

func moments(i int) string { return fmt.Sprintf("2024-05-%02dT18:15:00Z", 6+i) }

// words is a text that no other post has.
func words(i int) string { return fmt.Sprintf("Answer %d. %s", i, posts[i%4].text) }

func something(i int) string { return `<section class="said">` + words(i) + `</section>` }

const heading = "<h2>Rope for a mooring</h2>"

// learn mends a page of no level as that of a topic.
func (b builtin) learn(t *testing.T, at, body string) extract.Harvest {
	t.Helper()
	p, h := b.page(t, "board", at, body)
	if h.Level != nil {
		t.Fatal("the level is detected: the test shows nothing")
	}
	return MendLevel(b.base, p, h, Options{Lexicon: b.lexicon}).Harvest
}

// valuesOf gives a field of the objects of a class.
func valuesOf(h extract.Harvest, class, field string) []string {
	var out []string
	for _, o := range h.Objects {
		if o.Class == class {
			out = append(out, o.Value(field))
		}
	}
	return out
}

const topic7 = "http://board.example/show.php?t=7"

// A title is read without its label, what is counted after it and the buttons beside it; what the
// page gives as its title, or its window has, stands for one that is nowhere else, unless it is cut off.
func TestTitlesOfNewTemplates(t *testing.T) {
	b := loadBoard(t)
	for _, c := range []struct{ head, title, want string }{
		{"", "<h2>Topic: Rope for a mooring (Read 41 times)</h2>", "Rope for a mooring"},
		{"", `<h2>Rope for a mooring <div class="button"><a href="reply.php?t=7">Post a reply</a></div></h2>`, "Rope for a mooring"},
		{`<meta property="og:title" content="Rope for a mooring">`, "", "Rope for a mooring"},
		{`<meta property="og:title" content="Rope for a...">`, "", "Rope for a mooring"}, // of the window
		{`<meta property="og:title" content="Rope for a..."><meta itemprop="headline" content="Rope for a mooring">`, "",
			"Rope for a mooring"},
		{"", "<h2>Rope</h2>", "Rope for a mooring"},
	} {
		h := b.learn(t, topic7, boardTopic(c.head, c.title, 4, entry(anyone, sometime, something)))
		got := ""
		if v := valuesOf(h, "sioc:Thread", "title"); len(v) == 1 {
			got = v[0]
		}
		if got != c.want {
			t.Errorf("%s %s: the title is %q, want %q", c.head, c.title, got, c.want)
		}
	}
}

// A page without an address is told by that of the link that is called as it is.
func TestPagesAreToldByTheirTitle(t *testing.T) {
	b := loadBoard(t)
	body := boardTopic("", `<p><a href="list.php?f=2">Gear</a> <a href="show.php?t=7">Rope for a mooring</a></p>`, 4,
		entry(anyone, sometime, something))
	if got := len(valuesOf(b.learn(t, "http://board.example/saved", body), "sioc:Post", "content")); got != 4 {
		t.Errorf("%d posts, want 4", got)
	}
}

var ranks = []string{"Hero", "Old salt", "Landlubber", "Mate"}

// A name is read without the rank under it, whether or not guests are among those who
// write; a picture that leads to a profile does not make a name of what is beside it.
func TestNamesOfNewTemplates(t *testing.T) {
	b := loadBoard(t)
	for name, who := range map[string]func(i int) string{
		"a rank": func(i int) string {
			return fmt.Sprintf(`<div class="author"><p><a href="user.php?id=%d">%s</a></p><p>%s</p></div>`, i%4%3, posts[i%4].who,
				ranks[i%4])
		},
		"guests": func(i int) string {
			if i%4 == 1 {
				return `<div><h4>Bob</h4><ul><li>Guest</li></ul></div>`
			}
			return fmt.Sprintf(`<div><h4><a href="user.php?id=%d">%s</a></h4><ul><li>Posts: %d</li></ul></div>`, i%4%3, posts[i%4].who,
				60+i)
		},
		"a picture": func(i int) string {
			return fmt.Sprintf(`<div><h4><a href="user.php?id=%d">%s</a></h4><ul><li><a href="user.php?id=%[1]d"><img src="%[1]d.png">`+
				`</a></li><li>%s</li></ul></div>`, i%4%3, posts[i%4].who, ranks[i%4])
		},
	} {
		got := valuesOf(b.learn(t, topic7, boardTopic("", heading, 4, entry(who, sometime, something))), "sioc:Post", "creator")
		if !slices.Equal(got, []string{"Ada", "Bob", "Cyd", "Ada"}) {
			t.Errorf("%s: %q", name, got)
		}
		if got := valuesOf(b.learn(t, topic7, boardTopic("", heading, 2, entry(who, sometime, something))), "sioc:Post",
			"creator"); !slices.Equal(got, []string{"Ada", "Bob"}) {
			t.Errorf("%s, two posts: %q", name, got)
		}
	}
}

// The date of the last reply, which the first post tells too, is not the date of posts.
func TestDatesOfLastReplies(t *testing.T) {
	b := loadBoard(t)
	when := func(i int) string {
		last := ""
		if i == 0 {
			last = `<p>last reply <time class="dt" datetime="` + moments(1) + `">then</time></p>`
		}
		return last + fmt.Sprintf(`<a class="made"><time class="dt" datetime="%s">then</time></a>`, moments(i))
	}
	got := valuesOf(b.learn(t, topic7, boardTopic("", heading, 2, entry(anyone, when, something))), "sioc:Post", "created")
	if want := []string{moments(0), moments(1)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Two dates in a post leave open which is its own; a date and another text do not.
func TestDatesBesideOtherTexts(t *testing.T) {
	b := loadBoard(t)
	for beside, want := range map[string]bool{"#17": false, "Mon May 6, 2024 9:40 pm": true} {
		p, _ := b.page(t, "board", topic7, `<html><body id="b"><div>Mon May 6, 2024 8:15 pm</div><div>`+beside+`</div></body></html>`)
		s := newSession(b.base, p, Options{Lexicon: b.lexicon})
		if got := s.ambiguous(&candidate{nodes: [][]int{s.x.tags["div"]}}); got != want {
			t.Errorf("beside %s: ambiguous is %v", beside, got)
		}
	}
}

// A moment that a few posts tell each is their date, though nothing names it, and so is a
// day that follows the order of the page.
func TestMomentsOfPosts(t *testing.T) {
	b := loadBoard(t)
	for _, c := range []struct {
		posts int
		when  func(i int) string
		want  int
	}{
		{2, func(i int) string { return posts[i].date }, 2},
		{3, func(i int) string { return fmt.Sprintf("May %d, 2024", 6+i) }, 3},
	} {
		when := func(i int) string { return `<p class="zz">` + c.when(i) + `</p>` }
		body := boardTopic("", heading, c.posts, entry(anyone, when, something))
		if got := valuesOf(b.learn(t, "http://board.example/saved", body), "sioc:Post", "created"); len(got) != c.want {
			t.Errorf("%s: %q", when(0), got)
		}
	}
}

// What is far from all that is written loses no more for being further.
func TestFarIsFar(t *testing.T) {
	b := loadBoard(t)
	p, _ := b.page(t, "board", topic7, newTopic(""))
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	if near, far := s.farness(relax.Cost{Changes: 1, Distance: 40}),
		s.farness(relax.Cost{Changes: 9, Distance: 900, Worst: true}); near >= far || far != farthest {
		t.Errorf("%.2f near, %.2f far, want at most %.2f", near, far, farthest)
	}
}

// A content is the block that somebody wrote: not the frame with a note of its edit, be it
// in a post that is looked at closely or in another; of a frame with a signature in each
// the first block, or the one that is numbered as the post is.
func TestContentsOfNewTemplates(t *testing.T) {
	b := loadBoard(t)
	sign := func(i int) string { return fmt.Sprintf(`<div class="sig">Fair winds, yours %d</div>`, i%4) }
	note := func(at int) func(i int) string {
		return func(i int) string {
			edited := ""
			if i == at {
				edited = `<div class="edit">Last edited: yesterday</div>`
			}
			return `<div class="texts"><section>` + words(i) + `</section>` + edited + `</div>`
		}
	}
	for _, c := range []struct {
		name string
		n    int
		what func(i int) string
	}{
		{"an edit", 5, note(1)},
		{"signatures", 4, func(i int) string {
			return `<section class="said"><div class="body">` + words(i) + `</div>` + sign(i) + `</section>`
		}},
		{"numbered", 4, func(i int) string {
			return fmt.Sprintf(`<section class="said"><div class="box"><div id="text_%d">%s</div></div>%s</section>`, 40+i, words(i),
				sign(i))
		}},
	} {
		var want []string
		for i := range c.n {
			want = append(want, words(i))
		}
		if got := valuesOf(b.learn(t, topic7, boardTopic("", heading, c.n, entry(anyone, sometime, c.what))), "sioc:Post",
			"content"); !slices.Equal(got, want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Names that a program chose are of one page.
func TestRandomNames(t *testing.T) {
	for name, want := range map[string]bool{
		"ixeIUcyVxRdUuSEShfMhHQ": true, "xxTxkehchuFyiIUJCXZyoA": true,
		"forumTitleContainer": false, "messageUserBlockInner": false, "p-breadcrumbs": false, "postbody": false,
		"MessageCard__date-created": false, "post1234567890": false,
	} {
		if random(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// The page of a post and the last page are no further pages.
func TestPagesOfPosts(t *testing.T) {
	b := loadBoard(t)
	body := edit(t, newTopic(""), "<h2>", `<p class="pp"><a class="x" href="show.php?t=7&amp;start=p41">It</a> <a class="x" `+
		`href="show.php?t=7&amp;start=last">Last</a></p><h2>`)
	if got := b.leads(t, topic7, body, "topic"); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// What is counted is no name, and what is said of a name is said of the element that it
// was read from.
func TestWhereNamesAre(t *testing.T) {
	if nameLike("Posts: 60") >= 0.5 || nameLike("Ada") < 0.9 {
		t.Errorf("Posts: 60 is a name by %.1f, Ada by %.1f", nameLike("Posts: 60"), nameLike("Ada"))
	}
	b := loadBoard(t)
	p, _ := b.page(t, "board", topic7, `<html><body id="b"><ul><li><a href="user.php?id=1"><img src="1.png"></a></li><li>Hero</li></ul>`+
		`</body></html>`)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	items := s.x.tags["li"]
	c := &candidate{nodes: [][]int{items}}
	s.values(&kb.Field{Name: "creator", As: kb.Text}, c, &scope{records: []int{-1}})
	if c.values[0] != "Hero" || c.nodes[0][0] != items[1] {
		t.Errorf("%q at %v of %v", c.values, c.nodes, items)
	}
}
