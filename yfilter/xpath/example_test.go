package xpath_test

import (
	"fmt"

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
