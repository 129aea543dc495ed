package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/awarc/awarc/kb"
)

type kbCmd struct {
	Lint kbLintCmd `cmd:"" help:"Check knowledge base XML."`
	List kbListCmd `cmd:"" help:"List the types."`
}

type kbLintCmd struct {
	Alone  bool     `help:"Check the files alone, without the built-in knowledge base."`
	Format string   `enum:"text,json" default:"text" help:"Output format: text or json."`
	Path   []string `arg:"" optional:"" name:"DIR-or-FILE" help:"What to check; without any, the built-in knowledge base."`
}

type lintJSON struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Element string `json:"element"`
	Message string `json:"message"`
}

// Run checks the sources and prints every error in them.
func (c *kbLintCmd) Run(s streams) error {
	sources, err := kb.ReadSources(c.Path...)
	if err != nil {
		return err
	}
	if !c.Alone || len(c.Path) == 0 {
		sources = append(kb.Builtin(), sources...)
	}
	base, err := kb.Load(sources...)
	var all kb.Errors
	if err != nil && !errors.As(err, &all) {
		return err
	}
	for _, e := range all {
		if c.Format == "json" {
			if err := writeJSON(s.out, lintJSON{e.Pos.File, e.Pos.Line, e.Pos.Column, e.Element, e.Msg}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(s.out, e.Error())
	}
	if len(all) > 0 {
		return &statusError{exitFailed, fmt.Errorf("%d errors; nothing of the knowledge base was loaded", len(all))}
	}
	if c.Format == "text" {
		fmt.Fprintf(s.out, "%d files, %d types: no errors\n", len(sources), len(base.Types))
	}
	return nil
}

type kbListCmd struct {
	kbFlags
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

type kbTypeJSON struct {
	Type     kb.TypeID     `json:"type"`
	Name     string        `json:"name"`
	Category kb.CategoryID `json:"category"`
	Parent   *kb.TypeID    `json:"parent"`
	Levels   []string      `json:"levels"`
	File     string        `json:"file"`
	Line     int           `json:"line"`
}

// Run lists the types with their levels.
func (c *kbListCmd) Run(s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	for _, t := range base.Types {
		j := kbTypeJSON{Type: t.ID, Name: t.Name, Category: t.Category, Levels: []string{}, File: t.Pos.File, Line: t.Pos.Line}
		if t.Parent != nil {
			j.Parent = &t.Parent.ID
		}
		for _, v := range t.Levels {
			j.Levels = append(j.Levels, v.Name())
		}
		if c.Format == "json" {
			if err := writeJSON(s.out, j); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(s.out, "%-14s %-8s %-18s %s\n", t.ID, t.Category, t.Name, strings.Join(j.Levels, ", "))
	}
	return nil
}
