package fetch_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

// One exchange: what was sent, what came back byte by byte, and the page for a reader.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		io.WriteString(w, "<title>Caf\xe9</title>")
	}))
	defer server.Close()

	client, err := fetch.New(fetch.Options{UserAgent: "awarc/0.1", Contact: "https://archive.example/crawler"})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	exchange, err := client.Do(context.Background(), server.URL+"/menu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exchange.Close()

	header := make([]byte, exchange.HeaderSize)
	if _, err := exchange.Response.ReadAt(header, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", header)
	page, err := exchange.HTML()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(exchange.Status, exchange.MediaType(), page.Charset, string(page.HTML))
	// Output:
	// "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\nContent-Length: 19\r\n\r\n"
	// 200 text/html windows-1252 <title>Café</title>
}

func ExampleRobots() {
	file := "User-agent: *\nDisallow: /search\nAllow: /search/about\nCrawl-delay: 2\n"
	robots := fetch.ParseRobots(http.StatusOK, []byte(file), time.Now())
	agent := fetch.ProductToken("awarc/0.1 (+https://archive.example/crawler)")
	fmt.Println(robots.Allowed(agent, "http://forum.example/search?q=x"))
	fmt.Println(robots.Allowed(agent, "http://forum.example/search/about"))
	fmt.Println(robots.CrawlDelay(agent))
	// Output:
	// false
	// true
	// 2s
}
