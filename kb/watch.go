package kb

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/beevik/etree"
	"github.com/fsnotify/fsnotify"
)

// settle is how long the files must be left alone before they are read again:
// editors write in several steps.
const settle = 150 * time.Millisecond

// Watch keeps a knowledge base up to date with its files until ctx ends; base is
// what they hold now. After each change that leaves valid files with another
// content, changed is called with the new Base; after one that leaves invalid
// files, with the error, once for each different error. The rules in force stay
// until a valid change. Files that are replaced by renaming, written in steps,
// deleted and made again, and folders that come and go are all followed; the folder
// Learned must be there.
//
// The error is that of the operating system refusing to watch.
func (s Store) Watch(ctx context.Context, base *Base, changed func(*Base, error)) error {
	paths := slices.Clone(s.Paths)
	if s.Learned != "" {
		paths = append(paths, s.Learned)
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching the knowledge base: %w", err)
	}
	defer w.Close()
	watchAll(w, paths)
	timer := time.NewTimer(settle) // what changed between loading and watching
	defer timer.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-w.Events:
			if !open {
				return nil
			}
			timer.Reset(settle)
		case <-w.Errors: // events were lost: look at everything
			timer.Reset(settle)
		case <-timer.C:
			watchAll(w, paths)
			next, err := s.Load()
			switch {
			case err != nil && err.Error() != last:
				last = err.Error()
				changed(nil, err)
			case err == nil && (next.Hash != base.Hash || last != ""):
				last, base = "", next
				changed(next, nil)
			}
		}
	}
}

// watchAll watches every folder that a change could show in: those of the files,
// those below a folder, and the one above, for when the folder itself is replaced.
// A folder that is watched already costs nothing; one that is not there is
// watched when it comes.
func watchAll(w *fsnotify.Watcher, paths []string) {
	for _, p := range paths {
		dir := p
		if info, err := os.Stat(p); err != nil || !info.IsDir() {
			dir = filepath.Dir(p)
		}
		_ = w.Add(filepath.Dir(dir))
		_ = filepath.WalkDir(dir, func(sub string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = w.Add(sub)
			}
			return nil
		})
	}
}

// all and isRule say which elements count for a checksum.
func all(*etree.Element) bool { return true }
func isRule(e *etree.Element) bool {
	return e.Tag != "example" && e.Tag != "learned" && e.SelectAttr("learned") == nil
}

// sumOf adds what an element says, but for types inside it and for elements that do not count, to a checksum.
func sumOf(e *etree.Element, sum uint64, counts func(*etree.Element) bool) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d<%s", sum, e.Tag)
	for _, a := range e.Attr {
		fmt.Fprintf(h, " %s=%q", a.FullKey(), a.Value)
	}
	fmt.Fprintf(h, ">%q", strings.TrimSpace(e.Text()))
	for _, c := range e.ChildElements() {
		if c.Tag != "type" && counts(c) {
			fmt.Fprintf(h, "%x", sumOf(c, 0, counts))
		}
	}
	return h.Sum64()
}

// Changes are the differences between two knowledge bases, by type.
type Changes struct {
	Added, Removed, Changed []TypeID
	// Ruled are the types whose rules for pages changed, not only examples or learned entries.
	Ruled []TypeID
}

// RulesDiffer reports whether the author of another type says something else of pages, but for examples.
func (t *Type) RulesDiffer(other *Type) bool { return t.rules != other.rules }

// Changes returns the differences between b and a newer base.
func (b *Base) Changes(newer *Base) Changes {
	var c Changes
	for _, t := range newer.Types {
		switch old := b.byID[t.ID]; {
		case old == nil:
			c.Added = append(c.Added, t.ID)
		case old.sum != t.sum:
			c.Changed = append(c.Changed, t.ID)
			if t.RulesDiffer(old) {
				c.Ruled = append(c.Ruled, t.ID)
			}
		}
	}
	for _, t := range b.Types {
		if newer.byID[t.ID] == nil {
			c.Removed = append(c.Removed, t.ID)
		}
	}
	return c
}

// String names the types, ten of a kind at most.
func (c Changes) String() string {
	var parts []string
	for _, k := range []struct {
		what string
		ids  []TypeID
	}{{"added", c.Added}, {"changed", c.Changed}, {"removed", c.Removed}} {
		if len(k.ids) == 0 {
			continue
		}
		const most = 10
		var names []string
		for _, id := range k.ids[:min(most, len(k.ids))] {
			names = append(names, string(id))
		}
		if len(k.ids) > most {
			names = append(names, fmt.Sprintf("and %d more", len(k.ids)-most))
		}
		parts = append(parts, k.what+" "+strings.Join(names, ", "))
	}
	if len(parts) == 0 {
		return "no type changed"
	}
	return strings.Join(parts, "; ")
}
