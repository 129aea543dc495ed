package yfilter_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

func Example() {
	patterns := []string{
		"body[@id='phpbb']",
		"http/cookie[starts-with(@name, 'phpbb')]",
		"a[@class='topictitle']",
		"a[@class='topictitle']/@href",
		"meta[@name='generator'][contains(@content, 'WordPress')]",
	}
	b := yfilter.NewBuilder()
	for _, s := range patterns {
		e, err := xpath.Parse(s)
		if err != nil {
			panic(err)
		}
		b.Add(e)
	}
	nfa := b.Build()
	fmt.Print(nfa)

	page, err := html.Parse(strings.NewReader(`<body id="phpbb">
		<a class="topictitle" href="viewtopic.php?t=1">First</a>
		<a class="topictitle" href="viewtopic.php?t=2">Second</a>`))
	if err != nil {
		panic(err)
	}
	doc := yfilter.Document(page, yfilter.Meta{
		Status: 200,
		Header: http.Header{"Set-Cookie": {"phpbb3_sid=0; path=/"}},
		URL:    &url.URL{Scheme: "http", Host: "forum.example", Path: "/viewforum.php"},
	})
	fmt.Println("--")
	nfa.RunFirst(doc, func(pattern int, n *html.Node, attr string) bool {
		fmt.Println(patterns[pattern])
		return true
	})
	// Output:
	// //body
	//   [@id='phpbb'] => 0
	// //http
	//   /cookie
	//     [starts-with(@name, 'phpbb')] => 1
	// //a
	//   [@class='topictitle'] => 2
	//     /@href => 3
	// //meta
	//   [@name='generator']
	//     [contains(@content, 'WordPress')] => 4
	// --
	// http/cookie[starts-with(@name, 'phpbb')]
	// body[@id='phpbb']
	// a[@class='topictitle']
	// a[@class='topictitle']/@href
}

// A field of an object is looked for below the object's node.
func ExampleNFA_Run() {
	page, err := html.Parse(strings.NewReader(
		`<div class="post" id="p1"><a href="/u/1">Ann</a></div><div class="post" id="p2"><a href="/u/2">Bob</a></div>`))
	if err != nil {
		panic(err)
	}
	compile := func(s string) *yfilter.NFA {
		e, err := xpath.Parse(s)
		if err != nil {
			panic(err)
		}
		b := yfilter.NewBuilder()
		b.Add(e)
		return b.Build()
	}
	posts, authors := compile("div[@class='post']"), compile("a/text()")
	posts.Run(page, func(_ int, post *html.Node, _ string) bool {
		authors.Run(post, func(_ int, text *html.Node, _ string) bool {
			fmt.Println(text.Data)
			return true
		})
		return true
	})
	// Output:
	// Ann
	// Bob
}
