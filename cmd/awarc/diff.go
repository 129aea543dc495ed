package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/diff"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/quads"
)

type diffCmd struct {
	filterFlags `group:"Filters:"`
	Out         string `short:"o" placeholder:"FILE" help:"Write to this file (default: standard output)."`
	Format      string `enum:",text,json,html" default:"" help:"Output format (default: by the name of the file, else text)."`
	Limit       int    `default:"2000" help:"Show at most N changes of each kind in html; all are counted."`
	ExitCode    bool   `help:"Exit with status 1 when something differs, as git diff does."`
	Before      string `arg:"" help:"Folder of the earlier crawl, or of N-Quads."`
	After       string `arg:"" optional:"" help:"Folder of the later crawl, or of N-Quads."`

	watched bool // the sessions of one folder are compared
}

// Run compares two crawls.
func (c *diffCmd) Run(ctx context.Context, s streams) error {
	ctx, stop := interruptible(ctx, s.err)
	defer stop()
	format, err := formatOf(c.Format, c.Out)
	if err != nil {
		return err
	}
	sides, err := c.sides()
	if err != nil {
		return err
	}
	var readers [2]*quads.Reader
	faults := false
	for i, dirs := range sides {
		index, result, err := (&indexFlags{}).open(ctx, s, dirs)
		if err != nil {
			return err
		}
		defer index.Close()
		readers[i], faults = index, faults || result.Skipped > 0
	}
	differs := false
	write := func(w io.Writer) (err error) {
		differs, err = c.write(ctx, format, readers, w)
		return err
	}
	if c.Out == "" {
		err = write(s.out)
	} else {
		err = durable.WriteFile(c.Out, 0o644, write)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &statusError{exitInterrupted, errors.New("interrupted")}
	case err == nil && faults:
		return &statusError{exitWithFaults, nil}
	case err == nil && c.ExitCode && differs:
		return &statusError{1, nil}
	}
	return err
}

// sides are the folders, or the files of graphs, that are compared.
func (c *diffCmd) sides() (sides [2][]string, err error) {
	since := time.Time(c.Since)
	switch {
	case c.After != "":
		return [2][]string{{c.Before}, {c.After}}, nil
	case since.IsZero():
		return sides, usageError("expected two folders, or one folder and --since DATE")
	}
	files, err := quads.Files(c.Before)
	if err != nil {
		return sides, usageError("%v", err)
	}
	c.After, c.watched, c.Since = c.Before, true, day{}
	for _, file := range files {
		at, err := firstCapture(file)
		if err != nil {
			return sides, err
		}
		late := 0
		if !at.Before(since) {
			late = 1
		}
		sides[late] = append(sides[late], file)
	}
	for i, when := range []string{"before", "after"} {
		if len(sides[i]) == 0 {
			return sides, usageError("%s has no session %s %s", c.Before, when, since.Format(time.DateOnly))
		}
	}
	return sides, nil
}

// firstCapture is the time of the first capture in a file of a graph, zero for none. The names of files
// have times of the system's clock, which may not be the clock of a watch.
func firstCapture(file string) (at time.Time, err error) {
	found := errors.New("found")
	err = quads.Walk([]string{file}, quads.Visitor{
		Quad: func(terms *[4][]byte) error {
			if !bytes.Contains(terms[1], []byte("prov#generatedAtTime")) {
				return nil
			}
			text := instant.Find(terms[2])
			if at, err = time.Parse(time.RFC3339, string(text)); err != nil {
				return nil
			}
			return found
		},
		Done:  func() error { return nil },
		Noted: func(string) {}, // the index names unreadable lines
	})
	if errors.Is(err, found) {
		err = nil
	}
	return at, err
}

// instant matches a time with its zone.
var instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:\d\d)`)

// write compares and writes what differs, and reports whether something does.
func (c *diffCmd) write(ctx context.Context, format string, readers [2]*quads.Reader, to io.Writer) (differs bool, err error) {
	out := bufio.NewWriter(to)
	why, done := func(string) string { return "" }, func() {}
	if !c.watched { // a watch requests only what may have changed
		why, done = whyNot(c.After)
	}
	defer done()
	o := diff.Options{Search: c.search(), Why: why, Since: c.watched}
	if len(c.Class) == 0 {
		o.Search.NotClass, o.Search.NotEntity = []string{"sioc:UserAccount", engine.TextClass}, true
	}
	var w changes
	switch format {
	case "json":
		w = &jsonChanges{out: out}
	case "html":
		w = &htmlChanges{diff.NewPage(c.Limit), out, fmt.Sprintf("What changed from %s to %s", name(c.Before), name(c.After))}
	default:
		w = &textChanges{out: out, unseen: map[string]int{}}
	}
	counts, err := diff.Run(ctx, readers[0], readers[1], o, func(change *diff.Change) error {
		differs = true
		return w.Add(change)
	})
	if err == nil {
		err = cmp.Or(w.end(counts), out.Flush())
	}
	return differs, err
}

// whyNot says why a crawl did not fetch an address, where its folder is there and nobody has it open.
func whyNot(dir string) (why func(address string) string, done func()) {
	crawled, err := crawl.Read(dir, software())
	if err != nil {
		return nil, func() {}
	}
	why = func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}
		x, err := crawled.Explain(u)
		if err != nil {
			return ""
		}
		if x.Known {
			x.Why = append([]string{x.State}, x.Why...)
		}
		return strings.Join(x.Why, "; ")
	}
	return why, func() { _ = crawled.Close() } // nothing was written
}

// name is what a folder is called.
func name(dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	return filepath.Base(dir)
}

// changes takes what differs.
type changes interface {
	Add(change *diff.Change) error
	end(counts []diff.Counts) error
}

// htmlChanges makes a page.
type htmlChanges struct {
	*diff.Page
	out   io.Writer
	title string
}

func (h *htmlChanges) end(counts []diff.Counts) error {
	return h.Write(h.out, h.title, "Objects are compared by title, text, creator and thread.", counts)
}

// jsonChanges writes {"changes": [...], "counts": [...]}.
type jsonChanges struct {
	out  io.Writer
	more bool
}

func (j *jsonChanges) Add(change *diff.Change) error {
	before := "{\"changes\": [\n"
	if j.more {
		before = ",\n"
	}
	j.more = true
	text, err := json.Marshal(change)
	if err == nil {
		_, err = fmt.Fprintf(j.out, "%s%s", before, text)
	}
	return err
}

func (j *jsonChanges) end(counts []diff.Counts) error {
	before := "\n],"
	if !j.more {
		before = "{\"changes\": [],"
	}
	if counts == nil {
		counts = []diff.Counts{}
	}
	text, err := json.Marshal(counts)
	if err == nil {
		_, err = fmt.Fprintf(j.out, "%s \"counts\": %s}\n", before, text)
	}
	return err
}

// textChanges shows what differs. What was not seen again is counted by page.
type textChanges struct {
	out    io.Writer
	unseen map[string]int
}

func (t *textChanges) Add(c *diff.Change) error {
	if c.Kind == diff.Unseen {
		t.unseen[c.Reason+"\n"+c.Page]++
		return nil
	}
	row := c.Row()
	about := []string{map[diff.Kind]string{diff.Appeared: "+", diff.Changed: "~", diff.Vanished: "-"}[c.Kind] + " " + row.Class[0]}
	for _, text := range []string{row.Title, diff.About(row)} {
		if text != "" {
			about = append(about, text)
		}
	}
	fmt.Fprintf(t.out, "%s\n  %s\n", printable(strings.Join(about, "  ")), printable(row.ID))
	if c.Reason != "" {
		fmt.Fprintf(t.out, "  %s\n", printable(c.Reason))
	}
	for _, f := range c.Fields {
		fmt.Fprintf(t.out, "  %s: ", f.Name)
		for _, p := range diff.Around(diff.Words(f.Before, f.After)) {
			text := printable(p.Text)
			switch p.Sign {
			case -1:
				text = "[-" + text + "-]"
			case 1:
				text = "{+" + text + "+}"
			}
			fmt.Fprint(t.out, text)
		}
		fmt.Fprintln(t.out)
	}
	if text := strings.Join(strings.Fields(printable(row.Content)), " "); c.Kind != diff.Changed && text != "" {
		fmt.Fprintf(t.out, "  %s\n", cut(text))
	}
	return nil
}

func (t *textChanges) end(counts []diff.Counts) error {
	for _, key := range slices.Sorted(maps.Keys(t.unseen)) {
		reason, page, _ := strings.Cut(key, "\n")
		fmt.Fprintf(t.out, "? %d not seen again: %s\n  %s\n", t.unseen[key], printable(reason), printable(page))
	}
	rows := table{out: t.out, names: []string{"", "appeared", "changed", "vanished", "not seen again", "same"}}
	rows.add(rows.names)
	for _, n := range counts {
		cells := []string{n.Class}
		for _, i := range []int{n.Appeared, n.Changed, n.Vanished, n.Unseen, n.Same} {
			cells = append(cells, fmt.Sprint(i))
		}
		rows.add(cells)
	}
	return rows.flush()
}

// formatOf is the format that was asked for, or the one that the name of a file tells.
func formatOf(format, file string) (string, error) {
	told, known := map[string]string{".html": "html", ".htm": "html", ".json": "json", ".txt": "text", "": "text"}[filepath.Ext(file)]
	if format == "" && !known {
		return "", usageError("-o %s: unknown format; use a name with .html, .json or .txt, or --format", file)
	}
	return cmp.Or(format, told), nil
}
