// Package grow learns forests of decision trees from labelled rows.
package grow

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/awarc/awarc/engine/rank"
)

// Growth holds the settings of [Forest]: gradient boosting with Newton steps of the logistic loss (Friedman, "Greedy function
// approximation", 2001), histograms of feature values, and a sample of pages and features for each tree.
type Growth struct {
	Trees, Leaves int
	Rate          float64
	Ridge         float64 // L2 penalty of a leaf
	Least         float64 // weight of a leaf
	Pages         float64 // share of the pages that each tree sees
	Features      float64 // share of the features
}

// Rows holds examples: rows of features with a target from 0 to 1 and a weight, grouped by page.
type Rows struct {
	rows    [][]float32
	target  []float64
	weight  []float64
	page    []int
	pages   int
	bins    [][]uint8   // by feature
	borders [][]float32 // of the bins
}

// Add adds the rows of a page.
func (t *Rows) Add(rows [][]float32, target, weight []float64) {
	for i, r := range rows {
		t.rows, t.target, t.weight, t.page = append(t.rows, r), append(t.target, target[i]), append(t.weight, weight[i]),
			append(t.page, t.pages)
	}
	t.pages++
}

const maxBins = 48

// bin sorts the values of each feature into bins of about as many rows each.
func (t *Rows) bin() {
	if len(t.rows) == 0 {
		return
	}
	features := len(t.rows[0])
	t.bins, t.borders = make([][]uint8, features), make([][]float32, features)
	sample := make([]float32, 0, 20_000)
	step := max(1, len(t.rows)/cap(sample))
	for f := range features {
		sample = sample[:0]
		for i := 0; i < len(t.rows); i += step {
			sample = append(sample, t.rows[i][f])
		}
		slices.Sort(sample)
		var borders []float32
		for b := 1; b < maxBins; b++ {
			x := sample[b*(len(sample)-1)/maxBins]
			if len(borders) == 0 || x > borders[len(borders)-1] {
				borders = append(borders, x)
			}
		}
		column := make([]uint8, len(t.rows))
		for i, r := range t.rows {
			column[i] = uint8(sort.Search(len(borders), func(k int) bool { return r[f] <= borders[k] }))
		}
		t.bins[f], t.borders[f] = column, borders
	}
}

// Forest grows a forest over rows with named features.
func Forest(t *Rows, names []string, g Growth, random *rand.Rand) rank.Forest {
	t.bin()
	forest := rank.Forest{Names: names}
	sum, all := 0.0, 0.0
	for i, w := range t.weight {
		sum, all = sum+w*t.target[i], all+w
	}
	forest.Bias = math.Log(sum / (all - sum))
	score := make([]float64, len(t.rows))
	for i := range score {
		score[i] = forest.Bias
	}
	for range g.Trees {
		b := &grower{Rows: t, Growth: g, gradient: make([]float64, len(t.rows)), curve: make([]float64, len(t.rows))}
		for i, s := range score {
			p := 1 / (1 + math.Exp(-s))
			b.gradient[i], b.curve[i] = t.weight[i]*(p-t.target[i]), t.weight[i]*max(p*(1-p), 1e-3)
		}
		in := make([]bool, t.pages)
		for i := range in {
			in[i] = random.Float64() < g.Pages
		}
		var rows []int32
		for i, p := range t.page {
			if in[p] {
				rows = append(rows, int32(i))
			}
		}
		for f := range names {
			if random.Float64() < g.Features {
				b.features = append(b.features, f)
			}
		}
		if len(rows) == 0 || len(b.features) == 0 {
			continue
		}
		tree := b.tree(rows)
		forest.Trees = append(forest.Trees, tree)
		one := rank.Forest{Trees: []rank.Tree{tree}}
		for i, r := range t.rows {
			score[i] += one.Score(r)
		}
	}
	return forest
}

// grower grows one tree.
type grower struct {
	*Rows
	Growth
	gradient, curve []float64
	features        []int
	nodes           []node
}

// node is a node of the tree that grows.
type node struct {
	rows            []int32
	gradient, curve float64
	gain            float64
	feature, bin    int
	left, right     int // 0: a leaf
	histogram       [][maxBins]cell
}

type cell struct{ gradient, curve float64 }

func (b *grower) tree(rows []int32) rank.Tree {
	b.nodes = append(b.nodes, b.node(rows, nil, nil))
	for leaves := 1; leaves < b.Leaves; leaves++ {
		at := -1
		for i, n := range b.nodes {
			if n.left == 0 && n.gain > 1e-6 && (at < 0 || n.gain > b.nodes[at].gain) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		b.split(at)
	}
	var t rank.Tree
	b.emit(&t, 0)
	return t
}

func (b *grower) emit(t *rank.Tree, at int) {
	n := &b.nodes[at]
	if n.left == 0 {
		*t = append(*t, rank.Node{Value: float32(-b.Rate * n.gradient / (n.curve + b.Ridge))})
		return
	}
	i := len(*t)
	*t = append(*t, rank.Node{Feature: uint16(n.feature), Left: uint16(i + 1), Value: b.borders[n.feature][n.bin]})
	b.emit(t, n.left)
	(*t)[i].Right = uint16(len(*t))
	b.emit(t, n.right)
}

// node sums up rows. With a parent and its other child, the histogram is their difference.
func (b *grower) node(rows []int32, parent, other *node) node {
	n := node{rows: rows, histogram: make([][maxBins]cell, len(b.features))}
	for _, i := range rows {
		n.gradient, n.curve = n.gradient+b.gradient[i], n.curve+b.curve[i]
	}
	for k, f := range b.features {
		h := &n.histogram[k]
		if parent != nil {
			for j := range h {
				h[j] = cell{parent.histogram[k][j].gradient - other.histogram[k][j].gradient,
					parent.histogram[k][j].curve - other.histogram[k][j].curve}
			}
			continue
		}
		column := b.bins[f]
		for _, i := range rows {
			c := &h[column[i]]
			c.gradient += b.gradient[i]
			c.curve += b.curve[i]
		}
	}
	b.best(&n)
	return n
}

// best finds the split that lowers the loss most.
func (b *grower) best(n *node) {
	value := func(g, h float64) float64 { return g * g / (h + b.Ridge) }
	whole := value(n.gradient, n.curve)
	for k, f := range b.features {
		g, h := 0.0, 0.0
		for bin := range b.borders[f] {
			g, h = g+n.histogram[k][bin].gradient, h+n.histogram[k][bin].curve
			if h < b.Least || n.curve-h < b.Least {
				continue
			}
			if gain := value(g, h) + value(n.gradient-g, n.curve-h) - whole; gain > n.gain {
				n.gain, n.feature, n.bin = gain, f, bin
			}
		}
	}
}

func (b *grower) split(at int) {
	n := b.nodes[at]
	var left, right []int32
	for _, i := range n.rows {
		if int(b.bins[n.feature][i]) <= n.bin {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	small, big := left, right
	if len(left) > len(right) {
		small, big = right, left
	}
	one := b.node(small, nil, nil)
	two := b.node(big, &n, &one)
	if len(left) > len(right) {
		one, two = two, one
	}
	b.nodes = append(b.nodes, one, two)
	n.left, n.right, n.rows, n.histogram = len(b.nodes)-2, len(b.nodes)-1, nil, nil
	b.nodes[at] = n
}
