package extract

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// The main text of a page is found by what its blocks look like, not by names
// that one template gave them: a block is content by its length, the share of
// links in it, and its neighbours (Kohlschütter, Fankhauser and Nejdl,
// "Boilerplate Detection using Shallow Text Features", WSDM 2010, algorithm 2);
// the element that holds most of the content is the place of the main text.

// block is a run of text between two elements that break a line.
type block struct {
	texts  []*html.Node // its text nodes
	parent *html.Node   // innermost element around all of it that breaks lines
	weight int          // see [weigh]
	links  int          // the part of weight that is inside anchors
	head   bool         // a heading
	para   bool         // a paragraph of its own
	href   string       // of the first link in it
	good   bool         // content by its shape
	teaser bool         // below a heading that leads to another page of the site
}

// mainText is the place of a page's main text.
type mainText struct {
	root   *html.Node
	left   map[*html.Node]bool // below root: what is no part of it
	blocks []*block            // below root, those left out included
	weight int                 // of the content
	page   int                 // of all text of the page, links left out
}

// word is the weight of a word of average length.
const word = 6

// weigh measures text in letters of an alphabet; ideographs and syllables count
// as much as the letters that would be needed for them.
func weigh(s string) int {
	w, space := 0, true
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			if !space {
				w++
			}
			space = true
			continue
		case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			w += 3
		default:
			w++
		}
		space = false
	}
	return w
}

// finder looks for the main text of one page.
type finder struct {
	work    *kb.Work
	skip    func(*html.Node) bool // objects of their own, such as comments
	weights map[*html.Node]int    // of the text in an element, links left out
	total   int                   // of the body

	blocks []*block
	open   *block              // the block that goes on
	around map[*html.Node]int  // weight of the content in an element
	aside  map[*html.Node]bool // left out with all inside
}

// findMainText finds the main text of a page, nil where it has none: stated tells
// that it is known to have one, home which links lead to the same site, skip which
// elements are something of their own.
func findMainText(doc *html.Node, stated bool, home func(href string) bool, skip func(*html.Node) bool, work *kb.Work) *mainText {
	body := elementOf(doc, atom.Body)
	if body == nil {
		return nil
	}
	f := &finder{work: work, skip: skip, weights: map[*html.Node]int{}, around: map[*html.Node]int{}, aside: map[*html.Node]bool{}}
	f.total = f.weighElements(body, 0)
	f.collect(body, body, 0, nil, false)
	f.flush()
	classify(f.blocks)
	f.teasers(home, stated)
	content := 0
	for _, b := range f.blocks {
		w := b.worth()
		if w == 0 {
			continue
		}
		content += w
		for n := b.parent; n != nil && n != body.Parent && work.Spend(1); n = n.Parent {
			f.around[n] += w
		}
	}
	if content == 0 || work.Spent() {
		return nil
	}
	return f.settle(f.place(body, content))
}

func elementOf(doc *html.Node, a atom.Atom) *html.Node {
	for n := range doc.Descendants() {
		if n.DataAtom == a {
			return n
		}
	}
	return nil
}

// weighElements weighs the text of an element and of those inside it, links left
// out.
func (f *finder) weighElements(n *html.Node, depth int) int {
	switch {
	case depth > maxDepth || !f.work.Spend(1+len(n.Data)/64):
		return 0
	case n.Type == html.TextNode:
		return weigh(n.Data)
	case n.Type != html.ElementNode || silent[n.DataAtom] || n.DataAtom == atom.A || f.skip(n):
		return 0
	}
	w := 0
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		w += f.weighElements(k, depth+1)
	}
	f.weights[n] = w
	return w
}

// collect cuts the text below n in blocks, leaving out what stands beside the
// main text by its element, role or name.
func (f *finder) collect(n, parent *html.Node, depth int, link *html.Node, head bool) {
	switch {
	case depth > maxDepth || !f.work.Spend(1+len(n.Data)/64):
		return
	case n.Type == html.TextNode:
		f.text(n, parent, link, head)
		return
	case n.Type != html.ElementNode || silent[n.DataAtom]:
		return
	case depth > 0 && (f.skip(n) || f.beside(n)):
		f.aside[n] = true
		return
	}
	breaking := breaks[n.DataAtom] || n.DataAtom == atom.Td || n.DataAtom == atom.Th || n.DataAtom == atom.Body
	if breaking {
		f.flush()
		parent = n
	}
	if n.DataAtom == atom.A {
		link = n
	}
	head = head || headings[n.DataAtom]
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		f.collect(k, parent, depth+1, link, head)
	}
	if breaking {
		f.flush()
	}
}

var headings = map[atom.Atom]bool{atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true}

func (f *finder) text(n, parent, link *html.Node, head bool) {
	w := weigh(n.Data)
	if strings.TrimSpace(n.Data) == "" {
		w = 0
	}
	if f.open == nil {
		if w == 0 {
			return
		}
		f.open = &block{parent: parent, head: head, para: parent.DataAtom == atom.P || parent.DataAtom == atom.Pre}
	}
	f.open.texts = append(f.open.texts, n)
	f.open.weight += w
	if link != nil {
		if f.open.links += w; f.open.href == "" {
			f.open.href = attr(link, "href")
		}
	}
}

func (f *finder) flush() {
	if b := f.open; b != nil {
		// Some templates set whole paragraphs as headings.
		b.head = b.head && b.weight < 20*word
		f.blocks = append(f.blocks, f.open)
	}
	f.open = nil
}

// classify tells content from boilerplate by the decision tree of the paper.
func classify(blocks []*block) {
	const few, line, long = 15 * word, 17 * word, 40 * word
	none := &block{}
	for i, b := range blocks {
		prev, next := none, none
		if i > 0 {
			prev = blocks[i-1]
		}
		if i+1 < len(blocks) {
			next = blocks[i+1]
		}
		switch {
		case 3*b.links > b.weight:
		case 9*prev.links > 5*prev.weight:
			b.good = b.weight > long || next.weight > line
		case b.weight > few:
			b.good = true
		default:
			b.good = next.weight > few || prev.weight > 4*word
		}
	}
}

// fewCards is how many headings that lead elsewhere make a list of teasers.
const fewCards = 3

// teasers marks what belongs to headings that lead to other pages of the site:
// the text in the card around each, or below it where headings and texts are
// siblings. Where that is most of the text of a page that is stated to be one
// article, its parts have linked headings.
func (f *finder) teasers(home func(href string) bool, stated bool) {
	heads, count := map[*html.Node]int{}, 0
	linked := func(b *block) bool { return b.head && 2*b.links > b.weight && home(b.href) }
	for _, b := range f.blocks {
		if linked(b) {
			count++
			for n := b.parent; n != nil && f.work.Spend(1); n = n.Parent {
				heads[n]++
			}
		}
	}
	if count < fewCards {
		return
	}
	var card *html.Node
	for _, b := range f.blocks {
		if linked(b) {
			for card = b.parent; card.Parent != nil && heads[card.Parent] == 1 && 4*f.weights[card.Parent] < f.total && f.work.Spend(1); {
				card = card.Parent
			}
			if headings[card.DataAtom] {
				card = card.Parent
			}
			continue
		}
		if b.head && card != nil && heads[card] > 1 {
			card = nil
		}
		b.teaser = card != nil && within(b.parent, card)
	}
	if !stated {
		return
	}
	all, apart := 0, 0
	for _, b := range f.blocks {
		if b.good && !b.head {
			all += b.weight
			if b.teaser {
				apart += b.weight
			}
		}
	}
	for _, b := range f.blocks {
		b.teaser = b.teaser && 3*apart < 2*all
	}
}

// worth is what a block counts when the place of the main text is looked for:
// paragraphs more than bare text.
func (b *block) worth() int {
	switch {
	case !b.good || b.head || b.teaser:
		return 0
	case b.para:
		return 2 * (b.weight - b.links)
	}
	return b.weight - b.links
}

// place goes down from the body as long as one element holds nearly all of the
// content.
func (f *finder) place(body *html.Node, content int) *html.Node {
	root := body
	for {
		var inner *html.Node
		for k := root.FirstChild; k != nil; k = k.NextSibling {
			if 100*f.around[k] > 80*content {
				inner = k
			}
		}
		if inner == nil || inner.DataAtom == atom.P || inner.DataAtom == atom.Ul || inner.DataAtom == atom.Ol || inner.DataAtom == atom.Tr {
			return root
		}
		root = inner
	}
}

// settle leaves out what is no content between the first and the last block that
// is, and all before and after.
func (f *finder) settle(root *html.Node) *mainText {
	m := &mainText{root: root, left: f.aside, page: f.total}
	first, last := -1, -1
	rows := map[*html.Node]bool{} // what holds content
	for _, b := range f.blocks {
		if within(b.parent, root) {
			m.blocks = append(m.blocks, b)
			if b.worth() > 0 {
				rows[b.row()] = true
			}
		}
	}
	for i, b := range m.blocks {
		if b.worth() > 0 || rows[b.row()] && !b.head && !b.teaser {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	for first > 0 && m.blocks[first-1].head && m.blocks[first-1].parent.DataAtom != atom.H1 {
		first--
	}
	for i, b := range m.blocks {
		// A link by itself leads elsewhere, a word by itself may be an item of a list.
		if i < first || i > last || 2*b.links > b.weight && !b.head {
			for _, t := range b.texts {
				m.left[t] = true
			}
		} else {
			m.weight += b.weight - b.links
		}
	}
	return m
}

// row is the element in which a block stands beside others like it.
func (b *block) row() *html.Node {
	switch b.parent.DataAtom {
	case atom.P, atom.Li, atom.Td, atom.Th, atom.Dd, atom.Dt, atom.Pre, atom.Blockquote:
		return b.parent.Parent
	}
	return b.parent
}

func within(n, outer *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// copier copies the main text.
func (m *mainText) copier(work *kb.Work, at *resolver) *copier {
	return &copier{work: work, left: func(n *html.Node) bool { return m.left[n] }, resolve: at}
}

// dominates reports whether a main text is clearly what its page is there for: long
// paragraphs, much of the page, and few links among them.
func (m *mainText) dominates() bool {
	prose, links := 0, 0
	for _, b := range m.blocks {
		links += b.links
		if b.weight > 25*word && 4*b.links < b.weight && !m.left[b.texts[0]] {
			prose += b.weight - b.links
		}
	}
	return prose >= leastUnstated && 2*prose > m.weight && 4*links < m.weight && 5*m.weight >= 2*m.page
}

// repeats reports whether most of the main text is in elements of one kind side by
// side, each with several blocks and a link: posts, or items of a list.
func (m *mainText) repeats(work *kb.Work) bool {
	type kind struct {
		parent     *html.Node
		tag, class string
	}
	type group struct {
		weight int
		blocks map[*html.Node]int
		linked map[*html.Node]bool
	}
	groups, all := map[kind]*group{}, 0
	for _, b := range m.blocks {
		if b.good && !b.head {
			all += b.weight - b.links
		}
		for n := b.parent; n != nil && n != m.root && work.Spend(1); n = n.Parent {
			class, _, _ := strings.Cut(strings.TrimSpace(attr(n, "class")), " ")
			k := kind{n.Parent, n.Data, class}
			g := groups[k]
			if g == nil {
				g = &group{blocks: map[*html.Node]int{}, linked: map[*html.Node]bool{}}
				groups[k] = g
			}
			g.blocks[n]++
			if b.good && !b.head {
				g.weight += b.weight - b.links
			}
			if 2*b.links > b.weight {
				g.linked[n] = true
			}
		}
	}
	for _, g := range groups {
		several := 0
		for n, blocks := range g.blocks {
			if blocks > 1 && g.linked[n] {
				several++
			}
		}
		if several >= 3 && 2*several > len(g.blocks) && 2*g.weight > all {
			return true
		}
	}
	return false
}
