package engine

import (
	"testing"
	"time"
)

// TestRefusals: a host that refuses rests ever longer, its URLs lose no try, a URL that alone is
// refused does, and a host that refuses for longer than the patience is over.
func TestRefusals(t *testing.T) {
	o := outages{first: 5 * time.Second, row: maxRow, patience: time.Hour}
	now := time.Unix(1e9, 0)
	var last time.Duration
	for range 12 {
		counts, over, pause, _ := o.refused("a.example", "/1", now)
		if counts || over || pause <= last*9/10 {
			t.Fatalf("counts %v, over %v, rest of %v after %v", counts, over, pause, last)
		}
		last, now = pause, now.Add(pause)
	}
	if counts, _, _, _ := o.refused("a.example", "/2", now); counts {
		t.Error("a refusal of another URL counts against it")
	}
	o.answered("a.example", "/1", true, now)
	if refuses, _ := o.refusing("a.example"); refuses {
		t.Error("it still refuses after an answer")
	}
	if counts, _, _, _ := o.refused("a.example", "/2", now); !counts {
		t.Error("a URL that is refused while its host answers loses no try")
	}
	if _, over, _, _ := o.refused("a.example", "/1", now); over {
		t.Error("the patience ends with the first refusal")
	}
	if _, over, _, _ := o.refused("a.example", "/1", now.Add(time.Hour)); !over {
		t.Error("the patience does not end")
	}
}

// TestRefusalsSlowDown: a refusal after content raises the least wait, answers lower it to zero.
func TestRefusalsSlowDown(t *testing.T) {
	o := outages{first: 5 * time.Second, row: maxRow, patience: time.Hour}
	now := time.Unix(1e9, 0)
	for range 20 {
		now = now.Add(100 * time.Millisecond)
		o.answered("a.example", "/", true, now)
	}
	o.refused("a.example", "/", now)
	r := &o.of("a.example").refusal
	if first := r.slow; first < 140*time.Millisecond {
		t.Errorf("the host is requested every %v", first)
	}
	answers := 0
	for ; r.slow > 0 && answers < 1000; answers++ {
		now = now.Add(r.slow)
		o.answered("a.example", "/", true, now)
	}
	if answers < recoveryAnswers || answers > recoveryAnswers+2 {
		t.Errorf("it recovers within %d answers", answers)
	}
}
