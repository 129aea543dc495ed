package rank

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Forest is a sum of decision trees over features, in logits.
type Forest struct {
	Names []string // of the features
	Bias  float64
	Trees []Tree
}

// Tree is a decision tree: its first node is the root.
type Tree []Node

// Node is a split, or a leaf where Left is 0.
type Node struct {
	Feature     uint16
	Left, Right uint16
	Value       float32 // of a split the greatest value that goes left, of a leaf what it adds
}

// Score sums the trees.
func (f *Forest) Score(x []float32) float64 {
	sum := f.Bias
	for _, t := range f.Trees {
		n := &t[0]
		for n.Left != 0 {
			if x[n.Feature] <= n.Value {
				n = &t[n.Left]
			} else {
				n = &t[n.Right]
			}
		}
		sum += float64(n.Value)
	}
	return sum
}

// row arranges features in the order of the forest.
func (f *Forest) row(names []string, features []float64) []float32 {
	out := make([]float32, len(f.Names))
	for i, name := range f.Names {
		at := i
		if at >= len(names) || names[at] != name {
			at = slices.Index(names, name)
		}
		if at >= 0 {
			out[i] = float32(features[at])
		}
	}
	return out
}

// P is the probability that is due to a row of features, from 0 to 1.
func (f *Forest) P(x []float32) float64 { return 1 / (1 + math.Exp(-f.Score(x))) }

// All returns the probability of each row.
func (f *Forest) All(rows [][]float32) []float64 {
	out := make([]float64, len(rows))
	for i, x := range rows {
		out[i] = f.P(x)
	}
	return out
}

// Write writes a forest as [ReadForests] reads it: "forest", its bias and its features, then a tree a line, nodes in
// the order root, left, right; "feature<=value" is a split, "=value" a leaf.
func (f *Forest) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "forest %s %s\n", strconv.FormatFloat(f.Bias, 'g', 6, 64), strings.Join(f.Names, " "))
	for _, t := range f.Trees {
		t.write(out, 0)
		out.WriteByte('\n')
	}
	return out.Flush()
}

func (t Tree) write(out *bufio.Writer, at uint16) {
	n := t[at]
	if at > 0 {
		out.WriteByte(' ')
	}
	if n.Left == 0 {
		out.WriteString("=" + strconv.FormatFloat(float64(n.Value), 'g', 4, 32))
		return
	}
	fmt.Fprintf(out, "%d<=%s", n.Feature, strconv.FormatFloat(float64(n.Value), 'g', 9, 32))
	t.write(out, n.Left)
	t.write(out, n.Right)
}

// ReadForests reads forests.
func ReadForests(r io.Reader) (forests []Forest, err error) {
	lines := bufio.NewScanner(r)
	const longest = 1 << 20 // bytes of a line
	lines.Buffer(nil, longest)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case fields[0] == "forest" && len(fields) > 1:
			bias, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: bias: %w", n, err)
			}
			forests = append(forests, Forest{Names: fields[2:], Bias: bias})
		case len(forests) == 0:
			return nil, fmt.Errorf("line %d: a tree before the first forest", n)
		default:
			f := &forests[len(forests)-1]
			t, rest, err := readTree(nil, fields, len(f.Names))
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("%d nodes too many", len(rest))
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			f.Trees = append(f.Trees, t)
		}
	}
	return forests, lines.Err()
}

func readTree(t Tree, fields []string, features int) (Tree, []string, error) {
	const most = 1 << 12 // nodes of a tree
	if len(fields) == 0 || len(t) >= most {
		return nil, nil, fmt.Errorf("a tree ends early or has more than %d nodes", most)
	}
	feature, value, _ := strings.Cut(strings.Replace(fields[0], "<", "", 1), "=")
	x, err := strconv.ParseFloat(value, 32)
	if err != nil {
		return nil, nil, fmt.Errorf("node %q: %w", fields[0], err)
	}
	at := len(t)
	t = append(t, Node{Value: float32(x)})
	if feature == "" {
		return t, fields[1:], nil
	}
	f, err := strconv.ParseUint(feature, 10, 16)
	if err != nil || int(f) >= features {
		return nil, nil, fmt.Errorf("node %q: not one of %d features", fields[0], features)
	}
	t[at].Feature, t[at].Left = uint16(f), uint16(len(t))
	t, fields, err = readTree(t, fields[1:], features)
	if err != nil {
		return nil, nil, err
	}
	t[at].Right = uint16(len(t))
	return readTree(t, fields, features)
}
