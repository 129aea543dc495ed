package awarc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostFields is how many fields a struct may have.
const mostFields = 20

// largeStructs have more, each with the reason.
var largeStructs = map[string]string{
	"frontier.Options": "a field for each setting",
	"engine.Exchanged": "a field for each column of the crawl log",
	"engine.Report":    "a field for each figure of report.json",
	"frontier.host":    "there are hundreds of thousands in memory, packed",
}

// TestStructsAreSmall: no struct has more than mostFields fields without a reason, and no reason is left of one that has fewer.
func TestStructsAreSmall(t *testing.T) {
	large := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (len(name) > 1 && name[0] == '.' || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for typ, fields := range structs(file) {
			if fields <= mostFields {
				continue
			}
			typ = filepath.ToSlash(filepath.Dir(name)) + "." + typ
			large[typ] = true
			if largeStructs[typ] == "" {
				t.Errorf("%s has %d fields, more than %d", typ, fields, mostFields)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for typ := range largeStructs {
		if !large[typ] {
			t.Errorf("%s needs no reason: it has at most %d fields", typ, mostFields)
		}
	}
}

// structs counts the fields of the structs that a file declares; an embedded one is one field.
func structs(file *ast.File) map[string]int {
	count := map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					count[spec.Name.Name] += max(1, len(f.Names))
				}
			}
		}
		return true
	})
	return count
}
