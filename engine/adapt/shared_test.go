package adapt

import (
	"encoding/json"
	"testing"

	"github.com/awarc/awarc/kb"
)

// sent is what a learner says, as it goes over the network.
func sent(t *testing.T, l *Learner) (said []Evidence) {
	t.Helper()
	text, err := json.Marshal(l.Evidence())
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// Two learners with two pages each confirm together what one confirms with four.
func TestLearnersConfirmTogether(t *testing.T) {
	b := loadBuiltin(t)
	alone, one, two := New(LearnerOptions{}), New(LearnerOptions{}), New(LearnerOptions{})
	want := map[string]int{}
	for n := 1; n <= 4; n++ {
		p, h := b.renamed(t, n)
		for _, e := range alone.Page(b.base, p, h).Confirmed {
			want[e.ID()] = e.Pages
		}
		if r := []*Learner{one, two}[n%2].Page(b.base, p, h); !r.Pending {
			t.Errorf("page %d does not wait", n)
		}
	}
	idle := New(LearnerOptions{})
	idle.Hear(b.base, "one", sent(t, one))
	if d := idle.Hear(b.base, "two", sent(t, two)); len(d) > 0 {
		t.Errorf("a learner without a page confirms %+v", d)
	}
	decided := one.Hear(b.base, "two", sent(t, two))
	if len(decided) != 1 || len(decided[0].Entries) != len(want) {
		t.Fatalf("decided %+v, want %v", decided, want)
	}
	for _, e := range decided[0].Entries {
		if want[e.ID()] != e.Pages {
			t.Errorf("%s is confirmed by %d pages, want %d", e.ID(), e.Pages, want[e.ID()])
		}
	}
	if d := one.Hear(b.base, "two", sent(t, two)); len(d) > 0 {
		t.Errorf("the same once more decides %+v", d)
	}
	if d := two.Hear(&kb.Base{Entries: decided[0].Entries}, "", nil); len(d) != 1 || len(d[0].Entries) > 0 || d[0].Key != decided[0].Key {
		t.Errorf("the second has %+v to read again once it is in force", d)
	}
	if left := append(one.Finish(), two.Finish()...); len(left) > 0 {
		t.Errorf("all was decided, but %v is left", left)
	}
}

// A page of its own confirms what other learners know, whoever is the first.
func TestOwnPageConfirmsWhatOthersKnow(t *testing.T) {
	b := loadBuiltin(t)
	one, two := New(LearnerOptions{}), New(LearnerOptions{})
	for n := 1; n <= 3; n++ {
		p, h := b.renamed(t, n)
		one.Page(b.base, p, h)
	}
	two.Hear(b.base, "one", sent(t, one))
	if len(two.Evidence()) > 0 {
		t.Error("what was heard is told again")
	}
	p, h := b.renamed(t, 4)
	if r := two.Page(b.base, p, h); r.Pending || len(r.Confirmed) == 0 || r.Tried > 0 {
		t.Errorf("pending %v, confirmed %v after %d candidates", r.Pending, r.Confirmed, r.Tried)
	}
}
