package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// PartKind says what a part of a page is.
type PartKind uint8

// The kinds of parts.
const (
	BodyPart PartKind = iota
	HeadingPart
	MetaPart // what the page says of itself, unseen
	MenuPart
	PicturePart // what is said in place of a picture
	ListPart
	TablePart
	CodePart
)

// Part is a run of text of a page that is of one kind.
type Part struct {
	Kind PartKind
	Text string // white space folded
}

// What the parts of a page may have; the rest of a page that has more says nothing new.
const (
	maxParts    = 20_000
	maxPartText = 4 << 20 // bytes
)

// Parts cuts a page in parts, in the order of the page: all that a reader sees, and
// the description in its head. cut tells that the page has more.
func Parts(doc *html.Node) (parts []Part, cut bool) {
	c := cutter{work: kb.NewWork(maxWork / 4)}
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Meta && strings.EqualFold(attr(n, "name"), "description") {
			c.kind = MetaPart
			c.run.add(attr(n, "content"))
			c.flush()
		}
		if n.DataAtom == atom.Body {
			c.kind = BodyPart
			c.node(n, 0)
			c.flush()
			break
		}
		if !c.work.Spend(1) {
			break
		}
	}
	return c.parts, c.full || c.work.Spent()
}

// Title is the text of a page's title element, folded.
func Title(doc *html.Node) string {
	n := elementOf(doc, atom.Title)
	if n == nil || n.FirstChild == nil {
		return ""
	}
	const most = 1 << 10
	t := fold(n.FirstChild.Data)
	return strings.ToValidUTF8(t[:min(len(t), most)], "")
}

// Language is the language that a page says it is in, as BCP 47 has it; "" where it says
// none.
func Language(doc *html.Node) string {
	n := elementOf(doc, atom.Html)
	if n == nil {
		return ""
	}
	lang := strings.TrimSpace(attr(n, "lang"))
	for i := range len(lang) {
		if c := lang[i] | 0x20; !(c >= 'a' && c <= 'z') && lang[i] != '-' && !(lang[i] >= '0' && lang[i] <= '9') {
			return ""
		}
	}
	return lang[:min(len(lang), 35)]
}

// cutter cuts a page in parts.
type cutter struct {
	work  *kb.Work
	run   folded
	kind  PartKind // of the run
	parts []Part
	size  int
	full  bool
}

func (c *cutter) flush() {
	text := c.run.String()
	c.run = folded{}
	if text == "" {
		return
	}
	if c.size += len(text); c.size > maxPartText || len(c.parts) >= maxParts {
		c.full = true
		return
	}
	c.parts = append(c.parts, Part{c.kind, text})
}

// partKinds are the elements that say what is in them.
var partKinds = map[atom.Atom]PartKind{
	atom.H1: HeadingPart, atom.H2: HeadingPart, atom.H3: HeadingPart, atom.H4: HeadingPart, atom.H5: HeadingPart, atom.H6: HeadingPart,
	atom.Li: ListPart, atom.Dt: ListPart, atom.Dd: ListPart, atom.Td: TablePart, atom.Th: TablePart, atom.Pre: CodePart,
}

func (c *cutter) node(n *html.Node, depth int) {
	if c.full || depth > maxDepth || !c.work.Spend(1+len(n.Data)/64) {
		return
	}
	switch {
	case n.Type == html.TextNode:
		c.run.add(n.Data)
		return
	case n.Type != html.ElementNode || silent[n.DataAtom]:
		return
	case n.DataAtom == atom.Img:
		if alt := fold(attr(n, "alt")); alt != "" {
			outer := c.kind
			c.flush()
			c.kind = PicturePart
			c.run.add(alt)
			c.flush()
			c.kind = outer
		}
		return
	}
	outer := c.kind
	if b := breaking(n); b {
		c.flush()
		kind, says := partKinds[n.DataAtom]
		switch {
		case outer == MenuPart:
		case isMenu(n):
			c.kind = MenuPart
		case says:
			c.kind = kind
		}
		defer func() {
			c.flush()
			c.kind = outer
		}()
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.node(k, depth+1)
	}
}
