package extract

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// WebPage is the class of the object that generic reading makes of a page.
const WebPage = "schema:WebPage"

// Least weights of a main text, in letters; see [weigh].
const (
	leastStated   = 40 * word  // of a page that says that it is an article, or whose level says so
	leastUnstated = 250 * word // of one that says nothing
)

// singleText are the classes of objects whose content is the text of their page.
var singleText = map[string]bool{WebPage: true, "sioct:BlogPost": true, "sioct:WikiArticle": true}

// complete reads a page generically where the actions of its level gave no
// content, or where it has no level: what it says of itself, and its main text.
func complete(p Page, h *Harvest, work *kb.Work) {
	switch {
	case h.Level == nil:
		said := readStatement(p.Doc, work)
		objects, unsure := discussion(p, work, said)
		h.Unsure = unsure
		if len(objects) > 0 {
			h.Objects, h.Generic = objects, true
		} else if o, ok := wholePage(p, work, said); ok {
			h.Objects, h.Generic = append(h.Objects, o), true
		}
	case h.Level.Kind == kb.Terminal:
		if len(h.Objects) > 0 && singleText[h.Objects[0].Class] {
			fillContent(p, h, work)
		}
		if p.Posts {
			fillPosts(p, h, work)
		}
	}
}

// fillContent gives the page's object its main text, where it has a content that
// no action found. The misses stay: the actions do not fit the page.
func fillContent(p Page, h *Harvest, work *kb.Work) {
	main := &h.Objects[0]
	for _, f := range main.Fields {
		if strings.HasPrefix(f.Name, "content") && len(f.Values) > 0 && f.Values[0] != "" {
			return // if only a picture
		}
	}
	r := newRun(p, work, nil)
	r.h = &Harvest{} // where learned actions are noted, which only say where comments are
	inner := map[*html.Node]bool{}
	declared := false
	for _, o := range h.Level.Objects {
		if o.Class != main.Class {
			continue
		}
		for _, f := range o.Fields {
			hidden := f.Unless != nil && len(f.Unless.Select(p.Doc, work)) > 0
			declared = declared || f.Name == "content" && !hidden
		}
		for _, c := range o.Objects {
			for _, n := range r.nodesAt(c.At, p.Doc, nil) {
				inner[n] = true
			}
		}
	}
	if !declared {
		return
	}
	m := findMainText(p.Doc, true, ownSite(p.Doc, p.URL.Host), func(n *html.Node) bool { return inner[n] }, work)
	if m == nil || m.weight < leastStated || 4*m.weight < m.page {
		return
	}
	kept := main.Fields[:0:0]
	for _, f := range main.Fields {
		if !strings.HasPrefix(f.Name, "content") {
			kept = append(kept, f)
		}
	}
	main.Fields, h.Generic = append(kept, m.fields(work, r.resolve)...), true
}

// wholePage makes one object of a page that is an article, by its own word or
// because a text clearly dominates it.
func wholePage(p Page, work *kb.Work, s *statement) (Object, bool) {
	if s.other && !s.article || p.Type != nil && p.Type.Rank > 1 && !s.article || !s.article && elsewhere(p) {
		return Object{}, false
	}
	m := findMainText(p.Doc, s.article, ownSite(p.Doc, p.URL.Host), func(*html.Node) bool { return false }, work)
	switch {
	case m == nil, m.weight < leastStated, 4*m.weight < m.page:
		return Object{}, false
	case s.article:
	case m.repeats(work):
		return Object{}, false
	case !s.likely && !m.dominates():
		return Object{}, false
	}
	o := Object{Class: WebPage, ID: Resolve(p.URL, p.URL.String())}
	if p.Type != nil {
		o.ID = p.Type.URLs.ObjectKey(p.URL)
	}
	title := s.title(p.Doc, p.URL.Hostname())
	if title == "" || o.ID == "" || notFound(title) {
		return Object{}, false
	}
	o.Fields = append(o.Fields, Field{Name: "title", As: kb.Text, Values: []string{title}})
	o.Fields = append(o.Fields, s.authorAndDate(p, work)...)
	o.Fields = append(o.Fields, m.fields(work, newResolver(p))...)
	return o, o.Value("content") != ""
}

// authorAndDate are the fields for the author and the date that a page declares.
func (s *statement) authorAndDate(p Page, work *kb.Work) (fields []Field) {
	if a := s.author(); a != "" {
		fields = append(fields, Field{Name: creatorField, As: kb.Text, Values: []string{a}})
	}
	read := datesOf(p)
	for _, d := range s.dates {
		if c := readDate(read, fold(d.Value), dates.Usual{}, work); c != "" {
			return append(fields, Field{Name: "created", As: kb.Date, Values: []string{c}})
		}
	}
	return fields
}

// MainText gives the element that holds the main text of a page that has one; nil where
// none stands out.
func MainText(p Page) *html.Node {
	m := findMainText(p.Doc, true, ownSite(p.Doc, p.URL.Host), func(*html.Node) bool { return false }, kb.NewWork(maxWork/4))
	if m == nil || m.weight < leastStated || 4*m.weight < m.page {
		return nil
	}
	return m.root
}

// fields gives the main text as the fields of an object.
func (m *mainText) fields(work *kb.Work, at *resolver) []Field {
	c := m.copier(work, at)
	text, markup := c.blockText(m.root), c.innerHTML(m.root)
	if work.Spent() || len(text)+len(markup) > maxValues {
		return nil
	}
	return []Field{{Name: "content", As: kb.HTML, Values: []string{text}}, {Name: "content_html", As: kb.HTML, Values: []string{markup}}}
}

// elsewhere reports whether the address is one of a search or a list.
func elsewhere(p Page) bool {
	q := p.URL.Query()
	for _, name := range []string{"s", "q", "query", "search", "keyword", "keywords"} {
		if q.Has(name) {
			return true
		}
	}
	path := strings.ToLower(p.URL.Path)
	for _, part := range []string{"/search", "/tag/", "/tags/", "/category/", "/categories/", "/author/", "/authors/", "/page/",
		"/archive/", "/archives/", "/login", "/register"} {
		if strings.HasPrefix(path, part) || strings.Contains(path, part) && strings.HasSuffix(part, "/") {
			return true
		}
	}
	return path == "/" && p.URL.RawQuery == "" && p.URL.Host != ""
}

// notFound reports whether a title is one of an error page.
func notFound(title string) bool {
	t := strings.ToLower(title)
	for _, mark := range []string{"404", "not found", "page introuvable", "nicht gefunden", "no encontrada", "non trovata",
		"не найдена", "access denied", "forbidden", "just a moment", "log in", "sign in"} {
		if strings.Contains(t, mark) {
			return true
		}
	}
	return false
}
