package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/conformance"
	"github.com/awarc/awarc/plugins/module"
)

type pluginRunCmd struct {
	kbFlags
	Quads  bool     `name:"provenance" help:"Print the N-Quads that a crawl would store, with their provenance."`
	Topic  string   `placeholder:"FILE" help:"Pass the topic of this file to the plugin, as awarc crawl --topic does."`
	Config string   `placeholder:"FILE" help:"Pass this configuration to the plugin."`
	Update string   `placeholder:"FILE" help:"Write pages and results as golden vectors for awarc plugin test."`
	File   string   `arg:"" placeholder:"PLUGIN.wasm" help:"The plugin."`
	Page   []string `arg:"" name:"FILE[=URL]-or-URL-or-WARC" help:"Saved pages (with their URL), URLs or WARC files."`
}

// Run shows what a plugin says of pages.
func (c *pluginRunCmd) Run(ctx context.Context, s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	d := detect.New(base)
	var logged []string // of the page
	o := plugins.Options{Deterministic: true, Events: plugins.Events{
		Log: func(_ plugins.Identity, l plugins.Level, line string) { logged = append(logged, l.String()+": "+line) },
	}}
	wasm, err := readFile(c.File)
	if err != nil {
		return usageError("%v", err)
	}
	m, err := module.Verify(wasm, module.DefaultLimits())
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	config := ""
	if c.Config != "" {
		text, err := readFile(c.Config)
		if err != nil {
			return usageError("--config: %v", err)
		}
		config = string(text)
		o.Config = map[string]string{m.Manifest.Name: config}
	}
	if o.Topic, err = crawl.PluginTopic(c.Topic); err != nil {
		return inFlags(err)
	}
	golden := conformance.NewVectors(o.Topic, config)
	set, err := plugins.Open(ctx, []string{c.File}, o)
	if err != nil {
		return err
	}
	defer set.Close()
	logged = nil // each page has an instance of its own, which repeats what the first one said when it was configured
	for _, arg := range c.Page {
		err := c.pages(ctx, s, d, set, arg, func(at string, t *assess.Trial) error {
			golden.Add(&m.Manifest, at, t)
			defer func() { logged = nil }()
			return c.print(s, at, t, logged)
		})
		if err != nil {
			return err
		}
	}
	if c.Update == "" {
		return nil
	}
	return durable.WriteFile(c.Update, 0o644, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(golden)
	})
}

// pages asks about the pages that an argument names.
func (c *pluginRunCmd) pages(ctx context.Context, s streams, d *detect.Detector, set *plugins.Set, arg string,
	each func(at string, t *assess.Trial) error) error {
	if strings.HasSuffix(arg, ".warc") || strings.HasSuffix(arg, ".warc.gz") {
		return engine.ReadArchive(ctx, []string{arg}, engine.StoredOptions{Detector: d,
			Made: func(x *engine.Stored) {
				if x.Page.IsHTML && x.Page.Doc != nil {
					x.Note = x.Page.Try(ctx, set, x.Answer)
				}
			},
			Each: func(x *engine.Stored) error {
				if t, ok := x.Note.(*assess.Trial); ok {
					return each(x.URL, t)
				}
				return nil
			},
		})
	}
	p, in, err := readSaved(ctx, s, d, arg)
	if err != nil {
		return err
	}
	page := &assess.Page{Page: extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Captured: time.Now(), Type: p.Finding.Type,
		Levels: p.Finding.Levels}, Objects: p.Harvest.Objects, Status: 200, MIME: "text/html",
		HTML: func() string { return string(in.answer.HTML) }}
	var links []assess.Link
	for _, l := range p.Harvest.Links {
		if at, err := url.Parse(l.URL); err == nil {
			links = append(links, assess.Link{Found: l, At: at})
		}
	}
	return each(p.URL.String(), assess.Try(ctx, set, page, links))
}

// print prints scores with their reasons, objects and statements, the log, and the cost of each
// call.
func (c *pluginRunCmd) print(s streams, at string, t *assess.Trial, logged []string) error {
	fmt.Fprintf(s.out, "%s\n", at)
	for _, x := range t.Scores {
		if r := x.Response; r != nil {
			fmt.Fprintf(s.out, "  score  %g %s\n", r.Doc, strconv.Quote(r.Reason))
			for i, v := range r.Links {
				fmt.Fprintf(s.out, "  link   %g %s\n", v, t.Links[i].URL)
			}
		}
	}
	for _, x := range t.Found {
		if x.Response != nil {
			found := assess.Addition(x.Plugin, x.Response)
			found.Page = len(t.ExtractRequest.HTML)
			written, err := graph.EncodeFound(graph.Capture{ID: "urn:uuid:00000000-0000-0000-0000-000000000000", URL: at}, found)
			if err != nil {
				return err
			}
			printAddition(s.out, &found, &written)
			if c.Quads {
				fmt.Fprintf(s.out, "%s", written.Quads)
			}
		}
	}
	for _, line := range logged {
		fmt.Fprintf(s.out, "  log    %s\n", line)
	}
	for _, x := range t.Scores {
		printCall(s.out, module.Scorer, &x)
	}
	for _, x := range t.Found {
		printCall(s.out, module.Extractor, &x)
	}
	return nil
}

// printAddition prints the objects of an extractor, its other statements, and remarks about what
// cannot be stored as it is.
func printAddition(w io.Writer, found *graph.Addition, written *graph.Encoding) {
	fmt.Fprintf(w, "  found  %s, %s\n", engine.Counted(int64(len(found.Objects)), "object|objects"),
		engine.Counted(int64(written.Triples), "triple|triples"))
	for i, o := range found.Objects {
		fmt.Fprintf(w, "  object %s %s", graph.Prefixed(o.Class), written.IDs[i])
		if o.Confidence > 0 {
			fmt.Fprintf(w, ", confidence %g", o.Confidence)
		}
		fmt.Fprintln(w)
		for _, f := range o.Fields {
			fmt.Fprintf(w, "           %s: %s\n", f.Name, valueText(f.Value))
		}
	}
	for _, t := range found.Triples {
		fmt.Fprintf(w, "  triple %s %s %s\n", t.Subject, t.Predicate, valueText(t.Object))
	}
	for _, remark := range written.Remarks {
		fmt.Fprintf(w, "  odd    %s\n", strconv.Quote(remark))
	}
}

// valueText returns a value as Turtle has it.
func valueText(v graph.Value) string {
	switch {
	case v.Kind == graph.Resource:
		return "<" + v.Text + ">"
	case v.Lang != "":
		return strconv.Quote(v.Text) + "@" + v.Lang
	case v.Datatype != "":
		return strconv.Quote(v.Text) + "^^" + v.Datatype
	}
	return strconv.Quote(v.Text)
}

// printCall prints the end of a call, its cost and its error.
func printCall[R any](w io.Writer, kind module.Kind, x *plugins.Result[R]) {
	how := "call  "
	if x.Err != nil {
		how = "failed"
	}
	fmt.Fprintf(w, "  %s %s: %s, %s, %d units of fuel, %d KiB\n", how, kind, x.Kind, x.Time.Round(time.Microsecond), x.Fuel, x.Memory>>10)
	if x.Err != nil {
		for line := range strings.Lines(x.Err.Message) {
			fmt.Fprintf(w, "         %s\n", strings.TrimRight(line, "\n"))
		}
	}
}
