package adapt

import (
	"regexp"
	"slices"
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
	if c.values = make([]string, len(sc.records)); c.nodes == nil {
		c.nodes = make([][]int, len(sc.records))
	}
	for i, rec := range sc.records {
		var found []kb.Value
		if c.try != nil {
			found = s.found(c.try.Expr, rec, sc)
		} else {
			for _, n := range c.nodes[i] {
				found = append(found, parts(s.x.nodes[n], c.target())...)
			}
		}
		c.values[i], c.nodes[i] = s.value(f, &kb.Try{Match: c.match}, found)
	}
}

// working evaluates actions of a field as they are: what they give in each record, and where the first value is.
func (s *session) working(f *kb.Field, tries []*kb.Try, sc *scope) *candidate {
	c := &candidate{nodes: make([][]int, len(sc.records)), values: make([]string, len(sc.records))}
	for i, rec := range sc.records {
		for _, t := range tries {
			if c.values[i] == "" && t.AppliesTo(s.page.URL) {
				c.values[i], c.nodes[i] = s.value(f, t, s.found(t.Expr, rec, sc))
			}
		}
	}
	return c
}

// found is what an expression selects in a record, without what lies in objects inside it.
func (s *session) found(e *kb.Expr, rec int, sc *scope) []kb.Value {
	return slices.DeleteFunc(slices.Clone(s.selectAll(e, rec)), func(v kb.Value) bool {
		n, ok := s.x.number[elementOf(v.Node)]
		return ok && s.innerOf(n, rec, sc.inner)
	})
}

// numbers are the elements that values are, or are of.
func (s *session) numbers(values []kb.Value) (nodes []int) {
	for _, v := range values {
		if n, ok := s.x.number[elementOf(v.Node)]; ok {
			nodes = append(nodes, n)
		}
	}
	return slices.Compact(nodes)
}

// parts is what a target names of an element: itself, an attribute of it, or its texts.
func parts(n *html.Node, to xpath.Test) (out []kb.Value) {
	switch to.Kind {
	case xpath.Attr:
		return []kb.Value{kb.ValueAt(n, to.Name, nil)}
	case xpath.Text:
		for t := n.FirstChild; t != nil; t = t.NextSibling {
			if t.Type == html.TextNode && strings.TrimSpace(t.Data) != "" {
				out = append(out, kb.ValueAt(t, "", nil))
			}
		}
		return out
	}
	return []kb.Value{kb.ValueAt(n, "", nil)}
}

// value reads a field of what was found: of the first that has a value, unless all count. It also gives the elements, from that one on:
// what is said of a value is said of where it is.
func (s *session) value(f *kb.Field, t *kb.Try, found []kb.Value) (string, []int) {
	var all []string
	for k, v := range found {
		text := s.text(f, t, v)
		switch {
		case text == "":
		case f.As != kb.HTML && !f.Many:
			return text, s.numbers(found[k:])
		default:
			all = append(all, text)
		}
	}
	if f.As == kb.HTML && len(found) > 0 && len(all) == 0 {
		all = []string{" "} // there, but empty: a post with only an image
	}
	return strings.Join(all, "\n"), s.numbers(found)
}

// textKey is what the text of a field depends on.
type textKey struct {
	field    *kb.Field
	match    *kb.Regexp
	node     *html.Node
	attr     string
	guessing bool
}

// text reads a field, once for each node: many candidates select the same.
func (s *session) text(f *kb.Field, t *kb.Try, of kb.Value) string {
	if of.Node == nil { // put together from several places
		if f.As != kb.Date {
			return strings.TrimSpace(of.Text())
		}
		of = kb.ValueAt(&html.Node{Type: html.TextNode, Data: of.Text()}, "", nil)
	}
	n, is := s.x.number[of.Node]
	is = is && of.Attr == ""
	if is && f.As == kb.Date && s.guessing && s.x.length(n) > dates.LongestLike {
		return ""
	}
	key := textKey{f, t.Match, of.Node, of.Attr, s.guessing}
	v, known := s.texts[key]
	if known {
		return v
	}
	s.x.spend(valueWork)
	if is {
		s.x.spend((s.x.length(n) + 8*(s.x.end[n]-n)) / textWork)
	}
	if f.As == kb.Date {
		v = s.date(f, t, of)
	} else {
		v = strings.TrimSpace(s.r.Value(f, t, of.Node, of.Attr))
	}
	s.texts[key] = v
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
	if to == (xpath.Test{}) {
		return s.x.read(s.x.nodes[n])
	}
	for _, v := range parts(s.x.nodes[n], to) {
		if text := v.Text(); to.Kind == xpath.Attr || s.dateLike(text) || dateAmong(text) != nil {
			return text
		}
	}
	return ""
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
	first, _, more := strings.Cut(strings.ToLower(v), " ")
	score := 1.0
	for _, against := range []struct {
		is   bool
		cost float64
	}{
		{n > 25, 0.3}, {words > 3, 0.3}, {odd > 0, 0.3}, {odd > 1, 0.3}, {digits > letters, 0.4},
		{strings.Contains(v, ": "), 0.4}, // "Posts: 60"
		{more && labels[strings.TrimRight(first, ":")], 0.5},
	} {
		if against.is {
			score -= against.cost
		}
	}
	return max(0, score)
}

// labelled reports whether values are names with something beside them: a word that stands before names, or one that begins or ends all of
// several different ones.
func labelled(values []string) bool {
	n, in := 0, map[[2]string]int{} // values with a word in a place
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
		in[[2]string{"first", words[0]}]++
		in[[2]string{"last", words[len(words)-1]}]++
	}
	for w, k := range in {
		if k == n && (n > 2 || strings.HasSuffix(w[1], ":")) {
			return true
		}
	}
	return false
}

// nameCut cuts a name out of what templates write around it.
var nameCut = &kb.Regexp{Regexp: regexp.MustCompile(`(?i)^(?:(?:posted by|written ` +
	`by|by|author|from|von|par|por|door|av|от):?\s+)?(.+?)(?:\s+(?:says|said|wrote|writes))?:?$`)}

// labels are words that stand before a name.
var labels = map[string]bool{"by": true, "posted": true, "written": true, "author": true, "from": true, "von": true, "par": true,
	"por": true, "door": true, "av": true, "от": true}

// sentence reports whether a text is one that stands where a name might: "View all of Ada's posts." links to an author as the name does.
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
