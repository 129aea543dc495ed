package relax

import (
	"regexp"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Term is what the steps of expressions ask of one element of a template: a tag,
// and an attribute that equals, contains or starts with a literal.
type Term struct {
	Tag  string     // "*" for any
	Pred xpath.Pred // the zero Pred asks for nothing
}

// Cost is what it costs to ask for to instead: one change, as all of a template's
// change at once.
func (t Term) Cost(to Term, known func(xpath.Pred) bool) Cost {
	c := Cost{Changes: 1}
	if t.Tag != to.Tag {
		c.Distance += tagDistance(t.Tag, to.Tag)
	}
	switch {
	case to.Pred == (xpath.Pred{}):
		c.Distance += farRemoved
	case to.Pred != t.Pred:
		_, far, _ := replaced(t.Pred, to.Pred, known)
		c.Distance += far
	}
	return c
}

// Steps lists what the steps of an expression of full XPath 1.0 compare attributes
// with, each step by itself, those of the paths inside its predicates too. Steps that
// compare nothing, and comparisons that are part of a condition or negated, are left
// out.
func Steps(source string) []xpath.Step {
	var out []xpath.Step
	at := map[int]int{}
	for _, a := range asked(plain(source)) {
		if !a.alone {
			continue
		}
		i, known := at[a.nameStart]
		if !known {
			i = len(out)
			at[a.nameStart] = i
			s := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: a.Tag}}
			if a.Tag == "*" {
				s.Test = xpath.Test{Kind: xpath.AnyTag}
			}
			out = append(out, s)
		}
		out[i].Preds = append(out[i].Preds, a.Pred)
	}
	return out
}

// Substitute writes an expression for a template in which one element changed:
// every step that asks for the term from asks for to instead, wherever it stands. ok is
// false where no step does.
//
// Relaxing one step of one expression cannot bear such a change where several
// expressions, or several paths of one, name the element: a record, what it is named by
// and its fields.
func Substitute(source string, from, to Term) (out string, ok bool) {
	source = plain(source)
	var cuts []replacement
	for _, a := range asked(source) {
		if a.Term != from {
			continue
		}
		if to.Tag != from.Tag && to.Tag != "*" && a.nameEnd > a.nameStart {
			cuts = append(cuts, replacement{a.nameStart, a.nameEnd, to.Tag})
		}
		if to.Pred == from.Pred {
			continue
		}
		if a.alone && to.Pred == (xpath.Pred{}) {
			cuts = append(cuts, replacement{a.open, a.end, ""})
			continue
		}
		now := "true()"
		if to.Pred != (xpath.Pred{}) {
			now = full(to.Pred)
		}
		cuts = append(cuts, replacement{a.from, a.to, now})
		for _, other := range a.others { // what else is asked of the old value
			cuts = append(cuts, replacement{other.open, other.end, ""})
		}
	}
	if len(cuts) == 0 {
		return source, false
	}
	return replaceAll(source, cuts), true
}

// plain writes tests for one token of a class as the tests for a part of it that
// terms are made of.
func plain(source string) string {
	return tokenTest.ReplaceAllString(source, "contains($1, $2$3$2)")
}

// full writes a predicate as full XPath 1.0.
func full(p xpath.Pred) string {
	e := xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: []xpath.Pred{p}}}}
	s := e.XPath(false)
	return s[strings.IndexByte(s, '[')+1 : len(s)-1]
}

// replacement is another text for a part of a source.
type replacement struct {
	from, to int
	by       string
}

// replaceAll replaces parts of a source. Of two that overlap the first one counts.
func replaceAll(source string, cuts []replacement) string {
	var b strings.Builder
	at := 0
	for at < len(source) {
		next := -1
		for i, c := range cuts {
			if c.from >= at && (next < 0 || c.from < cuts[next].from) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		b.WriteString(source[at:cuts[next].from])
		b.WriteString(cuts[next].by)
		at = cuts[next].to
	}
	return b.String() + source[at:]
}

// comparison is one comparison of an attribute with a string.
var comparison = regexp.MustCompile(`(contains|starts-with)\(\s*@([\w-]+)\s*,\s*('[^']*'|"[^"]*")\s*\)|@([\w-]+)\s*=\s*('[^']*'|"[^"]*")`)

// asking is a term with where it stands.
type asking struct {
	Term
	from, to int // the comparison
	bracket
	alone  bool      // the comparison is the whole predicate
	others []bracket // of the same step, that ask for the same attribute in another way
}

// bracket is a predicate with the name test of its step.
type bracket struct {
	open, end          int
	nameStart, nameEnd int
}

// asked finds the terms of an expression.
func asked(source string) []asking {
	all := brackets(source)
	var out []asking
	for _, m := range comparison.FindAllStringSubmatchIndex(source, -1) {
		if strings.HasSuffix(strings.TrimRight(source[:m[0]], " "), "not(") {
			continue
		}
		in := -1
		for i, b := range all {
			if b.open < m[0] && m[1] < b.end && (in < 0 || b.open > all[in].open) {
				in = i
			}
		}
		if in < 0 {
			continue
		}
		a := asking{from: m[0], to: m[1], bracket: all[in]}
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return source[m[2*i]:m[2*i+1]]
		}
		name, literal, kind := group(2), group(3), xpath.Contains
		switch group(1) {
		case "starts-with":
			kind = xpath.StartsWith
		case "":
			name, literal, kind = group(4), group(5), xpath.Equals
		}
		a.Pred = xpath.Pred{Kind: kind, Value: xpath.Test{Kind: xpath.Attr, Name: name}, Literal: strings.TrimSpace(literal[1 : len(literal)-1])}
		if a.Pred.Literal == "" {
			continue
		}
		if a.Tag = source[a.nameStart:a.nameEnd]; a.Tag == "" {
			a.Tag = "*"
		}
		a.alone = strings.TrimSpace(source[a.open+1:a.end-1]) == source[a.from:a.to]
		for _, b := range all {
			inside := source[b.open+1 : b.end-1]
			if b.nameStart == a.nameStart && b.open != a.open && strings.Contains(inside, "@"+name) && comparison.FindString(inside) != strings.TrimSpace(inside) && !strings.ContainsAny(inside, "/") {
				a.others = append(a.others, b)
			}
		}
		out = append(out, a)
	}
	return out
}

// brackets lists the predicates of an expression.
func brackets(source string) []bracket {
	var out []bracket
	var open []int // by number in out
	last := -1     // predicate that was closed last
	nested := []byte{}
	scan(source, func(i, _ int) {
		switch source[i] {
		case '[':
			b := bracket{open: i}
			if last >= 0 && out[last].end == i {
				b.nameStart, b.nameEnd = out[last].nameStart, out[last].nameEnd
			} else {
				b.nameStart, b.nameEnd = nameBefore(source, i)
			}
			out = append(out, b)
			open = append(open, len(out)-1)
			nested = append(nested, '[')
		case '(':
			nested = append(nested, '(')
		case ']', ')':
			if len(nested) == 0 {
				return
			}
			top := nested[len(nested)-1]
			nested = nested[:len(nested)-1]
			if top == '[' && source[i] == ']' {
				last = open[len(open)-1]
				open = open[:len(open)-1]
				out[last].end = i + 1
			}
		}
	})
	closed := out[:0]
	for _, b := range out {
		if b.end > 0 {
			closed = append(closed, b)
		}
	}
	return closed
}

// nameBefore finds the name test that ends at an offset; it is empty after a
// bracket.
func nameBefore(source string, end int) (from, to int) {
	from = end
	for from > 0 {
		c := source[from-1]
		if c != '*' && c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		from--
	}
	return from, end
}
