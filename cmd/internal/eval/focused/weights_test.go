package focused

import (
	"testing"

	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// TestWeighingFollowsTheHarvest: where anchors say nothing of the pages behind them and the
// linking pages do, a link of a good page comes before one with a good anchor.
func TestWeighingFollowsTheHarvest(t *testing.T) {
	w, err := newWeighing()
	if err != nil {
		t.Fatal(err)
	}
	priorities := func() (goodPage, goodAnchor int) {
		one, other := []frontier.URL{{}}, []frontier.URL{{}}
		if err := w.prioritise(0.4, []float64{0.2}, one); err != nil {
			t.Fatal(err)
		}
		if err := w.prioritise(0.2, []float64{0.5}, other); err != nil {
			t.Fatal(err)
		}
		return one[0].Priority, other[0].Priority
	}
	if page, anchor := priorities(); page != scale(0.3) || anchor != scale(0.35) {
		t.Fatalf("before anything is learned: priorities %d and %d; expected the averages", page, anchor)
	}
	for i := range 200 {
		links := []frontier.URL{{}}
		page := float64(i%5) / 10
		if err := w.prioritise(page, []float64{float64(i%7) / 10}, links); err != nil {
			t.Fatal(err)
		}
		w.harvest(frontier.Lease{URL: links[0]}, page)
	}
	w.harvest(frontier.Lease{}, 1) // a seed, of which nobody said anything
	if page, anchor := priorities(); page <= anchor {
		t.Errorf("after 200 pages: priorities %d and %d, %+v", page, anchor, w.learner.Lessons())
	}
	for _, l := range w.learner.Lessons() {
		if l.Module == score.ModuleAnchor && l.Now > 0.3 {
			t.Errorf("anchors still weigh %.2f", l.Now)
		}
	}
}

// TestAnchorsMislead: the misled web differs from the other in its anchors alone.
func TestAnchorsMislead(t *testing.T) {
	w := newTopicalWeb(3000, 1)
	m := w.misled()
	told, misled, n := 0.0, 0.0, 0
	for p := range 300 {
		links := m.links(p)
		for i, l := range w.links(p) {
			if len(links) <= i || links[i].to != l.to {
				t.Fatalf("page %d: link %d leads elsewhere", p, i)
			}
			told += score.Cosine(l.text, w.text(l.to))
			misled += score.Cosine(links[i].text, m.text(l.to))
			n++
		}
	}
	if told < 3*misled {
		t.Errorf("anchors have a similarity of %.3f to their pages, misleading ones of %.3f", told/float64(n), misled/float64(n))
	}
}
