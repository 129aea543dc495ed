package yfilter

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// render writes a tree as nested parentheses: tag@name(children), 'text'.
func render(n *html.Node) string {
	var b strings.Builder
	switch n.Type {
	case html.TextNode:
		return "'" + n.Data + "'"
	case html.CommentNode:
		return "!" + n.Data
	}
	b.WriteString(n.Data)
	for _, a := range n.Attr {
		b.WriteString("@" + a.Key + "=" + a.Val)
	}
	b.WriteString("(")
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c != n.FirstChild {
			b.WriteString(" ")
		}
		b.WriteString(render(c))
	}
	return b.String() + ")"
}

func mustParse(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestDocument(t *testing.T) {
	u, err := url.Parse("HTTPS://Forum.Example.ORG:8443/a%20b2/index.php?topic=1.0;wap2&q=a+b&bad=%zz&&=x")
	if err != nil {
		t.Fatal(err)
	}
	page := mustParse(t, "<!-- c --><!DOCTYPE html><title>T</title><p>x")
	elem := page.LastChild
	doc := Document(page, Meta{
		Status: 404,
		URL:    u,
		Header: http.Header{
			"X-Powered-By": {"PHP", "Other"},
			"Content-Type": {"text/html"},
			"Set-Cookie":   {"sid=a=b; Path=/", " odd name = v ", "=nameless", "flag", ""},
		},
	})
	want := `(page(http(status('404') header@name=content-type('text/html')` +
		` header@name=set-cookie('sid=a=b; Path=/') header@name=set-cookie(' odd name = v ') header@name=set-cookie('=nameless')` +
		` header@name=set-cookie('flag') header@name=set-cookie()` +
		` header@name=x-powered-by('PHP') header@name=x-powered-by('Other')` +
		` cookie@name=sid('a=b') cookie@name=odd name('v') cookie@name=flag())` +
		` url(scheme('https') host('forum.example.org') path('/a b2/index.php') shape('/a b9/index.php')` +
		` param@name=topic('1.0') param@name=wap2() param@name=q('a b') param@name=bad('%zz') param('x'))` +
		` ! c  html(head(title('T')) body(p('x')))))`
	if got := render(doc); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if doc.Type != html.DocumentNode || elem.Parent != doc.FirstChild {
		t.Error("the html element did not move below page")
	}
	// Made into a document once more, as when a page is looked at twice.
	if got := render(Document(elem, Meta{})); got != "(page(http() url() html(head(title('T')) body(p('x')))))" {
		t.Errorf("an element as root: %s", got)
	}
}

func TestDocumentOfNothing(t *testing.T) {
	if got := render(Document(nil, Meta{URL: &url.URL{}})); got != "(page(http() url(scheme() host() path('/') shape('/'))))" {
		t.Error(got)
	}
}
