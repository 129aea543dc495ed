package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/awarc/awarc/engine/archive"
)

type warcCmd struct {
	Verify  warcVerifyCmd  `cmd:"" help:"Check every record of WARC files."`
	Recover warcRecoverCmd `cmd:"" help:"Repair torn WARC files: remove incomplete records, keep the others."`
}

type warcVerifyCmd struct {
	Format string   `enum:"text,json" default:"text" help:"Output format."`
	File   []string `arg:"" help:"WARC and WACZ files, or folders with such files."`
}

// verifyJSON is what was found in a file.
type verifyJSON struct {
	File      string         `json:"file"`
	Size      int64          `json:"size"`
	Records   map[string]int `json:"records"`
	Unchecked int            `json:"unchecked,omitempty"` // records with digests of unknown algorithms
	Files     int            `json:"files,omitempty"`     // of a WACZ file, with the digests of datapackage.json
	OK        bool           `json:"ok"`
	Wrong     int            `json:"wrong"`         // places that are not sound records
	Bad       []badJSON      `json:"bad,omitempty"` // the first 1,000 of them

	Unusual map[archive.Oddity]int `json:"unusual,omitempty"` // sound records that deviate from the standard, by what is unusual
	Odd     []badJSON              `json:"odd,omitempty"`     // the first ten of each kind
}

type badJSON struct {
	Offset int64  `json:"offset"`
	Type   string `json:"type,omitempty"`
	ID     string `json:"id,omitempty"`
	URL    string `json:"url,omitempty"`
	Member string `json:"member,omitempty"` // of a WACZ file
	Error  string `json:"error"`
}

// Run checks files and fails when one has a bad record.
func (c *warcVerifyCmd) Run(s streams) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	show := newWorkProgress(s)
	size, read := sizeOf(files), atomic.Int64{}
	reports, err := archive.VerifyTelling(func(n int64) { show.at("verified", read.Add(n), size) }, files...)
	show.clear()
	damaged := 0
	for _, r := range reports {
		if r.Wrong > 0 {
			damaged++
		}
		if perr := printVerified(s.out, c.Format, r); perr != nil {
			return perr
		}
	}
	if damaged > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d files are damaged; awarc warc recover keeps the intact records of files with torn or "+
			"broken records", damaged, len(reports)))
	}
	return err
}

// files are those that are checked: WACZ files, and the WARC files in them and in folders.
func (c *warcVerifyCmd) files() (files []string, err error) {
	for _, name := range c.File {
		all := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if all, err = archive.Below(name); err != nil {
				return nil, err
			}
			if len(all) == 0 {
				return nil, fmt.Errorf("%s: no *.warc, *.warc.gz, *.warc.zst or *.wacz file found", name)
			}
		}
		for _, file := range all {
			files = append(files, archive.WithMembers(file)...)
		}
	}
	return files, nil
}

func printVerified(w io.Writer, format string, r archive.Report) error {
	if format == "json" {
		j := verifyJSON{File: r.File, Size: r.Size, Records: r.Records, Unchecked: r.Unchecked, Files: r.Files, OK: r.Wrong == 0,
			Wrong: r.Wrong}
		for _, b := range r.Bad {
			j.Bad = append(j.Bad, badJSON{b.Offset, b.Type, b.ID, b.URL, b.Member, b.Reason})
		}
		j.Unusual = r.Unusual
		for _, b := range r.Odd {
			j.Odd = append(j.Odd, badJSON{b.Offset, b.Type, b.ID, b.URL, b.Member, b.Reason})
		}
		return writeJSON(w, j)
	}
	state := "ok"
	if r.Wrong > 0 {
		state = "BAD"
	}
	if r.Packed {
		fmt.Fprintf(w, "%s: %d files match datapackage.json; %s\n", r.File, r.Files, state)
	} else {
		fmt.Fprintf(w, "%s: %s; %s\n", r.File, sorted(wide(r.Records)), state)
	}
	for _, b := range r.Bad {
		fmt.Fprintf(w, "  %s: %s\n", b.Place(), b.Reason)
	}
	if more := r.Wrong - len(r.Bad); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, b := range r.Odd {
		became := "read all the same"
		if !b.Read {
			became = "and awarc extract skips it"
		}
		fmt.Fprintf(w, "  unusual, %s: %s: %s\n", became, b.Place(), b.Reason)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Unusual)) {
		fmt.Fprintf(w, "  unusual: %d records: %s\n", r.Unusual[kind], kind)
	}
	return nil
}

type warcRecoverCmd struct {
	Format string   `enum:"text,json" default:"text" help:"Output format."`
	File   []string `arg:"" help:"WARC files, compressed with gzip or not."`
}

// recoverJSON is what was done to a file.
type recoverJSON struct {
	File    string     `json:"file"`
	Records int        `json:"records"`
	Cut     []spanJSON `json:"cut,omitempty"`
	Saved   []string   `json:"saved,omitempty"`
	Anew    int        `json:"written_anew,omitempty"`
	// Of a file of a crawl:
	Own          bool `json:"own"`
	GraphMembers int  `json:"graph_members_taken_out,omitempty"`
	WithoutGraph int  `json:"captures_without_graph,omitempty"`
}

type spanJSON struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

// Run repairs files in place.
func (c *warcRecoverCmd) Run(s streams) error {
	for _, name := range c.File {
		r, err := archive.Recover(name)
		if err != nil {
			return err
		}
		if err := printRecovered(s.out, c.Format, r); err != nil {
			return err
		}
	}
	return nil
}

func printRecovered(w io.Writer, format string, r archive.Repair) error {
	if format == "json" {
		j := recoverJSON{File: r.File, Records: r.Records, Saved: r.Saved, Anew: r.Repacked, Own: r.Own, GraphMembers: r.GraphMembers,
			WithoutGraph: r.WithoutGraph}
		for _, cut := range r.Cut {
			j.Cut = append(j.Cut, spanJSON(cut))
		}
		return writeJSON(w, j)
	}
	if len(r.Saved) == 0 && r.WithoutGraph == 0 && r.Repacked == 0 {
		fmt.Fprintf(w, "%s: intact, %d records\n", r.File, r.Records)
		return nil
	}
	fmt.Fprintf(w, "%s: %d records kept\n", r.File, r.Records)
	for _, cut := range r.Cut {
		fmt.Fprintf(w, "  damaged: %d bytes at byte %d\n", cut.Length, cut.Offset)
	}
	if r.Repacked > 0 {
		fmt.Fprintf(w, "  %d records rewritten with the right length (each as one gzip member in compressed files)\n", r.Repacked)
	}
	for _, name := range r.Saved {
		fmt.Fprintf(w, "  the removed bytes are in %s\n", name)
	}
	if r.Own {
		gone := "awarc resume fetches lost captures again"
		if strings.HasSuffix(r.File, archive.MetaSuffix) {
			gone = "awarc resume writes the file again"
		}
		fmt.Fprintf(w, "  records kept their offsets, the index was rebuilt; %s\n", gone)
	}
	if r.WithoutGraph > 0 {
		fmt.Fprintf(w, "  the graph of %d captures was damaged; awarc extract --crawl writes a new one\n", r.WithoutGraph)
	}
	return nil
}
