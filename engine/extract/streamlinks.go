package extract

import (
	"iter"

	"golang.org/x/net/html"
)

// MoreLinks adds the links of what is behind the end of a page's tree to those of the
// tree, each address once: of parts as parse.Flat gives them. cut reports that they are more
// than one page may have, in bytes.
func MoreLinks(links []Link, p Page, parts iter.Seq[*html.Node]) (all []Link, cut bool) {
	return more(links, p, parts, (*collector).page)
}

// MoreRequisites is MoreLinks for what a page needs to be shown as it was.
func MoreRequisites(links []Link, p Page, parts iter.Seq[*html.Node]) (all []Link, cut bool) {
	return more(links, p, parts, (*collector).requisite)
}

func more(links []Link, p Page, parts iter.Seq[*html.Node], add func(*collector, *html.Node)) (all []Link, cut bool) {
	whole := newResolver(p)
	seen, size := map[string]bool{}, 0
	for _, l := range links {
		seen[l.URL] = true
		size += len(l.URL) + len(l.Text)
	}
	for part := range parts {
		c := &collector{p: Page{Doc: part, URL: p.URL}}
		c.start()
		c.resolve.base, c.resolve.query = whole.base, whole.query
		c.eachElement(func(n *html.Node) { add(c, n) })
		for _, l := range c.links {
			if seen[l.URL] {
				continue
			}
			if size += len(l.URL) + len(l.Text); size > maxValues {
				return links, true
			}
			seen[l.URL] = true
			links = append(links, l)
		}
	}
	return links, false
}
