package extract

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// What stands around links may take of one page.
const (
	maxContext  = 2 << 10 // bytes of the text around one link; half of them before it
	maxContexts = 4 << 20 // bytes around all links of a page; further links have none
)

// Around is where a link stands on its page.
type Around struct {
	// Context is the paragraph, or cell, or item, that the link is in, its own text
	// included; "" where the link stands alone. What is far from the link is cut off.
	Context    string
	NoFollow   bool // rel=nofollow, ugc or sponsored
	Image      bool // it shows a picture
	Navigation bool // it is in a menu
}

// surroundings finds where the links of one page stand. Each block of the page is
// read once, however many links it has.
type surroundings struct {
	work *kb.Work
	read map[*html.Node]bool  // blocks
	runs map[*html.Node]inRun // by anchor
	menu map[*html.Node]bool  // blocks of which it is known
	size int
}

// inRun is a run of text between two breaks, and where in it an anchor begins
// and ends.
type inRun struct {
	text       string
	start, end int
}

// newSurroundings is nil where the page does not ask for them.
func newSurroundings(p Page) *surroundings {
	if !p.Around {
		return nil
	}
	return &surroundings{work: kb.NewWork(maxWork / 4), read: map[*html.Node]bool{}, runs: map[*html.Node]inRun{},
		menu: map[*html.Node]bool{}}
}

// of tells where the link of an element stands.
func (s *surroundings) of(n *html.Node) Around {
	if s == nil || n == nil {
		return Around{}
	}
	n = anchorOf(n)
	if n.Type != html.ElementNode {
		return Around{}
	}
	block := n.Parent
	for block != nil && !breaking(block) && block.Parent != nil && s.work.Spend(1) {
		block = block.Parent
	}
	if block == nil {
		return Around{}
	}
	if !s.read[block] {
		s.read[block] = true
		r := runReader{s: s}
		r.node(block, block, 0)
		r.flush()
	}
	a := Around{Navigation: s.inMenu(block), Image: hasPicture(n, s.work)}
	for _, word := range strings.Fields(strings.ToLower(attr(n, "rel"))) {
		a.NoFollow = a.NoFollow || word == "nofollow" || word == "ugc" || word == "sponsored"
	}
	if r := s.runs[n]; r.end-r.start < len(r.text) {
		a.Context = r.near()
	}
	if s.size += len(a.Context); s.size > maxContexts {
		a.Context = ""
	}
	return a
}

// near cuts the run to what is near the anchor.
func (r inRun) near() string {
	start, end := max(0, r.start-maxContext/2), min(len(r.text), r.end+maxContext/2)
	if end-start > 2*maxContext {
		end = start + 2*maxContext // an anchor around a whole article
	}
	for start > 0 && !utf8.RuneStart(r.text[start]) {
		start++
	}
	for end < len(r.text) && !utf8.RuneStart(r.text[end]) {
		end--
	}
	return r.text[start:end]
}

// inMenu reports whether a block is in a menu, by its element, its role or a name.
func (s *surroundings) inMenu(block *html.Node) bool {
	if known, ok := s.menu[block]; ok {
		return known
	}
	in := false
	for n := block; n != nil && !in && s.work.Spend(1); n = n.Parent {
		in = isMenu(n)
	}
	s.menu[block] = in
	return in
}

// menuWords are the names of menus.
var menuWords = map[string]bool{"nav": true, "navbar": true, "navigation": true, "menu": true, "submenu": true, "breadcrumb": true,
	"breadcrumbs": true, "pagination": true, "pager": true, "paging": true}

func isMenu(n *html.Node) bool {
	if n.DataAtom == atom.Nav {
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "role":
			if a.Val == "navigation" || a.Val == "menu" || a.Val == "menubar" {
				return true
			}
		case "class", "id":
			for _, w := range strings.FieldsFunc(clipName(a.Val), notWord) {
				if menuWords[strings.ToLower(w)] {
					return true
				}
			}
		}
	}
	return false
}

func clipName(s string) string { return s[:min(len(s), 500)] }

func notWord(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }

func hasPicture(n *html.Node, work *kb.Work) bool {
	for d := range n.Descendants() {
		if !work.Spend(1) {
			return false
		}
		if d.DataAtom == atom.Img || d.DataAtom == atom.Svg || d.DataAtom == atom.Picture {
			return true
		}
	}
	return false
}

// breaking reports whether an element ends a run of text.
func breaking(n *html.Node) bool {
	return n.Type != html.ElementNode || breaks[n.DataAtom] || n.DataAtom == atom.Td || n.DataAtom == atom.Th || n.DataAtom == atom.Body
}

// runReader reads the runs of text that are directly in one block.
type runReader struct {
	s       *surroundings
	run     folded
	anchors []*html.Node
	places  []inRun
}

func (r *runReader) flush() {
	text := r.run.String()
	for i, a := range r.anchors {
		p := r.places[i]
		if p.end < 0 {
			p.end = len(text) // a block in it ends the run
		}
		p.text, p.start, p.end = text, min(p.start, len(text)), min(p.end, len(text))
		r.s.runs[a] = p
	}
	r.run, r.anchors, r.places = folded{}, nil, nil
}

func (r *runReader) node(n, block *html.Node, depth int) {
	if depth > maxDepth || !r.s.work.Spend(1+len(n.Data)/64) {
		return
	}
	switch {
	case n.Type == html.TextNode:
		r.run.add(n.Data)
		return
	case n.Type != html.ElementNode && n != block || silent[n.DataAtom]:
		return
	case n != block && breaking(n):
		r.flush()
		return
	}
	at := -1
	if n.DataAtom == atom.A || n.DataAtom == atom.Area || n.DataAtom == atom.Iframe {
		at = len(r.anchors)
		r.anchors, r.places = append(r.anchors, n), append(r.places, inRun{start: r.run.next(), end: -1})
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		r.node(k, block, depth+1)
	}
	if at >= 0 && at < len(r.places) && r.anchors[at] == n {
		r.places[at].end = r.run.Len()
	}
}

// folded joins texts with runs of white space made single spaces.
type folded struct {
	strings.Builder
	space bool // before the next word
}

func (f *folded) add(s string) {
	for s != "" {
		word := strings.TrimLeft(s, " \t\r\n\f\u00a0")
		if len(word) < len(s) {
			f.space = true
		}
		if word == "" {
			return
		}
		end := strings.IndexAny(word, " \t\r\n\f\u00a0")
		if end < 0 {
			end = len(word)
		}
		if f.space && f.Len() > 0 {
			f.WriteByte(' ')
		}
		f.space = false
		f.WriteString(word[:end])
		s = word[end:]
	}
}

// next is where the next word will begin, if there is space before it.
func (f *folded) next() int {
	if f.space && f.Len() > 0 {
		return f.Len() + 1
	}
	return f.Len()
}
