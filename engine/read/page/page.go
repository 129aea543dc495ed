// Package page is an immutable model of an HTML page for everything that reads one: its visible
// nodes in document order, their words, links and dates.
//
// New walks a page once. Words, letters and letters in links of a node are differences of sums
// over the page, so they cost the same for a node of any depth.
package page

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
)

// Bounds of a page that is read; the rest of a larger page is left out, see [Page.Cut].
const (
	MaxNodes = 200_000
	maxDepth = 2_000
)

// Node is a visible element or a text with words, of one page.
type Node struct {
	*html.Node
	Parent int    // index in [Page.Nodes], -1 for the body
	End    int    // index after the last node inside it
	Depth  int    // below the body
	Mark   string // the element's name and classes without digits; "#text" for a text
	Path   uint64 // identifies the names of the elements from the body to it
	// Classes are the classes in Mark. They are shared: the caller must not change them.
	Classes []string
	from    int // words of the page
	to      int
}

// Page is the model. It is safe for concurrent use.
type Page struct {
	// Nodes are the body and what is visible in it, in document order.
	Nodes []Node
	// Cut reports that the page has more nodes than [MaxNodes].
	Cut bool

	words []string
	sums  []sums             // before each word, and after the last one
	dates map[int]string     // ISO 8601, by node
	times map[int]bool       // nodes whose date is an attribute for programs
	marks map[[2]string]mark // by element and class attribute, which templates repeat
}

// sums are sums over the words of a page before one of them.
type sums struct {
	letters, linked int    // linked of them in links
	sum, power      uint64 // of the hashes of the words, and of base
}

// silent are elements without visible text.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Head: true,
	atom.Select: true, atom.Textarea: true, atom.Iframe: true, atom.Object: true, atom.Button: true,
	atom.Svg: true, atom.Math: true, atom.Option: true,
}

// New reads a page. language is the one that the page declares, and captured when it was
// fetched; relative dates need it, and are left out where it is zero.
func New(doc *html.Node, language string, captured time.Time) *Page {
	p := &Page{dates: map[int]string{}, times: map[int]bool{}, marks: map[[2]string]mark{}}
	if body := bodyOf(doc); body != nil {
		p.reserve(body)
		p.add(body, -1, 0, 0, false)
	}
	p.marks = nil
	p.readDates(dates.NewReader(language, captured, p.numericTexts()))
	return p
}

// reserve allocates memory for about as many nodes and words as there are below a node.
func (p *Page) reserve(body *html.Node) {
	nodes, bytes := 1, 0
	for n := range body.Descendants() {
		nodes++
		if n.Type == html.TextNode && !silent[n.Parent.DataAtom] {
			bytes += len(n.Data)
		}
	}
	const perWord = 8 // bytes, with the white space of the source
	p.Nodes = make([]Node, 0, min(nodes, MaxNodes))
	p.words, p.sums = make([]string, 0, bytes/perWord), make([]sums, 1, bytes/perWord+1)
	p.sums[0].power = 1
}

func bodyOf(doc *html.Node) *html.Node {
	if doc == nil {
		return nil
	}
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Body {
			return n
		}
	}
	return doc
}

// add appends a node and what is in it.
func (p *Page) add(n *html.Node, parent, depth int, path uint64, link bool) {
	if len(p.Nodes) >= MaxNodes || depth > maxDepth {
		p.Cut = true
		return
	}
	switch n.Type {
	case html.TextNode:
		words := strings.Fields(n.Data)
		if len(words) == 0 {
			return
		}
		from := len(p.words)
		for _, w := range words {
			p.word(w, link)
		}
		p.Nodes = append(p.Nodes, Node{Node: n, Parent: parent, Depth: depth, Mark: "#text", Path: path,
			from: from, to: len(p.words), End: len(p.Nodes) + 1})
		return
	case html.ElementNode, html.DocumentNode:
	default:
		return
	}
	if silent[n.DataAtom] {
		return
	}
	at := len(p.Nodes)
	path = path*base + maphash.String(seed, n.Data)
	m := p.markOf(n)
	p.Nodes = append(p.Nodes, Node{Node: n, Parent: parent, Depth: depth, Mark: m.text, Classes: m.classes, Path: path, from: len(p.words)})
	link = link || n.DataAtom == atom.A && Attr(n, "href") != ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.add(c, at, depth+1, path, link)
	}
	p.Nodes[at].to, p.Nodes[at].End = len(p.words), len(p.Nodes)
}

// base of the sums; any odd number.
const base = 1_099_511_628_211

var seed = maphash.MakeSeed()

func (p *Page) word(w string, link bool) {
	letters := 0
	for _, r := range w {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
			if spaceless(r) {
				letters += 2 // a sign of Chinese says what three letters do
			}
		}
	}
	s := p.sums[len(p.words)]
	p.words = append(p.words, w)
	s.letters += letters
	if link {
		s.linked += letters
	}
	s.sum, s.power = s.sum*base+maphash.String(seed, w), s.power*base
	p.sums = append(p.sums, s)
}

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

type mark struct {
	text    string
	classes []string
}

// markOf is the name of an element with its classes, as far as they are the same from record to
// record: without their digits, which number records and their backgrounds, sorted and each once.
func (p *Page) markOf(n *html.Node) mark {
	key := [2]string{n.Data, Attr(n, "class")}
	m, known := p.marks[key]
	if known {
		return m
	}
	m.text = n.Data
	for _, c := range strings.Fields(key[1]) {
		if c = WithoutDigits(c); c != "" {
			m.classes = append(m.classes, c)
		}
	}
	slices.Sort(m.classes)
	if m.classes = slices.Compact(m.classes); len(m.classes) > 0 {
		m.text += "." + strings.Join(m.classes, ".")
	}
	p.marks[key] = m
	return m
}

// WithoutDigits removes the digits 0 to 9 from a name.
func WithoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// Attr is an attribute of an element; "" for none.
func Attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// Words are the words of a node, in order. The caller must not change them.
func (p *Page) Words(n int) []string { return p.words[p.Nodes[n].from:p.Nodes[n].to] }

// Text joins the words of a node with single spaces.
func (p *Page) Text(n int) string { return strings.Join(p.Words(n), " ") }

// Letters counts the letters and digits of a node's text; a sign of a script without spaces
// counts three times.
func (p *Page) Letters(n int) int {
	return p.sums[p.Nodes[n].to].letters - p.sums[p.Nodes[n].from].letters
}

// LinkLetters counts the letters and digits of a node's text that are in links.
func (p *Page) LinkLetters(n int) int {
	return p.sums[p.Nodes[n].to].linked - p.sums[p.Nodes[n].from].linked
}

// Sum identifies the text of a node: equal for equal words, in any markup.
func (p *Page) Sum(n int) uint64 {
	from, to := p.Nodes[n].from, p.Nodes[n].to
	return p.sums[to].sum - p.sums[from].sum*p.sums[to-from].power
}

// Date is the date that a node shows, in ISO 8601; "" for none. forPrograms reports that it comes
// from an attribute.
func (p *Page) Date(n int) (iso string, forPrograms bool) { return p.dates[n], p.times[n] }

// ExactDate is Date from an attribute where the node, one in it or one around it with the same words
// has one of the same date: texts leave out seconds and the time zone, so that the days may differ by
// one.
func (p *Page) ExactDate(n int) string {
	iso, exact := p.Date(n)
	if exact || iso == "" {
		return iso
	}
	same := func(at int) bool { return p.times[at] && adjacentDays(p.dates[at], iso) }
	for in := n + 1; in < p.Nodes[n].End; in++ {
		if same(in) {
			return p.dates[in]
		}
	}
	for up := p.Nodes[n].Parent; up >= 0 && p.Letters(up) == p.Letters(n); up = p.Nodes[up].Parent {
		if same(up) {
			return p.dates[up]
		}
	}
	return iso
}

// adjacentDays reports whether two dates in ISO 8601 are at most a day apart.
func adjacentDays(a, b string) bool {
	day := func(iso string) (time.Time, error) {
		return time.Parse(time.DateOnly, iso[:min(len(iso), len(time.DateOnly))])
	}
	of, errA := day(a)
	is, errB := day(b)
	return errA == nil && errB == nil && of.Sub(is).Abs() <= 24*time.Hour
}

// Dated are the nodes with a date, in document order.
func (p *Page) Dated() []int {
	out := make([]int, 0, len(p.dates))
	for n := range p.dates {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Within reports whether a node is another one or inside it.
func (p *Page) Within(n, outer int) bool { return outer <= n && n < p.Nodes[outer].End }

// Children iterates over the nodes right below one.
func (p *Page) Children(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := n + 1; c < p.Nodes[n].End; c = p.Nodes[c].End {
			if !yield(c) {
				return
			}
		}
	}
}

// LinkOf is the address that a node, one around it or one in it with the same words leads to; "" for none.
func (p *Page) LinkOf(n int) string {
	for up, steps := n, 0; up >= 0 && steps < 3 && p.Letters(up) == p.Letters(n); up, steps = p.Nodes[up].Parent, steps+1 {
		if p.Nodes[up].DataAtom == atom.A {
			return Attr(p.Nodes[up].Node, "href")
		}
	}
	for c := n + 1; c < p.Nodes[n].End; c++ {
		if p.Nodes[c].DataAtom == atom.A && p.LinkLetters(c) > 0 && 10*p.Letters(c) >= 8*p.Letters(n) {
			return Attr(p.Nodes[c].Node, "href")
		}
	}
	return ""
}

// numericTexts are the texts that may prove the order of numeric dates.
func (p *Page) numericTexts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, n := range p.Nodes {
			if n.Type == html.TextNode && strings.ContainsAny(n.Data, "0123456789") && !yield(n.Data) {
				return
			}
		}
	}
}

// longestDate bounds the text in which a date is looked for, in bytes.
const longestDate = dates.Longest

// readDates finds the dates that elements show: in an attribute, as their text, or in a short text.
func (p *Page) readDates(r *dates.Reader) {
	read := map[uint64]string{} // by the sum of a text, which the elements around it have too
	for i, n := range p.Nodes {
		if n.Type == html.ElementNode {
			for _, name := range []string{"datetime", "title", "data-time", "data-timestamp"} {
				v := Attr(n.Node, name)
				if v == "" || len(v) > longestDate || name == "title" && !dates.Like(v) {
					continue
				}
				if iso := r.Find(v, dates.Usual{}); iso != "" {
					p.dates[i], p.times[i] = iso, true
					break
				}
			}
			if p.times[i] {
				continue
			}
		}
		if n.to-n.from > 24 || p.Letters(i) > longestDate {
			continue
		}
		iso, known := read[p.Sum(i)]
		if !known {
			if mayBeDate(p.Words(i)) {
				iso = r.Find(p.Text(i), dates.Usual{})
			}
			read[p.Sum(i)] = iso
		}
		if iso != "" {
			p.dates[i] = iso
		}
	}
}

// mayBeDate reports whether words have a digit, and not only one short number: most numbers of a page
// stand alone.
func mayBeDate(words []string) bool {
	const shortest = 8 // digits of a date without signs
	digits, other := 0, false
	for i, w := range words {
		for _, r := range w {
			switch {
			case r >= '0' && r <= '9':
				other = other || i > 0 && digits > 0
				digits++
			case unicode.IsDigit(r):
				return true
			case r >= 0x80 || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || digits > 0:
				other = true
			}
		}
	}
	return digits > 0 && (other || digits >= shortest)
}
