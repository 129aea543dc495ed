package adapt

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// values reads what a candidate gives for a field in each record.
func (s *session) values(f *kb.Field, c *candidate, sc *scope) {
	s.guessing = true
	defer func() { s.guessing = false }()
	c.values = make([]string, len(c.nodes))
	try := &kb.Try{Match: c.match}
	if c.try != nil {
		try.Expr = c.try.Expr
		c.values = s.working(f, []*kb.Try{try}, sc).values
		return
	}
	to := c.target()
	if f.As == kb.Date && !s.datesIn(f, try, to, c) {
		return
	}
	for i, nodes := range c.nodes {
		var all []string
		for k, n := range nodes {
			v := s.value(f, try, n, to)
			if v == "" {
				continue
			}
			all = append(all, v)
			if f.As != kb.HTML && !f.Many {
				c.nodes[i] = nodes[k:] // what is said of the value is said of where it is
				break
			}
		}
		c.values[i] = strings.Join(all, "\n")
		if f.As == kb.HTML && len(nodes) > 0 && len(all) == 0 {
			c.values[i] = " " // there, but empty: a post with only an image
		}
	}
}

// value reads a field at an element, or at the attribute or text of it that a
// target names.
func (s *session) value(f *kb.Field, try *kb.Try, n int, to xpath.Test) string {
	read := func(node *html.Node, attr, raw string) string {
		switch {
		case f.As != kb.Date:
			return s.text(f, try, node, attr)
		case !dates.Like(cutBy(try.Match, raw)):
			return ""
		}
		return s.date(f, try, node, attr, raw)
	}
	node := s.x.nodes[n]
	switch {
	case to.Kind == xpath.Attr:
		raw, _ := s.x.attr(n, to.Name)
		if raw == "" {
			return ""
		}
		return read(node, to.Name, raw)
	case to.Kind == xpath.Text:
		for t := node.FirstChild; t != nil; t = t.NextSibling {
			if t.Type == html.TextNode && strings.TrimSpace(t.Data) != "" {
				if v := read(t, "", t.Data); v != "" {
					return v
				}
			}
		}
		return ""
	}
	raw := ""
	if f.As == kb.Date && s.x.length(n) <= dates.LongestLike {
		raw = s.x.read(node)
	}
	return read(node, "", raw)
}

// textKey is what the text of a field at a node depends on.
type textKey struct {
	field *kb.Field
	match *kb.Regexp
	node  *html.Node
	attr  string
}

// text reads a field that is no date at a node, once: many candidates select the
// same.
func (s *session) text(f *kb.Field, try *kb.Try, n *html.Node, attr string) string {
	key := textKey{f, try.Match, n, attr}
	v, known := s.texts[key]
	if !known {
		size := 0
		if i, ok := s.x.number[n]; ok && attr == "" {
			size = s.x.length(i) + 8*(s.x.end[i]-i)
		}
		s.x.spend(valueWork + size/textWork)
		if f.As == kb.Date {
			v = s.date(f, try, n, attr, kb.ValueAt(n, attr, nil).Text())
		} else {
			v = s.r.Value(f, try, n, attr)
		}
		s.texts[key] = v
	}
	return v
}

func cutBy(m *kb.Regexp, text string) string {
	if m == nil {
		return text
	}
	return m.Cut(strings.Join(strings.Fields(text), " "))
}

// raw is what a field's expression selects at an element, uncut.
func (s *session) raw(n int, to xpath.Test) string {
	node := s.x.nodes[n]
	switch {
	case to.Kind == xpath.Attr:
		v, _ := s.x.attr(n, to.Name)
		return v
	case to.Kind == xpath.Text:
		for t := node.FirstChild; t != nil; t = t.NextSibling {
			if t.Type == html.TextNode && (s.dateLike(t.Data) || dateAmong(t.Data) != nil) {
				return t.Data
			}
		}
		return ""
	}
	return s.x.read(node)
}

// nameLike says how much a text looks like a person's name, from 0 to 1.
func nameLike(v string) float64 {
	n := utf8.RuneCountInString(v)
	words := len(strings.Fields(v))
	digits, letters, odd := 0, 0, 0
	for _, r := range v {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case strings.ContainsRune(":;,!?()[]»«|/#%&@<>\"", r):
			odd++
		}
	}
	switch {
	case n == 0 || n > maxName || words > 6 || strings.Contains(v, "\n") || sentence(v):
		return 0
	case digits > 0 && letters <= 1: // a count, "17.6k"
		return 0
	}
	score := 1.0
	if n > 25 {
		score -= 0.3
	}
	if words > 3 {
		score -= 0.3
	}
	if odd > 0 {
		score -= 0.3 * float64(min(odd, 2))
	}
	if digits > letters {
		score -= 0.4
	}
	if strings.Contains(v, ": ") { // "Posts: 60"
		score -= 0.4
	}
	if first, _, more := strings.Cut(strings.ToLower(v), " "); more && labels[strings.TrimRight(first, ":")] {
		score -= 0.5
	}
	return max(0, score)
}

// labelled reports whether values are names with something beside them: a word that
// stands before names, or one that begins or ends all of several different ones.
func labelled(values []string) bool {
	n, first, last := 0, map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for _, v := range values {
		words := strings.Fields(strings.ToLower(v))
		if len(words) == 0 || seen[v] {
			continue
		}
		seen[v] = true
		n++
		if len(words) > 1 && labels[strings.TrimRight(words[0], ":")] {
			return true
		}
		first[words[0]]++
		last[words[len(words)-1]]++
	}
	for _, count := range []map[string]int{first, last} {
		for w, k := range count {
			if k == n && (n > 2 || strings.HasSuffix(w, ":")) {
				return true
			}
		}
	}
	return false
}

// nameCut cuts a name out of what templates write around it.
var nameCut = &kb.Regexp{Regexp: regexp.MustCompile(`(?i)^(?:(?:posted by|written ` +
	`by|by|author|from|von|par|por|door|av|от):?\s+)?(.+?)(?:\s+(?:says|said|wrote|writes))?:?$`)}

// titleCut cuts a title out of a label before it and what is counted after it: "Topic:
// Rope for a mooring (Read 41 times)".
var titleCut = &kb.Regexp{Regexp: regexp.MustCompile(`^(?:\pL{3,15}:\s+)?(.+?)(?:\s*\([^()]*\d[^()]*\))?$`)}

// labels are words that stand before a name.
var labels = map[string]bool{"by": true, "posted": true, "written": true, "author": true, "from": true, "von": true, "par": true,
	"por": true, "door": true, "av": true, "от": true}

// sentence reports whether a text is one that stands where a name might: "View all of Ada's
// posts." links to an author as the name does.
func sentence(v string) bool {
	v = strings.TrimSpace(v)
	return len(strings.Fields(v)) > 3 && (strings.HasSuffix(v, ".") || strings.HasSuffix(v, "…") || strings.HasSuffix(v, "!") ||
		strings.HasSuffix(v, "?"))
}

// maxName is how long a name can be, in characters.
const maxName = 60

// plainTitle folds a title for comparisons: letters and digits alone.
func plainTitle(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// distinct is the share of different values among those that are there.
func distinct(values []string) float64 {
	seen := map[string]bool{}
	n := 0
	for _, v := range values {
		if v != "" {
			n++
			seen[v] = true
		}
	}
	if n == 0 {
		return 0
	}
	return float64(len(seen)) / float64(n)
}
