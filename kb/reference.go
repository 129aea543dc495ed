package kb

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Recipes explains what needs an example to be understood, in Markdown: a block of xml has what stands in a type, the block of html
// or addresses after it what that is tried on.
//
//go:embed recipes.md
var Recipes string

// Reference writes what the schema says as Markdown: each element with its attributes and what may stand in it, the outer first.
func Reference(w io.Writer) {
	s := readXSD()
	in := map[string][]string{} // by element and type, the elements around
	queue := []xsdElement{s.Root}
	seen := map[string]bool{key(s.Root): true}
	for i := 0; i < len(queue); i++ {
		for _, e := range s.types[queue[i].Type].Elements {
			if !slices.Contains(in[key(e)], queue[i].Name) {
				in[key(e)] = append(in[key(e)], queue[i].Name)
			}
			if !seen[key(e)] {
				seen[key(e)] = true
				queue = append(queue, e)
			}
		}
	}
	for _, e := range queue {
		s.describe(w, e, in[key(e)])
	}
}

// key tells apart elements of one name.
func key(e xsdElement) string { return e.Name + " " + e.Type }

func (s *xsd) describe(w io.Writer, e xsdElement, in []string) {
	fmt.Fprintf(w, "\n### `<%s>`", e.Name)
	if len(in) > 0 {
		fmt.Fprintf(w, " in %s", tags(in))
	}
	t := s.types[e.Type]
	fmt.Fprintf(w, "\n\n%s\n", strings.TrimSpace(e.Doc+" "+t.Doc))
	var inside []string
	for _, c := range t.Elements {
		inside = append(inside, c.Name)
	}
	if len(inside) > 0 {
		fmt.Fprintf(w, "\nIn it: %s.\n", tags(inside))
	}
	attrs := s.attrs(t)
	if len(attrs) == 0 {
		return
	}
	fmt.Fprint(w, "\n| attribute | |\n|---|---|\n")
	for _, a := range attrs {
		name := "`" + a.Name + "`"
		if values := slices.DeleteFunc(slices.Clone(s.values[a.Type]), func(v string) bool { return v == "" }); len(values) > 0 {
			name += " (" + strings.Join(values, ", ") + ")"
		}
		if a.Use == "required" {
			name += ", required"
		}
		fmt.Fprintf(w, "| %s | %s |\n", name, strings.ReplaceAll(a.Doc, "|", `\|`))
	}
}

func tags(names []string) string { return "`<" + strings.Join(names, ">`, `<") + ">`" }
