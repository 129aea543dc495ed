package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// TestWhyAnExpressionGivesNothing: the first step or condition that nothing fulfils is named, with what there was before it.
func TestWhyAnExpressionGivesNothing(t *testing.T) {
	doc, err := html.Parse(strings.NewReader(`<div class="post"><p class="who">Ada</p></div><div class="post"><p>Bo</p></div>`))
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"span":                              "there is no span",
		"div[@class='post']/p[@class='by']": "div[@class='post']/p selects 2, div[@class='post']/p[@class='by'] none",
		"div[@class='post']//b":             "div[@class='post'] selects 2, div[@class='post']//b none",
		"p/@title":                          "p selects 2, p/@title none",
	} {
		e, err := kb.NewExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		x := &explainer{run: &run{work: kb.NewWork(maxWork)}}
		if got := x.why(&Trial{Expr: e, scope: doc}); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
