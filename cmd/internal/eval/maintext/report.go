package maintext

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/read/text"
	"github.com/awarc/awarc/kb"
)

// Row is the result for the pages of one kind. The sums are over pages.
type Row struct {
	Kind  string `json:"kind"`
	Pages int    `json:"pages"`
	Empty int    `json:"without_text"`
	// F1 is of the text that awarc gives: of the objects if there are some with content, else the learned text.
	// Learned is of the learned text of every page, Expected its confidence, Best of the best choice of blocks.
	F1        float64 `json:"f1_sum"`
	Learned   float64 `json:"learned_f1_sum"`
	Expected  float64 `json:"expected_f1_sum"`
	Best      float64 `json:"best_f1_sum"`
	Objects   int     `json:"with_objects"`
	Extracted float64 `json:"objects_f1_sum"`
	Instead   float64 `json:"learned_instead_f1_sum"` // of the learned text on pages with objects
}

// Options are the settings of [Load] and [Measure].
type Options struct {
	Dirs     []string
	Folds    int // parts of the sites; each is left out once
	Learning Learning
	Learn    bool // learn from all pages, too
	Progress func(what string, done, total int64)
	Notes    io.Writer // a line a page
}

// Report is the result on left-out sites.
type Report struct {
	Rows []Row `json:"rows"`
	// Reliability compares the confidence of learned texts with their F1, by tenths of the confidence.
	Reliability [10]Tenth   `json:"reliability"`
	Model       *text.Model `json:"-"` // learned from all pages
}

// Tenth sums up pages with a confidence in one tenth.
type Tenth struct {
	Pages    int     `json:"pages"`
	Expected float64 `json:"expected_f1_sum"`
	F1       float64 `json:"f1_sum"`
}

// Load reads the labelled pages of folders and extracts their objects with a knowledge base.
func Load(base *kb.Base, o Options) ([]*Example, error) {
	pages, err := Read(o.Dirs...)
	if err != nil {
		return nil, err
	}
	d := detect.New(base)
	examples := make([]*Example, 0, len(pages))
	for i, l := range pages {
		o.Progress("reading pages", int64(i), int64(len(pages)))
		body, err := l.HTML()
		if err != nil {
			return nil, err
		}
		u, err := url.Parse(l.URL)
		if err != nil || u.Host == "" {
			u = &url.URL{Scheme: "http", Host: "saved.invalid", Path: "/" + l.Name}
		}
		decoded := fetch.DecodeHTML(body, "")
		p, err := engine.Inspect(d, engine.Answer{URL: u, Status: 200, HTML: decoded.HTML, Charset: decoded.Charset}, engine.Hints{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		e := NewExample(l, p.Doc)
		if p.Harvest.Generic && p.Harvest.Text != nil && len(p.Harvest.Objects) == 1 {
			e.Generic = true // its content is the learned text, which each fold learns again
		} else {
			e.Extracted, e.Generic = extracted(&p), p.Harvest.Generic
		}
		examples = append(examples, e)
	}
	return examples, nil
}

// extracted joins the titles and contents of the objects of a page that have content.
func extracted(p *engine.Page) string {
	var b strings.Builder
	for _, x := range p.Harvest.Objects {
		if c := x.Value("content"); c != "" {
			b.WriteString(x.Value("title") + "\n" + c + "\n")
		}
	}
	return b.String()
}

// Measure evaluates the text of each page by a model that was learned without its site.
func Measure(examples []*Example, o Options) *Report {
	r, rows := &Report{}, map[string]*Row{}
	for f := range o.Folds {
		o.Progress("learning without a part of the sites", int64(f), int64(o.Folds))
		in, out := split(examples, o.Folds, f, 3)
		m := Learn(in, o.Learning)
		for _, e := range out {
			r.measure(e, &m, rows, o.Notes)
		}
	}
	for _, row := range rows {
		r.Rows = append(r.Rows, *row)
	}
	slices.SortFunc(r.Rows, func(a, b Row) int { return strings.Compare(a.Kind, b.Kind) })
	if o.Learn {
		m := Learn(examples, o.Learning)
		r.Model = &m
	}
	return r
}

// all is the kind of the row over all pages; it sorts last.
const all = "~ all"

func (r *Report) measure(e *Example, m *text.Model, rows map[string]*Row, notes io.Writer) {
	t := textOf(e, m)
	learned, extracted := F1(t.Text, e.Text), F1(e.Extracted, e.Text)
	best := e.Best()
	tenth := &r.Reliability[min(int(10*t.Confidence), 9)]
	tenth.Pages, tenth.Expected, tenth.F1 = tenth.Pages+1, tenth.Expected+t.Confidence, tenth.F1+learned
	given := learned
	if e.Extracted != "" {
		given = extracted
	}
	fmt.Fprintf(notes, "%.3f\t%.3f\t%.3f\t%.3f\t%t\t%s\t%s\t%s\n", learned, extracted, t.Confidence, best, e.Generic, e.Kind, e.Name, e.URL)
	for _, kind := range []string{e.Kind, all} {
		row := rows[kind]
		if row == nil {
			row = &Row{Kind: kind}
			rows[kind] = row
		}
		row.Pages++
		row.F1, row.Learned, row.Expected, row.Best = row.F1+given, row.Learned+learned, row.Expected+t.Confidence, row.Best+best
		if e.Extracted != "" {
			row.Objects, row.Extracted, row.Instead = row.Objects+1, row.Extracted+extracted, row.Instead+learned
		} else if t.Text == "" {
			row.Empty++
		}
	}
}

// Print writes the report as a table of means.
func (r *Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tpages\twithout text\tF1\tlearned alone\texpected\tbest blocks\twith objects\tobjects' F1\tlearned instead\t")
	for _, r := range r.Rows {
		n, o := float64(r.Pages), float64(max(r.Objects, 1))
		fmt.Fprintf(t, "%s\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%d\t%.3f\t%.3f\t\n", strings.TrimPrefix(r.Kind, "~ "), r.Pages, r.Empty, r.F1/n,
			r.Learned/n, r.Expected/n, r.Best/n, r.Objects, r.Extracted/o, r.Instead/o)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(t, "\nconfidence\tpages\texpected\tF1\t")
	for i, x := range r.Reliability {
		n := float64(max(x.Pages, 1))
		fmt.Fprintf(t, "%.1f to %.1f\t%d\t%.2f\t%.2f\t\n", float64(i)/10, float64(i+1)/10, x.Pages, x.Expected/n, x.F1/n)
	}
	return t.Flush()
}
