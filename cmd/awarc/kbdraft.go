package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/draft"
	"github.com/awarc/awarc/kb"
)

type kbDraftCmd struct {
	Crawl string `required:"" placeholder:"DIR" help:"Read this crawl of a site of unknown software."`
	ID    string `default:"draft" placeholder:"TYPE-ID" help:"Id of the new type."`
	Out   string `short:"o" default:"." placeholder:"DIR" help:"Write the XML and its example pages to this folder."`
	Pages int    `default:"3000" placeholder:"N" help:"Read the first N pages of the crawl."`
}

// Run writes a draft of a type.
func (c *kbDraftCmd) Run(ctx context.Context, s streams) error {
	settings, err := crawl.ReadSettings(c.Crawl)
	if err != nil {
		return inFlags(err)
	}
	if len(settings.Seeds) == 0 {
		return usageError("--crawl %s: the crawl has no seeds", c.Crawl)
	}
	first, err := url.Parse(settings.Seeds[0])
	if err != nil {
		return err
	}
	base, err := settings.Store(c.Crawl).Load()
	if err != nil {
		return err
	}
	pages, err := c.pages(ctx, detect.New(base))
	if err != nil {
		return err
	}
	d, err := draft.Make(c.ID, pages, first, leastOfCrawl)
	if err == nil && d.Lists == 0 {
		err = draft.ErrNoWay
	}
	switch {
	case errors.Is(err, draft.ErrNoPosts):
		err = fmt.Errorf("%w: crawl more pages (--limit), or as a member (--login), or save pages of it and use: awarc kb new %s FILE=URL",
			err, c.ID)
	case errors.Is(err, draft.ErrNoWay):
		err = fmt.Errorf("%w: start the crawl at a list of threads or articles, or save such a list and use: awarc kb new %s FILE=URL",
			err, c.ID)
	}
	if err != nil {
		return &statusError{exitFailed, fmt.Errorf("%d pages of unknown software: %w", len(pages), err)}
	}
	return writeDraft(s, c.Out, c.ID, len(pages), d)
}

// leastOfCrawl is how many pages of a shape prove something of a crawl, where most pages are of any kind.
const leastOfCrawl = 3

// writeDraft writes a draft with the pages of its examples, and says what it finds.
func writeDraft(s streams, dir, id string, pages int, d *draft.Draft) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, id+".xml")
	err := os.WriteFile(file, d.XML, 0o644)
	for name, page := range d.Examples {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), page, 0o644))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: drafted from %d pages with %d posts (%d with author, date and text); %d examples\n", file, pages, d.Posts,
		d.Whole, len(d.Examples))
	return hint(s, file, id, d)
}

// hint prints the lint warnings of a draft, such as a list that leads to no thread, where a crawl
// would end, and what the draft lacks.
func hint(s streams, file, id string, d *draft.Draft) error {
	given, base, err := loadPaths([]string{file}, false)
	if err != nil {
		return fmt.Errorf("%s: the draft is not a valid knowledge base: %w", file, err)
	}
	lint := kbLintCmd{Format: "text"}
	for _, p := range inFiles(engine.Problems(base), given) {
		if err := lint.print(s, p); err != nil {
			return err
		}
	}
	for _, lack := range d.Lacks(base.Type(kb.TypeID(id))) {
		fmt.Fprintf(s.out, "lacks: %s\n", lack)
	}
	return nil
}

// pages reads the pages of unknown software in the archive.
func (c *kbDraftCmd) pages(ctx context.Context, d *detect.Detector) (pages []*draft.Page, err error) {
	found, err := crawl.FirstExchanges(c.Crawl, c.Pages, func(e *engine.Exchanged) bool {
		return e.Record != "" && e.Type == "" && (e.Status == 200 && strings.Contains(e.MIME, "html") || crawl.IsRedirect(e))
	})
	if err != nil {
		return nil, err
	}
	for i := range found {
		p, err := crawl.Folder(c.Crawl).DraftPage(ctx, d, &found[i])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // an unreadable page says nothing
			pages = append(pages, p)
		}
	}
	return pages, nil
}
