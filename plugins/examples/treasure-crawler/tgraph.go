package main

import (
	"math"
	"slices"
	"strings"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/score"
)

// example is a page of the configuration: where its links stand, and whether it is what
// the crawl looks for.
type example struct {
	URL    string        `json:"url"`
	Target bool          `json:"target"`
	MH     string        `json:"mh"` // main heading
	Links  []exampleLink `json:"links"`
}

// exampleLink is a paragraph or list with the links in it.
type exampleLink struct {
	SH   string   `json:"sh"`  // heading of the section
	ISH  string   `json:"ish"` // heading of the sub-section
	Text string   `json:"text"`
	To   []string `json:"to"` // URLs, of example pages
}

// vector is the frequency of each word of a text.
type vector struct {
	words map[string]int
	norm  float64
}

func newVector(list []string) *vector {
	v := &vector{words: make(map[string]int, len(list))}
	for _, w := range list {
		v.words[w]++
	}
	sum := 0
	for _, n := range v.words {
		sum += n * n
	}
	v.norm = math.Sqrt(float64(sum))
	return v
}

// place is where a link stands: immediate sub-section heading, section heading, main
// heading and data, the components of a node (Fig. 5).
type place [4]*vector

// texts are what a place is made of, in the order of its components.
type texts [4]string

func (t texts) place() (p place) {
	for i, text := range t {
		p[i] = newVector(words(text))
	}
	return p
}

// node is one paragraph with links of an example page, and its destination information:
// how many pages have to be loaded from there to have one of the topic.
type node struct {
	at       place
	distance int
	learned  bool
	matched  int // since the watchdog looked
}

// graph is the T-Graph: its nodes with their levels, which are all that a priority needs.
type graph struct {
	nodes     []*node
	threshold float64

	index [4]map[string][]posting // of each component, by word
	dots  [4][]int                // dot products with each node, for one link
}

// posting is how often a node has a word.
type posting struct{ node, count int }

// build makes the index of the nodes.
func (g *graph) build() {
	for i := range g.index {
		g.index[i] = map[string][]posting{}
		g.dots[i] = make([]int, len(g.nodes))
		for at, n := range g.nodes {
			for word, count := range n.at[i].words {
				g.index[i][word] = append(g.index[i][word], posting{at, count})
			}
		}
	}
}

// newGraph builds the graph in two stages: the pages and their links, then the distance
// of each to the target level.
func newGraph(pages []example, threshold float64) *graph {
	const far = math.MaxInt
	distance := map[string]int{} // of pages: links to follow until a target
	for _, p := range pages {
		distance[p.URL] = far
		if p.Target {
			distance[p.URL] = 0
		}
	}
	nearest := func(l exampleLink) int {
		least := far
		for _, to := range l.To {
			if d, known := distance[to]; known {
				least = min(least, d)
			}
		}
		return least
	}
	for changed := true; changed; {
		changed = false
		for _, p := range pages {
			for _, l := range p.Links {
				if d := nearest(l); d < far && d+1 < distance[p.URL] {
					distance[p.URL], changed = d+1, true
				}
			}
		}
	}
	g := &graph{threshold: threshold}
	for _, p := range pages {
		for _, l := range p.Links {
			if d := nearest(l); d < far {
				g.nodes = append(g.nodes, &node{at: texts{l.ISH, l.SH, p.MH, l.Text}.place(), distance: d + 1})
			}
		}
	}
	g.build()
	return g
}

// similarities calls f with the overall similarity measure OSM of each node that has
// something in common with the place: the mean of the cosines of the four components.
func (g *graph) similarities(at *place, f func(*node, float64)) {
	for i, v := range at {
		clear(g.dots[i])
		for word, n := range v.words {
			for _, p := range g.index[i][word] {
				g.dots[i][p.node] += n * p.count
			}
		}
	}
	for k, n := range g.nodes {
		var sum float64
		for i, v := range at {
			if dot := g.dots[i][k]; dot > 0 {
				sum += float64(dot) / (v.norm * n.at[i].norm)
			}
		}
		if sum > 0 {
			f(n, sum/float64(len(at)))
		}
	}
}

// priority is 1 / the least distance of the nodes that are similar, and 1 / (levels + 1)
// where none is.
func (g *graph) priority(at place) float32 {
	least, levels := math.MaxInt, 0
	for _, n := range g.nodes {
		levels = max(levels, n.distance)
	}
	g.similarities(&at, func(n *node, osm float64) {
		if osm >= g.threshold {
			n.matched++
			least = min(least, n.distance)
		}
	})
	if least == math.MaxInt {
		return 1 / float32(levels+1)
	}
	return 1 / float32(least)
}

// places tells where the links of a page stand.
type places struct {
	p        *score.Page
	title    string // the main heading
	headings map[string]*vector

	next         int // part that comes after those before the last link that was found
	section, sub string
}

// A link is searched for in the next parts, and in the beginning of each: links come in the
// order of the page.
const ahead, beginning = 3, 1_000

func newPlaces(p *score.Page) *places {
	s := &places{p: p, headings: map[string]*vector{}}
	title := p.Title
	for _, part := range p.Parts {
		if part.Kind == abi.Heading {
			title = part.Text
			break
		}
	}
	s.title = title
	return s
}

func (s *places) heading(text string) *vector {
	v, known := s.headings[text]
	if !known {
		v = newVector(words(text))
		s.headings[text] = v
	}
	return v
}

// of finds the part with the text around the link: the heading before it is that of the
// sub-section, the one before that, of the section. A page does not tell the ranks of its
// headings. The words are those of the link's context.
func (s *places) of(l *score.Link, context []string) (place, texts) {
	section, sub := s.section, s.sub
	found := false
	for i := s.next; i < min(s.next+ahead, len(s.p.Parts)) && l.Anchor != "" && !found; i++ {
		part := &s.p.Parts[i]
		if part.Kind == abi.Heading {
			section, sub = sub, part.Text
			continue
		}
		text := part.Text[:min(len(part.Text), beginning)]
		if found = strings.Contains(text, l.Anchor) && strings.Contains(text, l.Context[:min(len(l.Context), 40)]); found {
			s.next, s.section, s.sub = i, section, sub
		}
	}
	if !found {
		section, sub = "", ""
	}
	return place{s.heading(sub), s.heading(section), s.heading(s.title), newVector(context)}, texts{sub, section, s.title, l.Context}
}

// watchdog updates the graph with what the crawl comes across: where links stood whose
// destination turned out to be of the topic. It looks every so many pages.
type watchdog struct {
	graph   *graph
	every   int
	pages   int
	waiting map[string]texts // where links to pages stood that were not visited yet
	order   []string         // of waiting, the oldest first
	found   []place
}

// Bounds of what the watchdog remembers: links that wait for a visit, nodes it has added.
const (
	maxWaiting = 2_000
	maxLearned = 200
)

func newWatchdog(g *graph, every int) *watchdog {
	return &watchdog{graph: g, every: every, waiting: map[string]texts{}}
}

// seen remembers where a link to the URL stands.
func (w *watchdog) seen(url string, at texts) {
	if w.every <= 0 {
		return
	}
	if _, known := w.waiting[url]; known {
		return
	}
	if len(w.order) == maxWaiting {
		delete(w.waiting, w.order[0])
		w.order = slices.Delete(w.order, 0, 1)
	}
	url = strings.Clone(url) // the page is gone after the call
	for i := range at {
		at[i] = strings.Clone(at[i])
	}
	w.waiting[url] = at
	w.order = append(w.order, url)
}

// visited takes note of what a page turned out to be.
func (w *watchdog) visited(url string, on bool) {
	at, waited := w.waiting[url]
	if !waited {
		return
	}
	delete(w.waiting, url)
	w.order = slices.DeleteFunc(w.order, func(u string) bool { return u == url })
	if on && len(w.found) < maxLearned {
		w.found = append(w.found, at.place())
	}
}

// look adds nodes for what was found, one page away from the topic, and takes out those
// it had added that nothing was similar to since.
func (w *watchdog) look() {
	if w.pages++; w.every <= 0 || w.pages%w.every != 0 {
		return
	}
	learned := 0
	w.graph.nodes = slices.DeleteFunc(w.graph.nodes, func(n *node) bool {
		dead := n.learned && n.matched == 0
		n.matched = 0
		if n.learned && !dead {
			learned++
		}
		return dead
	})
	for _, at := range w.found {
		if learned == maxLearned {
			break
		}
		w.graph.nodes = append(w.graph.nodes, &node{at: at, distance: 1, learned: true, matched: 1})
		learned++
	}
	w.found = w.found[:0]
	w.graph.build()
}
