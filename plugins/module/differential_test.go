package module

import (
	"testing"

	"github.com/tetratelabs/wazero"
)

func TestGeneratedModulesDoTheSameWhenMetered(t *testing.T) {
	h := newHost(t)
	failures := map[string]int{}
	var used, counted int64
	for seed := range uint64(80) {
		m, err := Verify(generate(seed), DefaultLimits())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		u, c := h.same(t, m, "awarc_score", nil)
		used, counted = used+u[0], counted+c[0]
		o, _, _ := h.run(t, m.file, "awarc_score", nil, 0)
		failures[o.failure]++
	}
	t.Logf("%d units for %d instructions; %v", used, counted, failures)
	if len(failures) < 3 || failures[""] < 20 {
		t.Errorf("the generated modules do not end in enough ways: %v", failures)
	}
}

// FuzzMeter compares a generated module with its metered form, which also has to do
// exactly as much on a second run. It interprets, because the compiler takes most of
// the time.
func FuzzMeter(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	h := newHostOf(f, wazero.NewRuntimeConfigInterpreter())
	f.Fuzz(func(t *testing.T, seed uint64) {
		m := verified(t, generate(seed))
		used, _ := h.same(t, m, "awarc_score", nil, nil)
		if used[0] != used[1] {
			t.Fatalf("%d units, then %d", used[0], used[1])
		}
	})
}
