package unknown

import (
	"context"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// site is a site as a crawl of all of it saved it: pages by number, the first being where it begins.
type site struct {
	number  map[string]int // by key
	fetched []bool         // by the crawl; else it is out of its scope
	links   [][]link
	has     [][]string // ids of contents
	says    [][]string // texts
}

type link struct {
	to    int
	words []string // of the anchor
}

// readSite reads the site that a crawl saved. What a crawl came to in other ways than by a link, as by a redirect, is led to by the page
// that its log names.
func readSite(ctx context.Context, dir string, d *detect.Detector) (*site, error) {
	s := &site{number: map[string]int{}}
	err := eachPage(ctx, dir, d, func() {}, func(e *engine.Exchanged, p *crawl.Page) {
		if e.Robots {
			return
		}
		at := s.page(e.URL)
		s.fetched[at] = true
		if e.Via != "" {
			via := s.page(e.Via)
			s.links[via] = append(s.links[via], link{to: at})
		}
		if p == nil {
			return
		}
		s.has[at], s.says[at] = contents(p), texts(p.Doc)
		for _, l := range extract.AllLinks(extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset}) {
			s.links[at] = append(s.links[at], link{s.page(l.URL), words(l.Text)})
		}
	})
	return s, err
}

// page numbers an address.
func (s *site) page(address string) int {
	key := address
	if u, err := url.Parse(address); err == nil {
		key = (&kb.URLRules{}).Key(u)
	}
	n, known := s.number[key]
	if !known {
		n = len(s.number)
		s.number[key] = n
		s.fetched, s.links, s.has, s.says = append(s.fetched, false), append(s.links, nil), append(s.has, nil), append(s.says, nil)
	}
	return n
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

// order ranks links that wait, the highest first and equal ones as they came, and is told what came of those that were followed.
type order interface {
	rank(words []string) float64
	// led tells that a link led to so many bytes of new text. It reports whether ranks are others now.
	led(words []string, fresh int) (changed bool)
}

// crawl simulates a crawl in an order, one request after the other.
func (s *site) crawl(name string, o order) *Curve {
	type waiting struct {
		link
		rank float64
	}
	c, queue, known := &Curve{Name: name}, []waiting{{}}, make([]bool, len(s.links))
	found, said := map[string]bool{}, map[string]bool{}
	known[0] = true
	for len(queue) > 0 {
		best := 0
		for i := range queue {
			if queue[i].rank > queue[best].rank {
				best = i
			}
		}
		at := queue[best].link
		queue = slices.Delete(queue, best, best+1)
		c.Requests++
		for _, id := range s.has[at.to] {
			if !found[id] {
				found[id] = true
				c.after = append(c.after, c.Requests)
			}
		}
		fresh := 0
		for _, text := range s.says[at.to] {
			if !said[text] {
				said[text] = true
				fresh += len(text)
			}
		}
		if o.led(at.words, fresh) {
			for i := range queue {
				queue[i].rank = o.rank(queue[i].words)
			}
		}
		for _, l := range s.links[at.to] {
			if s.fetched[l.to] && !known[l.to] {
				known[l.to] = true
				queue = append(queue, waiting{l, o.rank(l.words)})
			}
		}
	}
	return c
}

// firstCome is breadth first.
type firstCome struct{}

func (firstCome) rank([]string) float64  { return 0 }
func (firstCome) led([]string, int) bool { return false }

// anchors is best-first by anchor text: links come first whose words are those of links that led to more new text than the average, and not
// those of links that led to less (Rocchio, "Relevance feedback in information retrieval", 1971).
type anchors struct {
	weights map[string]float64
	length  float64 // of the vector of weights
	links   int
	sum     float64 // of new text
}

func newAnchors() *anchors { return &anchors{weights: map[string]float64{}} }

func (a *anchors) rank(words []string) (cosine float64) {
	if len(words) == 0 || a.length == 0 {
		return 0
	}
	for _, w := range words {
		cosine += a.weights[w]
	}
	return cosine / math.Sqrt(float64(len(words))) / a.length
}

func (a *anchors) led(words []string, fresh int) (changed bool) {
	const anew = 16 // links after which ranks are reckoned anew
	a.links++
	a.sum += float64(fresh)
	for _, w := range words {
		a.weights[w] += (float64(fresh) - a.sum/float64(a.links)) / math.Sqrt(float64(len(words)))
	}
	if a.links%anew != 0 {
		return false
	}
	a.length = 0
	for _, v := range a.weights {
		a.length += v * v
	}
	a.length = math.Sqrt(a.length)
	return true
}
