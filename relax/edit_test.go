package relax

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
)

func term(tag string, kind xpath.PredKind, attr, literal string) Term {
	return Term{Tag: tag, Pred: xpath.Pred{Kind: kind, Value: xpath.Test{Kind: xpath.Attr, Name: attr}, Literal: literal}}
}

func TestSubstitute(t *testing.T) {
	name := term("span", xpath.Equals, "class", "name")
	for _, c := range []struct {
		source   string
		from, to Term
		want     string
	}{
		{"tr[td/span[@class='name']/a[@name]]", name, term("em", xpath.Equals, "class", "name"), "tr[td/em[@class='name']/a[@name]]"},
		{"span[@class='name'][a/@name]", name, term("span", xpath.StartsWith, "id", "name"), "span[starts-with(@id, 'name')][a/@name]"},
		{"span[@class='name'][a/@name]", name, Term{Tag: "span"}, "span[a/@name]"},
		{"a[@class='nav' or @class='name']/following-sibling::span[@class='name']", name, term("b", xpath.Contains, "class", "x"),
			"a[@class='nav' or @class='name']/following-sibling::b[contains(@class, 'x')]"},
		{"a[b or @class='nav']", term("a", xpath.Equals, "class", "nav"), Term{Tag: "a"}, "a[b or true()]"},
		{"(.//div[contains(concat(' ', @class, ' '), ' content ')])[1]", term("div", xpath.Contains, "class", " content "),
			term("section", xpath.Contains, "class", " content "), "(.//section[contains(concat(' ', @class, ' '), ' content ')])[1]"},
		{"(.//div[contains(concat(' ', @class, ' '), ' content ')])[1]", term("div", xpath.Contains, "class", " content "),
			term("div", xpath.Contains, "class", "copy"), "(.//div[contains(@class, 'copy')])[1]"},
		{".//div[starts-with(@id, 'p')][contains(@class, 'post')][string-length(@id) > 1][translate(substring(@id, 2), '0123456789', " +
			"'')='']", term("div", xpath.StartsWith, "id", "p"), term("div", xpath.StartsWith, "id", "msg-"),
			".//div[starts-with(@id, 'msg-')][contains(@class, 'post')]"},
		{"*[@id='forum']//*[.//h4][not(contains(@class, 'name'))]", term("*", xpath.Equals, "id", "forum"),
			term("*", xpath.Equals, "id", "x"), "*[@id='x']//*[.//h4][not(contains(@class, 'name'))]"},
		{"li[@class='post'][not(contains(@class, 'deleted'))][string-length(@class) > 1]", term("li", xpath.Equals, "class", "post"),
			term("li", xpath.Equals, "class", "entry"), "li[@class='entry'][not(contains(@class, 'deleted'))]"},
		{"p[@title=']']/b[@class='name']", term("b", xpath.Equals, "class", "name"), term("i", xpath.Equals, "class", "name"),
			"p[@title=']']/i[@class='name']"},
	} {
		got, ok := Substitute(parsed(t, c.source), c.from, c.to)
		if !ok || got.String() != c.want {
			t.Errorf("%s: %v for %v gives %s, want %s", c.source, c.to, c.from, got, c.want)
		}
	}
	for _, source := range []string{"span[@id='name']", "b[@class='name']", "span[not(@class='name')]", "span[not(b or @class='name')]"} {
		if got, ok := Substitute(parsed(t, source), name, Term{Tag: "b"}); ok {
			t.Errorf("%s becomes %s", source, got)
		}
	}
}

func TestSteps(t *testing.T) {
	var got []string
	for _, alternatives := range Steps(parsed(t, "tr[td/span[@class='name'][@id='n']/a[starts-with(@name, "+
		"'p')]]//*[@id='x'][not(@class='y')]/b[@id='q' or @class='z']")) {
		s := ""
		for _, step := range alternatives {
			s += (&xpath.Expr{Steps: []xpath.Step{step}}).String() + " "
		}
		got = append(got, strings.TrimSpace(s))
	}
	want := []string{"span[@class='name'][@id='n']", "a[starts-with(@name, 'p')]", "*[@id='x']", "b[@id='q'] b[@class='z']"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if deep := Steps(parsed(t,
		"time[@id='a (not)'][not(ancestor::*[not(self::body)][@class='x' or .//b[@id='y']])]/i[@id='z']")); len(deep) != 2 ||
		deep[1][0].Test.Name != "i" {
		t.Errorf("what is denied is asked for: %v", deep)
	}
}

// FuzzSubstitute: no expression makes it fail, what it does not change it leaves as it
// is, and what it makes prints to what parses to an equal tree.
func FuzzSubstitute(f *testing.F) {
	f.Add("tr[td/span[@class='name']/a[@name]]")
	f.Add("(a[b and contains(@class, 'x')])[@id='y'][@id]/c | //d[not(@e='f')][@e='f']/..")
	f.Fuzz(func(t *testing.T, source string) {
		n, err := xpath.ParseTree(source)
		if err != nil {
			return
		}
		for _, s := range Steps(n) {
			x := Term{Tag: s[0].Test.Name, Pred: s[0].Preds[0]}
			if out, ok := Substitute(n, x, x); ok || out != n {
				t.Errorf("%q becomes %q", source, out)
			}
			for _, to := range []Term{{Tag: "b"}, {Tag: "*"}} {
				out, _ := Substitute(n, x, to)
				if back, err := xpath.ParseTree(out.String()); err != nil || !reflect.DeepEqual(back, out) {
					t.Errorf("%q becomes %q, which parses to %v, %v", source, out, back, err)
				}
			}
		}
	})
}
