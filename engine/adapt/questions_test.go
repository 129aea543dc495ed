package adapt

import (
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestQuestionsOfTrees asks expressions what decisions hang on, and answers by how they read.
func TestQuestionsOfTrees(t *testing.T) {
	for _, c := range []struct {
		source                          string
		attribute, number, root, picked bool
		guard                           string
	}{
		{source: "time[@class='x']/@datetime", attribute: true},
		{source: "(.//time)[1]/@datetime", attribute: true, picked: true},
		{source: "@title"},
		{source: "a[b/@title]"},
		{source: "div[starts-with(@id, 'p')]//b", number: true},
		{source: "b[div[starts-with(@id, 'p')]]", number: true},
		{source: "div[@class='[starts-with(@id, ']"},
		{source: "html[.//b]", root: true},
		{source: "html/b"},
		{source: "//html[b]"},
		{source: "self::node()[not(.//b[c='x']//d)]//a", guard: "self::node()[not(.//b[c='x']//d)]"},
		{source: "self::node()[not(.//b)]/a"},
		{source: "self::node()[b]//a"},
	} {
		e, err := kb.NewExpr(c.source)
		if err != nil {
			t.Fatal(err)
		}
		n, asks := e.Tree, ""
		if g := guard(n); g != nil {
			asks = g.String()
		}
		if ofAttribute(n) != c.attribute || asksForNumber(n) != c.number || ofRoot(n) != c.root || picks(n) != c.picked || asks != c.guard {
			t.Errorf("%s: of an attribute %v, for a number %v, of the root %v, picks %v, guard %q", c.source, ofAttribute(n),
				asksForNumber(n), ofRoot(n), picks(n), asks)
		}
	}
}
