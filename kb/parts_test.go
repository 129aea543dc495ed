package kb_test

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestParts: which page of a thing an address is of, in real applications.
func TestParts(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		typ  kb.TypeID
		path string
		want int
	}{
		{"phpbb", "/viewtopic.php?t=39", 0}, {"phpbb", "/viewtopic.php?t=39&start=0", 0}, {"phpbb",
			"/viewtopic.php?f=2&t=39&sid=ab&start=120", 120},
		{"vbulletin", "/showthread.php?12-Oars/page3", 3}, {"vbulletin", "/showthread.php?t=12&page=1", 0},
		{"xenforo", "/threads/oars.12/page-4", 4}, {"discourse", "/t/oars/12?page=2", 2},
		{"wordpress", "/2021/12/01/oars/comment-page-3/#comments", 3}, {"wordpress", "/2021/12/01/oars/", 0},
		{"phpbb", "/viewtopic.php?t=39&start=99999999999999999999", 0}, {"phpbb", "/viewtopic.php?t=39&start=-10", 0},
	} {
		u, err := url.Parse("http://site.example" + c.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := base.Type(c.typ).URLs.Part(u); got != c.want {
			t.Errorf("%s %s is part %d, want %d", c.typ, c.path, got, c.want)
		}
	}
}
