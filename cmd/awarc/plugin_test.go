package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/conformance"
	m "github.com/awarc/awarc/plugins/module/moduletest"
)

// toolchains are what the projects of each language are built with, as the Makefile's
// tools target installs them, or why a toolchain is not there.
func toolchains(t *testing.T, lang string) (makeArgs []string, missing string) {
	t.Helper()
	found := func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	switch lang {
	case "c":
		if !found("clang") || !found("wasm-ld") {
			return nil, "clang and lld are not installed: run make tools"
		}
	case "assemblyscript":
		asc, err := filepath.Abs("../../.cache/tools/node_modules/.bin/asc")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(asc); err != nil {
			return nil, "asc is not installed: run make tools"
		}
		return []string{"ASC=" + asc}, ""
	}
	return nil, ""
}

// withoutRust begins the message of a project in Rust if no rustc has the target.
const withoutRust = "No rustc has the target wasm32-unknown-unknown. Run: rustup target add wasm32-unknown-unknown"

// buildBirds builds the plugin birds in a project, or skips the test if Rust's target is not
// installed.
func buildBirds(t *testing.T, dir string, args ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("make", append([]string{"-s", "-C", dir, "birds.wasm", "AWARC=" + exe}, args...)...)
	c.Env = append(os.Environ(), "AWARC_TEST_MAIN=1")
	out, err := c.CombinedOutput()
	if strings.Contains(string(out), withoutRust) {
		t.Skip(withoutRust)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// Without a rustc for the target, the build names the target and the commands that install it.
func TestPluginInRustWithoutTarget(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "birds")
	awarc(t, "", "plugin", "new", "--lang", "rust", "--dir", dir, "birds").want(t, exitDone)
	out, err := exec.Command("make", "-s", "-C", dir, "birds.wasm", "RUSTC=").CombinedOutput()
	if err == nil || !strings.Contains(string(out), withoutRust) || !strings.Contains(string(out), "libstd-rust-dev-wasm32") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A new project of each language builds, and its plugin passes all checks at once.
func TestPluginNew(t *testing.T) {
	for i := range 8 {
		if i/2%2 != i%2 && !isLong() { // each toolchain, and each kind in two of them
			continue
		}
		lang, kind := []string{"c", "rust", "assemblyscript", "go"}[i/2], []string{"scorer", "extractor"}[i%2]
		t.Run(lang+" "+kind, func(t *testing.T) {
			args, missing := toolchains(t, lang)
			if missing != "" {
				t.Skip(missing)
			}
			dir := filepath.Join(t.TempDir(), "birds")
			awarc(t, "", "plugin", "new", "--lang", lang, "--kind", kind, "--dir", dir, "birds").want(t, exitDone)
			if out := buildBirds(t, dir, args...); !strings.Contains(out, "org.example.birds@0.1.0") {
				t.Fatal(out)
			}
			o := awarc(t, "", "plugin", "test", "--strict", "--calls", "400", filepath.Join(dir, "birds.wasm"))
			o.want(t, exitDone)
			if n := strings.Count(o.out, "  pass  "); n != 23 {
				t.Errorf("%d of 23 checks passed:\n%s", n, o.out)
			}
		})
	}
}

func TestPluginNewRefuses(t *testing.T) {
	dir := t.TempDir()
	awarc(t, "", "plugin", "new", "--lang", "c", "../x").want(t, exitUsage, "lower-case letters")
	awarc(t, "", "plugin", "new", "--lang", "c", "--dir", dir, "birds").want(t, exitUsage, "exists already")
	awarc(t, "", "plugin", "new", "--lang", "cobol", "birds").want(t, exitUsage, "cobol")
	awarc(t, "", "plugin", "new", "--lang", "rust", "awarc").want(t, exitUsage, "reserved for the SDK")
}

const keywords = "../../plugins/testdata/examples/c-keywords.wasm"

func TestPluginPack(t *testing.T) {
	manifest := write(t, "plugin.json", `{"awarc_plugin": 1, "abi": "1.0", "name": "org.example.packed", "version": "2.0.0", "kind": `+
		`["scorer"]}`)
	out := filepath.Join(t.TempDir(), "out.wasm")
	o := awarc(t, "", "plugin", "pack", keywords, manifest, "-o", out)
	o.want(t, exitDone)
	if !strings.Contains(o.out, "org.example.packed@2.0.0") {
		t.Error(o.out)
	}
	// In place: what is packed again has one manifest, the new one.
	again := write(t, "plugin.json", `{"awarc_plugin": 1, "abi": "1.0", "name": "org.example.packed", "version": "3.0.0", "kind": `+
		`["scorer"]}`)
	o = awarc(t, "", "plugin", "pack", out, again)
	o.want(t, exitDone)
	if !strings.Contains(o.out, "@3.0.0") {
		t.Error(o.out)
	}
	awarc(t, "", "plugin", "pack", keywords, write(t, "plugin.json", `{"awarc_plugin": 2}`)).want(t, exitFailed, "awarc_plugin is 2")
	awarc(t, "", "plugin", "pack", keywords, write(t, "plugin.json",
		strings.Replace(`{"awarc_plugin": 1, "abi": "1.0", "name": "x", "version": "3.0.0", "kind": ["K"]}`, "K", "extractor", 1))).want(t,
		exitFailed, "awarc_extract is not exported")
	awarc(t, "", "plugin", "pack", "no.wasm", manifest).want(t, exitUsage, "no.wasm")
}

// What a plugin says that is no RDF, or of what is not its business, is found before a crawl leaves it out.
func TestPluginTestReadsStatements(t *testing.T) {
	for subject, want := range map[string]string{
		"http://example.org/[":                          "was normalised",
		"urn:uuid:00000000-0000-4000-8000-000000000001": "describes a reserved IRI of awarc",
	} {
		triple := slices.Concat(m.Field(1, subject), m.Field(2, "schema:location"), m.Field(3, "http://example.org/coast"))
		o := awarc(t, "", "plugin", "test", "--calls", "400", plugin(t, manifest("org.example.loose", "1.0.0", "extractor", ""), 0,
			m.Field(2, triple)))
		o.want(t, exitFailed)
		if !regexp.MustCompile(`23 +fail .*` + want).MatchString(o.out) {
			t.Errorf("%s: it does not say %q:\n%s", subject, want, o.out)
		}
	}
}

// The text of a panic is in the log of whoever looks for it.
func TestPluginInRustPanics(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "birds")
	awarc(t, "", "plugin", "new", "--lang", "rust", "--dir", dir, "birds").want(t, exitDone)
	file := filepath.Join(dir, "birds.rs")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const line = "out.doc ="
	broken := strings.Replace(string(text), line, `if p.title.contains("paint") { panic!("no birds on {}", p.url); }`+"\n"+line, 1)
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	buildBirds(t, dir)
	page := write(t, "page.html", "<title>Wet paint</title><p>Nothing.")
	o := awarc(t, "", "plugin", "run", filepath.Join(dir, "birds.wasm"), page+"=http://boats.example/")
	if !strings.Contains(o.out, "no birds on http://boats.example/") || !strings.Contains(o.out, "failed scorer: trap") {
		t.Errorf("the panic is not told:\n%s%s", o.out, o.err)
	}
}

func TestPluginTest(t *testing.T) {
	file := write(t, "bad.wasm", "no module")
	o := awarc(t, "", "plugin", "test", "--format", "json", file)
	o.want(t, exitFailed)
	var r conformance.Report
	if err := json.Unmarshal([]byte(o.out), &r); err != nil {
		t.Fatal(err)
	}
	if r.OK || len(r.Checks) != 23 || r.Checks[0].Status != conformance.Fail || r.Checks[21].Status != conformance.Skip {
		t.Errorf("%+v", r)
	}
	o = awarc(t, "", "plugin", "test", file)
	o.want(t, exitFailed)
	if !strings.Contains(o.out, " 1  fail ") || !strings.Contains(o.out, "not a WebAssembly binary") {
		t.Error(o.out)
	}
	awarc(t, "", "plugin", "test", "--calls", "3", file).want(t, exitFailed, "at least 400")
}

// TestPluginRunPrintsObjectsFirst: objects with their fields come before the log and the cost; the
// quads of a crawl only on request; and a message once, though the plugin logged it on the pages on
// which it is tried too.
func TestPluginRunPrintsObjectsFirst(t *testing.T) {
	const headline = "Storm at sea"
	field := slices.Concat(m.Field(1, "headline"), m.Field(2, headline))
	answer := m.Field(1, slices.Concat(m.Field(1, "schema:Article"), m.Field(3, field)))
	const at = 1024 // of the answer
	file := plugin(t, manifest("org.example.objects", "1.0.0", "extractor", ""), 0, answer,
		m.I32Const(1), m.I32Const(at+strings.Index(string(answer), headline)), m.I32Const(len(headline)), m.Call(m.Log),
		m.I32Const(at), m.I32Const(len(answer)), m.Call(m.OutputWrite), m.Drop)
	page := write(t, "page.html", "<title>A storm</title><p>Nothing.") + "=http://boats.example/"
	o := awarc(t, "", "plugin", "run", file, page)
	o.want(t, exitDone)
	was := -1
	for _, part := range []string{"  found  1 object", "  object schema:Article", "headline: \"Storm at sea\"",
		"  log    info: Storm at sea\n", "  call   "} {
		at := strings.Index(o.out, part)
		if at <= was || strings.Count(o.out, part) != 1 {
			t.Errorf("%q is not there once, at its place:\n%s", part, o.out)
		}
		was = at
	}
	const quad = "<http://schema.org/headline> \"Storm at sea\""
	all := awarc(t, "", "plugin", "run", "--provenance", file, page).out
	if strings.Contains(o.out, quad) || !strings.Contains(all, quad) ||
		!strings.Contains(all, "wasAttributedTo") {
		t.Errorf("with --provenance:\n%s", all)
	}
}

// TestPluginRun: what a plugin says of a saved page is shown, with the links that the page has and what the call took.
func TestPluginRun(t *testing.T) {
	o := awarc(t, "", "plugin", "run", "--kb", filepath.Join(tutorial, "slipway.xml"), keywords,
		filepath.Join(tutorial, "topic.html")+"=https://boats.example/t/12")
	o.want(t, exitDone)
	for _, part := range []string{"https://boats.example/t/12\n", "  score  0 ", "https://boats.example/t/12?from=5\n", "units of fuel"} {
		if !strings.Contains(o.out, part) {
			t.Errorf("it does not say %q:\n%s", part, o.out)
		}
	}
	awarc(t, "", "plugin", "run", keywords, filepath.Join(tutorial, "topic.html")).want(t, exitUsage, "does not state its URL")
	// What is said of the pages of an archive is kept as golden vectors, which hold the plugin to it.
	_, root, _ := storms(t)
	dir, crawled := runCrawl(t, "--max-hops", "1", root+"/")
	crawled.want(t, exitDone)
	archives, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	golden := filepath.Join(t.TempDir(), "golden.json")
	awarc(t, "", append([]string{"plugin", "run", "--update", golden, keywords}, archives...)...).want(t, exitDone)
	o = awarc(t, "", "plugin", "test", "--calls", "400", "--vectors", golden, keywords)
	o.want(t, exitDone)
	kept, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(kept), `"doc": 0`, `"doc": 1`, 1)
	awarc(t, "", "plugin", "test", "--calls", "400", "--vectors", write(t, "golden.json", changed), keywords).want(t, exitFailed)
}
