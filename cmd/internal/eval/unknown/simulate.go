package unknown

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/kb"
)

// site is a site as a crawl saved it: pages by number. The first page is the start.
type site struct {
	number map[string]int // by key
	pages  []page
	ways   map[string]string // each name of a link pattern once
}

// page is a page of a site.
type page struct {
	fetched bool // by the crawl; else it is out of its scope
	links   []link
	has     []string      // ids of contents
	says    []string      // texts that may be new
	text    string        // for topics
	stems   []layers.Stem // of the text, once they are needed
}

type link struct {
	to     int
	anchor string
	words  []string // of the anchor
	way    string   // its link pattern
}

// readSite reads the site that a crawl saved. A page that the crawl reached without a link, as by a redirect, is linked to by the page that
// the log names.
func readSite(ctx context.Context, dir string, d *detect.Detector) (*site, error) {
	s := &site{number: map[string]int{}, ways: map[string]string{}}
	err := eachPage(ctx, dir, d, func() {}, func(e *engine.Exchanged, p *crawl.Page) {
		if e.Robots {
			return
		}
		at := s.page(e.URL)
		s.pages[at].fetched = true
		if e.Via != "" {
			via := s.page(e.Via)
			s.pages[via].links = append(s.pages[via].links, link{to: at})
		}
		if p == nil {
			return
		}
		s.pages[at].has, s.pages[at].says = contents(p), texts(p.Doc)
		cut := assess.Cut(p.Extracted(), p.Harvest.Objects)
		s.pages[at].text = cut.Text()
		for _, l := range extract.AllLinks(extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Places: true}) {
			s.pages[at].links = append(s.pages[at].links, link{s.page(l.URL), l.Text, words(l.Text), s.way(l)})
		}
	})
	return s, err
}

// page numbers an address.
func (s *site) page(address string) int {
	key := keyOf(address)
	n, known := s.number[key]
	if !known {
		n = len(s.number)
		s.number[key] = n
		s.pages = append(s.pages, page{})
	}
	return n
}

func keyOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return (&kb.URLRules{}).Key(u)
	}
	return address
}

// way names the link pattern of a link.
func (s *site) way(l extract.Link) string {
	u, err := url.Parse(l.URL)
	if err != nil {
		return ""
	}
	name := ways.Name(l.Place, u)
	if known, ok := s.ways[name]; ok {
		return known
	}
	s.ways[name] = name
	return name
}

// texts are the texts of a page that may say something.
func texts(doc *html.Node) (out []string) {
	const least = 20 // bytes
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			if text := strings.TrimSpace(n.Data); len(text) >= least {
				out = append(out, text)
			}
		}
	}
	return out
}

func words(anchor string) []string {
	w := strings.FieldsFunc(strings.ToLower(anchor), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(w)
	return slices.Compact(w)
}

// visit is a page that a simulated crawl fetched.
type visit struct {
	from, at int      // page with the link, and the page itself
	link     link     // that led to it
	fresh    int      // bytes of new text
	has      []string // contents that are new
	links    []link
}

// order ranks waiting links, the highest first and equal ones as they came.
type order interface {
	rank(from int, l link) float64
	// learn receives each visit. It reports whether ranks have changed.
	learn(v visit) (changed bool)
}

// simulation is a crawl of a site, one request after the other.
type simulation struct {
	*site
	leaf   bool       // links on pages with contents are not followed
	random *rand.Rand // shuffles the links of each page; nil leaves them in the order of the page
}

// waiting is a link that waits in a simulation.
type waiting struct {
	link
	from, number int // number counts links in the order in which they came
	rank         float64
}

// queue is a heap of waiting links.
type queue []waiting

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(waiting)) }

func (q queue) Less(i, k int) bool {
	return q[i].rank > q[k].rank || q[i].rank == q[k].rank && q[i].number < q[k].number
}

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (s simulation) crawl(name string, o order) *Curve {
	c, q, known := &Curve{Name: name}, &queue{{}}, make([]bool, len(s.pages))
	found, said := map[string]bool{}, map[string]bool{}
	known[0] = true
	for links := 1; q.Len() > 0; {
		next := heap.Pop(q).(waiting)
		at := &s.pages[next.to]
		c.Requests++
		v := visit{from: next.from, at: next.to, link: next.link}
		for _, id := range at.has {
			if !found[id] {
				found[id] = true
				v.has = append(v.has, id)
				c.after = append(c.after, c.Requests)
			}
		}
		for _, text := range at.says {
			if !said[text] {
				said[text] = true
				v.fresh += len(text)
			}
		}
		if !s.leaf || len(at.has) == 0 {
			v.links = s.follow(at)
		}
		if o.learn(v) {
			for i := range *q {
				(*q)[i].rank = o.rank((*q)[i].from, (*q)[i].link)
			}
			heap.Init(q)
		}
		for _, l := range v.links {
			if !known[l.to] {
				known[l.to] = true
				heap.Push(q, waiting{l, next.to, links, o.rank(next.to, l)})
				links++
			}
		}
	}
	return c
}

// follow returns the links of a page to pages of the site.
func (s simulation) follow(p *page) (links []link) {
	for _, l := range p.links {
		if s.pages[l.to].fetched {
			links = append(links, l)
		}
	}
	if s.random != nil {
		s.random.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
	}
	return links
}
