package engine

import (
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
)

// TestRefusals: a host that refuses rests ever longer, its URLs lose no try, a URL that alone is
// refused does, and a host that refuses for longer than the patience is over.
func TestRefusals(t *testing.T) {
	o := outages{first: 5 * time.Second, row: maxRow, patience: time.Hour}
	now := time.Unix(1e9, 0)
	health := frontier.Health{}
	var last time.Duration
	for range 12 {
		counts, over, pause, _ := o.refused("a.example", "/1", health, now)
		if counts || over || pause <= last*9/10 {
			t.Fatalf("counts %v, over %v, rest of %v after %v", counts, over, pause, last)
		}
		if health.Refusals++; health.Refusals == 1 {
			health.Since = now
		}
		last, now = pause, now.Add(pause)
	}
	if counts, _, _, _ := o.refused("a.example", "/2", health, now); counts {
		t.Error("a refusal of another URL counts against it")
	}
	if _, over, _, _ := o.refused("a.example", "/1", health, health.Since.Add(time.Hour)); !over {
		t.Error("the patience does not end")
	}
	o.answered("a.example", "/1", true)
	health = frontier.Health{}
	if counts, _, _, _ := o.refused("a.example", "/2", health, now); !counts {
		t.Error("a URL that is refused while its host answers loses no try")
	}
	if _, over, _, _ := o.refused("a.example", "/1", health, now); over {
		t.Error("the patience ends with the first refusal")
	}
}

// TestRefusalsOfAnotherProcess: the stored health of a host decides like refusals in this process.
func TestRefusalsOfAnotherProcess(t *testing.T) {
	o := outages{first: 5 * time.Second, row: maxRow, patience: time.Hour}
	now := time.Unix(1e9, 0)
	health := frontier.Health{Refusals: 8, Since: now.Add(-30 * time.Minute)}
	if _, over, pause, _ := o.refused("a.example", "/1", health, now); over || pause < 20*time.Second {
		t.Errorf("over %v, a rest of %v after eight refusals", over, pause)
	}
	if _, over, _, _ := o.refused("a.example", "/2", health, now.Add(30*time.Minute)); !over {
		t.Error("the patience begins anew")
	}
	o.known("b.example")
	if counts, _ := o.failed("b.example", "/1", nil, true, true); counts || !o.inDoubt("b.example") {
		t.Errorf("counts %v, in doubt %v, where the host did not answer before", counts, o.inDoubt("b.example"))
	}
	if pause, over := o.down("b.example", health, now); over || pause != maxPause {
		t.Errorf("over %v, a pause of %v after eight probes", over, pause)
	}
	if _, over := o.down("b.example", health, now.Add(30*time.Minute)); !over {
		t.Error("the patience with a dead host does not end")
	}
}
