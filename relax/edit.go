package relax

import (
	"regexp"
	"slices"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Term is what the steps of expressions ask of one element of a template: a tag,
// and an attribute that equals, contains or starts with a literal. A literal between
// spaces, in contains, is one token of the attribute, as XPath 1.0 asks for it with
// concat(' ', @class, ' ').
type Term struct {
	Tag  string     // "*" for any
	Pred xpath.Pred // the zero Pred asks for nothing
	// Around and Inside tell that the template put a wrapper around it, or around what
	// it holds.
	Around, Inside bool
}

// Step is the term as a step of an expression.
func (t Term) Step() xpath.Step {
	s := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: t.Tag}}
	if t.Tag == "*" {
		s.Test = xpath.Test{Kind: xpath.AnyTag}
	}
	if t.Pred != (xpath.Pred{}) {
		s.Preds = []xpath.Pred{t.Pred}
	}
	return s
}

// Cost is what it costs to ask for to instead: one change, as all of a template's
// change at once.
func (t Term) Cost(to Term, known func(xpath.Pred) bool) Cost {
	c := Cost{Changes: 1}
	if t.Tag != to.Tag {
		c.Distance += tagDistance(t.Tag, to.Tag)
	}
	if to.Around || to.Inside {
		c.Distance += farLoosened
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
// with, each step by itself, those of the paths inside its predicates too, with the
// alternatives of which one must hold. What is negated asks for no element, however deep
// it stands.
func Steps(source string) [][]xpath.Step {
	var out [][]xpath.Step
	at := map[int]int{}
	denied := negated(source)
	for _, a := range asked(source) {
		if slices.ContainsFunc(denied, func(n [2]int) bool { return n[0] <= a.from && a.to <= n[1] }) {
			continue
		}
		key := a.nameStart
		if !a.alone {
			key = -a.open - 1
		}
		i, known := at[key]
		switch {
		case !known:
			at[key] = len(out)
			out = append(out, []xpath.Step{a.Step()})
		case a.alone:
			out[i][0].Preds = append(out[i][0].Preds, a.Pred)
		default:
			out[i] = append(out[i], a.Step())
		}
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
	var cuts []replacement
	all := brackets(source)
	for _, a := range asked(source) {
		if a.Term != from {
			continue
		}
		if to.Tag != from.Tag && to.Tag != "*" && a.nameEnd > a.nameStart {
			cuts = append(cuts, replacement{a.nameStart, a.nameEnd, to.Tag})
		}
		cuts = append(cuts, a.wrapped(source, all, to)...)
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

// child is a predicate that begins with a child.
var child = regexp.MustCompile(`^\s*[A-Za-z*][\w.-]*\s*(?:[/\[]|$)`)

// wrapped gives what makes paths to and from the step of a term pass a wrapper.
func (a asking) wrapped(source string, all []bracket, to Term) []replacement {
	var cuts []replacement
	if i := a.nameStart - 1; to.Around && i > 0 && source[i] == '/' && source[i-1] != '/' {
		cuts = append(cuts, replacement{i, i, "/*"})
	}
	if !to.Inside {
		return cuts
	}
	end := a.end
	for _, b := range all {
		if b.nameStart != a.nameStart {
			continue
		}
		end = max(end, b.end)
		if child.MatchString(source[b.open+1 : b.end-1]) {
			cuts = append(cuts, replacement{b.open + 1, b.open + 1, "*/"})
		}
	}
	if rest := source[end:]; strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "//") && !strings.HasPrefix(rest, "/@") {
		cuts = append(cuts, replacement{end, end, "/*"})
	}
	return cuts
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
		cuts[next].from = -1
	}
	return b.String() + source[at:]
}

// comparison is one comparison of an attribute with a string.
var comparison = regexp.MustCompile(`contains\(\s*concat\(\s*['"] ['"]\s*,\s*(?:normalize-space\()?@([\w-]+)\)?\s*,\s*['"] ['"]\s*\)\s*,\s*('[^']*'|"[^"]*")\s*\)|(contains|starts-with)\(\s*@([\w-]+)\s*,\s*('[^']*'|"[^"]*")\s*\)|@([\w-]+)\s*=\s*('[^']*'|"[^"]*")`)

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
		name, literal, kind := group(1), group(2), xpath.Contains // a token
		switch {
		case group(3) != "":
			name, literal = group(4), group(5)
			if group(3) == "starts-with" {
				kind = xpath.StartsWith
			}
		case name == "":
			name, literal, kind = group(6), group(7), xpath.Equals
		}
		a.Pred = xpath.Pred{Kind: kind, Value: xpath.Test{Kind: xpath.Attr, Name: name}, Literal: literal[1 : len(literal)-1]}
		if strings.TrimSpace(a.Pred.Literal) == "" {
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

// negated lists where the arguments of not() begin and end.
func negated(source string) [][2]int {
	var out [][2]int
	var open []int // by number in out; -1 for other brackets
	scan(source, func(i, _ int) {
		switch source[i] {
		case '(', '[':
			n := -1
			if before := strings.TrimRight(source[:i], " "); source[i] == '(' && strings.HasSuffix(before, "not") {
				n = len(out)
				out = append(out, [2]int{i + 1, len(source)})
			}
			open = append(open, n)
		case ')', ']':
			if len(open) > 0 {
				if n := open[len(open)-1]; n >= 0 {
					out[n][1] = i
				}
				open = open[:len(open)-1]
			}
		}
	})
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
