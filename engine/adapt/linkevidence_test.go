package adapt

import "testing"

// TestLinkEvidence reads columns of links of a list whose addresses tell nothing.
func TestLinkEvidence(t *testing.T) {
	b := loadBoard(t)
	p, _ := b.page(t, "board", "http://board.example/gear/", `<html><body id="b"><ul id="topics">
<li><h3><a class="t" href="/gear/rope-7">Rope for a mooring</a></h3></li>
<li><h3><a class="t" href="/gear/oars-8">Which oars?</a></h3></li></ul>
<p><a class="f" href="/sails/">Sails</a> <a class="f" href="/masts/">Masts</a> <a class="n" href="/sails/jib-3">A jib</a>
<a class="n" href="/masts/mast-4">A mast</a> <a class="s" href="/top.php?days=1">Today</a></p></body></html>`)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	r := s.route(t, "list", "topic", false)
	r.told = false
	r.look()
	for class, want := range map[string]map[string]float64{
		"t": {"folders": 0, "scripts": 0, "short": 0.5},
		"f": {"folders": 1, "scripts": 0, "short": 1},
		"n": {"folders": 0, "scripts": 0, "short": 1},
		"s": {"folders": 0, "scripts": 1, "short": 1},
	} {
		c := &column{}
		for _, n := range s.x.values["class"][class] {
			c.links = append(c.links, s.anchored()[n])
		}
		asked := 0
		for _, f := range ofLinks {
			if x, is := want[f.name]; is {
				if asked++; f.of(r, c) != x {
					t.Errorf("%s of %s is %v, want %v", f.name, class, f.of(r, c), x)
				}
			}
		}
		if asked != len(want) {
			t.Errorf("%d features of %s were asked, want %d", asked, class, len(want))
		}
	}
}
