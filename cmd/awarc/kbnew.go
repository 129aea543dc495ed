package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/draft"
	"github.com/awarc/awarc/kb"
)

type kbNewCmd struct {
	Out  string   `short:"o" default:"." placeholder:"DIR" help:"Write the XML and its example pages to this folder."`
	ID   string   `arg:"" name:"TYPE-ID" help:"Id of the new type, such as slipway."`
	Page []string `arg:"" name:"FILE[=URL]" help:"Saved pages of each kind; add =URL when a page does not state its URL."`
}

// Run writes a draft of a type from pages that somebody chose.
func (c *kbNewCmd) Run(ctx context.Context, s streams) error {
	if _, err := os.Stat(filepath.Join(c.Out, c.ID+".xml")); err == nil {
		return usageError("%s exists already; name another folder with --out", filepath.Join(c.Out, c.ID+".xml"))
	}
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		return err
	}
	d := detect.New(base)
	var pages []*draft.Page
	var first *url.URL
	for _, arg := range c.Page {
		p, _, err := readSaved(ctx, s, d, arg)
		if err != nil {
			return err
		}
		if p.Finding.Type != nil {
			fmt.Fprintf(s.err, "%s: the page is already of type %s; a new type competes with it: see awarc kb show %s\n", arg,
				p.Finding.Type.ID, p.Finding.Type.ID)
		}
		pages = append(pages, &draft.Page{Doc: p.Doc, URL: p.URL})
		if first == nil || len(p.URL.Path) < len(first.Path) {
			first = p.URL
		}
	}
	made, err := draft.Make(c.ID, pages, first, 1)
	if err != nil {
		return &statusError{exitFailed, fmt.Errorf("%d pages: %w; give a thread with two posts, two threads of one post, or articles",
			len(pages), err)}
	}
	return writeDraft(s, c.Out, c.ID, len(pages), made)
}

// readSaved reads a saved page, with the address that the argument or the page names.
func readSaved(ctx context.Context, s streams, d *detect.Detector, arg string) (p engine.Page, in input, err error) {
	file, address := addressed(arg)
	if in, err = (pageFlags{URL: address}).read(ctx, file, s.in); err != nil {
		return p, in, err
	}
	if p, err = engine.Inspect(d, in.answer, engine.Hints{Full: true}); err != nil {
		return p, in, fmt.Errorf("%s: %w", file, err)
	}
	if address == "" && in.answer.URL.Host == savedHost {
		stated, err := url.Parse(draft.Stated(p.Doc))
		if err != nil || stated.Host == "" {
			return p, in, usageError("%s does not state its URL; write %s=URL", file, file)
		}
		in.answer.URL = stated
		p, err = engine.Inspect(d, in.answer, engine.Hints{Full: true})
		if err != nil {
			return p, in, fmt.Errorf("%s: %w", file, err)
		}
	}
	return p, in, nil
}

// addressed splits FILE=URL; the address is "" without one.
func addressed(arg string) (file, address string) {
	if i := strings.Index(arg, "=http"); i > 0 {
		return arg[:i], arg[i+1:]
	}
	return arg, ""
}

type kbExampleCmd struct {
	kbFlags
	Page []string `arg:"" name:"FILE[=URL]" help:"Saved pages; add =URL when a page does not state its URL."`
}

// Run prints examples.
func (c *kbExampleCmd) Run(ctx context.Context, s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	d := detect.New(base)
	for _, arg := range c.Page {
		p, in, err := readSaved(ctx, s, d, arg)
		if err != nil {
			return err
		}
		if p.Finding.Type == nil || p.Harvest.Level == nil {
			return &statusError{exitFailed, fmt.Errorf("%s: no level matches; see awarc detect --explain", in.name)}
		}
		fmt.Fprint(s.out, draft.Example(filepath.Base(in.name), &draft.Page{Doc: p.Doc, URL: p.URL}, &p))
	}
	return nil
}
