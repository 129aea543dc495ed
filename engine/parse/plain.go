package parse

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxDepth bounds the open elements of a plain tree, maxInline those of them that mark
	// text: formatting that is never closed is not to use up what blocks need.
	maxDepth  = 2000
	maxInline = 200
)

// builder makes a plain tree.
type builder struct {
	*tokens
	doc, html, head, body *html.Node

	open    []*html.Node // from <html> on
	of      map[string]int
	inline  int // of open, those that are no blocks
	dropped []dropped
	without map[string]int // names of dropped
	units   int
	cut     bool
}

// dropped is a start tag that was left out: its end tag closes nothing.
type dropped struct {
	name  string
	level int // how many elements were open
}

// plain makes the tree of any page in time and memory that grow as the page does: the
// elements as their tags nest, with what HTML lets authors leave out. Formatting ends with
// its block.
func plain(text []byte) Tree {
	b := &builder{tokens: newTokens(text), of: map[string]int{}, without: map[string]int{}}
	b.doc = &html.Node{Type: html.DocumentNode}
	b.html, b.head = element(atom.Html), element(atom.Head)
	b.doc.AppendChild(b.html)
	b.html.AppendChild(b.head)
	b.push(b.html)
	end := len(text)
	for b.next() {
		if b.units += b.nodes(); b.units > maxUnits || b.end > maxText {
			end = b.from
			break
		}
		switch b.kind {
		case html.TextToken:
			b.addText(string(b.z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			b.start()
		case html.EndTagToken:
			b.endTag()
		case html.CommentToken:
			b.top().AppendChild(&html.Node{Type: html.CommentNode, Data: string(b.z.Text())})
		}
	}
	return Tree{Root: b.doc, End: end, Cut: b.cut || b.shortened}
}

func element(a atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
}

func (b *builder) top() *html.Node { return b.open[len(b.open)-1] }

func (b *builder) push(n *html.Node) {
	b.open = append(b.open, n)
	b.of[n.Data]++
	if !isBlock(n) {
		b.inline++
	}
}

// popTo closes what is open but for the first n elements.
func (b *builder) popTo(n int) {
	for len(b.open) > n {
		top := b.top()
		if b.of[top.Data]--; b.of[top.Data] == 0 {
			delete(b.of, top.Data)
		}
		if !isBlock(top) {
			b.inline--
		}
		b.open = b.open[:len(b.open)-1]
	}
	for len(b.dropped) > 0 && b.dropped[len(b.dropped)-1].level > n {
		b.undrop()
	}
}

func (b *builder) drop() {
	b.dropped = append(b.dropped, dropped{b.name, len(b.open)})
	b.without[b.name]++
}

func (b *builder) undrop() {
	last := len(b.dropped) - 1
	if name := b.dropped[last].name; b.without[name] > 1 {
		b.without[name]--
	} else {
		delete(b.without, name)
	}
	b.dropped = b.dropped[:last]
}

// inBody begins the body, where something is not for the head.
func (b *builder) inBody() {
	if b.body == nil {
		b.popTo(1)
		b.body = element(atom.Body)
		b.html.AppendChild(b.body)
		b.push(b.body)
	}
}

func (b *builder) addText(s string) {
	if s = strings.ReplaceAll(s, "\x00", ""); s == "" {
		return
	}
	blank := strings.TrimLeft(s, " \t\r\n\f") == ""
	if top := b.top(); top == b.html || top == b.head {
		if blank {
			return
		}
		b.inBody()
	}
	n := &html.Node{Type: html.TextNode, Data: s}
	if !blank {
		b.insert(n)
		return
	}
	b.top().AppendChild(n)
}

// insert adds a node: to what is open or, where that is a table that cannot hold it,
// before the table.
func (b *builder) insert(n *html.Node) {
	top := b.top()
	if !ofTable[top.DataAtom] || top.Namespace != "" || tableHolds[n.DataAtom] {
		top.AppendChild(n)
		return
	}
	for top.DataAtom != atom.Table && top.Parent != nil {
		top = top.Parent
	}
	if top.Parent == nil {
		b.top().AppendChild(n)
		return
	}
	top.Parent.InsertBefore(n, top)
}

// start adds an element.
func (b *builder) start() {
	foreign := b.top().Namespace
	if foreign != "" && (breakout[b.atom] || holdsHTML(b.top())) {
		foreign = ""
	}
	if b.root() || !b.admitted(foreign) {
		return
	}
	if foreign == "" && b.close() {
		return
	}
	n := &html.Node{Type: html.ElementNode, DataAtom: b.atom, Data: b.name, Namespace: foreign}
	if b.atom == atom.Svg || b.atom == atom.Math {
		n.Namespace = b.name
	}
	if b.atom == atom.Image && foreign == "" {
		n.DataAtom, n.Data = atom.Img, "img"
	}
	if foreign != "" && b.raw {
		b.markup()
	}
	leaf := foreign == "" && void[b.atom] || n.Namespace != "" && b.kind == html.SelfClosingTagToken
	if !leaf && b.full(n) {
		b.drop()
		b.cut = b.cut || !formatting[n.DataAtom]
		return
	}
	n.Attr = b.attrs()
	if formatting[n.DataAtom] && foreign == "" { // as html.Parse does
		slices.SortFunc(n.Attr, func(x, y html.Attribute) int { return strings.Compare(x.Key, y.Key) })
	}
	b.insert(n)
	if !leaf {
		b.push(n)
	}
}

// holdsHTML reports whether an element of <svg> or <math> has HTML in it.
func holdsHTML(n *html.Node) bool {
	switch n.Data {
	case "foreignobject", "desc", "annotation-xml", "mtext", "mi", "mo", "mn", "ms":
		return n.Namespace != ""
	}
	return false
}

// full reports whether there is no room below what is open. Links, and what is not
// markup, always have room: they hold little.
func (b *builder) full(n *html.Node) bool {
	if n.DataAtom == atom.A || b.raw {
		return false
	}
	return len(b.open) >= maxDepth || !isBlock(n) && b.inline >= maxInline
}

// root handles the tags of what every page has.
func (b *builder) root() bool {
	var n *html.Node
	switch b.atom {
	case atom.Html:
		n = b.html
	case atom.Head:
		n = b.head
	case atom.Body:
		b.inBody()
		n = b.body
	default:
		return false
	}
	for _, a := range b.attrs() {
		if len(n.Attr) < maxAttrs {
			n.Attr = append(n.Attr, a)
		}
	}
	return true
}

// admitted finds the place of an element between head and body, and reports whether it
// has one.
func (b *builder) admitted(foreign string) bool {
	if foreign != "" || b.body != nil {
		return true
	}
	if b.top() != b.html && b.top() != b.head {
		return true // <noscript> or <template> in the head
	}
	switch b.atom {
	case atom.Title, atom.Meta, atom.Link, atom.Base, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Basefont, atom.Bgsound:
		if b.top() == b.html {
			b.push(b.head)
		}
	case atom.Frameset:
		b.popTo(1)
		b.body = element(atom.Frameset)
		b.body.Attr = b.attrs()
		b.html.AppendChild(b.body)
		b.push(b.body)
		return false
	default:
		b.inBody()
	}
	return true
}
