package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/plugins/conformance"
	"github.com/awarc/awarc/plugins/module"
)

type pluginCmd struct {
	New  pluginNewCmd  `cmd:"" help:"Create a plugin project that builds and passes its test."`
	Pack pluginPackCmd `cmd:"" help:"Embed the manifest into a WebAssembly module."`
	List pluginListCmd `cmd:"" help:"List plugins, or the plugins of a crawl with their results."`
	Run  pluginRunCmd  `cmd:"" help:"Run a plugin on pages; show scores, reasons, statements, log and fuel."`
	Test pluginTestCmd `cmd:"" help:"Test a plugin with 23 checks and measure its calls."`
}

type pluginPackCmd struct {
	Module   string `arg:"" placeholder:"FILE.wasm" help:"The module."`
	Manifest string `arg:"" placeholder:"plugin.json" help:"The manifest."`
	Out      string `short:"o" placeholder:"FILE" help:"Write the plugin to this file (default: replace the module)."`
}

// Run packs a module and refuses what a crawl would refuse.
func (c *pluginPackCmd) Run(s streams) error {
	wasm, err := infile.Read(c.Module, maxInput)
	if err != nil {
		return usageError("%v", err)
	}
	manifest, err := infile.Read(c.Manifest, maxInput)
	if err != nil {
		return usageError("%v", err)
	}
	packed, err := module.Pack(wasm, manifest)
	if err != nil {
		return fmt.Errorf("packing %s with %s: %w", c.Module, c.Manifest, err)
	}
	m, err := module.Verify(packed, module.DefaultLimits())
	if err != nil {
		return fmt.Errorf("packing %s with %s: %w", c.Module, c.Manifest, err)
	}
	out := c.Out
	if out == "" {
		out = c.Module
	}
	if err := os.WriteFile(out, packed, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s@%s, %d bytes, SHA-256 %x\n", out, m.Manifest.Name, m.Manifest.Version, len(packed), m.Hash)
	return err
}

type pluginTestCmd struct {
	File    string   `arg:"" placeholder:"PLUGIN.wasm" help:"The plugin."`
	Vectors []string `placeholder:"FILE" help:"Golden vectors (default: testdata/*.json beside the plugin)."`
	Config  string   `placeholder:"FILE" help:"Pass this configuration to the plugin (default: the one of the vectors)."`
	Strict  bool     `help:"Treat warnings as failures."`
	Calls   int      `default:"20000" help:"Make N calls of each kind in the search for memory leaks."`
	Format  string   `enum:"text,json" default:"text" help:"Output format."`
}

// Run tests a plugin and fails when a check does.
func (c *pluginTestCmd) Run(ctx context.Context, s streams) error {
	o := conformance.Options{Vectors: c.Vectors, Strict: c.Strict, Calls: c.Calls}
	if c.Config != "" {
		b, err := readFile(c.Config)
		if err != nil {
			return usageError("--config: %v", err)
		}
		o.Config = string(b)
	}
	if len(o.Vectors) == 0 {
		var err error
		if o.Vectors, err = filepath.Glob(filepath.Join(filepath.Dir(c.File), "testdata", "*.json")); err != nil {
			return err
		}
	}
	r, err := conformance.Run(ctx, c.File, o)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		e := json.NewEncoder(s.out)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = printConformance(s.out, r)
	}
	if err == nil && !r.OK {
		err = &statusError{exitFailed, nil}
	}
	return err
}

func printConformance(out io.Writer, r *conformance.Report) error {
	if r.Name != "" {
		fmt.Fprintf(out, "%s@%s, %d bytes, SHA-256 %s\n\n", r.Name, r.Version, r.Bytes, r.Hash)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range r.Checks {
		fmt.Fprintf(w, "%2d\t%s\t%.2f s\t%s", c.Number, c.Status, c.Seconds, c.Name)
		if c.Detail != "" {
			fmt.Fprintf(w, ": %s", c.Detail)
		}
		fmt.Fprintln(w)
	}
	if len(r.Costs) > 0 {
		fmt.Fprintf(w, "\ncall\tpage\tp50 µs\tp99 µs\tunits of fuel\tmemory KiB\n")
	}
	for _, c := range r.Costs {
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.1f\t%d\t%d\n", c.Kind, c.Page, c.P50, c.P99, c.Units, c.Memory>>10)
	}
	return w.Flush()
}
