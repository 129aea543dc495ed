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

// TestTitleWithoutTheHost: the part of a title that names the host is the site's name; any other part may be the title's own.
func TestTitleWithoutTheHost(t *testing.T) {
	for title, want := range map[string]string{
		"Oars | Boat Yard":        "Oars",
		"Boat-Yard » Oars – ash":  "Oars – ash",
		"Oars - or spruce":        "Oars - or spruce",
		"Boat Yard":               "Boat Yard",
		"Oars|Boat Yard":          "Oars|Boat Yard",
		"The boat yard ~ Example": "The boat yard ~ Example",
	} {
		if got := withoutHost(title, "www.boat-yard.test"); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
