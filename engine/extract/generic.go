package extract

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/engine/read/text"
	"github.com/awarc/awarc/kb"
)

// WebPage is the class of the object that generic reading makes of a page.
const WebPage = "schema:WebPage"

// Least words of a main text. Both values are arbitrary.
const (
	leastStated   = 40  // of a page that declares itself an article, or whose level does
	leastUnstated = 250 // of another page
)

// singleText are the classes of objects whose content is the text of their page.
var singleText = map[string]bool{WebPage: true, "sioct:BlogPost": true, "sioct:WikiArticle": true}

// complete reads a page generically where the actions of its level gave no
// content, or where it has no level: what it says of itself, and its main text.
func complete(p Page, h *Harvest, work *kb.Work) {
	switch {
	case h.Level == nil:
		said := readStatement(p.Doc, work)
		objects, unsure := discussion(p, h, work, said)
		h.Unsure = unsure
		if len(objects) > 0 {
			h.Objects, h.Generic = objects, true
		} else if o, ok := wholePage(p, h, work, said); ok {
			h.Objects, h.Generic = append(h.Objects, o), true
		}
	case h.Level.Kind == kb.Terminal:
		read := unreadPosts(p, h, work)
		if len(h.Objects) > 0 && singleText[h.Objects[0].Class] {
			fillContent(p, h, work, read)
		}
		if read != nil {
			read.fill(h)
		}
	}
}

// fillContent gives the page's object its main text, where it has a content that
// no action found, without the records that were read. The misses stay: the actions do not fit the page.
func fillContent(p Page, h *Harvest, work *kb.Work, read *postsRead) {
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
	var m *text.Found
	if read != nil {
		m = h.textWithout(p.Doc, work, inner, nodesOf(read.m, read.got.Records))
	}
	if m == nil { // without records, or with the article for one of them
		m = h.textWithout(p.Doc, work, inner)
	}
	if m == nil {
		return
	}
	kept := main.Fields[:0:0]
	for _, f := range main.Fields {
		if !strings.HasPrefix(f.Name, "content") {
			kept = append(kept, f)
		}
	}
	main.Fields, h.Generic = append(kept, textFields(m, main.Value("title"), work, r.resolve)...), true
}

// findText finds the main text of the page; nil where it is too large for the work left.
func (h *Harvest) findText(doc *html.Node, work *kb.Work) *text.Found {
	if !work.Spend(1 << 16) {
		return nil
	}
	m := text.Find(doc)
	t := m.Text
	h.Text = &t
	return m
}

// textWithout finds the main text of the page outside of some elements; nil where it is unlikely or short.
func (h *Harvest) textWithout(doc *html.Node, work *kb.Work, left ...map[*html.Node]bool) *text.Found {
	m := h.findText(doc, work)
	if m == nil {
		return nil
	}
	m.Leave(left...)
	if !enough(m) {
		return nil
	}
	return m
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

// leastSure is the least confidence of a main text that is published as a content. It is arbitrary.
// Pages with a lower confidence still have a text, which claims nothing.
const leastSure = 0.78

// enough reports whether a main text is likely, and fills its page.
func enough(m *text.Found) bool { return m.Confidence >= leastSure && fills(m) }

// fills reports whether a main text has enough words, and a quarter of the words of its page.
func fills(m *text.Found) bool {
	w := m.Weigh()
	own := w.Words - w.Linked
	return own >= leastStated && 4*own >= w.Page
}

// dominates reports whether a main text is clearly the purpose of its page: prose, much of the page,
// and few links among it.
func dominates(w text.Weight) bool {
	own := w.Words - w.Linked
	return w.Prose >= leastUnstated && 2*w.Prose > own && 4*w.Linked < own && 5*own >= 2*w.Page
}

// wholePage makes one object of a page that is an article, by its declaration or because a text
// dominates it.
func wholePage(p Page, h *Harvest, work *kb.Work, s *statement) (Object, bool) {
	if s.other && !s.article || p.Type != nil && p.Type.Rank > 1 && !s.article || !s.article && elsewhere(p) {
		return Object{}, false
	}
	m := h.findText(p.Doc, work)
	if m == nil {
		return Object{}, false
	}
	if !enough(m) || !s.article && (m.Repeats() || !s.likely && !dominates(m.Weigh())) {
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
	o.Fields = append(o.Fields, textFields(m, title, work, newResolver(p))...)
	return o, o.Value("content") != ""
}

// MainText returns the element with most of the main text of a page, whether it is of one object or a
// list; nil for a page with little text.
func MainText(p Page) *html.Node {
	m := text.Find(p.Doc)
	if !fills(m) {
		return nil
	}
	return m.Bulk()
}

// textFields are the fields of an object for a main text, without the title of the object.
func textFields(m *text.Found, title string, work *kb.Work, at *resolver) []Field {
	m.LeaveTitle(title)
	root, left := m.Place()
	if root == nil {
		return nil
	}
	c := &copier{work: work, left: func(n *html.Node) bool { return left[n] }, resolve: at}
	plain, markup := c.blockText(root), c.innerHTML(root)
	if work.Spent() || len(plain)+len(markup) > maxValues {
		return nil
	}
	return []Field{{Name: "content", As: kb.HTML, Values: []string{plain}}, {Name: "content_html", As: kb.HTML, Values: []string{markup}}}
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
