package adapt

import (
	"strings"
	"testing"
)

// TestANameOnAnotherTag: an action that a page need not have is mended where the name is the
// same and the tag another. What it denies need not be on the page.
func TestANameOnAnotherTag(t *testing.T) {
	b := loadBuiltin(t)
	page := func(tag string) string {
		return strings.Replace(blogPage("Ice", "",
			`<article class="hentry"><h1 class="entry-title">Ice</h1><span class="vcard">`+
				`<a class="fn" rel="author" href="/author/ada/">Ada</a></span>
<time class="entry-date published" datetime="2019-02-01T08:00:00+00:00">1 February</time> <`+tag+
				` class="updated" datetime="2019-02-03T10:00:00+00:00">3 February</`+tag+`><div class="entry-content"><p>`+
				strings.Repeat(sentenceOf+" ", 5)+`</p></div></article>`), `class="zz"`, `class="single-post"`, 1)
	}
	_, whole := b.page(t, "wordpress", "http://quayside.example/ice/", page("time"))
	p, broken := b.page(t, "wordpress", "http://quayside.example/ice/", page("abbr"))
	want := "2019-02-03T10:00:00Z"
	if got := whole.Objects[0].Value("modified"); got != want || broken.Objects[0].Value("modified") != "" {
		t.Fatalf("modified %q, and %q with another tag", got, broken.Objects[0].Value("modified"))
	}
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	for _, spot := range broken.Level.Spots() {
		if spot.Part != "sioct:BlogPost modified" {
			continue
		}
		for _, c := range s.changed(spot, &scope{records: []int{-1}}) {
			if strings.HasPrefix(c.written(), "abbr[") && c.holding == 0 {
				t.Errorf("%s: the name counts for nothing", c.expr)
			}
		}
	}
	if a := b.mend(p, broken); a.Harvest.Objects[0].Value("modified") != want {
		t.Errorf("%v by %v: %s", a.Harvest.Objects[0], a.Entries, a.Left)
	}
}
