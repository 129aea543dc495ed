package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

type kbWatchCmd struct {
	Alone bool     `help:"Use only this file, without the built-in knowledge base."`
	File  string   `arg:"" help:"XML file of the type."`
	Page  []string `arg:"" optional:"" name:"FILE-or-DIR" help:"More saved pages, or folders of pages, besides the examples of the file."`
}

// Run prints what is found on the pages, and after each edit what changed, until it is interrupted.
func (c *kbWatchCmd) Run(ctx context.Context, s streams) error {
	pages, err := htmlFiles(c.Page)
	if err != nil {
		return err
	}
	store := kb.Store{Under: kb.Builtin(), Paths: []string{c.File}}
	if c.Alone {
		store.Under = nil
	}
	base, err := store.Load()
	if err != nil {
		return err
	}
	w := &kbWatch{streams: s, file: c.File, pages: pages, last: map[string]string{}}
	if err := w.show(ctx, base); err != nil {
		return err
	}
	return store.Watch(ctx, base, func(next *kb.Base, err error) {
		if err == nil {
			err = w.show(ctx, next)
		}
		if err != nil {
			fmt.Fprintf(s.out, "%v\n", err)
		}
	})
}

// htmlFiles lists files, and those of HTML below folders.
func htmlFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			ext := strings.ToLower(filepath.Ext(name))
			if err == nil && !d.IsDir() && (name == path || ext == ".html" || ext == ".htm") {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// kbWatch shows what is found on some pages.
type kbWatch struct {
	streams
	file  string
	pages []string
	last  map[string]string // by page or example, what was shown of it
}

// show prints a line for each page of which something else is found than before, and for the examples of the file.
func (w *kbWatch) show(ctx context.Context, base *kb.Base) error {
	d := detect.New(base)
	same := 0
	tell := func(name, now string) {
		was, known := w.last[name]
		w.last[name] = now
		switch {
		case !known:
			fmt.Fprintf(w.out, "%s: %s\n", name, now)
		case was != now:
			fmt.Fprintf(w.out, "%s: %s\n    was: %s\n", name, now, was)
		default:
			same++
		}
	}
	for _, name := range w.pages {
		in, err := pageFlags{}.read(ctx, name, w.in)
		if err != nil {
			return err
		}
		p, err := engine.Inspect(d, in.answer, engine.Hints{Full: true})
		if err != nil {
			return err
		}
		tell(name, found(&p))
	}
	for _, t := range base.Types {
		for i := range t.Examples {
			x := &t.Examples[i]
			if x.Pos.File != w.file {
				continue
			}
			r, err := engine.RunExample(d, t, x)
			if err != nil {
				return err
			}
			now := found(&r.Page)
			if r.NotRun {
				now = "not run: it needs a browser; awarc kb test runs it"
			}
			for _, f := range r.Failures {
				now += "; FAIL " + f.Msg
			}
			tell("example "+x.Page, now)
		}
	}
	if same > 0 {
		fmt.Fprintf(w.out, "unchanged: %d\n", same)
	}
	return nil
}

// found sums up what is found on a page.
func found(p *engine.Page) string {
	if p.Finding.Type == nil {
		return "unknown"
	}
	level := "no level"
	if v := p.Harvest.Level; v != nil {
		level = v.Name()
	}
	fields := 0
	for _, o := range p.Harvest.Objects {
		fields += len(o.Fields)
	}
	h := &p.Harvest
	out := fmt.Sprintf("%s %s, %d objects, %d fields, %d links", p.Finding.Type.ID, level, len(h.Objects), fields, len(h.Links))
	var missing []string
	for _, m := range h.Misses {
		if name := m.Field + " of " + m.Object; !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		out += ", missing " + strings.Join(missing, ", ")
	}
	return out
}
