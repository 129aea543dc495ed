package records

import (
	"cmp"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/read/page"
)

// Bounds of what is looked at on a page.
const (
	maxGroups    = 40    // candidates
	maxRecords   = 2_000 // of a group
	maxVisited   = 600   // nodes of a record whose place is compared
	maxPlaces    = 400   // of a group, the first ones
	maxWork      = 20    // nodes that are visited, for each node of the page
	leastShare   = 0.04  // of the page's letters that a group holds
	leastLetters = 8     // of a record, on average
)

// group is a candidate: parts of a page that may be one record each.
type group struct {
	records []record
	sliced  bool // a record is several siblings
	letters int  // in all records
	all     int  // records, of which a sample has only some
}

// record is a run of siblings, without the records inside it.
type record struct {
	first, end int // nodes
	inner      []int
	own        int // letters
}

// nodes calls yield for the nodes of a record in document order, without those of the records
// inside it.
func (r *record) nodes(p *page.Page, yield func(n int) bool) {
	inner := r.inner
	for n := r.first; n < r.end; {
		if len(inner) > 0 && inner[0] == n {
			inner = inner[1:]
			n = p.Nodes[n].End
			continue
		}
		if !yield(n) {
			return
		}
		n++
	}
}

// candidates lists the groups of a page, those with most text first: elements with a class or
// a place in common, and runs of siblings from one date to the next (after MiBAT, Song et al.,
// CIKM 2010, where anchors are found by their form and records around them).
func candidates(p *page.Page) []*group {
	var out []*group
	seen := map[uint64]bool{}
	add := func(g *group) {
		g.settle(p)
		if len(g.records) < 2 || len(g.records) > maxRecords || float64(g.letters) < leastShare*float64(p.Letters(0)) ||
			g.letters < leastLetters*len(g.records) {
			return
		}
		var h maphash.Hash
		h.SetSeed(seed)
		for _, r := range g.records {
			maphash.WriteComparable(&h, [2]int{r.first, r.end})
		}
		if key := h.Sum64(); !seen[key] {
			seen[key] = true
			out = append(out, g)
		}
	}
	for _, g := range alike(p) {
		add(g)
	}
	for _, g := range slicedByDates(p) {
		add(g)
	}
	slices.SortStableFunc(out, func(a, b *group) int { return cmp.Compare(b.letters, a.letters) })
	for _, g := range grown(p, out[:min(len(out), maxGroups)]) {
		add(g)
	}
	slices.SortStableFunc(out, func(a, b *group) int { return cmp.Compare(b.letters, a.letters) })
	return out[:min(len(out), maxGroups)]
}

var seed = maphash.MakeSeed()

// alike groups elements by class, by the form of their id, and by their path.
func alike(p *page.Page) []*group {
	at := map[uint64]int{}
	var nodes [][]int
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Type != html.ElementNode || i == 0 || inline[n.DataAtom] {
			continue
		}
		for key := range keysOf(n) {
			of, known := at[key]
			if !known {
				of = len(nodes)
				at[key], nodes = of, append(nodes, nil)
			}
			if len(nodes[of]) <= maxRecords {
				nodes[of] = append(nodes[of], i)
			}
		}
	}
	var out []*group
	for _, of := range nodes {
		if len(of) > 1 && len(of) <= maxRecords {
			g := &group{records: make([]record, len(of))}
			for i, n := range of {
				g.records[i] = record{first: n, end: p.Nodes[n].End}
			}
			out = append(out, g)
		}
	}
	return out
}

// inline are elements that hold no record.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.I: true, atom.Em: true, atom.Strong: true, atom.Font: true, atom.Small: true,
	atom.Br: true, atom.Img: true, atom.Time: true, atom.U: true, atom.Hr: true, atom.Input: true, atom.P: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

// keysOf calls yield with the hashes of what groups have in common: path, each class, all classes, and the id
// without its number.
func keysOf(n *page.Node) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if !yield(mix(1, n.Path)) {
			return
		}
		for _, c := range n.Classes {
			if !yield(mix(maphash.String(seed, n.Data), maphash.String(seed, c))) {
				return
			}
		}
		if len(n.Classes) > 1 && !yield(mix(2, maphash.String(seed, n.Mark))) {
			return
		}
		if id := page.Attr(n.Node, "id"); strings.ContainsAny(id, "0123456789") {
			yield(mix(mix(3, maphash.String(seed, n.Data)), maphash.String(seed, page.WithoutDigits(id))))
		}
	}
}

// slicedByDates groups runs of siblings: from one that holds a date, or some before it, to the next.
func slicedByDates(p *page.Page) []*group {
	anchors := map[string][]int{}
	for _, n := range p.Dated() {
		key := strconv.FormatUint(p.Nodes[n].Path, 36) + " " + p.Nodes[n].Mark
		anchors[key] = append(anchors[key], n)
	}
	var out []*group
	done := map[uint64]bool{}
	for _, key := range slices.Sorted(maps.Keys(anchors)) {
		nodes := anchors[key]
		if len(nodes) < 2 || len(nodes) > maxRecords {
			continue
		}
		over := common(p, nodes)
		pivots := belowOf(p, over, nodes)
		if pivots == nil {
			continue
		}
		var h maphash.Hash
		h.SetSeed(seed)
		for _, n := range pivots {
			maphash.WriteComparable(&h, n)
		}
		if key := h.Sum64(); done[key] {
			continue
		} else {
			done[key] = true
		}
		out = append(out, slicesOf(p, over, pivots)...)
	}
	return out
}

// common is the innermost node that holds all of some nodes.
func common(p *page.Page, nodes []int) int {
	over := nodes[0]
	for last := nodes[len(nodes)-1]; over >= 0 && !(p.Within(last, over) && over != last); {
		over = p.Nodes[over].Parent
	}
	return max(over, 0)
}

// belowOf are the children of a node that hold some nodes; nil where one holds two.
func belowOf(p *page.Page, over int, nodes []int) []int {
	var out []int
	for _, n := range nodes {
		for n > 0 && p.Nodes[n].Parent != over {
			n = p.Nodes[n].Parent
		}
		if len(out) > 0 && out[len(out)-1] == n {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// grown widens each record of some groups, and each date, to the outermost element that holds no
// other one of its group: so a first post in a frame of its own is in one group with the replies.
func grown(p *page.Page, of []*group) []*group {
	var out []*group
	widen := func(nodes []int) {
		if g := widened(p, nodes); g != nil {
			out = append(out, g)
		}
	}
	for _, g := range of {
		var nodes []int
		for _, r := range g.records {
			nodes = append(nodes, r.first)
		}
		if !g.sliced && g.letters >= leastText*len(g.records) {
			widen(nodes)
		}
	}
	dates := map[string][]int{}
	for _, n := range p.Dated() {
		dates[p.Nodes[n].Mark] = append(dates[p.Nodes[n].Mark], n)
	}
	for _, mark := range slices.Sorted(maps.Keys(dates)) {
		if nodes := dates[mark]; len(nodes) > 1 && len(nodes) <= maxRecords {
			widen(nodes)
		}
	}
	return out
}

// leastText is the least mean length of records that are widened, in letters: shorter ones are
// names and labels.
const leastText = 25

// widened is the group of the outermost elements that hold one of some nodes each; nil where one
// of the nodes holds another.
func widened(p *page.Page, nodes []int) *group {
	g := &group{}
	for i, n := range nodes {
		if i+1 < len(nodes) && p.Within(nodes[i+1], n) {
			return nil
		}
		for up := p.Nodes[n].Parent; up > 0; up = p.Nodes[up].Parent {
			if i > 0 && p.Within(nodes[i-1], up) || i+1 < len(nodes) && p.Within(nodes[i+1], up) {
				break
			}
			n = up
		}
		g.records = append(g.records, record{first: n, end: p.Nodes[n].End})
	}
	return g
}

// mostBefore is how many siblings before the one with the date a record may begin.
const mostBefore = 3

// slicesOf cuts the children of a node at pivots, or up to [mostBefore] children before them.
func slicesOf(p *page.Page, over int, pivots []int) []*group {
	var kids []int
	place := map[int]int{}
	for c := range p.Children(over) {
		place[c] = len(kids)
		kids = append(kids, c)
	}
	gap := len(kids)
	var gaps []int
	for i := 1; i < len(pivots); i++ {
		d := place[pivots[i]] - place[pivots[i-1]]
		gap = min(gap, d)
		gaps = append(gaps, d)
	}
	slices.Sort(gaps)
	usual := gaps[len(gaps)/2]
	if usual < 2 {
		return nil
	}
	var out []*group
	for before := 0; before < min(gap, mostBefore+1); before++ {
		if place[pivots[0]] < before {
			break
		}
		g := &group{sliced: true}
		same := 0
		for i, pivot := range pivots {
			from := place[pivot] - before
			to := min(from+usual, len(kids))
			if i+1 < len(pivots) {
				to = place[pivots[i+1]] - before
			}
			if p.Nodes[kids[from]].Mark == p.Nodes[kids[place[pivots[0]]-before]].Mark {
				same++
			}
			g.records = append(g.records, record{first: kids[from], end: p.Nodes[kids[to-1]].End})
		}
		if 10*same >= 9*len(pivots) {
			out = append(out, g)
		}
	}
	return out
}

// settle finds the records inside records, and counts letters.
func (g *group) settle(p *page.Page) {
	var open []int
	for i := range g.records {
		r := &g.records[i]
		r.inner, r.own = nil, 0
		for n := r.first; n < r.end; n = p.Nodes[n].End {
			r.own += p.Letters(n)
		}
		for len(open) > 0 && g.records[open[len(open)-1]].end <= r.first {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			over := &g.records[open[len(open)-1]]
			over.inner = append(over.inner, r.first)
			over.own -= r.own
		} else {
			g.letters += r.own
		}
		open = append(open, i)
	}
	// A record that says nothing is a frame, or empty.
	g.records = slices.DeleteFunc(g.records, func(r record) bool { return r.own == 0 && len(r.inner) == 0 })
	g.all = len(g.records)
}

// mostSampled is how many records of a group are compared with other groups: more of them decide
// the same.
const mostSampled = 12

// sample is the group with some of its records, evenly spread.
func (g *group) sample() *group {
	n := len(g.records)
	if n <= mostSampled {
		return g
	}
	out := *g
	out.records = nil
	for i := range mostSampled {
		out.records = append(out.records, g.records[i*(n-1)/(mostSampled-1)])
	}
	return &out
}

// size is how many nodes of the group are visited.
func (g *group) size() (n int) {
	for _, r := range g.records {
		n += min(r.end-r.first, maxVisited)
	}
	return n
}
