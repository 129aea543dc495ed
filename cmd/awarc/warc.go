package main

import (
	"fmt"
	"io"

	"github.com/awarc/awarc/engine/archive"
)

type warcCmd struct {
	Verify  warcVerifyCmd  `cmd:"" help:"Check every record of WARC files."`
	Recover warcRecoverCmd `cmd:"" help:"Repair torn WARC files: cut what is not whole, keep the rest."`
}

type warcVerifyCmd struct {
	Format string   `enum:"text,json" default:"text" help:"Output format: text or json."`
	File   []string `arg:"" help:"WARC files."`
}

type verifyJSON struct {
	File    string         `json:"file"`
	Size    int64          `json:"size"`
	Records map[string]int `json:"records"`
	OK      bool           `json:"ok"`
	Offset  int64          `json:"offset,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// Run checks files and fails when one has a bad record.
func (c *warcVerifyCmd) Run(s streams) error {
	reports, err := archive.Verify(c.File...)
	bad := 0
	for _, r := range reports {
		j := verifyJSON{File: r.File, Size: r.Size, Records: r.Records, OK: r.Bad == nil}
		if r.Bad != nil {
			bad++
			j.Offset, j.Error = r.Bad.Offset, r.Bad.Reason
		}
		if perr := j.print(s.out, c.Format); perr != nil {
			return perr
		}
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d of %d files are damaged; awarc warc recover keeps what is whole", bad, len(reports))
	}
	return err
}

func (j verifyJSON) print(w io.Writer, format string) error {
	if format == "json" {
		return writeJSON(w, j)
	}
	counts := map[string]int64{}
	for name, n := range j.Records {
		counts[name] = int64(n)
	}
	state := "ok"
	if !j.OK {
		state = fmt.Sprintf("BAD at byte %d: %s", j.Offset, j.Error)
	}
	_, err := fmt.Fprintf(w, "%s: %s; %s\n", j.File, sorted(counts), state)
	return err
}

type warcRecoverCmd struct {
	Format string   `enum:"text,json" default:"text" help:"Output format: text or json."`
	File   []string `arg:"" help:"WARC files with one gzip member a record."`
}

// Run repairs files in place.
func (c *warcRecoverCmd) Run(s streams) error {
	for _, name := range c.File {
		r, err := archive.Recover(name)
		if err != nil {
			return err
		}
		if c.Format == "json" {
			if err := writeJSON(s.out, r); err != nil {
				return err
			}
			continue
		}
		if len(r.Cut) == 0 {
			fmt.Fprintf(s.out, "%s: whole, %d records\n", r.File, r.Records)
			continue
		}
		fmt.Fprintf(s.out, "%s: %d records kept, cut out: %v\n", r.File, r.Records, r.Cut)
	}
	return nil
}
