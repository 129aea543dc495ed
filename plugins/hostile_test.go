package plugins

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
	"github.com/awarc/awarc/plugins/module/moduletest"
)

// openSet makes a set without plugins, for tests that load modules by themselves.
func openSet(t *testing.T, o Options) *Set {
	t.Helper()
	o.Poll = -1
	s, err := Open(t.Context(), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// install loads a module as a plugin of the set, without the smoke test.
func install(s *Set, file []byte) (*plugin, error) {
	g, err := s.load(context.Background(), file, s.config.Load())
	if err != nil {
		return nil, err
	}
	p := &plugin{set: s}
	p.mu.gen = g
	p.mu.usage.Kinds = map[Kind]int64{}
	s.plugins = append(s.plugins, p)
	return p, nil
}

// inProcess compiles in the process of the test: a process for each of two hundred
// modules would take longer than all else.
func inProcess(t *testing.T) {
	compiler.child = false
	t.Cleanup(func() { compiler.child = true })
}

// endings are the kinds that count as an outcome of the design.
func endings(outcomes []moduletest.Outcome) []Kind {
	var kinds []Kind
	for _, o := range outcomes {
		kinds = append(kinds, Kind(o))
		if o == moduletest.Trap || o == moduletest.Exit {
			kinds = append(kinds, KindMemory) // the same with the memory at its limit
		}
	}
	return kinds
}

// The budgets of two passes: what fuel stops and what the clock stops. Where a budget is
// not what is tested, it is too large to be met.
var passes = []struct {
	name   string
	budget Budget
	not    Kind
}{
	{"fuel", Budget{5 * time.Second, 10_000_000}, KindDeadline},
	{"deadline", Budget{20 * time.Millisecond, 1 << 50}, KindFuel},
}

// Every hostile module is refused at load or ends with a typed error, and the process stays
// within a bound meanwhile; the good plugin beside it does its work after each, the process
// keeps its size, and the hostile one is called again as if nothing had been. How soon after
// its deadline each ends is measured by BenchmarkHostile.
func TestHostileModulesHarmNobody(t *testing.T) {
	if RaceDetector {
		t.Skip("make plain runs it without the race detector")
	}
	inProcess(t)
	good := moduletest.Answering("scorer", moduletest.Field(1, float32(0.5)))
	for _, pass := range passes {
		t.Run(pass.name, func(t *testing.T) {
			before := memoryMiB(t, "VmRSS")
			s := openSet(t, Options{Instances: 1, Limits: Limits{Setup: pass.budget, Score: pass.budget, Extract: pass.budget}})
			if _, err := install(s, good); err != nil {
				t.Fatal(err)
			}
			stopped := 0
			for _, h := range moduletest.All() {
				least := forgetPeak(t)
				end, err := endingOf(s, h, pass.name == "fuel")
				// 64 MiB of its own, 50 MB of stack that is copied when it grows, and answers.
				if most := memoryMiB(t, "VmHWM"); most-least > 300 {
					t.Errorf("%s: the process grew from %d to %d MiB meanwhile", h.Name, least, most)
				}
				switch {
				case h.When == moduletest.OnLoad:
					var refused *module.Error
					if !errors.As(err, &refused) {
						t.Errorf("%s: not refused at load: %v", h.Name, err)
					}
				case !slices.Contains(endings(h.Want), end):
					t.Errorf("%s: ended with %s (%v), want one of %v", h.Name, end, err, h.Want)
				case end == pass.not:
					t.Errorf("%s: ended with %s (%v) in a pass that does not test it", h.Name, end, err)
				}
				if end == KindFuel || end == KindDeadline {
					stopped++
				}
				results := s.Score(t.Context(), &abi.ScoreRequest{URL: "http://good.example/"})
				if results[0].Kind != KindOK || results[0].Response.Doc != 0.5 {
					t.Fatalf("%s: the good plugin answers %s (%v) afterwards", h.Name, results[0].Kind, results[0].Err)
				}
			}
			if stopped < 30 {
				t.Errorf("only %d modules were stopped by the budget; the pass tests little", stopped)
			}
			if after := forgetPeak(t); after-before > 100 {
				t.Errorf("the process grew from %d to %d MiB", before, after)
			}
		})
	}
}

// endingOf brings a hostile module to its end, twice, and takes it out of the set. Where
// the clock is not what is tested, no busy machine lets it end a call.
func endingOf(s *Set, h moduletest.Hostile, patient bool) (Kind, error) {
	p, err := install(s, h.File)
	if err != nil {
		return kindOf(err), err
	}
	if !slices.Contains(h.Want, moduletest.Fuel) {
		// A trap may come after a charge: filling 4 GiB costs half a billion units.
		p.mu.gen.limits.Score.Fuel = max(p.mu.gen.limits.Score.Fuel, 1e9)
	}
	if patient {
		p.mu.gen.limits.Score.Time, p.mu.gen.limits.Extract.Time = time.Hour, time.Hour
	}
	var end Kind
	c := s.config.Load()
	for range 2 {
		_, a, _ := p.call(context.Background(), c, p.mu.gen, func(g *generation) (entry, *Error) {
			if h.When == moduletest.OnExtract {
				req := &abi.ExtractRequest{URL: "http://hostile.example/"}
				return g.extractEntry(req, req.Append(nil, g.needs), new(abi.ExtractResponse)), nil
			}
			req := &abi.ScoreRequest{URL: "http://hostile.example/"}
			return g.scoreEntry(req, req.Append(nil, g.needs), new(abi.ScoreResponse)), nil
		})
		if end != "" && end != a.kind && !(end.failure() && a.kind.failure()) {
			return a.kind, errors.New("the second call ended with " + string(a.kind) + ", the first with " + string(end))
		}
		end, err = a.kind, nil
		if a.err != nil {
			err = a.err
		}
	}
	s.plugins = s.plugins[:len(s.plugins)-1]
	return end, errors.Join(err, p.mu.gen.retire())
}

// memoryMiB is a figure of the process' memory in MiB: VmRSS is what is in use, VmHWM the
// most that was; 0 where the system does not tell, so that nothing is compared.
func memoryMiB(t testing.TB, figure string) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), figure+":")
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb >> 10
}

// forgetPeak gives free memory back and makes what is left the most that was in use. With
// the race detector, whose memory is never given back, it would only take long.
func forgetPeak(t testing.TB) int {
	if runtime.GOOS == "linux" && !RaceDetector {
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			t.Fatal(err)
		}
	}
	return memoryMiB(t, "VmHWM")
}

// What a plugin says reaches logs and errors as text: no line breaks, escape
// sequences or bidirectional marks.
func TestWhatPluginsSayIsPrintable(t *testing.T) {
	inProcess(t)
	evil := "a\x1b[2Jb\r\nSet-Cookie: x\u202e\xff\x00<script>"
	var lines []string
	s := openSet(t, Options{Events: Events{Log: func(_ Identity, _ Level, line string) { lines = append(lines, line) }}})
	text := []moduletest.Data{{At: 64, Bytes: []byte(evil)}}
	call := func(f int, args ...int) []byte {
		var code []byte
		for _, a := range args {
			code = append(code, moduletest.I32Const(a)...)
		}
		return append(code, moduletest.Call(f)...)
	}
	logs := call(moduletest.Log, 1, 64, len(evil))
	code := moduletest.Code(bytes.Repeat(logs, 60), call(moduletest.ErrorSet, 64, len(evil)), moduletest.I32Const(2))
	p, err := install(s, moduletest.Plugin(moduletest.Module{Data: text}, code).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	r := s.Score(t.Context(), &abi.ScoreRequest{})[0]
	want := `a\x1b[2Jb\r\nSet-Cookie: x\u202e\ufffd\x00<script>`
	if r.Kind != KindPlugin || r.Err.Message != want {
		t.Errorf("%s: %q", r.Kind, r.Err.Message)
	}
	if len(lines) != 50 || lines[0] != want {
		t.Errorf("%d lines, the first %q", len(lines), lines[:min(1, len(lines))])
	}
	if err := p.mu.gen.smoke(t.Context(), s.config.Load()); err != nil || len(lines) != 50 {
		t.Errorf("the pages on which it is tried are logged: %d lines, %v", len(lines), err)
	}
	if _, u := p.report(); u.Dropped != 10 || u.Errors != 1 {
		t.Errorf("report: %+v", u)
	}
	reason := moduletest.Answering("scorer", moduletest.Field(5, "a\x1b[2Jb"))
	if _, err := install(s, reason); err != nil {
		t.Fatal(err)
	}
	if r := s.Score(t.Context(), &abi.ScoreRequest{})[1]; r.Kind != KindOK || r.Response.Reason != `a\x1b[2Jb` {
		t.Errorf("reason %+v, %v", r.Response, r.Err)
	}
}

// An instance that failed is not used again, one that says so itself is.
func TestInstancesAfterErrors(t *testing.T) {
	inProcess(t)
	s := openSet(t, Options{Instances: 1})
	// The first call of an instance returns its status; the next ones 0.
	once := func(status int) []byte {
		return moduletest.Plugin(moduletest.Module{}, moduletest.Code(
			moduletest.I32Const(64), moduletest.Load(0), moduletest.If(moduletest.Void, moduletest.I32Const(0), moduletest.Return),
			moduletest.I32Const(64), moduletest.I32Const(1), moduletest.Store(0), moduletest.I32Const(status))).Bytes()
	}
	for _, c := range []struct {
		status        int
		first, second Kind
	}{{1, KindNone, KindOK}, {2, KindPlugin, KindOK}, {3, KindPlugin, KindOK}, {7, KindABI, KindABI}} {
		p, err := install(s, once(c.status))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []Kind{c.first, c.second} {
			results := s.Score(t.Context(), &abi.ScoreRequest{})
			if got := results[len(results)-1].Kind; got != want {
				t.Errorf("status %d: %s, want %s", c.status, got, want)
			}
		}
		_ = p
	}
}

// Instances are replaced after so many calls or when their memory has grown, and
// not because a module declares all of its memory at once.
func TestWornInstancesAreReplaced(t *testing.T) {
	inProcess(t)
	grow := moduletest.Code(moduletest.I32Const(900), moduletest.MemoryGrow, moduletest.Drop, moduletest.I32Const(0))
	for _, c := range []struct {
		name  string
		calls int
		m     moduletest.Module
		code  []byte
		made  int64
	}{
		{"small", 0, moduletest.Module{}, moduletest.I32Const(0), 1},
		{"all memory declared", 0, moduletest.Module{Memory: []int{16, 16}}, moduletest.I32Const(0), 1},
		{"grown", 0, moduletest.Module{}, grow, 10},
		{"three calls each", 3, moduletest.Module{}, moduletest.I32Const(0), 4},
	} {
		s := openSet(t, Options{Instances: 1, Limits: Limits{Calls: c.calls}})
		p, err := install(s, moduletest.Plugin(c.m, c.code).Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if r := s.Score(t.Context(), &abi.ScoreRequest{})[0]; r.Kind != KindOK {
				t.Fatal(r.Err)
			}
		}
		if _, u := p.report(); u.Instances != c.made {
			t.Errorf("%s: %d instances for ten pages, want %d", c.name, u.Instances, c.made)
		}
	}
}

// Deterministic mode: a page does not see what was before it.
func TestDeterministicPagesHaveFreshInstances(t *testing.T) {
	inProcess(t)
	s := openSet(t, Options{Deterministic: true})
	_, err := install(s, moduletest.Plugin(moduletest.Module{}, moduletest.Code(
		moduletest.I32Const(64), moduletest.Load(0), moduletest.If(moduletest.Void, moduletest.I32Const(2), moduletest.Return),
		moduletest.I32Const(64), moduletest.I32Const(1), moduletest.Store(0), moduletest.I32Const(0))).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if r := s.Score(t.Context(), &abi.ScoreRequest{})[0]; r.Kind != KindOK {
			t.Fatalf("%s: %v", r.Kind, r.Err)
		}
	}
}

// What one crawl's pages left in a plugin's memory no other crawl sees, though file and code
// are the same.
func TestCrawlsShareNoInstances(t *testing.T) {
	inProcess(t)
	cache := filepath.Join(t.TempDir(), "cache")
	// Returns 2 where its memory holds the word that every call leaves there.
	file := moduletest.Plugin(moduletest.Module{}, moduletest.Code(
		moduletest.I32Const(64), moduletest.Load(0), moduletest.If(moduletest.Void, moduletest.I32Const(2), moduletest.Return),
		moduletest.I32Const(64), moduletest.I32Const(0x5ec7e7), moduletest.Store(0), moduletest.I32Const(0))).Bytes()
	for _, crawl := range []string{"one", "another"} {
		s := openSet(t, Options{CrawlID: crawl, CacheDir: cache, Instances: 1})
		if _, err := install(s, file); err != nil {
			t.Fatal(err)
		}
		for _, want := range []Kind{KindOK, KindPlugin} {
			if r := s.Score(t.Context(), &abi.ScoreRequest{})[0]; r.Kind != want {
				t.Errorf("crawl %s: %s, want %s", crawl, r.Kind, want)
			}
		}
	}
}

// In deterministic mode a loop ends by fuel, on the same instruction; where the
// wall clock has to end it the run is marked.
func TestDeterministicModeCountsFuel(t *testing.T) {
	inProcess(t)
	loop := moduletest.Plugin(moduletest.Module{}, moduletest.Code(moduletest.Forever(), moduletest.I32Const(0))).Bytes()
	s := openSet(t, Options{Deterministic: true, Limits: Limits{Score: Budget{time.Second, 20_000_000}}})
	if _, err := install(s, loop); err != nil {
		t.Fatal(err)
	}
	first := s.Score(t.Context(), &abi.ScoreRequest{})[0]
	again := s.Score(t.Context(), &abi.ScoreRequest{})[0]
	if first.Kind != KindFuel || again.Kind != KindFuel || first.Fuel != again.Fuel || s.Tainted() {
		t.Errorf("%s after %d units, %s after %d; tainted %v", first.Kind, first.Fuel, again.Kind, again.Fuel, s.Tainted())
	}
	s = openSet(t, Options{Deterministic: true, Limits: Limits{Score: Budget{time.Millisecond, 1 << 50}}})
	if _, err := install(s, loop); err != nil {
		t.Fatal(err)
	}
	if r := s.Score(t.Context(), &abi.ScoreRequest{})[0]; r.Kind != KindDeadline || !s.Tainted() {
		t.Errorf("%s; tainted %v", r.Kind, s.Tainted())
	}
}

// The caller's context ends a call, and the plugin is not blamed.
func TestCanceledCalls(t *testing.T) {
	inProcess(t)
	s := openSet(t, Options{Instances: 1, Limits: Limits{Score: Budget{5 * time.Second, 1 << 50}}})
	p, err := install(s, moduletest.Plugin(moduletest.Module{}, moduletest.Code(moduletest.Forever(), moduletest.I32Const(0))).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		r := s.Score(ctx, &abi.ScoreRequest{})[0]
		cancel()
		if r.Kind != KindCanceled || !errors.Is(r.Err, context.DeadlineExceeded) {
			t.Fatalf("%s: %v", r.Kind, r.Err)
		}
	}
	if _, u := p.report(); u.Errors != 0 || u.Kinds[KindCanceled] != 10 {
		t.Errorf("report: %+v", u)
	}
}

// A page that is larger than a request may be loses its last parts, and is not sent when that
// is not enough.
func TestLargePagesAreCut(t *testing.T) {
	s := openSet(t, Options{Limits: Limits{InputBytes: 1000}})
	page := &abi.ScoreRequest{Parts: []abi.Part{{Text: strings.Repeat("a", 400)}, {Text: strings.Repeat("b", 400)},
		{Text: strings.Repeat("c", 400)}}}
	var got abi.ScoreRequest
	if err := got.Decode(string(s.fitScore(page, abi.NeedAll))); err != nil {
		t.Fatal(err)
	}
	if len(got.Parts) != 2 || !got.Truncated {
		t.Errorf("%d parts, truncated %v", len(got.Parts), got.Truncated)
	}
	if _, err := install(s, moduletest.Plugin(moduletest.Module{}, moduletest.I32Const(0)).Bytes()); err != nil {
		t.Fatal(err)
	}
	for _, page := range []*abi.ScoreRequest{{URL: strings.Repeat("x", 1000)}, {Links: make([]abi.Link, abi.MaxElements+1)}} {
		if r := s.Score(t.Context(), page)[0]; r.Kind != KindInput {
			t.Errorf("%s: %v", r.Kind, r.Err)
		}
	}
}

// Compiling happens in another process: what it may not do there ends that process
// and is an error here.
func TestCompilingIsBounded(t *testing.T) {
	file := moduletest.Answering("scorer", nil)
	for name, l := range map[string]Limits{
		"takes more than":   {CompileBytes: 1 << 20},
		"takes longer than": {CompileTime: time.Microsecond},
	} {
		s := openSet(t, Options{Limits: l})
		if _, err := install(s, file); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("compiling that %s its limit: %v", name, err)
		}
	}
	s := openSet(t, Options{})
	if _, err := install(s, file); err != nil {
		t.Error(err)
	}
}

// A file that cannot be compiled within the limits is tried once each time that it is given, not twice.
func TestWhatCannotBeCompiledIsTriedOnce(t *testing.T) {
	tried := t.TempDir()
	t.Setenv(envCompiled, tried)
	s := openSet(t, Options{Limits: Limits{CompileBytes: 1 << 20}, CacheDir: filepath.Join(t.TempDir(), "cache")})
	for times := 1; times <= 2; times++ {
		if _, err := install(s, moduletest.Answering("scorer", nil)); err == nil {
			t.Fatal("compiled within a mebibyte")
		}
		if processes, err := os.ReadDir(tried); err != nil || len(processes) != times {
			t.Errorf("given %d times, compiled %d times: %v", times, len(processes), err)
		}
	}
}

// The folder of compiled code is executed: one that others can write to is refused, and
// what is damaged in it is compiled again.
func TestCacheOfCompiledCode(t *testing.T) {
	if RaceDetector {
		t.Skip("make plain runs it without the race detector")
	}
	dir := filepath.Join(t.TempDir(), "cache")
	file := moduletest.Answering("scorer", moduletest.Field(1, float32(0.5)))
	use := func() {
		t.Helper()
		s := openSet(t, Options{CacheDir: dir})
		if _, err := install(s, file); err != nil {
			t.Fatal(err)
		}
		if r := s.Score(t.Context(), &abi.ScoreRequest{})[0]; r.Kind != KindOK || r.Response.Doc != 0.5 {
			t.Fatalf("%s: %v", r.Kind, r.Err)
		}
	}
	cached := func() (files []string) {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	use()
	files := cached()
	if len(files) == 0 {
		t.Skip("this platform has no compiler")
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for at := range 20 {
		bad := slices.Clone(good)
		bad[at*(len(bad)-1)/19] ^= 0x40
		if err := os.WriteFile(files[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		use()
	}
	if err := os.WriteFile(files[0], good[:len(good)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	use()

	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), nil, Options{CacheDir: dir}); err == nil {
		_ = s.Close()
		t.Error("a folder that all can write to is used")
	}
}
