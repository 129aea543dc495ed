package awarc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// phrase is wording that readers stumble over, with the rule that replaces it.
type phrase struct {
	found *regexp.Regexp
	rule  string
}

// phrases are forbidden in documents, help, messages and the comments of packages and exported
// identifiers. A space stands for any white space, a line break with the marks of a comment too.
var phrases = []phrase{
	words(`what (?:is|was|are|were|has|does) not|what is no`, `use the noun: "unchanged pages"`),
	words(`tells?|telling`, `code returns, reports, calls or writes: "reports whether", "print", "distinguish"`),
	words(`(?:is|are|was|were|be|been) told`, `name what is passed: "receives", "is called with"`),
	words(`nobody`, `name the actor: "no process", "no crawl"`),
	words(`those of|those which|those that|that which`, `repeat the noun: "the flags of all campaigns"`),
	words(`asked for|asks for|asking for`, `"requested", "fetches", or name what is needed`),
	words(`given up|gives up|give up`, `"failed", "fails", "stops"`),
	words(`put off|puts off`, `"deferred", "defers"`),
	words(`where nothing is (?:said|given)|where none is (?:said|given)`, `"default: 1"`),
	words(`thereof|befalls?|begun`, `"of it", "happens to", "started"`),
	words(`(?:is|are|was|were|be) worth`, `"yield", "score", "value"`),
	words(`had no end|have no end|has no end|without end`, `"crawler trap", "suspected trap"`),
	words(`room`, `"buffer", "memory limit", "space": what it is`),
	words(`furniture`, `"boilerplate"`),
	words(`(?:is|are|was|were|be|been) said`, `"reported", "printed", "published"`),
	words(`says? (?:so|nothing|whether)`, `"states", "reports", "prints", "sets"`),
	words(`knows? (?:what|which|of|nothing)|hears?|believes?`, `code reads, receives or has no data: "has no type", "receives"`),
	words(`whatever|whoever|who has|who is`, `use the noun: "any page", "the caller"`),
	words(`mended|mends`, `"repaired", "repairs"`),
	words(`leads? nowhere|as if it had|looks? as if`, `state the fact: "does not resolve", "suspected"`),
}

// negated finds "X is no number", but not "there is no number".
var negated = words(`(?:(\w+|%[a-z]|["')])) (?:is|are) no [a-z]+`, `"not a number", "invalid size", "no matching rule"`)

func words(pattern, rule string) phrase {
	return phrase{regexp.MustCompile(`(?i)\b(?:` + strings.ReplaceAll(pattern, " ", `[\s/#*]+`) + `)\b`), rule}
}

// TestWords holds new text to plain English.
func TestWords(t *testing.T) {
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (len(name) > 1 && name[0] == '.' || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		name = filepath.ToSlash(name)
		texts, err := textsOf(name)
		for _, text := range texts {
			found[name] = append(found[name], text.faults(name)...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, faults := range found {
		if len(faults) > 0 && !slices.Contains(unwritten, name) {
			t.Error(strings.Join(faults, "\n"))
		}
	}
	for _, name := range unwritten {
		if len(found[name]) == 0 {
			t.Errorf("%s has none of the phrases any more: take it off the list in words_test.go", name)
		}
	}
	if !slices.IsSorted(unwritten) {
		t.Error("unwritten is not sorted")
	}
}

// passage is a text with the line at which it starts.
type passage struct {
	line int
	text string
}

// faults lists the phrases of a passage.
func (p passage) faults(file string) (faults []string) {
	add := func(at int, found, rule string) {
		line := p.line + strings.Count(p.text[:at], "\n")
		faults = append(faults, file+":"+strconv.Itoa(line)+": "+strconv.Quote(found)+": "+rule)
	}
	for _, ph := range phrases {
		for _, at := range ph.found.FindAllStringIndex(p.text, -1) {
			add(at[0], p.text[at[0]:at[1]], ph.rule)
		}
	}
	for _, at := range negated.found.FindAllStringSubmatchIndex(p.text, -1) {
		if !strings.EqualFold(p.text[at[2]:at[3]], "there") {
			add(at[0], p.text[at[0]:at[1]], negated.rule)
		}
	}
	return faults
}

// code finds the lines of C, Rust and AssemblyScript without a comment.
var code = regexp.MustCompile(`(?m)^[ \t]*[^/* \t\n].*$`)

// textsOf returns the texts of a file for readers: all of a document, and of source its messages
// and the comments that `go doc` shows.
func textsOf(name string) ([]passage, error) {
	switch {
	case name == "words_test.go":
		return nil, nil
	case strings.HasSuffix(name, "_test.go"):
		return nil, nil
	case path.Ext(name) == ".go":
		return textsOfSource(name)
	case slices.Contains([]string{".md", ".html", ".xsd"}, path.Ext(name)):
		data, err := os.ReadFile(name)
		return []passage{{1, string(data)}}, err
	case slices.Contains([]string{".rs", ".h", ".ts"}, path.Ext(name)):
		data, err := os.ReadFile(name)
		return []passage{{1, code.ReplaceAllString(string(data), "")}}, err
	}
	return nil, nil
}

func textsOfSource(name string) (texts []passage, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	comment := func(groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g == nil {
				continue
			}
			for _, c := range g.List {
				if len(texts) > 0 && c != g.List[0] {
					texts[len(texts)-1].text += "\n" + c.Text
					continue
				}
				texts = append(texts, passage{set.Position(c.Pos()).Line, c.Text})
			}
		}
	}
	comment(file.Doc)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.IsExported() {
				comment(n.Doc)
			}
		case *ast.GenDecl:
			if slices.ContainsFunc(n.Specs, exported) {
				comment(n.Doc)
			}
		case *ast.TypeSpec:
			if exported(n) {
				comment(n.Doc, n.Comment)
			}
		case *ast.ValueSpec:
			if exported(n) {
				comment(n.Doc, n.Comment)
			}
		case *ast.Field:
			if slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
				comment(n.Doc, n.Comment)
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && strings.Contains(text, " ") && !strings.HasPrefix(name, "testsites/") {
				texts = append(texts, passage{set.Position(n.Pos()).Line, text})
			}
		}
		return true
	})
	return texts, nil
}

// exported reports whether a declaration has an exported name.
func exported(spec ast.Spec) bool {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Name.IsExported()
	case *ast.ValueSpec:
		return slices.ContainsFunc(s.Names, (*ast.Ident).IsExported)
	}
	return false
}

// unwritten lists the files that still have such phrases. It may only shrink.
var unwritten = []string{
	"cmd/internal/eval/mend/mend.go",
	"cmd/internal/eval/mend/menders.go",
	"engine/adapt/doc.go",
	"engine/adapt/evidence.go",
	"engine/adapt/furniture.go",
	"engine/adapt/judge.go",
	"engine/adapt/learner.go",
	"engine/adapt/left.go",
	"engine/adapt/lessons.go",
	"engine/adapt/level.go",
	"engine/adapt/linkevidence.go",
	"engine/adapt/mend.go",
	"engine/adapt/observe.go",
	"engine/adapt/point.go",
	"engine/adapt/shared.go",
	"engine/adapting.go",
	"engine/draft/write.go",
	"engine/extract/doc.go",
	"engine/extract/explain.go",
	"engine/extract/extract.go",
	"engine/extract/feed.go",
	"engine/extract/guess.go",
	"engine/extract/links.go",
	"engine/extract/parts.go",
	"engine/extract/reader.go",
	"engine/extract/resolve.go",
	"engine/extract/statement.go",
	"engine/extract/streamlinks.go",
	"engine/rank/rank.go",
	"engine/sparql/evaluator/src/index.rs",
	"engine/sparql/evaluator/src/main.rs",
	"engine/trap/branch.go",
	"engine/trap/doc.go",
	"engine/trap/region.go",
	"engine/trap/suspect.go",
	"engine/trap/watch.go",
	"engine/ways/learner.go",
	"frontier/cluster/control.go",
	"plugins/conformance/pages.go",
	"plugins/module/moduletest/answers.go",
	"plugins/module/moduletest/hostile.go",
}
