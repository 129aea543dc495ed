package layers

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"
)

// DefaultDepth is the number of layers beyond the targets. The paper's experiments have 4.
const DefaultDepth = 4

// MaxPages is the number of examples that count. Together with the bounds below it bounds their
// state to some MiB; it is arbitrary.
const MaxPages = 4096

// Bounds of an example, beyond which stems and links are ignored. They are arbitrary.
const (
	maxStems = 100 // of a page, the most frequent ones; 40 of them count
	maxLinks = 300 // of a page
)

// Examples needed before the first training, and the growth of their number before the next. Both
// are arbitrary.
const (
	leastPages = 32
	growth     = 1.25
)

// Stem is a stem with its number of occurrences on a page.
type Stem struct {
	Text string
	N    float64
}

// Learner learns the layers of a context graph from examples. It is safe for concurrent use.
type Learner struct {
	depth int

	mu      sync.Mutex
	pages   []example
	known   map[uint64]int32 // indexes of pages, by key
	trained int              // pages at the last training

	model atomic.Pointer[model]
}

// example is a page with its links. Its fields are exported for gob.
type example struct {
	Key   uint64
	Worth float64
	Stems []Stem
	Links []uint64
}

// New makes a learner with layers 0 to depth.
func New(depth int) *Learner { return &Learner{depth: depth, known: make(map[uint64]int32)} }

// Add adds a page: its canonical key, its stems by falling frequency, the keys of its links, and
// its worth from 0 to 1 (1 for a target of the user). It returns the example for [Learner.Restore];
// nil if the page does not count.
func (l *Learner) Add(key string, stems []Stem, links []string, worth float64) (state []byte) {
	e := example{Key: hash(key), Worth: worth, Stems: slices.Clone(stems[:min(len(stems), maxStems)])}
	for _, link := range links[:min(len(links), maxLinks)] {
		e.Links = append(e.Links, hash(link))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.add(e) {
		return nil
	}
	if len(l.pages) >= leastPages && float64(len(l.pages)) >= growth*float64(l.trained) {
		l.train()
	}
	return encode([]example{e})
}

func (l *Learner) add(e example) bool {
	if _, known := l.known[e.Key]; known || len(l.pages) >= MaxPages {
		return false
	}
	l.known[e.Key] = int32(len(l.pages))
	l.pages = append(l.pages, e)
	return true
}

// Train learns the layers from the examples so far. It returns the number of examples in each
// layer, "other" last.
func (l *Learner) Train() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.train()
}

func (l *Learner) train() []int {
	l.trained = len(l.pages)
	of, sizes := l.layers()
	if sizes[0] > 0 {
		l.model.Store(newModel(l.pages, of, l.depth))
	}
	return sizes
}

// layers returns the layer of each page, depth+1 for "other", and the number of pages in each.
func (l *Learner) layers() (of []int, sizes []int) {
	parents := make([][]int32, len(l.pages))
	worths := make([]float64, len(l.pages))
	for i, p := range l.pages {
		worths[i] = p.Worth
		for _, link := range p.Links {
			if to, known := l.known[link]; known && to != int32(i) {
				parents[to] = append(parents[to], int32(i))
			}
		}
	}
	of = slices.Repeat([]int{l.depth + 1}, len(l.pages))
	var queue []int32
	least := split(worths)
	if len(worths) > 0 && least == slices.Max(worths) { // all are alike
		least = 0
	}
	for i, w := range worths {
		if w > least {
			of[i], queue = 0, append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, p := range parents[at] {
			if of[p] > of[at]+1 {
				of[p], queue = of[at]+1, append(queue, p)
			}
		}
	}
	sizes = make([]int, l.depth+2)
	for _, layer := range of {
		sizes[layer]++
	}
	return of, sizes
}

// split returns the highest value of the lower of the two classes with the greatest variance
// between them (Otsu, "A threshold selection method from gray-level histograms", 1979). If all
// values are equal, it returns this value.
func split(values []float64) (threshold float64) {
	sorted := slices.Sorted(slices.Values(values))
	total, n := 0.0, float64(len(sorted))
	for _, v := range sorted {
		total += v
	}
	best, below := -1.0, 0.0
	for i, v := range sorted {
		below += v
		k := float64(i + 1)
		if i+1 == len(sorted) {
			if best <= 0 {
				threshold = v
			}
			break
		}
		apart := below/k - (total-below)/(n-k)
		if between := k * (n - k) * apart * apart; between > best && sorted[i+1] > v {
			best, threshold = between, v
		}
	}
	return threshold
}

// State returns all examples for [Learner.Restore].
func (l *Learner) State() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return encode(l.pages)
}

func encode(pages []example) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := cmp.Or(gob.NewEncoder(z).Encode(pages), z.Close()); err != nil {
		panic(err) // texts and numbers in memory
	}
	return b.Bytes()
}

// Restore adds the examples of an earlier session. The caller calls [Learner.Train] after the last
// call of Restore.
func (l *Learner) Restore(state []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(state))
	if err != nil {
		return fmt.Errorf("the examples of the context graph: %w", err)
	}
	var pages []example
	if err := gob.NewDecoder(z).Decode(&pages); err != nil {
		return fmt.Errorf("the examples of the context graph: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range pages {
		l.add(e)
	}
	return nil
}

func hash(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}
