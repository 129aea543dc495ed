package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/reextract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/plugins"
)

// archiveFlags let extract read a whole archive again.
type archiveFlags struct {
	Crawl   string      `placeholder:"DIR-or-WARC" help:"Extract from an archive (crawl, WARC or WACZ), without any request."`
	Out     string      `placeholder:"DIR" help:"With --crawl: folder of the new graph (default: graph-TIME beside the archive)."`
	Without []kb.TypeID `sep:"none" placeholder:"TYPE-ID" help:"With --crawl: ignore a type of the knowledge base; repeatable."`
	Then    bool        `name:"archived-kb" help:"With --crawl: use the knowledge base stored in the archive."`

	Plugin       []string          `sep:"none" placeholder:"FILE.wasm" help:"With --crawl: run this extractor on each page; repeatable."`
	PluginConfig map[string]config `mapsep:"none" placeholder:"NAME=TEXT" help:"Configure a plugin with a text or a file (@FILE)."`

	Previous []string `sep:"none" placeholder:"DIR" help:"With --crawl: find the originals of revisit records in this archive; repeatable."`
}

// archiveJSON is what reading an archive again gave, beside what the crawl had.
type archiveJSON struct {
	*reextract.Result
	Before map[string]int64 `json:"objects_before,omitempty"` // of the crawl
	Took   float64          `json:"duration_s"`
}

// collectSeldom lets the collector run less often than usual, up to a bound, while little is kept and much is garbage: what would be a
// fourth of the time of reading an archive. It returns what undoes that. Whoever set GOGC is obeyed.
func collectSeldom() func() {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(400), debug.SetMemoryLimit(512<<20)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// readWhole runs what reads a whole archive. Ctrl-C ends it, and what it was making is removed; once more ends it at once.
func readWhole(ctx context.Context, s streams, run func(context.Context) error) error {
	ctx, stop := interruptible(ctx, s.err)
	defer stop()
	defer collectSeldom()()
	err := run(ctx)
	if err != nil && ctx.Err() != nil {
		return &statusError{exitInterrupted, errors.New("interrupted; nothing was written")}
	}
	return err
}

// extractArchive reads an archive again and prints what it holds.
func (c *extractCmd) extractArchive(ctx context.Context, s streams) error {
	if len(c.Input) > 0 || c.URL != "" || len(c.Header) > 0 || c.Type != "" || c.Explain {
		return usageError("--crawl reads all pages of an archive; remove FILE-or-URL, --url, --header, --type and --explain")
	}
	files, err := reextract.Files(c.Crawl)
	if err != nil {
		return usageError("--crawl: %v", err)
	}
	base, err := c.knowledge(files)
	if err != nil {
		return err
	}
	dir := reextract.Folder(c.Crawl)
	began := time.Now()
	out := c.Out
	if out == "" {
		out = filepath.Join(dir, "graph-"+began.UTC().Format("20060102T150405Z"))
	}
	settings, err := crawl.ReadSettings(dir)
	if err != nil {
		settings, _, _ = crawl.Archived(files) // zero for the archive of another program
	}
	show := newWorkProgress(s)
	elsewhere, err := elsewhereOf(settings, c.Previous)
	if err != nil {
		return err
	}
	set, err := c.plugins(ctx, settings)
	if err != nil {
		return usageError("--plugin: %v", err)
	}
	if set != nil {
		defer set.Close()
	}
	var result *reextract.Result
	err = readWhole(ctx, s, func(ctx context.Context) (err error) {
		result, err = reextract.Run(ctx, files, reextract.Options{Out: out, Detector: detect.New(base), CrawlID: settings.CrawlID,
			Crawl:     graph.Crawl{Started: settings.Started, Seeds: settings.Seeds},
			Activity:  graph.Session{Software: software(), Knowledge: kb.Version + " " + base.Hash},
			AsWritten: c.NoAdapt, Plugins: set, Elsewhere: elsewhere, Noted: show.note, Progress: show.through("reading", files)})
		return err
	})
	show.clear()
	if err != nil {
		return err
	}
	x := archiveJSON{Result: result, Took: time.Since(began).Seconds()}
	if before, err := engine.ReadReport(filepath.Join(dir, "report.json")); err == nil {
		x.Before = before.Objects
	}
	if c.Format == "json" {
		err = writeJSON(s.out, x)
	} else {
		x.print(s)
	}
	if err == nil && x.Skipped+x.Damaged > 0 {
		err = &statusError{exitWithFaults, nil}
	}
	return err
}

// plugins opens those that are asked about the pages of an archive; nil are none.
func (c *extractCmd) plugins(ctx context.Context, settings crawl.Settings) (*plugins.Set, error) {
	if len(c.Plugin) == 0 {
		return nil, nil
	}
	var cache string // empty is a temporary one
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "awarc", "plugins")
	}
	return plugins.Open(ctx, c.Plugin, plugins.Options{Config: configs(c.PluginConfig), CrawlID: settings.CrawlID, CacheDir: cache})
}

// elsewhereOf lists the WARC files to which the archive of a crawl may refer: those of earlier crawls that were named, and of those that it
// was made against, as far as they are where they were.
func elsewhereOf(settings crawl.Settings, named []string) (files []string, err error) {
	for _, name := range named {
		for _, dir := range crawl.Generations(name) {
			of, err := reextract.Files(dir)
			if err != nil && dir == name {
				return nil, usageError("--previous: %v", err)
			}
			files = append(files, of...)
		}
	}
	for _, name := range append(crawl.Generations(settings.Flags.Previous), settings.Flags.Dedupe...) {
		if of, err := reextract.Files(name); err == nil && !slices.Equal(of, []string{name}) { // which is an index
			files = append(files, of...)
		}
	}
	return files, nil
}

// knowledge is what the archive is read with: what is known now, or what was known when it was made.
func (c *extractCmd) knowledge(files []string) (*kb.Base, error) {
	if !c.Then {
		return c.store().Load()
	}
	if len(c.KB) > 0 || c.Alone || c.NoAdapt || len(c.Without) > 0 {
		return nil, usageError("--archived-kb uses the stored knowledge base; remove --kb, --alone, --no-adapt and --without")
	}
	settings, sources, err := crawl.Archived(files)
	if err != nil {
		return nil, usageError("--archived-kb: %v", err)
	}
	base, err := kb.Load(sources...)
	if err != nil {
		return nil, fmt.Errorf("the knowledge base in the archive: %w", err)
	}
	return base.Without(settings.Flags.Without...)
}

// store is the knowledge base that an archive is read with: what its crawl learned counts, but for --no-adapt.
func (c *extractCmd) store() kb.Store {
	store := kb.Store{Under: c.under(), Paths: c.KB, Without: c.Without}
	if learned := filepath.Join(c.Crawl, crawl.LearnedFolder); !c.NoAdapt {
		if info, err := os.Stat(learned); err == nil && info.IsDir() {
			store.Learned = learned
		}
	}
	return store
}

func (x archiveJSON) print(s streams) {
	fmt.Fprintf(s.out, "read %d answers of %d WARC files in %.1f s\n", x.Answers, x.Files, x.Took)
	fmt.Fprintf(s.out, "  pages      %d (%s)\n", x.Pages, sorted(wide(x.Levels)))
	fmt.Fprintf(s.out, "  objects    %s\n", sorted(wide(x.Objects)))
	if x.Before != nil {
		fmt.Fprintf(s.out, "  before     %s\n", x.compared())
	}
	if len(x.Missing) > 0 {
		fmt.Fprintf(s.out, "  missing    %s\n", sorted(wide(x.Missing)))
	}
	if x.Skipped > 0 {
		fmt.Fprintf(s.out, "  skipped    %d unreadable records; standard error lists them\n", x.Skipped)
	}
	if x.Damaged > 0 {
		fmt.Fprintf(s.out, "  damaged    %d records, which were read; standard error lists them\n", x.Damaged)
	}
	if len(x.Unusual) > 0 {
		fmt.Fprintf(s.out, "  unusual    %s; these records were read\n", sorted(wide(x.Unusual)))
	}
	switch other := x.notPages(); {
	case x.Answers == 0:
		fmt.Fprintf(s.out, "  other      no page records; the archive has: %s\n",
			sorted(wide(x.Other)))
	case len(other) > 0:
		fmt.Fprintf(s.out, "  other      %s: not pages, skipped\n", sorted(wide(other)))
	}
	fmt.Fprintf(s.out, "  graph      %s (%d triples)\n", x.Graph, x.Triples)
}

// notPages counts the records that have content and are not of a web address.
func (x archiveJSON) notPages() map[string]int {
	other := maps.Clone(x.Other)
	maps.DeleteFunc(other, func(kind string, _ int) bool { return !strings.Contains(kind, " of ") })
	return other
}

// compared says by class how many objects there are more or fewer than the crawl had.
func (x archiveJSON) compared() string {
	classes := slices.Collect(maps.Keys(x.Before))
	for class := range x.Objects {
		if _, known := x.Before[class]; !known {
			classes = append(classes, class)
		}
	}
	slices.Sort(classes)
	var parts []string
	for _, class := range classes {
		if more := int64(x.Objects[class]) - x.Before[class]; more != 0 {
			parts = append(parts, fmt.Sprintf("%+d %s", more, class))
		}
	}
	if len(parts) == 0 {
		return "same counts of each class"
	}
	return strings.Join(parts, ", ") + " since"
}

func wide(m map[string]int) map[string]int64 {
	out := make(map[string]int64, len(m))
	for name, n := range m {
		out[name] = int64(n)
	}
	return out
}
