package extract

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// run is the state of a harvest: of the page, and of the variant that runs.
type run struct {
	page    Page
	resolve *resolver
	key     string // the page's URL without paging: {url} in ids
	work    *kb.Work
	dates   *dates.Reader
	anchors map[*html.Node]string // texts of links: several actions may select one
	around  *surroundings         // nil unless the page asks for them

	h      *Harvest
	nodes  []*html.Node // of the harvest's objects
	quotes []*html.Node // in the content of the object that is read
	size   int          // bytes of values so far
	listed []linked     // links of a list, where its rows are read
	// claimed holds the nodes of objects that were found, so that fields of an
	// object do not reach into objects inside it.
	claimed map[*html.Node]bool
	// whole is the node of the object whose fields are read. byline is where its author and dates
	// are, whose lines are no part of its text if that is the whole object.
	whole  *html.Node
	byline []kb.Value
	// moved holds the nodes that a learned expression found.
	moved map[*html.Node]bool
}

func newRun(p Page, work *kb.Work, read *dates.Reader) *run {
	if read == nil {
		read = datesOf(p)
	}
	return &run{
		page: p, resolve: newResolver(p), key: p.Type.URLs.ObjectKey(p.URL), work: work,
		dates: read, anchors: map[*html.Node]string{}, moved: map[*html.Node]bool{}, around: newSurroundings(p),
	}
}

// level runs the actions of one variant.
func (r *run) level(v *kb.Level) Harvest {
	r.h = &Harvest{Level: v, Part: r.page.Type.URLs.Part(r.page.URL)}
	r.nodes, r.listed, r.claimed, r.size = nil, nil, map[*html.Node]bool{}, 0
	r.moved = map[*html.Node]bool{}
	for _, f := range v.Follow {
		r.h.Links = append(r.h.Links, r.follow(v, f)...)
	}
	r.objects(v.Objects, r.page.Doc, "")
	r.sortObjects()
	r.rename(v)
	r.forums(v)
	r.ownPart()
	for _, t := range v.Totals {
		r.levelTotal(t)
	}
	for _, c := range v.Changes {
		r.changes(c)
	}
	if len(r.h.Changes) == 0 {
		r.rows()
	}
	r.h.Cut = r.h.Cut || r.work.Spent() || r.resolve.size >= maxValues
	return *r.h
}

// follow runs one navigation action.
func (r *run) follow(v *kb.Level, f *kb.Follow) []Link {
	for _, t := range r.tries(f.Tries) {
		var links []Link
		for _, val := range t.Expr.Select(r.page.Doc, r.work) {
			href, node := hrefOf(val)
			u := r.resolve.link(cut(t, href))
			switch {
			case u == "":
				continue
			case !r.keep(len(u)):
				return links
			}
			r.list(v, f, u, node)
			links = append(links, Link{URL: u, Text: r.anchorText(node), To: f.To, Action: f.Name(v), Paging: f.Paging,
				Optional: f.Optional, Around: r.around.of(node)})
		}
		if len(links) > 0 {
			r.used(t)
			return links
		}
	}
	return nil
}

// hrefOf gives the address in a selected value: an attribute's value, an
// element's href, or text. An anchor without an address leads nowhere, whatever
// its text.
func hrefOf(v kb.Value) (string, *html.Node) {
	if v.Attr == "" && v.Node != nil && v.Node.Type == html.ElementNode {
		if h := attr(v.Node, "href"); h != "" || v.Node.DataAtom == atom.A {
			return h, v.Node
		}
	}
	return v.Text(), v.Node
}

func cut(t *kb.Try, s string) string {
	if t.Match != nil {
		return t.Match.Cut(s)
	}
	return s
}

// tries leaves out those that were learned on other sites.
func (r *run) tries(all []*kb.Try) []*kb.Try {
	elsewhere := func(t *kb.Try) bool { return !t.AppliesTo(r.page.URL) }
	if !slices.ContainsFunc(all, elsewhere) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), elsewhere)
}

// used notes a learned try that yielded.
func (r *run) used(t *kb.Try) {
	if t.Learned != nil && !slices.Contains(r.h.Learned, t.Learned) {
		r.h.Learned = append(r.h.Learned, t.Learned)
	}
}

// keep reports whether so many more bytes may be kept of the page.
func (r *run) keep(bytes int) bool {
	r.size += bytes
	if r.size > maxValues {
		r.h.Cut = true
	}
	return r.size <= maxValues
}
