package plugins

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
	"github.com/awarc/awarc/plugins/module/moduletest"
)

// threadTime is the processor time of this thread, to which the goroutine is locked.
func threadTime(b *testing.B) time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// worst is the largest figure of all modules, and whose it is.
type worst struct {
	value float64
	name  string
}

func (w *worst) see(value float64, name string) {
	if w.name == "" || value > w.value {
		*w = worst{value, name}
	}
}

// BenchmarkHostile calls every hostile module once a round with a deadline, and no other limit
// in its way, and reports how much longer than that the worst call took, by the clock
// and by the processor time of its thread, and by how much the worst one made the process
// grow meanwhile. A call that a busy machine left waiting is late by the clock and not by
// the processor, so the least of the rounds counts for a module, and of all modules the worst.
// With the shortest deadline all of the processor time but a millisecond comes after it.
func BenchmarkHostile(b *testing.B) {
	compiler.child = false
	b.Cleanup(func() { compiler.child = true })
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

	b.Run("refused", func(b *testing.B) {
		runtime.LockOSThread()
		var clock, processor, memory worst
		for b.Loop() {
			for _, h := range moduletest.AtLoad() {
				before := forgetPeak(b)
				start, used := time.Now(), threadTime(b)
				_, err := module.Verify(h.File, module.DefaultLimits())
				took, busy := time.Since(start), threadTime(b)-used
				var refused *module.Error
				if !errors.As(err, &refused) {
					b.Fatalf("%s: not refused: %v", h.Name, err)
				}
				clock.see(ms(took), h.Name)
				processor.see(ms(busy), h.Name)
				memory.see(float64(memoryMiB(b, "VmHWM")-before), h.Name)
			}
		}
		show(b, "ms", clock, processor, memory)
	})
	for _, deadline := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 250 * time.Millisecond} {
		b.Run(fmt.Sprint(deadline), func(b *testing.B) {
			runtime.LockOSThread()
			budget := Budget{deadline, 1 << 50}
			s, err := Open(b.Context(), nil, Options{Poll: -1, Instances: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			var clock, processor, memory worst
			least := map[string]float64{}
			for b.Loop() {
				for _, h := range slices.Concat(moduletest.AtRun(), moduletest.AtOutput()) {
					g := ready(b, s, h, budget)
					before := forgetPeak(b)
					start, used := time.Now(), threadTime(b)
					kind := once(g, s.config.Load(), h.When)
					took, busy := time.Since(start), threadTime(b)-used
					memory.see(float64(memoryMiB(b, "VmHWM")-before), h.Name)
					if !slices.Contains(endings(h.Want), kind) {
						b.Fatalf("%s: ended with %s", h.Name, kind)
					}
					late := ms(took - deadline)
					if before, ok := least[h.Name]; !ok || late < before {
						least[h.Name] = late
					}
					clock.see(late, h.Name)
					processor.see(ms(busy-deadline), h.Name)
					if err := g.close(); err != nil {
						b.Fatal(err)
					}
				}
			}
			show(b, "ms-over", clock, processor, memory)
			var undisturbed worst
			for name, late := range least {
				undisturbed.see(late, name)
			}
			b.ReportMetric(undisturbed.value, "ms-over-clock-least")
			b.Logf("worst of the least of all rounds by the clock: %s", undisturbed.name)
		})
	}
}

// show reports the worst figures, and names the modules that they are of.
func show(b *testing.B, unit string, clock, processor, memory worst) {
	b.ReportMetric(clock.value, unit+"-clock")
	b.ReportMetric(processor.value, unit+"-processor")
	b.ReportMetric(memory.value, "MiB-peak")
	b.Logf("worst by the clock: %s; by the processor: %s; by memory: %s", clock.name, processor.name, memory.name)
}

// ready compiles a hostile module, and makes its first instance but where that is what
// does harm.
func ready(b *testing.B, s *Set, h moduletest.Hostile, budget Budget) *generation {
	b.Helper()
	g, err := s.build(b.Context(), h.File)
	if err == nil && h.When != moduletest.OnInit {
		var in *instance
		if in, err = g.newInstance(b.Context(), s.config.Load()); err == nil {
			g.put(in)
		}
	}
	if err != nil {
		b.Fatal(h.Name, err)
	}
	g.limits.Setup, g.limits.Score, g.limits.Extract = budget, budget, budget
	return g
}

// once does with the module what it harms by: makes an instance, or asks about a page.
func once(g *generation, c *configuration, when moduletest.Phase) Kind {
	ctx := context.Background()
	switch when {
	case moduletest.OnInit:
		in, err := g.newInstance(ctx, c)
		if err == nil {
			in.close()
		}
		return kindOf(err)
	case moduletest.OnExtract:
		req := &abi.ExtractRequest{URL: "http://hostile.example/"}
		return g.call(ctx, c, g.extractEntry(req, req.Append(nil, g.needs), new(abi.ExtractResponse))).kind
	}
	req := &abi.ScoreRequest{URL: "http://hostile.example/"}
	return g.call(ctx, c, g.scoreEntry(req, req.Append(nil, g.needs), new(abi.ScoreResponse))).kind
}
