package yfilter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/antchfx/htmlquery"
	antchfx "github.com/antchfx/xpath"
	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// benchPage returns the source of a saved forum page.
func benchPage(b *testing.B) []byte {
	b.Helper()
	names, err := filepath.Glob(filepath.Join(pagesDir, "phpbb/mirror-eaglecraft/*.html"))
	if err != nil || len(names) == 0 {
		names, _ = filepath.Glob(filepath.Join(pagesDir, "phpbb/*/*.html"))
	}
	if len(names) == 0 {
		b.Skipf("no pages in %s", pagesDir)
	}
	page, err := os.ReadFile(names[len(names)/2])
	if err != nil {
		b.Fatal(err)
	}
	return page
}

// benchPatterns are n distinct patterns of the usual shapes.
func benchPatterns(b *testing.B, n int) []*xpath.Expr {
	b.Helper()
	var list []*xpath.Expr
	for i := 0; len(list) < n; i++ {
		for _, s := range []string{
			fmt.Sprintf("div[@class='post%d']//a/@href", i),
			fmt.Sprintf("body[@id='site%d']", i),
			fmt.Sprintf("meta[@name='generator'][contains(@content, 'Software %d')]", i),
			fmt.Sprintf("script[contains(@src, 'lib%d.js')]", i),
			fmt.Sprintf("a[starts-with(@href, './view%d.php')]", i),
		} {
			e, err := xpath.Parse(s)
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, e)
		}
	}
	return list[:n]
}

// BenchmarkParse is what every page costs before any pattern is looked at.
func BenchmarkParse(b *testing.B) {
	page := benchPage(b)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if _, err := html.Parse(bytes.NewReader(page)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	root, err := html.Parse(bytes.NewReader(benchPage(b)))
	if err != nil {
		b.Fatal(err)
	}
	doc := Document(root, testMeta())
	for _, n := range []int{50, 500, 5000} {
		builder := NewBuilder()
		for _, e := range benchPatterns(b, n) {
			builder.Add(e)
		}
		nfa := builder.Build()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				nfa.RunFirst(doc, func(int, *html.Node, string) bool { return true })
			}
		})
	}
}

// BenchmarkOneByOne is the same with antchfx/xpath and without an automaton.
func BenchmarkOneByOne(b *testing.B) {
	root, err := html.Parse(bytes.NewReader(benchPage(b)))
	if err != nil {
		b.Fatal(err)
	}
	doc := Document(root, testMeta())
	for _, n := range []int{50, 500} {
		var compiled []*antchfx.Expr
		for _, e := range benchPatterns(b, n) {
			compiled = append(compiled, antchfx.MustCompile(e.XPath(false)))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				for _, e := range compiled {
					htmlquery.QuerySelector(doc, e)
				}
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	exprs := benchPatterns(b, 5000)
	for b.Loop() {
		builder := NewBuilder()
		for _, e := range exprs {
			builder.Add(e)
		}
		builder.Build()
	}
}
