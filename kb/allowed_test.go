package kb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// The schema says what may stand at a place, also of a source that is not well-formed yet.
func TestAllowedAt(t *testing.T) {
	t.Parallel()
	names := func(all []kb.SchemaName) (out []string) {
		for _, a := range all {
			out = append(out, a.Name)
		}
		return out
	}
	for _, x := range []struct {
		before, element      string
		children, attributes string // some that are there
		values               string
		not                  string // neither a child nor an attribute
	}{
		{before: "", children: "kb"},
		{before: `<?xml version="1.0"?><!-- <kb> -->`, children: "kb", not: "category"},
		{before: `<kb xmlns="urn:awarc:kb:1">`, element: "kb", children: "category service"},
		{before: `<kb><category id="a > b"><type id="x"><detect/>`, element: "type", children: "detect level urls example type"},
		{before: `<kb><category><type><`, element: "type", children: "detect level"},
		{before: `<kb><category><type><lev`, element: "type", children: "level"},
		{before: `<kb><category><type id="x" `, element: "type", attributes: "name site", not: "id"},
		{before: `<kb><category><type><detect><pattern weak="`, element: "pattern", values: "yes no"},
		{before: `<kb><category><type><detect></detect></type>`, element: "category", children: "type detect", not: "level"},
		{before: `<kb><nonsense><type `, element: "type"},
		{before: `</kb></kb>`, children: "kb"},
		{before: `<kb a="`, element: "kb"}, {before: `<kb "`, element: "kb"}, {before: `<kb ="`, element: "kb"},
	} {
		got := kb.AllowedAt(x.before)
		if got.Element != x.element {
			t.Errorf("%s: in %q", x.before, got.Element)
		}
		for _, set := range []struct {
			want string
			have []string
		}{{x.children, names(got.Children)}, {x.attributes, names(got.Attrs)}, {x.values, got.Values}} {
			for _, name := range strings.Fields(set.want) {
				if !slices.Contains(set.have, name) {
					t.Errorf("%s: no %s among %v", x.before, name, set.have)
				}
			}
		}
		if x.not != "" && slices.Contains(append(names(got.Children), names(got.Attrs)...), x.not) {
			t.Errorf("%s: %s is allowed", x.before, x.not)
		}
	}
}
