package draft

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// Draft is a proposed type with pages that it holds for.
type Draft struct {
	XML      []byte
	Examples map[string][]byte // pages, by file name
	// Content is what it says of its threads or articles, which does not change any more once there is enough of them.
	Content string
	// Lists counts the levels that lead to threads or articles.
	Lists int
	// Posts counts those that it finds on the pages that it was made from, and Whole those of them with author, date and text.
	Posts, Whole int
	// objects counts posts and articles by class, missing the ones without a field by class and
	// field.
	objects, missing map[string]int
	dates            int // that a page with an article has, in the mean
}

// Make proposes a type for the software of a site. first is the address that the crawl began with, and least how many pages of a shape
// prove something: 3 of a crawl, 1 where somebody chose the pages.
func Make(id string, pages []*Page, first *url.URL, least int) (*Draft, error) {
	s := gather(pages, least)
	t, err := s.findThreads()
	if err != nil {
		return nil, err
	}
	s.findCopies(t.form)
	begin := addressOf(first)
	if at := s.all[first.String()]; at != nil {
		begin = at.address
	}
	w := writer{id: id, site: s, threads: &t, wiki: s.isWiki(&t), host: first, lacking: map[string]bool{}, leads: map[string]bool{}}
	if !w.wiki {
		w.lists = s.findLists(&t, begin.base)
	}
	w.start = s.findStart(w.lists, first)
	if t.article != nil {
		w.shows = s.shows(&t)
	}
	if w.listsShowTexts() {
		w.tellLists()
	}
	var d *Draft
	examples := ""
	for range 2 { // fields that guests lack and lists that lead nowhere are known after the first
		if at := slices.IndexFunc(w.lists, func(l list) bool { return d != nil && !w.leads[l.id+" "+l.to] }); at >= 0 {
			if w.lists = w.lists[:at]; at == 0 {
				return nil, ErrNoWay
			}
			w.start = s.findStart(w.lists, first)
		}
		w.write("")
		base, err := kb.Load(kb.Source{Name: id + ".xml", Data: w.b.Bytes()})
		if err != nil {
			return nil, fmt.Errorf("what was drafted is no knowledge base: %w", err)
		}
		d = &Draft{Examples: map[string][]byte{}, objects: map[string]int{}, missing: map[string]int{}}
		if examples, err = w.examples(detect.New(base), d); err != nil {
			return nil, err
		}
	}
	w.write(examples)
	if t.article != nil && t.posts == nil {
		d.dates = datesOf(t.pages)
	}
	d.XML, d.Content, d.Lists = bytes.Clone(w.b.Bytes()), w.content(), len(w.lists)
	if w.wiki {
		d.Lists = 1 // articles lead to articles
	}
	return d, nil
}

type writer struct {
	id      string
	site    *site
	threads *threads
	wiki    bool
	lists   []list
	start   *start // nil where the crawl began with a list
	host    *url.URL
	lacking map[string]bool // fields that some records have not
	leads   map[string]bool // pairs of levels with links between them
	shows   selector        // what shows that a page is an article
	b       bytes.Buffer
}

func (w *writer) line(depth int, format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// write writes the type, with examples.
func (w *writer) write(examples string) {
	w.b.Reset()
	w.line(0, `<?xml version="1.0" encoding="UTF-8"?>`)
	w.line(0, `<kb xmlns="urn:awarc:kb:1">`)
	category := "forum"
	switch {
	case w.wiki:
		category = "wiki"
	case w.threads.article != nil:
		category = "blog"
	}
	w.line(1, `<category id="%s">`, category)
	w.line(2, `<type id="%s" name="%s">`, kb.Escape(w.id), kb.Escape(w.id))
	w.line(3, `<detect>`)
	patterns := w.site.detection()
	if len(patterns) < 2 && (len(patterns) == 0 || !strings.HasPrefix(patterns[0], "meta")) {
		patterns = []string{host(w.host)}
		w.line(4, `<pattern>%s</pattern>`, kb.Escape(patterns[0]))
		patterns = nil
	}
	for _, p := range patterns {
		weak := ` weak="yes"`
		if strings.HasPrefix(p, "meta") {
			weak = ""
		}
		w.line(4, `<pattern%s>%s</pattern>`, weak, kb.Escape(p))
	}
	w.line(3, `</detect>`)
	w.urls()
	levels := []func(){w.threadLevel}
	for i := range w.lists {
		levels = append(levels, func() { w.listLevel(&w.lists[i]) })
	}
	if w.listsShowTexts() {
		levels = append(levels[1:], levels[0]) // what shows that a page is a list comes first
	}
	if w.start != nil { // what shows that a page is a list may be on it
		levels = append([]func(){w.startLevel}, levels...)
	}
	for _, write := range levels {
		write()
	}
	w.b.WriteString(examples)
	w.line(2, `</type>`)
	w.line(1, `</category>`)
	w.line(0, `</kb>`)
}

// content is what was written of posts and articles, without which of their fields some lack.
func (w *writer) content() string {
	_, level, _ := strings.Cut(w.b.String(), `<level id="thread"`)
	_, objects, _ := strings.Cut(level, "<object ")
	objects, _, _ = strings.Cut(objects, "</level>")
	return strings.ReplaceAll(objects, ` required="yes"`, "")
}

// urls writes what is paged, and of which levels addresses are.
func (w *writer) urls() {
	w.line(3, `<urls>`)
	seen := map[string]bool{}
	add := func(line string) {
		if !seen[line] {
			seen[line] = true
			w.line(4, "%s", line)
		}
	}
	levels := map[string]form{"thread": w.threads.form}
	order := []string{"thread"}
	for _, l := range w.lists {
		levels[l.id] = l.form
		order = append(order, l.id)
	}
	for _, id := range order {
		pagings := w.site.pagings[levels[id]]
		for _, f := range slices.Sorted(maps.Keys(pagings)) {
			for _, rule := range pagings[f].rules() {
				add(rule)
			}
		}
	}
	for _, o := range w.site.others {
		add(o.write())
	}
	for _, id := range order {
		if f := levels[id]; f.says() {
			add(fmt.Sprintf(`<address level="%s">%s</address>`, id, kb.Escape(f.write(nil))))
		}
	}
	w.line(3, `</urls>`)
}

func (w *writer) threadLevel() {
	t := w.threads
	w.line(3, `<level id="thread" kind="terminal">`)
	switch {
	case t.article != nil:
		w.line(4, `<detect><pattern>%s</pattern></detect>`, kb.Escape(w.shows.pattern()))
	default:
		w.line(4, `<detect><pattern>%s//%s</pattern></detect>`, kb.Escape(t.posts.at.pattern()), kb.Escape(t.posts.content.pattern()))
	}
	if t.paged {
		w.follow("thread", t.at, t.form, true)
	}
	if w.wiki {
		w.line(4, `<follow to="thread">%s</follow>`, kb.Escape(t.article.content.path()+"//a"+hrefs(t.form.literal())))
	}
	class, inner, rel := "sioc:Thread", "sioc:Post", ""
	switch {
	case w.wiki:
		class = wikiArticle
	case t.article != nil:
		class, inner, rel = blogPost, "sioct:Comment", ` rel="reply_of"`
	}
	w.line(4, `<object class="%s" id="{url}">`, class)
	w.line(5, `<field name="title" required="yes">%s</field>`, kb.Escape(t.title))
	if a := t.article; a != nil && w.wiki {
		w.fields(5, nil, &a.fields, a.without...) // who changed it last did not write it
	} else if a != nil {
		w.fields(5, a.bylines, &a.fields, a.without...)
	}
	if p := t.posts; p != nil {
		w.line(5, `<object class="%s"%s at="%s" id="{url}#%s">`, inner, rel, kb.Escape(p.at.path()), kb.Escape(p.id))
		w.fields(6, p.names(), p)
		w.line(5, `</object>`)
	}
	w.line(4, `</object>`)
	w.line(3, `</level>`)
}

// shows finds what tells articles: the element of the text, or where nearly all other pages have that, too, one that these have not.
func (s *site) shows(t *threads) selector {
	var others []*Page
	for _, f := range slices.Sorted(maps.Keys(s.groups)) {
		if f != t.form {
			others = append(others, spread(s.groups[f], sample)...)
		}
	}
	if share(t.article.content, others) < nearlyAll {
		return t.article.content // lists that show it are told by what else they have
	}
	if at, ok := tells(t.pages, others); ok {
		return at
	}
	return t.article.content
}

const strays = 0.1 // share of pages that may have what tells others

// tells finds what tells pages from others: an element that they have and few of the others.
func tells(pages, others []*Page) (selector, bool) {
	shares := func(pages []*Page) map[selector]float64 {
		has := map[selector]float64{}
		for _, p := range pages {
			here := map[selector]bool{}
			for n := range p.Doc.Descendants() {
				for _, c := range classes(n) {
					here[selector{name: n.Data, class: c}] = true
				}
			}
			for one := range here {
				has[one] += 1 / float64(len(pages))
			}
		}
		return has
	}
	among := shares(others)
	return best(shares(pages), func(at selector, on float64) float64 {
		const all = 0.995 // but for a page that is something else
		if on < all || among[at] > strays {
			return 0
		}
		return on - among[at]
	})
}

// share is that of the pages that have an element.
func share(at selector, pages []*Page) (n float64) {
	for _, p := range pages {
		if at.first(p.Doc) != nil {
			n += 1 / float64(len(pages))
		}
	}
	return n
}

// tellLists finds what tells lists from articles, where lists are told first. Those that nothing tells are left out, with those that lead
// there.
func (w *writer) tellLists() {
	articles := spread(w.threads.pages, sample)
	for i := range w.lists {
		l := &w.lists[i]
		if share(l.at, articles) <= strays {
			continue
		}
		at, ok := tells(l.pages, articles)
		if !ok {
			w.lists = w.lists[:i]
			return
		}
		l.shows = at
	}
}

// listsShowTexts reports whether lists hold what shows that a page is an article.
func (w *writer) listsShowTexts() bool {
	if w.threads.article == nil {
		return false
	}
	shown, all := 0, 0
	for _, l := range w.lists {
		for _, p := range l.pages {
			if all++; w.shows.first(p.Doc) != nil {
				shown++
			}
		}
	}
	return 10*shown > all
}

// fields writes who wrote what when, as far as it was found.
func (w *writer) fields(depth int, names []byline, f *fields, without ...string) {
	required := func(name string) string {
		if w.lacking[name] {
			return ""
		}
		return ` required="yes"`
	}
	switch len(names) {
	case 0:
	case 1:
		w.line(depth, `<field name="creator"%s>%s</field>`, required("creator"), kb.Escape(names[0].path()))
	default:
		w.line(depth, `<field name="creator"%s>`, required("creator"))
		for _, n := range names {
			w.line(depth+1, `<try>%s</try>`, kb.Escape(n.path()))
		}
		w.line(depth, `</field>`)
	}
	if f.created.name != "" {
		order := ""
		if f.order != "" {
			order = ` order="` + f.order + `"`
		}
		name := "created"
		if w.wiki {
			name = "modified"
		}
		w.line(depth, `<field name="%s" as="date"%s%s>%s</field>`, name, order, required(name), kb.Escape(f.createdPath()))
	}
	if len(without) == 0 {
		w.line(depth, `<field name="content" as="html" required="yes">%s</field>`, kb.Escape(f.content.firstPath()))
		return
	}
	w.line(depth, `<field name="content" as="html" required="yes">`)
	w.line(depth+1, `<try>%s</try>`, kb.Escape(f.content.firstPath()))
	for _, e := range without {
		w.line(depth+1, `<without>%s</without>`, kb.Escape(e))
	}
	w.line(depth, `</field>`)
}

// startLevel writes the level of the first page.
func (w *writer) startLevel() {
	w.line(3, `<level id="start" kind="intermediate">`)
	w.line(4, `<detect><pattern>url/path[.='%s']</pattern></detect>`, kb.Escape(quotable(w.start.at.EscapedPath())))
	w.line(4, `<follow to="%s">a[@href='%s']</follow>`, w.start.to, kb.Escape(strings.Join(w.start.links, "' or @href='")))
	w.line(3, `</level>`)
}

// listLevel writes a level that only leads on: to all that lists lead to, since forums are in forums.
func (w *writer) listLevel(l *list) {
	w.line(3, `<level id="%s" kind="intermediate">`, l.id)
	shows := l.at.pattern() + l.hrefs()
	if l.shows.name != "" {
		shows = l.shows.pattern()
	}
	w.line(4, `<detect><pattern>%s</pattern></detect>`, kb.Escape(shows))
	var others []*list
	for i := range w.lists {
		if other := &w.lists[i]; other == l || w.site.holds(l.pages, other) {
			others = append(others, other)
			w.line(4, `<follow to="%s">%s</follow>`, other.to, kb.Escape(other.at.path()+other.hrefs()))
		}
	}
	if l.paged {
		w.follow(l.id, l.more, l.form, true)
	} else if at, ok := w.site.further(l); ok {
		w.follow(l.id, at, "", false)
	}
	for _, other := range others {
		w.changes(l, other)
	}
	w.line(3, `</level>`)
}

// hrefs is the predicate of the links of a list.
func (l *list) hrefs() string { return hrefs(l.href) }

// hrefs is the predicate of links that all have a text in their addresses, "" for none.
func hrefs(text string) string {
	if text == "" {
		return ""
	}
	return "[contains(@href, '" + text + "')]"
}

// follow writes an action. Links to further pages have the parameter that they are counted by.
func (w *writer) follow(to string, at selector, of form, further bool) {
	expr, paged := at.path(), ""
	if further {
		paged = ` paging="yes"`
		params := map[string]bool{}
		for _, p := range w.site.pagings[of] {
			params[p.param] = true
		}
		if len(params) == 1 && !params[""] {
			for name := range params {
				expr += "[contains(@href, '" + quotable(name) + "=')]"
			}
		}
	}
	w.line(4, `<follow to="%s"%s>%s</follow>`, to, paged, kb.Escape(expr))
}

// examples writes what the draft finds on some pages, and counts what it finds on all.
func (w *writer) examples(d *detect.Detector, out *Draft) (string, error) {
	var b strings.Builder
	add := func(level string, pages []*Page, most int) error {
		shown := 0
		for _, page := range pages {
			text, err := render(page.Doc)
			if err != nil {
				return err
			}
			// Without the time of the capture, as examples are read: dates may depend on it.
			answer := engine.Answer{URL: page.URL, Status: 200, HTML: text, Charset: "utf-8"}
			p, err := engine.Inspect(d, answer, engine.Hints{})
			if err != nil {
				return fmt.Errorf("%s: %w", page.URL, err)
			}
			for _, m := range p.Harvest.Misses {
				w.lacking[m.Field] = true
			}
			for _, l := range p.Harvest.Links {
				w.leads[level+" "+string(l.To)] = true
			}
			for _, o := range p.Harvest.Objects {
				if o.Class != "sioc:Thread" {
					out.count(&o)
				}
			}
			if shown < most && p.Harvest.Level != nil && string(p.Harvest.Level.ID) == level && len(p.Harvest.Misses) == 0 {
				shown++
				name := fmt.Sprintf("%s-%s-%d.html", w.id, level, shown)
				out.Examples[name] = text
				b.WriteString(Example(name, page, &p))
			}
		}
		return nil
	}
	err := add("thread", w.threads.pages, 2)
	if w.start != nil && err == nil {
		err = add("start", []*Page{w.site.all[w.start.at.String()]}, 1)
	}
	for _, l := range w.lists {
		if err == nil {
			err = add(l.id, spread(l.pages, sample), 1)
		}
	}
	return b.String(), err
}

// Example writes, as an example of a knowledge base, what is found on a page of a file: for review.
func Example(name string, page *Page, p *engine.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "      <example page=%q url=%q level=%q objects=\"%d\"", name, kb.Escape(page.URL.String()), p.Harvest.Level.ID,
		len(p.Harvest.Objects))
	if n := len(p.Harvest.Changes); n > 0 {
		fmt.Fprintf(&b, " changes=\"%d\"", n)
	}
	b.WriteString(">\n")
	for _, o := range p.Harvest.Objects {
		if o.Class == "sioc:Thread" {
			continue
		}
		for _, f := range []string{"creator", "content"} {
			value := strings.Join(strings.Fields(o.Value(f)), " ")
			if value == "" {
				continue
			}
			if len(value) > 60 {
				value = strings.ToValidUTF8(value[:60], "") + "…"
			}
			fmt.Fprintf(&b, "        <field of=%q n=\"1\" name=%q>%s</field>\n", o.Class, f, kb.Escape(value))
		}
		break
	}
	told := map[kb.LevelID]bool{}
	for _, l := range p.Harvest.Links {
		if !told[l.To] && l.To != "" {
			told[l.To] = true
			fmt.Fprintf(&b, "        <link to=%q url=%q/>\n", l.To, kb.Escape(l.URL))
		}
	}
	b.WriteString("      </example>\n")
	return b.String()
}

// render is the HTML of a page, in UTF-8.
func render(doc *html.Node) ([]byte, error) {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Html {
			var b bytes.Buffer
			err := html.Render(&b, n)
			return b.Bytes(), err
		}
	}
	return nil, nil
}
