package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/kb"
)

// storeFlags choose a knowledge base with what was learned in it.
type storeFlags struct {
	kbFlags
	Crawl []string `placeholder:"DIR" help:"Read the knowledge base and the learned changes of this crawl; repeatable."`
}

// stores gives the knowledge base of each crawl, or the one of --kb alone.
func (f storeFlags) stores() ([]kb.Store, error) {
	var stores []kb.Store
	for _, dir := range f.Crawl {
		set, err := crawl.ReadSettings(dir)
		if err != nil {
			return nil, inFlags(err)
		}
		set.Flags.KB = append(set.Flags.KB, f.KB...)
		s := set.Store(dir)
		s.Learned = filepath.Join(dir, crawl.LearnedFolder)
		stores = append(stores, s)
	}
	if len(stores) > 0 {
		return stores, nil
	}
	if len(f.KB) == 0 {
		return nil, usageError("no knowledge base: use --crawl DIR for the changes of a crawl, or --kb for your own files")
	}
	s := kb.Store{Under: f.under(), Paths: f.KB}
	for _, p := range f.KB {
		if info, err := os.Stat(p); err == nil && info.IsDir() && s.Learned == "" {
			s.Learned = p
		}
	}
	return []kb.Store{s}, nil
}

type kbLearnedCmd struct {
	storeFlags
	All    bool   `help:"List accepted and rejected changes too."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
}

type learnedJSON struct {
	ID         string     `json:"id"`
	State      string     `json:"state"` // learned, accepted or rejected
	Type       kb.TypeID  `json:"type"`
	Level      kb.LevelID `json:"level"`
	Variant    string     `json:"variant,omitempty"`
	Part       string     `json:"part"`
	From       string     `json:"from"`
	Expr       string     `json:"expr"`
	Match      string     `json:"match,omitempty"`
	Learned    string     `json:"learned"`
	Sites      []string   `json:"sites"`
	Pages      int        `json:"pages"`
	Cost       int        `json:"cost"`
	Confidence float64    `json:"confidence"`
	Evidence   string     `json:"evidence,omitempty"`
	Why        string     `json:"why,omitempty"`
	File       string     `json:"file"`
	Line       int        `json:"line"`
}

// Run lists what was learned as changes to the knowledge base.
func (c *kbLearnedCmd) Run(s streams) error {
	stores, err := c.stores()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, store := range stores {
		base, err := store.Load()
		if err != nil {
			return err
		}
		for i := range base.Entries {
			e := &base.Entries[i]
			if seen[e.Pos.String()] || !c.All && (e.Accepted || e.Rejected) {
				continue
			}
			seen[e.Pos.String()] = true
			if err := c.print(s, base, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func stateOf(e *kb.Entry) string {
	switch {
	case e.Rejected:
		return "rejected"
	case e.Accepted:
		return "accepted"
	}
	return "learned"
}

func (c *kbLearnedCmd) print(s streams, base *kb.Base, e *kb.Entry) error {
	day := e.Learned.Format("2006-01-02")
	if c.Format == "json" {
		return writeJSON(s.out, learnedJSON{
			ID: e.ID(), State: stateOf(e), Type: e.Type, Level: e.Level, Variant: e.Variant, Part: e.Part, From: e.From, Expr: e.Expr,
			Match: e.Match, Learned: day,
			Sites: append([]string{}, strings.Fields(e.Site)...), Pages: e.Pages, Cost: e.Cost, Confidence: e.Confidence,
			Evidence: e.Evidence, Why: e.Why, File: e.Pos.File, Line: e.Pos.Line,
		})
	}
	where := "everywhere"
	if !e.Everywhere() {
		where = "on " + strings.Join(strings.Fields(e.Site), ", ")
	}
	fmt.Fprintf(s.out, "%s %s   %s\n", e.ID(), e.Place, e.Pos)
	fmt.Fprintf(s.out, "    %s %s, %d pages, cost %d, confidence %.2f, %s\n", stateOf(e), day, e.Pages, e.Cost, e.Confidence, where)
	if e.Evidence != "" {
		fmt.Fprintf(s.out, "    %s\n", e.Evidence)
	}
	if e.Why != "" {
		fmt.Fprintf(s.out, "    because: %s\n", e.Why)
	}
	for _, line := range written(base, e.Place) {
		fmt.Fprintf(s.out, "      %s\n", line)
	}
	sign := "+"
	if e.Rejected {
		sign = "-"
	}
	expr := e.Expr
	if e.Match != "" {
		expr += "   match " + e.Match
	}
	fmt.Fprintf(s.out, "    %s %s\n", sign, expr)
	return nil
}

// written lists what authors wrote at a place.
func written(base *kb.Base, p kb.Place) []string {
	var lines []string
	t := base.Type(p.Type)
	if t == nil {
		return nil
	}
	for _, l := range t.Levels {
		spot, ok := l.Spot(p)
		if !ok {
			continue
		}
		if p.Part == kb.PartDetect {
			for _, pattern := range l.Detect {
				if pattern.Learned == nil {
					lines = append(lines, pattern.Expr.String())
				}
			}
		}
		for _, try := range spot.Tries {
			if try.Learned == nil {
				lines = append(lines, try.Expr.Source)
			}
		}
	}
	return lines
}

type kbAcceptCmd struct {
	storeFlags
	ID []string `arg:"" help:"Ids of kb learned, or their first characters."`
}

// Run makes entries permanent.
func (c *kbAcceptCmd) Run(s streams) error {
	return c.decide(s, "accepted", c.ID, func(store kb.Store, id string) ([]string, error) { return store.Accept(id, time.Now()) })
}

type kbRejectCmd struct {
	storeFlags
	Why string   `placeholder:"TEXT" help:"Reason, stored with the entry."`
	ID  []string `arg:"" help:"Ids of kb learned, or their first characters."`
}

// Run takes entries out of force and keeps them out.
func (c *kbRejectCmd) Run(s streams) error {
	return c.decide(s, "rejected", c.ID, func(store kb.Store, id string) ([]string, error) { return store.Reject(id, c.Why, time.Now()) })
}

// leastID is how much of an id is asked for, in digits.
const leastID = 4

func (f storeFlags) decide(s streams, what string, ids []string, do func(kb.Store, string) ([]string, error)) error {
	stores, err := f.stores()
	if err != nil {
		return err
	}
	for _, short := range ids {
		if len(short) < leastID {
			return usageError("id %q is too short; expected at least %d characters", short, leastID)
		}
		found := false
		for _, store := range stores {
			id, err := fullID(store, short)
			if errors.Is(err, kb.ErrUnknownEntry) {
				continue
			}
			if err != nil {
				return err
			}
			files, err := do(store, id)
			if err != nil {
				return err
			}
			found = true
			fmt.Fprintf(s.out, "%s %s in %s\n", id, what, strings.Join(files, ", "))
		}
		if !found {
			return &statusError{exitFailed, fmt.Errorf("%s: %w; awarc kb learned --all lists them", short, kb.ErrUnknownEntry)}
		}
	}
	return nil
}

// fullID completes the start of an id.
func fullID(store kb.Store, short string) (string, error) {
	base, err := store.Load()
	if err != nil {
		return "", err
	}
	var found []string
	for i := range base.Entries {
		if id := base.Entries[i].ID(); strings.HasPrefix(id, short) && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", kb.ErrUnknownEntry
	case 1:
		return found[0], nil
	}
	return "", usageError("id %s is ambiguous: %s", short, strings.Join(found, ", "))
}
