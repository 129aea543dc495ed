package awarc

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the import graph as a statement of policy: a package may import
// packages of lower floors, never one beside or above it. A package that is not
// listed fails the test: decide where it belongs first.
var floors = map[string]int{
	"yfilter/xpath":  0,
	"plugins/abi":    0,
	"yfilter":        1,
	"relax":          1,
	"plugins/sdk":    1,
	"engine/chunked": 1,
	"engine/durable": 1,
	"engine/infile":  1,
	"engine/onepage": 1,
	"engine/watch":   1,
	"engine/browser": 1,
	"plugins/module": 1,

	"plugins/module/moduletest": 1, // for tests

	// Guests and what they are made of: they know the messages and nothing of the
	// host. Only plugintest, which runs in tests, opens the sandbox.
	"plugins/sdk/match":            0,
	"plugins/sdk/names":            0,
	"plugins/sdk/score":            2,
	"plugins/sdk/extract":          2,
	"plugins/sdk/plugintest":       3,
	"plugins/examples/go-keywords": 3,
	"plugins/examples":             0, // files for new projects

	"frontier/cluster/clustertest": -1, // Redis servers for tests

	"plugins/examples/treasure-crawler": 3,
	"plugins/examples/schema-org":       3,
	"plugins/examples/annotate":         3,
	"plugins/examples/go-mentions":      3,

	"plugins/conformance": 5, // what a plugin is held to, and what becomes of what it says

	"frontier":            2,
	"frontier/cluster":    3,
	"kb":                  2,
	"plugins":             2,
	"engine/parse":        2,
	"engine/httpmsg":      2,
	"engine/dates":        0,
	"engine/read/page":    1,
	"engine/read/records": 2,
	"engine/read/text":    2,
	"engine/fetch":        3,
	"engine/detect":       3,
	"engine/extract":      3,
	"engine/score":        3,
	"engine/concepts":     2,
	"engine/trap":         3,
	"engine/ways":         3,
	"engine/rank":         1,
	"engine/archive":      3,
	"engine/graph":        3,
	"engine/quads":        4,
	"engine/adapt":        4,
	"engine/api":          4,
	"engine/form":         4,
	"engine/layers":       1,
	"engine/rankmass":     1,
	"engine/assess":       4,
	"engine":              5,
	"engine/sparql":       5,
	"engine/endpoint":     5,
	"engine/export":       5,
	"engine/diff":         5,
	"engine/trends":       5,
	"engine/reextract":    6,
	"engine/permalinks":   6,
	"engine/pack":         7,
	"engine/draft":        6,
	"engine/crawl":        7,
	"engine/complete":     8,
	"engine/cockpit":      9,
	"engine/replay":       4,
	"cmd/awarc":           14,

	// Evaluations: what they read and share, then what they measure.
	"cmd/internal/eval/corpus":    6,
	"cmd/internal/eval/grow":      2,
	"cmd/internal/eval/template":  7,
	"cmd/internal/eval/replay":    7,
	"cmd/internal/eval/quality":   8,
	"cmd/internal/eval/detection": 8,
	"cmd/internal/eval/focused":   8,
	"cmd/internal/eval/unknown":   9,
	"cmd/internal/eval/maintext":  7,
	"cmd/internal/eval/truth":     9,
	"cmd/internal/eval/mend":      10,
	"cmd/internal/eval/newsites":  11,
	"cmd/internal/eval/mutations": 11,
	"cmd/internal/eval/mirrors":   11,
	"cmd/internal/eval/fit":       12,
	"cmd/internal/eval/records":   13,
	"cmd/internal/eval/watching":  8,

	"testsites": -1, // nothing of ours

	"testsites/corpora": -1,
	"testsites/hostile": -1,

	".": 0,
}

// libraries says which libraries each package may use besides the standard
// library; what is not listed may use none.
var libraries = map[string][]string{
	"yfilter":          {"golang.org/x/net"},
	"yfilter/xpath":    {"golang.org/x/net", "github.com/antchfx"},
	"kb":               {"github.com/beevik/etree", "github.com/fsnotify/fsnotify", "golang.org/x"},
	"frontier":         {"go.etcd.io/bbolt", "golang.org/x/net"},
	"frontier/cluster": {"github.com/redis/go-redis"},
	"engine/fetch": {"golang.org/x", "github.com/jimsmart/grobotstxt", "github.com/temoto/robotstxt", "github.com/klauspost/compress",
		"github.com/andybalholm/brotli", "github.com/icholy/digest", "github.com/gabriel-vasile/mimetype", "github.com/nlnwa/whatwg-url"},
	"engine/detect":       {"golang.org/x/net"},
	"engine/parse":        {"golang.org/x/net"},
	"engine/httpmsg":      {"golang.org/x/net"},
	"engine/browser":      {"github.com/chromedp"},
	"engine/dates":        {"golang.org/x/text"},
	"engine/read/page":    {"golang.org/x/net"},
	"engine/read/records": {"golang.org/x/net"},
	"engine/read/text":    {"golang.org/x/net"},
	"engine/infile":       {"golang.org/x/text"},
	"engine/adapt":        {"golang.org/x/net"},
	"engine/extract":      {"golang.org/x", "github.com/nlnwa/whatwg-url", "github.com/tdewolff/parse/v2"},
	"engine/archive":      {"github.com/nlnwa", "github.com/klauspost/compress", "golang.org/x"},
	"engine/graph":        {"github.com/cayleygraph/quad"},
	"engine/api":          {"golang.org/x/net", "github.com/goccy/go-yaml"},
	"engine/trap":         {"golang.org/x/net"},
	"engine/form":         {"golang.org/x"},
	"engine/ways":         {"golang.org/x/net"},
	"engine/draft":        {"golang.org/x/net"},
	"engine/score": {"github.com/abadojack/whatlanggo", "github.com/blevesearch/snowballstem", "github.com/goccy/go-yaml",
		"golang.org/x/text"},
	"engine":       {"golang.org/x", "github.com/axiomhq/hyperloglog", "github.com/sergi/go-diff"},
	"engine/crawl": {"github.com/goccy/go-yaml", "golang.org/x/net"}, // the form of a login

	"engine/quads":     {"modernc.org/sqlite", "github.com/klauspost/compress", "golang.org/x/text"},
	"engine/complete":  {"modernc.org/sqlite"},
	"engine/sparql":    {"github.com/tetratelabs/wazero"},
	"engine/diff":      {"github.com/sergi/go-diff"},
	"engine/endpoint":  {"github.com/icholy/digest"},
	"engine/reextract": {"github.com/klauspost/compress"},
	"engine/replay":    {"golang.org/x/net", "github.com/tdewolff/parse/v2"},

	"engine/permalinks": {"golang.org/x/net"},
	"engine/cockpit":    {"golang.org/x/net"},

	"cmd/awarc": {"github.com/alecthomas/kong", "github.com/alecthomas/mango-kong", "github.com/jotaen/kong-completion",
		"github.com/posener/complete", "golang.org/x/term", "golang.org/x/text", "github.com/goccy/go-yaml",
		"github.com/prometheus/client_golang"},
	"plugins": {"github.com/tetratelabs/wazero"},

	"cmd/internal/eval/template":  {"golang.org/x/net"},
	"cmd/internal/eval/mend":      {"golang.org/x/net"},
	"cmd/internal/eval/mutations": {"golang.org/x/net"},
	"cmd/internal/eval/mirrors":   {"golang.org/x/net"},
	"cmd/internal/eval/focused":   {"golang.org/x/net"},
	"cmd/internal/eval/unknown":   {"golang.org/x/net", "github.com/goccy/go-yaml"},
	"cmd/internal/eval/maintext":  {"golang.org/x/net"},
	"cmd/internal/eval/records":   {"golang.org/x"},
	"cmd/internal/eval/fit":       {"gonum.org/v1/gonum", "golang.org/x/sync"},
	"cmd/internal/eval/detection": {"golang.org/x/net", "github.com/antchfx"},

	"plugins/examples/schema-org": {"golang.org/x/net"},
	"plugins/examples/annotate":   {"github.com/abadojack/whatlanggo"},
	"plugins/sdk/names":           {"golang.org/x/text"},
	"testsites":                   {"golang.org/x/tools"},
	"testsites/corpora":           {"golang.org/x/text"},
}

const module = "github.com/awarc/awarc"

func TestImportsKeepTheFloors(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case dir != "." && strings.HasPrefix(d.Name(), "."), d.Name() == "testdata":
			return fs.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			return nil // no Go files here
		}
		checked++
		checkImports(t, filepath.ToSlash(dir), p.Imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 12 {
		t.Errorf("only %d packages were checked; the walk is broken", checked)
	}
}

// TestFloorsAreDocumented: the table of ARCHITECTURE.md has the packages above floor -1, each on its floor.
func TestFloorsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| (\\d+) \\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		documented[m[2]], _ = strconv.Atoi(m[1])
	}
	for pkg, floor := range floors {
		// The other table has these.
		other := pkg == "." || pkg == "plugins/module/moduletest" || strings.HasPrefix(pkg, "plugins/sdk") ||
			strings.HasPrefix(pkg, "plugins/examples") || strings.HasPrefix(pkg, "cmd/internal/eval/")
		if at, found := documented[pkg]; !other && floor >= 0 && (!found || at != floor) {
			t.Errorf("ARCHITECTURE.md must have %s on floor %d of its table", pkg, floor)
		}
		delete(documented, pkg)
	}
	for pkg := range documented {
		t.Errorf("ARCHITECTURE.md has %s in its table, which is on no floor", pkg)
	}
}

func checkImports(t *testing.T, pkg string, imports []string) {
	floor, known := floors[pkg]
	if !known {
		t.Errorf("package %s is on no floor: add it to floors, after asking whether it must exist", pkg)
		return
	}
	for _, imp := range imports {
		if own, ok := strings.CutPrefix(imp, module+"/"); ok {
			below, known := floors[own]
			if !known || below >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d); only lower floors are allowed", pkg, floor, own, below)
			}
			continue
		}
		if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
			continue // the standard library
		}
		if !slices.ContainsFunc(libraries[pkg], func(l string) bool { return imp == l || strings.HasPrefix(imp, l+"/") }) {
			t.Errorf("%s imports the library %s; allowed are %v", pkg, imp, libraries[pkg])
		}
	}
}

// topLevel are the folders that the reader of the repository sees first: the
// architecture.
var topLevel = []string{"cmd", "engine", "frontier", "kb", "plugins", "relax", "testsites", "yfilter"}

func TestTopLevelFoldersAreTheArchitecture(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && holdsGo(t, e.Name()) {
			got = append(got, e.Name())
		}
	}
	if !slices.Equal(got, topLevel) {
		t.Errorf("top-level folders are %v, want %v", got, topLevel)
	}
}

// holdsGo reports whether a folder is of the source: what was built or crawled here is not.
func holdsGo(t *testing.T, dir string) bool {
	found := false
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".go" {
			found = true
			return fs.SkipAll
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
