package trap

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/testsites"
	"github.com/awarc/awarc/yfilter"
)

// BenchmarkWatch is what a crawl pays for each page and its links, against parsing the
// page: the least of the rounds counts for both.
func BenchmarkWatch(b *testing.B) {
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: 300})
	if err != nil {
		b.Fatal(err)
	}
	var bodies [][]byte
	var addresses, links []*url.URL
	seen := map[string]bool{"/": true}
	for queue := []string{"/"}; len(queue) > 0 && len(bodies) < 100; queue = queue[1:] {
		r := httptest.NewRecorder()
		site.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "http://board.example"+queue[0], nil))
		u, err := url.Parse("http://board.example" + queue[0])
		if err != nil {
			b.Fatal(err)
		}
		doc, err := html.Parse(bytes.NewReader(r.Body.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		bodies, addresses = append(bodies, r.Body.Bytes()), append(addresses, u)
		for n := range doc.Descendants() {
			for _, a := range n.Attr {
				if to, err := u.Parse(a.Val); a.Key == "href" && n.Data == "a" && err == nil && to.Host == u.Host {
					links = append(links, to)
					if at := to.RequestURI(); !seen[at] {
						seen[at] = true
						queue = append(queue, at)
					}
				}
			}
		}
	}
	var parse, watch time.Duration
	for b.Loop() {
		var docs []*html.Node
		start := time.Now()
		for _, body := range bodies {
			doc, err := html.Parse(bytes.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			docs = append(docs, doc)
		}
		parsed := time.Since(start)
		for i, doc := range docs {
			docs[i] = yfilter.Document(doc, yfilter.Meta{Status: 200, URL: addresses[i]})
		}
		w := new(Watch)
		start = time.Now()
		for i, doc := range docs {
			w.Page(doc, addresses[i], addresses[0], "")
		}
		for _, to := range links {
			if Shape(to) == "" {
				w.Linked(to, addresses[0], false)
			}
		}
		watched := time.Since(start)
		if parse == 0 {
			parse, watch = parsed, watched
		}
		parse, watch = min(parse, parsed), min(watch, watched)
	}
	b.ReportMetric(watch.Seconds()/parse.Seconds(), "watch/parse")
	b.ReportMetric(watch.Seconds()*1e6/float64(len(bodies)), "µs/page")
	b.ReportMetric(float64(len(links))/float64(len(bodies)), "links/page")
}
