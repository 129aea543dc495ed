package crawl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// metaEdited names what is still to be read again after edits of the knowledge base, in the frontier.
const metaEdited = "edited types"

// edited is what is to be read again: pages of some types, of lines of the crawl log between two places.
type edited struct {
	Types []kb.TypeID `json:"types"`
	From  int64       `json:"from"` // byte of the log
	To    int64       `json:"to"`
	// Late marks lines after the edit, of pages that may have been in progress then and were read by the
	// rules before.
	Late bool `json:"late,omitempty"`
}

// editedPages reads pages again that edits of the knowledge base concern. It is for one goroutine and those who hand it edits.
type editedPages struct {
	mu   sync.Mutex
	todo edited
	edit int           // how many there were
	more chan struct{} // of room for one
	hold func()        // lets the crawl end; nil where nothing is to be read
}

// begin wakes the reader, and keeps the crawl from ending before it is done. The caller holds the lock.
func (e *editedPages) begin(hold func() func()) {
	if e.hold == nil {
		e.hold = hold()
	}
	select {
	case e.more <- struct{}{}:
	default:
	}
}

// end lets the crawl end, unless there was another edit.
func (e *editedPages) end(failed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hold != nil && (failed || len(e.todo.Types) == 0) {
		e.hold()
		e.hold = nil
	}
}

// concern adds the types of an edit: all pages that were read so far are looked at for them.
func (c *Crawl) concern(changes kb.Changes) {
	types := slices.Concat(changes.Ruled, changes.Removed)
	if len(types)+len(changes.Added) == 0 {
		return
	}
	e := &c.edited
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(append(types, "")...) // also what no type fitted
	for _, t := range c.rules.get().Types {
		for p := t.Parent; p != nil; p = p.Parent {
			if slices.Contains(types, p.ID) && !slices.Contains(e.todo.Types, t.ID) {
				e.todo.Types = append(e.todo.Types, t.ID)
			}
		}
	}
	c.fromTheStart()
	e.begin(c.engine.HoldEnd)
}

// fromTheStart has all lines of the log looked at again. The caller holds the lock.
func (c *Crawl) fromTheStart() {
	e := &c.edited
	e.edit++
	e.todo.From, e.todo.To, e.todo.Late = 0, c.log.size(), false
	c.keepEdited()
}

// add adds types whose pages are to be read again. The caller holds the lock.
func (e *editedPages) add(types ...kb.TypeID) {
	for _, t := range types {
		if !slices.Contains(e.todo.Types, t) {
			e.todo.Types = append(e.todo.Types, t)
		}
	}
}

// expect remembers that pages of some types are to be read again, in this session once the edit is in force, else in the next one.
func (c *Crawl) expect(types ...kb.TypeID) {
	e := &c.edited
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(types...)
	c.fromTheStart()
}

// keepEdited remembers what is to be read again beyond this session. The caller holds the lock.
func (c *Crawl) keepEdited() {
	var data []byte
	if len(c.edited.todo.Types) > 0 {
		data, _ = json.Marshal(c.edited.todo) // strings and numbers
	}
	if err := c.frontier.PutMeta(metaEdited, data); err != nil {
		c.note("pages of edited types may not be read again if the crawl is killed: %v", err)
	}
}

// recallEdited loads the pages that an earlier session left to be read again, before the crawl can end for want of URLs.
func (c *Crawl) recallEdited() {
	e := &c.edited
	e.mu.Lock()
	defer e.mu.Unlock()
	if data := c.frontier.Meta(metaEdited); len(data) > 0 && json.Unmarshal(data, &e.todo) == nil {
		e.begin(c.engine.HoldEnd)
	}
}

// readEdited reads pages again whenever there was an edit, until the crawl ends.
func (c *Crawl) readEdited(ctx context.Context) {
	e := &c.edited
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.more:
		}
		sum, err := c.readTodo(ctx)
		e.end(err != nil)
		if errors.Is(err, context.Canceled) {
			return // the rest is remembered
		}
		if err != nil {
			c.note("reading pages of edited types again: %v", err)
			continue
		}
		if sum.Pages > 0 {
			c.tellEdited(sum)
		}
	}
}

func (c *Crawl) tellEdited(sum engine.Edited) {
	c.note("%d pages were read again from the archive by the edited rules: %d objects on them, %d before", sum.Pages, sum.Objects,
		sum.Before)
	if sum.Lost > 0 {
		c.note("%d pages have fewer objects with the edited rules, such as %s", sum.Lost, sum.LostURL)
	}
}

// mostEdited is how many lines of the log are taken at a time.
const mostEdited = 200

// readTodo reads all that is to be read again: first what is in the log, of which it tells, then the pages that were in work.
func (c *Crawl) readTodo(ctx context.Context) (sum engine.Edited, err error) {
	log, err := os.Open(filepath.Join(c.dir, "log", "crawl.jsonl"))
	if err != nil {
		return sum, err
	}
	defer log.Close()
	e := &c.edited
	rules := "" // in force when the late lines were written
	for {
		e.mu.Lock()
		todo, edit := e.todo, e.edit
		e.mu.Unlock()
		var pages []engine.Exchanged
		next := int64(0)
		switch {
		case len(todo.Types) == 0:
			return sum, nil
		case todo.From < todo.To:
			pages, next, err = logLines(io.NewSectionReader(log, todo.From, todo.To-todo.From), func(x *engine.Exchanged) bool {
				return slices.Contains(todo.Types, kb.TypeID(x.Type))
			})
		case !todo.Late:
			c.tellEdited(sum)
			sum = engine.Edited{}
			rules = c.engine.Settled(ctx)
		}
		if err != nil {
			return sum, err
		}
		if todo.Late {
			pages = slices.DeleteFunc(pages, func(x engine.Exchanged) bool { return x.KB == rules })
		}
		some, err := c.engine.ReadEdited(ctx, pages)
		sum.Add(some)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return sum, err
		}
		e.mu.Lock()
		if e.edit == edit { // else another begins again
			switch e.todo.From += next; {
			case e.todo.From < e.todo.To:
			case todo.Late:
				e.todo = edited{}
			case next == 0:
				e.todo.To, e.todo.Late = c.log.size(), true
			}
			c.keepEdited()
		}
		e.mu.Unlock()
	}
}

// logLines reads lines of the log and gives those that are wanted, with the length of what was read.
func logLines(log io.Reader, wanted func(*engine.Exchanged) bool) (pages []engine.Exchanged, read int64, err error) {
	lines := bufio.NewReader(log)
	for range mostEdited {
		line, err := lines.ReadBytes('\n')
		read += int64(len(line))
		var x engine.Exchanged
		if json.Unmarshal(line, &x) == nil && wanted(&x) {
			pages = append(pages, x)
		}
		if err != nil {
			return pages, read, notEOF(err)
		}
	}
	return pages, read, nil
}

// tryExamples tells which examples of edited types do not hold.
func (c *Crawl) tryExamples(d *detect.Detector, changes kb.Changes) {
	for _, id := range slices.Concat(changes.Added, changes.Changed) {
		t := d.Base().Type(id)
		for i := range t.Examples {
			r, err := engine.RunExample(d, t, &t.Examples[i])
			if err != nil {
				c.note("%s: the example %s: %v", id, t.Examples[i].Page, err)
				continue
			}
			if r.NotRun {
				c.note("%s: the example %s was not run, since it needs a browser: awarc kb test runs it", id, t.Examples[i].Page)
			}
			for _, f := range r.Failures {
				c.note("%s: the example %s fails now: %s: %s", id, t.Examples[i].Page, f.Pos, f.Msg)
			}
		}
	}
}
