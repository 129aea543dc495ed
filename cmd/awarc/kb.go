package main

import (
	"fmt"
	"strings"

	"github.com/awarc/awarc/kb"
)

type kbCmd struct {
	Lint    kbLintCmd    `cmd:"" help:"Check knowledge base XML for errors and likely mistakes."`
	List    kbListCmd    `cmd:"" help:"List the types."`
	Show    kbShowCmd    `cmd:"" help:"Show a type with all inherited parts and their positions."`
	Test    kbTestCmd    `cmd:"" help:"Run the examples of types: compare type, level, objects and links."`
	URLs    kbURLsCmd    `cmd:"" name:"urls" help:"Show how the URL rules of a type normalise and classify URLs."`
	Point   kbPointCmd   `cmd:"" help:"Propose XPaths for a value on a page, ranked by their results on other pages."`
	New     kbNewCmd     `cmd:"" help:"Draft a type from saved pages: patterns, levels, fields, examples."`
	Example kbExampleCmd `cmd:"" help:"Write examples from saved pages, for review."`
	Watch   kbWatchCmd   `cmd:"" help:"Show the effect of each edit of a knowledge base on saved pages."`
	Draft   kbDraftCmd   `cmd:"" help:"Draft a type from a crawl of a site of unknown software."`
	Schema  kbSchemaCmd  `cmd:"" help:"Print the XML Schema, for editors."`

	Reference kbReferenceCmd `cmd:"" help:"Print the reference of the XML and tested recipes."`

	Learned kbLearnedCmd `cmd:"" help:"List the changes to the knowledge base that crawls learned."`
	Accept  kbAcceptCmd  `cmd:"" help:"Accept learned changes for all sites."`
	Reject  kbRejectCmd  `cmd:"" help:"Reject learned changes permanently."`
}

type kbSchemaCmd struct{}

// Run prints the schema.
func (c *kbSchemaCmd) Run(s streams) error {
	_, err := s.out.Write(kb.Schema)
	return err
}

type kbListCmd struct {
	kbFlags
	Format string `enum:"text,json,markdown" default:"text" help:"Output format."`
}

type kbTypeJSON struct {
	Type     kb.TypeID     `json:"type"`
	Name     string        `json:"name"`
	Category kb.CategoryID `json:"category"`
	Parent   *kb.TypeID    `json:"parent"`
	Levels   []string      `json:"levels"`
	Examples int           `json:"examples"`
	File     string        `json:"file"`
	Line     int           `json:"line"`
}

// Run lists the types with their levels.
func (c *kbListCmd) Run(s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	if c.Format == "markdown" {
		showGallery(s.out, base)
		return nil
	}
	for _, t := range base.Types {
		j := kbTypeJSON{Type: t.ID, Name: t.Name, Category: t.Category, Levels: []string{}, Examples: len(t.Examples), File: t.Pos.File,
			Line: t.Pos.Line}
		category := string(t.Category)
		if t.Parent != nil {
			j.Parent = &t.Parent.ID
			category += "/" + string(t.Parent.ID)
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
		fmt.Fprintf(s.out, "%-14s %-12s %-22s %s\n", t.ID, category, t.Name, strings.Join(j.Levels, ", "))
	}
	return nil
}
