package adapt

import (
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
