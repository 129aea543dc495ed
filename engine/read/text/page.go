package text

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page holds the declarations of a page and counts over all of it.
type page struct {
	body     *html.Node
	title    string
	summary  string // its description
	authors  []string
	texts    []string
	kinds    declared
	heading  int // the first block of the first h1; -1 for none
	headed   *element
	address  string
	times    int
	articles int
}

// declared is a set of kinds of pages that JSON-LD and Open Graph declare.
type declared uint8

const (
	declaresArticle declared = 1 << iota
	declaresThread
	declaresList
	declaresProduct
	ogArticle
	ogOther
)

var declaredPosts = map[string]bool{"DiscussionForumPosting": true, "Comment": true, "Answer": true, "Question": true, "UserComments": true,
	"Review": true}

var declaredKinds = map[string]declared{
	"Article": declaresArticle, "BlogPosting": declaresArticle, "NewsArticle": declaresArticle, "TechArticle": declaresArticle,
	"Report": declaresArticle, "ScholarlyArticle": declaresArticle, "Recipe": declaresArticle, "HowTo": declaresArticle,
	"DiscussionForumPosting": declaresThread, "QAPage": declaresThread, "Question": declaresThread,
	"CollectionPage": declaresList, "ItemList": declaresList, "SearchResultsPage": declaresList, "Blog": declaresList,
	"Product": declaresProduct, "ProductGroup": declaresProduct, "Offer": declaresProduct,
}

// Limits for declarations, far above real ones.
const (
	maxScript   = 1 << 20 // bytes
	maxDeclared = 1 << 20 // bytes of texts
	maxValues   = 20_000
)

// read finds the body and reads the title, meta elements and JSON-LD.
func (p *page) read(doc *html.Node) {
	p.heading = -1
	size, left := 0, maxElements
	for n := range doc.Descendants() {
		if left--; left < 0 {
			return
		}
		switch n.DataAtom {
		case atom.Body:
			if p.body == nil {
				p.body = n
			}
		case atom.Title:
			if p.title == "" && n.FirstChild != nil {
				p.title = n.FirstChild.Data
			}
		case atom.Meta:
			p.meta(n)
		case atom.Link:
			if strings.EqualFold(attr(n, "rel"), "canonical") {
				p.address = cmp.Or(attr(n, "href"), p.address)
			}
		case atom.Script:
			if n.FirstChild == nil || !strings.EqualFold(attr(n, "type"), "application/ld+json") {
				continue
			}
			if size += len(n.FirstChild.Data); size > maxScript {
				continue
			}
			var v any
			if json.Unmarshal([]byte(n.FirstChild.Data), &v) == nil {
				values := maxValues
				p.value(v, 0, &values)
			}
		}
	}
}

func (p *page) meta(n *html.Node) {
	value := strings.TrimSpace(attr(n, "content"))
	switch strings.ToLower(attr(n, "property") + attr(n, "name")) {
	case "description", "og:description", "twitter:description":
		if len(value) > len(p.summary) && len(value) < maxDeclared {
			p.summary = value
		}
	case "author", "article:author", "dc.creator":
		p.author(value)
	case "og:title":
		if p.title == "" {
			p.title = value
		}
	case "og:url":
		p.address = cmp.Or(p.address, value)
	case "og:type":
		if strings.EqualFold(value, "article") {
			p.kinds |= ogArticle
		} else {
			p.kinds |= ogOther
		}
	}
}

// value reads a value of JSON-LD.
func (p *page) value(v any, depth int, left *int) {
	const deepest = 30
	if *left--; *left < 0 || depth > deepest {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			p.value(x, depth+1, left)
		}
	case map[string]any:
		types, _ := v["@type"].([]any)
		for _, t := range append(types, v["@type"]) {
			if t, ok := t.(string); ok {
				p.kinds |= declaredKinds[t]
			}
		}
		for _, key := range []string{"articleBody", "text", "reviewBody", "description"} {
			if s, ok := v[key].(string); ok && len(s) > 40 && len(s) < maxDeclared {
				p.texts = append(p.texts, s)
			}
		}
		p.authorOf(v["author"])
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch x := v[key].(type) {
			case map[string]any, []any:
				p.value(x, depth+1, left)
			}
		}
	}
}

// authorOf reads a declared author: a name, an object with a name, or a list of them.
func (p *page) authorOf(v any) {
	switch v := v.(type) {
	case string:
		p.author(v)
	case map[string]any:
		name, _ := v["name"].(string)
		p.author(name)
	case []any:
		for _, x := range v {
			if _, list := x.([]any); !list {
				p.authorOf(x)
			}
		}
	}
}

func (p *page) author(name string) {
	const longest, most = 200, 100 // bytes, names
	if name != "" && len(name) <= longest && len(p.authors) < most && !strings.Contains(name, "://") {
		p.authors = append(p.authors, name)
	}
}

// addresses lists words in URLs of forums, products, lists, documentation, articles and services.
var addresses = [][]string{
	{"forum", "thread", "topic", "viewtopic", "showthread", "questions", "/t/", "board", "discussion", "comments", "community"},
	{"product", "/p/", "/dp/", "/itm/", "/item"},
	{"collection", "category", "/c/", "catalog", "/shop", "/list", "/cat/", "/tag/", "/browse"},
	{"/docs", "/doc/", "manual", "reference", "/wiki/", "guide", "/api", "tutorial", "/man"},
	{"blog", "news", "article", "story", "/20", "/19", "post"},
	{"service", "about", "solutions", "platform", "features", "pricing"},
}

// path is the path of the declared URL of the page in lower case; "" without one.
func (p *page) path() string {
	_, rest, found := strings.Cut(p.address, "://")
	if !found {
		rest = p.address
	}
	i := strings.IndexByte(rest, '/')
	if i < 0 || len(rest) > 2000 {
		return ""
	}
	return strings.ToLower(rest[i:])
}

func (p *page) addressed(words []string) bool {
	path := p.path()
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(path, w) })
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
