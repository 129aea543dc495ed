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
	Contents int      `json:"contents"`
	Curves   []*Curve `json:"curves"`
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
		for _, found := range site.has {
			for _, id := range found {
				all[id] = true
			}
		}
		r.Curves = append(r.Curves, site.crawl("breadth first, simulated", firstCome{}), site.crawl("anchors, simulated", newAnchors()))
	}
	r.Contents = len(all)
	for _, c := range r.Curves {
		c.Contents, c.At = len(c.after), map[int]int{}
		for _, part := range parts {
			if n := (r.Contents*part + 99) / 100; 0 < n && n <= len(c.after) {
				c.At[part] = c.after[n-1]
			}
		}
	}
	return r, nil
}

// eachPage calls each with the pages of a crawl in their order, and request before with every exchange.
func eachPage(ctx context.Context, dir string, d *detect.Detector, request func(), each func(*engine.Exchanged, *crawl.Page)) error {
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
		request()
		if e.Status != 200 || !strings.Contains(e.MIME, "html") {
			each(&e, nil)
			continue
		}
		p, err := crawl.Folder(dir).ReadPage(ctx, d, &e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.URL, err)
		}
		each(&e, p)
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

// Print prints the report as a table.
func (r *Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "%d contents\n\n%-26s %9s %9s", r.Contents, "crawl", "requests", "contents")
	for _, part := range parts {
		fmt.Fprintf(w, " %6d %%", part)
	}
	fmt.Fprintln(w)
	for _, c := range r.Curves {
		fmt.Fprintf(w, "%-26s %9d %9d", c.Name, c.Requests, c.Contents)
		for _, part := range parts {
			at := "-"
			if n := c.At[part]; n > 0 {
				at = fmt.Sprint(n)
			}
			fmt.Fprintf(w, " %8s", at)
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintln(w, "\nrequests after which parts of the contents are there")
	return err
}
