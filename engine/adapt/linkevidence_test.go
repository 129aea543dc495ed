package adapt

import "testing"

// TestLinkEvidence reads columns of links of a list whose addresses tell nothing.
func TestLinkEvidence(t *testing.T) {
	b := loadBoard(t)
	p, _ := b.page(t, "board", "http://board.example/gear/", `<html><body id="b"><ul id="topics">
<li><h3><a class="t" href="/gear/rope-7">Rope for a mooring</a></h3></li>
<li><h3><a class="t" href="/gear/oars-8">Which oars?</a></h3></li></ul>
<p><a class="f" href="/sails/">Sails</a> <a class="f" href="/masts/">Masts</a> <a class="n" href="/sails/jib-3">A jib</a>
<a class="n" href="/masts/mast-4" rel="nofollow">A mast</a> <a class="s" href="/top.php?days=1">Today</a></p></body></html>`)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	r := s.route(t, "list", "topic", false)
	r.told = false
	r.look()
	for class, want := range map[string]map[string]float64{
		"t": {"inside": 1, "folders": 0, "headed": 1, "shunned": 0, "scripts": 0},
		"f": {"inside": 0, "folders": 1, "headed": 0, "shunned": 0, "scripts": 0},
		"n": {"inside": 0, "folders": 0, "headed": 0, "shunned": 0.5, "scripts": 0},
		"s": {"inside": 0, "folders": 0, "headed": 0, "shunned": 0, "scripts": 1},
	} {
		c := &column{}
		for _, n := range s.x.values["class"][class] {
			c.links = append(c.links, s.anchored()[n])
		}
		for _, f := range ofLinks {
			if x, asked := want[f.name]; asked && f.of(r, c) != x {
				t.Errorf("%s of %s is %v, want %v", f.name, class, f.of(r, c), x)
			}
		}
	}
}

// TestLinksUnderAChange: what an action became by one change of the template is among its columns, and said to be.
func TestLinksUnderAChange(t *testing.T) {
	b := loadBoard(t)
	p, _ := b.page(t, "board", "http://board.example/list.php?f=2", `<html><body id="b"><p class="trails"><a href="list.php?f=1">All</a></p>
<ul class="topics-z"><li><a href="show.php?t=7">Rope</a></li><li><a href="show.php?t=8">Oars</a></li></ul></body></html>`)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	found := false
	for _, c := range s.route(t, "list", "topic", false).columns() {
		found = found || c.changed && len(c.links) == 2 && c.written() == "ul[contains(@class, 'topics-z')]/li/a"
	}
	if !found {
		t.Error("the changed expression is none of the columns")
	}
}
