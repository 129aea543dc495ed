package adapt

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// A copy under another name, one link of which leads to itself, is of the host that addresses of the type lead to.
func TestHomeOfACopy(t *testing.T) {
	b := loadBoard(t)
	topics := `<a href="https://real.example/show.php?t=1">1</a><a href="https://real.example/show.php?t=2">2</a>` +
		`<a href="https://real.example/show.php?t=3">3</a>`
	for body, want := range map[string]string{
		topics + `<a href="/more.php">More</a>`:                                         "real.example",
		topics + `<a href="/list.php?f=2">Gear</a>`:                                     "board.example",
		`<a href="https://real.example/show.php?t=1">1</a><a href="/more.php">More</a>`: "board.example",
	} {
		p, _ := b.page(t, "board", "http://board.example/saved", `<html><body id="b">`+body+`</body></html>`)
		if s := newSession(b.base, p, Options{Lexicon: b.lexicon}); s.home != want {
			t.Errorf("%s: %s, want %s", body, s.home, want)
		}
	}
}

// Where the addresses of a forum begin is its index, unless a link stands right above a trail.
func TestTheRoot(t *testing.T) {
	b := loadBoard(t)
	at := "http://board.example/forum/show.php?t=7"
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"the folder", strings.Replace(newTopic(""), "<nav>", `<p><a href="./">Boats</a> <a href="/">Shop</a></p><nav>`, 1),
			[]string{"forum/"}},
		{"its script", strings.Replace(newTopic(""), "<nav>", `<p><a href="index.php">Boats</a></p><nav>`, 1), []string{"forum/index.php"}},
		{"above the trail", crumbs(t, `<li><a href="./">Home</a></li><li><a href="boards">Boards</a></li>`), []string{"forum/boards"}},
	} {
		p, h := b.page(t, "board", at, c.body)
		s := newSession(b.base, p, Options{Lexicon: b.lexicon})
		var got []string
		for _, col := range s.route(t, "topic", "index", false).columns() {
			for _, a := range col.links {
				got = append(got, strings.TrimPrefix(a.url, "http://board.example/"))
			}
		}
		if got = slices.Compact(got); !slices.Equal(got, c.want) || h.Level != nil {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A page that names lists which no action follows has a fault.
func TestUnfollowedLists(t *testing.T) {
	cut := strings.Replace(board, ` <follow to="list">p[@class='trail']/a</follow></level>`, `</level>`, 1)
	cut = strings.Replace(cut, ` <follow to="index">p[@class='trail']/b/a</follow>`, ``, 1)
	base, err := kb.Load(kb.Source{Name: "board.xml", Data: []byte(cut)})
	if err != nil {
		t.Fatal(err)
	}
	b := loadBoard(t)
	for link, want := range map[string]int{
		`<a href="/">Boats</a>`: 1, `<a href="/list.php?f=3">Sails</a>`: 1, `<a href="/help">Help</a>`: 0,
	} {
		p, h := b.page(t, "board", "http://board.example/list.php?f=2",
			`<html><body id="b"><ul class="topics"><li><a href="show.php?t=7">Rope for a mooring</a></li></ul>`+link+`</body></html>`)
		p.Type = base.Type("board")
		h.Level = p.Type.Level("list")[0]
		got := 0
		for _, f := range Judge(p, h) {
			if f.Kind == NoLink && f.Detail != "" {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %d faults, want %d: %v", link, got, want, Judge(p, h))
		}
	}
}

// Where a page leads mends no page whose objects are missing: another family of templates may have them.
func TestLinksMendNoShell(t *testing.T) {
	shell := strings.Replace(board, `<level id="topic"`, `<level id="topic" variant="shell" kind="terminal"><detect>`+
		`<pattern>div[@id='app']</pattern></detect></level><level id="topic"`, 1)
	base, err := kb.Load(kb.Source{Name: "board.xml", Data: []byte(shell)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base, detect.New(base), NewLexicon(base)}
	page := strings.NewReplacer(`class="entry"`, `class="post-z"`, "<article", "<div", "</article>", "</div>",
		`class="name"`, `class="who"`, "<nav>", `<div id="app"></div><p><a href="./">Boats</a></p><nav>`).Replace(newTopic(""))
	p, h := b.page(t, "board", "http://board.example/show.php?t=7", page)
	if h.Level == nil || h.Level.Variant != "shell" {
		t.Fatal("the page is no shell: the test shows nothing")
	}
	if a := b.mend(p, h); len(a.Entries) > 0 && len(a.Harvest.Objects) == 0 {
		t.Errorf("mended by %v", a.Entries)
	}
}
