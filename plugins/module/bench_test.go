package module

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// BenchmarkPrepare measures verification and rewriting against the compilation of
// the same module, each the best of the rounds of one run, and what metering adds:
// to the size, to the compilation, and to a count of every instruction executed.
func BenchmarkPrepare(b *testing.B) {
	ctx := context.Background()
	for _, guest := range []struct {
		name  string
		file  []byte
		input []byte
	}{
		{"C", packed(b, "guest.wasm"), noise(1, 4000)},
		{"Go", goGuest(b), bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog "), 100)},
	} {
		b.Run(guest.name, func(b *testing.B) {
			h := newHost(b)
			var best [4]time.Duration // verify, meter, compile metered, compile plain
			var m *Module
			var wasm []byte
			for round := 0; b.Loop(); round++ {
				for i, step := range []func(){
					func() { m = verified(b, guest.file) },
					func() { wasm = metered(b, m) },
					func() { h.compile(b, wasm).Close(ctx) },
					func() { h.compile(b, guest.file).Close(ctx) },
				} {
					start := time.Now()
					step()
					if d := time.Since(start); round == 0 || d < best[i] {
						best[i] = d
					}
				}
			}
			mib := float64(len(guest.file)) / (1 << 20)
			used, counted := h.same(b, m, "awarc_score", guest.input)
			b.ReportMetric(float64(best[0].Microseconds())/1000/mib, "verify-ms/MiB")
			b.ReportMetric(float64(best[1].Microseconds())/1000/mib, "meter-ms/MiB")
			b.ReportMetric(float64(best[0]+best[1])/float64(best[2]), "prepare/compile")
			b.ReportMetric(float64(best[2])/float64(best[3]), "compile-metered/plain")
			b.ReportMetric(float64(len(wasm))/float64(len(guest.file)), "size-metered/plain")
			b.ReportMetric(float64(used[0])/float64(counted[0]), "units/instruction")
		})
	}
}
