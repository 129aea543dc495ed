package main

import (
	"fmt"
	"strings"

	"github.com/awarc/awarc/kb"
)

type kbCmd struct {
	Lint    kbLintCmd    `cmd:"" help:"Check knowledge base XML: errors, and what will not do what its author may expect."`
	List    kbListCmd    `cmd:"" help:"List the types."`
	Show    kbShowCmd    `cmd:"" help:"Show a type with all that it inherits, and where each thing is written."`
	Test    kbTestCmd    `cmd:"" help:"Run the examples beside the types: page in, type, level, objects, links out."`
	URLs    kbURLsCmd    `cmd:"" name:"urls" help:"Show what the rules of a type make of addresses: which are one page, of which level."`
	Point   kbPointCmd   `cmd:"" help:"Propose XPaths for a value that a page shows, by how they hold on other pages."`
	New     kbNewCmd     `cmd:"" help:"Write a draft of a type from saved pages: patterns, levels, fields, examples."`
	Example kbExampleCmd `cmd:"" help:"Write examples of what is found on saved pages, for review."`
	Watch   kbWatchCmd   `cmd:"" help:"Show what each edit of a knowledge base changes on saved pages."`
	Draft   kbDraftCmd   `cmd:"" help:"Propose a type for the software of a crawled site that no type describes."`
	Schema  kbSchemaCmd  `cmd:"" help:"Print the XML Schema, for editors."`

	Reference kbReferenceCmd `cmd:"" help:"Print the reference: what the schema says, and recipes with what comes out of them."`

	Learned kbLearnedCmd `cmd:"" help:"List what crawls learned, as changes to the knowledge base."`
	Accept  kbAcceptCmd  `cmd:"" help:"Make what was learned permanent, for all sites."`
	Reject  kbRejectCmd  `cmd:"" help:"Take what was learned out, and keep it out."`
}

type kbSchemaCmd struct{}

// Run prints the schema.
func (c *kbSchemaCmd) Run(s streams) error {
	_, err := s.out.Write(kb.Schema)
	return err
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
