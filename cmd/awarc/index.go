package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/quads"
)

// indexFlags say which index a command works with.
type indexFlags struct {
	Index string `placeholder:"FILE" help:"Index file (default: state/graph.db of the crawl, or a file in the cache folder)."`
}

type indexCmd struct {
	indexFlags
	Rebuild bool     `help:"Rebuild the whole index."`
	Format  string   `enum:"text,json" default:"text" help:"Output format."`
	Dir     []string `arg:"" help:"Folders of crawls (running ones too), or folders or files of N-Quads."`
}

// Run makes or renews an index.
func (c *indexCmd) Run(ctx context.Context, s streams) error {
	ctx, stop := interruptible(ctx, s.err)
	defer stop()
	result, err := c.build(ctx, s, c.Dir, c.Rebuild)
	if errors.Is(err, context.Canceled) {
		return &statusError{exitInterrupted, errors.New("interrupted; the index is unchanged")}
	}
	if err != nil {
		return err
	}
	if c.Format == "json" {
		err = writeJSON(s.out, result)
	} else {
		fmt.Fprintf(s.out, "index %s (%d bytes): %d quads of %d files (%d new), in %.1f s\n", result.File, result.Bytes,
			result.Quads, result.Files, result.Read, result.Took)
	}
	if err == nil && result.Skipped > 0 {
		err = &statusError{exitWithFaults, nil}
	}
	return err
}

// open brings the index of folders up to date and opens it.
func (f *indexFlags) open(ctx context.Context, s streams, dirs []string) (*quads.Reader, *quads.Result, error) {
	result, err := f.build(ctx, s, dirs, false)
	if err != nil {
		return nil, nil, err
	}
	index, err := quads.Open(ctx, result.File)
	return index, result, err
}

// build brings the index of crawls up to date.
func (f *indexFlags) build(ctx context.Context, s streams, dirs []string, rebuild bool) (*quads.Result, error) {
	files, err := quads.Files(dirs...)
	if err != nil {
		return nil, usageError("%v", err)
	}
	file, err := f.file(dirs)
	if err != nil {
		return nil, err
	}
	show := newWorkProgress(s)
	defer show.clear()
	read := show.through("indexing", files)
	result, err := quads.Build(ctx, file, files, quads.Options{Rebuild: rebuild, Own: f.Index == "", Noted: show.note,
		Progress: func(file string, offset, _ int64) { read(file, offset) }})
	if err == nil && result.Rebuilt != "" {
		show.note("the index was rebuilt: " + result.Rebuilt)
	}
	return result, err
}

// file is where the index of crawls is.
func (f *indexFlags) file(dirs []string) (string, error) {
	if f.Index != "" {
		return f.Index, nil
	}
	if len(dirs) == 1 {
		if info, err := os.Stat(filepath.Join(dirs[0], "graph")); err == nil && info.IsDir() {
			return filepath.Join(dirs[0], filepath.FromSlash(crawl.IndexFile)), nil
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usageError("no cache folder for the index of several crawls (%v); name a file with --index", err)
	}
	var paths []string
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	name := sha256.Sum256([]byte(strings.Join(slices.Compact(paths), "\n")))
	return filepath.Join(cache, "awarc", "index", fmt.Sprintf("%x.db", name[:8])), nil
}
