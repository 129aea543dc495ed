package records

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/read/page"
)

// place is where a field may stand in the records of a group: the first node with the same mark,
// or the same way down from the record, in each of them.
type place struct {
	nodes  []int // by record, -1 for none
	filled int   // records with a node that has words
}

// places lists the places of a group, each set of nodes once.
func places(p *page.Page, of []keys, g *group) []*place {
	by := map[uint64]*place{}
	var order []uint64
	note := func(key uint64, r, n int) {
		at := by[key]
		if at == nil {
			at = &place{nodes: make([]int, len(g.records))}
			for i := range at.nodes {
				at.nodes[i] = -1
			}
			by[key], order = at, append(order, key)
		}
		if at.nodes[r] < 0 {
			at.nodes[r] = n
			at.filled++
		}
	}
	for i := range g.records {
		visit(p, of, g, i, func(key uint64, n int) { note(key, i, n) })
	}
	least := max(2, len(g.records)/2)
	seen := map[uint64]bool{}
	var out []*place
	for _, key := range order {
		at := by[key]
		if at.filled < least {
			continue
		}
		var h maphash.Hash
		h.SetSeed(seed)
		for _, n := range at.nodes {
			maphash.WriteComparable(&h, n)
		}
		if sum := h.Sum64(); !seen[sum] {
			seen[sum] = true
			out = append(out, at)
		}
	}
	slices.SortStableFunc(out, func(a, b *place) int { return cmp.Compare(a.firstOf(), b.firstOf()) })
	return out[:min(len(out), maxPlaces)]
}

func (at *place) firstOf() int {
	for _, n := range at.nodes {
		if n >= 0 {
			return n
		}
	}
	return -1
}

// way is the hash of the steps from a record to a node, with and without the numbers of the steps.
type way struct{ numbered, plain uint64 }

// mostAlike is how many siblings of one mark are told apart by their number.
const mostAlike = 6

// keys are the hashes by which nodes are compared, by node of a page.
type keys struct {
	mark, tag uint64
	marked    bool     // the mark has classes
	others    []uint64 // of the classes and the property
}

// keysOfNodes hashes the nodes of a page, once for all groups.
func keysOfNodes(p *page.Page) []keys {
	out := make([]keys, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		k := &out[i]
		k.mark, k.tag = maphash.String(seed, n.Mark), maphash.String(seed, n.Data)
		if n.Type == html.TextNode {
			k.tag = k.mark
			continue
		}
		if k.marked = strings.Contains(n.Mark, "."); k.marked {
			for _, c := range page.Classes(n.Node) {
				k.others = append(k.others, mix(4, maphash.String(seed, n.Data+"."+c)))
			}
		}
		if prop := page.Attr(n.Node, "itemprop"); prop != "" {
			k.others = append(k.others, mix(5, maphash.String(seed, prop)))
		}
	}
	return out
}

// visit calls note with each key of each node of a record that has words.
func visit(p *page.Page, of []keys, g *group, i int, note func(key uint64, n int)) {
	r := &g.records[i]
	ways := map[int]way{}
	counts := map[[2]uint64]int{}
	visited := 0
	for n := range iterate(p, r) {
		if visited++; visited > maxVisited {
			return
		}
		k := &of[n]
		mark := k.mark
		over, known := ways[p.Nodes[n].Parent]
		if !known { // a first node
			over = way{1, 2}
			if !g.sliced {
				mark = 0
			}
		}
		number := counts[[2]uint64{over.numbered, k.tag}]
		counts[[2]uint64{over.numbered, k.tag}]++
		w := way{mix(mix(over.numbered, k.tag), uint64(min(number, mostAlike))), mix(over.plain, mark)}
		if p.Nodes[n].End > n+1 {
			ways[n] = w
		}
		if p.Letters(n) == 0 {
			continue
		}
		if number < mostAlike {
			note(w.numbered, n)
		}
		note(w.plain, n)
		if k.marked {
			note(mix(3, k.mark), n)
		}
		for _, other := range k.others {
			note(other, n)
		}
	}
}

func iterate(p *page.Page, r *record) func(yield func(int) bool) {
	return func(yield func(int) bool) { r.nodes(p, yield) }
}

func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	return a * 0xff51afd7ed558ccd
}
