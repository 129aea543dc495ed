package module

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/module/moduletest"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// host runs plugins as plainly as possible: the imports of ABI 1 without quotas.
type host struct {
	wazero.Runtime
}

// call is one run of a plugin.
type call struct {
	input, output []byte
	budget, given int64 // fuel
}

const slice = 10_000 // units that refuel gives at once

var (
	errFuel  = errors.New("out of fuel")
	errAbort = errors.New("abort")
)

type callKey struct{}

func newHost(t testing.TB) *host { return newHostOf(t, wazero.NewRuntimeConfig()) }

func newHostOf(t testing.TB, c wazero.RuntimeConfig) *host {
	ctx := context.Background()
	h := &host{wazero.NewRuntimeWithConfig(ctx, c.WithMemoryLimitPages(uint32(DefaultLimits().MemoryPages)))}
	t.Cleanup(func() { h.Close(ctx) })
	b := h.NewHostModuleBuilder("awarc")
	def := func(name string, params, results string, f func(c *call, m api.Module, stack []uint64)) {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
			f(ctx.Value(callKey{}).(*call), m, stack)
		}), moduletest.Types(params), moduletest.Types(results)).Export(name)
	}
	at := func(m api.Module, ptr, n uint64) []byte {
		b, ok := m.Memory().Read(uint32(ptr), uint32(n))
		if !ok {
			panic(errors.New("a range past the memory"))
		}
		return b
	}
	def("input_len", "", "i", func(c *call, _ api.Module, s []uint64) { s[0] = uint64(len(c.input)) })
	def("input_read", "iii", "i", func(c *call, m api.Module, s []uint64) {
		if uint32(s[0]) > uint32(len(c.input)) {
			s[0] = 0
			return
		}
		in := c.input[uint32(s[0]):]
		s[0] = uint64(copy(at(m, s[1], min(uint64(uint32(s[2])), uint64(len(in)))), in))
	})
	def("output_write", "ii", "i", func(c *call, m api.Module, s []uint64) {
		if c.output = append(c.output, at(m, s[0], s[1])...); len(c.output) > 1<<20 {
			panic(errors.New("too much output"))
		}
		s[0] = 0
	})
	def("output_reset", "", "", func(c *call, _ api.Module, _ []uint64) { c.output = nil })
	def("error_set", "ii", "", func(_ *call, m api.Module, s []uint64) { at(m, s[0], s[1]) })
	def("log", "iii", "", func(_ *call, m api.Module, s []uint64) { at(m, s[1], s[2]) })
	def("log_enabled", "i", "i", func(_ *call, _ api.Module, s []uint64) { s[0] = 0 })
	def("refuel", "", "I", func(c *call, _ api.Module, s []uint64) {
		if c.given >= c.budget {
			panic(errFuel)
		}
		c.given += slice
		s[0] = slice
	})
	e := h.NewHostModuleBuilder("env").NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module,
		[]uint64) {
		panic(errAbort)
	}), moduletest.Types("iiii"), nil).Export("abort")
	for _, build := range []wazero.HostModuleBuilder{b, e} {
		if _, err := build.Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	wasi_snapshot_preview1.MustInstantiate(ctx, h)
	return h
}

// outcome is what can be told of a run from outside.
type outcome struct {
	status  uint32
	failure string // of instantiation or call, without stack trace
	output  string
	memory  [32]byte
}

// run compiles a binary, instantiates it and calls one function.
func (h *host) run(t testing.TB, wasm []byte, function string, input []byte, budget int64) (o outcome, used, counted int64) {
	t.Helper()
	compiled := h.compile(t, wasm)
	defer compiled.Close(context.Background())
	return h.call(t, compiled, function, input, budget)
}

func (h *host) compile(t testing.TB, wasm []byte) wazero.CompiledModule {
	t.Helper()
	compiled, err := h.CompileModule(context.Background(), wasm)
	if err != nil {
		t.Fatalf("the engine does not compile it: %v", err)
	}
	return compiled
}

// call instantiates a module and calls one function. used is the fuel of a metered
// one, counted the value of the exported global named counter of one that has that.
func (h *host) call(t testing.TB, compiled wazero.CompiledModule, function string, input []byte, budget int64) (o outcome, used,
	counted int64) {
	ctx := context.Background()
	c := &call{input: input, budget: budget}
	ctx = context.WithValue(ctx, callKey{}, c)
	m, err := h.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		o.failure = failure(err)
		return o, c.given, 0
	}
	defer m.Close(ctx)
	results, err := m.ExportedFunction(function).Call(ctx)
	if err != nil {
		o.failure = failure(err)
	} else {
		o.status = uint32(results[0])
	}
	o.output = string(c.output)
	b, _ := m.Memory().Read(0, m.Memory().Size())
	o.memory = sha256.Sum256(b)
	if g := m.ExportedGlobal(FuelGlobal); g != nil {
		used = c.given - int64(g.Get())
	}
	if g := m.ExportedGlobal("counter"); g != nil {
		counted = int64(g.Get())
	}
	return o, used, counted
}

func failure(err error) string {
	if errors.Is(err, errFuel) {
		return errFuel.Error()
	}
	s, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(s, "module[] function[_initialize] failed: ")
}

// verified fails the test where the file is refused.
func verified(t testing.TB, file []byte) *Module {
	t.Helper()
	m, err := Verify(file, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func metered(t testing.TB, m *Module) []byte {
	t.Helper()
	wasm, err := m.Meter()
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// packed reads a guest of testdata and packs it.
func packed(t testing.TB, name string) []byte {
	t.Helper()
	wasm, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := Pack(wasm, []byte(moduletest.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// same fails the test where the metered module does something else than the
// original, or pays less than a count of every single instruction. It returns what
// was paid and counted for each input.
func (h *host) same(t testing.TB, m *Module, function string, inputs ...[]byte) (used, counted []int64) {
	t.Helper()
	const budget = 1 << 40
	var compiled []wazero.CompiledModule
	for _, wasm := range [][]byte{m.file, countInstructions(t, m), metered(t, m)} {
		c := h.compile(t, wasm)
		defer c.Close(context.Background())
		compiled = append(compiled, c)
	}
	for _, input := range inputs {
		plain, _, _ := h.call(t, compiled[0], function, input, budget)
		slow, _, count := h.call(t, compiled[1], function, input, budget)
		fast, paid, _ := h.call(t, compiled[2], function, input, budget)
		if fast != plain || slow != plain {
			t.Fatalf("metered %v, plain %v, counted %v", fast, plain, slow)
		}
		if paid < count {
			t.Fatalf("paid %d units for %d", paid, count)
		}
		used, counted = append(used, paid), append(counted, count)
	}
	return used, counted
}

func (o outcome) String() string {
	return fmt.Sprintf("status %d, failure %q, %d bytes of output, memory %x", o.status, o.failure, len(o.output), o.memory[:4])
}
