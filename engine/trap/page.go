package trap

import (
	"hash/maphash"
	"math/bits"
	"net/url"
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
	leastNear = 30 // words and numbers that such a page has: on a short one each number says something
)

// copies tells whether two pages say the same, but for a number among many words, such
// as the time that it took to make the page.
func (m mark) copies(other mark) bool {
	return m.all == other.all || m.plain == other.plain && min(m.size, other.size) >= leastNear &&
		bits.OnesCount64(m.print^other.print) <= nearBits && bits.OnesCount64(m.codes^other.codes) <= codeBits
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
	echoed := make(map[string]bool)
	for _, part := range []string{own.Path, own.RawQuery} {
		if unescaped, err := url.QueryUnescape(part); err == nil {
			part = unescaped
		}
		for _, w := range split(part) {
			echoed[w] = true
		}
	}
	var c content
	var all, plain maphash.Hash
	all.SetSeed(seed)
	plain.SetSeed(seed)
	var sums, codes simhash
	word := func(w string, plainly bool) {
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
	c.all, c.plain = all.Sum64(), plain.Sum64()
	return c
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
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

func silent(n *html.Node) bool {
	return n != nil && (n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Template)
}

// family names the pages of which one may lead to the next without end: those whose
// addresses are the same up to the first number in the path and in the parameters whose
// values are words. A calendar is one family, whatever the day.
func family(u *url.URL) string {
	b := strings.Builder{}
	b.WriteString(u.Host)
	for _, s := range strings.SplitAfter(u.Path, "/") {
		if name := strings.TrimSuffix(s, "/"); isNumber(name) || isToken(name) {
			break
		}
		b.WriteString(s)
	}
	mark := byte('?')
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		if _, value, _ := strings.Cut(pair, "="); value == "" || strings.ContainsAny(value, "0123456789%+") {
			continue
		}
		b.WriteByte(mark)
		b.WriteString(pair)
		mark = '&'
	}
	return b.String()
}

// isToken tells whether a segment is an identifier that a machine drew: long, and of digits
// and letters mixed.
func isToken(s string) bool {
	return len(s) >= 16 && strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, "-_.")
}

// dated tells whether an address names a day, a month or a year: in its path, or by
// the names of its parameters.
func dated(u *url.URL) bool {
	for _, s := range strings.Split(u.Path, "/") {
		if isNumber(s) && len(s) >= 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20") || strings.HasPrefix(s, "21")) {
			return true
		}
		if strings.Contains(strings.ToLower(s), "calendar") {
			return true
		}
	}
	for name, values := range u.Query() {
		switch name = strings.ToLower(name); {
		case name == "y", name == "m", name == "d", strings.Contains(name, "year"), strings.Contains(name, "month"), strings.Contains(name, "day"),
			strings.Contains(name, "date"), strings.Contains(name, "week"), strings.Contains(name, "cal"):
			return true
		}
		for _, v := range values {
			if strings.Contains(strings.ToLower(v), "calendar") {
				return true
			}
		}
	}
	return false
}

// session tells whether a parameter may be a session id: by its name, or because its value
// is one that a machine drew.
func session(name, value string) bool {
	switch name = strings.ToLower(name); {
	case name == "sid", name == "s", name == "cfid", name == "cftoken", name == "zenid", name == "oscsid", strings.Contains(name, "sess"):
		return value != ""
	}
	digits := strings.ContainsAny(value, "0123456789")
	letters := strings.ContainsFunc(value, unicode.IsLetter)
	return digits && (len(value) >= 9 || letters && len(value) >= 6)
}

// parameter is one value in an address, and the address without it.
type parameter struct {
	name, value string
	rest        string
}

// parameters takes an address apart, once for each of its values that may be a session
// id: those of the query and of paths such as /a;jsessionid=1.
func parameters(u *url.URL) (found []parameter) {
	if at := strings.IndexByte(u.Path, ';'); at >= 0 {
		if name, value, ok := strings.Cut(u.Path[at:], "="); ok && session(name, value) {
			found = append(found, parameter{name, value, u.Host + u.Path[:at] + "?" + u.RawQuery})
		}
	}
	pairs := strings.Split(u.RawQuery, "&")
	if u.RawQuery == "" || len(pairs) > maxParameters {
		return found
	}
	for i, p := range pairs {
		name, value, _ := strings.Cut(p, "=")
		if !session(name, value) {
			continue
		}
		rest := u.Host + u.Path + "?"
		for j, other := range pairs {
			if j != i {
				rest += other + "&"
			}
		}
		found = append(found, parameter{name, value, rest})
	}
	return found
}
