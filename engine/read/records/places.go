package records

import (
	"cmp"
	"hash/maphash"
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/read/page"
)

// place is where a field may stand in the records of a group: the first node with the same mark,
// or the same way down from the record, in each of them.
type place struct {
	nodes  []int // by record, -1 for none
	filled int   // records with a node that has words
}

// finder finds the places of groups; it keeps its memory from group to group.
type finder struct {
	p      *page.Page
	keys   []keys
	by     numbers // key to place
	nodes  []int   // by place and record, -1 for none
	filled []int   // by place
	ways   []way   // by node of a record
	counts numbers
}

func newFinder(p *page.Page) *finder {
	return &finder{p: p, keys: keysOfNodes(p)}
}

// places lists the places of a group, each set of nodes once.
func (f *finder) places(g *group) []*place {
	f.by.clear()
	f.nodes, f.filled = f.nodes[:0], f.filled[:0]
	all := len(g.records)
	least := max(2, all/2)
	for i := range g.records {
		f.visit(g, i, func(key uint64, n int) {
			at, known := f.by.get(key)
			if !known {
				if all-i < least {
					return // too few records are left
				}
				at = len(f.filled)
				f.by.set(key, at)
				f.filled = append(f.filled, 0)
				for range all {
					f.nodes = append(f.nodes, -1)
				}
			}
			if node := &f.nodes[at*all+i]; *node < 0 {
				*node = n
				f.filled[at]++
			}
		})
	}
	seen := map[uint64]bool{}
	var out []*place
	for at, filled := range f.filled {
		if filled < least {
			continue
		}
		nodes := f.nodes[at*all : (at+1)*all]
		sum := uint64(0)
		for _, n := range nodes {
			sum = mix(sum, uint64(n))
		}
		if !seen[sum] {
			seen[sum] = true
			out = append(out, &place{nodes: slices.Clone(nodes), filled: filled})
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
		k.marked = len(n.Classes) > 0
		for _, c := range n.Classes {
			k.others = append(k.others, mix(mix(4, k.tag), maphash.String(seed, c)))
		}
		if prop := page.Attr(n.Node, "itemprop"); prop != "" {
			k.others = append(k.others, mix(5, maphash.String(seed, prop)))
		}
	}
	return out
}

// visit calls note with each key of each node of a record that has words.
func (f *finder) visit(g *group, i int, note func(key uint64, n int)) {
	r := &g.records[i]
	f.counts.clear()
	f.ways = append(f.ways[:0], make([]way, r.end-r.first)...)
	visited := 0
	for n := range iterate(f.p, r) {
		if visited++; visited > maxVisited {
			return
		}
		k := &f.keys[n]
		mark := k.mark
		over := way{1, 2}
		if up := f.p.Nodes[n].Parent; up >= r.first {
			over = f.ways[up-r.first]
		} else if !g.sliced { // a first node
			mark = 0
		}
		below := mix(over.numbered, k.tag)
		number, _ := f.counts.get(below)
		f.counts.set(below, number+1)
		w := way{mix(below, uint64(min(number, mostAlike))), mix(over.plain, mark)}
		f.ways[n-r.first] = w
		if f.p.Letters(n) == 0 {
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
