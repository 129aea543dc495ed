// Package unknown measures how soon crawls of a site whose software no type describes have its contents.
package unknown

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// Source is a crawl of the site.
type Source struct{ Name, Dir string }

// Curve is how a crawl came to the contents of the site.
type Curve struct {
	Name     string      `json:"name"`
	Requests int         `json:"requests"`
	Contents int         `json:"contents"`
	At       map[int]int `json:"at"` // requests for some per cents of the contents of all crawls together

	after []int // requests after which each content was there
}

var parts = [...]int{50, 90, 95, 100}

// Report is what was measured of a site.
type Report struct {
	Name     string   `json:"name,omitempty"` // of the targets
	Contents int      `json:"contents"`
	Curves   []*Curve `json:"curves"`

	of string // the name of the columns that this one belongs to; "" for none
}

// Measure reads crawls of one site again with a knowledge base that describes its software: its contents are the posts, comments and
// articles that any of the crawls saved. With over, crawls over the pages of that crawl, which is to have them all, are simulated.
func Measure(ctx context.Context, base *kb.Base, crawls []Source, over string, progress func(string)) (*Report, error) {
	r, all := &Report{}, map[string]bool{}
	d := detect.New(base)
	for _, s := range crawls {
		progress(s.Dir)
		c, found := &Curve{Name: s.Name}, map[string]bool{}
		err := eachPage(ctx, s.Dir, d, func() { c.Requests++ }, func(_ *engine.Exchanged, p *crawl.Page) {
			for _, id := range contents(p) {
				if !found[id] {
					found[id], all[id] = true, true
					c.after = append(c.after, c.Requests)
				}
			}
		})
		if err != nil {
			return nil, err
		}
		r.Curves = append(r.Curves, c)
	}
	if over != "" {
		progress(over)
		site, err := readSite(ctx, over, d)
		if err != nil {
			return nil, err
		}
		for _, p := range site.pages {
			for _, id := range p.has {
				all[id] = true
			}
		}
		s := simulation{site: site}
		r.Curves = append(r.Curves, s.crawl("breadth first, simulated", firstCome{}), s.crawl("anchors, simulated", newAnchors()))
	}
	r.fill(len(all))
	return r, nil
}

// fill computes after how many requests each crawl had parts of all contents.
func (r *Report) fill(all int) {
	r.Contents = all
	for _, c := range r.Curves {
		c.Contents, c.At = len(c.after), map[int]int{}
		for _, part := range parts {
			if n := (r.Contents*part + 99) / 100; 0 < n && n <= len(c.after) {
				c.At[part] = c.after[n-1]
			}
		}
	}
}

// eachPage calls each with the pages of a crawl in their order, and request before with every exchange.
func eachPage(ctx context.Context, dir string, d *detect.Detector, request func(), each func(*engine.Exchanged, *crawl.Page)) error {
	return eachExchange(dir, func(e *engine.Exchanged) error {
		request()
		if e.Status != 200 || !strings.Contains(e.MIME, "html") {
			each(e, nil)
			return nil
		}
		p, err := crawl.Folder(dir).ReadPage(ctx, d, e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.URL, err)
		}
		each(e, p)
		return nil
	})
}

// eachExchange calls each with the lines of the log of a crawl.
func eachExchange(dir string, each func(*engine.Exchanged) error) error {
	f, err := os.Open(filepath.Join(dir, "log", "crawl.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var e engine.Exchanged
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		if err := each(&e); err != nil {
			return err
		}
	}
}

// contents are the ids of what a page has in full.
func contents(p *crawl.Page) (ids []string) {
	if p == nil || p.Harvest.Level == nil || p.Harvest.Level.Kind != kb.Terminal {
		return nil
	}
	for _, o := range p.Harvest.Objects {
		if o.Value("content") != "" {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// Print prints the report as a table.
func (r *Report) Print(w io.Writer) error { return r.print(w, "contents") }

func (r *Report) print(w io.Writer, of string) error {
	fmt.Fprintf(w, "%d %s\n\n%-26s %9s %9s", r.Contents, of, "crawl", "requests", of)
	for _, part := range parts {
		fmt.Fprintf(w, " %6d %%", part)
	}
	fmt.Fprintln(w)
	for _, c := range r.Curves {
		fmt.Fprintf(w, "%-26s %9d %9d", c.Name, c.Requests, c.Contents)
		for _, part := range parts {
			fmt.Fprintf(w, " %8s", orDash(c.At[part]))
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "\nrequests after which parts of the %s are there\n", of)
	return err
}
