package text

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits for one page, far above real ones. Text beyond them is ignored and sets [Text.Cut].
const (
	maxElements = 200_000
	maxBlocks   = 20_000
	maxBytes    = 4 << 20 // of text
	maxDepth    = 600     // html.Parse refuses deeper pages
)

// element holds the data about an element of the page that features need.
type element struct {
	node        *html.Node
	up          *element
	tag         atom.Atom
	depth       int
	within      place        // kinds of elements around it, itself included
	hint        [hints]uint8 // distance to the nearest element with this meaning in its names
	key, path   uint32       // hash of tag and classes; of the keys down to it
	alike       *alike       // the siblings with the same key
	first, last int          // blocks in it, last excluded
	words       int
	linked      int // words in links
	sentences   int
	paragraphs  int     // words in paragraphs
	mass        float64 // expected words of main text
}

// alike counts siblings with the same key.
type alike struct {
	count, words int
	mass         float64
}

// place is a set of kinds of elements around a text.
type place uint32

const (
	inNav place = 1 << iota
	inAside
	inFooter
	inHeader
	inForm
	inArticle
	inMain
	inTable
	inList
	inFigure
	inQuote
	inHidden
	inNoscript
	inButton
	inDetails
	inPre
	inDialog
	inPost // an item that declares itself a post, comment or answer
)

var places = map[atom.Atom]place{
	atom.Nav: inNav, atom.Aside: inAside, atom.Footer: inFooter, atom.Header: inHeader, atom.Form: inForm, atom.Article: inArticle,
	atom.Main: inMain, atom.Table: inTable, atom.Ul: inList, atom.Ol: inList, atom.Dl: inList, atom.Figure: inFigure,
	atom.Blockquote: inQuote, atom.Noscript: inNoscript, atom.Button: inButton, atom.Label: inButton, atom.Details: inDetails,
	atom.Pre: inPre, atom.Dialog: inDialog,
}

var roles = map[string]place{
	"navigation": inNav, "menu": inNav, "menubar": inNav, "complementary": inAside, "contentinfo": inFooter, "banner": inHeader,
	"search": inForm, "main": inMain, "article": inArticle, "dialog": inDialog, "alertdialog": inDialog, "button": inButton,
	"tablist": inButton, "tab": inButton, "table": inTable, "list": inList,
}

// breaks are elements that end a block.
var breaks = map[atom.Atom]bool{
	atom.Body: true, atom.P: true, atom.Div: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Dt: true,
	atom.Dd: true, atom.Blockquote: true, atom.Pre: true, atom.Table: true, atom.Tr: true, atom.Td: true, atom.Th: true,
	atom.Tbody: true, atom.Thead: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
	atom.Hr: true, atom.Section: true, atom.Article: true, atom.Aside: true, atom.Header: true, atom.Footer: true, atom.Main: true,
	atom.Nav: true, atom.Caption: true, atom.Legend: true, atom.Dir: true, atom.Menu: true, atom.Figure: true, atom.Figcaption: true,
	atom.Fieldset: true, atom.Form: true, atom.Address: true, atom.Center: true, atom.Details: true, atom.Summary: true,
	atom.Button: true, atom.Dialog: true, atom.Noscript: true,
}

// silent are elements without visible text.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Head: true, atom.Select: true, atom.Textarea: true,
	atom.Iframe: true, atom.Object: true, atom.Svg: true, atom.Math: true, atom.Canvas: true, atom.Datalist: true, atom.Title: true,
}

// block is a run of text between two elements that break a line.
type block struct {
	at    *element // the innermost element around it that breaks lines
	lines []string
	texts []*html.Node // its text nodes
	count
	links   int // words in links
	anchors int
	level   int     // of a heading; 0 for others
	bold    int     // words
	again   int     // earlier blocks with the same words
	echo    float64 // share of its words that earlier blocks hold
}

// walker cuts a page into blocks.
type walker struct {
	blocks []block
	bytes  int
	open   *block
	line   strings.Builder
	groups map[group]*alike
	list   []*element
	page   page
	cut    bool
}

type group struct {
	up  *element
	key uint32
}

// state describes the elements around a text.
type state struct {
	at          *element // innermost
	breaking    *element
	link, bold  bool
	level, deep int
}

// walk cuts the body of a page into blocks.
func walk(doc *html.Node) *walker {
	w := &walker{groups: map[group]*alike{}}
	w.page.read(doc)
	if w.page.body == nil {
		return w
	}
	w.node(w.page.body, state{})
	w.flush()
	for i := len(w.list) - 1; i >= 0; i-- { // children come after their parents
		e := w.list[i]
		e.alike.words += e.words
		if up := e.up; up != nil {
			up.words, up.linked, up.sentences = up.words+e.words, up.linked+e.linked, up.sentences+e.sentences
			up.paragraphs = up.paragraphs + e.paragraphs
		}
	}
	return w
}

func (w *walker) node(n *html.Node, s state) {
	switch n.Type {
	case html.TextNode:
		w.text(n, s)
		return
	case html.ElementNode:
	default:
		return
	}
	if silent[n.DataAtom] || s.deep > maxDepth {
		return
	}
	if n.DataAtom == atom.Br {
		w.endLine()
		return
	}
	if len(w.list) >= maxElements {
		w.cut = true
		return
	}
	e := w.element(n, s.at)
	s.at, s.deep = e, s.deep+1
	breaking := breaks[n.DataAtom]
	if breaking {
		w.flush()
		s.breaking = e
	}
	switch n.DataAtom {
	case atom.A:
		s.link = true
	case atom.B, atom.Strong:
		s.bold = true
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		s.level = int(n.Data[1] - '0')
		if s.level == 1 && w.page.heading < 0 {
			w.page.heading, w.page.headed = len(w.blocks), e
		}
	case atom.Time:
		w.page.times++
	case atom.Article:
		w.page.articles++
	}
	e.first = len(w.blocks)
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		w.node(k, s)
	}
	if breaking {
		w.flush()
	}
	e.last = len(w.blocks)
}

// element describes an element below another one.
func (w *walker) element(n *html.Node, up *element) *element {
	e := &element{node: n, up: up, tag: n.DataAtom, within: places[n.DataAtom]}
	if up != nil {
		e.depth, e.within = up.depth+1, e.within|up.within
		e.hint = up.hint
		for i, d := range e.hint {
			if d < far {
				e.hint[i] = d + 1
			}
		}
	} else {
		for i := range e.hint {
			e.hint[i] = far
		}
	}
	e.key = e.names(n)
	if up != nil {
		e.path = up.path*31 + e.key
	}
	g := group{up, e.key}
	if e.alike = w.groups[g]; e.alike == nil {
		e.alike = &alike{}
		w.groups[g] = e.alike
	}
	e.alike.count++
	w.list = append(w.list, e)
	return e
}

func (w *walker) text(n *html.Node, s state) {
	if s.breaking == nil {
		return
	}
	data := n.Data
	blank := strings.TrimSpace(data) == ""
	if w.open == nil {
		if blank {
			return
		}
		if len(w.blocks) >= maxBlocks || w.bytes > maxBytes {
			w.cut = true
			return
		}
		w.open = &block{at: s.breaking, level: s.level}
	}
	w.bytes += len(data)
	w.open.texts = append(w.open.texts, n)
	if s.at.within&inPre != 0 {
		for i, l := range strings.Split(data, "\n") {
			if i > 0 {
				w.endLine()
			}
			w.line.WriteString(l)
		}
	} else {
		w.line.WriteString(data)
	}
	if blank {
		return
	}
	before := w.open.words
	w.open.add(data)
	if words := w.open.words - before; s.link {
		w.open.links += words
		w.open.anchors++
	} else if s.bold {
		w.open.bold += words
	}
}

func (w *walker) endLine() {
	if w.open == nil {
		return
	}
	if l := strings.Join(strings.Fields(w.line.String()), " "); l != "" {
		w.open.lines = append(w.open.lines, strings.ReplaceAll(l, "\u00ad", ""))
	}
	w.line.Reset()
}

func (w *walker) flush() {
	if w.open == nil {
		return
	}
	w.endLine()
	b := w.open
	w.open = nil
	if len(b.lines) == 0 {
		return
	}
	b.at.words += b.words
	b.at.linked += b.links
	b.at.sentences += b.ends
	if b.at.tag == atom.P || b.at.within&inPre != 0 {
		b.at.paragraphs += b.words
	}
	w.blocks = append(w.blocks, *b)
}
