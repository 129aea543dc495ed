package xpath_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// TestTreePrints shows how expressions are printed, and what the library is given.
func TestTreePrints(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{" // div [ 1 ] / @ href ", "//div[1]/@href"},
		{".//a|(.//b )[ last() ]/..", ".//a | (.//b)[last()]/.."},
		{"a [ @x = 'y' and not( b ) or position( )>2 ]", "a[@x='y' and not(b) or position() > 2]"},
		{"child :: a / following-sibling::node()[1]", "child::a/following-sibling::node()[1]"},
		{"count(a)-1=- - 2 * 3 div 4 mod .5", "count(a) - 1 = --2 * 3 div 4 mod .5"},
		{"div div div", "div div div"},
		{"and[or][mod]/div", "and[or][mod]/div"},
		{`concat("it's", 'a''b', "")`, `concat("it's", "a'b", '')`},
		{"/", "/"},
		{"/ | id('x')[2]//processing-instruction('p')", "/ | id('x')[2]//processing-instruction('p')"},
		{"fb:like[svg:f(.)]/attribute::*", "fb:like[svg:f(.)]/attribute::*"},
		{"a < b = c + d", "a < b = c + d"},
		{"a[.b or .c][.or b][.-b]", "a[.b or .c][. or b][. - b]"},
	} {
		if got := tree(t, c.in).String(); got != c.out {
			t.Errorf("%s: printed %s, want %s", c.in, got, c.out)
		}
	}
}

func TestTreeErrors(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int
		want   string // part of Want
	}{
		{"", 0, "a path"},
		{"a[", 2, "a path"},
		{"a[]", 2, "a name"},
		{"a[b", 3, "']'"},
		{"a b", 2, "an operator"},
		{"a or", 4, "a path"},
		{"(a", 2, "')'"},
		{"f(a b)", 4, "',' or ')'"},
		{"f(a,)", 4, "a name"},
		{"a/f(b)", 2, "f() is not a node test"},
		{"text(1)", 5, "')'"},
		{"ancester::a", 0, "an axis such as"},
		{"a[$x]", 2, "a name"},
		{"a['x]", 2, "ends with '"},
		{"1.2.3", 0, "one point"},
		{"a//", 3, "a name"},
		{strings.Repeat("a", xpath.MaxTree+1), xpath.MaxTree, "at most 16384 bytes"},
		{strings.Repeat("(", 5000), 1024, "nested brackets"},
		{strings.Repeat("-", 5000) + "1", 5001, "signs"},
	} {
		n, err := xpath.ParseTree(c.in)
		var se *xpath.SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%.40q: parsed as %v, error %v", c.in, n, err)
		} else if se.Offset != c.offset || !strings.Contains(se.Want, c.want) {
			t.Errorf("%.40q: offset %d, want %q; should be offset %d, want ...%q...", c.in, se.Offset, se.Want, c.offset, c.want)
		}
	}
}

// TestNamesOfPages: a tree with a name that a page has and no expression can is refused,
// before it is written where nothing reads it again.
func TestNamesOfPages(t *testing.T) {
	for name, sound := range map[string]bool{
		"div": true, "fb:like": true, "é-1": true, "*": true, "a<b": false, "o'x": false, "a b": false, "a()": false, "a::b": false,
		"1a": false,
	} {
		has := &xpath.Path{Steps: []*xpath.PathStep{{Axis: "@", Test: name}}}
		n := &xpath.Path{Steps: []*xpath.PathStep{{Test: "p", Preds: []xpath.Node{has}}}}
		if err := xpath.Check(n); (err == nil) != sound {
			t.Errorf("%s: %v", n, err)
		}
		if _, err := kb.ExprOf(n); (err == nil) != sound {
			t.Errorf("%s as an action: %v", n, err)
		}
	}
}

// checkLaws: a tree prints to what parses to an equal tree; what Parse takes is a tree of
// the fragment, and no other tree is; both print alike.
func checkLaws(t *testing.T, s string) {
	n, err := xpath.ParseTree(s)
	e, errParse := xpath.Parse(s)
	if err != nil {
		var se *xpath.SyntaxError
		if !errors.As(err, &se) || se.Offset < 0 || se.Offset > len(s) || se.Want == "" {
			t.Fatalf("%q: %v", s, err)
		}
		if errParse == nil {
			t.Fatalf("%q: is in the fragment and no tree: %v", s, err)
		}
		return
	}
	printed := n.String()
	if len(printed) > xpath.MaxTree {
		t.Skip("longer by the spaces that printing adds")
	}
	again, err := xpath.ParseTree(printed)
	if err != nil || !reflect.DeepEqual(n, again) {
		t.Fatalf("%q printed as %q, which parses to %v, %v", s, printed, again, err)
	}
	if len(s) > xpath.MaxLen || len(printed) > xpath.MaxLen {
		return
	}
	f, ok := xpath.Fragment(n)
	switch {
	case ok != (errParse == nil) || ok && !reflect.DeepEqual(f, e):
		t.Fatalf("%q: a tree of the fragment: %v, %v; Parse: %v, %v", s, f, ok, e, errParse)
	case ok:
		back, _ := xpath.Fragment(e.Tree())
		if !reflect.DeepEqual(back, e) || e.Tree().String() != e.String() {
			t.Fatalf("%q: the tree of %s is %s", s, e, e.Tree())
		}
	}
}

// TestBuiltinExpressionsKeepTheLaws runs the laws over the built-in types, whose
// expressions are written as they are printed: what is learned from one looks like it.
func TestBuiltinExpressionsKeepTheLaws(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range base.Types {
		for _, v := range typ.Levels {
			for _, p := range v.Detect {
				checkLaws(t, p.Expr.String())
			}
			for _, s := range v.Spots() {
				for _, try := range s.Tries {
					checkLaws(t, try.Expr.Source)
					if got := try.Expr.Tree.String(); got != strings.Join(strings.FieldsFunc(try.Expr.Source, lineOrSpace), " ") {
						t.Errorf("%s is printed as %s", try.Expr.Source, got)
					}
				}
			}
		}
	}
}

// lineOrSpace leaves out the space that does not break, which means something in a string.
func lineOrSpace(r rune) bool { return r == ' ' || r == '\n' }

func FuzzTree(f *testing.F) {
	for _, s := range []string{
		"div[contains(@class, 'post')]/h2[@class=\"post-message\"]/a/@href", "li[not(text()='it''s \"x\"')][last()]//@*", "a:[.]/b:c",
		"(.//a | b)[1]/@d", "a[b or c and d != 2 div -3]", "./following-sibling::a[position() > 1]/..//comment()", "concat(a, 'x') = /",
		"- -1 * a",
		"a[not(1)]", "a[2147483648]", "a/@b/c", "or or or", "*[self::b]", ".5", "a:::b", "a[01]",
		"a[.b][not(.or or .c-1)]/.d", "a[.or b][.-b][.5]",
	} {
		f.Add(s)
	}
	f.Fuzz(checkLaws)
}
