package trap

import (
	"hash/maphash"
	"math/bits"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// content is what a page says, as far as it takes to tell pages apart.
type content struct {
	mark
	words []uint32 // hashes of the words without digits
	mixed []uint32 // hashes of the words of letters and digits, such as part numbers
	exact uint64   // hash of all words, those of the page's own address, too
}

// mark is what is remembered of a page's content.
type mark struct {
	all   uint64 // hash of words and numbers in their order
	plain uint64 // hash of the words without digits in their order
	print uint64 // simhash of words and numbers (Charikar 2002)
	codes uint64 // simhash of the words of letters and digits, where there are several
	size  int    // words and numbers
}

const (
	nearBits  = 8  // of simhashes that differ in the numbers of near-duplicates at most
	codeBits  = 16 // of those of few words, of which one may differ
	likeBits  = 12 // of pages that have an advertisement or a time of their own
	leastNear = 30 // words and numbers that such a page has: on a short one each number says something
)

// copies reports whether two pages say the same, but for a number among many words, such
// as the time that it took to make the page.
func (m mark) copies(other mark) bool {
	return m.all == other.all || m.plain == other.plain && min(m.size, other.size) >= leastNear &&
		bits.OnesCount64(m.print^other.print) <= nearBits && bits.OnesCount64(m.codes^other.codes) <= codeBits
}

// nearTo reports whether two pages may say the same: in all but some words of many.
func (m mark) nearTo(other mark) bool {
	return m.copies(other) || bits.OnesCount64(m.print^other.print) <= likeBits && 10*min(m.size, other.size) >= 9*max(m.size, other.size)
}

// simhash counts, for each bit, the hashes that have it against those that have not.
type simhash [64]int

func (s *simhash) add(h uint64) {
	for i := range s {
		s[i] += int(h>>i&1)*2 - 1
	}
}

func (s *simhash) hash() (h uint64) {
	for i, sum := range s {
		if sum > 0 {
			h |= 1 << i
		}
	}
	return h
}

// seed makes the hashes of one process comparable.
var seed = maphash.MakeSeed()

func hashOf(s string) uint64 { return maphash.String(seed, s) }

// read takes the words of a page, and the addresses of images and the like, in which
// galleries differ. Words of the page's own address are left out, since a page that
// does not exist often says what was asked for.
func read(doc *html.Node, own *url.URL) content {
	echoed := echoes(own)
	var c content
	var exact, all, plain maphash.Hash
	exact.SetSeed(seed)
	all.SetSeed(seed)
	plain.SetSeed(seed)
	var sums, codes simhash
	word := func(w string, plainly bool) {
		exact.WriteString(w)
		exact.WriteByte(0)
		if echoed[w] {
			return
		}
		h := hashOf(w)
		c.size++
		all.WriteString(w)
		all.WriteByte(0)
		sums.add(h)
		if !plainly && strings.ContainsFunc(w, unicode.IsDigit) {
			if strings.ContainsFunc(w, unicode.IsLetter) {
				c.mixed = append(c.mixed, uint32(h))
				codes.add(h)
			}
			return
		}
		plain.WriteString(w)
		plain.WriteByte(0)
		c.words = append(c.words, uint32(h))
	}
	for n := range markup(doc).Descendants() {
		switch {
		case n.Type == html.TextNode && !silent(n.Parent):
			for _, w := range split(n.Data) {
				word(w, false)
			}
		case n.Type == html.ElementNode:
			switch n.DataAtom {
			case atom.Img, atom.Video, atom.Audio, atom.Source, atom.Embed, atom.Iframe:
				for _, a := range n.Attr {
					if a.Key == "src" {
						src, _, _ := strings.Cut(a.Val, "?")
						word("src "+src, true)
					}
				}
			}
		}
	}
	c.print = sums.hash()
	if len(c.mixed) >= freshMixed {
		c.codes = codes.hash()
	}
	c.exact, c.all, c.plain = exact.Sum64(), all.Sum64(), plain.Sum64()
	return c
}

// echoes are the words of a page's own address; none of nil.
func echoes(own *url.URL) map[string]bool {
	echoed := make(map[string]bool)
	if own == nil {
		return echoed
	}
	for _, part := range []string{own.Path, own.RawQuery} {
		for _, w := range split(unescaped(part)) {
			echoed[w] = true
		}
	}
	return echoed
}

// markup is the part of a virtual document that came as HTML: the date in a header is nothing
// that a page says.
func markup(doc *html.Node) *html.Node {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Html {
			return n
		}
	}
	return doc
}

// split gives the words and numbers of a text in lower case.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

func silent(n *html.Node) bool {
	return n != nil && (n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Template)
}

// gram is a run of three words of a text, or a shorter text, and the place in the template that it
// stands at.
type gram struct{ place, hash uint32 }

// grams reads what a page says at each place of its template, without the words of its own
// address, if that is given.
func grams(doc *html.Node, own *url.URL) []gram {
	r := gramReader{echoed: echoes(own), found: []gram{}}
	r.walk(markup(doc), 0)
	return r.found
}

const (
	gramWords = 3
	pageGrams = 20_000 // that are read of a page
)

type gramReader struct {
	echoed map[string]bool
	found  []gram
}

// walk reads an element. Its place is told by the names of the elements around it, and by how many of
// the same name stand before each.
func (r *gramReader) walk(n *html.Node, place uint32) {
	before := make(map[string]uint32)
	for c := n.FirstChild; c != nil && len(r.found) < pageGrams; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			r.text(c.Data, place)
		case c.Type == html.ElementNode && !silent(c):
			before[c.Data]++
			at := uint32(hashOf(c.Data)) + 31*place + before[c.Data]
			if c.DataAtom == atom.Img {
				r.image(c, at)
			}
			r.walk(c, at)
		}
	}
}

func (r *gramReader) image(n *html.Node, place uint32) {
	for _, a := range n.Attr {
		if a.Key == "src" || a.Key == "srcset" || a.Key == "data-src" {
			r.found = append(r.found, gram{place, uint32(hashOf("src " + a.Val))})
		}
	}
}

func (r *gramReader) text(text string, place uint32) {
	words := slices.DeleteFunc(split(text), func(w string) bool { return r.echoed[w] })
	for i := range words {
		if i > 0 && i+gramWords > len(words) {
			break
		}
		r.found = append(r.found, gram{place, uint32(hashOf(strings.Join(words[i:min(i+gramWords, len(words))], " ")))})
	}
}
