package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

// Lacks lists what the pages of a draft did not show, with the element that adds it. t is the type in
// the draft's file.
func (d *Draft) Lacks(t *kb.Type) (out []string) {
	if d.Whole < d.Posts {
		out = append(out, fmt.Sprintf("%d of %d posts have no author, date or text: add a <try> to the field", d.Posts-d.Whole, d.Posts))
	}
	for _, l := range t.Level("thread") {
		if !slices.ContainsFunc(l.Follow, func(f *kb.Follow) bool { return f.Paging }) {
			out = append(out, fmt.Sprintf(`%s: no further pages of threads: add <follow to="thread" paging="yes">, `+
				`and <paging param="..."/> or <paging path="..."/> to <urls>`, l.Pos))
		}
		for _, o := range l.Objects {
			out = append(out, lackingFields(o)...)
		}
	}
	if len(t.Detect) == 1 && strings.HasPrefix(t.Detect[0].Expr.String(), "url/host") {
		out = append(out, fmt.Sprintf("%s: nothing but the host name shows the software, so the type fits this site only: "+
			"add a <pattern> that all pages of the software match", t.Detect[0].Pos))
	}
	return out
}

// lackingFields lists the fields that an object and the objects in it should have. Threads have
// authors and dates by their posts.
func lackingFields(o *kb.Object) (out []string) {
	for _, name := range []string{"creator", "created", "content"} {
		if o.Class != "sioc:Thread" && !slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.Name == name }) {
			out = append(out, fmt.Sprintf(`%s: %s has no %s: add <field name="%s">`, o.Pos, o.Class, name, name))
		}
	}
	for _, in := range o.Objects {
		out = append(out, lackingFields(in)...)
	}
	return out
}
