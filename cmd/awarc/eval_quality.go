package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"unicode"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
)

type evalQualityCmd struct {
	kbFlags
	Pages   string `default:"../shared/pages" placeholder:"DIR" help:"Folder of saved pages with an index.tsv."`
	Truth   string `default:"kb/testdata" placeholder:"DIR" help:"Folder with golden/*.json, truth/*.tsv and types.tsv: what readers wrote down about the pages."`
	Verbose bool   `short:"v" help:"Name each page that is wrong."`
	Format  string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// tallied counts what is right of what was judged.
type tallied struct {
	Right int `json:"right"`
	Total int `json:"total"`
}

func (t *tallied) add(right bool) {
	t.Total++
	if right {
		t.Right++
	}
}

func (t tallied) String() string {
	if t.Total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", t.Right, t.Total, 100*float64(t.Right)/float64(t.Total))
}

// objectQuality is what was found of the objects of one type.
type objectQuality struct {
	Pages      int `json:"pages"`
	CountExact int `json:"count_exact"`
	Fields     int `json:"fields"`
	Right      int `json:"right"`
}

// truthQuality compares articles with the ground truth that comes with pages.
type truthQuality struct {
	Title   tallied `json:"title"`
	Author  tallied `json:"author"`
	Date    tallied `json:"date"`
	Text    int     `json:"text_pages"`
	F1Sum   float64 `json:"text_f1_sum"`
	Unknown int     `json:"without_object"`
}

// typeQuality is what was made of the types of pages.
type typeQuality struct {
	Types tallied `json:"types"` // of pages of types that the knowledge base knows
	// Confused counts pages of one application that were called another; they
	// count double among the wrong ones.
	Confused int     `json:"confused"`
	Foreign  tallied `json:"foreign"` // pages of what the knowledge base does not know, left unknown
}

// add counts a page of the type want, or of no known one, that was called got.
func (t *typeQuality) add(want, got string, known bool) (right bool) {
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

func (t typeQuality) String() string {
	score, called := 0.0, 0.0
	if t.Types.Total > 0 {
		score = 100 * float64(t.Types.Right-t.Confused) / float64(t.Types.Total)
	}
	if t.Foreign.Total > 0 {
		called = 100 * float64(t.Foreign.Total-t.Foreign.Right) / float64(t.Foreign.Total)
	}
	return fmt.Sprintf("%s; %d called another, which count double: %.1f %%; of %d pages of no such type, %.1f %% called something", t.Types, t.Confused, score, t.Foreign.Total, called)
}

// qualityReport is what eval quality prints.
type qualityReport struct {
	Pages     int                      `json:"pages"`
	Labelled  typeQuality              `json:"labelled"`  // by the labels of the index
	Corrected typeQuality              `json:"corrected"` // by those of them that a reader corrected
	Levels    tallied                  `json:"levels"`
	ByType    map[string]*tallied      `json:"types_by_type"`
	ByLevel   map[string]*tallied      `json:"levels_by_type"`
	Objects   map[string]objectQuality `json:"objects"`
	Truth     truthQuality             `json:"groundtruth"`
}

// indexLevels translates the level names of an index.tsv; those that are not
// here say nothing.
var indexLevels = map[string]string{
	"forum-index": "index", "topic-list": "forum", "post-list": "topic", "profile": "profile", "blog-post": "post", "wiki-article": "article",
	"home": "home", "blog-home": "home", "archive-list": "archive", "page": "page",
}

// indexed is one line of an index.tsv; url is empty where it is not known.
type indexed struct{ cms, level, url, file string }

// quality is one run of the evaluation.
type quality struct {
	cmd    *evalQualityCmd
	d      *detect.Detector
	levels map[string]string // corrections by eye, by file
	types  map[string]string // the same of types; "-" is none of the knowledge base
	report qualityReport
	wrong  io.Writer
}

// Run judges detection and extraction on saved pages.
func (c *evalQualityCmd) Run(_ context.Context, s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	q := &quality{cmd: c, d: detect.New(base), wrong: io.Discard}
	q.report.ByType, q.report.ByLevel, q.report.Objects = map[string]*tallied{}, map[string]*tallied{}, map[string]objectQuality{}
	if c.Verbose {
		q.wrong = s.err
	}
	pages, err := c.index()
	if err != nil {
		return err
	}
	if q.levels, err = c.corrections("truth/*.tsv"); err != nil {
		return err
	}
	if q.types, err = c.corrections("types.tsv"); err != nil {
		return err
	}
	for _, p := range pages {
		if err := q.page(p); err != nil {
			return err
		}
	}
	if err := q.golden(); err != nil {
		return err
	}
	if c.Format == "json" {
		return writeJSON(s.out, q.report)
	}
	return q.report.print(s.out)
}

// index reads index.tsv.
func (c *evalQualityCmd) index() ([]indexed, error) {
	data, err := os.ReadFile(filepath.Join(c.Pages, "index.tsv"))
	if err != nil {
		return nil, usageError("--pages: %v", err)
	}
	var pages []indexed
	for i, line := range strings.Split(string(data), "\n") {
		col := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if i > 0 && len(col) >= 8 {
			pages = append(pages, indexed{cms: col[0], level: indexLevels[col[2]], url: col[6], file: col[7]})
		}
	}
	if len(pages) == 0 {
		return nil, usageError("--pages: %s names no page", filepath.Join(c.Pages, "index.tsv"))
	}
	return pages, nil
}

// corrections reads what readers found wrong in the index: file (a pattern), level or
// type or nothing, why.
func (c *evalQualityCmd) corrections(pattern string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(c.Truth, filepath.FromSlash(pattern)))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for _, line := range strings.Split(string(data), "\n") {
			if col := strings.Split(line, "\t"); len(col) >= 2 && !strings.HasPrefix(line, "#") {
				out[col[0]] = col[1]
			}
		}
	}
	return out, nil
}

// corrected returns what is noted of a file.
func corrected(notes map[string]string, file string) (note string, found bool) {
	if l, ok := notes[file]; ok {
		return l, true
	}
	for pattern, l := range notes {
		if ok, _ := path.Match(pattern, file); ok {
			return l, true
		}
	}
	return "", false
}

// level is the true level of a page; known is false where nobody said.
func (q *quality) level(p indexed) (level string, known bool) {
	if l, ok := corrected(q.levels, p.file); ok {
		return l, true
	}
	return p.level, p.level != ""
}

// inspect reads a page as it was saved; from is its URL, or empty.
func (q *quality) inspect(file, from string) (engine.Page, error) {
	body, err := readFile(filepath.Join(q.cmd.Pages, file))
	if err != nil {
		return engine.Page{}, err
	}
	u, err := url.Parse(from)
	if err != nil || u.Host == "" {
		u = &url.URL{Scheme: "http", Host: "saved.invalid", Path: "/" + filepath.Base(file)}
	}
	return engine.Inspect(q.d, engine.Answer{URL: u, HTML: fetch.DecodeHTML(body, "").HTML}, engine.Hints{Full: true})
}

func (q *quality) page(p indexed) error {
	got, err := q.inspect(p.file, p.url)
	if err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	q.report.Pages++
	typ, level := "", ""
	if t := got.Finding.Type; t != nil {
		typ = string(t.ID)
	}
	if v := got.Finding.Level(); v != nil {
		level = string(v.ID)
	}
	known := q.d.Base().Type(kbID(p.cms)) != nil
	right := q.report.Labelled.add(p.cms, typ, known)
	if truth, noted := corrected(q.types, p.file); noted {
		if q.report.Corrected.add(truth, typ, q.d.Base().Type(kbID(truth)) != nil) {
			fmt.Fprintf(q.wrong, "%s: is labelled %s, but is %s, called %q\n", p.file, p.cms, truth, typ)
		} else {
			fmt.Fprintf(q.wrong, "%s: is %s, called %q\n", p.file, truth, typ)
		}
	} else if !q.report.Corrected.add(p.cms, typ, known) {
		fmt.Fprintf(q.wrong, "%s: is %s, called %q\n", p.file, p.cms, typ)
	}
	if !known {
		return nil
	}
	count(q.report.ByType, p.cms, right)
	if want, known := q.level(p); known {
		q.report.Levels.add(level == want)
		count(q.report.ByLevel, p.cms, level == want)
		if level != want {
			fmt.Fprintf(q.wrong, "%s: level is %q, called %q\n", p.file, want, level)
		}
	}
	return q.groundTruth(p, got)
}

func count(m map[string]*tallied, name string, right bool) {
	if m[name] == nil {
		m[name] = &tallied{}
	}
	m[name].add(right)
}

// groundTruth compares the main object of a page with groundtruth/ID.json.
func (q *quality) groundTruth(p indexed, got engine.Page) error {
	id, found := strings.CutPrefix(strings.TrimSuffix(path.Base(p.file), ".html"), "wcxb-")
	if !found {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(q.cmd.Pages, "groundtruth", id+".json"))
	if err != nil {
		return nil // not every page has one
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
		r.Title.add(squeezed(o.Value("title")) == squeezed(w.Title))
	}
	if w.Author != "" {
		r.Author.add(squeezed(o.Value("creator")) == squeezed(w.Author))
	}
	if w.Date != "" {
		r.Date.add(strings.HasPrefix(o.Value("created"), w.Date))
	}
	if w.Text != "" {
		r.Text++
		r.F1Sum += wordF1(text, w.Text)
	}
	return nil
}

// mainObject is what a page is about, and all text that it and what belongs to it
// hold: of a thread the posts, of a link that is discussed the comments.
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
	if first.Value("creator") == "" && len(objects) > 1 { // a thread: its first post says who and when
		first.Fields = append(append([]extract.Field(nil), first.Fields...), objects[1].Fields...)
	}
	return &first, strings.Join(texts, "\n")
}

// wordF1 is the harmonic mean of precision and recall over words, as a multiset.
func wordF1(got, want string) float64 {
	g, w := words(got), words(want)
	have := map[string]int{}
	for _, x := range g {
		have[x]++
	}
	common := 0
	for _, x := range w {
		if have[x] > 0 {
			have[x]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	p, r := float64(common)/float64(len(g)), float64(common)/float64(len(w))
	return 2 * p * r / (p + r)
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// squeezed is a text without white space and case: what differs between
// renderings of the same words.
func squeezed(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s))
}

func (r *qualityReport) print(w io.Writer) error {
	fmt.Fprintf(w, "%d pages\ntypes as labelled  %s\ntypes corrected    %s\nlevels             %s\n\n", r.Pages, r.Labelled, r.Corrected, r.Levels)
	fmt.Fprintf(w, "%-14s %-24s %-24s %s\n", "type", "type right", "level right", "objects: pages, count exact, fields right")
	var names []string
	for n := range r.ByType {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		level := tallied{}
		if r.ByLevel[n] != nil {
			level = *r.ByLevel[n]
		}
		objects := "-"
		if o, ok := r.Objects[n]; ok {
			objects = fmt.Sprintf("%d, %d, %s", o.Pages, o.CountExact, tallied{o.Right, o.Fields})
		}
		fmt.Fprintf(w, "%-14s %-24s %-24s %s\n", n, r.ByType[n], level, objects)
	}
	t := r.Truth
	f1 := 0.0
	if t.Text > 0 {
		f1 = t.F1Sum / float64(t.Text)
	}
	_, err := fmt.Fprintf(w, "\nground truth of articles: title %s, author %s, date %s, text F1 %.3f over %d pages; %d pages without an object\n", t.Title, t.Author, t.Date, f1, t.Text, t.Unknown)
	return err
}
