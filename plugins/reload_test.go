package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module/moduletest"
)

// answering is a version of a plugin that gives every page the score.
func answering(score float32) []byte {
	return moduletest.Answering("scorer", moduletest.Field(1, score))
}

// replace puts a file in the place of another at once, as a careful user does.
func replace(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

// watched opens one plugin that is reloaded by hand, and tells what it answers.
func watched(t *testing.T, o Options, content []byte) (s *Set, file string, doc func() float32) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "plugin.wasm")
	replace(t, file, content)
	if o.Poll == 0 {
		o.Poll = -1
	}
	s, err := Open(t.Context(), []string{file}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, file, func() float32 {
		t.Helper()
		r := s.Score(t.Context(), &abi.ScoreRequest{})[0]
		if r.Kind != KindOK {
			t.Fatal(r.Err)
		}
		return r.Response.Doc
	}
}

func TestReload(t *testing.T) {
	inProcess(t)
	var refused []string
	s, file, doc := watched(t, Options{Events: Events{Refused: func(_ string, err error) { refused = append(refused, err.Error()) }}},
		answering(0.25))
	first := s.Plugins()[0].Hash
	if doc() != 0.25 {
		t.Error("first version does not answer")
	}
	replace(t, file, answering(0.75))
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if doc() != 0.75 || s.Plugins()[0].Hash == first {
		t.Error("the second version is not in use")
	}

	// What is refused changes nothing, and is told of once.
	hostile := func(code ...any) []byte {
		return moduletest.Plugin(moduletest.Module{}, moduletest.Code(code...)).Bytes()
	}
	other := moduletest.Plugin(moduletest.Module{Manifest: strings.Replace(moduletest.Manifest, "org.example.test", "org.example.other",
		1)}, moduletest.I32Const(0)).Bytes()
	for what, bad := range map[string][]byte{
		"not a module":             []byte("hello"),
		"cut off":                  answering(0.5)[:60],
		"fails the smoke test":     hostile(moduletest.Unreachable),
		"answers what is no score": moduletest.Answering("scorer", moduletest.Field(1, float32(2))),
		"is another plugin":        other,
	} {
		refused = nil
		replace(t, file, bad)
		if err := s.Reload(t.Context()); err == nil {
			t.Errorf("a file that %s is accepted", what)
		}
		if err := s.Reload(t.Context()); err != nil {
			t.Errorf("a file that %s is tried again: %v", what, err)
		}
		if doc() != 0.75 || len(refused) != 1 {
			t.Errorf("after a file that %s: doc %v, refused %q", what, doc(), refused)
		}
	}
	// So is a copy that ends early, each time that it replaces the version in use.
	refused = nil
	for range 2 {
		replace(t, file, answering(0.5)[:60])
		_ = s.Reload(t.Context()) // refused
		replace(t, file, answering(0.75))
		if err := s.Reload(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if len(refused) != 2 || !strings.Contains(refused[0], "damaged or cut") {
		t.Errorf("two copies that end early: %q", refused)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(t.Context()); err == nil || doc() != 0.75 {
		t.Errorf("without the file: %v", err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "expected a regular file") || doc() != 0.75 {
		t.Errorf("with a folder in its place: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	replace(t, file, answering(0.25))
	if err := s.Reload(t.Context()); err != nil || doc() != 0.25 {
		t.Errorf("back to the first version: %v", err)
	}
	if u := s.Report()["org.example.test"]; u.Loads != 3 || u.Errors != 0 {
		t.Errorf("report: %+v", u)
	}
}

// The set looks at its files by itself.
func TestFilesAreWatched(t *testing.T) {
	inProcess(t)
	loaded := make(chan Identity, 4)
	_, file, doc := watched(t, Options{Poll: 5 * time.Millisecond, Events: Events{Loaded: func(id Identity) { loaded <- id }}},
		answering(0.25))
	<-loaded
	replace(t, file, answering(0.75))
	<-loaded
	if doc() != 0.75 {
		t.Error("the new version is not in use")
	}
}

// While versions come and go no page is lost, and each is answered by the version
// that its result names.
func TestReloadStorm(t *testing.T) {
	inProcess(t)
	s, file, _ := watched(t, Options{Instances: 2}, answering(0.25))
	scores := map[string]float32{s.Plugins()[0].Hash: 0.25}
	stop := make(chan struct{})
	var workers sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]float32{}
	for range 3 {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r := s.Score(t.Context(), &abi.ScoreRequest{})[0]
				if r.Kind != KindOK {
					t.Errorf("a page was lost: %v", r.Err)
					return
				}
				mu.Lock()
				if before, ok := seen[r.Plugin.Hash]; ok && before != r.Response.Doc {
					t.Errorf("version %s answers %v and %v", r.Plugin, before, r.Response.Doc)
				}
				seen[r.Plugin.Hash] = r.Response.Doc
				mu.Unlock()
			}
		})
	}
	for i := range 20 {
		score := float32(i) / 32
		replace(t, file, answering(score))
		if err := s.Reload(t.Context()); err != nil {
			t.Error(err)
		}
		scores[s.Plugins()[0].Hash] = score
		replace(t, file, []byte("bad"))
		_ = s.Reload(t.Context()) // refused, see TestReload
	}
	close(stop)
	workers.Wait()
	for hash, doc := range seen {
		if want, ok := scores[hash]; !ok || doc != want {
			t.Errorf("version %s answered %v, want %v", hash, doc, want)
		}
	}
	if len(seen) < 2 {
		t.Errorf("only %d versions answered; the storm tests little", len(seen))
	}
}

// A file that changes while it is loaded is read once: what answers is what the hash names.
func TestWhatIsVerifiedIsWhatIsUsed(t *testing.T) {
	inProcess(t)
	s, file, _ := watched(t, Options{}, answering(0.25))
	versions := [][]byte{answering(0.25), answering(0.75), []byte("no module")}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				replace(t, file, versions[i%len(versions)])
			}
		}
	}()
	for range 50 {
		_ = s.Reload(t.Context()) // some are refused
		r := s.Score(t.Context(), &abi.ScoreRequest{})[0]
		if r.Kind != KindOK {
			t.Fatal(r.Err)
		}
		if sum := sha256.Sum256(answering(r.Response.Doc)); r.Plugin.Hash != hex.EncodeToString(sum[:]) {
			t.Errorf("%s answers %v", r.Plugin.Hash, r.Response.Doc)
		}
	}
	close(stop)
	<-stopped
}

// All calls for one page are by one version and for one topic, whatever changes meanwhile.
func TestAPageHasOneVersion(t *testing.T) {
	inProcess(t)
	s, file, doc := watched(t, Options{}, answering(0.25))
	page := s.Begin()
	replace(t, file, answering(0.75))
	if err := s.Reload(t.Context()); err != nil || doc() != 0.75 {
		t.Fatal(err)
	}
	for range 2 {
		if r := page.Score(t.Context(), &abi.ScoreRequest{})[0]; r.Kind != KindOK || r.Response.Doc != 0.25 {
			t.Errorf("%+v, %v", r.Response, r.Err)
		}
	}
	old := page.held[0]
	page.End()
	if old.runtime != nil {
		t.Error("the version before is not closed after its last page")
	}
}

// A version that was replaced closes after its last call.
func TestReplacedVersionsAreClosed(t *testing.T) {
	inProcess(t)
	s, file, doc := watched(t, Options{}, answering(0.25))
	old := s.plugins[0].hold() // a call that is going on
	replace(t, file, answering(0.75))
	if err := s.Reload(t.Context()); err != nil || doc() != 0.75 {
		t.Fatal(err)
	}
	if old.runtime == nil {
		t.Fatal("closed during a call")
	}
	if err := old.drop(); err != nil || old.runtime != nil || len(old.mu.idle) > 0 {
		t.Errorf("not closed after it: %v", err)
	}
}

func TestOpenRefusesAll(t *testing.T) {
	inProcess(t)
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.wasm"), filepath.Join(dir, "two.wasm")
	replace(t, one, answering(0.25))
	replace(t, two, answering(0.5))
	slow := moduletest.Plugin(moduletest.Module{Manifest: strings.Replace(moduletest.Manifest, `"kind"`, `"deadline_ms":300,"kind"`, 1)},
		moduletest.I32Const(0)).Bytes()
	large := moduletest.Plugin(moduletest.Module{Manifest: strings.Replace(moduletest.Manifest, `"kind"`, `"memory_mb":100,"kind"`, 1)},
		moduletest.I32Const(0)).Bytes()
	asks := func(content []byte) string {
		file := filepath.Join(dir, "asks.wasm")
		replace(t, file, content)
		return file
	}
	for want, files := range map[string][]string{
		"both the plugin org.example.test": {one, two},
		"no such file":                     {one, filepath.Join(dir, "three.wasm")},
		"is 250ms":                         {asks(slow)},
	} {
		s, err := Open(t.Context(), files, Options{Poll: -1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", files, err, want)
		}
		if s != nil {
			_ = s.Close()
		}
	}
	if s, err := Open(t.Context(), []string{asks(large)}, Options{Poll: -1}); err == nil {
		_ = s.Close()
		t.Error("a plugin that asks for more memory than it may have is accepted")
	}
	if _, err := Open(t.Context(), nil, Options{Limits: Limits{Score: Budget{Time: time.Hour}, OutputBytes: 1 << 30}}); err == nil ||
		!strings.Contains(err.Error(), "Score") || !strings.Contains(err.Error(), "OutputBytes") {
		t.Errorf("limits over their maximum: %v", err)
	}
}
