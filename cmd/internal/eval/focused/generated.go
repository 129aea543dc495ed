package focused

import (
	"math/rand/v2"
	"strings"

	"github.com/awarc/awarc/engine/score"
)

// GeneratedPage is a page of the generated web.
type GeneratedPage struct {
	URL    string
	Text   string
	Topic  int
	Links  []int
	Anchor []string // of Links
}

// Generate returns the pages of a generated web, which is the same for a seed, and famous pages about a topic as seeds of a crawl.
func Generate(pages int, seed uint64, topic, seeds int) (web []GeneratedPage, start []int) {
	w := newTopicalWeb(max(pages, meanHostPages), seed)
	for p := range w.size() {
		g := GeneratedPage{URL: w.url(p), Text: spell(w.text(p)), Topic: w.subtopic(p) / subtopicCount}
		for _, l := range w.links(p) {
			g.Links, g.Anchor = append(g.Links, l.to), append(g.Anchor, spell(l.text))
		}
		web = append(web, g)
	}
	return web, w.seeds(topic, seeds, rand.New(rand.NewPCG(seed, 3)))
}

// spell writes the words of a vector.
func spell(v score.Vector) string {
	var words []string
	for _, t := range v.Terms() {
		for range int(t.Weight) {
			words = append(words, t.Text)
		}
	}
	return strings.Join(words, " ")
}
