package extract

import (
	"iter"

	"golang.org/x/net/html"
)

// MoreLinks gives the links of what is behind the end of a page's tree, each address once: of parts as parse.Flat gives
// them. cut reports that they are more than one page may have, in bytes.
func MoreLinks(p Page, parts iter.Seq[*html.Node]) (links []Link, cut bool) {
	return more(p, parts, (*collector).page)
}

// MoreRequisites is MoreLinks for what a page needs to be shown as it was.
func MoreRequisites(p Page, parts iter.Seq[*html.Node]) (links []Link, cut bool) {
	return more(p, parts, (*collector).requisite)
}

func more(p Page, parts iter.Seq[*html.Node], add func(*collector, *html.Node)) (links []Link, cut bool) {
	whole := newResolver(p)
	s := newSeen(nil)
	for part := range parts {
		c := &collector{p: Page{Doc: part, URL: p.URL}}
		c.start()
		c.resolve.base, c.resolve.query = whole.base, whole.query
		c.eachElement(func(n *html.Node) { add(c, n) })
		if links, cut = s.add(links, c.links); cut {
			break
		}
	}
	return links, cut
}

// Join adds the links of what is behind the end of a page's tree to those of the tree, as MoreLinks does.
func Join(links, more []Link) (all []Link, cut bool) {
	if len(more) == 0 {
		return links, false
	}
	return newSeen(links).add(links, more)
}

// seenLinks are the addresses of a list of links, and its size in bytes.
type seenLinks struct {
	urls map[string]bool
	size int
}

func newSeen(links []Link) *seenLinks {
	s := &seenLinks{urls: map[string]bool{}}
	for _, l := range links {
		s.urls[l.URL] = true
		s.size += len(l.URL) + len(l.Text)
	}
	return s
}

func (s *seenLinks) add(links, more []Link) (all []Link, cut bool) {
	for _, l := range more {
		if s.urls[l.URL] {
			continue
		}
		if s.size += len(l.URL) + len(l.Text); s.size > maxValues {
			return links, true
		}
		s.urls[l.URL] = true
		links = append(links, l)
	}
	return links, false
}
