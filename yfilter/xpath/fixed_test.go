package xpath_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter/xpath"
)

// A path from the root in a condition is evaluated once, not once for each link, and selects what it did.
func TestFixedPathCostsOnce(t *testing.T) {
	const links = 1000
	var b strings.Builder
	for i := range links {
		fmt.Fprintf(&b, `<a href="/t/%d">x</a>`, i)
	}
	doc, err := html.Parse(strings.NewReader(b.String() + `<nav><i id="/t/7"></i><i id="/t/9"></i></nav>`))
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]int{
		"a[@href=//nav/i/@id]": 2, "a[//nav/i/@id=@href]": 2, "a[@href!=//nav/i/@id]": links, "a[//nav]": links, "a[not(//nav)]": 0,
		"a[//nav/i[2]/@id=@href]": 1,
	} {
		n, err := xpath.ParseTree(source)
		if err != nil {
			t.Fatal(err)
		}
		q, err := xpath.Compile(n)
		if err != nil {
			t.Fatal(err)
		}
		const all = 20 * links
		work := xpath.NewWork(all)
		if got := len(q.Select(doc, work)); got != want || work.Spent() {
			t.Errorf("%s: %d nodes, want %d; %d of %d steps are left", source, got, want, work.Left(), all)
		}
	}
}
