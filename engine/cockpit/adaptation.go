package cockpit

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/replay"
	"github.com/awarc/awarc/kb"
)

const (
	eventsShown  = 30
	missingPages = 3 // of each field that is missing
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
	Missing []missingField
	Shown   string // the entry of which a page is shown
	Frame   string
	Old     []string // what its two expressions give there
	New     []string
	OldWhy  string
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
	dir := c.Crawls.Folder(name)
	report := c.look(name).Report
	v.Report = report.Adaptation
	pages, missing, err := adaptedPages(dir)
	if err != nil {
		return err
	}
	for field, n := range report.Missing {
		v.Missing = append(v.Missing, missingField{field, n, missing[field]})
	}
	err = crawl.Tail(dir, "adaptation.jsonl", func(line []byte) bool {
		var a engine.Adapted
		if json.Unmarshal(line, &a) == nil && a.Event != "reread" {
			v.Events = append(v.Events, a)
		}
		return len(v.Events) < eventsShown
	})
	if err != nil {
		return err
	}
	base, err := c.base(name)
	if err != nil {
		return err
	}
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

// adaptedPages are the last pages on which each entry yielded, and those that lack each field.
func adaptedPages(dir string) (pages, missing map[string][]engine.Exchanged, err error) {
	pages, missing = map[string][]engine.Exchanged{}, map[string][]engine.Exchanged{}
	err = crawl.Tail(dir, "crawl.jsonl", func(line []byte) bool {
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
		for _, field := range e.Missing {
			if len(missing[field]) < missingPages {
				missing[field] = append(missing[field], e)
			}
		}
		return true
	})
	return pages, missing, err
}

// showEntry shows a page with what an entry's expression selects on it, beside what the expression does that it came of.
func (c *Cockpit) showEntry(r *http.Request, name string, e *kb.Entry, on *engine.Exchanged, v *adaptationView) error {
	dir := c.Crawls.Folder(name)
	d, err := c.detector(dir)
	if err != nil {
		return err
	}
	p, err := crawl.ReadPage(r.Context(), dir, d, on)
	if p == nil {
		return err
	}
	marks := map[*html.Node]string{}
	for _, a := range engine.Explain(d, p.Page, p.Answer.Time).Actions {
		for _, t := range a.Trials {
			switch t.Expr.Source {
			case e.Expr:
				nodesOf(t.Found, "awarc-new", marks)
				v.New = append(v.New, texts(t.Found)...)
			case e.From:
				nodesOf(t.Found, "awarc-old", marks)
				v.Old, v.OldWhy = append(v.Old, texts(t.Found)...), t.Why
			}
		}
	}
	v.Frame = c.keepMarked(name, p, marks) + "0#" + replay.FirstMark
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
