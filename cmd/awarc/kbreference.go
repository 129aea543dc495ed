package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

type kbReferenceCmd struct{}

// Run prints recipes, each with what comes out of it, and what the schema says.
func (c *kbReferenceCmd) Run(ctx context.Context, s streams) error {
	fmt.Fprint(s.out, `# Reference of the knowledge base

`+"`awarc kb reference`"+` makes this page of the schema and of recipes that it runs. How to begin is in
[kb/README.md](../kb/README.md).

## Recipes

`)
	if err := cook(ctx, s, kb.Recipes); err != nil {
		return err
	}
	fmt.Fprint(s.out, "\n## Elements\n")
	kb.Reference(s.out)
	return nil
}

// cook copies recipes, and adds to each what comes out of it.
func cook(ctx context.Context, s streams, recipes string) error {
	var kind, rules string
	var block strings.Builder
	for line := range strings.Lines(recipes) {
		fmt.Fprint(s.out, line)
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case !isFence:
			block.WriteString(line)
			continue
		case kind == "": // the block begins
			kind = strings.TrimSpace(fence)
		case kind == "xml":
			kind, rules = "", block.String()
		default:
			fmt.Fprint(s.out, "\n```text\n")
			if err := taste(ctx, s, rules, kind, block.String()); err != nil {
				return fmt.Errorf("%w, of the recipe\n%s", err, rules)
			}
			fmt.Fprint(s.out, "```\n")
			kind = ""
		}
		block.Reset()
	}
	return nil
}

// taste prints what the rules of a type make of a page or of addresses.
func taste(ctx context.Context, s streams, rules, kind, of string) error {
	base, err := kb.Load(kb.Source{Name: "recipe.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="recipe">` +
		`<detect><pattern>html</pattern></detect>` + rules + `</type></category></kb>`)})
	if err != nil {
		return err
	}
	if kind == "addresses" {
		return showAddresses(s, base.Type("recipe"), strings.Fields(of), "text")
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(of, "<!-- "), " -->")
	in, err := pageFlags{URL: address}.read(ctx, "-", strings.NewReader(of))
	if err != nil {
		return err
	}
	in.name = "page"
	p, err := engine.Inspect(detect.New(base), in.answer, engine.Hints{Full: true})
	if err == nil {
		showHarvest(s.out, in, p)
	}
	return err
}
