package text

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/net/html/atom"
)

// row collects the features of one block, in a fixed order.
type row struct {
	x     []float32
	names *[]string // nil: not collected
}

func (r *row) add(name string, x float64) {
	if r.names != nil {
		*r.names = append(*r.names, name)
	}
	r.x = append(r.x, float32(x))
}

func log(n int) float64 { return math.Log1p(float64(n)) }

func share(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// measured is a page with the sums and sets that features compare blocks with.
type measured struct {
	*walker
	before     []int // words in the blocks before each
	linked     []int
	repeated   map[uint32]int // blocks with the same words
	title      map[uint32]bool
	summary    map[uint32]bool
	authors    map[uint32]bool
	declared   map[uint32]bool // runs of words of declared texts
	paths      map[uint32]*alike
	words      int
	outline    []int     // the last heading at or before each block; -1 for none
	same       []float32 // features of the page
	heavy      *element  // the innermost element with most of the expected main text
	most       float64   // the highest probability of a block of some length
	beforeSaid []float64 // expected words of main text before each block
}

func measure(w *walker) *measured {
	m := &measured{walker: w, repeated: map[uint32]int{}, paths: map[uint32]*alike{}}
	m.before, m.linked, m.outline = make([]int, len(w.blocks)+1), make([]int, len(w.blocks)+1), make([]int, len(w.blocks))
	heading, heard := -1, map[uint32]bool{}
	for i := range w.blocks {
		b := &w.blocks[i]
		b.again = m.repeated[b.hash]
		b.echo = common(b.hashes, heard, run)
		runs(heard, b.hashes)
		m.repeated[b.hash]++
		m.before[i+1], m.linked[i+1] = m.before[i]+b.words, m.linked[i]+b.links
		p := m.paths[b.at.path]
		if p == nil {
			p = &alike{}
			m.paths[b.at.path] = p
		}
		p.count, p.words = p.count+1, p.words+b.words
		if b.level > 0 {
			heading = i
		}
		m.outline[i] = heading
	}
	m.words = m.before[len(w.blocks)]
	var c count
	c.add(w.page.title)
	m.title = set(c.hashes)
	c = count{}
	c.add(w.page.summary)
	m.summary = runs(nil, c.hashes)
	c = count{}
	for _, name := range w.page.authors {
		c.add(name + " ")
	}
	m.authors = set(c.hashes)
	for _, t := range w.page.texts {
		c = count{}
		c.add(t)
		m.declared = runs(m.declared, c.hashes)
	}
	return m
}

// root is the body.
func (m *measured) root() *element {
	if len(m.list) == 0 {
		return &element{}
	}
	return m.list[0]
}

func set(hashes []uint32) map[uint32]bool {
	s := make(map[uint32]bool, len(hashes))
	for _, h := range hashes {
		s[h] = true
	}
	return s
}

// run is the number of words in sequence by which texts are compared.
const run = 3

func runs(s map[uint32]bool, hashes []uint32) map[uint32]bool {
	if s == nil {
		s = make(map[uint32]bool, len(hashes))
	}
	for i := run; i <= len(hashes); i++ {
		s[joined(hashes[i-run:i])] = true
	}
	return s
}

func joined(hashes []uint32) (h uint32) {
	for _, x := range hashes {
		h = h*0x9e3779b1 + x
	}
	return h
}

// common is the share of the words of a block in a set of words or runs.
func common(hashes []uint32, s map[uint32]bool, of int) float64 {
	if len(hashes) < of || len(s) == 0 {
		return 0
	}
	n := 0
	for i := of; i <= len(hashes); i++ {
		if s[joined1(hashes[i-of:i])] {
			n++
		}
	}
	return float64(n) / float64(len(hashes)-of+1)
}

func joined1(hashes []uint32) uint32 {
	if len(hashes) == 1 {
		return hashes[0]
	}
	return joined(hashes)
}

// span sums the words and links of blocks at distances from one block.
func (m *measured) span(i, from, to int) (words, links, blocks int) {
	from, to = max(0, i+from), min(len(m.blocks), i+to+1)
	if from >= to {
		return 0, 0, 0
	}
	return m.before[to] - m.before[from], m.linked[to] - m.linked[from], to - from
}

// levels is the number of elements around a block that have features.
const levels = 5

// around lists the elements around a block that each hold more words than the one before.
func (b *block) around() (list [levels]*element) {
	e := b.at
	for i := range list {
		list[i] = e
		for up := e.up; up != nil; up = up.up {
			e = up
			if e.words > list[i].words {
				break
			}
		}
	}
	return list
}

// features describes a block for the first forest.
func (m *measured) features(i int, r *row) {
	m.own(i, r)
	m.near(i, r)
	m.places(i, r)
	if m.same == nil || r.names != nil {
		whole := row{names: r.names}
		m.whole(&whole)
		m.same = whole.x
	}
	r.x = append(r.x, m.same...)
}

func (m *measured) own(i int, r *row) {
	b := &m.blocks[i]
	r.add("words", log(b.words))
	r.add("lines", log(len(b.lines)))
	r.add("letters", share(b.letters, b.words))
	r.add("linked", share(b.links, b.words))
	r.add("anchors", float64(min(b.anchors, 20)))
	r.add("marks", share(b.marks, b.words))
	r.add("sentences", share(b.ends, b.words))
	r.add("ends", float64(min(b.ends, 10)))
	r.add("digits", share(b.digits, b.letters+b.digits))
	r.add("capitals", share(b.upper, b.words))
	r.add("bold", share(b.bold, b.words))
	r.add("level", float64(b.level))
	r.add("repeated", float64(min(m.repeated[b.hash], 10)))
	r.add("again", float64(min(b.again, 10)))
	r.add("echo", b.echo)
	r.add("titled", common(b.hashes, m.title, 1))
	r.add("summarised", common(b.hashes, m.summary, run))
	r.add("authors", common(b.hashes, m.authors, 1))
	r.add("declared", common(b.hashes, m.declared, run))
	r.add("place", share(m.before[i], m.words))
	r.add("before", log(m.before[i]))
	r.add("share", share(b.words, m.words))
	if h := m.page.heading; h >= 0 {
		r.add("afterh1", float64(max(-30, min(30, i-h))))
	} else {
		r.add("afterh1", 40)
	}
	if h := m.outline[i]; h >= 0 {
		r.add("outline", float64(m.blocks[h].level))
		r.add("belowhead", log(i-h))
	} else {
		r.add("outline", 0)
		r.add("belowhead", 9)
	}
	p := m.paths[b.at.path]
	r.add("pathcount", log(p.count))
	r.add("pathwords", log(p.words/p.count))
	r.add("pathshare", share(p.words, m.words))
}

func (m *measured) near(i int, r *row) {
	for _, d := range [...]int{-2, -1, 1, 2} {
		words, links, _ := m.span(i, d, d)
		r.add(named(r, "words%+d", d), log(words))
		if d == -1 || d == 1 {
			r.add(named(r, "linked%+d", d), share(links, words))
		}
	}
	for _, s := range [...][2]int{{-4, 4}, {-12, 12}, {-8, -1}, {1, 8}} {
		words, links, blocks := m.span(i, s[0], s[1])
		r.add(named(r, "words%+d", s[0]*100+s[1]), share(words, blocks))
		r.add(named(r, "linked%+d", s[0]*100+s[1]), share(links, words))
	}
}

// named formats a feature name, if names are collected.
func named(r *row, format string, n int) string {
	if r.names == nil {
		return ""
	}
	return fmt.Sprintf(format, n)
}

var tags = map[atom.Atom]float64{
	atom.Body: 0, atom.P: 1, atom.Div: 2, atom.Section: 2, atom.Article: 2, atom.Blockquote: 3, atom.Pre: 4, atom.Li: 5, atom.Dd: 6,
	atom.Dt: 7, atom.Td: 8, atom.Th: 9, atom.H1: 10, atom.H2: 11, atom.H3: 12, atom.H4: 13, atom.H5: 14, atom.H6: 15,
	atom.Figcaption: 16, atom.Caption: 17, atom.Button: 18, atom.Ul: 19, atom.Form: 20, atom.Header: 21, atom.Footer: 22, atom.Nav: 23,
}

func (m *measured) places(i int, r *row) {
	b := &m.blocks[i]
	tag, known := tags[b.at.tag]
	if !known {
		tag = 24
	}
	r.add("tag", tag)
	r.add("depth", float64(b.at.depth))
	for k := range 18 {
		r.add(named(r, "in%d", k), truth(b.at.within&(1<<k) != 0))
	}
	for k, d := range b.at.hint {
		r.add(named(r, "named%d", k), float64(d))
	}
	if h := m.page.headed; h != nil {
		shared := meeting(b.at, h)
		r.add("h1share", share(shared.words, m.words))
		r.add("h1depth", float64(b.at.depth-shared.depth))
	} else {
		r.add("h1share", -1)
		r.add("h1depth", -1)
	}
	for k, e := range b.around() {
		r.add(named(r, "up%dwords", k), log(e.words))
		r.add(named(r, "up%dshare", k), share(e.words, m.words))
		r.add(named(r, "up%dlinked", k), share(e.linked, e.words))
		r.add(named(r, "up%dblock", k), share(e.words, e.last-e.first))
		r.add(named(r, "up%dsentences", k), share(e.sentences, e.words))
		r.add(named(r, "up%dparagraphs", k), share(e.paragraphs, e.words))
		r.add(named(r, "up%dalike", k), float64(min(e.alike.count, 50)))
		r.add(named(r, "up%dalikewords", k), share(e.alike.words, m.words))
		r.add(named(r, "up%dplace", k), share(i-e.first, e.last-e.first))
		r.add(named(r, "up%ddepth", k), float64(b.at.depth-e.depth))
	}
}

// meeting is the innermost element around both.
func meeting(a, b *element) *element {
	for a != b {
		switch {
		case a.depth > b.depth:
			a = a.up
		case a.depth < b.depth:
			b = b.up
		default:
			a, b = a.up, b.up
		}
	}
	return a
}

// whole describes the page.
func (m *measured) whole(r *row) {
	p := &m.page
	r.add("pagewords", log(m.words))
	r.add("pageblocks", log(len(m.blocks)))
	r.add("pagelinked", share(m.root().linked, m.words))
	r.add("pageparagraphs", share(m.root().paragraphs, m.words))
	r.add("pagesentences", share(m.root().sentences, m.words))
	r.add("pagetimes", float64(min(p.times, 30)))
	r.add("pagearticles", float64(min(p.articles, 30)))
	r.add("pageh1", truth(p.heading >= 0))
	for k := range 6 {
		r.add(named(r, "page%d", k), truth(p.kinds&(1<<k) != 0))
	}
	r.add("pagedeclared", log(len(m.declared)))
	for k, hints := range addresses {
		r.add(named(r, "address%d", k), truth(m.page.addressed(hints)))
	}
	r.add("addressdepth", float64(min(10, strings.Count(strings.Trim(m.page.path(), "/"), "/"))))
	r.add("addresslength", float64(min(200, len(m.page.path()))))
	r.add("addressdashes", float64(min(20, strings.Count(m.page.path(), "-"))))
}

// second describes the probabilities of the first forest around a block.
func (m *measured) second(i int, r *row, said []float64) {
	b := &m.blocks[i]
	r.add("said", said[i])
	for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
		p := -1.0
		if j := i + d; j >= 0 && j < len(said) {
			p = said[j]
		}
		r.add(named(r, "said%+d", d), p)
	}
	for _, reach := range [...]int{4, 10} {
		sum, words := 0.0, 0.0
		for j := max(0, i-reach); j <= min(len(said)-1, i+reach); j++ {
			w := float64(m.blocks[j].words)
			sum, words = sum+w*said[j], words+w
		}
		r.add(named(r, "saidnear%d", reach), sum/max(words, 1))
	}
	total := m.root().mass
	for k, e := range b.around() {
		r.add(named(r, "up%dsaid", k), e.mass/max(float64(e.words), 1))
		r.add(named(r, "up%dmass", k), e.mass/max(total, 1))
	}
	if m.heavy != nil {
		shared := meeting(b.at, m.heavy)
		r.add("heavyshare", shared.mass/max(total, 1))
		r.add("heavyup", float64(m.heavy.depth-shared.depth))
		r.add("heavydown", float64(b.at.depth-shared.depth))
		r.add("heavysaid", m.heavy.mass/max(float64(m.heavy.words), 1))
	} else {
		for range 4 {
			r.add("noheavy", 0)
		}
	}
	path := m.paths[b.at.path]
	r.add("pathsaid", path.mass/max(float64(path.words), 1))
	r.add("kindsaid", b.at.alike.mass/max(float64(b.at.alike.words), 1))
	r.add("pagesaid", total/max(float64(m.words), 1))
	r.add("mostsaid", m.most)
	r.add("rank", m.beforeSaid[i]/max(total, 1))
}

// spread adds the probabilities of the first forest up over the elements around the blocks.
func (m *measured) spread(said []float64) {
	for _, e := range m.list {
		e.mass, e.alike.mass = 0, 0
	}
	for _, p := range m.paths {
		p.mass = 0
	}
	m.most, m.beforeSaid = 0, make([]float64, len(said))
	sum := 0.0
	for i := range m.blocks {
		b := &m.blocks[i]
		x := said[i] * float64(b.words)
		m.beforeSaid[i] = sum
		sum += x
		b.at.mass += x
		m.paths[b.at.path].mass += x
		m.most = max(m.most, said[i]*truth(b.words >= 5))
	}
	for i := len(m.list) - 1; i >= 0; i-- {
		e := m.list[i]
		e.alike.mass += e.mass
		if e.up != nil {
			e.up.mass += e.mass
		}
	}
	m.heavy = nil
	if len(m.list) > 0 {
		const most = 0.75          // of the expected words
		for _, e := range m.list { // parents come before their children
			if e.mass > most*m.root().mass {
				m.heavy = e
			}
		}
	}
}
