package extract

import (
	"iter"

	"golang.org/x/net/html"
)

// MoreLinks adds the links of what is behind the end of a page's tree to those of the
// tree, each address once: of parts as parse.Flat gives them. cut reports that they are more
// than one page may have, in bytes.
func MoreLinks(links []Link, p Page, parts iter.Seq[*html.Node]) (all []Link, cut bool) {
	base := baseURL(p.Doc, p.URL)
	return more(links, parts, func(part *html.Node) []Link { return Links(part, base) })
}

// MoreRequisites is MoreLinks for what a page needs to be shown as it was.
func MoreRequisites(links []Link, p Page, parts iter.Seq[*html.Node]) (all []Link, cut bool) {
	base := baseURL(p.Doc, p.URL)
	return more(links, parts, func(part *html.Node) []Link { return Requisites(part, base) })
}

func more(links []Link, parts iter.Seq[*html.Node], of func(part *html.Node) []Link) (all []Link, cut bool) {
	seen, size := map[string]bool{}, 0
	for _, l := range links {
		seen[l.URL] = true
		size += len(l.URL) + len(l.Text)
	}
	for part := range parts {
		for _, l := range of(part) {
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
