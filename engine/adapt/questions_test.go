package adapt

import (
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestQuestionsOfTrees asks expressions what decisions hang on, and answers by how they read.
func TestQuestionsOfTrees(t *testing.T) {
	for _, c := range []struct {
		source          string
		attribute, root bool
		guard           string
	}{
		{source: "time[@class='x']/@datetime", attribute: true},
		{source: "(.//time)[1]/@datetime", attribute: true},
		{source: "@title"},
		{source: "a[b/@title]"},
		{source: "div[starts-with(@id, 'p')]//b"},
		{source: "b[div[starts-with(@id, 'p')]]"},
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
		if ofAttribute(n) != c.attribute || ofRoot(n) != c.root || asks != c.guard {
			t.Errorf("%s: of an attribute %v, of the root %v, guard %q", c.source, ofAttribute(n),
				ofRoot(n), asks)
		}
	}
}
