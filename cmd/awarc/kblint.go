package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/kb"
)

type kbLintCmd struct {
	Alone  bool     `help:"Check only these files, without the built-in knowledge base."`
	Strict bool     `help:"Treat warnings as errors."`
	Format string   `enum:"text,json" default:"text" help:"Output format."`
	Path   []string `arg:"" optional:"" name:"DIR-or-FILE" help:"XML to check (default: the built-in knowledge base)."`
}

type lintJSON struct {
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Column   int         `json:"column"`
	Severity kb.Severity `json:"severity"`
	Rule     string      `json:"rule"`
	Element  string      `json:"element"`
	Message  string      `json:"message"`
	Hint     string      `json:"hint,omitempty"`
}

// Run checks the sources and prints every problem in them.
func (c *kbLintCmd) Run(s streams) error {
	given, base, err := loadPaths(c.Path, c.Alone)
	var problems []kb.Problem
	var refused kb.Errors
	switch {
	case errors.As(err, &refused):
		for _, e := range refused {
			problems = append(problems, kb.Problem{Pos: e.Pos, Severity: kb.SeverityError, Rule: "load", Where: e.Element, Msg: e.Msg})
		}
	case err != nil:
		return err
	default:
		problems = inFiles(engine.Problems(base), given)
	}
	faults := 0
	for _, p := range problems {
		if p.Severity == kb.SeverityError {
			faults++
		}
		if err := c.print(s, p); err != nil {
			return err
		}
	}
	doubts := len(problems) - faults
	switch {
	case refused != nil:
		return &statusError{exitFailed, errors.New(engine.Counted(faults, "error|errors") + "; the knowledge base was not loaded")}
	case faults > 0 || c.Strict && doubts > 0:
		return &statusError{exitFailed, errors.New(nonzero(counted{faults, "error|errors"}, counted{doubts, "warning|warnings"}))}
	case c.Format == "text":
		text := nonzero(counted{len(given), "file|files"}, counted{typesIn(base, given), "type|types"},
			counted{servicesIn(base, given), "service|services"})
		if doubts > 0 {
			fmt.Fprintf(s.out, "%s: no errors, %s\n", text, engine.Counted(doubts, "warning|warnings"))
		} else {
			fmt.Fprintf(s.out, "%s: no errors, no warnings\n", text)
		}
	}
	return nil
}

// counted is a count with a phrase of [engine.Counted].
type counted struct {
	n      int
	phrase string
}

// nonzero lists the counts that are not 0.
func nonzero(counts ...counted) string {
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, engine.Counted(c.n, c.phrase))
		}
	}
	return strings.Join(parts, ", ")
}

func (c *kbLintCmd) print(s streams, p kb.Problem) error {
	if c.Format == "json" {
		return writeJSON(s.out, lintJSON{p.Pos.File, p.Pos.Line, p.Pos.Column, p.Severity, p.Rule, p.Where, p.Msg, p.Hint})
	}
	element := ""
	if p.Where != "" {
		element = "<" + p.Where + ">: "
	}
	fmt.Fprintf(s.out, "%s: %s: %s%s [%s]\n", p.Pos, p.Severity, element, p.Msg, p.Rule)
	if p.Hint != "" {
		fmt.Fprintf(s.out, "    %s\n", p.Hint)
	}
	return nil
}

// loadPaths loads XML files over the built-in knowledge base, or alone, and
// names the files that were asked for: all built-in ones where there are none.
func loadPaths(paths []string, alone bool) (files []string, base *kb.Base, err error) {
	sources, err := kb.ReadSources(paths...)
	if err != nil {
		return nil, nil, err
	}
	all := sources
	if len(paths) == 0 {
		sources = kb.Builtin()
		all = sources
	} else if !alone {
		all = append(kb.Builtin(), sources...)
	}
	for _, src := range sources {
		files = append(files, src.Name)
	}
	base, err = kb.Load(all...)
	return files, base, err
}

// inFiles keeps the problems in some files.
func inFiles(problems []kb.Problem, files []string) []kb.Problem {
	given := fileSet(files)
	return slices.DeleteFunc(problems, func(p kb.Problem) bool { return !given[p.Pos.File] })
}

func fileSet(files []string) map[string]bool {
	set := make(map[string]bool, len(files))
	for _, f := range files {
		set[f] = true
	}
	return set
}

func typesIn(base *kb.Base, files []string) int {
	given := fileSet(files)
	n := 0
	for _, t := range base.Types {
		if given[t.Pos.File] {
			n++
		}
	}
	return n
}

func servicesIn(base *kb.Base, files []string) (n int) {
	given := fileSet(files)
	for _, s := range base.Services {
		if given[s.Pos.File] {
			n++
		}
	}
	return n
}
