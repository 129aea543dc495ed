package focused

import (
	"testing"

	"github.com/awarc/awarc/engine/score"
)

func TestGeneratedWebIsTheSameEachTime(t *testing.T) {
	a, b := newTopicalWeb(3000, 7), newTopicalWeb(3000, 7)
	other := newTopicalWeb(3000, 8)
	differ := 0
	for p := range 200 {
		la, lb := a.links(p), b.links(p)
		if a.url(p) != b.url(p) || score.Cosine(a.text(p), b.text(p)) < 0.999999 || len(la) != len(lb) {
			t.Fatalf("page %d differs between two webs of one seed", p)
		}
		for i := range la {
			if la[i].to != lb[i].to || la[i].to < 0 || la[i].to >= a.size() {
				t.Fatalf("page %d: link %d leads to %d and to %d of %d pages", p, i, la[i].to, lb[i].to, a.size())
			}
		}
		if len(la) != len(other.links(p)) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("another seed gives the same web")
	}
}

// TestTopicalWebIsTopical: pages of one topic are more alike, and linked more, than
// others.
func TestTopicalWebIsTopical(t *testing.T) {
	w := newTopicalWeb(5000, 1)
	same, all, alike, unlike, n := 0, 0, 0.0, 0.0, 0
	for p := 0; p < w.size(); p += 25 {
		for _, l := range w.links(p) {
			all++
			if w.subtopic(p)/subtopicCount == w.subtopic(l.to)/subtopicCount {
				same++
			}
		}
		topic := w.byTopic[w.subtopic(p)/subtopicCount]
		alike += score.Cosine(w.text(p), w.text(int(topic[(p+1)%len(topic)])))
		unlike += score.Cosine(w.text(p), w.text((p*7+13)%w.size()))
		n++
	}
	if share := float64(same) / float64(all); share < 0.2 || share > 0.7 {
		t.Errorf("%.2f of all links stay with the topic", share)
	}
	if alike < 3*unlike {
		t.Errorf("pages of one topic have a similarity of %.3f, others of %.3f", alike/float64(n), unlike/float64(n))
	}
}
