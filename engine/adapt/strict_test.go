package adapt

import (
	"fmt"
	"strings"
	"testing"
)

// topicOf writes a topic of a template that no knowledge base knows, a post by each form.
func topicOf(post func(i int, name, text string) string) string {
	names := []string{"Ada", "Bo", "Cyd", "Dan", "Eve", "Flo", "Gus", "Hal"}
	var b strings.Builder
	b.WriteString(`<html><head><title>Which rope for a mooring? - Quayside</title>` +
		`</head><body><h2 class="tt">Which rope for a mooring?</h2>`)
	for i, name := range names {
		text := fmt.Sprintf("Number %d says that nylon stretches and polyester does not, so that %s would splice the first to the last "+
			"of the chain.", i, name)
		b.WriteString(post(i, name, text))
	}
	b.WriteString(`</body></html>`)
	return b.String()
}

// readBoard mends such a page, and gives date and content of its posts.
func readBoard(t *testing.T, body string) (created, contents []string) {
	t.Helper()
	b := loadBuiltin(t)
	p, h := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", body)
	a := b.mend(p, h)
	for _, o := range a.Harvest.Objects {
		if o.Class == "sioc:Post" {
			created, contents = append(created, o.Value("created")), append(contents, o.Value("content"))
		}
	}
	if len(created) != 8 {
		t.Fatalf("%d posts of 8: %s", len(created), a.Left)
	}
	return created, contents
}

func TestContentsOfPostsAreTheTextAlone(t *testing.T) {
	head := func(i int, name string) string {
		return fmt.Sprintf(`<div class="wh"><a class="nn" href="memberlist.php?mode=viewprofile&u=%d">%s</a> <span class="dd">%d May `+
			`2019, 10:0%d</span></div>`, i+2, name, i+1, i)
	}
	for name, post := range map[string]func(i int, name, text string) string{
		"not the frame that holds date and author too": func(i int, name, text string) string {
			return fmt.Sprintf(`<div class="pp" id="p%d"><div class="in">%s<div class="xx">%s</div></div></div>`, 40+i, head(i, name), text)
		},
		"not the frame in a frame around a signature": func(i int, name, text string) string {
			return fmt.Sprintf(`<div class="pp" id="p%d">%s<div class="fr"><div class="row"><div class="xx">%s</div><div class="sg">`+
				`Number %d of the fleet, and the first to leave the harbour in the spring.</div></div></div></div>`, 40+i, head(i, name),
				text, i)
		},
		"not what is called the same in some posts": func(i int, name, text string) string {
			contact := ""
			if i%3 == 1 {
				contact = fmt.Sprintf(`<div class="xx cc">Website of %s, where the boats are shown</div>`, name)
			}
			return fmt.Sprintf(`<div class="pp" id="p%d">%s<div class="pr">%s</div><div class="bd"><div class="xx">%s</div></div></div>`,
				40+i, head(i, name), contact, text)
		},
		"not one paragraph of several": func(i int, name, text string) string {
			more := ""
			if i%3 == 1 {
				more = "<p>And one more thing.</p>"
			}
			return fmt.Sprintf(`<div class="pp" id="p%d">%s<div class="xx"><p>%s</p>%s</div></div>`, 40+i, head(i, name), text, more)
		},
	} {
		_, contents := readBoard(t, topicOf(post))
		for i, c := range contents {
			if want := fmt.Sprintf("Number %d says", i); !strings.HasPrefix(c, want) || strings.Contains(c, "fleet") || i%3 == 1 && name ==
				"not one paragraph of several" && !strings.Contains(c, "one more") {
				t.Errorf("%s: post %d is %q", name, i, c)
			}
		}
	}
}

func TestMomentsForProgramsComeBeforeTextsForReaders(t *testing.T) {
	created, _ := readBoard(t, topicOf(func(i int, name, text string) string {
		return fmt.Sprintf(`<div class="post bg1" id="p%d"><p class="author">by <a href="memberlist.php?mode=viewprofile&u=%d">%s</a> » `+
			`<b><time datetime="2019-05-0%dT08:0%d:00+00:00">%d May 2019, 10:0%d</time></b></p><div class="xx">%s</div></div>`, 40+i, i+2,
			name, i+1, i, i+1, i, text)
	}))
	for i, c := range created {
		if want := fmt.Sprintf("2019-05-0%dT08:0%d:00Z", i+1, i); c != want {
			t.Errorf("post %d is of %s, not %s", i, c, want)
		}
	}
}

// oldTopic is a page of the board's own template but for what wraps the date and the
// text of its posts.
func oldTopic(when, text func(i int) string) string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, `<div class="post"><a name="p%d"></a><b class="who">%s</b> %s %s</div>`, 40+i, posts[i%4].who, when(i), text(i))
	}
	return `<html><head><title>Boats - Rope for a mooring</title></head><body id="b"><h1 class="topic">Rope for a mooring</h1>` +
		b.String() + `</body></html>`
}

func said(i int) string { return fmt.Sprintf("Post %d: %s", i, posts[i%4].text) }

func TestAnObjectIsNotItsContent(t *testing.T) {
	b := loadBoard(t)
	p, h := b.page(t, "board", "http://board.example/show.php?t=7", oldTopic(func(i int) string { return "" }, func(i int) string {
		return fmt.Sprintf(`<div class="texts"><i class="when">Posted: %d May 2019, 10:0%d</i> %s</div>`, i+1, i, said(i))
	}))
	for _, o := range b.mend(p, h).Harvest.Objects {
		if v := o.Value("content"); v != "" {
			t.Errorf("a content with the date in it: %q", v)
		}
	}
}
