package sparql

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/quads"
)

// opened is the engine that tests share: to compile takes a second.
var opened = sync.OnceValues(func() (*Engine, error) { return Open(context.Background(), "", 256<<20) })

func engine(t testing.TB) *Engine {
	t.Helper()
	e, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// index makes an index of N-Quads.
func index(t testing.TB, nquads string) *quads.Reader {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.nq")
	if err := os.WriteFile(file, []byte(nquads), 0o644); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "index.db")
	if r, err := quads.Build(context.Background(), name, []string{file}, quads.Options{}); err != nil || r.Skipped > 0 {
		t.Fatal(r, err)
	}
	r, err := quads.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// forum is a thread that two pages show; one of them shows the first post once more.
const forum = `
<http://f/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#Post> <urn:page:1> .
<http://f/1> <http://purl.org/dc/terms/title> "Hello"@en <urn:page:1> .
<http://f/1> <http://purl.org/dc/terms/created> "2026-01-02T03:04:05Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> <urn:page:1> .
<http://f/2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#Post> <urn:page:2> .
<http://f/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#Post> <urn:page:2> .
<http://f/2> <http://rdfs.org/sioc/ns#reply_of> <http://f/1> <urn:page:2> .
<http://f/2> <http://purl.org/dc/terms/title> "Re: \"Hello\"" <urn:page:2> .
<http://f/0> <http://purl.org/dc/terms/title> "without a graph" .
`

var prefixes = map[string]string{"sioc": "http://rdfs.org/sioc/ns#", "dcterms": "http://purl.org/dc/terms/"}

func ask(t testing.TB, r *quads.Reader, query string, f Format) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := engine(t).Query(t.Context(), r, query, f, &out, Options{Prefixes: prefixes, Time: 20 * time.Second})
	return out.String(), err
}

func TestQueries(t *testing.T) {
	r := index(t, forum)
	for _, tc := range [][2]string{
		{"SELECT ?t { ?x a sioc:Post ; dcterms:title ?t } ORDER BY ?t", "t\nHello\n\"Re: \"\"Hello\"\"\"\n"},
		{"SELECT (COUNT(*) AS ?n) { ?x a sioc:Post }", "n\n2\n"},
		{"SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?x a sioc:Post } }", "n\n3\n"},
		{"SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "n\n7\n"},
		{"SELECT ?g { GRAPH ?g {} } ORDER BY ?g", "g\nurn:page:1\nurn:page:2\n"},
		{"SELECT ?t { GRAPH <urn:page:2> { ?x dcterms:title ?t } }", "t\n\"Re: \"\"Hello\"\"\"\n"},
		{"SELECT (COUNT(*) AS ?n) FROM <urn:page:1> { ?s ?p ?o }", "n\n3\n"},
		{"SELECT ?x { ?x sioc:reply_of+ <http://f/1> }", "x\nhttp://f/2\n"},
		{"SELECT ?x { ?x dcterms:title ?t FILTER(LANG(?t) = \"en\" && REGEX(?t, \"^hel\", \"i\")) }", "x\nhttp://f/1\n"},
		{"SELECT ?x { ?x dcterms:created ?d FILTER(?d > \"2026-01-01T00:00:00+01:00\"^^xsd:dateTime) }", "x\nhttp://f/1\n"},
		{"SELECT ?y { ?x dcterms:created ?d BIND(YEAR(?d) + 1 AS ?y) }", "y\n2027\n"},
		{"SELECT ?x { ?x a sioc:Post MINUS { ?x sioc:reply_of ?y } }", "x\nhttp://f/1\n"},
		{"SELECT ?x { ?x a sioc:Post FILTER NOT EXISTS { ?x sioc:reply_of ?y } }", "x\nhttp://f/1\n"},
		{"SELECT ?x ?d { VALUES ?x { <http://f/1> <http://f/9> } OPTIONAL { ?x dcterms:created ?d } } ORDER BY ?x",
			"x,d\nhttp://f/1,2026-01-02T03:04:05Z\nhttp://f/9,\n"},
		{"SELECT ?n { { SELECT (COUNT(?x) AS ?n) { ?x a sioc:Post } } }", "n\n2\n"},
		{"SELECT * { ?x sioc:reply_of ?a }", "x,a\nhttp://f/2,http://f/1\n"}, // columns as they were written
		{"ASK { ?x sioc:reply_of ?x }", "false"},
	} {
		query, want := "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "+tc[0], tc[1]
		got, err := ask(t, r, query, CSV)
		if got = strings.ReplaceAll(got, "\r", ""); err != nil || got != want {
			t.Errorf("%s\n got %q (%v)\nwant %q", query, got, err, want)
		}
	}
}

// TestComputedPatterns: a pattern that is computed for each row is compiled once, so it costs little more than a constant.
func TestComputedPatterns(t *testing.T) {
	r := index(t, forum)
	const many = "{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . VALUES (?p ?q ?r) { (\"hel(l)\\\\w*\" \"i\" \"$1\") } " +
		"BIND(CONCAT(STR(?c), STR(?f), STR(?i), STR(?l)) AS ?text) "
	took := func(filter string) time.Duration {
		t.Helper()
		began := time.Now()
		got, err := ask(t, r, "SELECT (COUNT(*) AS ?n) "+many+filter+" }", CSV)
		if err != nil || got != "n\r\n1776\r\n" {
			t.Errorf("%s: %q, %v", filter, got, err)
		}
		return time.Since(began)
	}
	engine(t) // compiles
	constant := took(`FILTER(REGEX(?text, "hel(l)\\w*", "i"))`)
	for _, filter := range []string{`FILTER(REGEX(?text, ?p, ?q))`, `FILTER(REPLACE(?text, ?p, ?r, ?q) != ?text)`} {
		if computed := took(filter); computed > 40*constant {
			t.Errorf("%s took %v, a constant pattern %v", filter, computed, constant)
		}
	}
	got, err := ask(t, r, `SELECT ?x { ?s dcterms:title ?t VALUES ?p { "l+" "(" } BIND(REPLACE(?t, ?p, "L") AS ?x) } ORDER BY ?x`, TSV)
	if want := "?x\n\n\n\n\"HeLo\"@en\n\"Re: \\\"HeLo\\\"\"\n\"without a graph\"\n"; err != nil || got != want {
		t.Errorf("replaced: %q (%v), want %q", got, err, want)
	}
}

// Addresses in queries are found as pages have them; what only looks like one is as it was.
func TestAddressesInQueries(t *testing.T) {
	r := index(t, `<http://f/?f[]=1&x=%zz> <http://purl.org/dc/terms/title> "<http://f/[>" .`)
	for _, query := range []string{
		"SELECT ?t { <http://f/?f[]=1&x=%zz> dcterms:title ?t }",
		"SELECT ?t { <http://f/?f%5B%5D=1&x=%25zz> dcterms:title ?t } # <http://f/[>",
		`SELECT ?t { ?x dcterms:title ?t FILTER(STR(?t) = "<http://f/[>" && 1<2&&3>2) }`,
		`SELECT ?t { ?x dcterms:title ?t FILTER(?t = '''it's \'<http://f/[>''' || ?t = '<http://f/[>') }`,
	} {
		if got, err := ask(t, r, query, CSV); got != "t\r\n<http://f/[>\r\n" {
			t.Errorf("%s: %q, %v", query, got, err)
		}
	}
}

func TestFormats(t *testing.T) {
	r := index(t, forum)
	const one = "SELECT ?t { <http://f/1> dcterms:title ?t }"
	for _, tc := range []struct {
		query string
		f     Format
		want  string
	}{
		{one, JSON, `{"head":{"vars":["t"]},"results":{"bindings":[{"t":{"type":"literal","value":"Hello","xml:lang":"en"}}]}}`},
		{one, Both, `{"head":{"vars":["t"]},"results":{"bindings":[{"t":{"type":"literal","value":"Hello","xml:lang":"en"}}]}}`},
		{one, TSV, "?t\n\"Hello\"@en\n"},
		{"ASK { }", JSON, `{"head":{},"boolean":true}`},
		{"CONSTRUCT WHERE { <http://f/1> dcterms:title ?t }", Both, "<http://f/1> <http://purl.org/dc/terms/title> \"Hello\"@en .\n"},
		{"CONSTRUCT WHERE { <http://f/1> dcterms:title ?t }", Turtle, "@prefix dcterms: <http://purl.org/dc/terms/> .\n" +
			"@prefix sioc: <http://rdfs.org/sioc/ns#> .\n<http://f/1> dcterms:title \"Hello\"@en .\n"},
		{"CONSTRUCT WHERE { <http://f/1> dcterms:title ?t }", TriG, "@prefix dcterms: <http://purl.org/dc/terms/> .\n" +
			"@prefix sioc: <http://rdfs.org/sioc/ns#> .\n<http://f/1> dcterms:title \"Hello\"@en .\n"},
		{"CONSTRUCT WHERE { <http://f/1> dcterms:title ?t }", JSONLD, `{"@context":{"dcterms":"http://purl.org/dc/terms/",` +
			`"sioc":"http://rdfs.org/sioc/ns#"},"@graph":[{"@id":"http://f/1","http://purl.org/dc/terms/title":` +
			`[{"@language":"en","@value":"Hello"}]}]}`},
		{"ASK { }", XML, `<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head></head>` +
			`<boolean>true</boolean></sparql>`},
		{"DESCRIBE <http://f/0>", NTriples, "<http://f/0> <http://purl.org/dc/terms/title> \"without a graph\" .\n"},
	} {
		got, err := ask(t, r, tc.query, tc.f)
		if err != nil || got != tc.want {
			t.Errorf("%s as %s\n got %q (%v)\nwant %q", tc.query, tc.f, got, err, tc.want)
		}
	}
}

func TestWhatIsNoQuery(t *testing.T) {
	r := index(t, forum)
	_, err := ask(t, r, "SELECT ?t {\n  ?x dcterms:title ; ?t }", CSV)
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 2 || syntax.Column != 20 || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if _, err := ask(t, r, "SELECT ?x WHERE { ?x ?y ?z", CSV); err == nil || strings.Count(err.Error(), "a name") != 1 {
		t.Errorf("a missing brace: %v", err)
	}
	for query, want := range map[string]string{
		"SELECT * { SERVICE <http://e.example/sparql> { ?s ?p ?o } }": "http://e.example/sparql",
		"SELECT (<http://e.example/f>(1) AS ?x) {}":                   "http://e.example/f",
		"CONSTRUCT WHERE { ?s ?p ?o }":                                "CONSTRUCT",
		"DELETE WHERE { ?s ?p ?o }":                                   "updates",
		"# a\nPREFIX e: <http://e/>\ninsert data { e:a e:b 1 }":       "updates",
	} {
		_, err := ask(t, r, query, CSV)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an UnsupportedError with %q", query, err, want)
		}
	}
	if _, err := ask(t, r, "ASK {}", NTriples); err == nil {
		t.Error("an answer is no triple, but was written as some")
	}
	_, err = ask(t, r, "ASK { ?x nope:y ?z }", CSV)
	if !errors.As(err, &syntax) || !strings.HasPrefix(syntax.Message, "undeclared prefix nope:; add") {
		t.Errorf("an unknown prefix: %v", err)
	}
	deep := "ASK " + strings.Repeat("{", 5000) + strings.Repeat("}", 5000)
	if _, err := ask(t, r, deep, CSV); !errors.As(err, &syntax) || syntax.Message != "it is nested too deeply" {
		t.Errorf("a deep query: %v", err)
	}
}

// runaway has a hundred terms, of which queries make products.
func runaway(t testing.TB) *quads.Reader {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "<http://s/%d> <http://p> \"%d\" <http://g> .\n", i, i)
	}
	return index(t, b.String())
}

const endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }"

func TestQueriesThatRunAway(t *testing.T) {
	r := runaway(t)
	for _, tc := range []struct {
		name, query string
		o           Options
		want        error
	}{
		{"time over the index", endless, Options{Time: time.Second / 5}, ErrTime},
		{"time over nothing", "SELECT (COUNT(*) AS ?n) { " + strings.Repeat("VALUES ?x {"+strings.Repeat(" 1", 1000)+"} ", 4) + "}",
			Options{Time: time.Second / 5}, ErrTime},
		{"memory", "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } ORDER BY ?l", Options{Time: time.Minute}, ErrMemory},
		{"output", "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", Options{Time: time.Minute, Output: 1 << 20}, ErrOutput},
	} {
		var out bytes.Buffer
		err := engine(t).Query(t.Context(), r, tc.query, CSV, &out, tc.o)
		if tc.o.Output > 0 && int64(out.Len()) > tc.o.Output {
			t.Errorf("%s: wrote %d bytes", tc.name, out.Len())
		}
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	err := engine(t).Query(canceled, r, endless, CSV, &bytes.Buffer{}, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if got, err := ask(t, r, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", CSV); err != nil || !strings.HasPrefix(got, "n\r\n100") {
		t.Errorf("after all that: %q, %v", got, err)
	}
}

// Queries that run side by side on one engine know nothing of each other.
func TestConcurrentQueries(t *testing.T) {
	var all sync.WaitGroup
	for i := range 4 {
		r := index(t, strings.ReplaceAll(forum, "http://f/", fmt.Sprintf("http://f%d/", i)))
		all.Go(func() {
			for range 20 {
				got, err := ask(t, r, "SELECT ?x { ?x sioc:reply_of ?y }", CSV)
				if want := fmt.Sprintf("x\r\nhttp://f%d/2\r\n", i); err != nil || got != want {
					t.Errorf("got %q (%v), want %q", got, err, want)
				}
			}
		})
	}
	all.Wait()
}

// built reads what evaluator/build.sh wrote of its run.
func built(t *testing.T) (sources, module, compiler string) {
	t.Helper()
	sum, err := os.ReadFile("evaluator.sum")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(sum), "\n")
	return strings.Fields(lines[0])[0], strings.Fields(lines[1])[0], lines[2]
}

func TestEvaluatorIsOfItsSources(t *testing.T) {
	sources, module, _ := built(t)
	files, err := filepath.Glob("evaluator/src/*.rs")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	slices.Sort(files)
	h := sha256.New()
	for _, name := range append([]string{"evaluator/Cargo.toml", "evaluator/Cargo.lock"}, files...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(text)
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != sources {
		t.Errorf("evaluator.wasm was built from other sources (%s) than those in evaluator (%s): make evaluator", sources, got)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(evaluator)); got != module {
		t.Errorf("evaluator.wasm is %s; evaluator.sum says %s: make evaluator", got, module)
	}
}

func TestEvaluatorIsBuiltAgain(t *testing.T) {
	if os.Getenv("AWARC_LONG") == "" {
		t.Skip("to build the evaluator takes a minute: with AWARC_LONG=1 only")
	}
	_, module, compiler := built(t)
	version, err := exec.Command("rustc", "--version").Output()
	if err != nil || strings.TrimSpace(string(version)) != compiler {
		t.Skipf("evaluator.wasm was built by %s; here is %q (%v), which builds another", compiler, version, err)
	}
	lib, err := exec.Command("rustc", "--print", "target-libdir", "--target", "wasm32-wasip1").Output()
	if core, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(lib)), "libcore-*")); err != nil || len(core) == 0 {
		t.Skip("Rust has no target wasm32-wasip1 here: rustup target add wasm32-wasip1")
	}
	out := t.TempDir()
	if said, err := exec.Command("evaluator/build.sh", filepath.Join(out, "target"), out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	again, err := os.ReadFile(filepath.Join(out, "evaluator.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(again)); got != module {
		t.Errorf("built again, the evaluator is %s, not %s", got, module)
	}
}
