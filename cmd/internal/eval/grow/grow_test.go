package grow

import (
	"math/rand/v2"
	"testing"
)

// TestForest holds that a forest learns what one feature alone does not say.
func TestForest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table := &Rows{}
	truth := func(r []float32) bool { return (r[0] > 0.3) != (r[1] > 0.6) }
	draw := func() []float32 { return []float32{random.Float32(), random.Float32(), random.Float32()} }
	for range 200 {
		var rows [][]float32
		var target, weight []float64
		for range 10 {
			r := draw()
			y := 0.0
			if truth(r) {
				y = 1
			}
			rows, target, weight = append(rows, r), append(target, y), append(weight, 1)
		}
		table.Add(rows, target, weight)
	}
	g := Growth{Trees: 40, Leaves: 6, Rate: 0.3, Ridge: 1, Least: 1, Pages: 0.8, Features: 1}
	f := Forest(table, []string{"a", "b", "c"}, g, random)
	right := 0
	for range 1000 {
		if r := draw(); (f.P(r) > 0.5) == truth(r) {
			right++
		}
	}
	if right < 950 {
		t.Errorf("%d of 1000 are right", right)
	}
}
