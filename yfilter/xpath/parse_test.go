package xpath

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// TestParseAndPrint shows how each form of the language is printed, as the
// fragment and as full XPath 1.0.
func TestParseAndPrint(t *testing.T) {
	for _, c := range []struct{ in, out, full string }{
		{"div", "div", "//div"},
		{"//div", "div", "//div"},
		{"/div", "/div", "/div"},
		{" // div [ 1 ] / @ href ", "div[1]/@href", "//div[1]/@href"},
		{"*//*", "*//*", "//*//*"},
		{"@*", "@*", "//@*"},
		{"p/text()[last()]", "p/text()[last()]", "//p/text()[last()]"},
		{"p/text ( )", "p/text()", "//p/text()"},
		{`a[@class="x"]`, "a[@class='x']", "//a[@class='x']"},
		{`a[.="it's"]`, `a[.="it's"]`, `//a[.="it's"]`},
		{`a[.='it''s']`, `a[.="it's"]`, `//a[.="it's"]`},
		{`a[.='"']`, `a[.='"']`, `//a[.='"']`},
		{`a[.="'""'"]`, `a[.='''"''']`, `//a[.=concat('', "'", '"', "'", '')]`},
		{"a[contains(@href,'')]", "a[contains(@href, '')]", "//a[contains(@href, '')]"},
		{"li[starts-with ( text() , 'a' )][b='c']", "li[starts-with(text(), 'a')][b='c']", "//li[starts-with(text(), 'a')][b='c']"},
		{"a[not(not(@href))]", "a[not(not(@href))]", "//a[not(not(@href))]"},
		{"a[img][.][text()]", "a[img][.][text()]", "//a[img][.][text()]"},
		{"fb:like[o:p='x'][2]", "fb:like[o:p='x'][2]", "//*[name()='fb:like'][*[name()='o:p']='x'][2]"},
		{"html/@xml:lang", "html/@xml:lang", "//html/@*[name()='xml:lang']"},
		{"my-tag.x_1/@data-é", "my-tag.x_1/@data-é", "//my-tag.x_1/@*[name()='data-é']"},
		// Names of functions are names of tags where they are not called.
		{"text/contains[not][last][starts-with='x'][text]", "text/contains[not][last][starts-with='x'][text]",
			"//text/contains[not][last][starts-with='x'][text]"},
		{"notes[notes][lastly][containsx]", "notes[notes][lastly][containsx]", "//notes[notes][lastly][containsx]"},
		{"li[2147483647]", "li[2147483647]", "//li[2147483647]"},
		{"div[ .post-body ][not(.or_1)]", "div[.post-body][not(.or_1)]", "//div" +
			"[contains(concat(' ', normalize-space(@class), ' '), ' post-body ')]" +
			"[not(contains(concat(' ', normalize-space(@class), ' '), ' or_1 '))]"},
		{"li[007]", "li[7]", "//li[7]"},
	} {
		e, err := Parse(c.in)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := e.String(); got != c.out {
			t.Errorf("%s: printed %s, want %s", c.in, got, c.out)
		}
		if got := e.XPath(false); got != c.full {
			t.Errorf("%s: as XPath %s, want %s", c.in, got, c.full)
		}
		if got := e.XPath(true); got != "."+c.full {
			t.Errorf("%s: as relative XPath %s, want .%s", c.in, got, c.full)
		}
	}
}

func TestParseTree(t *testing.T) {
	got, err := Parse("/a//b[not(@c='d')][2]/text()[last()]")
	if err != nil {
		t.Fatal(err)
	}
	want := &Expr{Steps: []Step{
		{Axis: Child, Test: Test{Tag, "a"}},
		{Axis: Descendant, Test: Test{Tag, "b"}, Preds: []Pred{
			{Kind: Not, Inner: &Pred{Kind: Equals, Value: Test{Attr, "c"}, Literal: "d"}},
			{Kind: Position, N: 2},
		}},
		{Axis: Child, Test: Test{Kind: Text}, Preds: []Pred{{Kind: Last}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int
		want   string // part of Want
	}{
		{"", 0, "a tag name"},
		{"  ", 2, "a tag name"},
		{"//", 2, "a tag name"},
		{"///a", 2, "a tag name"},
		{"a/", 2, "a tag name"},
		{"a b", 2, "'/', '//', '[' or the end"},
		{"a]", 1, "'/', '//', '[' or the end"},
		{"a|b", 1, "'/', '//', '[' or the end"},
		{".", 0, "a tag name"},
		{"a/..", 2, "a tag name"},
		{"1a", 0, "a tag name"},
		{"-a", 0, "a tag name"},
		{"a/@", 3, "an attribute name or '*'"},
		{"a/@1", 3, "an attribute name or '*'"},
		{"a/@href/b", 7, "the end: no step can follow @href"},
		{"a/@*//b", 4, "the end: no step can follow @*"},
		{"a/text()/b", 8, "the end: no step can follow text()"},
		{"a/node()", 2, "node() is not supported as a node test"},
		{"a/text(1)", 7, "')'"},
		{"child::a", 5, "axes are not supported"},
		{"a[", 2, "a condition"},
		{"a[]", 2, "a condition"},
		{"a[1", 3, "']'"},
		{"a[1 2]", 4, "']'"},
		{"a[0]", 2, "a position from 1"},
		{"a[2147483648]", 2, "a position from 1"},
		{"a[99999999999999999999]", 2, "a position from 1"},
		{"a[last(]", 7, "')'"},
		{"a[position()=1]", 2, "position() is not supported"},
		{"a[.//b]", 3, "']'"},
		{"a[.b.c]", 4, "']'"},
		{"a[.or]", 3, "']'"},
		{"a[. b]", 4, "']'"},
		{"a[.-b]", 3, "']'"},
		{"a[*]", 2, "a condition"},
		{"a[@*]", 3, "an attribute name"},
		{"a[@x=1]", 5, "a string in quotes"},
		{"a[@x=]", 5, "a string in quotes"},
		{"a[@x='y]", 5, "a string that ends with '"},
		{"a[@x='y''", 5, "a string that ends with '"},
		{"a[@x and @y]", 5, "']'"},
		{"a['x'=@x]", 2, "a condition"},
		{"a[contains(@x)]", 13, "','"},
		{"a[contains(@x, y)]", 15, "a string in quotes"},
		{"a[contains(@x, 'y'", 18, "')'"},
		{"a[contains(contains(@x, 'y'), 'z')]", 11, "contains() is not supported"},
		{"a[not()]", 6, "a condition"},
		{"a[not(1)]", 6, "a position cannot be negated"},
		{"a[not(last())]", 6, "a position cannot be negated"},
		{"a[not(", 6, "a condition"},
		{"a\xff", 1, "'/', '//', '[' or the end"},
		{"é[ü", 5, "']'"},
		{strings.Repeat("a", MaxLen+1), MaxLen, "at most 4096 bytes"},
		{strings.Repeat("a[not(", 600), 7, "')'"},
		{"a[contains(, 'x')]", 11, "a tag, @name, text() or '.'"},
	} {
		e, err := Parse(c.in)
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%.40q: parsed as %v, error %v", c.in, e, err)
			continue
		}
		if se.Offset != c.offset || !strings.Contains(se.Want, c.want) || se.Expr != c.in {
			t.Errorf("%.40q: offset %d, want %q; should be offset %d, want ...%q...", c.in, se.Offset, se.Want, c.offset, c.want)
		}
	}
}

func TestSyntaxErrorText(t *testing.T) {
	for in, want := range map[string]string{
		"div[é": `xpath: "div[é": at byte 6: want ']', found the end`,
		"div é": `xpath: "div é": at byte 4: want '/', '//', '[' or the end, found 'é'`,
		strings.Repeat("a/", 100) + "!": `xpath: "` + strings.Repeat("a/", 40) +
			`...": at byte 200: want a tag name, '*', '@' or text(), found '!'`,
	} {
		if _, err := Parse(in); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestDeepestNesting holds the parser's and printer's recursion to what
// MaxLen allows.
func TestDeepestNesting(t *testing.T) {
	const depth = (MaxLen - 4) / 5
	in := "a[" + strings.Repeat("not(", depth) + "b" + strings.Repeat(")", depth) + "]"
	e, err := Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	if e.String() != in {
		t.Error("printed differently")
	}
}

// FuzzRoundTrip: what Parse accepts prints to something that parses to an
// equal expression, and every error lies within the input.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{
		"div[contains(@class, 'post')]/h2[@class=\"post-message\"]/a/@href",
		"/page/http/header[@name='x-generator'][starts-with(., 'a''b')]",
		"li[not(text()='it''s \"x\"')][last()]//@*", "a[b][2]/text()", "a[not(1)]", "é:x[.='']", "a[@b='",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Offset < 0 || se.Offset > len(s) || se.Want == "" {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		printed := e.String()
		if len(printed) > MaxLen {
			t.Skip("longer by the spaces that printing adds")
		}
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q printed as %q: %v", s, printed, err)
		}
		if !reflect.DeepEqual(e, again) || again.String() != printed {
			t.Fatalf("%q printed as %q, which parses to another expression", s, printed)
		}
	})
}
