package draft

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// count counts a post or an article and its expected fields without a value.
func (d *Draft) count(o *extract.Object) {
	d.Posts++
	d.objects[o.Class]++
	whole := true
	for _, name := range expected(o.Class) {
		if o.Value(name) == "" {
			whole = false
			d.missing[o.Class+" "+name]++
		}
	}
	if whole {
		d.Whole++
	}
}

// Lacks lists what the pages of a draft did not show, with the element that adds it; a text may
// have several lines. t is the type in the draft's file, beside its examples.
func (d *Draft) Lacks(t *kb.Type) (out []string) {
	for _, l := range t.Levels {
		thread := l.ID == "thread"
		articles := slices.ContainsFunc(l.Objects, func(o *kb.Object) bool { return isArticle(o.Class) })
		if !articles && !slices.ContainsFunc(l.Follow, func(f *kb.Follow) bool { return f.Paging }) && (thread || leadsToThreads(l)) {
			out = append(out, fmt.Sprintf(`%s: no further pages of a %s: add <follow to="%[2]s" paging="yes">EXPRESSION</follow>, `+
				`and <paging param="..."/> or <paging path="..."/> to <urls>`, l.Pos, l.ID))
		}
		if thread {
			out = append(out, d.doubts(l)...)
			for _, o := range l.Objects {
				out = append(out, d.lackingFields(t, o)...)
			}
		}
	}
	if len(t.Detect) == 1 && strings.HasPrefix(t.Detect[0].Expr.String(), "url/host") {
		out = append(out, fmt.Sprintf("%s: nothing but the host name shows the software, so the type fits this site only: "+
			"add a <pattern> that all pages of the software match", t.Detect[0].Pos))
	}
	return out
}

// manyDates is how many dates the page of an article has, in the mean, from which on it may be a
// thread. It is arbitrary.
const manyDates = 5

// doubts lists what shows that the pages may be something else than they are drafted as.
func (d *Draft) doubts(l *kb.Level) (out []string) {
	if len(l.Objects) > 0 && l.Objects[0].Class == blogPost && d.dates >= manyDates {
		out = append(out, fmt.Sprintf("%s: drafted as articles, though a page has %d dates in the mean: "+
			"if these are the posts of a board, they "+
			"were not recognised: describe them by "+`<object class="sioc:Thread"> with <object class="sioc:Post" at="EXPRESSION"> in it`,
			l.Objects[0].Pos, d.dates))
	}
	for _, p := range l.Detect {
		if !strings.Contains(p.Expr.String(), "[") {
			out = append(out, fmt.Sprintf("%s: the pattern %s matches nearly any page: add a condition, such as a class", p.Pos, p.Expr))
		}
	}
	return out
}

// datesOf counts the dates on a page, in the mean.
func datesOf(pages []*Page) int {
	n := 0
	for _, p := range pages {
		n += len(p.model.Dated())
	}
	return n / max(1, len(pages))
}

func leadsToThreads(l *kb.Level) bool {
	return slices.ContainsFunc(l.Follow, func(f *kb.Follow) bool { return f.To == "thread" })
}

const wikiArticle = "sioct:WikiArticle"

func isArticle(class string) bool { return class == wikiArticle || class == blogPost }

const blogPost = "sioct:BlogPost"

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

// lackingFields lists the fields that an object and the objects in it should have, or that some
// objects lack, with a command that finds the expression. Threads have authors and dates by their
// posts.
func (d *Draft) lackingFields(t *kb.Type, o *kb.Object) (out []string) {
	for _, name := range expected(o.Class) {
		missing, all := d.missing[o.Class+" "+name], d.objects[o.Class]
		at, what := o.Pos, fmt.Sprintf("%s has no %s: add %s", o.Class, name, fieldElement(name))
		if i := slices.IndexFunc(o.Fields, func(f *kb.Field) bool { return f.Name == name }); i >= 0 {
			if missing == 0 {
				continue
			}
			at = o.Fields[i].Pos
			what = fmt.Sprintf("%d of %d %s have no %s: add <try>EXPRESSION</try> to the field", missing, all, o.Class, name)
		}
		what = at.String() + ": " + what
		if page := examplePage(t); page != "" {
			what += fmt.Sprintf("\n    expressions for a text on a page: awarc kb point --kb %s --class %s --field %s --value TEXT '%s'",
				t.Pos.File, o.Class, name, page)
		}
		if o.Class == blogPost && name == "created" {
			what += "\n    a board whose posts show no date that awarc knows is drafted like this too: describe its posts by " +
				`<object class="sioc:Thread"> with <object class="sioc:Post" at="EXPRESSION"> in it`
		}
		out = append(out, what)
	}
	for _, in := range o.Objects {
		out = append(out, d.lackingFields(t, in)...)
	}
	return out
}

// fieldElement returns the element of a field, with a place for its expression.
func fieldElement(name string) string {
	as := map[string]string{"created": ` as="date"`, "modified": ` as="date"`, "content": ` as="html"`}[name]
	return fmt.Sprintf(`<field name="%s"%s>EXPRESSION</field>`, name, as)
}

// examplePage returns the first example of a thread as an argument of a command, or "".
func examplePage(t *kb.Type) string {
	for _, e := range t.Examples {
		if e.Level == "thread" {
			return filepath.Join(filepath.Dir(t.Pos.File), e.Page) + "=" + e.URL
		}
	}
	return ""
}
