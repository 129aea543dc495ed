package adapt

import "testing"

// A topic of one post that comes before any that could tell how its template is made waits;
// a page that is no topic by its address does not.
func TestATopicWaitsForOthers(t *testing.T) {
	b := loadBoard(t)
	one := func(i int) string { return `<article class="entry" id="e1"><p>` + words(i) + `</p></article>` }
	for at, want := range map[string]bool{
		"http://board.example/show.php?t=7":  true,
		"http://board.example/list.php?f=7":  false,
		"http://board.example/search.php?q=": false,
	} {
		p, h := b.page(t, "board", at, boardTopic("", heading, 1, one))
		if r := New(LearnerOptions{}).Page(b.base, p, h); r.Pending != want {
			t.Errorf("%s waits: %v, want %v", at, r.Pending, want)
		}
	}
	b = loadBuiltin(t) // an article shows what it is by itself
	p, h := b.page(t, "wordpress", "http://boats.example/?p=7", "<html><body><p>Soon.</p></body></html>")
	if a := p.Type.URLs.Level(p.URL); a == nil || a.Level != "post" {
		t.Fatal("the address tells no article: the test shows nothing")
	}
	if New(LearnerOptions{}).Page(b.base, p, h).Pending {
		t.Error("an article waits for nothing")
	}
}
