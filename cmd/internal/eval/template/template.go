// Package template edits saved pages in the way that authors change templates.
package template

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Kinds of edits that change a template without changing the visible content.
const (
	renameClass   = "rename class"
	renameID      = "rename id"
	classToID     = "class to id"
	changeTag     = "change tag"
	addWrapper    = "add wrapper"
	removeWrapper = "remove wrapper"
	reorderFields = "reorder"
	dropAttribute = "drop attribute"
)

// Kinds are all kinds of edits.
var Kinds = []string{renameClass, renameID, classToID, changeTag, addWrapper, removeWrapper, reorderFields, dropAttribute}

// Element identifies an element of a template on all pages made from the template: by a class, by
// an id or its prefix, or, without these, by its tag below another element.
type Element struct {
	tag, attr, token string
	under            *Element
}

func (t Element) String() string {
	switch t.attr {
	case "class":
		return t.tag + "." + t.token
	case "id":
		return t.tag + "#" + t.token
	}
	if t.under == nil {
		return t.tag
	}
	return t.under.String() + ">" + t.tag
}

// matches reports whether a node is an instance of the element.
func (t Element) matches(n *html.Node) bool {
	if n.Type != html.ElementNode || n.Data != t.tag {
		return false
	}
	switch t.attr {
	case "class":
		return slices.Contains(strings.Fields(attrOf(n, "class")), t.token)
	case "id":
		return IDStem(attrOf(n, "id")) == t.token
	}
	return attrOf(n, "class") == "" && attrOf(n, "id") == "" && t.under != nil && n.Parent != nil && t.under.matches(n.Parent)
}

// nodes returns all instances of the element on a page.
func (t Element) nodes(root *html.Node) []*html.Node {
	var out []*html.Node
	for n := range root.Descendants() {
		if t.matches(n) {
			out = append(out, n)
		}
	}
	return out
}

var digits = regexp.MustCompile(`\d+`)

// IDStem returns an id without its number: "post_17" and "post_18" are instances of one element.
func IDStem(id string) string { return digits.ReplaceAllString(id, "") }

// Number returns the digits that IDStem removes.
func Number(id string) string { return strings.Join(digits.FindAllString(id, -1), "-") }

func attrOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func setAttr(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// Edit is one change of a template. It changes all pages of the template in the same way.
type Edit struct {
	Kind string // one of Kinds
	of   Element
	name string // the new class, id or tag; the dropped attribute
	deep bool   // the wrapper is around the content of the element, not around the element
}

func (e Edit) String() string {
	s := e.Kind + " " + e.of.String()
	if e.name != "" {
		s += " " + e.name
	}
	return s
}

// Mutation is a list of edits of a template. Edits of one element are adjacent.
type Mutation []Edit

// Apply edits a page; ok is false if HTML cannot represent the result.
func (m Mutation) Apply(page []byte) (edited []byte, ok bool) {
	root, err := Parse(page)
	if err != nil {
		return nil, false
	}
	nodes := make([][]*html.Node, len(m))
	for i, e := range m { // before any edit: an edit may hide the nodes of the next one
		nodes[i] = e.of.nodes(root)
	}
	for i, e := range m {
		for number, n := range nodes[i] {
			e.apply(n, number)
		}
	}
	return Render(root)
}

func (e Edit) apply(n *html.Node, number int) {
	if n.Parent == nil {
		return // an edit of another element removed it
	}
	switch e.Kind {
	case renameClass:
		classes := strings.Fields(attrOf(n, "class"))
		for i, c := range classes {
			if c == e.of.token {
				classes[i] = e.name
			}
		}
		setAttr(n, "class", strings.Join(classes, " "))
	case renameID:
		setAttr(n, "id", e.name+Number(attrOf(n, "id")))
	case classToID:
		others := slices.DeleteFunc(strings.Fields(attrOf(n, "class")), func(c string) bool { return c == e.of.token })
		setAttr(n, "class", strings.Join(others, " "))
		id := e.of.token
		if number > 0 { // an id is unique
			id += "-" + strconv.Itoa(number+1)
		}
		setAttr(n, "id", id)
	case changeTag:
		n.Data, n.DataAtom = e.name, atom.Lookup([]byte(e.name))
	case addWrapper:
		w := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div, Attr: []html.Attribute{{Key: "class", Val: e.name}}}
		if inlineTags[n.Data] {
			w.Data, w.DataAtom = "span", atom.Span
		}
		if e.deep {
			for n.FirstChild != nil {
				c := n.FirstChild
				n.RemoveChild(c)
				w.AppendChild(c)
			}
			n.AppendChild(w)
			return
		}
		n.Parent.InsertBefore(w, n)
		n.Parent.RemoveChild(n)
		w.AppendChild(n)
	case removeWrapper:
		for n.FirstChild != nil {
			c := n.FirstChild
			n.RemoveChild(c)
			n.Parent.InsertBefore(c, n)
		}
		n.Parent.RemoveChild(n)
	case reorderFields:
		next := n.NextSibling
		for next != nil && next.Type != html.ElementNode {
			next = next.NextSibling
		}
		if next != nil && !e.of.matches(next) { // not one record before another
			n.Parent.RemoveChild(next)
			n.Parent.InsertBefore(next, n)
		}
	case dropAttribute:
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == e.name })
	}
}

// Parse parses a page like a browser without scripts.
func Parse(page []byte) (*html.Node, error) {
	return html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(false))
}

// Render writes a tree; ok is false if a browser would parse another tree from the page, such as
// for a div inside a p.
func Render(root *html.Node) (page []byte, ok bool) {
	var b bytes.Buffer
	if html.Render(&b, root) != nil {
		return nil, false
	}
	again, err := Parse(b.Bytes())
	return b.Bytes(), err == nil && sameTree(root, again)
}

func sameTree(a, b *html.Node) bool {
	next := func(n *html.Node) *html.Node { // empty text is not written
		for n != nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" {
			n = n.NextSibling
		}
		return n
	}
	if a.Type != b.Type || a.Type != html.TextNode && a.Data != b.Data || len(a.Attr) != len(b.Attr) {
		return false
	}
	x, y := next(a.FirstChild), next(b.FirstChild)
	for x != nil && y != nil {
		if !sameTree(x, y) {
			return false
		}
		if x.Type == html.TextNode { // adjacent texts are parsed as one
			for x.NextSibling != nil && x.NextSibling.Type == html.TextNode {
				x = x.NextSibling
			}
		}
		x, y = next(x.NextSibling), next(y.NextSibling)
	}
	return x == nil && y == nil
}

var inlineTags = map[string]bool{
	"a": true, "span": true, "b": true, "strong": true, "em": true, "i": true, "time": true, "cite": true,
	"small": true, "abbr": true, "font": true,
}

// otherTags are alternative tags for a tag.
var otherTags = map[string][]string{
	"div": {"section", "article", "main"}, "section": {"div", "article"}, "article": {"div", "section"}, "main": {"div", "section"},
	"header": {"div", "section"}, "footer": {"div", "section"},
	"span": {"b", "em", "strong", "i"}, "b": {"span", "strong"}, "strong": {"span", "b"}, "em": {"span", "i"}, "i": {"span", "em"},
	"cite": {"span", "b"}, "small": {"span", "em"}, "time": {"span", "abbr"}, "abbr": {"span", "time"},
	"h1": {"h2", "h3", "div"}, "h2": {"h1", "h3", "div"}, "h3": {"h2", "h4", "div"}, "h4": {"h3", "h5", "div"}, "h5": {"h4", "h6"},
	"p": {"div", "section"}, "blockquote": {"div", "section"}, "font": {"span", "b"},
}

// synonyms are alternative names of things in templates, by name.
var synonyms = map[string][]string{
	"title": {"heading", "headline", "subject", "name"}, "topic": {"thread", "discussion"}, "thread": {"topic", "discussion"},
	"post": {"message", "entry", "item", "story"}, "entry": {"post", "story", "article"}, "message": {"post", "msg", "reply"},
	"msg":    {"message", "post"},
	"author": {"user", "byline", "poster", "writer"}, "user": {"member", "author", "poster"},
	"username": {"member-name", "nick", "author"}, "poster": {"author", "member"},
	"date": {"time", "posted", "when"}, "time": {"date", "when"}, "content": {"body", "text", "copy"},
	"body": {"content", "text", "copy"}, "text": {"body", "content"},
	"comment": {"reply", "response", "feedback"}, "comments": {"replies", "responses"}, "list": {"items", "group"},
	"name": {"title", "label"}, "page": {"sheet", "view"}, "pagination": {"pager", "page-nav"},
	"nav": {"menu", "links"}, "forum": {"board", "room"}, "meta": {"info", "details"}, "details": {"info", "meta"},
	"container": {"wrap", "box"}, "inner": {"inside", "core"}, "header": {"head", "top"},
}

// invented are meaningless names.
var invented = []string{"c-box", "x-block", "u-item", "module", "tile", "cell-a", "panel-x", "frag", "zone", "unit", "slab", "pane"}

// NewName returns a new name as authors of templates would choose it: a synonym, the name with a
// prefix or suffix, or an unrelated name.
func NewName(r *rand.Rand, old string) string {
	parts := strings.FieldsFunc(strings.ToLower(old), func(c rune) bool { return c == '-' || c == '_' })
	switch r.IntN(3) {
	case 0:
		changed := false
		for i, p := range parts {
			if others := synonyms[p]; len(others) > 0 {
				parts[i], changed = others[r.IntN(len(others))], true
			}
		}
		if changed {
			return strings.Join(parts, "-")
		}
		fallthrough
	case 1:
		if len(parts) > 0 {
			affix := []string{"theme", "new", "site", "ui"}[r.IntN(4)]
			return affix + "-" + strings.Join(parts, "")
		}
	}
	return fmt.Sprintf("%s-%c%d", invented[r.IntN(len(invented))], 'a'+r.IntN(26), 10+r.IntN(90))
}

// droppable are attributes that only templates and scripts use.
var droppable = []string{"class", "id", "itemprop", "itemtype", "rel", "role", "style", "align", "property"}

// Target is an element that an action of a page depends on.
type Target struct {
	Element
	// wraps reports that the element lies between an object and a value, so an edit may remove it.
	wraps bool
	// named reports that the element's id identifies an object, so no edit may remove it.
	named bool
	attrs []string // of the element
}

// Edits draws n different edits of one element at random; nil if fewer are applicable.
func (t Target) Edits(r *rand.Rand, n int) Mutation {
	var out Mutation
	taken := map[string]bool{} // subjects of edits: a second edit of a subject would undo the first
	for _, i := range r.Perm(len(Kinds)) {
		if len(out) == n {
			return out
		}
		e := Edit{Kind: Kinds[i], of: t.Element}
		about := e.Kind
		switch e.Kind {
		case renameClass:
			e.name, about = NewName(r, t.token), "class"
		case renameID:
			e.name, about = NewName(r, t.token)+"-", "id"
		case classToID:
			about = "class"
		case changeTag:
			others := otherTags[t.tag]
			if len(others) == 0 {
				continue
			}
			e.name, about = others[r.IntN(len(others))], "tag"
		case addWrapper:
			e.name, e.deep, about = NewName(r, "wrap"), r.IntN(2) == 0, "place"
		case removeWrapper:
			about = "tag"
		case reorderFields:
			about = "place"
		case dropAttribute:
			fit := slices.DeleteFunc(slices.Clone(droppable), func(a string) bool {
				return !slices.Contains(t.attrs, a) || a == "id" && (t.named || t.attr != "id")
			})
			if len(fit) == 0 {
				continue
			}
			e.name = fit[r.IntN(len(fit))]
			about = e.name
		}
		if !t.fits(e.Kind) || taken[about] || e.Kind == removeWrapper && n > 1 {
			continue
		}
		if e.Kind == classToID && taken["id"] || e.Kind == renameID && taken["class"] && t.attr == "class" {
			continue
		}
		taken[about] = true
		out = append(out, e)
	}
	if len(out) < n {
		return nil
	}
	return out
}

// fits reports whether a kind of edit is applicable to the element.
func (t Target) fits(kind string) bool {
	table := slices.Contains([]string{"tr", "td", "th", "table", "tbody", "body", "html", "head"}, t.tag)
	switch kind {
	case renameClass:
		return t.attr == "class"
	case renameID:
		return t.attr == "id"
	case classToID:
		return t.attr == "class" && !slices.Contains(t.attrs, "id")
	case addWrapper:
		return !table && t.tag != "li"
	case removeWrapper:
		return t.wraps && !table
	case reorderFields:
		return !table && !t.named
	case dropAttribute:
		return t.attr != ""
	}
	return true
}
