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
		out = append(out, fmt.Sprintf("%d of %d posts or articles lack an author, a date or a text: add a <try> to the field",
			d.Posts-d.Whole, d.Posts))
	}
	for _, l := range t.Level("thread") {
		articles := slices.ContainsFunc(l.Objects, func(o *kb.Object) bool { return o.Class == wikiArticle })
		if !articles && !slices.ContainsFunc(l.Follow, func(f *kb.Follow) bool { return f.Paging }) {
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

const wikiArticle = "sioct:WikiArticle"

// expected are the fields that each object of a class should have.
func expected(class string) []string {
	switch class {
	case "sioc:Thread": // by their posts
		return nil
	case wikiArticle:
		return []string{"modified", "content"}
	default:
		return []string{"creator", "created", "content"}
	}
}

// lackingFields lists the fields that an object and the objects in it should have. Threads have
// authors and dates by their posts.
func lackingFields(o *kb.Object) (out []string) {
	for _, name := range expected(o.Class) {
		if !slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.Name == name }) {
			out = append(out, fmt.Sprintf(`%s: %s has no %s: add <field name="%s">`, o.Pos, o.Class, name, name))
		}
	}
	for _, in := range o.Objects {
		out = append(out, lackingFields(in)...)
	}
	return out
}
