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
	o := plugins.Options{Deterministic: true, Events: plugins.Events{
		Failed: func(e *plugins.Error) { fmt.Fprintf(s.out, "  failed %s: %s\n", e.Kind, strconv.Quote(e.Message)) },
		Log: func(_ plugins.Identity, _ plugins.Level, line string) {
			fmt.Fprintf(s.out, "  log    %s\n", strconv.Quote(line))
		},
	}}
	wasm, err := readFile(c.File)
	if err != nil {
		return usageError("%v", err)
	}
	m, err := module.Verify(wasm, module.DefaultLimits())
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	golden := conformance.Vectors{}
	if c.Config != "" {
		text, err := readFile(c.Config)
		if err != nil {
			return usageError("--config: %v", err)
		}
		golden.Config = string(text)
		o.Config = map[string]string{m.Manifest.Name: golden.Config}
	}
	set, err := plugins.Open(ctx, []string{c.File}, o)
	if err != nil {
		return err
	}
	defer set.Close()
	for _, arg := range c.Page {
		err := c.pages(ctx, s, d, set, arg, func(at string, t *assess.Trial) error {
			golden.Add(&m.Manifest, at, t)
			return printTrial(s, at, t)
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

// printTrial prints scores with their reasons, statements and what calls took.
func printTrial(s streams, at string, t *assess.Trial) error {
	fmt.Fprintf(s.out, "%s\n", at)
	call := func(kind module.Kind, how plugins.Kind, took time.Duration, fuel int64, memory uint64) {
		fmt.Fprintf(s.out, "  call   %s: %s, %s, %d units of fuel, %d KiB\n", kind, how, took.Round(time.Microsecond), fuel, memory>>10)
	}
	for _, x := range t.Scores {
		if r := x.Response; r != nil {
			fmt.Fprintf(s.out, "  score  %g %s\n", r.Doc, strconv.Quote(r.Reason))
			for i, v := range r.Links {
				fmt.Fprintf(s.out, "  link   %g %s\n", v, t.Links[i].URL)
			}
		}
		call(module.Scorer, x.Kind, x.Time, x.Fuel, x.Memory)
	}
	for _, x := range t.Found {
		if x.Response != nil {
			found := assess.Addition(x.Plugin, x.Response)
			found.Page = len(t.ExtractRequest.HTML)
			written, err := graph.EncodeFound(graph.Capture{ID: "urn:uuid:00000000-0000-0000-0000-000000000000", URL: at}, found)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.out, "  found  %d objects, %d triples\n%s", len(found.Objects), written.Triples, written.Quads)
			for _, remark := range written.Remarks {
				fmt.Fprintf(s.out, "  odd    %s\n", strconv.Quote(remark))
			}
		}
		call(module.Extractor, x.Kind, x.Time, x.Fuel, x.Memory)
	}
	return nil
}
