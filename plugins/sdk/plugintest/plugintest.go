// Package plugintest tests plugins written in Go: their handlers natively, as the
// rest of a Go program, and the built module in the sandbox that crawls use.
//
// Natively, what init registered is called in this process:
//
//	func TestScorer(t *testing.T) {
//		plugintest.Configure(t, plugintest.Topic("storm", "tropical storm"))
//		r := plugintest.Score(t, &score.Page{Title: "Storm warning"})
//		if r.Doc < 0.3 { ... }
//	}
//
// In the sandbox, the same page goes through encoding, limits and validation:
//
//	set := plugintest.Wasm(t, plugintest.Build(t, "."), plugins.Options{})
//	result := set.Score(t.Context(), &score.Page{Title: "Storm warning"})[0]
package plugintest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
	"github.com/awarc/awarc/plugins/sdk"
	"github.com/awarc/awarc/plugins/sdk/extract"
	"github.com/awarc/awarc/plugins/sdk/score"
)

// Topic is a configuration with the terms, of weight 1 each.
func Topic(terms ...string) *abi.ConfigureRequest {
	c := new(abi.ConfigureRequest)
	for _, term := range terms {
		c.Topic.Terms = append(c.Topic.Terms, abi.Term{Text: term, Weight: 1})
	}
	return c
}

// Configure calls what OnConfigure registered.
func Configure(t testing.TB, c *abi.ConfigureRequest) {
	t.Helper()
	if call := sdk.NativeConfigure(c.Append(nil)); call.Status != sdk.StatusOK {
		t.Fatalf("configure: status %d: %s", call.Status, call.Message)
	}
}

// Score calls the scorer of this process and checks its answer as the host does,
// with every capability. It returns nil for no opinion.
func Score(t testing.TB, p *score.Page) *abi.ScoreResponse {
	t.Helper()
	call := score.Native(p.Append(nil, abi.NeedAll))
	if !answered(t, call) {
		return nil
	}
	r := new(abi.ScoreResponse)
	if err := r.Decode(string(call.Output), len(p.Links)); err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(p, abi.NeedAll, abi.BlacklistURL|abi.BlacklistHost); err != nil {
		t.Fatal(err)
	}
	return r
}

// Extract calls the extractor of this process and checks its answer as the host
// does. It returns nil for no opinion.
func Extract(t testing.TB, p *extract.Page) *abi.ExtractResponse {
	t.Helper()
	call := extract.Native(p.Append(nil, abi.NeedAll))
	if !answered(t, call) {
		return nil
	}
	r := new(abi.ExtractResponse)
	if err := r.Decode(string(call.Output)); err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(p, abi.NeedAll); err != nil {
		t.Fatal(err)
	}
	return r
}

// answered tells an answer from no opinion, and fails on anything else.
func answered(t testing.TB, call sdk.Call) bool {
	t.Helper()
	for _, line := range call.Logs {
		t.Log(line)
	}
	switch call.Status {
	case sdk.StatusOK:
		return true
	case sdk.StatusNoOpinion:
		return false
	}
	t.Fatalf("status %d: %s", call.Status, call.Message)
	return false
}

// Build builds the Go plugin in dir with the toolchain that runs the test, packs the
// plugin.json beside it, and returns the file.
func Build(t testing.TB, dir string) string {
	t.Helper()
	raw := filepath.Join(t.TempDir(), "raw.wasm")
	c := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", raw, ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", dir, err, out)
	}
	wasm, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := module.Pack(wasm, manifest)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(raw), filepath.Base(dir)+".wasm")
	if err := os.WriteFile(file, packed, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Wasm opens a module in the sandbox for the length of the test, where files are not
// watched and, because machines that test are slow, deadlines are the longest
// allowed unless o says otherwise.
func Wasm(t testing.TB, file string, o plugins.Options) *plugins.Set {
	t.Helper()
	if o.Poll == 0 {
		o.Poll = -1
	}
	longest := func(b *plugins.Budget, d time.Duration) {
		if b.Time == 0 {
			b.Time = d
		}
	}
	longest(&o.Limits.Setup, 10*time.Second)
	longest(&o.Limits.Score, 5*time.Second)
	longest(&o.Limits.Extract, 30*time.Second)
	if o.Limits.CompileTime == 0 {
		o.Limits.CompileTime = 5 * time.Minute
	}
	set, err := plugins.Open(t.Context(), []string{file}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	return set
}
