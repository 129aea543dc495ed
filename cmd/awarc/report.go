package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/complete"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/durable"
)

type reportCmd struct {
	Format string   `enum:",text,json,html" default:"" help:"Output format (default: by the name of the file, else text)."`
	Out    string   `short:"o" placeholder:"FILE" help:"Write to this file (default: standard output)."`
	Most   int      `default:"1000" placeholder:"N" help:"List at most N threads, posts and lists, the least complete first."`
	Dir    []string `arg:"" help:"Folder of the crawl; for a shared crawl, the folders of all nodes."`
}

// Run reports on a crawl: what it did, and how much of what its pages say that there is was saved.
func (c *reportCmd) Run(ctx context.Context, s streams) (err error) {
	if c.Most < 1 {
		return usageError("--most %d: expected at least 1", c.Most)
	}
	format, err := formatOf(c.Format, c.Out)
	if err != nil {
		return err
	}
	noted := 0
	r, err := complete.Look(ctx, c.Dir, complete.Options{Software: software(), Most: c.Most, Noted: func(text string) {
		if noted++; noted <= 10 {
			fmt.Fprintln(s.err, "awarc:", text)
		}
	}})
	if err != nil {
		return inFlags(err)
	}
	if err := nameMissingNodes(ctx, s.err, c.Dir, true); err != nil {
		return inFlags(err)
	}
	write := func(to io.Writer) error {
		w := bufio.NewWriter(to)
		switch format {
		case "json":
			err = writeJSON(w, r)
		case "html":
			err = r.WriteHTML(w)
		default:
			printReport(w, r)
		}
		return errors.Join(err, w.Flush())
	}
	if c.Out == "" {
		err = write(s.out)
	} else {
		err = durable.WriteFile(c.Out, 0o644, write)
	}
	if err == nil && noted > 0 {
		return &statusError{exitWithFaults, fmt.Errorf("the graph has %d unreadable lines, which are not counted", noted)}
	}
	return err
}

// nameMissingNodes warns of the nodes of a crawl whose folders are gone, and with others of those
// whose folders are not among dirs either.
func nameMissingNodes(ctx context.Context, w io.Writer, dirs []string, others bool) error {
	missing, err := crawl.NodesWithout(ctx, os.Getenv(crawl.PasswordVariable), dirs)
	for _, n := range missing {
		switch {
		case n.FolderGone():
			fmt.Fprintf(w, "awarc: warning: the folder %s of node %s is missing with its archive; awarc nodes recover %s "+
				"fetches its pages again\n", printable(n.Folder), n.Node, dirs[0])
		case others:
			fmt.Fprintf(w, "awarc: warning: the report lacks node %[2]s (folder %[1]s on %[3]s); name its folder too\n",
				printable(n.Folder), n.Node, printable(n.Machine))
		}
	}
	return err
}

// printReport prints a report for a person.
func printReport(w io.Writer, r *complete.Report) {
	c := r.Crawl
	fmt.Fprintf(w, "%s: ", r.Dir)
	c.Verdict.Print(w, c.Stopped)
	printSeeds(w, c)
	fmt.Fprintf(w, "  time       %s to %s, %s of crawling\n", complete.Moment(c.Started), complete.Moment(c.Ended),
		time.Duration(c.Duration*float64(time.Second)).Round(time.Second))
	if r.State == complete.Running {
		fmt.Fprintf(w, "  counted    %s ago, at the last checkpoint\n", r.Age())
	}
	fmt.Fprintf(w, "  requests   %s\n", c.RequestsText())
	for i, line := range c.Watch.Lines() {
		fmt.Fprintf(w, "  %-10s %s\n", []string{"watch", ""}[min(i, 1)], line)
	}
	printPages(w, c)
	printUnknown(w, c, r.Dir)
	printTraps(w, c, r.Dir)
	printTargets(w, c)
	printRank(w, c)
	printLeft(w, c, r.Dir)
	printErrors(w, c)
	printLastTries(w, c)
	printSuspicions(w, c)
	printNamed(w, c.Outcomes)
	printHosts(w, c.Outcomes)
	if a := c.Adaptation; a.Attempted > 0 {
		fmt.Fprintf(w, "  adapted    %d of %s", a.Attempted-a.Failed,
			engine.Counted(a.Attempted, "page|pages with an expression without result"))
		if a.Confirmed > 0 {
			fmt.Fprint(w, "; ", engine.Counted(a.Confirmed, "relaxed expression|expressions confirmed"))
		}
		fmt.Fprintln(w)
	}
	printPluginCalls(w, c)
	fmt.Fprintf(w, "  archive    %d bytes, %d triples\n", c.WARCBytes, c.Triples)
	printCompleteness(w, r.Completeness)
}

// Bounds of the text report; the JSON has more.
const (
	seedsShown = 10
	urlsShown  = 10 // of each outcome
	hostsShown = 10
)

// printSeeds prints the first seeds, one a line; seeds that were not archived come first.
func printSeeds(w io.Writer, r *engine.Report) {
	title, seeds := "seeds", r.SeedsReport
	if len(seeds) == 0 {
		for _, s := range r.Seeds {
			seeds = append(seeds, engine.SeedReport{Seed: s})
		}
	}
	missing, archived := []engine.SeedReport{}, []engine.SeedReport{}
	for _, s := range seeds {
		if s.Verdict == engine.SeedArchived {
			archived = append(archived, s)
		} else {
			missing = append(missing, s)
		}
	}
	seeds = append(missing, archived...)
	for _, s := range seeds[:min(len(seeds), seedsShown)] {
		text := ""
		if s.Verdict != "" {
			text = s.Text()
		}
		fmt.Fprintf(w, "  %-10s %s%s\n", title, printable(s.Seed), printable(text))
		title = ""
	}
	if more := len(seeds) - seedsShown; more > 0 {
		fmt.Fprintf(w, "  %-10s and %d more; --format json lists all\n", "", more)
	}
}

// printSuspicions prints each kind of suspicion with its count and an example.
func printSuspicions(w io.Writer, r *engine.Report) {
	title := "suspicious"
	for _, s := range r.Suspicions {
		fmt.Fprintf(w, "  %-10s %s\n", title, printable(s.String()))
		title = ""
	}
}

// printNamed prints the first URLs of each outcome that is not archived.
func printNamed(w io.Writer, o *engine.Outcomes) {
	if o == nil {
		return
	}
	for _, of := range []struct {
		title string
		urls  []engine.NamedURL
	}{{"failed", o.Named.Failed}, {"lost", o.Named.Lost}, {"deferred", o.Named.Deferred}, {"waiting", o.Named.Waiting},
		{"requisites", o.Named.Requisites}, {"excluded", o.Named.Excluded}} {
		title := of.title
		for _, u := range of.urls[:min(len(of.urls), urlsShown)] {
			line := strings.TrimSuffix(u.URL+": "+u.Reason, ": ")
			fmt.Fprintf(w, "  %-10s %s\n", title, printable(line))
			title = ""
		}
		if more := len(of.urls) - urlsShown; more > 0 {
			fmt.Fprintf(w, "  %-10s and %d more; --format json lists up to 1,000\n", "", more)
		}
	}
}

// printHosts prints the outcomes of each host.
func printHosts(w io.Writer, o *engine.Outcomes) {
	title, lines := "hosts", o.HostLines()
	for _, line := range lines[:min(len(lines), hostsShown)] {
		fmt.Fprintf(w, "  %-10s %s\n", title, printable(line))
		title = ""
	}
	if more := len(lines) - hostsShown; more > 0 {
		fmt.Fprintf(w, "  %-10s and %d more; --format json counts up to 1,000\n", "", more)
	}
}

func printCompleteness(w io.Writer, c *complete.Result) {
	t := c.Things
	fmt.Fprintf(w, "completeness\n  threads, blog posts and pages: %d known", t.Known)
	for _, part := range []struct {
		n    int
		text string
	}{{t.Complete, "complete"}, {t.Incomplete, "incomplete"}, {t.Unstated, "without a stated size"}} {
		if part.n > 0 {
			fmt.Fprintf(w, ", %d %s", part.n, part.text)
		}
	}
	fmt.Fprintln(w)
	if t.Items.Stated != nil {
		fmt.Fprintf(w, "  of %d stated posts, comments and answers, %d are archived\n", *t.Items.Stated, t.Items.Saved)
	}
	if c.Unknown {
		fmt.Fprintf(w, "  the reasons for missing pages are known once the crawl has ended\n")
	}
	var reasons []string
	for kind, n := range c.Missing {
		reasons = append(reasons, fmt.Sprintf("%d %s", n, kind))
	}
	if len(reasons) > 0 {
		fmt.Fprintf(w, "  missing pages: %s\n", strings.Join(reasons, ", "))
	}
	printLists(w, c.Lists)
	shown := 0
	for i := range c.Named {
		t := &c.Named[i]
		if done, _ := t.Complete(); done {
			continue
		}
		if shown++; shown > thingsShown {
			continue
		}
		fmt.Fprintf(w, "  %s %s\n    %s\n", printable(t.Title), t.ID, t.Text())
		printReasons(w, t.Reasons)
	}
	if left := t.Incomplete - min(shown, thingsShown); left > 0 {
		fmt.Fprintf(w, "  and %d more; --format json lists up to --most\n", left)
	}
}

const thingsShown = 50

func printReasons(w io.Writer, reasons []complete.Reason) {
	for _, r := range reasons {
		fmt.Fprintf(w, "      %s\n", r)
		for _, u := range r.URLs {
			fmt.Fprintf(w, "        %s\n", u)
		}
	}
}

// printLists prints the forums, and of other lists those that lack something: a blog has one for each month.
func printLists(w io.Writer, lists []complete.List) {
	whole, shown := 0, 0
	for i := range lists {
		l := &lists[i]
		switch {
		case l.Of == "posts" && l.Complete():
			whole++
			continue
		case shown == thingsShown:
			continue
		}
		shown++
		fmt.Fprintf(w, "  %s %s\n    %s\n", printable(l.Title), l.ID, l.Text())
		printReasons(w, l.Reasons)
	}
	if whole > 0 {
		fmt.Fprintf(w, "  %s, such as months and categories\n", engine.Counted(whole, "complete list|lists"))
	}
	if left := len(lists) - whole - shown; left > 0 {
		fmt.Fprintf(w, "  and %d more lists; --format json lists all\n", left)
	}
}
