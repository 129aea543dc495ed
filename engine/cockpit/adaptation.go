package cockpit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/kb"
)

const (
	eventsShown  = 30
	eventsRead   = 5000 // of the end of the log
	missingPages = 3    // of each field that is missing, and of each place that was not mended
	placesShown  = 10   // of each cause
	textShown    = 200
)

// learnedEntry is an entry as its page shows it.
type learnedEntry struct {
	kb.Entry
	State string
	Pages int // among the last exchanges: those on which it yielded
	On    string
}

// adaptationView is adaptation at work.
type adaptationView struct {
	Fault   string
	Report  engine.AdaptationReport
	Entries []learnedEntry
	Events  []engine.Adapted
	Causes  []causeView
	Missing []missingField
	Shown   string   // the entry of which a page is shown
	Frame   string   // with a number behind it: 0 for what the old expression selects, 1 for the new one
	Old     []string // what its two expressions give there
	New     []string
	OldWhy  string
}

// causeView is why things could not be mended, with examples.
type causeView struct {
	causeText
	Pages  int64
	Places []leftPlace
}

// leftPlace is a spot of the knowledge base that could not be mended.
type leftPlace struct {
	engine.Left
	URLs         []string
	At           kb.Position // of what is to be put right
	Class, Field string      // that it is to give; empty where it gives none
}

// missingField is a field that no expression found, with pages that lack it.
type missingField struct {
	Field string
	Count int64
	Pages []engine.Exchanged
}

func (c *Cockpit) store(name string) (s kb.Store, err error) {
	dir := c.Crawls.Folder(name)
	settings, err := crawl.ReadSettings(dir)
	if err != nil {
		return s, err
	}
	s = settings.Store(dir)
	s.Learned = filepath.Join(dir, crawl.LearnedFolder)
	return s, nil
}

// base is the knowledge base of a crawl, with what was learned.
func (c *Cockpit) base(name string) (*kb.Base, error) {
	s, err := c.store(name)
	if err != nil {
		return nil, err
	}
	return s.Load()
}

func (c *Cockpit) adaptation(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	v := adaptationView{Shown: r.FormValue("show")}
	if err := c.lookAdaptation(r, name, &v); err != nil {
		v.Fault = err.Error()
	}
	c.show(w, r, "adaptation", v)
}

func (c *Cockpit) lookAdaptation(r *http.Request, name string, v *adaptationView) error {
	folders := c.folders(r.Context(), name)
	report := c.look(name).Report
	v.Report = report.Adaptation
	pages, missing, err := adaptedPages(folders)
	if err != nil {
		return err
	}
	for field, n := range report.Missing {
		v.Missing = append(v.Missing, missingField{field, n, missing[field]})
	}
	slices.SortFunc(v.Missing, func(a, b missingField) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Field, b.Field))
	})
	base, err := c.base(name)
	if err != nil {
		return err
	}
	left := map[adapt.Cause][]leftPlace{}
	read := 0
	err = folders.Tail("adaptation.jsonl", func(line []byte) bool {
		var a engine.Adapted
		if json.Unmarshal(line, &a) == nil {
			if len(a.Entries) > 0 && a.Event != "reread" && len(v.Events) < eventsShown {
				v.Events = append(v.Events, a)
			}
			for _, l := range a.Left {
				left[l.Cause] = withPlace(left[l.Cause], l, a.URL, base)
			}
		}
		read++
		return read < eventsRead
	})
	if err != nil {
		return err
	}
	v.Causes = causesOf(report.Adaptation.Left, left)
	for i := range base.Entries {
		e := learnedEntry{Entry: base.Entries[i], State: stateLearned}
		switch {
		case e.Rejected:
			e.State = stateRejected
		case e.Accepted:
			e.State = stateAccepted
		}
		on := pages[e.ID()]
		if e.Pages = len(on); len(on) > 0 {
			e.On = on[0].URL
		}
		if v.Entries = append(v.Entries, e); e.ID() == v.Shown && len(on) > 0 {
			if err := c.showEntry(r, name, &e.Entry, &on[0], v); err != nil {
				return err
			}
		}
	}
	return nil
}

// withPlace adds an example of what could not be mended to those of its cause.
func withPlace(places []leftPlace, l engine.Left, url string, base *kb.Base) []leftPlace {
	i := slices.IndexFunc(places, func(p leftPlace) bool { return p.Place() == l.Place() })
	if i < 0 && len(places) == placesShown {
		return places
	}
	if i < 0 {
		i = len(places)
		p := leftPlace{Left: l, At: base.Written(l.Place())}
		if of, field, ok := strings.Cut(l.Part, " "); ok && of != "follow" && !l.Place().Cuts() {
			p.Class, p.Field = of[strings.LastIndexByte(of, '/')+1:], field
		}
		places = append(places, p)
	}
	if p := &places[i]; len(p.URLs) < missingPages && !slices.Contains(p.URLs, url) {
		p.URLs = append(p.URLs, url)
	}
	return places
}

// causesOf are the causes that were counted, the most frequent first.
func causesOf(counted map[string]int64, examples map[adapt.Cause][]leftPlace) (out []causeView) {
	for cause, n := range counted {
		v := causeView{causeText: causeTexts[adapt.Cause(cause)], Pages: n, Places: examples[adapt.Cause(cause)]}
		v.Title = cmp.Or(v.Title, cause)
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b causeView) int { return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Title, b.Title)) })
	return out
}

// adaptedPages are the last pages on which each entry yielded, and those that lack each field.
func adaptedPages(folders crawl.Folders) (pages, missing map[string][]engine.Exchanged, err error) {
	pages, missing = map[string][]engine.Exchanged{}, map[string][]engine.Exchanged{}
	err = folders.Tail("crawl.jsonl", func(line []byte) bool {
		if !strings.Contains(string(line), `"adapted":`) && !strings.Contains(string(line), `"missing":`) {
			return true
		}
		var e engine.Exchanged
		if json.Unmarshal(line, &e) != nil {
			return true
		}
		for _, text := range e.Adapted {
			id, _, _ := strings.Cut(text, " ")
			pages[id] = append(pages[id], e)
		}
		for _, text := range e.Missing {
			words := strings.Fields(text) // class, name and the object's id
			if len(words) < 2 {
				continue
			}
			field := words[0] + "." + words[1]
			if on := missing[field]; len(on) < missingPages && (len(on) == 0 || on[len(on)-1].URL != e.URL) {
				missing[field] = append(on, e)
			}
		}
		return true
	})
	return pages, missing, err
}

// showEntry shows a page twice: with what the expression selects on it that an entry came of, and beside it with what the entry's does.
func (c *Cockpit) showEntry(r *http.Request, name string, e *kb.Entry, on *engine.Exchanged, v *adaptationView) error {
	d, err := c.detector(c.Crawls.Folder(name))
	if err != nil {
		return err
	}
	p, err := c.folders(r.Context(), name).ReadPage(r.Context(), d, on)
	if p == nil {
		return err
	}
	was, is := map[*html.Node]string{}, map[*html.Node]string{}
	for _, a := range engine.Explain(d, p.Page, p.Answer.Time).Actions {
		for _, t := range a.Trials {
			switch t.Expr.Source {
			case e.Expr:
				nodesOf(t.Found, "awarc-new", is)
				v.New = append(v.New, texts(t.Found)...)
			case e.From:
				nodesOf(t.Found, "awarc-old", was)
				v.Old, v.OldWhy = append(v.Old, texts(t.Found)...), t.Why
			}
		}
	}
	if len(was) == 0 { // it is shown where the new one selects something
		for n := range is {
			was[n] = "awarc-place"
		}
	}
	v.Frame = c.keepMarked(name, p, was, is)
	return nil
}

// texts are those of values, cut.
func texts(found []kb.Value) (out []string) {
	for _, v := range found {
		text := strings.Join(strings.Fields(v.Text()), " ")
		if r := []rune(text); len(r) > textShown {
			text = string(r[:textShown]) + "…"
		}
		out = append(out, text)
	}
	return out
}

// decide accepts or rejects an entry.
func (c *Cockpit) decide(w http.ResponseWriter, r *http.Request) {
	name, id, do := r.PathValue("name"), r.PostFormValue("id"), r.PostFormValue("do")
	s, err := c.store(name)
	switch {
	case err != nil:
	case do == "accept":
		_, err = s.Accept(id, time.Now())
	case do == "reject":
		_, err = s.Reject(id, r.PostFormValue("why"), time.Now())
	default:
		err = fmt.Errorf("%q: expected accept or reject", do)
	}
	if err != nil {
		c.fail(w, r, http.StatusConflict, err.Error())
		return
	}
	http.Redirect(w, r, address(name, "adaptation")+"#"+id, http.StatusSeeOther)
}
