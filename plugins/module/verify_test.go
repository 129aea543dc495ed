package module

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	mt "github.com/awarc/awarc/plugins/module/moduletest"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

func TestAModuleSaysWhatTheHostNeeds(t *testing.T) {
	m := verified(t, mt.Plugin(mt.Module{
		Imports: []mt.Import{{Module: "wasi_snapshot_preview1", Name: "fd_write", Sig: "iiii>i"},
			{Module: "wasi_snapshot_preview1", Name: "fd_write", Sig: "iiii>i"},
			{Module: "wasi_snapshot_preview1", Name: "path_open", Sig: "iiiiiIIii>i"}},
		Funcs: []mt.Func{{Sig: ">", Export: "_initialize"}, {Sig: ">i", Export: "awarc_configure", Code: mt.I32Const(0)},
			{Sig: ">i", Export: "awarc_extract", Code: mt.I32Const(0)}},
		Memory:   []int{2, 1000},
		Manifest: strings.Replace(mt.Manifest, `["scorer"]`, `["scorer","extractor"],"memory_mb":8,"wasi_fs_stubs":true`, 1),
	}, mt.I32Const(0)).Bytes())
	if len(m.Imports) != 9 || m.Imports[7].Name != "fd_write" || m.Imports[7].Stub || !m.Imports[8].Stub {
		t.Errorf("imports are %v", m.Imports)
	}
	if m.MemoryMin != 2 || m.MemoryMax != 128 || !m.Initialize || !m.Configure || !m.HasKind(Scorer) || !m.HasKind(Extractor) {
		t.Errorf("got %+v", m)
	}
	if plain := verified(t, mt.Plugin(mt.Module{}, mt.I32Const(0)).Bytes()); plain.MemoryMax != 1024 || plain.Initialize ||
		plain.Configure || plain.HasKind(Extractor) {
		t.Errorf("got %+v", plain)
	}
}

// The signatures of WASI are those of the engine's own implementation.
func TestSignaturesOfWASI(t *testing.T) {
	ctx := context.Background()
	compiled, err := wasi_snapshot_preview1.NewBuilder(engine(t)).Compile(ctx)
	if err != nil {
		t.Fatal(err)
	}
	theirs := compiled.ExportedFunctions()
	for name, def := range theirs {
		want, allowed := imports[wasiModule][name]
		stub, stubbed := stubs[name]
		if allowed == stubbed {
			t.Errorf("%s is in both tables or in none", name)
		}
		if got := signature(def.ParamTypes(), def.ResultTypes()); got != want+stub {
			t.Errorf("%s is %s, want %s", name, want+stub, got)
		}
	}
	if ours := len(imports[wasiModule]) + len(stubs); ours != len(theirs) {
		t.Errorf("%d functions of WASI, the engine has %d", ours, len(theirs))
	}
}

// Every limit lets through what is at it and stops what is one over it.
func TestLimitsAreInclusive(t *testing.T) {
	i32s := func(n int) string { return strings.Repeat("i", n) }
	drops := func(n int) []byte { return slices.Repeat([]byte{mt.Drop}, n) }
	nops := slices.Repeat([]byte{0x01}, 500)
	plugin := func(m mt.Module, code ...any) []byte {
		return mt.Plugin(m, mt.Code(append(code, mt.I32Const(0))...)).Bytes()
	}
	of := func(n int, item mt.Func) []mt.Func { return slices.Repeat([]mt.Func{item}, n) }
	for field, file := range map[string][]byte{
		"FileBytes":     plugin(mt.Module{}),
		"FunctionBytes": plugin(mt.Module{}, nops),
		"Functions":     plugin(mt.Module{Funcs: of(20, mt.Func{Sig: ">"})}),
		"Imports":       plugin(mt.Module{Imports: mt.ABI}),
		"Exports":       plugin(mt.Module{Exports: [][]byte{mt.Export("a", 2, 0), mt.Export("b", 2, 0)}}),
		"Types":         plugin(mt.Module{More: slices.Repeat([]mt.Sig{mt.Sig(i32s(20) + ">i")}, 30)}),
		"Params":        plugin(mt.Module{Funcs: of(1, mt.Func{Sig: mt.Sig(i32s(20) + ">")})}),
		"Results":       plugin(mt.Module{More: []mt.Sig{mt.Sig(">" + i32s(20))}}),
		"Globals":       plugin(mt.Module{Globals: slices.Repeat([]mt.Global{{Type: mt.I32, Init: mt.I32Const(0)}}, 5)}),
		"DataSegments":  plugin(mt.Module{Passive: slices.Repeat([][]byte{{1}}, 5)}),
		"Elements": mt.Replace(plugin(mt.Module{Table: 1, Elem: []int{0}}), mt.SecElement,
			mt.Vec(slices.Repeat([][]byte{{1, 0, 0}}, 5)...)),
		"Nesting":       plugin(mt.Module{}, slices.Repeat([]byte{0x02, mt.Void}, 20), slices.Repeat([]byte{mt.End}, 20)),
		"Locals":        plugin(mt.Module{Funcs: of(1, mt.Func{Sig: "iiiiiiii>", Locals: i32s(20)})}),
		"Operands":      plugin(mt.Module{}, slices.Repeat(mt.I32Const(0), 20), drops(20)),
		"BranchTargets": plugin(mt.Module{}, mt.Block(mt.Void, mt.I32Const(0), mt.BrTable(make([]int, 21)...))),
		"Blocks":        plugin(mt.Module{}, slices.Repeat(mt.Loop(mt.Void), 5)),
		"Compilation":   plugin(mt.Module{}, slices.Repeat(mt.Block(mt.Void), 1000)),
		"TableEntries":  plugin(mt.Module{Table: 20}),
		"MemoryPages":   plugin(mt.Module{Memory: []int{20}}),
		"ManifestBytes": plugin(mt.Module{}),
	} {
		// Find the least value at which the file is accepted.
		l := DefaultLimits()
		v := reflect.ValueOf(&l).Elem().FieldByName(field)
		low, high := 0, int(v.Int())
		for low < high {
			mid := (low + high) / 2
			v.SetInt(int64(mid))
			if _, err := Verify(file, l); err == nil {
				high = mid
			} else {
				low = mid + 1
			}
		}
		want := map[string]int{"FileBytes": len(file), "Functions": 29, "Imports": 14, "Exports": 5, "Types": 30*22 + 22, "Params": 20,
			"Results": 20, "Globals": 5, "DataSegments": 5, "Elements": 5,
			"Nesting": 20, "Locals": 20, "Operands": 20, "BranchTargets": 20, "Blocks": 20, "TableEntries": 20, "MemoryPages": 20,
			"ManifestBytes": len(mt.Manifest),
			"FunctionBytes": 500 + 9 + 3}[field]
		if want == 0 { // not counted by hand: that a limit exists is enough
			if low == 0 {
				t.Errorf("nothing needs %s", field)
			}
		} else if low != want {
			t.Errorf("%s: accepted from %d on, want %d", field, low, want)
		}
	}
	for _, wrong := range []int64{-1, 1 << 40} {
		l := DefaultLimits()
		for i := range reflect.ValueOf(l).NumField() {
			l := l
			reflect.ValueOf(&l).Elem().Field(i).SetInt(wrong)
			if _, err := Verify(nil, l); err == nil || !strings.Contains(err.Error(), "the limit "+reflect.TypeOf(l).Field(i).Name) {
				t.Errorf("a limit of %d: %v", wrong, err)
			}
		}
	}
}

// A small file cannot make the verifier allocate much.
func TestVerificationIsBoundedByTheFile(t *testing.T) {
	for _, h := range mt.AtLoad() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Verify(h.File, DefaultLimits())
		runtime.ReadMemStats(&after)
		if used, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+24*len(h.File)); used > most {
			t.Errorf("%s: %d bytes allocated for a file of %d", h.Name, used, len(h.File))
		}
	}
}
