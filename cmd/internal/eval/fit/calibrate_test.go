package fit

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/rank"
)

// answered is an answer of a site, and whether it is right.
func answered(site string, sure float64, l Label) Outcome {
	return Outcome{Example: &Example{Site: site, Labels: []Label{l}}, Verdict: rank.Verdict{Best: 0, Sure: sure}}
}

// A board of many pages does not hide that another site's answers are wrong: sites count alike.
func TestThresholdCountsSitesAlike(t *testing.T) {
	var outcomes []Outcome
	for range 400 {
		outcomes = append(outcomes, answered("large", 0.8, Right))
	}
	outcomes = append(outcomes, answered("small", 0.9, Right), answered("small", 0.7, Wrong))
	if sure := threshold(outcomes, 0.01); sure != 0.8 {
		t.Errorf("taken from %v on, want 0.8: of the small site's two answers one is wrong below", sure)
	}
	if sure := threshold(outcomes[:400], 0.01); sure != 0.8 {
		t.Errorf("all is right, taken from %v on", sure)
	}
	if sure := threshold(outcomes[401:], 0.01); sure <= 1 {
		t.Errorf("all is wrong, and taken from %v on", sure)
	}
}

func TestPrintReliability(t *testing.T) {
	outcomes := []Outcome{answered("a", 0.95, Right), answered("a", 0.91, Right), answered("b", 0.92, Wrong), answered("b", 0.35, Wrong)}
	var out strings.Builder
	PrintReliability(&out, []*Kind{{Kind: adapt.KindTitle, BySite: outcomes, ByType: outcomes[:2]}})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range map[int]string{
		2: "title    site - - - 0 - - - - - 67 0.950 1 2",
		3: "title    type - - - - - - - - - 100 0.910 2 2",
	} {
		if i >= len(lines) || strings.Join(strings.Fields(lines[i]), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("line %d of\n%swant %s", i, out.String(), want)
		}
	}
}
