package extract

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// field runs the expressions of one field; an HTML field gives two, the text
// and the markup. from is where the values were.
func (r *run) field(f *kb.Field, n *html.Node) (fields []Field, from []kb.Value) {
	for _, t := range r.tries(f.Tries) {
		var texts, markups, owns, quoted []string
		from = nil
		found := false
		for _, v := range t.Expr.Select(n, r.work) {
			if r.inner(v, n) {
				continue
			}
			found = true
			if f.As == kb.HTML {
				c := r.rich(f, v, t.Learned != nil)
				texts, markups, owns, from = append(texts, c.text), append(markups, c.markup), append(owns, c.own), append(from, v)
				quoted = append(quoted, c.quoted...)
			} else if s := r.value(f, t, v); s != "" {
				texts, from = append(texts, s), append(from, v)
			}
			if !f.Many && f.As != kb.HTML && len(texts) > 0 {
				break
			}
		}
		switch {
		case f.As == kb.HTML && found:
			r.used(t)
			fields = []Field{
				{Name: f.Name, As: f.As, Values: []string{strings.Trim(strings.Join(texts, "\n"), "\n")}},
				{Name: f.Name + "_html", As: f.As, Values: []string{strings.Join(markups, "\n")}},
			}
			if len(quoted) > 0 {
				own := strings.Trim(strings.Join(owns, "\n"), "\n")
				fields = append(fields, Field{Name: ownField, As: kb.Text, Values: []string{own}},
					Field{Name: quotedField, As: kb.Text, Values: quoted})
			}
			return fields, from
		case len(texts) > 0:
			r.used(t)
			return []Field{{Name: f.Name, As: f.As, Values: texts}}, from
		}
	}
	if f.As == kb.Date {
		return r.dateInside(f, n)
	}
	return nil, nil
}

// value reads what was selected, cut by the try's expression, as the field is
// to be read; "" where it is nothing of the kind.
func (r *run) value(f *kb.Field, t *kb.Try, v kb.Value) string {
	s := ""
	if f.As == kb.URL {
		s, _ = hrefOf(v)
	} else {
		s = r.shown(v)
	}
	s = cut(t, fold(s))
	switch f.As {
	case kb.Date:
		s = readDate(r.dates, s, usual(f), r.work)
	case kb.URL:
		s = r.resolve.address(s)
	case kb.Number:
		s = number(s)
	default:
		s = fold(unhyphenate(s))
	}
	if !r.keep(len(s)) {
		return ""
	}
	return s
}

// shown is the text of a value as a reader sees it: of an element without its
// scripts and with space between its blocks.
func (r *run) shown(v kb.Value) string {
	if v.Node == nil || v.Attr != "" || v.Node.Type != html.ElementNode || silent[v.Node.DataAtom] {
		return v.Text()
	}
	c := &copier{work: r.work, left: func(*html.Node) bool { return false }}
	return c.blockText(v.Node)
}

// inner reports whether a value lies inside another object below n. Values
// outside n were reached by an axis and are meant: a post may be several rows of
// one table.
func (r *run) inner(v kb.Value, n *html.Node) bool {
	in := false
	for a := v.Node; a != nil; a = a.Parent {
		if a == n {
			return in
		}
		in = in || r.claimed[a]
	}
	return false
}
