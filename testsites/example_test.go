package testsites_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/awarc/awarc/testsites"
)

func ExampleNew() {
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(site)
	defer server.Close()

	truth := site.Truth(server.URL)
	for _, page := range truth.Pages {
		res, err := http.Get(page.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = res.Body.Close()
	}
	requests := site.Requests()
	fmt.Println(truth.Count()["sioc:Post"], "posts;", len(requests.Twice()), "pages fetched twice;",
		requests.Status[http.StatusOK] == len(truth.Pages))
	// Output: 50 posts; 0 pages fetched twice; true
}

func ExampleMux() {
	forum, err := testsites.New("vbulletin", "3.8", testsites.Options{Prefix: "/forum", Posts: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	blog, err := testsites.New("wordpress", "twentyten", testsites.Options{Prefix: "/blog", Posts: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(testsites.Unavailable(testsites.Mux(forum, blog), 1, 0))
	defer server.Close()

	for range 2 { // the first try of each URL is refused
		res, err := http.Get(server.URL + "/forum/showthread.php?t=1")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = res.Body.Close()
		fmt.Println(res.StatusCode)
	}
	// Output:
	// 503
	// 200
}

func ExampleSite_Objects() {
	site, err := testsites.New("wordpress", "twentytwentythree", testsites.Options{Posts: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for o := range site.Objects("http://blog.test") {
		if o.Class == "schema:WebPage" {
			fmt.Println(o.Title, o.URL)
			break
		}
	}
	// Output: About http://blog.test/about/
}
