package kb_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// The short form of a class token selects what its XPath does, in and outside the fragment.
func TestClassTokensAreTheirXPath(t *testing.T) {
	page, err := html.Parse(strings.NewReader("<p class='post first'>1<p class='post\tlast'>2<p class='postscript'>3" +
		"<p class='a-post'>4<p>5"))
	if err != nil {
		t.Fatal(err)
	}
	const post = "contains(concat(' ', normalize-space(@class), ' '), ' post ')"
	for short, want := range map[string]string{
		"p[.post]":                         "p[" + post + "]",
		"p[not(.post)][1]":                 "p[not(" + post + ")][1]",
		"p[.post or .a-post]":              "p[" + post + " or " + strings.Replace(post, "' post '", "' a-post '", 1) + "]",
		"p[.first]/following::p[.post][1]": "p[" + strings.Replace(post, "' post '", "' first '", 1) + "]/following::p[" + post + "][1]",
	} {
		var texts [2]string
		var trees [2]string
		for i, source := range []string{short, want} {
			e, err := kb.NewExpr(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range e.Select(page, nil) {
				texts[i] += v.Text()
			}
			trees[i] = e.Tree.String()
		}
		if texts[0] != texts[1] || texts[0] == "" || trees[0] != trees[1] {
			t.Errorf("%s selects %s, its XPath %s; the trees are %s and %s", short, texts[0], texts[1], trees[0], trees[1])
		}
	}
	if _, err := kb.NewExpr(".post"); err == nil || !strings.Contains(err.Error(), "*[.post]") {
		t.Errorf("a class alone: %v", err)
	}
}
