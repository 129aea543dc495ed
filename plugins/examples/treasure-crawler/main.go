// Command treasure-crawler is a scorer after the Treasure-Crawler of Seyfi, Patel and
// Celestino Júnior: a link gets a higher score the nearer it is, by the examples, to pages of
// the topic.
//
// Two questions are asked about a link. The topic of its destination follows from the
// words of its paragraph, as numbers of the Dewey decimal classification (focus). Where
// that is a topic of the crawl, the T-Graph, which is built from example pages of the
// configuration, is searched for links that stood in like places (graph): the priority is
// 1 / the least number of pages that had to be loaded from there to reach a page of the
// topic. A watchdog adds to the graph what the crawl itself comes across.
//
// README.md in its folder describes the configuration.
package main

import (
	"encoding/json"
	"errors"

	"github.com/awarc/awarc/plugins/sdk/score"
)

// config is the plugin's own configuration.
type config struct {
	Topics    []string  `json:"topics"`    // Dewey numbers or beginnings of them; from the crawl's topic when left out
	Pages     []example `json:"pages"`     // of which the T-Graph is built
	Threshold float64   `json:"threshold"` // overall similarity from which on a node counts; 0.05
	Least     float32   `json:"least"`     // priority of links off the topic; 0.01
	Watch     int       `json:"watch"`     // pages between two looks of the watchdog; 50, below zero: none
}

// crawler is what an instance knows.
type crawler struct {
	config
	table *table
	graph *graph
	dog   *watchdog
}

var c *crawler

func init() {
	score.OnConfigure(func(sc *score.Config) (err error) {
		c, err = newCrawler(sc.Raw, &sc.Topic)
		return err
	})
	score.OnPage(func(p *score.Page, out *score.Result) error {
		if len(c.Topics) == 0 {
			return score.NoOpinion
		}
		c.page(p, out)
		return nil
	})
}

func main() {}

func newCrawler(raw string, topic *score.Topic) (*crawler, error) {
	c := &crawler{config: config{Threshold: 0.05, Least: 0.01, Watch: 50}, table: newTable(deweyTable)}
	if raw != "" {
		if err := json.Unmarshal([]byte(raw), &c.config); err != nil {
			return nil, err
		}
	}
	if c.Least < 0 || c.Least > 1 || c.Threshold < 0 || c.Threshold > 1 {
		return nil, errors.New("threshold and least are between 0 and 1")
	}
	for _, t := range c.Topics {
		if t == "" || !digits(t) {
			return nil, errors.New("the topic " + t + " is not a Dewey number: write digits, without the point")
		}
	}
	if c.Topics == nil {
		var d dots
		for _, t := range topic.Terms {
			c.table.plot(&d, words(t.Text), false)
		}
		c.Topics = d.focus()
	}
	c.graph = newGraph(c.Pages, c.Threshold)
	c.dog = newWatchdog(c.graph, c.Watch)
	return c, nil
}

// Bounds of the work for a page: the bytes of text that tell what it is about, and the links
// that are scored; there is no opinion on the rest.
const (
	maxText  = 64 << 10
	maxLinks = 500
)

// page scores a page and its links.
func (c *crawler) page(p *score.Page, out *score.Result) {
	var d dots
	c.table.plot(&d, words(p.Title), true)
	size := 0
	for _, part := range p.Parts {
		if size += len(part.Text); size > maxText {
			break
		}
		c.table.plot(&d, words(part.Text), false)
	}
	on := c.complies(d.focus())
	out.Doc = c.share(&d)
	if on {
		out.Reason = "on the topic"
	}
	c.dog.visited(p.URL, on)
	places := newPlaces(p)
	for i := range min(len(p.Links), maxLinks) {
		l := &p.Links[i]
		if l.Context == "" {
			l.Context = l.Anchor
		}
		context := words(l.Context)
		var d dots
		c.table.plot(&d, context, false)
		c.table.plot(&d, words(l.Anchor), true)
		if !c.complies(d.focus()) {
			out.Link(i, c.Least)
			continue
		}
		at, made := places.of(l, context)
		out.Link(i, c.graph.priority(at))
		c.dog.seen(l.URL, made)
	}
	c.dog.look()
}

// complies reports whether one of the numbers belongs to a topic of the crawl.
func (c *crawler) complies(numbers []string) bool {
	for _, n := range numbers {
		if c.topic(n) {
			return true
		}
	}
	return false
}

func (c *crawler) topic(number string) bool {
	for _, t := range c.Topics {
		if len(number) >= len(t) && number[:len(t)] == t {
			return true
		}
	}
	return false
}

// share is how much of the weight of all dots is on the topic.
func (c *crawler) share(d *dots) float32 {
	var on, all float64
	for _, x := range d.list {
		all += x.impact
		if c.topic(x.number) {
			on += x.impact
		}
	}
	if all == 0 {
		return 0
	}
	return float32(on / all)
}

func digits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}
