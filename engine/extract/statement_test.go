package extract

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestStatedAuthors: a link with rel=author whose text is no name is no statement of who
// wrote the page.
func TestStatedAuthors(t *testing.T) {
	doc, err := html.Parse(strings.NewReader(`<article><p>Words</p><a rel="author" href="/author/ada">View all of Ada Lovelace's posts.</a>
<span itemprop="author">Ada Lovelace</span><a rel="author" href="/author/bo">Bo van der Berg</a></article>`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range ReadStatement(doc).Creators {
		names = append(names, s.Value)
	}
	if want := []string{"Ada Lovelace", "Bo van der Berg"}; !slices.Equal(names, want) {
		t.Errorf("authors %q, want %q", names, want)
	}
}
