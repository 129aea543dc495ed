package module

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/awarc/awarc/plugins/module/moduletest"
)

// goGuest builds the guest in Go, which is too large to be committed.
func goGuest(t testing.TB) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, "./testdata/goguest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	file, err := Pack(wasm, []byte(moduletest.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestGuestsOfRealCompilersDoTheSameWhenMetered(t *testing.T) {
	h := newHost(t)
	var inputs [][]byte
	for n := range 40 {
		inputs = append(inputs, noise(uint64(n), n*37))
	}
	for _, name := range []string{"guest.wasm", "guest_simd.wasm"} {
		used, counted := h.same(t, verified(t, packed(t, name)), "awarc_score", inputs...)
		logRatio(t, name, used, counted)
	}
}

func TestAGuestInGoDoesTheSameWhenMetered(t *testing.T) {
	h := newHost(t)
	used, counted := h.same(t, verified(t, goGuest(t)), "awarc_score",
		nil, []byte("one two three two"), []byte("panic"), bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog "), 100))
	logRatio(t, "Go", used, counted)
}

func logRatio(t *testing.T, name string, used, counted []int64) {
	last := len(used) - 1
	t.Logf("%s: %d units for %d instructions: %.2f", name, used[last], counted[last], float64(used[last])/float64(counted[last]))
}

func TestWhatHasToBeStoppedEndsWithTheFuel(t *testing.T) {
	h := newHost(t)
	tried := 0
	for _, c := range moduletest.AtRun() {
		if bytes.Contains(c.File, []byte("random_get")) {
			continue // it is not the module that pays for what it asks for but the host that charges it
		}
		if c.When == moduletest.OnScore && slices.Contains(c.Want, moduletest.Fuel) {
			tried++
			m := verified(t, c.File)
			o, used, _ := h.run(t, metered(t, m), "awarc_score", []byte("some page"), 3_000_000)
			if o.failure != errFuel.Error() && !slices.Contains(c.Want, moduletest.Trap) &&
				!slices.Contains(c.Want, moduletest.OutputLimit) {
				t.Errorf("%s: %v, want it out of fuel", c.Name, o)
			}
			t.Logf("%-40s %d %s", c.Name, used, o.failure)
		}
	}
	if tried < 20 {
		t.Errorf("only %d modules were tried", tried)
	}
}

// A long memory.fill or memory.copy is done in pieces: whatever overlaps, ends at the end of
// the memory or goes past it, memory and traps are those of the one instruction.
func TestLongBulkOperationsDoTheSameWhenMetered(t *testing.T) {
	h := newHost(t)
	const all = 64 << 16 // bytes of memory
	const piece = bulkBytes
	var setup []byte // a pattern that is nowhere the same within 65,536 bytes
	for n := 1 << 16; n < all; n *= 2 {
		setup = append(setup, moduletest.Code(moduletest.I32Const(n), moduletest.I32Const(0), moduletest.I32Const(n),
			moduletest.MemoryCopy)...)
	}
	run := func(code []byte) {
		t.Helper()
		m := moduletest.Module{Memory: []int{64, 64}, Data: []moduletest.Data{{At: 0, Bytes: noise(1, 1<<16)}}}
		h.same(t, verified(t, moduletest.Plugin(m, moduletest.Code(setup, code, moduletest.I32Const(0))).Bytes()), "awarc_score", nil)
	}
	for _, c := range [][3]int{
		{0, 100_003, all - 100_003}, {100_003, 0, all - 100_003}, {1, 0, all - 1}, {0, 1, all - 1}, {0, 0, all},
		{1, 0, piece}, {0, 1, piece + 1}, {7, 0, 2 * piece}, {0, 7, 2*piece + 1}, {7, 0, 3*piece - 1}, {3*piece + 5, 11, 3 * piece},
		{1, 0, all}, {0, 1, all}, {all, 0, piece + 1}, {0, all + 1, piece}, {-1, 0, piece + 1}, {0, -1, -1}, {0, 0, all + 1},
	} {
		run(moduletest.Code(moduletest.I32Const(c[0]), moduletest.I32Const(c[1]), moduletest.I32Const(c[2]), moduletest.MemoryCopy))
	}
	for _, c := range [][2]int{{0, all}, {1, all - 1}, {5, piece}, {5, piece + 1}, {5, 3 * piece}, {5, 3*piece + 7}, {1, all},
		{-1, piece + 1}, {0, -1}} {
		run(moduletest.Code(moduletest.I32Const(c[0]), moduletest.I32Const(7), moduletest.I32Const(c[1]), moduletest.MemoryFill))
	}
}
