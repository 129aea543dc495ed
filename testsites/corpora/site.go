package corpora

import (
	"fmt"

	"golang.org/x/text/encoding"
)

// A site is what a corpus is made of. Its addresses are paths with queries, escaped, the
// front page is "/".
type site struct {
	name        string
	lang        string // "" means "en"
	layout      string // a file in layouts
	intro       string // HTML of the front page
	items       []item
	menu        []link // to pages that are made up of words
	words       labels
	index       index
	back        bool              // pages link to the one before, too
	absent      absence           // what stands at addresses that nobody linked
	step        int               // of an open site: by what the last number of an address grows; 0 means 1
	aside       []widget          // of each page
	charset     encoding.Encoding // nil means UTF-8
	charsetName string
}

// An item is one page of content.
type item struct {
	path  string
	name  string        // what links and the title call it
	body  func() string // HTML
	title string        // of the page; "" means name
}

// add appends an item; body is asked for at each request and must give the same each time.
func (s *site) add(path, name string, body func() string) {
	s.items = append(s.items, item{path: path, name: name, body: body})
}

// link leads to an address.
type link struct{ Href, Text, Rel string }

// labels are the words of links, in the language of the site. Empty ones are English.
type labels struct{ next, prev, up, home string }

func (l labels) withDefaults() labels {
	set := func(s *string, to string) {
		if *s == "" {
			*s = to
		}
	}
	set(&l.next, "Next")
	set(&l.prev, "Previous")
	set(&l.up, "Overview")
	set(&l.home, "Home")
	return l
}

// index is how the list of all pages is laid out.
type index struct {
	at    func(page int) string // address of the list's page, from 0
	per   int                   // entries on one page; 0 means all
	form  form
	pager pager
	shelf func(i int) (path, name string) // between index and items; items of one shelf follow each other
}

// form is the markup of a list.
type form int

const (
	bullets form = iota
	rows         // a table: number, name
	inline       // links in a line, separated by bars
	bareNumbers
	thumbs // links around pictures without words
)

// pager is how the pages of a list are linked.
type pager int

const (
	onward   pager = iota // to the next and the one before
	numbered              // to all of them, by number
)

// absence is what stands at addresses that nobody linked.
type absence int

const (
	notFound absence = iota
	soft             // 200, and a page that says that there is no such record
	open             // 200, no rows, and a link to the next, without an end; so has the last page
	toFront          // a redirect to the front page
	broken           // 500
	toWrite          // 200, and an invitation to write the page, with a form behind it
	suggests         // 200, and links to what there is, by the address
)

// widget is something beside the content.
type widget int

const (
	calendar widget = iota // of this month
	counter                // of visitors
	advert                 // words that change
	timing                 // how long the page took
	legal                  // 150 words that are on each page
	online                 // how many are, which changes
)

// numberedList returns addresses for the pages of an index, with the first one as it is and
// the number of the page, from 2, in the others.
func numberedList(first, others string) func(int) string {
	return func(k int) string {
		if k == 0 {
			return first
		}
		return fmt.Sprintf(others, k+1)
	}
}

// offsetList is numberedList with the number of the first entry.
func offsetList(first, others string, per int) func(int) string {
	return func(k int) string {
		if k == 0 {
			return first
		}
		return fmt.Sprintf(others, k*per)
	}
}
