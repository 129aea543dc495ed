package module

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	mt "github.com/awarc/awarc/plugins/module/moduletest"
	"github.com/tetratelabs/wazero"
)

// engine is one that only compiles, and quickly.
func engine(t testing.TB) wazero.Runtime {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { r.Close(ctx) })
	return r
}

func compiles(r wazero.Runtime, wasm []byte) error {
	ctx := context.Background()
	c, err := r.CompileModule(ctx, wasm)
	if err == nil {
		c.Close(ctx)
	}
	return err
}

// agree verifies a file and holds the answer against the engine's: what is
// accepted compiles, before and after metering, and so do the metered modules of
// modules that the engine accepts.
func agree(t testing.TB, r wazero.Runtime, file []byte) (accepted bool) {
	m, err := Verify(file, DefaultLimits())
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.What == "" || e.Do == "" || e.Offset > len(file) {
			t.Fatalf("the error does not say what, where and what to do: %#v", err)
		}
		return false
	}
	if err := compiles(r, file); err != nil && !strings.Contains(err.Error(), "section custom") {
		t.Fatalf("accepted, but does not compile: %v", err)
	}
	if err := compiles(r, metered(t, m)); err != nil {
		t.Fatalf("the metered module does not compile: %v", err)
	}
	return true
}

// notTooStrict asks wabt, where it is installed, about a module that was refused as
// invalid. The engine cannot say of those: it compiles a select of a type with
// operands of another, panics on some modules and runs out of memory on others.
func notTooStrict(t testing.TB, file []byte) {
	_, refusal := Verify(file, DefaultLimits())
	validate, err := exec.LookPath("wasm-validate")
	if err != nil || refusal.(*Error).Rule != Invalid {
		return
	}
	name := filepath.Join(t.TempDir(), "module.wasm")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if exec.Command(validate, name).Run() == nil {
		t.Fatalf("refused, but wabt finds it valid: %v", refusal)
	}
}

// mutate changes a few bytes of a section of the file, keeping its length.
func mutate(r *rand.Rand, file []byte) []byte {
	file = bytes.Clone(file)
	for range 1 + r.IntN(3) {
		at := len(mt.Header) + r.IntN(len(file)-len(mt.Header))
		switch r.IntN(4) {
		case 0:
			file[at] = byte(r.Uint32())
		case 1:
			file[at] ^= 1 << r.IntN(8)
		case 2:
			file[at]++
		case 3:
			file[at] = file[len(mt.Header)+r.IntN(len(file)-len(mt.Header))]
		}
	}
	return file
}

func TestMutatedModulesAreVerifiedAsTheEngineDoes(t *testing.T) {
	r := engine(t)
	guests := [][]byte{packed(t, "guest.wasm"), packed(t, "guest_simd.wasm")}
	for seed := range uint64(10) {
		guests = append(guests, generate(seed))
	}
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	const tries = 3000
	for i := range tries {
		file := mutate(random, guests[i%len(guests)])
		if agree(t, r, file) {
			accepted++
		} else if i%10 == 0 {
			notTooStrict(t, file)
		}
	}
	t.Logf("%d of %d mutations were accepted", accepted, tries)
	if accepted < tries/10 {
		t.Errorf("only %d mutations were accepted", accepted)
	}
}

// FuzzVerify verifies any bytes, alone and as the code of a plugin.
func FuzzVerify(f *testing.F) {
	for _, h := range mt.AtLoad() {
		if len(h.File) < 1<<12 {
			f.Add(h.File)
		}
	}
	for seed := range uint64(5) {
		f.Add(generate(seed))
	}
	f.Add(packed(f, "guest.wasm"))
	r := engine(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		agree(t, r, data)
		agree(t, r, mt.Plugin(mt.Module{Table: 3, Globals: []mt.Global{{Type: mt.I32, Init: mt.I32Const(0)}}}, data).Bytes())
	})
}
