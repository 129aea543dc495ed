package yfilter_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

func TestPath(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<title>T</title><div>a</div><div><p>x<a id=1 href=u>y</a></p></div>`))
	if err != nil {
		t.Fatal(err)
	}
	doc := yfilter.Document(root, yfilter.Meta{Status: 200, Header: http.Header{"Link": {"l"}},
		URL: &url.URL{Scheme: "http", Host: "h", Path: "/", RawQuery: "t=7"}})
	for expr, want := range map[string]string{
		"title":                       "html/head/title",
		"div//a":                      "html/body/div[2]/p/a",
		"a/@href":                     "html/body/div[2]/p/a/@href",
		"p/text()":                    "html/body/div[2]/p/text()",
		"http/status":                 "http/status",
		"http/header[@name='link']":   "http/header[@name='link']",
		"url/param[@name='t'][.='7']": "url/param[@name='t']",
	} {
		b := yfilter.NewBuilder()
		x, err := xpath.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		b.Add(x)
		got := ""
		b.Build().RunFirst(doc, func(_ int, n *html.Node, attr string) bool {
			got = yfilter.Path(n, attr)
			return true
		})
		if got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}
