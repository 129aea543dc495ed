package main

import (
	"context"
	"fmt"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

type kbPointCmd struct {
	kbFlags
	Crawl string   `placeholder:"DIR" help:"Read the page (given by URL) and other pages of its level from this crawl."`
	Value string   `required:"" placeholder:"TEXT" help:"Value that the page shows, or an attribute has."`
	Field string   `placeholder:"NAME" help:"Field to fill, such as creator."`
	Class string   `placeholder:"CLASS" help:"Class of the object, such as sioc:Post (default: the innermost with the field)."`
	As    string   `enum:",text,html,date,url,number" default:"" help:"Read the value in this form (default: the form of the field)."`
	Type  string   `placeholder:"TYPE-ID" help:"Treat saved pages as this type."`
	Most  int      `default:"10" help:"Show at most N expressions."`
	Page  []string `arg:"" name:"FILE[=URL]-or-URL" help:"The page with the value, then other saved pages of its level."`
}

// likePointed bounds the archived pages that expressions are held to.
const likePointed = 20

// Run prints expressions for a value that a page shows.
func (c *kbPointCmd) Run(ctx context.Context, s streams) error {
	page, others, base, err := c.pages(ctx, s)
	if err != nil {
		return err
	}
	at, ok := adapt.PointAt(page.Doc, c.Value)
	if !ok {
		return &statusError{exitFailed, fmt.Errorf("%q is not on the page %s", c.Value, c.Page[0])}
	}
	var level *kb.Level
	if len(page.Levels) > 0 {
		level = page.Levels[0]
	}
	found, err := adapt.Point(base, level, page, at, others, adapt.PointOptions{Class: c.Class, Field: c.Field, As: kb.As(c.As)})
	if err != nil {
		return &statusError{exitFailed, err}
	}
	of := "the page"
	if found.Class != "" {
		of = found.Class
	}
	if len(found.Proposals) == 0 {
		return &statusError{exitFailed, fmt.Errorf("no expression gives %q as %s in %s; try --as text, a shorter --value, "+
			"or another --class", c.Value, found.As, of)}
	}
	fmt.Fprintf(s.out, "in %s, as %s, on %s\n", of, found.As, engine.Counted(len(others)+1, "page|pages"))
	for _, p := range found.Proposals[:min(len(found.Proposals), c.Most)] {
		fmt.Fprintf(s.out, "%s\n", p.Expr)
		if p.Match != "" {
			fmt.Fprintf(s.out, "    match %s\n", p.Match)
		}
		showFit(s, p)
	}
	for _, p := range found.Written {
		fmt.Fprintf(s.out, "written: %s\n", p.Expr)
		showFit(s, p)
	}
	switch best := found.Proposals[0]; {
	case best.Fit.One == 0:
		fmt.Fprintf(s.out, "none gives one value in %s: point at a longer value, or name another --class\n", of)
	case found.Lacking && level != nil:
		fmt.Fprintf(s.out, "add to %s of the level %s: %s\n", of, level.Name(), found.Action(best))
	default:
		fmt.Fprintf(s.out, "best: %s\n", found.Action(best))
	}
	return nil
}

func showFit(s streams, p adapt.Proposal) {
	f := p.Fit
	fmt.Fprintf(s.out, "    one value in %d of %d, several in %d, no value in %d; on %d of %d pages; %d different", f.One, f.Objects,
		f.Many, f.Unread, f.On, f.Pages, f.Distinct)
	for i, x := range f.Examples {
		fmt.Fprintf(s.out, "%s%q", map[bool]string{true: ": ", false: ", "}[i == 0], shorten(x))
	}
	fmt.Fprintln(s.out)
	if p.From != "" {
		fmt.Fprintf(s.out, "    %d changes from %s\n", p.Changes, p.From)
	}
}

// pages reads the page with the value and the others.
func (c *kbPointCmd) pages(ctx context.Context, s streams) (page extract.Page, others []extract.Page, base *kb.Base, err error) {
	if c.Crawl != "" {
		return c.archived(ctx)
	}
	if base, err = c.load(); err != nil {
		return page, nil, nil, err
	}
	d := detect.New(base)
	for _, name := range c.Page {
		file, address := addressed(name)
		in, err := pageFlags{URL: address}.read(ctx, file, s.in)
		if err != nil {
			return page, nil, nil, err
		}
		p, err := engine.Inspect(d, in.answer, engine.Hints{Force: kb.TypeID(c.Type), Full: true})
		if err != nil {
			return page, nil, nil, err
		}
		others = append(others, extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Type: p.Finding.Type, Levels: p.Finding.Levels})
	}
	return others[0], others[1:], base, nil
}

// archived reads them from the archive of a crawl.
func (c *kbPointCmd) archived(ctx context.Context) (page extract.Page, others []extract.Page, base *kb.Base, err error) {
	settings, err := crawl.ReadSettings(c.Crawl)
	if err != nil {
		return page, nil, nil, inFlags(err)
	}
	store := settings.Store(c.Crawl)
	store.Paths = append(store.Paths, c.KB...)
	if base, err = store.Load(); err != nil {
		return page, nil, nil, err
	}
	d := detect.New(base)
	p, err := crawl.Folder(c.Crawl).FindPage(ctx, d, c.Page[0])
	if err != nil {
		return page, nil, nil, err
	}
	others, err = crawl.Folder(c.Crawl).PagesLike(ctx, d, p, likePointed)
	return p.Extracted(), others, base, err
}
