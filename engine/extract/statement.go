package extract

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// statement is what a page says of itself, in ways that no application owns:
// JSON-LD and microdata of schema.org, Open Graph, meta elements, links with
// rel=author.
type statement struct {
	article bool // it says that it is an article, in JSON-LD or microdata
	likely  bool // og:type says so, which some put on every page
	other   bool // it says that it is a list, a discussion or the like
	dated   bool // a meta element says when it was published

	titles, authors, dates []Stated // best first
}

// Stated is a value that a page states of itself, and where it does.
type Stated struct {
	Value string
	Node  *html.Node
	Attr  string // of the node; empty for its text
	Key   string // of JSON-LD in that text
}

// Statement is what a page states of itself in ways that no application owns: JSON-LD
// and microdata of schema.org, Open Graph, meta elements, links with rel=author.
type Statement struct {
	// Article tells that the page says that it is one article, and when it was published.
	Article bool
	// Other tells that it says that it is something else: a list, a shop, a forum.
	Other bool
	// Titles, Creators and Created are what is stated, the best first.
	Titles, Creators, Created []Stated
}

// ReadStatement reads what a page states of itself.
func ReadStatement(doc *html.Node) Statement {
	s := readStatement(doc, kb.NewWork(maxWork/4))
	return Statement{
		Article: len(s.dates) > 0 && (s.article || s.likely && s.dated && !s.other),
		Other:   s.other,
		Titles:  s.titles, Creators: s.authors, Created: s.dates,
	}
}

// Names of schema.org for pages that are one text, and for those that are not.
var (
	articleTypes = map[string]bool{
		"Article": true, "BlogPosting": true, "NewsArticle": true, "TechArticle": true, "Report": true, "ScholarlyArticle": true,
		"OpinionNewsArticle": true, "AnalysisNewsArticle": true,
		"ReportageNewsArticle": true, "BackgroundNewsArticle": true, "ReviewNewsArticle": true, "AdvertiserContentArticle": true,
		"SatiricalArticle": true, "LiveBlogPosting": true, "Recipe": true, "HowTo": true,
	}
	otherTypes = map[string]bool{
		"CollectionPage": true, "SearchResultsPage": true, "ProfilePage": true, "QAPage": true, "DiscussionForumPosting": true,
		"ItemList": true, "ItemPage": true, "Product": true, "CheckoutPage": true, "MediaGallery": true, "ImageGallery": true,
	}
)

// maxLD bounds the JSON-LD of a page, in bytes and in objects looked at.
const (
	maxLD        = 1 << 20
	maxLDObjects = 2000
)

// readStatement reads what a page says of itself.
func readStatement(doc *html.Node, work *kb.Work) *statement {
	s := &statement{}
	var meta, micro statement
	ld := &linkedData{byID: map[string]map[string]any{}}
	size, items := 0, 0
	for n := range doc.Descendants() {
		if !work.Spend(1) {
			return s
		}
		switch n.DataAtom {
		case atom.Script:
			if text := textOf(n); strings.EqualFold(attr(n, "type"), "application/ld+json") && size+len(text) <= maxLD {
				size += len(text)
				ld.add(n, text)
			}
		case atom.Meta:
			meta.meta(n)
		}
		if t := attr(n, "itemtype"); t != "" && articleTypes[t[strings.LastIndexByte(t, '/')+1:]] {
			items++
		}
		micro.micro(n)
	}
	ld.read(s)
	s.article = s.article || items == 1
	s.other = s.other || items > 1
	s.likely, s.dated = meta.likely, len(meta.dates) > 0
	s.titles = append(append(s.titles, meta.titles...), micro.titles...)
	s.authors = append(append(s.authors, meta.authors...), micro.authors...)
	s.dates = append(append(s.dates, meta.dates...), micro.dates...)
	return s
}

func textOf(n *html.Node) string {
	if n.FirstChild == nil || n.FirstChild.Type != html.TextNode {
		return ""
	}
	return n.FirstChild.Data
}

// meta reads one meta element.
func (s *statement) meta(n *html.Node) {
	name, value := strings.ToLower(attr(n, "property")+attr(n, "name")), strings.TrimSpace(attr(n, "content"))
	if value == "" {
		return
	}
	switch name {
	case "og:type":
		s.likely = s.likely || strings.EqualFold(value, "article")
	case "og:title", "twitter:title":
		s.titles = append(s.titles, Stated{Value: value, Node: n, Attr: "content"})
	case "author", "article:author", "dc.creator", "parsely-author", "sailthru.author", "citation_author":
		if !strings.Contains(value, "://") && !strings.HasPrefix(value, "@") {
			s.authors = append(s.authors, Stated{Value: value, Node: n, Attr: "content"})
		}
	case "article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created", "pubdate", "publish-date",
		"parsely-pub-date", "sailthru.date", "citation_publication_date":
		s.dates = append(s.dates, Stated{Value: value, Node: n, Attr: "content"})
	}
}

// micro reads an element's microdata, rel=author, and names of microformats.
func (s *statement) micro(n *html.Node) {
	prop, rel, class := attr(n, "itemprop"), attr(n, "rel"), " "+attr(n, "class")+" "
	if prop == "" && rel == "" && n.DataAtom != atom.Time && class == "  " {
		return
	}
	value := func() Stated {
		for _, name := range []string{"content", "datetime"} {
			if v := attr(n, name); v != "" {
				return Stated{Value: v, Node: n, Attr: name}
			}
		}
		return Stated{Value: fold(innerText(n, 300)), Node: n}
	}
	switch {
	case prop == "headline" && n.DataAtom != atom.Meta:
		s.titles = append(s.titles, value())
	case prop == "datePublished", n.DataAtom == atom.Time &&
		(hasAttr(n, "pubdate") || strings.Contains(class, " published ") || strings.Contains(class, " dt-published ")):
		s.dates = append(s.dates, value())
	case prop == "name" && ofAuthor(n), prop == "author" && !hasAttr(n, "itemscope"):
		s.authors = append(s.authors, value())
	case rel == "author" && n.DataAtom == atom.A:
		if v := value(); len(strings.Fields(v.Value)) <= mostNames { // "View all of Ada's posts" leads there too
			s.authors = append(s.authors, v)
		}
	}
}

// mostNames is how many words the name of an author has.
const mostNames = 4

// ofAuthor reports whether an element is inside one that itemprop calls the author.
func ofAuthor(n *html.Node) bool {
	for a := n.Parent; a != nil; a = a.Parent {
		if p := attr(a, "itemprop"); p != "" {
			return p == "author" || p == "creator"
		}
	}
	return false
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// innerText joins the texts of the next thousand nodes below n, at most so many
// bytes of them.
func innerText(n *html.Node, most int) string {
	var b strings.Builder
	nodes := 0
	for d := range n.Descendants() {
		if nodes++; nodes > 1000 {
			break
		}
		if d.Type == html.TextNode && !silent[d.Parent.DataAtom] {
			b.WriteString(unhyphenate(d.Data))
			b.WriteByte(' ')
		}
		if b.Len() > most {
			break
		}
	}
	return b.String()
}

// linkedData is the JSON-LD of a page.
type linkedData struct {
	top  []any
	in   []*html.Node // by index of top
	byID map[string]map[string]any
	seen int
}

func (l *linkedData) add(n *html.Node, text string) {
	var v any
	if json.Unmarshal([]byte(strings.TrimSpace(text)), &v) != nil {
		return // half of the web's is broken
	}
	l.top, l.in = append(l.top, v), append(l.in, n)
	l.index(v, 0)
}

// index remembers objects by @id: others refer to them.
func (l *linkedData) index(v any, depth int) {
	if l.seen++; l.seen > maxLDObjects || depth > 20 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			l.index(e, depth+1)
		}
	case map[string]any:
		if id, _ := v["@id"].(string); id != "" && v["@type"] != nil {
			l.byID[id] = v
		}
		for _, e := range v {
			l.index(e, depth+1)
		}
	}
}

// read finds the articles among the objects that are about the page itself.
func (l *linkedData) read(s *statement) {
	articles := 0
	var in *html.Node
	state := func(list []Stated, key string, values []string) []Stated {
		for _, v := range values {
			list = append(list, Stated{Value: v, Node: in, Key: key})
		}
		return list
	}
	var look func(v any, depth int)
	look = func(v any, depth int) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				look(e, depth)
			}
		case map[string]any:
			if depth > 3 {
				return
			}
			article := false
			for _, t := range texts(v["@type"]) {
				article = article || articleTypes[t]
				s.other = s.other || otherTypes[t]
			}
			if article {
				articles++
				s.titles = state(s.titles, "headline", texts(v["headline"]))
				s.authors = state(s.authors, "author", l.people(v["author"]))
				s.dates = state(s.dates, "datePublished", texts(v["datePublished"]))
			}
			look(v["@graph"], depth+1)
			look(v["mainEntity"], depth+1)
		}
	}
	for i, v := range l.top {
		in = l.in[i]
		look(v, 0)
	}
	s.article, s.other = articles == 1, s.other || articles > 2
	if articles == 2 { // plugins and themes each write one
		s.article = true
	}
}

// texts gives the texts in a value that is one or several.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{strings.TrimPrefix(strings.TrimPrefix(v, "http://schema.org/"), "https://schema.org/")}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// people gives the names of authors, written out or referred to.
func (l *linkedData) people(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if _, nested := e.([]any); !nested {
				out = append(out, l.people(e)...)
			}
		}
		return out
	case map[string]any:
		if v["name"] == nil {
			id, _ := v["@id"].(string)
			v = l.byID[id]
		}
		return texts(v["name"])
	}
	return nil
}

// title is the heading that the page calls its title elsewhere too, or else what
// it says its title is, without the name of the host.
func (s *statement) title(doc *html.Node, host string) string {
	var stated []string
	for _, t := range s.titles {
		stated = append(stated, t.Value)
	}
	if t := elementOf(doc, atom.Title); t != nil {
		stated = append(stated, innerText(t, 300))
	}
	for n := range doc.Descendants() {
		if n.DataAtom != atom.H1 && n.DataAtom != atom.H2 {
			continue
		}
		h := fold(innerText(n, 300))
		for _, t := range stated {
			if h != "" && len(h) > 3 && strings.Contains(bareTitle(t), bareTitle(h)) {
				return h
			}
		}
	}
	for _, t := range stated {
		if t = fold(html.UnescapeString(t)); t != "" {
			return withoutHost(t, host)
		}
	}
	return ""
}

// titleSigns part a title from the name of its site.
var titleSigns = regexp.MustCompile(`\s+[|»«·•~–—:-]+\s+`)

// withoutHost is a title without its first or last part, where that names the host: "Oars | Boat Yard" of boatyard.example.
func withoutHost(title, host string) string {
	signs := titleSigns.FindAllStringIndex(title, -1)
	if len(signs) == 0 {
		return title
	}
	labels := strings.Split(strings.ReplaceAll(strings.ToLower(host), "-", ""), ".")
	names := func(part string) bool {
		letters := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, part)
		return letters != "" && slices.Contains(labels, letters)
	}
	first, last := signs[0], signs[len(signs)-1]
	switch {
	case names(title[last[1]:]):
		return title[:last[0]]
	case names(title[:first[0]]):
		return title[first[1]:]
	}
	return title
}

// bareTitle is a title without what typesetting changes.
func bareTitle(s string) string {
	return strings.ToLower(strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—",
		"-").Replace(fold(html.UnescapeString(s))))
}

// author is the first author that is said to be one.
func (s *statement) author() string {
	for _, a := range s.authors {
		if name := fold(html.UnescapeString(a.Value)); name != "" && len(name) < 200 {
			return name
		}
	}
	return ""
}
