package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	m "github.com/awarc/awarc/plugins/module/moduletest"
)

func TestPluginList(t *testing.T) {
	t.Parallel()
	_, root, _ := storms(t)
	file := plugin(t, manifest("org.example.listed", "1.0.0", "scorer", `,"needs":["links"],"may":["blacklist_url"]`), 1<<20, nil,
		m.Unreachable)
	dir, o := runCrawl(t, "--plugin", file, "--limit", "1", root+"/")
	o.want(t, exitLimit)
	writePlugin(t, file, manifest("org.example.listed", "1.1.0", "scorer", ""), 1<<20, nil, m.Unreachable)
	awarc(t, "", "resume", "--limit", "2", dir).want(t, exitLimit)
	awarc(t, "", "resume", "--limit", "3", dir).want(t, exitLimit)

	o = awarc(t, "", "plugin", "list", "--format", "json", dir)
	o.want(t, exitDone)
	var list []listedPlugin
	if err := json.Unmarshal([]byte(o.out), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	p := list[0]
	if p.Name != "org.example.listed" || p.Version != "1.1.0" || p.Report == nil || p.Report.Calls != 3 || len(p.Used) != 2 ||
		p.Used[0].Version != "1.0.0" || p.Used[1].Hash != p.Hash {
		t.Errorf("%+v, %+v", p, p.Report)
	}
	o = awarc(t, "", "plugin", "list", file, dir)
	o.want(t, exitDone)
	for _, want := range []string{"org.example.listed@1.1.0", p.Hash[:12], "3 calls, 0 errors", "1.0.0 "} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.wasm")
	if err := os.WriteFile(bad, []byte("no plugin"), 0o644); err != nil {
		t.Fatal(err)
	}
	o = awarc(t, "", "plugin", "list", bad, file)
	o.want(t, exitFailed)
	if !strings.Contains(o.out, "refused") || !strings.Contains(o.out, "not a WebAssembly binary") {
		t.Error(o.out)
	}
}
