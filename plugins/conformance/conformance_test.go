package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	mt "github.com/awarc/awarc/plugins/module/moduletest"
)

// outcomes runs a test and returns the numbers of the checks that ended so.
func outcomes(t *testing.T, r *Report, s Status) (numbers []int) {
	t.Helper()
	if len(r.Checks) != 23 {
		t.Fatalf("%d checks, want 23", len(r.Checks))
	}
	for i, c := range r.Checks {
		if c.Number != i+1 || c.Name == "" {
			t.Errorf("check %d is %+v", i, c)
		}
		if c.Status == s {
			numbers = append(numbers, c.Number)
		}
	}
	return numbers
}

func TestTheExampleInCConforms(t *testing.T) {
	r, err := Run(t.Context(), "../testdata/examples/c-keywords.wasm",
		Options{Calls: 400, Vectors: []string{"../examples/testdata/vectors.json"}, CacheDir: filepath.Join(t.TempDir(), "cache")})
	if err != nil {
		t.Fatal(err)
	}
	if passed := outcomes(t, r, Pass); !r.OK || len(passed) != 23 {
		t.Errorf("passed %v: %+v", passed, r.Checks)
	}
	if len(r.Costs) != 3 || r.Costs[0].Units <= 0 || r.Costs[2].Units < 5*r.Costs[1].Units || r.Costs[1].P50 <= 0 || r.Costs[0].Memory ==
		0 {
		t.Errorf("costs: %+v", r.Costs)
	}
}

// Plugins that break one rule each, and the checks that say so.
func TestWhatChecksFind(t *testing.T) {
	const promises = `,"stateless":true,"deterministic":true}`
	promising := strings.Replace(mt.Manifest, "}", promises, 1)
	half := mt.Data{Bytes: []byte("\x0d\x00\x00\x00\x3f")} // doc: 0.5
	write := mt.Code(mt.I32Const(0), mt.I32Const(5), mt.Call(mt.OutputWrite))
	plugin := func(manifest string, code ...any) []byte {
		return mt.Plugin(mt.Module{Manifest: manifest, Data: []mt.Data{half}}, mt.Code(append(code, write)...)).Bytes()
	}
	toggle := mt.Code(mt.I32Const(0), mt.I32Const(0), 0x28, 0, 1, mt.I32Const(0x01800000), 0x73, 0x36, 0, 1) // 0.5, 0.25, 0.5 ...
	count := mt.Loop(mt.Void, mt.LocalGet(0), mt.I32Const(1), 0x6b, mt.LocalTee(0), mt.BrIf(0))              // local 0 down to 0
	starts := mt.Code(mt.I32Const(0), mt.Load(64), 0x45,
		mt.If(mt.Void, mt.I32Const(30_000), mt.LocalSet(0), count, mt.I32Const(0), mt.I32Const(1), mt.Store(64)),
		mt.Call(mt.InputLen), mt.I32Const(1), 0x6a, mt.LocalSet(0), count)
	vectors := filepath.Join(t.TempDir(), "vectors.json")
	if err := os.WriteFile(vectors, []byte(`{"topic":{},"pages":[{"name":"x","score":{},"want":{"doc":[0.6,1]}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file       []byte
		fail, warn []int
	}{
		"no module":   {[]byte("hello"), []int{1}, nil},
		"no manifest": {bytes.Replace(plugin(""), []byte("awarc.plugin"), []byte("awarc_plugin"), 1), []int{2}, nil},
		"no marker":   {bytes.Replace(plugin(""), []byte("awarc_abi_1"), []byte("awarc_abi_9"), 1), []int{3}, nil},
		"a foreign import": {mt.Plugin(mt.Module{Imports: []mt.Import{{Module: "env", Name: "exec", Sig: ">"}}}, mt.I32Const(0)).Bytes(),
			[]int{4}, nil},
		"an unknown key":    {plugin(strings.Replace(promising, "}", `,"colour":"red"}`, 1)), []int{20}, []int{2, 17}},
		"a trap":            {plugin("", mt.Unreachable), []int{5}, nil},
		"a score of 2":      {mt.Plugin(mt.Module{Data: []mt.Data{{Bytes: []byte("\x0d\x00\x00\x00\x40")}}}, write).Bytes(), []int{5}, nil},
		"state, a promise":  {plugin(promising, toggle), []int{11, 14, 18, 19, 20}, nil},
		"state, no promise": {plugin("", toggle), []int{11, 20}, []int{14, 18, 19}},
		"a runtime that starts in the first call": {plugin(strings.Replace(mt.Manifest, "}", `,"needs":["text"]}`, 1), starts), []int{20},
			[]int{17}},
		"a leak": {plugin("", mt.I32Const(1), mt.MemoryGrow, mt.Drop), []int{15, 17, 20}, nil},
		"a flood of log": {plugin("", bytes.Repeat(mt.Code(mt.I32Const(1), mt.I32Const(0), mt.I32Const(1), mt.Call(mt.Log)), 60)),
			[]int{20}, []int{17, 21}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "p.wasm")
			if err := os.WriteFile(file, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			o := Options{Calls: 400, Vectors: []string{vectors}}
			r, err := Run(t.Context(), file, o)
			if err != nil {
				t.Fatal(err)
			}
			if fail, warn := outcomes(t, r, Fail),
				outcomes(t, r, Warn); r.OK || !slices.Equal(fail, c.fail) || !slices.Equal(warn, c.warn) {
				t.Errorf("failed %v, want %v; warned %v, want %v\n%s", fail, c.fail, warn, c.warn, fmt.Sprintf("%+v", r.Checks))
			}
		})
	}
}

// What is a warning is a failure where that is asked for.
func TestStrict(t *testing.T) {
	if s, _ := outcome(warning("w"), true); s != Fail {
		t.Error(s)
	}
	if s, _ := outcome(skipped("s"), true); s != Skip {
		t.Error(s)
	}
}

// A garbage collector lets the memory grow once; a leak goes on.
func TestLeaking(t *testing.T) {
	for most, want := range map[[4]uint64]bool{
		{7168, 7168, 7936, 7936}: false,
		{7168, 7936, 7936, 7936}: false,
		{7168, 7424, 7680, 7936}: true,
		{1024, 4096, 4096, 4096}: true,
		{1024, 1024, 1024, 1025}: false,
		{4096, 4096, 2048, 2048}: false,
	} {
		if got := leaking(most); got != want {
			t.Errorf("%v: %v, want %v", most, got, want)
		}
	}
}
