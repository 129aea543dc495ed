package focused

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/awarc/awarc/engine/score"
)

// web is what a simulated crawl runs over: pages with texts and links, on hosts.
type web interface {
	size() int
	url(page int) string
	text(page int) score.Vector
	// links are the pages that a page links to, each with its anchor's text.
	links(page int) []anchor
	// subtopic names what the page is about within its topic; -1 where that is not
	// known.
	subtopic(page int) int
}

type anchor struct {
	to   int
	text score.Vector
}

// topicalWeb is a generated web, the same for a seed on every machine:
//
//   - Hosts have numbers of pages that follow Zipf's law, and a topic each; 45 pages
//     in a hundred are about the topic of their host, 15 about the next one, the
//     others about any of the sixty. A topic has subtopics.
//   - A page has 60 to 200 words: one in six of its subtopic, one in three of its
//     topic, the others of a language that all share, whose words follow Zipf's law
//     but for the first fifty, as if they were stop words.
//   - A page has links to pages of its host (60 in a hundred), to pages about the
//     same topic anywhere (12), and to pages anywhere (28). The number of links
//     follows a power law with exponent 2.2, from 5 to 200. On other hosts pages are
//     linked to by their fame, which follows Zipf's law, so that the number of links to
//     a page does.
//   - Two anchors in three name one to three words of the page they lead to; the
//     third says nothing, like "click here".
type topicalWeb struct {
	seed    uint64
	hostOf  []int32
	firstOf []int32   // page of each host
	topicOf []int32   // subtopic of each page
	byTopic [][]int32 // pages, the most famous first
	topics  []lottery // over byTopic
	words   []string
	common  lottery
	mislead bool // anchors name words of any page and not of the one they lead to
}

// misled is the web with anchors that mislead, as menus of unrelated sites do.
func (w *topicalWeb) misled() *topicalWeb {
	other := *w
	other.mislead = true
	return &other
}

// The shape of the generated web.
const (
	topicCount     = 60
	subtopicCount  = 8 // of each topic
	topicWords     = 60
	subtopicWords  = 20
	commonWords    = 8000
	stopRanks      = 50
	meanHostPages  = 40
	leastLinks     = 5
	mostLinks      = 200
	linkExponent   = 2.2
	generatedPages = 200_000
)

// lottery draws numbers from 0 on, each with its weight.
type lottery []float64 // sums of weights

// zipf is a lottery of n numbers, the weight of each falling with its rank.
func zipf(n int, exponent float64) lottery {
	l := make(lottery, n)
	sum := 0.0
	for i := range l {
		sum += math.Pow(float64(i+1), -exponent)
		l[i] = sum
	}
	return l
}

func (l lottery) draw(r *rand.Rand) int {
	at, _ := slices.BinarySearch(l, l[0]+r.Float64()*(l[len(l)-1]-l[0]))
	return min(at, len(l)-1)
}

func newTopicalWeb(pages int, seed uint64) *topicalWeb {
	w := &topicalWeb{seed: seed, byTopic: make([][]int32, topicCount), common: zipf(commonWords+stopRanks, 1)[stopRanks:]}
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range commonWords + topicCount*(topicWords+subtopicCount*subtopicWords) {
		w.words = append(w.words, fmt.Sprintf("w%d", i))
	}
	hosts := max(1, pages/meanHostPages)
	sizes := zipf(hosts, 0.9)
	for host := range hosts {
		w.firstOf = append(w.firstOf, int32(len(w.hostOf)))
		share := sizes[host]
		if host > 0 {
			share -= sizes[host-1]
		}
		n := max(1, int(float64(pages)*share/sizes[hosts-1]))
		main := r.IntN(topicCount)
		for range n {
			topic := main
			switch x := r.Float64(); {
			case x > 0.6:
				topic = r.IntN(topicCount)
			case x > 0.45:
				topic = (main + 1) % topicCount
			}
			w.hostOf = append(w.hostOf, int32(host))
			w.topicOf = append(w.topicOf, int32(topic*subtopicCount+r.IntN(subtopicCount)))
		}
	}
	w.firstOf = append(w.firstOf, int32(len(w.hostOf)))
	ranks := r.Perm(len(w.hostOf))
	for _, page := range ranks { // in the order of fame
		t := int(w.topicOf[page]) / subtopicCount
		w.byTopic[t] = append(w.byTopic[t], int32(page))
	}
	for _, list := range w.byTopic {
		w.topics = append(w.topics, zipf(max(1, len(list)), 0.8))
	}
	return w
}

func (w *topicalWeb) size() int             { return len(w.hostOf) }
func (w *topicalWeb) subtopic(page int) int { return int(w.topicOf[page]) }

func (w *topicalWeb) url(page int) string {
	return fmt.Sprintf("http://www.host%d.example%d.test/%d", w.hostOf[page], w.hostOf[page], page)
}

// random is a source that gives the same for one page each time.
func (w *topicalWeb) random(page int, what uint64) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed+what, uint64(page)))
}

// ownWord draws a word of the page's subtopic or topic.
func (w *topicalWeb) ownWord(r *rand.Rand, page int, sub bool) string {
	s := int(w.topicOf[page])
	base := commonWords + s/subtopicCount*(topicWords+subtopicCount*subtopicWords)
	if sub {
		return w.words[base+topicWords+s%subtopicCount*subtopicWords+r.IntN(subtopicWords)]
	}
	return w.words[base+r.IntN(topicWords)]
}

func (w *topicalWeb) text(page int) score.Vector {
	r := w.random(page, 1)
	weights := map[string]float64{}
	for range 60 + r.IntN(140) {
		switch x := r.IntN(6); {
		case x < 3:
			weights[w.ownWord(r, page, x == 0)]++
		default:
			weights[w.words[w.common.draw(r)]]++
		}
	}
	return score.NewVector(weights)
}

func (w *topicalWeb) links(page int) []anchor {
	r, misleading := w.random(page, 2), w.random(page, 4)
	host := w.hostOf[page]
	first, behind := int(w.firstOf[host]), int(w.firstOf[host+1])
	topic := int(w.topicOf[page]) / subtopicCount
	n := min(mostLinks, int(leastLinks*math.Pow(1-r.Float64(), -1/(linkExponent-1))))
	var found []anchor
	seen := map[int]bool{page: true}
	for range n {
		var to int
		switch x := r.Float64(); {
		case x < 0.6:
			to = first + r.IntN(behind-first)
		case x < 0.72:
			to = int(w.byTopic[topic][w.topics[topic].draw(r)])
		default:
			t := r.IntN(topicCount)
			if len(w.byTopic[t]) == 0 {
				continue
			}
			to = int(w.byTopic[t][w.topics[t].draw(r)])
		}
		if seen[to] {
			continue
		}
		seen[to] = true
		named := to
		if w.mislead {
			named = misleading.IntN(w.size())
		}
		found = append(found, anchor{to, w.anchor(r, named)})
	}
	return found
}

func (w *topicalWeb) anchor(r *rand.Rand, to int) score.Vector {
	weights := map[string]float64{}
	if r.IntN(3) == 0 {
		weights["click"], weights["here"] = 1, 1
	} else {
		for range 1 + r.IntN(3) {
			weights[w.ownWord(r, to, r.IntN(2) == 0)]++
		}
	}
	return score.NewVector(weights)
}

// seeds are pages about a topic that a directory of the web would list: famous ones.
func (w *topicalWeb) seeds(topic, n int, r *rand.Rand) []int {
	list := w.byTopic[topic]
	var pages []int
	for _, i := range r.Perm(min(len(list), 50*n))[:min(len(list), n)] {
		pages = append(pages, int(list[i]))
	}
	slices.SortFunc(pages, func(a, b int) int { return cmp.Compare(a, b) })
	return pages
}
