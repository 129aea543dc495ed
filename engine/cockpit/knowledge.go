package cockpit

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/replay"
	"github.com/awarc/awarc/kb"
)

// likePointed bounds the archived pages that expressions are held to.
const likePointed = 20

// kbFile is a file of the knowledge base.
type kbFile struct {
	Name     string
	Short    string
	Editable bool
	Types    []*kb.Type
}

// knowledge lists the types, by file.
func (c *Cockpit) knowledge(w http.ResponseWriter, r *http.Request) {
	v := struct {
		Fault string
		Files []*kbFile
		Pages map[string]int64
	}{Pages: c.look(r.PathValue("name")).Report.Types}
	s, err := c.store(r.PathValue("name"))
	var sources []kb.Source
	if err == nil {
		sources, err = s.Sources()
	}
	byName := map[string]*kbFile{}
	for _, src := range sources {
		f := &kbFile{Name: src.Name, Short: filepath.Base(src.Name), Editable: s.Editable(src.Name)}
		byName[src.Name], v.Files = f, append(v.Files, f)
	}
	var base *kb.Base
	if err == nil {
		base, err = s.Load()
	}
	if err != nil {
		v.Fault = err.Error()
	} else {
		for _, t := range base.Types {
			if f := byName[t.Pos.File]; f != nil {
				f.Types = append(f.Types, t)
			}
		}
	}
	met := func(f *kbFile) (n int64) {
		for _, t := range f.Types {
			n += v.Pages[string(t.ID)]
		}
		return n
	}
	slices.SortStableFunc(v.Files, func(a, b *kbFile) int {
		return cmp.Or(cmp.Compare(boolInt(b.Editable), boolInt(a.Editable)), cmp.Compare(met(b), met(a)))
	})
	c.show(w, r, "kb", v)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// knowledgeType shows a type with what it inherits.
func (c *Cockpit) knowledgeType(w http.ResponseWriter, r *http.Request) {
	base, err := c.base(r.PathValue("name"))
	if err != nil {
		c.fail(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	t := base.Type(kb.TypeID(r.FormValue("id")))
	if t == nil {
		c.fail(w, r, http.StatusNotFound, textNoType)
		return
	}
	c.show(w, r, "kbtype", map[string]any{"Type": t, "URL": r.FormValue("url")})
}

// editView is a file of the knowledge base in an editor.
type editView struct {
	File     string
	Text     string
	Digest   string // of the file as it was read
	Editable bool
	URL      string // of an archived page that it is tried on
	Line     string // the line at whose end the schema's elements are listed
	Fault    string
	Saved    bool
	Conflict string // what somebody else saved
	tried
}

// tried is what a file comes to.
type tried struct {
	Examples []exampleRun // empty where they were not run
	Problems []kb.Problem
	Allowed  kb.Allowed // at a line
	Loads    bool
	Page     *explainedPage
	PageWhy  string // there is none
}

// fileName is that of a file of a form or query: one of the knowledge base, or a new one for a short name.
func fileName(s kb.Store, given string) string {
	if newFile.MatchString(given) {
		return filepath.Join(s.Learned, given)
	}
	return given
}

var newFile = regexp.MustCompile(`^[A-Za-z0-9_-]+\.xml$`)

func (c *Cockpit) knowledgeFile(w http.ResponseWriter, r *http.Request) {
	s, err := c.store(r.PathValue("name"))
	if err != nil {
		c.fail(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	v := editView{URL: r.FormValue("url"), Line: r.FormValue("line")}
	data, found := sourceOf(s, r.FormValue("file"))
	if v.File = r.FormValue("file"); !found {
		if v.File = fileName(s, v.File); !s.Editable(v.File) {
			c.fail(w, r, http.StatusNotFound, textNoFile)
			return
		}
		data = nil
	}
	v.Text, v.Digest, v.Editable = string(data), kb.Digest(data), s.Editable(v.File)
	if !found {
		v.Text = newFileText
	}
	v.tried = c.try(r.Context(), r.PathValue("name"), s, v.File, v.Text, v.URL, false)
	v.Allowed = kb.AllowedAt(untilLine(v.Text, v.Line))
	c.show(w, r, "kbfile", v)
}

// sourceOf is the text of a source of the knowledge base.
func sourceOf(s kb.Store, name string) ([]byte, bool) {
	sources, err := s.Sources()
	if err != nil {
		return nil, false
	}
	for _, src := range sources {
		if src.Name == name {
			return kb.SourceText(src.Data), true
		}
	}
	return nil, false
}

// try looks at what a file of the knowledge base would come to, and what an archived page would be with it.
func (c *Cockpit) try(ctx context.Context, name string, s kb.Store, file, text, address string, examples bool) (t tried) {
	base, err := s.LoadWith(file, []byte(text))
	var broken kb.Errors
	switch {
	case errors.As(err, &broken):
		for _, e := range broken {
			t.Problems = append(t.Problems, kb.Problem{Pos: e.Pos, Severity: kb.SeverityError, Rule: "load", Where: e.Element, Msg: e.Msg})
		}
		return t
	case err != nil:
		t.Problems = []kb.Problem{{Severity: kb.SeverityError, Rule: "load", Msg: err.Error()}}
		return t
	}
	t.Loads = true
	if examples {
		t.Examples = runExamples(ctx, base, func(x *kb.Type) bool { return x.Pos.File == file })
	}
	for _, p := range kb.Lint(base) {
		if p.Pos.File == file {
			t.Problems = append(t.Problems, p)
		}
	}
	if address == "" {
		return t
	}
	d := detect.New(base)
	p, err := c.findPage(ctx, name, d, address)
	if p == nil {
		t.PageWhy = err.Error()
		return t
	}
	t.Page = c.explained(name, p, engine.Explain(d, p.Page, p.Answer.Time))
	return t
}

// findPage reads an archived page, wherever in the crawl it is.
func (c *Cockpit) findPage(ctx context.Context, name string, d *detect.Detector, address string) (*crawl.Page, error) {
	folders := c.folders(ctx, name)
	found, err := captures(folders, address)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New(textNotArchived)
	}
	at := found[0]
	return folders.ReadPage(ctx, d, &engine.Exchanged{URL: at.URL, File: at.File, Offset: at.Offset, Record: "-"})
}

// tryFile answers with what a file that is being edited comes to: a part of the page.
func (c *Cockpit) tryFile(w http.ResponseWriter, r *http.Request) {
	s, err := c.store(r.PathValue("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	t := c.try(r.Context(), r.PathValue("name"), s, r.PostFormValue("file"), text(r), r.PostFormValue("url"), false)
	part, err := rendered("kbfile", "tried", t)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(part)
}

// untilLine is what is before the end of a line of a number; nothing where there is no such line.
func untilLine(text, line string) string {
	n, err := strconv.Atoi(line)
	lines := strings.SplitAfter(text, "\n")
	if err != nil || n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(strings.Join(lines[:n], ""), "\n")
}

// allowedHere answers with what the schema allows behind what an editor has before its cursor: a part of the page.
func (*Cockpit) allowedHere(w http.ResponseWriter, r *http.Request) {
	part, err := rendered("kbfile", "allowed", kb.AllowedAt(r.PostFormValue("before")))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(part)
}

// text is what an editor sends, with the ends of lines of files.
func text(r *http.Request) string { return strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n") }

// saveFile saves a file, unless somebody else did meanwhile: what both have is shown then.
func (c *Cockpit) saveFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	s, err := c.store(name)
	if err != nil {
		c.fail(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	v := editView{File: r.PostFormValue("file"), Text: text(r), Digest: r.PostFormValue("digest"), URL: r.PostFormValue("url")}
	v.Editable = s.Editable(v.File)
	status := http.StatusOK
	switch r.PostFormValue("do") {
	case "save":
		err = s.Save(v.File, v.Digest, []byte(v.Text))
	default: // try, without scripts
	}
	switch {
	case errors.Is(err, kb.ErrSavedMeanwhile):
		now, _ := sourceOf(s, v.File)
		v.Conflict, v.Digest, status = string(now), kb.Digest(now), http.StatusConflict
	case err != nil:
		v.Fault, status = err.Error(), http.StatusUnprocessableEntity
	case r.PostFormValue("do") == "save":
		v.Saved, v.Digest = true, kb.Digest([]byte(v.Text))
	}
	v.tried = c.try(r.Context(), name, s, v.File, v.Text, v.URL, r.PostFormValue("do") == "examples")
	v.Line = r.PostFormValue("line")
	v.Allowed = kb.AllowedAt(untilLine(v.Text, v.Line))
	c.showStatus(w, r, status, "kbfile", v)
}

// pointView is a value of a page and expressions for it.
type pointView struct {
	URL, Value, Field, Class, Fault string
	adapt.Points
	Others int
	Frame  string
	Last   []engine.Exchanged // pages to choose from, where none is named
}

// point proposes expressions for a value of an archived page, as they hold on other archived pages of its level.
func (c *Cockpit) point(w http.ResponseWriter, r *http.Request) {
	v := pointView{URL: r.FormValue("url"), Value: r.FormValue("value"), Field: r.FormValue("field"), Class: r.FormValue("class")}
	place, err := strconv.Atoi(r.FormValue("place"))
	if err != nil {
		place = -1
	}
	if v.URL == "" {
		v.Last = c.lastPages(r.Context(), r.PathValue("name"))
	} else if err := c.pointAt(r.Context(), r.PathValue("name"), &v, place); err != nil {
		v.Fault = err.Error()
	}
	c.show(w, r, "point", v)
}

// pointAt looks at the text that has a place on the page, as a click says, or at the value.
func (c *Cockpit) pointAt(ctx context.Context, name string, v *pointView, place int) error {
	if _, err := url.Parse(v.URL); err != nil {
		return err
	}
	base, err := c.base(name)
	if err != nil {
		return err
	}
	d := detect.New(base)
	p, err := c.findPage(ctx, name, d, v.URL)
	if p == nil {
		return err
	}
	marks := map[*html.Node]string{}
	defer func() {
		v.Frame = c.keepToPoint(name, p, marks, "/crawls/"+url.PathEscape(name)+"/point?"+
			url.Values{"url": {v.URL}, "field": {v.Field}, "class": {v.Class}}.Encode()+"&place=") + "0#" + replay.FirstMark
	}()
	at, ok := adapt.PointAt(p.Doc, v.Value)
	if text := replay.Text(htmlOf(p.Doc), place); text != nil {
		v.Value = strings.TrimSpace(text.Data)
		at, ok = adapt.Pointed{Node: text.Parent}, true
	}
	switch {
	case v.Value == "":
		return nil
	case !ok:
		return errors.New(textNoValue)
	}
	marks[at.Node] = "awarc-new"
	others, err := c.folders(ctx, name).PagesLike(ctx, d, p, likePointed)
	if err != nil {
		return err
	}
	v.Others = len(others)
	page := p.Extracted()
	var level *kb.Level
	if len(page.Levels) > 0 {
		level = page.Levels[0]
	}
	v.Points, err = adapt.Point(base, level, page, at, others, adapt.PointOptions{Class: v.Class, Field: v.Field})
	return err
}
