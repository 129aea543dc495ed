package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/awarc/awarc/cmd/internal/eval/watching"
	"github.com/awarc/awarc/engine/watch"
)

type evalWatchCmd struct {
	From   time.Time `required:"" placeholder:"TIME" help:"Start of the window (RFC 3339)."`
	To     time.Time `required:"" placeholder:"TIME" help:"End of the window (RFC 3339)."`
	Budget float64   `required:"" placeholder:"N" help:"Fetches a day."`
	Format string    `enum:"text,json" default:"text" help:"Output format."`
	Edits  string    `arg:"" help:"Recorded changes: rows of page, tab and Unix time."`
}

// Run simulates the schedule of awarc watch, and baselines, over recorded changes.
func (c *evalWatchCmd) Run(_ context.Context, s streams) error {
	f, err := os.Open(c.Edits)
	if err != nil {
		return err
	}
	defer f.Close()
	history, err := watching.ReadHistory(f)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Edits, err)
	}
	const years = 3 * 365.25 // of history before the window that the baselines know
	at := func(t time.Time) float64 { return float64(t.Unix()) / 86400 }
	w := history.Window(at(c.From), at(c.To))
	if len(w.Pages) == 0 || w.End <= w.Start {
		return usageError("no page exists at --from, or --to is not later")
	}
	even, ones := make([]float64, len(w.Pages)), make([]float64, len(w.Pages))
	for i := range even {
		even[i], ones[i] = c.Budget/float64(len(w.Pages)), 1
	}
	scores := []watching.Score{
		w.Score("uniform", w.Periodic(even), 0),
		w.Score("Azar et al. 2018", w.Periodic(watch.Allocate(w.TrueRates(years), ones, c.Budget)), 0),
	}
	for _, signals := range []bool{false, true} {
		fetches, polls := w.Simulate(watching.Policy{Budget: c.Budget, Every: 1, Signals: signals, Dates: true})
		scores = append(scores, w.Score(map[bool]string{false: "awarc, no signals", true: "awarc, signals"}[signals], fetches, polls))
	}
	if c.Format == "json" {
		return writeJSON(s.out, scores)
	}
	rows := table{out: s.out, names: []string{"", "fetches a day", "captured", "mean days", "median", "stale"}}
	rows.add(rows.names)
	for _, x := range scores {
		rows.add([]string{x.Policy, fmt.Sprintf("%.1f", x.Fetches), fmt.Sprintf("%.1f %%", 100*x.Captured), fmt.Sprintf("%.2f", x.Mean),
			fmt.Sprintf("%.2f", x.Median), fmt.Sprintf("%.3f %%", 100*x.Stale)})
	}
	return rows.flush()
}
