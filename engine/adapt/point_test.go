package adapt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// TestPointAtAName: of the expressions for a name that somebody points at, the first is one that gives each post of all pages of the
// level its own.
func TestPointAtAName(t *testing.T) {
	b := loadBuiltin(t)
	post := func(n, i int) string {
		return fmt.Sprintf(`<div id="p%d%d" class="post bg%d"><div class="postbody"><h3><a href="#p%[1]d%[2]d">Rope</a></h3>
<p class="author">by <b class="who-is-it">%[4]s</b> on <i>2024-05-%02[2]d 18:15</i></p><div class="content">%[5]s</div></div>
<dl class="postprofile"><dt><a href="./memberlist.php?mode=viewprofile&amp;u=%[2]d">%[4]s</a></dt></dl></div>`,
			n, i+1, i%2+1, posts[(n+i)%4].who, words(i))
	}
	pageOf := func(n int) extract.Page {
		body := `<html><head><title>Rope</title></head><body id="phpbb" class="section-viewtopic"><h2>Rope</h2>`
		for i := range 3 + n {
			body += post(n, i)
		}
		p, _ := b.page(t, "phpbb", fmt.Sprintf("https://boats.example/viewtopic.php?t=%d", n), body+`</body></html>`)
		if len(p.Levels) == 0 {
			t.Fatal("no level")
		}
		return p
	}
	p := pageOf(1)
	at, ok := PointAt(p.Doc, posts[1].who)
	if !ok || at.Node.Data != "b" {
		t.Fatalf("points at %+v", at)
	}
	got, err := Point(b.base, p.Levels[0], p, at, []extract.Page{pageOf(0), pageOf(2)}, PointOptions{Field: "creator", Lexicon: b.lexicon})
	if err != nil {
		t.Fatal(err)
	}
	best := got.Proposals[0]
	if f := best.Fit; got.Class != "sioc:Post" || f.One != 12 || f.On != 3 || f.Distinct != 3 || best.Value != "Bob" || best.From == "" {
		t.Errorf("the best is %+v", best)
	}
	if last := got.Proposals[len(got.Proposals)-1]; last.Expr != "p[i='2024-05-01 18:15']/b" || last.Fit.One != 3 {
		t.Errorf("what holds in one post of each page comes last: %+v", last)
	}
	if len(got.Written) == 0 || got.Written[0].Fit.One != 0 {
		t.Errorf("what is written, and selects nothing here: %+v", got.Written)
	}
}

// TestPointAtDatesAttributesAndWords: the kind of value decides what counts, a label beside a value finds it, and an object that is not
// around the value is refused.
func TestPointAtDatesAttributesAndWords(t *testing.T) {
	b := loadBuiltin(t)
	p, _ := b.page(t, "phpbb", "https://boats.example/memberlist.php?mode=viewprofile&u=2", `<html><body><table>
<tr><th>Member</th><td>Ada</td></tr><tr><th>Joined</th><td>3 May 2011</td></tr></table>
<p><a class="home" href="https://ada.example/">here</a>
</body></html>`)
	for _, c := range []struct {
		value, expr string
		as          kb.As
	}{
		{"3 May 2011", "tr[th='Joined']/td", kb.Date}, {"https://ada.example/", "a[contains(@class, 'home')]/@href", kb.URL},
	} {
		at, ok := PointAt(p.Doc, c.value)
		if !ok {
			t.Fatalf("%s is not found", c.value)
		}
		got, err := Point(b.base, nil, p, at, nil, PointOptions{As: c.as, Lexicon: b.lexicon})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(got.Proposals, func(x Proposal) bool { return x.Expr == c.expr && x.Fit.One == 1 }) {
			t.Errorf("%s: %+v", c.value, got.Proposals)
		}
	}
	at, _ := PointAt(p.Doc, "Ada")
	if got, err := Point(b.base, nil, p, at, nil, PointOptions{As: kb.Date, Lexicon: b.lexicon}); err != nil || len(got.Proposals) > 0 {
		t.Errorf("a name is no date: %+v, %v", got, err)
	}
	if _, err := Point(b.base, nil, p, at, nil, PointOptions{Class: "sioc:Post", Lexicon: b.lexicon}); err == nil {
		t.Error("an object that is not there is accepted")
	}
}
