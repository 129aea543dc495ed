package module

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	mt "github.com/awarc/awarc/plugins/module/moduletest"
)

func TestManifestIsReadWhole(t *testing.T) {
	m, err := ParseManifest([]byte(`{"awarc_plugin":1, "abi":"1.3", "name":"org.example.birds", "version":"1.2.0-rc.1+b7",
	"kind":["scorer","extractor"],
		"description":"…", "license":"Apache-2.0", "needs":["title","text","links","link_context"], "may":["blacklist_url"],
		"memory_mb":32, "deadline_ms":100, "stateless":true, "deterministic":true, "wasi_fs_stubs":true,
		"config_schema":{"a":[1]}, "types":["schema:Event"], "mime":["text/html"], "langs":["*"], "zeal":1, "Name":"later"}`))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case m.Name != "org.example.birds", m.ABI != "1.3", m.Version != "1.2.0-rc.1+b7", !slices.Equal(m.Kind, []Kind{Scorer, Extractor}),
		!slices.Equal(m.Needs, []string{"title", "text", "links", "link_context"}), !slices.Equal(m.May, []string{"blacklist_url"}),
		m.MemoryMB != 32, m.DeadlineMS != 100, !m.Stateless, !m.Deterministic, !m.WASIFSStubs, string(m.ConfigSchema) != `{"a":[1]}`,
		!slices.Equal(m.Types, []string{"schema:Event"}), !slices.Equal(m.MIME, []string{"text/html"}),
		!slices.Equal(m.Langs, []string{"*"}),
		!m.Has("blacklist_url"), !m.Has("title"), m.Has("html"):
		t.Errorf("got %+v", m)
	}
	if !slices.Equal(m.Unknown, []string{"Name", "zeal"}) {
		t.Errorf("unknown keys are %v; a key of another spelling is another key", m.Unknown)
	}
}

func TestNamesAndVersionsOfManifests(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "org.example.birds": true, "org.Example.Birds-2_x": true, "2": true, strings.Repeat("a", 128): true,
		"": false, ".": false, "a..b": false, ".a": false, "a.": false, "-a": false, "a/b": false, "a b": false, "../x": false, "ä": false,
		strings.Repeat("a", 129): false,
	} {
		if isName(name) != want {
			t.Errorf("name %q: got %v", name, !want)
		}
	}
	for version, want := range map[string]bool{
		"1.2.3": true, "0.0.0": true, "1.2.3-alpha.1": true, "1.2.3+5": true, "1.2.3-a-b+c.d": true, "1.0.0-0": true, "1.2.3+001": true,
		"": false, "1": false, "1.2": false, "1.2.3.4": false, "01.2.3": false, "1.2.3-": false, "1.2.3-01": false, "1.2.3+": false,
		"v1.2.3": false, "1.2.3-a..b": false, "1.2.3 ": false,
	} {
		if isSemver(version) != want {
			t.Errorf("version %q: got %v", version, !want)
		}
	}
}

func TestPackReplacesTheManifestAndKeepsTheRest(t *testing.T) {
	wasm := mt.Plugin(mt.Module{Name: slices.Concat([]byte{0}, mt.U(2), mt.Str("m"))}, mt.I32Const(0)).Bytes()
	bare, err := Strip(wasm)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(bare, []byte(ManifestSection)) || !bytes.HasPrefix(wasm, bare) {
		t.Error("stripping left a manifest or changed something else")
	}
	other := strings.Replace(mt.Manifest, "org.example.test", "org.example.other", 1)
	file, err := Pack(wasm, []byte(other))
	if err != nil {
		t.Fatal(err)
	}
	if m := verified(t, file); m.Manifest.Name != "org.example.other" || m.Hash == verified(t, wasm).Hash {
		t.Errorf("the packed plugin is %s", m.Manifest.Name)
	}
	if again, err := Strip(file); err != nil || !bytes.Equal(again, bare) {
		t.Errorf("packing changed more than the manifest: %v", err)
	}
	if _, err := Pack(wasm, []byte(`{}`)); err == nil {
		t.Error("an empty manifest was packed")
	}
	if _, err := Pack([]byte("not a module"), []byte(other)); err == nil {
		t.Error("a manifest was packed into something that is no module")
	}
}

// FuzzManifest: whatever is accepted has the values that the host relies on.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(mt.Manifest))
	f.Add([]byte(`{"awarc_plugin":1,"abi":"1.0","name":"a","version":"1.0.0","kind":["extractor"],"config_schema":[[]],"x":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseManifest(text)
		if err != nil {
			return
		}
		if !isName(m.Name) || len(m.Kind) == 0 || m.MemoryMB < 0 || m.DeadlineMS < 0 || strings.ContainsAny(m.Description, "\x00\x1b\n") {
			t.Fatalf("accepted %+v", m)
		}
		if _, err := Pack(mt.Plugin(mt.Module{}, mt.I32Const(0)).Bytes(), text); err != nil {
			t.Fatal(err)
		}
	})
}
