package xpath

import (
	"math"
	"strings"
	"unicode/utf8"
)

// literal is a text or a number as written.
type literal struct {
	s string
	f float64
	n bool // a number
}

func (l literal) truth(*evaluation, place) bool {
	if l.n {
		return l.f != 0 && !math.IsNaN(l.f)
	}
	return l.s != ""
}

func (l literal) number(*evaluation, place) float64 {
	if l.n {
		return l.f
	}
	return numberOf(l.s)
}

func (l literal) text(*evaluation, place) string {
	if l.n {
		return numberText(l.f)
	}
	return l.s
}

// condition is an operand that is true or false.
type condition func(*evaluation, place) bool

func (c condition) truth(ev *evaluation, at place) bool { return c(ev, at) }

func (c condition) number(ev *evaluation, at place) float64 {
	if c(ev, at) {
		return 1
	}
	return 0
}

func (c condition) text(ev *evaluation, at place) string {
	if c(ev, at) {
		return "true"
	}
	return "false"
}

// words is an operand that is a text.
type words func(*evaluation, place) string

func (w words) truth(ev *evaluation, at place) bool     { return w(ev, at) != "" }
func (w words) number(ev *evaluation, at place) float64 { return numberOf(w(ev, at)) }
func (w words) text(ev *evaluation, at place) string    { return w(ev, at) }

// amount is an operand that is a number.
type amount func(*evaluation, place) float64

func (a amount) truth(ev *evaluation, at place) bool {
	f := a(ev, at)
	return f != 0 && !math.IsNaN(f)
}
func (a amount) number(ev *evaluation, at place) float64 { return a(ev, at) }
func (a amount) text(ev *evaluation, at place) string    { return numberText(a(ev, at)) }

// isNumber reports whether an operand is a number, which a predicate takes for a position.
func isNumber(o operand) bool {
	switch o := o.(type) {
	case literal:
		return o.n
	case amount:
		return true
	}
	return false
}

// compared compares two operands as XPath does: of nodes, any may fulfil it.
func compared(op string, a, b operand) operand {
	an, aNodes := a.(nodes)
	bn, bNodes := b.(nodes)
	_, aBool := a.(condition)
	_, bBool := b.(condition)
	numbers := isNumber(a) || isNumber(b) || op != "=" && op != "!="
	switch {
	case aBool || bBool:
		return condition(func(ev *evaluation, at place) bool {
			x, y := a.truth(ev, at), b.truth(ev, at)
			switch op {
			case "=":
				return x == y
			case "!=":
				return x != y
			}
			return relates(op, a.number(ev, at), b.number(ev, at))
		})
	case aNodes && bNodes:
		return condition(func(ev *evaluation, at place) bool {
			if op == "=" && !numbers {
				one, same := an, ev.fromRoot(bn)
				if same == nil {
					one, same = bn, ev.fromRoot(an)
				}
				if same != nil {
					return !one.each(ev, at, func(n spot) bool { return !same.has(ev, n.text(ev.work)) })
				}
			}
			others := bn.list(ev, at)
			texts := make([]string, len(others))
			for i, n := range others {
				texts[i] = n.text(ev.work)
			}
			return !an.each(ev, at, func(n spot) bool {
				s := n.text(ev.work)
				for _, t := range texts {
					if !numbers && (s == t) == (op == "=") || numbers && relates(op, numberOf(s), numberOf(t)) {
						return false
					}
				}
				return true
			})
		})
	case bNodes:
		a, b, an, op = b, a, bn, mirrored[op]
		fallthrough
	case aNodes:
		return condition(func(ev *evaluation, at place) bool {
			if numbers {
				f := b.number(ev, at)
				return !an.each(ev, at, func(n spot) bool { return !relates(op, numberOf(n.text(ev.work)), f) })
			}
			s := b.text(ev, at)
			if p, ok := a.(*locationPath); ok {
				if i, one := p.attribute(at); one {
					return i >= 0 && (at.node.Attr[i].Val == s) == (op == "=")
				}
			}
			return !an.each(ev, at, func(n spot) bool { return (n.text(ev.work) == s) != (op == "=") })
		})
	case numbers:
		return condition(func(ev *evaluation, at place) bool { return relates(op, a.number(ev, at), b.number(ev, at)) })
	}
	return condition(func(ev *evaluation, at place) bool { return (a.text(ev, at) == b.text(ev, at)) == (op == "=") })
}

// mirrored are the comparisons with their sides changed.
var mirrored = map[string]string{"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func relates(op string, x, y float64) bool {
	switch op {
	case "=":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

// call makes an operand of a function and its arguments; nil for what is not known.
func call(name string, args []operand) operand {
	for _, of := range []func(string, []operand) operand{conditionCall, textCall, numberCall} {
		if o := of(name, args); o != nil {
			return o
		}
	}
	return nil
}

// conditionCall makes an operand of a function that is true or false.
func conditionCall(name string, args []operand) operand {
	switch n := len(args); {
	case name == "not" && n == 1:
		return condition(func(ev *evaluation, at place) bool { return !args[0].truth(ev, at) })
	case name == "boolean" && n == 1:
		return condition(args[0].truth)
	case name == "true" && n == 0:
		return condition(func(*evaluation, place) bool { return true })
	case name == "false" && n == 0:
		return condition(func(*evaluation, place) bool { return false })
	case name == "contains" && n == 2:
		if word, of := tokenOf(args); of != nil {
			return condition(func(ev *evaluation, at place) bool { return hasToken(of.text(ev, at), word) })
		}
		return condition(func(ev *evaluation, at place) bool {
			return strings.Contains(args[0].text(ev, at), args[1].text(ev, at))
		})
	case name == "starts-with" && n == 2:
		return condition(func(ev *evaluation, at place) bool {
			return strings.HasPrefix(args[0].text(ev, at), args[1].text(ev, at))
		})
	}
	return nil
}

// textOf is the text of the only argument, or of the context node where there is none.
func textOf(args []operand) func(*evaluation, place) string {
	if len(args) > 0 {
		return args[0].text
	}
	return func(ev *evaluation, at place) string { return at.spot.text(ev.work) }
}

// textCall makes an operand of a function that is a text.
func textCall(name string, args []operand) operand {
	pair := func(f func(a, b string) string) operand {
		return words(func(ev *evaluation, at place) string { return f(args[0].text(ev, at), args[1].text(ev, at)) })
	}
	switch n := len(args); {
	case name == "substring-before" && n == 2:
		return pair(func(a, b string) string {
			before, _, found := strings.Cut(a, b)
			if !found {
				return ""
			}
			return before
		})
	case name == "substring-after" && n == 2:
		return pair(func(a, b string) string { _, rest, _ := strings.Cut(a, b); return rest })
	case name == "substring" && (n == 2 || n == 3):
		return words(func(ev *evaluation, at place) string {
			length := math.Inf(1)
			if n == 3 {
				length = math.Floor(args[2].number(ev, at) + 0.5)
			}
			return substring(args[0].text(ev, at), math.Floor(args[1].number(ev, at)+0.5), length)
		})
	case name == "concat" && n >= 2:
		return joined(args)
	case name == "translate" && n == 3:
		return words(func(ev *evaluation, at place) string {
			return translate(args[0].text(ev, at), args[1].text(ev, at), args[2].text(ev, at))
		})
	case name == "normalize-space" && n <= 1:
		s := textOf(args)
		return words(func(ev *evaluation, at place) string {
			return strings.Join(strings.FieldsFunc(s(ev, at), isSpace), " ")
		})
	case name == "string" && n <= 1:
		return words(textOf(args))
	}
	return nil
}

// numberCall makes an operand of a function that is a number.
func numberCall(name string, args []operand) operand {
	switch n := len(args); {
	case name == "string-length" && n <= 1:
		s := textOf(args)
		return amount(func(ev *evaluation, at place) float64 { return float64(utf8.RuneCountInString(s(ev, at))) })
	case name == "number" && n == 1:
		return amount(args[0].number)
	case name == "count" && n == 1:
		if list, ok := args[0].(nodes); ok {
			return amount(func(ev *evaluation, at place) float64 { return float64(len(list.list(ev, at))) })
		}
	case name == "position" && n == 0:
		return amount(func(_ *evaluation, at place) float64 { return float64(at.position) })
	case name == "last" && n == 0:
		return amount(func(_ *evaluation, at place) float64 { return float64(at.size) })
	}
	return nil
}

// isSpace reports whether XML counts a character as space: a space that does not break is none.
func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// joined are the texts of operands in a row.
type joined []operand

func (j joined) truth(ev *evaluation, at place) bool     { return j.text(ev, at) != "" }
func (j joined) number(ev *evaluation, at place) float64 { return numberOf(j.text(ev, at)) }

func (j joined) text(ev *evaluation, at place) string {
	var b strings.Builder
	for _, o := range j {
		b.WriteString(o.text(ev, at))
	}
	return b.String()
}

// tokenOf finds what contains(concat(' ', OF, ' '), ' WORD ') asks for.
func tokenOf(args []operand) (word string, of operand) {
	j, ok := args[0].(joined)
	l, isText := args[1].(literal)
	if !ok || !isText || l.n || len(l.s) < 3 || l.s[0] != ' ' || l.s[len(l.s)-1] != ' ' {
		return "", nil
	}
	if space := operand(literal{s: " "}); len(j) != 3 || j[0] != space || j[2] != space {
		return "", nil
	}
	return l.s[1 : len(l.s)-1], j[1]
}

// hasToken reports whether a word stands in a text between spaces or its ends.
func hasToken(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		if end := i + len(word); (i == 0 || s[i-1] == ' ') && (end == len(s) || s[end] == ' ') {
			return true
		}
		from = i + 1
	}
}

// substring is that of XPath: positions begin with 1 and may lie outside.
func substring(s string, from, length float64) string {
	var b strings.Builder
	at := 0.0
	for _, r := range s {
		if at++; at >= from && at < from+length {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// translate replaces letters by those at the same place of another text, or by nothing.
func translate(s, from, to string) string {
	if !strings.ContainsAny(s, from) {
		return s
	}
	letters, by := []rune(from), []rune(to)
	return strings.Map(func(r rune) rune {
		for i, l := range letters {
			if l == r {
				if i < len(by) {
					return by[i]
				}
				return -1
			}
		}
		return r
	}, s)
}
