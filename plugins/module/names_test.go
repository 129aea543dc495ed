package module

import (
	"bytes"
	"context"
	"slices"
	"testing"

	mt "github.com/awarc/awarc/plugins/module/moduletest"
)

// naming is a name section with the names of functions and of one local.
func naming(names map[int]string) []byte {
	var functions [][]byte
	for i := range 100 {
		if n, ok := names[i]; ok {
			functions = append(functions, append(mt.U(uint64(i)), mt.Str(n)...))
		}
	}
	sub := func(id byte, content []byte) []byte {
		return slices.Concat([]byte{id}, mt.U(uint64(len(content))), content)
	}
	locals := mt.Vec(slices.Concat(mt.U(7), mt.Vec(slices.Concat(mt.U(0), mt.Str("counter")))))
	return slices.Concat(sub(0, mt.Str("birds")), sub(1, mt.Vec(functions...)), sub(2, locals), sub(3, []byte{1, 2, 3}))
}

func TestStackTracesNameTheFunctionsOfTheOriginal(t *testing.T) {
	r := engine(t)
	m := mt.Module{Funcs: []mt.Func{{Sig: ">", Code: []byte{mt.Unreachable}}}}
	m.Name = naming(map[int]string{0: "input_len", 7: "score", 9: "culprit"})
	wasm := metered(t, verified(t, mt.Plugin(m, mt.Code(mt.Call(mt.First(mt.Module{})), mt.I32Const(0))).Bytes()))
	compiled, err := r.CompileModule(context.Background(), wasm)
	if err != nil {
		t.Fatal(err)
	}
	if compiled.Name() != "birds" {
		t.Errorf("the module is called %q", compiled.Name())
	}
	if got := compiled.ExportedFunctions()["awarc_score"]; got.Name() != "score" || got.Index() != 8 {
		t.Errorf("awarc_score is %q, number %d", got.Name(), got.Index())
	}
	for _, f := range compiled.ImportedFunctions() {
		if _, name, _ := f.Import(); name == "refuel" && f.Name() != "awarc.refuel" {
			t.Errorf("refuel is called %q", f.Name())
		}
	}
	h := newHost(t)
	_, err = run(h, wasm)
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte("culprit")) {
		t.Errorf("the stack trace does not name the culprit: %v", err)
	}
	if !bytes.Contains(wasm, append(mt.U(8), mt.Vec(slices.Concat(mt.U(0), mt.Str("counter")))...)) {
		t.Error("the name of a local is lost")
	}
}

func run(h *host, wasm []byte) ([]uint64, error) {
	ctx := context.WithValue(context.Background(), callKey{}, &call{budget: 1 << 40})
	m, err := h.Instantiate(ctx, wasm)
	if err != nil {
		return nil, err
	}
	defer m.Close(ctx)
	return m.ExportedFunction("awarc_score").Call(ctx)
}

// A name section says nothing about what a module does: a broken one is dropped.
func TestBrokenNamesAreDropped(t *testing.T) {
	r := engine(t)
	good := naming(map[int]string{7: "score"})
	for name, broken := range map[string][]byte{
		"cut":              good[:len(good)-2],
		"count of 2^32-1":  slices.Concat([]byte{1, 5}, mt.U(1<<32-1)),
		"locals of 2^32-1": slices.Concat([]byte{2, 7, 1, 7}, mt.U(1<<32-1)),
		"unknown function": slices.Concat([]byte{1, 4, 1, 99}, mt.Str("x")),
		"not UTF-8":        slices.Concat([]byte{1, 4, 1, 7}, mt.Str("\xff")),
		"twice":            append(slices.Clone(good), good...),
		"garbage":          []byte("garbage"),
	} {
		m := verified(t, mt.Plugin(mt.Module{Name: broken}, mt.I32Const(0)).Bytes())
		wasm := metered(t, m)
		if err := compiles(r, wasm); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.Contains(wasm, []byte("\x04name")) {
			t.Errorf("%s: the names are still there", name)
		}
	}
}
