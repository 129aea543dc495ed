package extract

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// maxLinks bounds the links taken from one page. Before it, their bytes do.
const maxLinks = 400_000

// maxURL bounds a URL, in bytes; longer ones are traps or data.
const maxURL = 4000

// baseURL gives what relative links of a page are resolved against.
func baseURL(doc *html.Node, page *url.URL) *url.URL {
	for n := range doc.Descendants() {
		if href := strings.TrimSpace(attr(n, "href")); n.DataAtom == atom.Base && href != "" && len(href) <= maxURL {
			if b, err := page.Parse(href); err == nil && (b.Scheme == "http" || b.Scheme == "https") {
				return b
			}
		}
		if n.DataAtom == atom.Body {
			break
		}
	}
	return page
}

// resolver makes the addresses of one page absolute, parsing its base once.
type resolver struct {
	base *whatwg.Url
	raw  map[string]string // addresses repeat within a page
	size int               // bytes of URLs given out: a long base multiplies a page
}

func newResolver(base *url.URL) *resolver {
	r := &resolver{raw: map[string]string{}}
	if b, err := whatwg.Parse(base.String()); err == nil {
		r.base = b
	}
	return r
}

// link is [Resolve] against the resolver's base.
func (r *resolver) link(href string) string {
	u, known := r.raw[href]
	if known {
		return u
	}
	if r.size < maxValues {
		u = r.resolve(href)
	}
	r.size += len(u)
	r.raw[href] = u
	return u
}

func (r *resolver) resolve(href string) string {
	href = strings.TrimSpace(href)
	if r.base == nil || href == "" || strings.HasPrefix(href, "#") || len(href) > maxURL {
		return ""
	}
	u, err := r.base.Parse(href)
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" || u.Hostname() == "" {
		return ""
	}
	u.SetHash("")
	u.SetUsername("")
	u.SetPassword("")
	return u.Href(true)
}

// Resolve makes an address absolute as browsers do (WHATWG URL), without its
// fragment. It returns "" for what is no fetchable http or https URL.
func Resolve(base *url.URL, href string) string { return newResolver(base).resolve(href) }

// id makes an object's id absolute; its fragment is part of it. It is "" for
// what names nothing on the web.
func (r *resolver) id(id string) string {
	id = strings.TrimSpace(id)
	if r.base == nil || id == "" || len(id) > maxURL {
		return ""
	}
	u, err := r.base.Parse(id)
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" {
		return ""
	}
	return u.Href(false)
}

// address is id for the value of a field, which may also be a mail address.
func (r *resolver) address(s string) string {
	const mail = "mailto:"
	if len(s) > len(mail) && len(s) <= maxURL && strings.EqualFold(s[:len(mail)], mail) {
		return s
	}
	return r.id(s)
}

// linkAttrs are where generic extraction finds addresses, by element. Form
// actions and scripts are not among them: asking for them is guessing.
var linkAttrs = map[atom.Atom]string{atom.A: "href", atom.Area: "href", atom.Iframe: "src", atom.Frame: "src"}

// linkRels are the relations of <link> that lead to pages.
var linkRels = map[string]bool{"next": true, "prev": true, "canonical": true, "alternate": true, "first": true, "last": true, "index": true, "up": true, "chapter": true, "start": true}

func leadsToPage(rel string) bool {
	rels := strings.Fields(strings.ToLower(rel))
	return slices.ContainsFunc(rels, func(r string) bool { return linkRels[r] }) && !slices.Contains(rels, "stylesheet")
}

// Links extracts the links of a page of an unknown application: anchors, image
// maps, frames, related pages and refreshes, in the order of the page, each
// address once.
func Links(doc *html.Node, base *url.URL) []Link { return links(doc, base, nil) }

func links(doc *html.Node, base *url.URL, around *surroundings) []Link {
	seen := map[string]bool{}
	resolve := newResolver(base)
	work := kb.NewWork(maxWork)
	var links []Link
	for n := range doc.Descendants() {
		if len(links) >= maxLinks {
			break
		}
		if n.Type != html.ElementNode {
			continue
		}
		href := attr(n, linkAttrs[n.DataAtom])
		switch n.DataAtom {
		case atom.Link:
			if leadsToPage(attr(n, "rel")) {
				href = attr(n, "href")
			}
		case atom.Meta:
			if strings.EqualFold(attr(n, "http-equiv"), "refresh") {
				href = refreshTarget(attr(n, "content"))
			}
		}
		u := resolve.link(href)
		if u == "" || seen[u] {
			continue
		}
		seen[u] = true
		l := Link{URL: u, Around: around.of(n)}
		if n.DataAtom == atom.A {
			l.Text = anchorText(n, work)
		}
		links = append(links, l)
	}
	return links
}

// candidate is one image of a srcset: an address, which may hold commas, and
// its width or density.
var candidate = regexp.MustCompile(`[\s,]*(\S+)(?:\s+[\d.]+[wxh])*\s*`)

// Requisites extracts what a page needs to be shown as it was: images, style
// sheets, scripts, media.
func Requisites(doc *html.Node, page *url.URL) []Link {
	resolve := newResolver(baseURL(doc, page))
	seen := map[string]bool{}
	var links []Link
	add := func(href string) {
		if u := resolve.link(href); u != "" && !seen[u] && len(links) < maxLinks {
			seen[u] = true
			links = append(links, Link{URL: u})
		}
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Img, atom.Source, atom.Audio, atom.Video, atom.Embed, atom.Script, atom.Track, atom.Input:
			add(attr(n, "src"))
			add(attr(n, "poster"))
			for _, m := range candidate.FindAllStringSubmatch(attr(n, "srcset"), maxLinks) {
				add(strings.TrimRight(m[1], ","))
			}
		case atom.Object:
			add(attr(n, "data"))
		case atom.Link:
			for _, rel := range strings.Fields(strings.ToLower(attr(n, "rel"))) {
				if rel == "stylesheet" || rel == "icon" || rel == "apple-touch-icon" || rel == "manifest" {
					add(attr(n, "href"))
				}
			}
		case atom.Body, atom.Table, atom.Td:
			add(attr(n, "background"))
		}
	}
	return links
}

// refreshTarget reads the address in a refresh: "5; url=next.html".
func refreshTarget(content string) string {
	_, rest, ok := strings.Cut(content, ";")
	if !ok {
		return ""
	}
	name, target, ok := strings.Cut(rest, "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(name), "url") {
		return ""
	}
	return strings.Trim(strings.TrimSpace(target), `'"`)
}

// AllLinks is Links for a page given by its address, its <base> respected.
func AllLinks(doc *html.Node, page *url.URL) []Link { return Links(doc, baseURL(doc, page)) }

var styleURL = regexp.MustCompile(`(?i)url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')\s]+))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')`)

// StyleLinks extracts what a style sheet loads.
func StyleLinks(css string, sheet *url.URL) []Link {
	seen := map[string]bool{}
	resolve := newResolver(sheet)
	var links []Link
	for _, m := range styleURL.FindAllStringSubmatch(css, maxLinks) {
		if u := resolve.link(strings.Join(m[1:], "")); u != "" && !seen[u] {
			seen[u] = true
			links = append(links, Link{URL: u})
		}
	}
	return links
}
