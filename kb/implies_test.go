package kb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

func mustParse(t testing.TB, s string) *xpath.Expr {
	t.Helper()
	x, err := xpath.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestImplies(t *testing.T) {
	for _, c := range []struct {
		p, q string
		want bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"a", "*", true},
		{"*", "a", false},
		{"div//a", "a", true},
		{"div/a", "div//a", true},
		{"div//a", "div/a", false},
		{"div/p/a", "div/a", false},
		{"div/p/a", "div//a", true},
		{"div/p/a", "p/a", true},
		{"a/b", "a", true}, // where it fires, not what it selects
		{"/page", "page", true},
		{"page", "/page", false},
		{"a[@x='1']", "a[@x]", true},
		{"a[@x='1']", "a/@x", true},
		{"a/@x", "a[@x]", true},
		{"a/@x", "a", true},
		{"a[@x='abc']", "a[contains(@x, 'b')]", true},
		{"a[@x='abc']", "a[starts-with(@x, 'ab')]", true},
		{"a[@x='abc']", "a[starts-with(@x, 'b')]", false},
		{"a[starts-with(@x, 'abc')]", "a[contains(@x, 'bc')]", true},
		{"a[contains(@x, 'abc')]", "a[starts-with(@x, 'a')]", false},
		{"a[contains(@x, 'abc')]", "a[contains(@x, 'bc')]", true},
		{"a[contains(@x, 'bc')]", "a[contains(@x, 'abc')]", false},
		{"a[contains(@x, 'bc')]", "a[@x]", true},
		{"a[contains(@x, '')]", "a[@x]", false},
		{"a[@x='']", "a[@x]", true},
		{"a[@x]", "a/@*", true},
		{"a[.x]", "a[contains(@class, 'x')]", true},
		{"a[.x]", "a[@class]", true},
		{"a[.xy]", "a[.x]", false},
		{"a[.x]", "a[starts-with(@class, 'x')]", false},
		{"a[contains(@class, 'x')]", "a[.x]", false},
		{"a[@class='y x']", "a[.x]", true},
		{"a[@class='yx']", "a[not(.x)]", true},
		{"a[b='x']", "a[contains(b, 'x')]", false}, // any b, but the first one
		{"a[contains(b, 'xy')]", "a[contains(b, 'x')]", true},
		{"a[.='xy']", "a[contains(., 'x')]", true},
		{"a[@x][@y]", "a[@y]", true},
		{"a[@y]", "a[@x][@y]", false},
		{"a[not(@x)]", "a[not(@x='1')]", true},
		{"a[not(@x='1')]", "a[not(@x)]", false},
		{"a[@x='2']", "a[not(@x='1')]", true},
		{"a[@x='1']", "a[not(contains(@x, '1'))]", false},
		{"a[1]", "a", true},
		{"a", "a[1]", false},
		{"a[@x][1]", "a[1]", false},
		{"a[1][@x]", "a[1]", false}, // a yes would be right too
		{"a[1]", "a[1]", true},
		{"div//a[2]", "a[2]", true},
		{"*[1]", "a[1]", false},
		{"a[1]", "*[1]", false},
	} {
		if got := implies(mustParse(t, c.p), mustParse(t, c.q)); got != c.want {
			t.Errorf("implies(%s, %s) = %v", c.p, c.q, got)
		}
	}
	for _, c := range []struct {
		p, q string
		want bool
	}{{"a/b", "a", false}, {"a/b", "b", true}, {"a//b", "*", true}, {"a/@x", "a[@x]", false}, {"a/@x", "@x", true}, {"b", "a/b", false}} {
		if got := selects(mustParse(t, c.p), mustParse(t, c.q)); got != c.want {
			t.Errorf("selects(%s, %s) = %v", c.p, c.q, got)
		}
	}
}

// pair is two of the built-in patterns, by number.
type pair struct{ p, q int }

// builtinPairs gives all built-in patterns and the pairs of which one implies,
// or selects no more than, the other.
func builtinPairs(t *testing.T) (exprs []*xpath.Expr, implied, selected []pair, nfa *yfilter.NFA) {
	t.Helper()
	base, err := Load(Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	b := yfilter.NewBuilder()
	add := func(list []Pattern) {
		for _, p := range list {
			if _, added := b.AddOnce(p.Expr); added {
				exprs = append(exprs, p.Expr)
			}
		}
	}
	for _, typ := range base.Types {
		add(typ.Detect)
		for _, v := range typ.Levels {
			add(v.Detect)
		}
	}
	for i, p := range exprs {
		for j, q := range exprs {
			if i != j && implies(p, q) {
				implied = append(implied, pair{i, j})
			}
			if i != j && selects(p, q) {
				selected = append(selected, pair{i, j})
			}
		}
	}
	if len(implied) < 10 || len(selected) < 5 {
		t.Errorf("only %d and %d pairs", len(implied), len(selected))
	}
	return exprs, implied, selected, b.Build()
}

// On every page of the examples, what implies and selects promise of the
// built-in patterns holds.
func TestImpliesHoldsOnPages(t *testing.T) {
	exprs, implied, selected, nfa := builtinPairs(t)
	pages, err := filepath.Glob("testdata/*.html")
	if err != nil || len(pages) < 40 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	used := 0
	for _, page := range pages {
		found := matches(t, nfa, page)
		for _, x := range implied {
			if found[x.p] != nil {
				used++
				if found[x.q] == nil {
					t.Errorf("%s: %s fires, %s does not", page, exprs[x.p], exprs[x.q])
				}
			}
		}
		for _, x := range selected {
			for n := range found[x.p] {
				if !found[x.q][n] {
					t.Errorf("%s: %s selects what %s does not", page, exprs[x.p], exprs[x.q])
				}
			}
		}
	}
	t.Logf("%d implied and %d selected pairs, %d times on %d pages", len(implied), len(selected), used, len(pages))
}

// matches gives the nodes that each pattern selects on a page.
func matches(t *testing.T, nfa *yfilter.NFA, page string) map[int]map[*html.Node]bool {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]map[*html.Node]bool{}
	nfa.Run(yfilter.Document(root, yfilter.Meta{Status: 200}), func(id int, n *html.Node, _ string) bool {
		if found[id] == nil {
			found[id] = map[*html.Node]bool{}
		}
		found[id][n] = true
		return true
	})
	return found
}
