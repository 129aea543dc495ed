package adapt

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// Links that nothing but their tags describes are not learned: the expression would
// select all links of the next page.
func TestLinksNeedAName(t *testing.T) {
	bare := regexp.MustCompile(`(?s)<address .*</address>`).ReplaceAllString(board, "")
	base, err := kb.Load(kb.Source{Name: "board.xml", Data: []byte(bare)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base, detect.New(base), NewLexicon(base)}
	for name, want := range map[string]int{``: 0, ` class="subject"`: 6} {
		var rows strings.Builder
		for i, title := range []string{"Which rope for a mooring?", "A mast that bends too far", "Where to winter on the coast",
			"Leaks at the keel bolts", "Paint that stays", "A stove for two"} {
			fmt.Fprintf(&rows, `<tr><td><a href="/threads/%d/"%s>%s</a></td></tr>`, 20+i, name, title)
		}
		p, h := b.page(t, "board", "http://board.example/list.php?f=2",
			`<html><body id="b"><ul class="topics"></ul><table>`+rows.String()+`</table></body></html>`)
		a := b.mend(p, h)
		if got := len(linksTo(a.Harvest, "topic")); got != want {
			t.Errorf("links with the attributes %q: %d topics by %v, want %d", name, got, a.Entries, want)
		}
	}
}

// TestGuardedLinksAreNotMended has an action that asks first that the page has no further pages.
func TestGuardedLinksAreNotMended(t *testing.T) {
	b := loadBuiltin(t)
	var guarded *kb.Follow
	for _, v := range b.base.Type("wordpress").Level("home") {
		for _, f := range v.Follow {
			if strings.HasPrefix(f.Tries[0].Expr.Source, "self::node()[not(") {
				guarded = f
			}
		}
	}
	if guarded == nil {
		t.Fatal("no action of the front of a blog has a guard")
	}
	for body, barred := range map[string]bool{
		`<a class="page-numbers" href="/page/2/">2</a>`: true,
		`<a href="/2019/05/">May</a>`:                   false,
	} {
		p, _ := b.page(t, "wordpress", "http://blog.example/", "<html><body>"+body+"</body></html>")
		if got := newSession(b.base, p, Options{Lexicon: b.lexicon}).barred(guarded); got != barred {
			t.Errorf("%s: barred is %v", body, got)
		}
	}
}
