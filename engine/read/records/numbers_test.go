package records

import (
	"math/rand/v2"
	"testing"
)

// TestNumbers compares numbers with a map, over several rounds.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var m numbers
	for round := range 20 {
		m.clear()
		want := map[uint64]int{}
		for range 50 * round {
			key := uint64(random.IntN(400)) << (32 * random.IntN(2)) // some share a slot
			if got, known := m.get(key); got != want[key] || known != (want[key] > 0) {
				t.Fatalf("%d: %d, want %d", key, got, want[key])
			}
			want[key]++
			m.set(key, want[key])
		}
	}
}
