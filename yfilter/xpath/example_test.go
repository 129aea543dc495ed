package xpath_test

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter/xpath"
)

func Example() {
	e, err := xpath.Parse(`//div[contains(@class,"post")]/h2/a/@href`)
	if err != nil {
		panic(err)
	}
	fmt.Println(e)
	fmt.Println(e.XPath(true))

	e.Steps[0].Preds = nil
	fmt.Println(e)

	_, err = xpath.Parse("div[@class=post]")
	fmt.Println(err)
	// Output:
	// div[contains(@class, 'post')]/h2/a/@href
	// .//div[contains(@class, 'post')]/h2/a/@href
	// div/h2/a/@href
	// xpath: "div[@class=post]": at byte 11: want a string in quotes, found 'p'
}

// An action is read once, runs on pages, and is edited as a tree.
func ExampleParseTree() {
	n, err := xpath.ParseTree(`p[@class='by' or position()=last()]/a | (.//h1)[1]`)
	if err != nil {
		panic(err)
	}
	page, err := html.Parse(strings.NewReader(`<h1>Knots</h1><p class=by><a>Ann</a><p>text<h1>Comments</h1>`))
	if err != nil {
		panic(err)
	}
	show := func(n xpath.Node) {
		q, err := xpath.Compile(n)
		if err != nil {
			panic(err)
		}
		fmt.Println(n)
		for _, v := range q.Select(page, xpath.NewWork(10_000)) {
			fmt.Println(" ", v.Text())
		}
	}
	show(n)
	show(xpath.Edit(n, func(n xpath.Node) (xpath.Node, bool) {
		if p, ok := xpath.PredOf(n); ok && p.Kind == xpath.Equals {
			return xpath.PaddedToken("class", p.Literal), false
		}
		return n, true
	}))
	// Output:
	// p[@class='by' or position() = last()]/a | (.//h1)[1]
	//   Knots
	//   Ann
	// p[contains(concat(' ', normalize-space(@class), ' '), ' by ') or position() = last()]/a | (.//h1)[1]
	//   Knots
	//   Ann
}
