package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// Robots are what a page asks of crawlers, in its head and in its header, in lower case.
type Robots []string

// maxRobots bounds the directives of a page, and their bytes.
const (
	maxRobots      = 32
	maxRobotsBytes = 200
)

// RobotsOf gives what a page asks of all crawlers and of that of a product token: by X-Robots-Tag and by the meta element of that name.
func RobotsOf(p Page, agent string) (r Robots) {
	c := &collector{p: p}
	c.eachHeader(func(name, value string) {
		if name == "x-robots-tag" {
			r.add(value, agent)
		}
	})
	if p.Doc == nil {
		return r
	}
	for n := range p.Doc.Descendants() {
		if n.DataAtom == atom.Body {
			break
		}
		if name := attr(n, "name"); n.DataAtom == atom.Meta &&
			(strings.EqualFold(name, "robots") || agent != "" && strings.EqualFold(name, agent)) {
			r.add(attr(n, "content"), "")
		}
	}
	return r
}

// withValue are directives that have a value; another word before a colon is a crawler's name.
var withValue = []string{"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}

// add adds the directives of a list, but for those that name another crawler than agent.
func (r *Robots) add(list, agent string) {
	ours := true
	for d := range strings.SplitSeq(strings.ToLower(list), ",") {
		d = strings.TrimSpace(d)
		if who, rest, named := strings.Cut(d, ":"); named && !slices.Contains(withValue, strings.TrimSpace(who)) {
			ours, d = strings.EqualFold(strings.TrimSpace(who), agent), strings.TrimSpace(rest)
		}
		if ours && d != "" && len(d) <= maxRobotsBytes && len(*r) < maxRobots && !slices.Contains(*r, d) {
			*r = append(*r, d)
		}
	}
}

// NoFollow reports whether a page asks that its links be left alone.
func (r Robots) NoFollow() bool { return slices.Contains(r, "nofollow") || slices.Contains(r, "none") }

// String gives the directives as a page writes them.
func (r Robots) String() string { return strings.Join(r, ", ") }
