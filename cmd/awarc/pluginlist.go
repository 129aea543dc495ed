package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/plugins/module"
)

type pluginListCmd struct {
	Format string   `enum:"text,json" default:"text" help:"Output format."`
	Of     []string `arg:"" placeholder:"FILE-or-DIR" help:"Plugins, or folders of crawls."`
}

// listedPlugin is a file, and what a crawl did with it.
type listedPlugin struct {
	File    string        `json:"file"`
	Error   string        `json:"error,omitempty"` // why it is refused
	Name    string        `json:"name,omitempty"`
	Version string        `json:"version,omitempty"`
	Hash    string        `json:"hash,omitempty"` // SHA-256 of the file as it is now
	Bytes   int           `json:"bytes,omitempty"`
	Kind    []module.Kind `json:"kind,omitempty"`
	Needs   []string      `json:"needs,omitempty"`
	May     []string      `json:"may,omitempty"`

	Crawl  string               `json:"crawl,omitempty"` // its folder
	Report *engine.PluginReport `json:"report,omitempty"`
	Used   []usedVersion        `json:"used,omitempty"` // by the crawl, in order
}

// usedVersion is a version that a crawl used from a time on.
type usedVersion struct {
	Since   time.Time `json:"since"`
	Version string    `json:"version"`
	Hash    string    `json:"hash"`
}

// Run lists plugins; it fails when one of the files is refused.
func (c *pluginListCmd) Run(s streams) error {
	list := []listedPlugin{}
	for _, of := range c.Of {
		info, err := os.Stat(of)
		switch {
		case err != nil:
			return usageError("%v", err)
		case info.IsDir():
			more, err := pluginsOfCrawl(of)
			if err != nil {
				return err
			}
			list = append(list, more...)
		default:
			list = append(list, listPlugin(of))
		}
	}
	if err := printPlugins(s, c.Format, list); err != nil {
		return err
	}
	for _, p := range list {
		if p.Error != "" {
			return &statusError{exitFailed, nil}
		}
	}
	return nil
}

// listPlugin reads what a file says about itself, and whether a crawl would take it.
func listPlugin(file string) listedPlugin {
	p := listedPlugin{File: file}
	data, err := infile.Read(file, maxInput)
	if err == nil {
		var m *module.Module
		if m, err = module.Verify(data, module.DefaultLimits()); err == nil {
			p.Name, p.Version, p.Hash, p.Bytes = m.Manifest.Name, m.Manifest.Version, fmt.Sprintf("%x", m.Hash), len(data)
			p.Kind, p.Needs, p.May = m.Manifest.Kind, m.Manifest.Needs, m.Manifest.May
		}
	}
	if err != nil {
		p.Error = err.Error()
	}
	return p
}

// pluginsOfCrawl lists the plugins that a crawl was started with.
func pluginsOfCrawl(dir string) ([]listedPlugin, error) {
	set, err := crawl.ReadSettings(dir)
	if err != nil {
		return nil, inFlags(err)
	}
	report, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if errors.Is(err, fs.ErrNotExist) {
		report = new(engine.Report)
	} else if err != nil {
		return nil, err
	}
	used, err := usedVersions(dir)
	if err != nil {
		return nil, err
	}
	var list []listedPlugin
	for _, file := range set.PluginFiles(dir) {
		p := listPlugin(file)
		p.Crawl = dir
		if r, ok := report.Plugins[p.Name]; ok {
			p.Report = &r
		}
		p.Used = used[p.Name]
		list = append(list, p)
	}
	return list, nil
}

// usedVersions reads from a crawl's logs which versions of each plugin it used.
func usedVersions(dir string) (map[string][]usedVersion, error) {
	events, err := crawl.ReadPluginLogs(dir)
	if err != nil {
		return nil, err
	}
	used := map[string][]usedVersion{}
	for _, e := range events {
		if e.Event != "loaded" {
			continue
		}
		was := used[e.Plugin]
		if len(was) == 0 || was[len(was)-1].Hash != e.Hash { // each session loads it anew
			used[e.Plugin] = append(was, usedVersion{e.Time, e.Version, e.Hash})
		}
	}
	return used, nil
}

func printPlugins(s streams, format string, list []listedPlugin) error {
	if format == "json" {
		return writeJSON(s.out, list)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PLUGIN\tKIND\tNEEDS\tMAY\tBYTES\tSHA-256\tFILE")
	for _, p := range list {
		if p.Error != "" {
			fmt.Fprintf(w, "refused\t\t\t\t\t\t%s: %s\n", p.File, p.Error)
			continue
		}
		kinds := make([]string, len(p.Kind))
		for i, k := range p.Kind {
			kinds[i] = string(k)
		}
		fmt.Fprintf(w, "%s@%s\t%s\t%s\t%s\t%d\t%.12s\t%s\n", p.Name, p.Version, strings.Join(kinds, ","), strings.Join(p.Needs, ","),
			strings.Join(p.May, ","), p.Bytes, p.Hash, p.File)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range list {
		if p.Report != nil {
			fmt.Fprintf(s.out, "%s in %s: %d calls, %d errors, %.1f s\n", p.Name, p.Crawl, p.Report.Calls, p.Report.Errors, p.Report.Time)
		}
		for _, u := range p.Used {
			fmt.Fprintf(s.out, "  %s %.12s since %s\n", u.Version, u.Hash, u.Since.Format(time.RFC3339))
		}
	}
	return nil
}
