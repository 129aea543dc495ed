package awarc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clocks are the functions of package time that make a test depend on the clock.
var clocks = []string{"Sleep", "After", "AfterFunc", "NewTicker", "NewTimer", "Tick"}

// clockUsers are the tests and their helpers that use the clock, each with the reason. Within
// synctest.Test time stands still until all goroutines wait, and no reason is needed.
var clockUsers = map[string]string{
	"cmd/awarc.until":                        "polls other processes; only a failure takes its time",
	"cmd/awarc.gate.wait":                    "only a failure takes its time",
	"cmd/awarc.crawlNode.ends":               "only a failure takes its time",
	"cmd/awarc.crawlAsOne":                   "the faults themselves last longer than a lease",
	"cmd/awarc.killOften":                    "kills a process at any moment of its start",
	"cmd/awarc.runDocumented":                "ends documented commands that would never end",
	"cmd/awarc.crawlBounded":                 "samples the memory of another process",
	"cmd/awarc.TestSoak":                     "samples its own memory",
	"engine.TestHostIsAskedWhileAPageIsRead": "waits for a request that must not come; a busy machine passes",
	"engine.TestRoom":                        "waits for what must not happen; a busy machine passes",
	"engine.chainSite.shut":                  "the fault itself lasts for a time",
	"engine/archive.TestKilledWhileWriting":  "kills a process at any moment",
	"engine/cockpit.stream":                  "a benchmark",
	"engine/endpoint.fuseki":                 "polls another process; only a failure takes its time",
	"engine/fetch.TestDecodersTakeTurns":     "waits for what must not happen; a busy machine passes",
	"engine/fetch.TestSlowBody":              "a server that drips",
	"engine/fetch.TestSlowloris":             "a server that drips",
	"engine/fetch.TestFloor":                 "within synctest.Test",
	"engine/fetch.reading.Read":              "within synctest.Test",
	"engine/fetch.peak":                      "samples memory",
	"engine/quads.TestKills":                 "kills a process at any moment",
	"engine/sparql.TestQueriesThatRunAway":   "ends a query at any moment",
	"frontier.crawlTogether":                 "within synctest.Test",
	"frontier.harness.gaps":                  "within synctest.Test",
	"frontier.until":                         "polls a goroutine in the background; only a failure takes its time",
	"frontier/cluster.until":                 "polls servers and other nodes; only a failure takes its time",
	"frontier/cluster/clustertest.poll":      "polls servers; only a failure takes its time",
	"kb.engineer":                            "polls a file that other processes change",
	"kb.watchDir":                            "only a failure takes its time",
}

// TestTestsWaitForEvents: no test uses the clock without a reason, and no reason is left of one that does not.
func TestTestsWaitForEvents(t *testing.T) {
	users := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		test := strings.HasSuffix(name, "_test.go") || strings.HasSuffix(filepath.Dir(name), "test") && strings.HasSuffix(name, ".go")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (len(name) > 1 && name[0] == '.' || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !test:
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !usesClock(f) {
				continue
			}
			user := filepath.ToSlash(filepath.Dir(name)) + "." + funcName(f)
			users[user] = true
			if clockUsers[user] == "" {
				t.Errorf("%s waits for the clock: wait for an event, or use synctest.Test", user)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for user := range clockUsers {
		if !users[user] {
			t.Errorf("%s needs no reason: it does not use the clock", user)
		}
	}
}

// funcName is the name of a function with that of its receiver's type.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// usesClock reports whether a function calls one of clocks outside of synctest.Test.
func usesClock(f *ast.FuncDecl) (uses bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch id, ok := s.X.(*ast.Ident); {
		case ok && id.Name == "synctest" && s.Sel.Name == "Test":
			return false
		case ok && id.Name == "time" && slices.Contains(clocks, s.Sel.Name):
			uses = true
		}
		return true
	})
	return uses
}
