package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/module"
)

type pluginRunCmd struct {
	kbFlags
	Config string   `placeholder:"FILE" help:"The plugin's own configuration."`
	File   string   `arg:"" placeholder:"PLUGIN.wasm" help:"The plugin."`
	Page   []string `arg:"" name:"FILE[=URL]-or-URL" help:"Saved pages, with their addresses, or URLs."`
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
	if c.Config != "" {
		text, err := readFile(c.Config)
		if err != nil {
			return usageError("--config: %v", err)
		}
		wasm, err := readFile(c.File)
		if err != nil {
			return usageError("%v", err)
		}
		m, err := module.Verify(wasm, module.DefaultLimits())
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		o.Config = map[string]string{m.Manifest.Name: string(text)}
	}
	set, err := plugins.Open(ctx, []string{c.File}, o)
	if err != nil {
		return err
	}
	defer set.Close()
	for _, arg := range c.Page {
		p, in, err := readSaved(ctx, s, d, arg)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s\n", p.URL)
		if err := runPlugin(ctx, s, set, &p, in.answer.HTML); err != nil {
			return err
		}
	}
	return nil
}

// runPlugin prints scores with their reasons, statements and what calls took.
func runPlugin(ctx context.Context, s streams, set *plugins.Set, p *engine.Page, text []byte) error {
	page := &assess.Page{Page: extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Captured: time.Now(), Type: p.Finding.Type,
		Levels: p.Finding.Levels}, Objects: p.Harvest.Objects, Status: 200, MIME: "text/html", HTML: func() string { return string(text) }}
	var links []assess.Link
	for _, l := range p.Harvest.Links {
		if at, err := url.Parse(l.URL); err == nil {
			links = append(links, assess.Link{URL: frontier.URL{URL: l.URL}, Found: l, At: at, Known: score.None})
		}
	}
	scores, a := assess.Ask(ctx, set, page, links)
	for _, x := range scores {
		if r := x.Response; r != nil {
			fmt.Fprintf(s.out, "  score  %g %s\n", r.Doc, strconv.Quote(r.Reason))
			for i, v := range r.Links {
				fmt.Fprintf(s.out, "  link   %g %s\n", v, links[i].URL.URL)
			}
		}
		fmt.Fprintf(s.out, "  call   score: %s, %s, %d units of fuel, %d KiB\n", x.Kind, x.Time.Round(time.Microsecond), x.Fuel,
			x.Memory>>10)
	}
	for _, found := range a.Found {
		written, err := graph.EncodeFound(graph.Capture{ID: "urn:uuid:00000000-0000-0000-0000-000000000000", URL: p.URL.String()}, found)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "  found  %d objects, %d triples\n%s", len(found.Objects), written.Triples, written.Quads)
		for _, remark := range written.Remarks {
			fmt.Fprintf(s.out, "  odd    %s\n", strconv.Quote(remark))
		}
	}
	return nil
}
