package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/cmd/internal/eval/watching"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/watch"
)

type evalWatchCmd struct {
	From      time.Time `placeholder:"TIME" help:"Start of the window (RFC 3339)."`
	To        time.Time `placeholder:"TIME" help:"End of the window (RFC 3339)."`
	Budget    float64   `placeholder:"N" help:"Fetches a day."`
	Board     int       `placeholder:"N" xor:"history" help:"Watch a board of phpBB with N posts of 2007 to 2013."`
	NoSignals bool      `help:"Ignore changes that pages of the board report."`
	Sweep     int       `placeholder:"DAYS" help:"Fetch every page of the board at least once in this time."`
	Plot      string    `placeholder:"FILE" xor:"history" help:"Print a plot of a table as SVG: policy, fetches a day, mean delay."`
	Format    string    `enum:"text,json" default:"text" help:"Output format."`
	Edits     string    `arg:"" optional:"" xor:"history" help:"Recorded changes: rows of page, tab and Unix time."`
}

// Run simulates the schedule of awarc watch, and baselines, over recorded changes, or watches a board.
func (c *evalWatchCmd) Run(ctx context.Context, s streams) error {
	switch {
	case c.Plot != "":
		return c.plot(s)
	case !c.To.After(c.From):
		return usageError("expected --from and a later --to")
	case c.Budget <= 0:
		return usageError("expected --budget, in fetches a day")
	case c.Board > 0:
		return c.live(ctx, s)
	case c.Edits == "":
		return usageError("expected a file of recorded changes, or --board N")
	}
	f, err := os.Open(c.Edits)
	if err != nil {
		return err
	}
	defer f.Close()
	history, err := watching.ReadHistory(f)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Edits, err)
	}
	at := func(t time.Time) float64 { return float64(t.Unix()) / 86400 }
	w := history.Window(at(c.From), at(c.To))
	if len(w.Pages) == 0 {
		return usageError("no page exists at --from")
	}
	scores := c.baselines(&w)
	for _, signals := range []bool{false, true} {
		fetches, polls := w.Simulate(watching.Policy{Budget: c.Budget, Every: 1, Signals: signals, Dates: true})
		scores = append(scores, w.Score(map[bool]string{false: "awarc, no signals", true: "awarc, signals"}[signals], fetches, polls))
	}
	return c.print(s, scores)
}

// plot prints a plot.
func (c *evalWatchCmd) plot(s streams) error {
	f, err := os.Open(c.Plot)
	if err != nil {
		return err
	}
	defer f.Close()
	points, err := watching.ReadPoints(f)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Plot, err)
	}
	_, err = io.WriteString(s.out, watching.Plot(points))
	return err
}

// baselines are the policies that know the rates of the years before the window.
func (c *evalWatchCmd) baselines(w *watching.Window) []watching.Score {
	const years = 3 * 365.25
	even, ones := make([]float64, len(w.Pages)), make([]float64, len(w.Pages))
	for i := range even {
		even[i], ones[i] = c.Budget/float64(len(w.Pages)), 1
	}
	return []watching.Score{
		w.Score("uniform", w.Periodic(even), 0),
		w.Score("Azar et al. 2018", w.Periodic(watch.Allocate(w.TrueRates(years), ones, c.Budget)), 0),
	}
}

// live watches a board, one session a day.
func (c *evalWatchCmd) live(ctx context.Context, s streams) error {
	dir, err := os.MkdirTemp("", "awarc-watch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const daily = 24 * time.Hour
	l := watching.Live{Posts: c.Board, From: c.From, To: c.To, Dir: filepath.Join(dir, "crawl"), Watch: crawl.WatchOptions{
		Budget: c.Budget, Every: daily, Sweep: time.Duration(c.Sweep) * daily, NoSignals: c.NoSignals}}
	r, err := l.Run(ctx)
	if err != nil {
		return err
	}
	scores := append(c.baselines(&r.Window), r.Score)
	if c.Format == "json" {
		return writeJSON(s.out, map[string]any{"policies": scores, "watch": r})
	}
	if err := c.print(s, scores); err != nil {
		return err
	}
	kind := func(name string) string {
		return fmt.Sprintf("%d of %d", r.Kinds[name].Captured, r.Kinds[name].Changes)
	}
	const mib = 1 << 20
	_, err = fmt.Fprintf(s.out, "\n%d pages of topics at the start. Captured: %s posted, %s edited, %s deleted.\n"+
		"%.1f %% of the pages that appeared were fetched, after %.2f days.\n"+
		"%d pages in the schedule. The watch took %.0f s. Memory in use after each quarter: %d, %d, %d, %d MiB.\n", len(r.Window.Pages),
		kind("posted"), kind("edited"), kind("deleted"), 100*r.Found, r.Delay, r.Pages, r.Took.Seconds(), r.Heap[0]/mib, r.Heap[1]/mib,
		r.Heap[2]/mib, r.Heap[3]/mib)
	return err
}

func (c *evalWatchCmd) print(s streams, scores []watching.Score) error {
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
