package watching

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/watch"
)

func TestSim(t *testing.T) {
	f, err := os.Open("/tmp/watchsim/edits.tsv")
	if err != nil {
		t.Skip()
	}
	h, err := ReadHistory(f)
	if err != nil {
		t.Fatal(err)
	}
	d := func(y int) float64 { return float64(time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC).Unix()) / day }
	for _, y := range []int{2012, 2015} {
		w := h.Window(d(y), d(y+3))
		for _, share := range []float64{30, 90} {
			b := float64(len(w.Pages)) / share
			show := func(s Score) {
				fmt.Printf("%d %-28s %5.1f%% %7.2f %7.2f %7.3f%% %7.2f\n", y, s.Policy, 100*s.Captured, s.Mean, s.Median, 100*s.Stale, s.Fetches)
			}
			ones := make([]float64, len(w.Pages))
			for i := range ones {
				ones[i] = 1
			}
			uni := make([]float64, len(w.Pages))
			for i := range uni {
				uni[i] = 1 / share
			}
			show(w.Score("uniform", w.Periodic(uni), 0))
			show(w.Score("azar, rates before", w.Periodic(watch.Allocate(w.TrueRates(1096), ones, b)), 0))
			show(w.Score("azar, rates of the window", w.Periodic(watch.Allocate(w.OwnRates(), ones, b)), 0))
			for _, p := range []Policy{{b, 1, false, true}, {b, 1, false, false}, {b, 1, true, true}} {
				s := time.Now()
				fs, polls := w.Simulate(p)
				show(w.Score(fmt.Sprintf("ours sig=%v dates=%v %.0fs", p.Signals, p.Dates, time.Since(s).Seconds()), fs, polls))
			}
		}
	}
}
