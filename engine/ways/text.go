package ways

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	runWords = 10      // of a run, as in Broder et al., "Syntactic clustering of the web", 1997
	pageRuns = 100_000 // bound of the runs of a page
)

// inline reports whether an element does not end a block of text.
func inline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I,
		atom.Img, atom.Ins, atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup,
		atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}

// Text is the text of a page: the hashes of the runs of ten words in its blocks, one for a shorter
// block. All digits are equal, so that counters and dates are not new text.
type Text struct {
	runs    []uint64
	ends    []int // of the blocks among the runs
	content bool  // of the records of the page, without the rest of the page
}

// Content reads the contents of the records of a page: posts, comments or an article. Each is one
// block, so that a print view of known posts is known, though dates and names are new in its text.
func Content(contents []string) Text {
	r := reader{Text: Text{content: true}}
	for _, c := range contents {
		for line := range strings.Lines(c) {
			r.text(line)
			r.flush()
		}
		r.end()
	}
	return r.Text
}

// Read reads the text of a page.
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

// reader reads the text of a page.
type reader struct {
	Text
	last [runWords]uint64 // last words of the block
	n    int              // words of the block
}

func (r *reader) walk(n *html.Node) {
	for k := n.FirstChild; k != nil && len(r.runs) < pageRuns; k = k.NextSibling {
		switch {
		case k.Type == html.TextNode:
			r.text(k.Data)
		case k.Type != html.ElementNode:
		case k.DataAtom == atom.Script || k.DataAtom == atom.Style || k.DataAtom == atom.Template:
		case inline(k.DataAtom):
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

// plain maps ASCII: letters to lower case, digits to 0, and all other characters to the zero byte.
var plain = func() (plain [unicode.MaxASCII + 1]uint64) {
	for c := range plain {
		switch r := rune(c); {
		case unicode.IsDigit(r):
			plain[c] = '0'
		case unicode.IsLetter(r):
			plain[c] = uint64(unicode.ToLower(r))
		}
	}
	return plain
}()

// spelt returns the normal form of a character, 0 between words. alone reports a word of one
// character, in scripts without spaces.
func spelt(c rune) (as uint64, alone bool) {
	switch {
	case c <= unicode.MaxASCII:
		return plain[c], false
	case unicode.IsDigit(c):
		return '0', false
	case c >= 0xe00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return mix(fnvOffset, uint64(c)), true
	case unicode.IsLetter(c) || unicode.IsMark(c):
		return uint64(unicode.ToLower(c)), false
	}
	return 0, false
}

func (r *reader) text(s string) {
	number := mix(fnvOffset, '0')
	h, letters := uint64(fnvOffset), 0
	for _, c := range s {
		as, alone := spelt(c)
		switch {
		case as == 0 || alone:
			if letters > 0 {
				r.word(h)
			}
			if alone {
				r.word(as)
			}
			h, letters = fnvOffset, 0
		case as == '0' && h == number: // of any length
		default:
			h = mix(h, as)
			letters++
		}
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
	r.runs = append(r.runs, h^h>>29) // the low bits of a product depend on the low bits of the factors only
}

// flush adds the run of a block with fewer words than a run.
func (r *reader) flush() {
	if 0 < r.n && r.n < runWords {
		r.run()
	}
	r.n = 0
}

// end ends a block.
func (r *reader) end() {
	r.flush()
	if len(r.ends) == 0 && len(r.runs) > 0 || len(r.ends) > 0 && r.ends[len(r.ends)-1] < len(r.runs) {
		r.ends = append(r.ends, len(r.runs))
	}
}

// hashOf returns the hash of an address.
func hashOf(s string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h ^ h>>29
}
