package xpath

import (
	"strconv"
	"strings"
)

// An Expr is a path of at least one step. Two expressions are equal exactly
// when their String is.
type Expr struct {
	Steps []Step
}

// An Axis says how far below its context a step looks.
type Axis uint8

const (
	// Descendant is "//": any depth. It is the zero value because a leading
	// "//" is implicit.
	Descendant Axis = iota
	// Child is "/": one level down, or the attributes of the node itself. On
	// the first step it means a child of the root.
	Child
)

// A Step selects nodes below each node that the steps before it selected.
type Step struct {
	Axis  Axis
	Test  Test
	Preds []Pred // all must hold, in this order
}

// A TestKind is a kind of node test.
type TestKind uint8

const (
	Tag     TestKind = iota // elements of one tag name
	AnyTag                  // "*": every element
	Attr                    // "@name"
	AnyAttr                 // "@*"
	Text                    // "text()"
	Self                    // ".": the node itself; only as the value of a predicate
)

// A Test names nodes: the ones a step may select, or the ones whose
// string-value a condition looks at.
type Test struct {
	Kind TestKind
	Name string // of Tag and Attr, compared byte by byte: HTML's are lower case
}

// A PredKind is a kind of predicate.
type PredKind uint8

const (
	Exists     PredKind = iota // VALUE: there is such a node
	Equals                     // VALUE='s': one of them has this string-value
	Contains                   // contains(VALUE, 's'): the first one contains it
	StartsWith                 // starts-with(VALUE, 's'): the first one begins with it
	Not                        // not(CONDITION)
	Position                   // an integer, counted from 1
	Last                       // last()
	Token                      // .word: the class attribute has this word, between white space or its ends
)

// A Pred restricts the nodes that a step selects.
type Pred struct {
	Kind    PredKind
	Value   Test   // of Exists, Equals, Contains, StartsWith; of Token the class attribute
	Literal string // of Equals, Contains, StartsWith, Token
	N       int    // of Position
	Inner   *Pred  // of Not: a condition, neither Position nor Last
}

// Positional reports whether p depends on the nodes beside the one it is
// asked of.
func (p Pred) Positional() bool { return p.Kind == Position || p.Kind == Last }

// Compare reports whether the string-value of a node that p's value names fulfils p.
// Any does where p is Exists, none where p is Not, Position or Last.
func (p *Pred) Compare(s string) bool {
	switch p.Kind {
	case Exists:
		return true
	case Equals:
		return s == p.Literal
	case Contains:
		return strings.Contains(s, p.Literal)
	case StartsWith:
		return strings.HasPrefix(s, p.Literal)
	case Token:
		for word := range strings.FieldsFuncSeq(s, isSpace) {
			if word == p.Literal {
				return true
			}
		}
	}
	return false
}

// TokenPred tests one word of the class attribute.
func TokenPred(word string) Pred {
	return Pred{Kind: Token, Value: Test{Kind: Attr, Name: "class"}, Literal: word}
}

// IsAttr reports whether t names attributes.
func (t Test) IsAttr() bool { return t.Kind == Attr || t.Kind == AnyAttr }

// String prints e in the form that [Parse] reads back, without the leading
// "//".
func (e *Expr) String() string {
	var b strings.Builder
	for i, s := range e.Steps {
		switch {
		case s.Axis == Child:
			b.WriteString("/")
		case i > 0:
			b.WriteString("//")
		}
		b.WriteString(s.Test.String())
		for _, p := range s.Preds {
			b.WriteString("[" + p.String() + "]")
		}
	}
	return b.String()
}

// String prints t as it stands in an expression.
func (t Test) String() string {
	switch t.Kind {
	case AnyTag:
		return "*"
	case Attr:
		return "@" + t.Name
	case AnyAttr:
		return "@*"
	case Text:
		return "text()"
	case Self:
		return "."
	}
	return t.Name
}

// String prints p as it stands between the brackets of a step.
func (p Pred) String() string { return p.print(Test.String, quote, Class.String) }

// print is shared by the two notations, which differ in how they write a test,
// a string and a token of a class.
func (p Pred) print(test func(Test) string, str func(string) string, class func(Class) string) string {
	switch p.Kind {
	case Equals:
		return test(p.Value) + "=" + str(p.Literal)
	case Contains:
		return "contains(" + test(p.Value) + ", " + str(p.Literal) + ")"
	case StartsWith:
		return "starts-with(" + test(p.Value) + ", " + str(p.Literal) + ")"
	case Not:
		return "not(" + p.Inner.print(test, str, class) + ")"
	case Position:
		return strconv.Itoa(p.N)
	case Last:
		return "last()"
	case Token:
		return class(Class(p.Literal))
	}
	return test(p.Value)
}

// quote writes s in whichever quotes need no doubling, in single ones if both
// do.
func quote(s string) string {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// XPath prints e as an expression of full XPath 1.0, for an evaluator that
// is independent of this package: the leading "//" is written, and what XPath
// 1.0 cannot say directly is paraphrased (a name with a colon, a string with
// both quotes). A relative expression begins with ".", so that it starts from
// the context node instead of the root of the tree.
func (e *Expr) XPath(relative bool) string {
	var b strings.Builder
	if relative {
		b.WriteByte('.')
	}
	for _, s := range e.Steps {
		b.WriteString("/")
		if s.Axis == Descendant {
			b.WriteString("/")
		}
		b.WriteString(fullTest(s.Test))
		for _, p := range s.Preds {
			b.WriteString("[" + p.print(fullTest, fullQuote, func(c Class) string { return strictly(c) }) + "]")
		}
	}
	return b.String()
}

// fullTest writes names that XPath would take for a prefixed name, or could
// not read, as a comparison with name(). A position after it still counts
// the same nodes.
func fullTest(t Test) string {
	if (t.Kind != Tag && t.Kind != Attr) || plainName(t.Name) {
		return t.String()
	}
	star := "*"
	if t.Kind == Attr {
		star = "@*"
	}
	return star + "[name()=" + fullQuote(t.Name) + "]"
}

func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == ':' || c >= 0x80 {
			return false
		}
	}
	return true
}

// fullQuote writes s as XPath 1.0 can: with concat when it has both quotes.
func fullQuote(s string) string {
	switch {
	case !strings.Contains(s, "'"):
		return "'" + s + "'"
	case !strings.Contains(s, `"`):
		return `"` + s + `"`
	}
	return "concat('" + strings.ReplaceAll(s, "'", `', "'", '`) + "')"
}
