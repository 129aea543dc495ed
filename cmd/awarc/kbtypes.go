package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

// showGallery writes the types as Markdown: docs/types.md.
func showGallery(w io.Writer, base *kb.Base) {
	fmt.Fprint(w, `# Described applications

`+"`awarc kb list --format markdown`"+` makes this page of the knowledge base. A variant in
brackets is a family of templates, mostly of a version. Each example is a saved page that
`+"`awarc kb test`"+` compares with its description. Levels without an example are less sure: the last
column lists them. [CONTRIBUTING.md](../CONTRIBUTING.md) says how a type gets in.

| type | category | levels | fields | examples | without an example |
|---|---|---|---|---|---|
`)
	for _, t := range base.Types {
		var levels, fields, open []string
		for _, v := range t.Levels {
			levels = append(levels, v.Name())
			fields = fieldNames(fields, v.Objects)
			shows := func(x kb.Example) bool { return x.Level == v.ID && (x.Variant == "" || x.Variant == v.Variant) }
			if !slices.ContainsFunc(t.Examples, shows) {
				open = append(open, v.Name())
			}
		}
		name := t.Name + " (`" + string(t.ID) + "`)"
		if t.Parent != nil {
			name += ", a kind of `" + string(t.Parent.ID) + "`"
		}
		slices.Sort(fields)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %s |\n", name, t.Category, strings.Join(levels, ", "),
			strings.Join(slices.Compact(fields), ", "), len(t.Examples), strings.Join(open, ", "))
	}
}

// fieldNames adds the names of the fields of objects.
func fieldNames(names []string, objects []*kb.Object) []string {
	for _, o := range objects {
		for _, f := range o.Fields {
			names = append(names, f.Name)
		}
		names = fieldNames(names, o.Objects)
	}
	return names
}
