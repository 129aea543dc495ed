package extract

import (
	"iter"

	"golang.org/x/net/html"
)

// More is what is behind the end of a page's tree.
type More struct {
	Links, Requisites       []Link // each address once
	CutLinks, CutRequisites bool   // they are more than one page may have, in bytes
}

// ReadMore reads what is behind the end of a page's tree, once: parts as parse.Flat gives them.
func ReadMore(p Page, parts iter.Seq[*html.Node]) (m More) {
	whole := newResolver(p)
	links, requisites := newSeen(nil), newSeen(nil)
	collect := func(part *html.Node, add func(*collector, *html.Node)) []Link {
		c := &collector{p: Page{Doc: part, URL: p.URL}}
		c.start()
		c.resolve.base, c.resolve.plain, c.resolve.query = whole.base, whole.plain, whole.query
		c.eachElement(func(n *html.Node) { add(c, n) })
		return c.links
	}
	for part := range parts {
		if !m.CutLinks {
			m.Links, m.CutLinks = links.add(m.Links, collect(part, (*collector).page))
		}
		if !m.CutRequisites {
			m.Requisites, m.CutRequisites = requisites.add(m.Requisites, collect(part, (*collector).requisite))
		}
		if m.CutLinks && m.CutRequisites {
			break
		}
	}
	return m
}

// Join adds the links of what is behind the end of a page's tree to those of the tree, as ReadMore does.
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
