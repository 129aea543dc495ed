package text

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Found is the main text of a page with its place.
type Found struct {
	Text
	p    *Page
	sure []float64 // by block; 0 once left
	kept []bool    // by block: of the content of an object
	left []bool    // by block: by [Found.Leave]
}

// Find finds the main text of a page and its place. It needs 1 MB of memory for an ordinary page, so
// that callers keep only the [Text].
func Find(doc *html.Node) *Found {
	p := NewPage(doc)
	f := &Found{p: p, sure: p.Sure(model()), left: make([]bool, len(p.m.blocks))}
	f.choose()
	return f
}

func (f *Found) choose() {
	f.Text, f.kept = f.p.choose(f.sure)
	for i := range f.kept {
		f.kept[i] = f.kept[i] && f.sure[i] >= leastStated
	}
}

// leastStated is the least probability of a block in the content of an object. It is arbitrary, and above
// what maximises F1: about 0.47 where the text is sure, for a byline or a short side column.
const leastStated = 0.6

// Weight counts words of a text.
type Weight struct {
	Words  int // of the main text, outside of elements that are named as side columns, comments and the like
	Linked int // of them in links
	Prose  int // of them in long blocks with few links
	Page   int // of the whole page, without links and elements that were left
}

// Weigh counts the words of the main text.
func (f *Found) Weigh() (w Weight) {
	const long = 25 // words of a block of prose; arbitrary
	for i := range f.p.m.blocks {
		b := &f.p.m.blocks[i]
		if !f.left[i] {
			w.Page += b.words - b.links
		}
		if !f.kept[i] || b.at.beside() {
			continue
		}
		w.Words, w.Linked = w.Words+b.words, w.Linked+b.links
		if b.words > long && 4*b.links < b.words {
			w.Prose += b.words - b.links
		}
	}
	return w
}

// beside reports whether the names of the elements around one say that it is beside the text of its
// page, and no nearer name that it is part of it. Names of the body are of the whole page.
func (e *element) beside() bool {
	return e.least(namedSide, namedRelated, namedComment, namedAdvert, namedCover, namedFooter, namedMenu) <
		e.least(namedContent, namedArticle, namedPost, namedMessage)
}

// least is the distance to the nearest element below the body whose names have one of the meanings; that to
// the body, at most far, where there is none.
func (e *element) least(meanings ...int) int {
	n := min(far, e.depth)
	for _, m := range meanings {
		n = min(n, int(e.hint[m]))
	}
	return n
}

// Leave takes the blocks in some elements out of the main text, and chooses among the others again.
func (f *Found) Leave(elements ...map[*html.Node]bool) {
	for i := range f.p.m.blocks {
		for e := f.p.m.blocks[i].at; e != nil && !f.left[i]; e = e.up {
			f.left[i] = slices.ContainsFunc(elements, func(some map[*html.Node]bool) bool { return some[e.node] })
		}
		if f.left[i] {
			f.sure[i] = 0
		}
	}
	f.choose()
}

// LeaveTitle takes headings that have the words of the title out of the main text.
func (f *Found) LeaveTitle(title string) {
	var c count
	c.add(title)
	for i := range f.p.m.blocks {
		if b := &f.p.m.blocks[i]; b.level > 0 && b.hash == c.hash {
			f.kept[i] = false
		}
	}
}

// within counts the kept blocks before each block.
func (f *Found) within() (before []int) {
	before = make([]int, len(f.kept)+1)
	for i, kept := range f.kept {
		before[i+1] = before[i]
		if kept {
			before[i+1]++
		}
	}
	return before
}

// Bulk is the innermost element with most of the words of the main text, outside of elements that are
// named as comments; nil without a text.
func (f *Found) Bulk() *html.Node {
	words, total := make([]int, len(f.kept)+1), 0
	for i := range f.kept {
		if b := &f.p.m.blocks[i]; f.kept[i] && b.at.least(namedComment) == b.at.least() {
			total += b.words
		}
		words[i+1] = total
	}
	const most = 0.8 // of the words
	var bulk *element
	for _, e := range f.p.m.list { // parents come before their children
		if total > 0 && float64(words[e.last]-words[e.first]) > most*float64(total) && !part(e) {
			bulk = e
		}
	}
	if bulk == nil {
		return nil
	}
	return bulk.node
}

// Place is the innermost element with all of the main text, and the nodes in it that are not part of
// the text. It is nil without a text.
func (f *Found) Place() (root *html.Node, left map[*html.Node]bool) {
	var at *element
	first, last := -1, -1
	for i, kept := range f.kept {
		if !kept {
			continue
		}
		if first < 0 {
			first, at = i, f.p.m.blocks[i].at
		}
		last, at = i, meeting(at, f.p.m.blocks[i].at)
	}
	if at == nil {
		return nil, nil
	}
	for part(at) && at.up != nil {
		at = at.up
	}
	left, before := map[*html.Node]bool{}, f.within()
	for _, e := range f.p.m.list {
		if e.last < at.first || e.first > at.last || e.depth <= at.depth {
			continue
		}
		empty := e.first == e.last // of blocks: an inline element or a picture
		if empty && (e.first < first || e.first > last) || !empty && before[e.first] == before[e.last] {
			left[e.node] = true
		}
	}
	for i := at.first; i < at.last; i++ {
		if !f.kept[i] {
			for _, t := range f.p.m.blocks[i].texts {
				left[t] = true
			}
		}
	}
	return at.node, left
}

// part reports whether an element is a part of a text by its tag.
func part(e *element) bool {
	switch e.tag {
	case atom.P, atom.Li, atom.Ul, atom.Ol, atom.Tr, atom.Td, atom.Th, atom.Dd, atom.Dt, atom.Pre, atom.Blockquote:
		return true
	}
	return !breaks[e.tag]
}

// Repeats reports whether most of the main text is in siblings of one kind, each with several blocks
// and a block of links: posts, or items of a list.
func (f *Found) Repeats() bool {
	type group struct{ all, several, words int }
	groups, total := map[*alike]*group{}, 0
	words := make([]int, len(f.kept)+1)
	linked := make([]int, len(f.kept)+1) // blocks of links
	for i := range f.kept {
		b := &f.p.m.blocks[i]
		words[i+1], linked[i+1] = words[i], linked[i]
		if f.kept[i] && b.level == 0 {
			words[i+1] += b.words - b.links
		}
		if 2*b.links > b.words {
			linked[i+1]++
		}
	}
	total = words[len(f.kept)]
	for _, e := range f.p.m.list {
		if e.last == e.first {
			continue
		}
		g := groups[e.alike]
		if g == nil {
			g = &group{}
			groups[e.alike] = g
		}
		g.all++
		g.words += words[e.last] - words[e.first]
		if e.last-e.first > 1 && linked[e.last] > linked[e.first] {
			g.several++
		}
	}
	for _, g := range groups {
		if g.several >= 3 && 2*g.several > g.all && 2*g.words > total {
			return true
		}
	}
	return false
}
