// Package detection measures how the time of detection grows with the number of known types (figure
// 3 of the ARCOMEM paper).
package detection

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/antchfx/htmlquery"
	"github.com/antchfx/xpath"
	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// Table is figure 3 of the paper in numbers.
type Table struct {
	Pages int   `json:"pages"`
	Rows  []Row `json:"rows"`
}

// Row has medians over the pages, in microseconds. OneByOne is extrapolated from a sample of the
// patterns: the cost of a pattern does not depend on the others.
type Row struct {
	Types    int     `json:"types"`
	Patterns int     `json:"patterns"`
	Micros   float64 `json:"us"`
	Parse    float64 `json:"parse_us"`
	OneByOne float64 `json:"one_by_one_us"`
}

// page is a page of the sample.
type page struct {
	source []byte
	doc    *html.Node
}

// ErrNoPages means that a folder has no pages of 20 to 300 KB.
var ErrNoPages = errors.New("no pages of 20 to 300 KB in its index.tsv")

// Measure measures detection on an evenly spread sample of the pages of a folder, with growing
// numbers of types: the types of the knowledge base and similar synthetic types. It reports its
// progress to the callback.
func Measure(ctx context.Context, base *kb.Base, dir string, sample int, types []int, told func(what string, done, total int64)) (
	*Table, error) {
	pages, err := sizedPages(dir, sample)
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, ErrNoPages
	}
	var docs []*html.Node
	for _, p := range pages {
		docs = append(docs, p.doc)
	}
	table := &Table{Pages: len(pages)}
	for i, n := range types {
		told(fmt.Sprintf("%d types", n), int64(i), int64(len(types)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := measureDetection(detect.Synthetic(base, docs, n, 1), pages)
		if err != nil {
			return nil, err
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// sizedPages reads the pages of 20 to 300 KB that a folder's index.tsv lists, no
// more than n of them.
func sizedPages(dir string, n int) ([]page, error) {
	f, err := os.Open(filepath.Join(dir, "index.tsv"))
	if err != nil {
		return nil, &corpus.IndexError{Err: err}
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	var names []string
	for _, fields := range lines[min(1, len(lines)):] {
		name := filepath.Join(dir, filepath.FromSlash(fields[len(fields)-1]))
		if info, err := os.Stat(name); err == nil && info.Size() >= 20_000 && info.Size() <= 300_000 {
			names = append(names, name)
		}
	}
	var pages []page
	for i := range min(n, len(names)) {
		body, err := corpus.ReadFile(names[i*len(names)/min(n, len(names))])
		if err != nil {
			return nil, err
		}
		p := page{source: fetch.DecodeHTML(body, "").HTML}
		root, err := html.Parse(bytes.NewReader(p.source))
		if err != nil {
			continue // nested too deeply: nothing to compare with
		}
		p.doc = yfilter.Document(root, yfilter.Meta{Status: http.StatusOK, URL: &url.URL{Scheme: "http", Host: "saved.invalid", Path: "/"}})
		pages = append(pages, p)
	}
	return pages, nil
}

// sampled is how many patterns are evaluated one by one.
const sampled = 250

func measureDetection(base *kb.Base, pages []page) (Row, error) {
	d := detect.New(base)
	row := Row{Types: len(base.Types), Patterns: d.Patterns()}
	exprs, err := sampleOf(base)
	if err != nil {
		return row, err
	}
	var times, parses, singles []float64
	for _, p := range pages {
		times = append(times, quickest(15, func() { d.Page(p.doc, detect.Hints{Full: true}) }))
		parses = append(parses, quickest(5, func() { html.Parse(bytes.NewReader(p.source)) }))
		one := quickest(1, func() {
			for _, e := range exprs {
				htmlquery.QuerySelector(p.doc, e)
			}
		})
		singles = append(singles, one*float64(row.Patterns)/float64(len(exprs)))
	}
	row.Micros, row.Parse, row.OneByOne = middle(times), middle(parses), middle(singles)
	return row, nil
}

// sampleOf compiles patterns, evenly spread over a knowledge base.
func sampleOf(base *kb.Base) ([]*xpath.Expr, error) {
	var all []kb.Pattern
	for _, t := range base.Types {
		all = append(all, t.Detect...)
		for _, l := range t.Levels {
			all = append(all, l.Detect...)
		}
	}
	var list []*xpath.Expr
	n := min(sampled, len(all))
	for i := range n {
		e, err := xpath.Compile(all[i*len(all)/n].Expr.XPath(false))
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// quickest is the least time of some rounds in microseconds: what others do on the
// machine meanwhile counts least.
func quickest(rounds int, f func()) float64 {
	least := math.Inf(1)
	for range rounds {
		start := time.Now()
		f()
		least = min(least, float64(time.Since(start).Nanoseconds())/1e3)
	}
	return least
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return math.Round(list[len(list)/2]*10) / 10
}

// Print prints the table.
func (t Table) Print(w io.Writer) error {
	fmt.Fprintf(w, "Detection on %d pages, medians; one by one counted up from %d patterns\n\n", t.Pages, sampled)
	fmt.Fprintf(w, "%8s %10s %12s %12s %10s %16s %12s\n", "types", "patterns", "us", "of first", "of parse", "one by one us", "times")
	for _, r := range t.Rows {
		fmt.Fprintf(w, "%8d %10d %12.1f %12.2f %10.3f %16.0f %12.0f\n", r.Types, r.Patterns, r.Micros,
			r.Micros/t.Rows[0].Micros, r.Micros/r.Parse, r.OneByOne, r.OneByOne/r.Micros)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// SVG plots the table with logarithmic axes.
func (t Table) SVG() string {
	const width, height, left, top, right, bottom = 720.0, 440.0, 80.0, 30.0, 170.0, 60.0
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, r := range t.Rows {
		x := math.Log10(float64(r.Types))
		lowX, highX = min(lowX, x), max(highX, x)
		for _, y := range []float64{r.Micros, r.Parse, r.OneByOne} {
			lowY, highY = min(lowY, math.Floor(math.Log10(y))), max(highY, math.Ceil(math.Log10(y)))
		}
	}
	px := func(v float64) float64 {
		return left + (math.Log10(v)-lowX)/max(highX-lowX, 1e-9)*(width-left-right)
	}
	py := func(v float64) float64 {
		return height - bottom - (math.Log10(v)-lowY)/max(highY-lowY, 1e-9)*(height-top-bottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" `+
		`font-family="sans-serif" font-size="13">`+"\n", width, height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for e := lowY; e <= highY; e++ {
		y := py(math.Pow(10, e))
		fmt.Fprintf(&b, `<line x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f" stroke="#ddd"/>`+
			`<text x="%.0f" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, width-right, y, y, left-8, y+4, duration(e))
	}
	for _, r := range t.Rows {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="middle">%d</text>`+"\n", px(float64(r.Types)), height-bottom+20, r.Types)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="middle">types in the knowledge base</text>`+"\n", (left+width-right)/2, height-12)
	for _, line := range []struct {
		name, color string
		of          func(Row) float64
	}{
		{"one by one", "#c0392b", func(r Row) float64 { return r.OneByOne }},
		{"parsing the page", "#7f8c8d", func(r Row) float64 { return r.Parse }},
		{"one automaton", "#2471a3", func(r Row) float64 { return r.Micros }},
	} {
		var points []string
		last := Row{}
		for _, r := range t.Rows {
			points, last = append(points, fmt.Sprintf("%.1f,%.1f", px(float64(r.Types)), py(line.of(r)))), r
		}
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/><text x="%.0f" y="%.1f" fill="%s">%s</text>`+"\n",
			line.color, strings.Join(points, " "), width-right+10, py(line.of(last))+4, line.color, line.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// duration names a power of ten of microseconds.
func duration(exponent float64) string {
	return time.Duration(math.Pow(10, exponent+3)).String()
}
