package ways

import (
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	runWords = 10      // of a run, as in Broder et al., "Syntactic clustering of the web", 1997
	pageRuns = 100_000 // that are read of a page
)

// inline are elements that do not end a block of text.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Cite: true, atom.Code: true, atom.Data: true,
	atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true, atom.Ins: true, atom.Kbd: true,
	atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strong: true, atom.Sub: true,
	atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}

// Text is what a page says: the hashes of the runs of ten words in its blocks, of shorter blocks one. Digits are alike, so that counters
// and dates say nothing.
type Text struct {
	runs []uint64
	ends []int // of the blocks among the runs
}

// Read reads what a page says.
func Read(doc *html.Node) Text {
	var r reader
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Body {
			r.walk(n)
			r.end()
			break
		}
	}
	return r.Text
}

// reader reads what a page says.
type reader struct {
	Text
	last [runWords]uint64 // words of the block, the latest last
	n    int              // words of the block
}

func (r *reader) walk(n *html.Node) {
	for k := n.FirstChild; k != nil && len(r.runs) < pageRuns; k = k.NextSibling {
		switch {
		case k.Type == html.TextNode:
			r.text(k.Data)
		case k.Type != html.ElementNode:
		case k.DataAtom == atom.Script || k.DataAtom == atom.Style || k.DataAtom == atom.Template:
		case inline[k.DataAtom]:
			r.walk(k)
		default:
			r.end()
			r.walk(k)
			r.end()
		}
	}
}

// FNV-1a, whose values are the same in the next session.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func mix(h, more uint64) uint64 { return (h ^ more) * fnvPrime }

func (r *reader) text(s string) {
	h, letters := uint64(fnvOffset), 0
	for _, c := range s {
		switch {
		case unicode.IsDigit(c):
			c = '0'
			if letters > 0 && h == mix(fnvOffset, '0') {
				continue // numbers of any length
			}
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai): // no spaces between words
			if letters > 0 {
				r.word(h)
			}
			r.word(mix(fnvOffset, uint64(c)))
			h, letters = fnvOffset, 0
			continue
		case unicode.IsLetter(c) || unicode.IsMark(c):
			c = unicode.ToLower(c)
		default:
			if letters > 0 {
				r.word(h)
			}
			h, letters = fnvOffset, 0
			continue
		}
		h = mix(h, uint64(c))
		letters++
	}
	if letters > 0 {
		r.word(h)
	}
}

func (r *reader) word(h uint64) {
	copy(r.last[:], r.last[1:])
	r.last[runWords-1] = h
	if r.n++; r.n >= runWords && len(r.runs) < pageRuns {
		r.run()
	}
}

// run adds the run that ends with the last word.
func (r *reader) run() {
	h := uint64(fnvOffset)
	for _, w := range r.last[max(0, runWords-r.n):] {
		h = mix(h, w)
	}
	r.runs = append(r.runs, h^h>>29) // the low bits of a product are those of the factors alone
}

func (r *reader) end() {
	if 0 < r.n && r.n < runWords {
		r.run()
	}
	if len(r.ends) == 0 && len(r.runs) > 0 || len(r.ends) > 0 && r.ends[len(r.ends)-1] < len(r.runs) {
		r.ends = append(r.ends, len(r.runs))
	}
	r.n = 0
}

// hashOf names an address.
func hashOf(s string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h ^ h>>29
}
