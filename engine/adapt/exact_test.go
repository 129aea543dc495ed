package adapt

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
)

// TestWholeNamesOfClasses has a menu whose class contains the name of that of the contents: what is learned from a page
// where no post has such a menu is right on one where a post has.
func TestWholeNamesOfClasses(t *testing.T) {
	b := loadBuiltin(t)
	const at = "http://board.example/viewtopic.php?t=7"
	body := template(t, "phpbb-prosilver-topic.html")
	_, whole := b.page(t, "phpbb", at, body)
	body = edit(t, body, `class="content"`, `class="notes"`, `(<body[^>]*>)`, `$1<div class="dropdown-notes">Quick links</div>`)
	p, broken := b.page(t, "phpbb", at, body)
	a := b.mend(p, broken)
	base, err := b.base.With(a.Entries...)
	if err != nil || len(a.Entries) == 0 {
		t.Fatalf("learned %v: %v", a.Entries, err)
	}
	taught := builtin{base, detect.New(base), b.lexicon}
	body = strings.Replace(body, "</dt>", `<div class="dropdown-notes">Website</div></dt>`, 1)
	_, next := taught.page(t, "phpbb", at, body)
	if got, want := fieldsOf(next), fieldsOf(whole); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\nlearned %v", strings.Join(got, "\n"), strings.Join(want, "\n"), a.Entries)
	}
}

// TestRankIsNoTitle has posts without titles, and their writers' ranks in elements whose class has that of a title in it.
func TestRankIsNoTitle(t *testing.T) {
	b := loadBuiltin(t)
	body := edit(t, template(t, "vbulletin-4-topic.html"), `<h2 class="title icon">[^<]*</h2>`, ``,
		`(<div class="userinfo">(?s:.*?))</div>`, `$1<div class="usertitle">Able seaman</div></div>`)
	p, broken := b.page(t, "vbulletin", "http://board.example/showthread.php?t=7", body)
	for _, f := range fieldsOf(b.mend(p, broken).Harvest) {
		if strings.Contains(f, "title = Able seaman") {
			t.Error(f)
		}
	}
}
