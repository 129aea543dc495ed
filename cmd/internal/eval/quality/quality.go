// Package quality evaluates detection and extraction on saved pages, against the notes of people
// who read the pages.
package quality

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/maintext"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// Tally counts right results among all evaluated results.
type Tally struct {
	Right int `json:"right"`
	Total int `json:"total"`
}

func (t *Tally) add(right bool) {
	t.Total++
	if right {
		t.Right++
	}
}

func (t Tally) String() string {
	if t.Total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", t.Right, t.Total, 100*float64(t.Right)/float64(t.Total))
}

// ObjectQuality counts extracted objects and fields of one type.
type ObjectQuality struct {
	Pages      int `json:"pages"`
	CountExact int `json:"count_exact"`
	Fields     int `json:"fields"`
	Right      int `json:"right"`
}

// TruthQuality compares articles with the ground truth of the data set.
type TruthQuality struct {
	Title   Tally   `json:"title"`
	Author  Tally   `json:"author"`
	Date    Tally   `json:"date"`
	Text    int     `json:"text_pages"`
	F1Sum   float64 `json:"text_f1_sum"`
	Unknown int     `json:"without_object"`
}

// TypeQuality counts right and wrong types of pages.
type TypeQuality struct {
	Types Tally `json:"types"` // pages of known types
	// Confused counts pages of one application that were detected as another. They count double
	// among the errors.
	Confused int   `json:"confused"`
	Foreign  Tally `json:"foreign"` // pages of unknown types; right: detected as unknown
}

// add counts a page of the type want, or of an unknown type, that was detected as got.
func (t *TypeQuality) add(want, got string, known bool) (right bool) {
	if !known {
		t.Foreign.add(got == "")
		return got == ""
	}
	t.Types.add(got == want)
	if got != "" && got != want {
		t.Confused++
	}
	return got == want
}

func (t TypeQuality) String() string {
	score, called := 0.0, 0.0
	if t.Types.Total > 0 {
		score = 100 * float64(t.Types.Right-t.Confused) / float64(t.Types.Total)
	}
	if t.Foreign.Total > 0 {
		called = 100 * float64(t.Foreign.Total-t.Foreign.Right) / float64(t.Foreign.Total)
	}
	return fmt.Sprintf("%s; %d called another, which count double: %.1f %%; of %d pages of no such type, %.1f %% called something",
		t.Types, t.Confused, score, t.Foreign.Total, called)
}

// Report is the result of an evaluation.
type Report struct {
	Pages     int                      `json:"pages"`
	Labelled  TypeQuality              `json:"labelled"`  // by the labels of the index
	Corrected TypeQuality              `json:"corrected"` // by the labels with the corrections of readers
	Levels    Tally                    `json:"levels"`
	ByType    map[string]*Tally        `json:"types_by_type"`
	ByLevel   map[string]*Tally        `json:"levels_by_type"`
	Objects   map[string]ObjectQuality `json:"objects"`
	Truth     TruthQuality             `json:"groundtruth"`
}

// quality is one run of the evaluation.
type quality struct {
	options Options
	d       *detect.Detector
	levels  corpus.Notes // manual corrections of levels, by file
	types   corpus.Notes // manual corrections of types; "-" is an unknown type
	report  Report
	wrong   io.Writer
}

// Options have the folders of the pages and of the truth about them.
type Options struct {
	Pages string // folder of saved pages with an index.tsv
	Truth string // folder with golden/*.json, truth/*.tsv and types.tsv: the notes of readers on the pages
	// Progress, unless nil, is called with the number of evaluated pages.
	Progress func(what string, done, total int64)
}

// Measure evaluates detection and extraction on saved pages, and writes each error to wrong.
func Measure(base *kb.Base, o Options, wrong io.Writer) (*Report, error) {
	q := newQuality(detect.New(base), o, wrong)
	pages, err := corpus.Index(o.Pages)
	if err != nil {
		return nil, err
	}
	if q.levels, err = corpus.ReadNotes(o.Truth, "truth/*.tsv"); err != nil {
		return nil, err
	}
	if q.types, err = corpus.ReadNotes(o.Truth, "types.tsv"); err != nil {
		return nil, err
	}
	for i, p := range pages {
		if o.Progress != nil {
			o.Progress("pages", int64(i), int64(len(pages)))
		}
		if err := q.page(p); err != nil {
			return nil, err
		}
	}
	return &q.report, q.golden()
}

func newQuality(d *detect.Detector, o Options, wrong io.Writer) *quality {
	q := &quality{options: o, d: d, wrong: wrong}
	q.report.ByType, q.report.ByLevel, q.report.Objects = map[string]*Tally{}, map[string]*Tally{}, map[string]ObjectQuality{}
	return q
}

// inspect reads a saved page; from is its URL, or empty.
func (q *quality) inspect(file, from string) (engine.Page, error) {
	body, err := corpus.ReadFile(filepath.Join(q.options.Pages, file))
	if err != nil {
		return engine.Page{}, err
	}
	u, err := url.Parse(from)
	if err != nil || u.Host == "" {
		u = &url.URL{Scheme: "http", Host: "saved.invalid", Path: "/" + filepath.Base(file)}
	}
	return engine.Inspect(q.d, engine.Answer{URL: u, HTML: fetch.DecodeHTML(body, "").HTML}, engine.Hints{Full: true})
}

func (q *quality) page(p corpus.Page) error {
	got, err := q.inspect(p.File, p.URL)
	if err != nil {
		return fmt.Errorf("%s: %w", p.File, err)
	}
	q.report.Pages++
	typ, level := "", ""
	if t := got.Finding.Type; t != nil {
		typ = string(t.ID)
	}
	if v := got.Finding.Level(); v != nil {
		level = string(v.ID)
	}
	known := q.d.Base().Type(kb.TypeID(p.CMS)) != nil
	right := q.report.Labelled.add(p.CMS, typ, known)
	if truth, noted := q.types.Of(p.File); noted {
		if q.report.Corrected.add(truth, typ, q.d.Base().Type(kb.TypeID(truth)) != nil) {
			fmt.Fprintf(q.wrong, "%s: is labelled %s, but is %s, called %q\n", p.File, p.CMS, truth, typ)
		} else {
			fmt.Fprintf(q.wrong, "%s: is %s, called %q\n", p.File, truth, typ)
		}
	} else if !q.report.Corrected.add(p.CMS, typ, known) {
		fmt.Fprintf(q.wrong, "%s: is %s, called %q\n", p.File, p.CMS, typ)
	}
	if !known {
		return nil
	}
	count(q.report.ByType, p.CMS, right)
	if want, known := q.levels.Level(p); known {
		q.report.Levels.add(level == want)
		count(q.report.ByLevel, p.CMS, level == want)
		if level != want {
			fmt.Fprintf(q.wrong, "%s: level is %q, called %q\n", p.File, want, level)
		}
	}
	return q.groundTruth(p, got)
}

func count(m map[string]*Tally, name string, right bool) {
	if m[name] == nil {
		m[name] = &Tally{}
	}
	m[name].add(right)
}

// groundTruth compares the main object of a page with groundtruth/ID.json.
func (q *quality) groundTruth(p corpus.Page, got engine.Page) error {
	id, found := strings.CutPrefix(strings.TrimSuffix(path.Base(p.File), ".html"), "wcxb-")
	if !found {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(q.options.Pages, "groundtruth", id+".json"))
	if err != nil {
		return nil // not every page has a ground truth
	}
	var truth struct {
		Truth struct {
			Title, Author string
			Date          string `json:"publish_date"`
			Text          string `json:"main_content"`
		} `json:"ground_truth"`
	}
	if err := json.Unmarshal(data, &truth); err != nil {
		return fmt.Errorf("groundtruth/%s.json: %w", id, err)
	}
	o, text := mainObject(got.Harvest.Objects)
	if o == nil {
		q.report.Truth.Unknown++
		return nil
	}
	w, r := truth.Truth, &q.report.Truth
	if w.Title != "" {
		r.Title.add(corpus.Squeeze(o.Value("title")) == corpus.Squeeze(w.Title))
	}
	if w.Author != "" {
		r.Author.add(corpus.Squeeze(o.Value("creator")) == corpus.Squeeze(w.Author))
	}
	if w.Date != "" {
		r.Date.add(strings.HasPrefix(o.Value("created"), w.Date))
	}
	if w.Text != "" {
		r.Text++
		r.F1Sum += maintext.F1(text, w.Text)
	}
	return nil
}

// mainObject returns the main entity of a page, and all text of it and of the objects that belong
// to it: the posts of a thread, the comments on a link.
func mainObject(objects []extract.Object) (*extract.Object, string) {
	if len(objects) == 0 {
		return nil, ""
	}
	first := objects[0]
	var texts, comments []string
	for _, o := range objects {
		if c := o.Value("content"); c != "" && o.Class != "sioct:Comment" {
			texts = append(texts, c)
		} else if c != "" {
			comments = append(comments, c)
		}
	}
	if texts == nil {
		texts = comments
	}
	if first.Value("creator") == "" && len(objects) > 1 { // a thread: author and date are in its first post
		first.Fields = append(append([]extract.Field(nil), first.Fields...), objects[1].Fields...)
	}
	return &first, strings.Join(texts, "\n")
}

// Print prints the tables.
func (r *Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "%d pages\ntypes as labelled  %s\ntypes corrected    %s\nlevels             %s\n\n",
		r.Pages, r.Labelled, r.Corrected, r.Levels)
	fmt.Fprintf(w, "%-14s %-24s %-24s %s\n", "type", "type right", "level right", "objects: pages, count exact, fields right")
	var names []string
	for n := range r.ByType {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		level := Tally{}
		if r.ByLevel[n] != nil {
			level = *r.ByLevel[n]
		}
		objects := "-"
		if o, ok := r.Objects[n]; ok {
			objects = fmt.Sprintf("%d, %d, %s", o.Pages, o.CountExact, Tally{o.Right, o.Fields})
		}
		fmt.Fprintf(w, "%-14s %-24s %-24s %s\n", n, r.ByType[n], level, objects)
	}
	t := r.Truth
	f1 := 0.0
	if t.Text > 0 {
		f1 = t.F1Sum / float64(t.Text)
	}
	_, err := fmt.Fprintf(w, "\nground truth of articles: title %s, author %s, date %s, "+
		"text F1 %.3f over %d pages; %d pages without an object\n",
		t.Title, t.Author, t.Date, f1, t.Text, t.Unknown)
	return err
}
