package corpora

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// A Way is how the pages of a corpus are reached from its front page.
type Way int

// The ways.
const (
	Next  Way = iota // each page links to the next one, the front page to the first
	Index            // an index links to all pages, and they link back only
	Both
)

// Ways are all of them.
func Ways() []Way { return []Way{Next, Index, Both} }

func (w Way) String() string { return [...]string{"next", "index", "both"}[w] }

// A Corpus is a site of natural content with an end.
type Corpus struct {
	Name  string
	Pages int // of content, from 500 to 2,000; indexes come on top

	build func(pages int) *site
}

// All returns the corpora that need nothing but this package, in the order of their names.
func All() []Corpus {
	all := slices.Concat(numbers(), days(), games(), places(), catalogues(), texts(), pictures(), atRoot(), graphs(), addressedByChecksum())
	slices.SortFunc(all, func(a, b Corpus) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Limit returns the corpus cut to its first pages. A corpus of fewer stays as it is.
func (c Corpus) Limit(pages int) Corpus {
	c.Pages = min(c.Pages, pages)
	return c
}

// Handler serves the corpus. The front page is "/".
func (c Corpus) Handler(way Way) http.Handler { return newServer(c.build(c.Pages), way) }

// URLs lists the addresses of all that a crawl from "/" must fetch, front page and
// indexes included: path and query, as links give them.
func (c Corpus) URLs(way Way) []string { return newServer(c.build(c.Pages), way).addresses }

// Key is what an address has in common with others of the same page: the escapes of the
// path and the order of parameters make no difference.
func Key(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("key of %q: %w", address, err)
	}
	return keyOf(u), nil
}

func keyOf(u *url.URL) string {
	if u.RawQuery == "" {
		return u.Path
	}
	return u.Path + "?" + u.Query().Encode()
}
