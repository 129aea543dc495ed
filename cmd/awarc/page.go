package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/kb"
)

// kbFlags choose the knowledge base of a command.
type kbFlags struct {
	KB    []string `name:"kb" placeholder:"DIR-or-FILE" help:"Add knowledge base XML to the built-in one; repeatable."`
	Alone bool     `help:"Use only the files of --kb, without the built-in knowledge base."`
}

func (f kbFlags) load() (*kb.Base, error) {
	sources, err := f.sources()
	if err != nil {
		return nil, err
	}
	return kb.Load(sources...)
}

func (f kbFlags) sources() ([]kb.Source, error) {
	added, err := kb.ReadSources(f.KB...)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usageError("--kb: %v", err)
	}
	if f.Alone && len(added) == 0 && err == nil {
		return nil, usageError("--alone needs --kb")
	}
	return append(f.under(), added...), err
}

// under are the sources that those of --kb are added to.
func (f kbFlags) under() []kb.Source {
	if f.Alone {
		return nil
	}
	return kb.Builtin()
}

// pageFlags are what detect and extract share.
type pageFlags struct {
	kbFlags
	URL     string   `name:"url" help:"URL of a saved page."`
	Header  []string `sep:"none" placeholder:"'N: V'" help:"HTTP header of a saved page; repeatable."`
	Type    string   `placeholder:"TYPE-ID" help:"Treat the pages as this type."`
	Explain bool     `help:"Show which patterns matched or failed and where, and the result of each action."`
	Format  string   `enum:"text,json" default:"text" help:"Output format."`
	Input   []string `arg:"" optional:"" name:"FILE-or-URL" help:"Saved pages (- is standard input) or URLs."`
}

// input is one page to look at.
type input struct {
	name   string
	answer engine.Answer
	cut    bool // the rest is left out
}

// maxInput bounds a page read from a file.
const maxInput = 64 << 20

// read reads one input: a URL is fetched once, anything else is a file.
func (f pageFlags) read(ctx context.Context, name string, stdin io.Reader) (input, error) {
	in := input{name: name}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return f.fetch(ctx, name)
	}
	var body []byte
	var err error
	if name == "-" {
		body, err = io.ReadAll(io.LimitReader(stdin, maxInput+1))
	} else if body, err = readFile(name); err != nil {
		return in, err
	}
	if err != nil {
		return in, err
	}
	h, err := f.headers()
	if err != nil {
		return in, err
	}
	u, err := f.pageURL(name)
	if err != nil {
		return in, err
	}
	if len(body) > maxInput {
		body, in.cut = body[:maxInput], true
	}
	text := fetch.DecodeHTML(body, h.Get("Content-Type"))
	in.answer = engine.Answer{URL: u, Status: http.StatusOK, Header: h, HTML: text.HTML, Charset: text.Charset}
	return in, nil
}

func readFile(name string) ([]byte, error) {
	r, err := infile.OpenStream(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxInput+1))
}

func (f pageFlags) headers() (http.Header, error) {
	h := http.Header{}
	for _, line := range f.Header {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, usageError("--header %q: expected 'Name: value'", line)
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}

// savedHost cannot exist.
const savedHost = "saved.invalid"

// pageURL is --url, or a file URL's place on a host that cannot exist.
func (f pageFlags) pageURL(name string) (*url.URL, error) {
	if f.URL == "" {
		return &url.URL{Scheme: "http", Host: savedHost, Path: "/" + filepath.Base(name)}, nil
	}
	u, err := url.Parse(f.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usageError("--url %q: expected an absolute http or https URL", f.URL)
	}
	return u, nil
}

func (f pageFlags) fetch(ctx context.Context, name string) (input, error) {
	c, err := fetch.New(fetch.Options{})
	if err != nil {
		return input{}, err
	}
	defer c.Close()
	ex, err := c.Do(ctx, name, nil)
	if ex != nil {
		defer ex.Close()
	}
	if err != nil {
		return input{}, err
	}
	text, err := ex.HTML()
	if err != nil {
		return input{}, fmt.Errorf("%s: %w", name, err)
	}
	u, err := url.Parse(name)
	if err != nil {
		return input{}, err
	}
	return input{name: name, answer: engine.Answer{URL: u, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Charset: text.Charset,
		Captured: ex.Start}}, nil
}

// inspect runs a function on each input. An input that fails is named, and so is one that
// makes a step panic, of which is shown what could be read; the others go on.
func (f pageFlags) inspect(ctx context.Context, s streams,
	show func(*kb.Base, input, engine.Page, time.Duration, *engine.Explanation) error) error {
	if len(f.Input) == 0 {
		return usageError("missing argument FILE-or-URL")
	}
	base, err := f.load()
	if err != nil {
		return err
	}
	force := kb.TypeID(f.Type)
	if force != "" && base.Type(force) == nil {
		return usageError("--type %q is not in the knowledge base; see awarc kb list", f.Type)
	}
	d := detect.New(base)
	failed := 0
	one := func(name string) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("internal error (please report it): %v", p)
			}
		}()
		in, err := f.read(ctx, name, s.in)
		if err != nil {
			return err
		}
		start := time.Now()
		p, fault := engine.Inspect(d, in.answer, engine.Hints{Force: force, Full: true})
		took := time.Since(start)
		p.Harvest.Cut = p.Harvest.Cut || in.cut
		var why *engine.Explanation
		if f.Explain {
			x := engine.Explain(d, p, in.answer.Captured, base.Type(force))
			why = &x
		}
		return errors.Join(fault, show(base, in, p, took, why))
	}
	for _, name := range f.Input {
		if err := one(name); err != nil {
			failed++
			fmt.Fprintf(s.err, "awarc: %s: %v\n", name, err)
		}
	}
	if failed > 0 {
		return &statusError{exitFailed, fmt.Errorf("%d of %d inputs failed", failed, len(f.Input))}
	}
	return nil
}

type detectCmd struct{ pageFlags }

type matchJSON struct {
	Type  kb.TypeID   `json:"type"`
	Level *kb.LevelID `json:"level"`
}

type detectJSON struct {
	Input    string       `json:"input"`
	URL      string       `json:"url"`
	Type     *kb.TypeID   `json:"type"`
	Level    *kb.LevelID  `json:"level"`
	Variant  string       `json:"variant,omitempty"`
	Kind     kb.Kind      `json:"kind,omitempty"`
	Patterns []string     `json:"patterns"`
	Matches  []matchJSON  `json:"matches"`
	TimeUS   int64        `json:"time_us"`
	Explain  *explainJSON `json:"explain,omitempty"`
}

func newDetectJSON(in input, p engine.Page, took time.Duration, why *engine.Explanation) detectJSON {
	out := detectJSON{Input: in.name, URL: p.URL.String(), Patterns: []string{}, Matches: []matchJSON{}, TimeUS: took.Microseconds()}
	if p.URL.Host == "saved.invalid" {
		out.URL = ""
	}
	if t := p.Finding.Type; t != nil {
		out.Type = &t.ID
	}
	if v := p.Finding.Level(); v != nil {
		out.Level, out.Kind, out.Variant = &v.ID, v.Kind, v.Variant
	}
	if why != nil {
		x := newExplainJSON(*why)
		out.Explain = &x
	}
	out.Patterns = append(out.Patterns, p.Finding.Patterns...)
	for _, m := range p.Finding.Matches {
		mj := matchJSON{Type: m.Type.ID}
		if m.Level != nil {
			mj.Level = &m.Level.ID
		}
		out.Matches = append(out.Matches, mj)
	}
	return out
}

// Run prints type and level of each input.
func (c *detectCmd) Run(ctx context.Context, s streams) error {
	return c.inspect(ctx, s, func(_ *kb.Base, in input, p engine.Page, took time.Duration, why *engine.Explanation) error {
		out := newDetectJSON(in, p, took, why)
		if c.Format == "json" {
			return writeJSON(s.out, out)
		}
		kind, level := "unknown", "-"
		if out.Type != nil {
			kind = string(*out.Type)
		}
		if v := p.Finding.Level(); v != nil {
			level = v.Name()
		}
		fmt.Fprintf(s.out, "%s: %s %s (%d us)\n", in.name, kind, level, out.TimeUS)
		if why != nil {
			why.Level = nil // actions are extract's
			showExplanation(s.out, *why, "    ")
			return nil
		}
		for _, pattern := range out.Patterns {
			fmt.Fprintf(s.out, "    %s\n", pattern)
		}
		return nil
	})
}

type extractCmd struct {
	pageFlags
	NoAdapt bool `help:"Do not adapt extraction rules to unknown templates."`
	archiveFlags
}

type objectJSON struct {
	Class  string              `json:"class"`
	ID     string              `json:"id"`
	Parent string              `json:"parent,omitempty"`
	Fields map[string][]string `json:"fields"`
	// Confidence is that of objects that no type describes.
	Confidence float64 `json:"confidence,omitempty"`
}

type linkJSON struct {
	URL    string     `json:"url"`
	Text   string     `json:"text"`
	To     kb.LevelID `json:"to,omitempty"`
	Action string     `json:"action,omitempty"`
}

// totalJSON is what the page says of how many things there are.
type totalJSON struct {
	Of    string `json:"of"`
	In    string `json:"in"`
	Count int    `json:"count"`
}

// changeJSON is a change of another page that the page reports.
type changeJSON struct {
	URL  string `json:"url"`
	Time string `json:"time,omitempty"` // a day, where the page shows no zone or no time of day
	Text string `json:"text"`
}

func newChangeJSON(c extract.Change) changeJSON {
	j := changeJSON{URL: c.URL, Text: c.Said}
	switch {
	case c.Exact:
		j.Time = c.Time.UTC().Format(time.RFC3339)
	case !c.Time.IsZero():
		j.Time = c.Time.Format(time.DateOnly)
	}
	return j
}

type extractJSON struct {
	detectJSON
	Objects []objectJSON  `json:"objects"`
	Links   []linkJSON    `json:"links"`
	Totals  []totalJSON   `json:"totals,omitempty"`
	Changes []changeJSON  `json:"changes,omitempty"`
	Adapted []adaptedJSON `json:"adapted"`
	// Decisions are what adaptation weighed, with --explain.
	Decisions []decisionJSON `json:"decisions,omitempty"`
	Generic   bool           `json:"generic"`       // an object or its content is not an action's
	Cut       bool           `json:"cut,omitempty"` // the page is more than a page may be: something is missing
	CutBy     string         `json:"cut_by,omitempty"`
}

// adaptedJSON is an expression that was learned, or that this page suggests, and
// that found what no expression of an author finds.
type adaptedJSON struct {
	ID     string  `json:"id"`
	Action string  `json:"action"`
	From   string  `json:"from"`
	Expr   string  `json:"expr"`
	Cost   int     `json:"cost"`
	Pages  int     `json:"pages"`
	Sure   float64 `json:"confidence"`
	origin string
}

// adapted mends what the actions miss on a page, by what this page alone shows. Where that
// panics the page stays as it is.
func (c *extractCmd) adapted(base *kb.Base, in input, p *engine.Page) (out []adaptedJSON, decided []decisionJSON, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("internal error while adapting (please report it): %v", x)
		}
	}()
	out = []adaptedJSON{}
	if !c.NoAdapt && p.Finding.Type != nil {
		of := extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Captured: in.answer.Captured, Type: p.Finding.Type,
			Levels: p.Finding.Levels, Generic: !in.answer.IsError()}
		var o adapt.LearnerOptions
		if c.Explain {
			o.Watch = func(q adapt.Question) { decided = append(decided, newDecisionJSON(q)) }
		}
		if r := adapt.New(o).Page(base, of, p.Harvest); r.Provisional != nil {
			p.Harvest = *r.Provisional
		}
		p.Harvest = adapt.Silenced(p.Harvest)
	}
	if !in.answer.IsError() {
		p.ReadText()
	}
	for _, e := range p.Harvest.Learned {
		out = append(out, adaptedJSON{ID: e.ID(), Action: e.Place.String(), From: e.From, Expr: e.Expr, Cost: e.Cost, Pages: e.Pages,
			Sure: e.Confidence, origin: e.Origin()})
	}
	return out, decided, nil
}

func objectsJSON(objects []extract.Object) []objectJSON {
	out := []objectJSON{}
	for _, o := range objects {
		j := objectJSON{Class: o.Class, ID: o.ID, Parent: o.Parent, Fields: map[string][]string{}, Confidence: o.Confidence}
		for _, f := range o.Fields {
			j.Fields[f.Name] = f.Values
		}
		out = append(out, j)
	}
	return out
}

// Run prints the objects and links of each input.
func (c *extractCmd) Run(ctx context.Context, s streams) error {
	if c.Crawl != "" {
		return c.extractArchive(ctx, s)
	}
	if c.Out != "" || len(c.Without) > 0 || c.Then {
		return usageError("--out, --without and --archived-kb need --crawl")
	}
	return c.inspect(ctx, s, func(base *kb.Base, in input, p engine.Page, took time.Duration, why *engine.Explanation) error {
		adapted, decided, fault := c.adapted(base, in, &p)
		if c.Format == "json" {
			out := extractJSON{detectJSON: newDetectJSON(in, p, took, why), Objects: objectsJSON(p.Objects()), Links: []linkJSON{},
				Adapted: adapted, Decisions: decided, Generic: p.Harvest.Generic, Cut: p.Harvest.Cut,
				CutBy: p.Harvest.CutBy}
			if v := p.Harvest.Level; v != nil && out.Level == nil {
				out.Level, out.Kind, out.Variant = &v.ID, v.Kind, v.Variant
			}
			for _, l := range p.Harvest.Links {
				out.Links = append(out.Links, linkJSON{URL: l.URL, Text: l.Text, To: l.To, Action: l.Action})
			}
			for _, t := range p.Harvest.Totals {
				out.Totals = append(out.Totals, totalJSON{Of: t.Of, In: t.Object, Count: t.Count})
			}
			for _, c := range p.Harvest.Changes {
				out.Changes = append(out.Changes, newChangeJSON(c))
			}
			return errors.Join(fault, writeJSON(s.out, out))
		}
		showHarvest(s.out, in, p)
		for _, a := range adapted {
			fmt.Fprintf(s.out, "  adapted: %s: %s (%s)\n", a.Action, a.Expr, a.origin)
		}
		for _, d := range decided {
			d.show(s.out)
		}
		if why != nil {
			showExplanation(s.out, *why, "  ")
		}
		return fault
	})
}

func showHarvest(w io.Writer, in input, p engine.Page) {
	kind, level := "unknown", "-"
	if p.Finding.Type != nil {
		kind = string(p.Finding.Type.ID)
	}
	if p.Harvest.Level != nil {
		level = p.Harvest.Level.Name()
	}
	fmt.Fprintf(w, "%s: %s %s, %d objects, %d links\n", in.name, kind, level, len(p.Harvest.Objects), len(p.Harvest.Links))
	for _, o := range p.Objects() {
		fmt.Fprintf(w, "  %s %s\n", o.Class, o.ID)
		if o.Rel == "reply_of" {
			fmt.Fprintf(w, "    %-10s %s\n", o.Rel, o.Parent)
		}
		for _, f := range o.Fields {
			if f.As == kb.HTML && strings.HasSuffix(f.Name, "_html") {
				continue
			}
			for _, v := range f.Values {
				fmt.Fprintf(w, "    %-10s %s\n", f.Name, shorten(v))
			}
		}
	}
	if p.Harvest.Cut {
		fmt.Fprintln(w, "  cut: the page used up its work limit, and objects or links are missing")
	}
	if p.Harvest.CutBy != "" {
		fmt.Fprintf(w, "  %s\n", p.Harvest.CutBy)
	}
	if p.Harvest.Generic {
		fmt.Fprintln(w, "  read generically: no action extracts content from this page")
	}
	for _, m := range p.Harvest.Misses {
		fmt.Fprintf(w, "  missing: %s of %s %s\n", m.Field, m.Object, m.ID)
	}
	for _, t := range p.Harvest.Totals {
		fmt.Fprintf(w, "  the page states %d %s in %s\n", t.Count, t.Of, t.Object)
	}
	for _, c := range p.Harvest.Changes {
		fmt.Fprintf(w, "  changed: %s %s (%s)\n", newChangeJSON(c).Time, c.URL, shorten(c.Said))
	}
	for _, l := range p.Harvest.Links {
		fmt.Fprintf(w, "  -> %s %s (%s)\n", l.To, l.URL, shorten(l.Text))
	}
}

func shorten(s string) string {
	const most = 100
	r := []rune(strings.ReplaceAll(s, "\n", " / "))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
