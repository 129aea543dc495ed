package adapt

import (
	"testing"

	"github.com/awarc/awarc/kb"
)

// Links to numbered places tell the level of a page that has the places, and of no other.
func TestPagesAreToldByLinksToTheirPlaces(t *testing.T) {
	b := loadBoard(t)
	for body, want := range map[string]kb.LevelID{
		`<p id="p41"><a href="show.php?p=41#p41">#1</a></p>`:                                                         "topic",
		`<a name="p41"></a><a href="show.php?p=41#p41">#1</a>`:                                                       "topic",
		`<p><a href="show.php?p=41#p41">Last post</a></p>`:                                                           "",
		`<p id="top"><a href="show.php?p=41#top">Rope</a></p>`:                                                       "",
		`<p id="p41"><a href="other.php?p=41#p41">#1</a></p>`:                                                        "",
		`<p id="p41"><a href="show.php?p=41#p41">#1</a></p><p id="f2"><a href="list.php?f=2#f2">All of Gear</a></p>`: "",
	} {
		p, _ := b.page(t, "board", "http://board.example/saved", `<html><body id="b">`+body+`</body></html>`)
		if got := newSession(b.base, p, Options{Lexicon: b.lexicon}).own.level; got != want {
			t.Errorf("%s: level %q, want %q", body, got, want)
		}
	}
}
