package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/kb"
	m "github.com/awarc/awarc/plugins/module/moduletest"
)

var sparqlExample = regexp.MustCompile("(?ms)^```sparql\n(.*?)^```$")

// The queries of the documents run on a crawl, and give something.
func TestDocumentedQueries(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	found := slices.Concat(m.Field(1, "schema:Event"), m.Field(2, "http://example.org/event"))
	dir, o := runCrawl(t, "--plugin", plugin(t, manifest("org.example.events", "1.0.0", "extractor", ""), 0, m.Field(1, found)),
		serve(t, board(t, 60))+"/")
	o.want(t, exitDone)
	text, err := os.ReadFile("../../docs/queries.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := sparqlExample.FindAllStringSubmatch(string(text), -1)
	if len(examples) < 6 {
		t.Errorf("only %d queries were found", len(examples))
	}
	for _, example := range examples {
		o := awarc(t, "", "query", "--crawl", dir, example[1])
		o.want(t, exitDone)
		if strings.Count(o.out, "\n") < 2 {
			t.Errorf("%s\ngives\n%s", example[1], o.out)
		}
	}
}

// The commands of the documents about what was extracted run in a shell, as they are written.
func TestDocumentedCommands(t *testing.T) {
	const first, second = "mycrawl", "mycrawl-2"
	dir := t.TempDir()
	site := serve(t, board(t, 60)) + "/"
	for _, name := range []string{first, second} {
		awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", filepath.Join(dir, name), site).want(t, exitDone)
	}
	if err := os.Symlink(first, filepath.Join(dir, "mycrawl-1")); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	program := command(t)
	shell := "awarc() { AWARC_TEST_MAIN=1 '" + program.Path + "' \"$@\"; }\n"
	commands := 0
	for _, file := range []string{"queries.md", "tables.md"} {
		text, err := os.ReadFile(filepath.Join("../../docs", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range documentedCommand.FindAllStringSubmatch(string(text), -1) {
			line := strings.Replace(m[1], "http://127.0.0.1:3030/ds/data", server.URL, 1)
			c := exec.Command("sh", "-c", shell+line)
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil || len(out) == 0 {
				t.Errorf("%s: %s: %v\n%s", file, line, err, out)
			}
			commands++
		}
	}
	if commands < 8 {
		t.Errorf("only %d commands were found", commands)
	}
}

// documentedCommand is a line with a command about what was extracted.
var documentedCommand = regexp.MustCompile(`(?m)^ {4}(?:\$ )?(awarc (?:query|search|graph|index|export|diff|trends) .*)$`)

// TestQuery: formats, exit statuses, several crawls, files of others.
func TestQuery(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, o := runCrawl(t, serve(t, board(t, 60))+"/")
	o.want(t, exitDone)
	report := readReport(t, dir)

	o = awarc(t, "", "index", "--format", "json", dir)
	o.want(t, exitDone)
	var indexed quads.Result
	err := json.Unmarshal([]byte(o.out), &indexed)
	if err != nil || indexed.Quads != report.Triples || indexed.File != filepath.Join(dir, "state", "graph.db") {
		t.Errorf("%+v (%v), the crawl has %d triples", indexed, err, report.Triples)
	}
	const count = "SELECT (COUNT(?x) AS ?posts) { ?x a sioc:Post }"
	var solutions struct {
		Results struct {
			Bindings []map[string]struct{ Value string }
		}
	}
	o = awarc(t, "", "query", "--format", "json", "--crawl", dir, count)
	o.want(t, exitDone)
	if err := json.Unmarshal([]byte(o.out), &solutions); err != nil || solutions.Results.Bindings[0]["posts"].Value != "60" {
		t.Errorf("%s (%v), want 60 posts", o.out, err)
	}
	const formula = `SELECT ?t ("two\nlines" AS ?u) { VALUES ?t { "=1+1" "plain" } }`
	if o := awarc(t, formula, "query", "--file", "-", "--format", "csv", "--safe", "--crawl", dir); o.out !=
		"t,u\r\n'=1+1,\"two\nlines\"\r\nplain,\"two\nlines\"\r\n" {
		t.Errorf("a formula: %q", o.out)
	}
	for format, want := range map[string]string{"text": "posts\n60\n", "csv": "posts\r\n60\r\n", "tsv": "?posts\n60\n"} {
		if o := awarc(t, count, "query", "--file", "-", "--format", format, "--crawl", dir); o.out != want {
			t.Errorf("%s: %q, want %q", format, o.out, want)
		}
	}
	other := filepath.Join(t.TempDir(), "other.nq")
	if err := os.WriteFile(other, []byte("<http://e/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "+
		"<http://rdfs.org/sioc/ns#Post> .\nthis is no quad\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o = awarc(t, "", "query", "--crawl", dir, "--crawl", other, count)
	o.want(t, exitWithFaults, "other.nq:2:1: expected an IRI or a blank node as the subject")
	if o.out != "posts\n61\n" {
		t.Errorf("a post was added: %q", o.out)
	}
	o = awarc(t, "", "query", "--crawl", dir, "ASK { ?x a sioc:Thread }")
	if o.out != "true\n" {
		t.Errorf("there are threads: %q", o.out)
	}
	awarc(t, "", "query", "--crawl", dir, "SELECT ?x\n{ ?x }").want(t, exitUsage, "query:2:")
	awarc(t, "", "query", "--crawl", dir, "ASK { SERVICE <http://e.example/> {} }").want(t, exitUsage, "http://e.example/")
	awarc(t, "", "query", "--crawl", dir).want(t, exitUsage, "expected one query")
	awarc(t, "", "query", "--crawl", t.TempDir(), count).want(t, exitUsage, "expected the folder of a crawl")
	awarc(t, "", "query", "--crawl", dir, "--time-limit", "300ms", "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }").
		want(t, exitLimit, "exceeded its time limit")
	awarc(t, "", "query", "--crawl", dir, "--output-limit", "1K", "SELECT * { ?a ?b ?c }").want(t, exitLimit, "exceeded their size limit")
}

// TestAddressesThatAreNoIRIs: a page is found in the graph, whatever its address.
func TestAddressesThatAreNoIRIs(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	seed := serve(t, board(t, 20)) + "/?f[]=1&x=%zz"
	dir, o := runCrawl(t, seed, "--max-hops", "0")
	o.want(t, exitDone)
	query := "SELECT ?status { ?capture dcterms:source <" + seed + "> ; awarc:httpStatus ?status }"
	o = awarc(t, "", "query", "--format", "csv", "--crawl", dir, query)
	if o.want(t, exitDone); o.out != "status\r\n200\r\n" {
		t.Errorf("%q", o.out)
	}
}

func TestSearchCommand(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, o := runCrawl(t, serve(t, board(t, 60))+"/")
	o.want(t, exitDone)
	var found quads.Found
	search := func(args ...string) {
		t.Helper()
		o := awarc(t, "", append([]string{"search", "--format", "json", "--crawl", dir}, args...)...)
		o.want(t, exitDone)
		found = quads.Found{}
		if err := json.Unmarshal([]byte(o.out), &found); err != nil {
			t.Fatal(err)
		}
	}
	search("--class", "sioc:Post", "--limit", "100", "--sort", "date")
	if found.Total != 60 || len(found.Hits) != 60 || found.Hits[0].Created < found.Hits[59].Created {
		t.Errorf("%d posts, from %s to %s", found.Total, found.Hits[0].Created, found.Hits[59].Created)
	}
	for _, h := range found.Hits {
		if h.Type != "phpbb" || h.Level != "topic" || h.Record == "" || h.Page == "" || len(h.Creator) != 1 {
			t.Errorf("%+v", h)
		}
	}
	plain := regexp.MustCompile(`\b[a-z]+ [a-z]+ [a-z]+ [a-z]+\b`)
	i := slices.IndexFunc(found.Hits, func(h quads.Hit) bool { return plain.MatchString(h.Snippet.Text) })
	one := found.Hits[i]
	phrase := plain.FindString(one.Snippet.Text)
	search(`"`+phrase+`"`, "--creator", strings.ToUpper(one.Creator[0]), "--host", "127.0.0.1", "--since", one.Created[:10])
	if !slices.ContainsFunc(found.Hits, func(h quads.Hit) bool { return h.ID == one.ID && len(h.Snippet.Marks) > 0 }) {
		t.Errorf("%q of %s: %+v", phrase, one.ID, found)
	}
	o = awarc(t, "", "search", "--crawl", dir, "--limit", "1", "no", "such", "words", phrase)
	o.want(t, exitDone)
	if o.out != "0 of 0 results\n" {
		t.Errorf("%s", o.out)
	}
	o = awarc(t, "", "search", "--crawl", dir, "--limit", "1", `"`+phrase+`"`)
	if !strings.Contains(o.out, "*"+phrase+"*") || !strings.Contains(o.out, "\n1 of ") {
		t.Errorf("%q: %s", phrase, o.out)
	}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil { // where there is such a file
		defer full.Close()
		c := command(t, "search", "--crawl", dir, "--class", "sioc:Post")
		if c.Stdout = full; c.Run() == nil {
			t.Error("results that could not be written are no error")
		}
	}
	awarc(t, "", "search", "--crawl", dir).want(t, exitUsage, "no words and no filter")
	awarc(t, "", "search", "--crawl", dir, "--since", "soon").want(t, exitUsage, "invalid date")
}

// TestGraphPush: what the command says and how it ends; engine/endpoint tests the rest.
func TestGraphPush(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, o := runCrawl(t, serve(t, board(t, 30))+"/")
	o.want(t, exitDone)
	var put atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { put.Add(1) }))
	defer server.Close()
	awarc(t, "", "graph", "push", "--crawl", dir, "--endpoint", server.URL).want(t, exitDone)
	first := put.Load()
	o = awarc(t, "", "graph", "push", "--crawl", dir, "--endpoint", server.URL)
	if o.want(t, exitDone); first == 0 || put.Load() != first || !strings.HasPrefix(o.out, "sent 0 triples") {
		t.Errorf("%d requests, then %d: %s", first, put.Load()-first, o.out)
	}
	awarc(t, "", "graph", "push", "--crawl", dir, "--endpoint", server.URL, "--again").want(t, exitDone)
	if put.Load() != 2*first {
		t.Errorf("%d requests, then %d", first, put.Load()-first)
	}
	awarc(t, "", "graph", "push", "--crawl", dir, "--endpoint", "there").want(t, exitUsage, "invalid endpoint")
	server.Close()
	awarc(t, "", "graph", "push", "--crawl", dir, "--endpoint", server.URL, "--again", "--tries", "1").want(t, exitFailed, "refused")
}

// TestVocabulary: it explains the terms of awarc that graphs and the built-in types have, and no others.
func TestVocabulary(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	o := awarc(t, "", "graph", "vocabulary")
	o.want(t, exitDone)
	var explained []string
	for _, m := range regexp.MustCompile(`(?m)^(awarc:\S+) a owl:`).FindAllStringSubmatch(o.out, -1) {
		explained = append(explained, m[1])
	}
	sources, _ := filepath.Glob("../../engine/graph/*.go")
	said := []string{"awarc:content_html"} // beside each content
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`NS ?\+ ?"(\w+)"`).FindAllSubmatch(text, -1) {
			said = append(said, "awarc:"+string(m[1]))
		}
	}
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range base.Types {
		for _, level := range typ.Levels {
			said = append(said, ownTerms(t, level.Objects)...)
		}
	}
	said = append(said, engine.TextClass) // of pages of no type; see TestTextOfAnyPage
	dir, o := runCrawl(t, serve(t, board(t, 20))+"/")
	o.want(t, exitDone)
	const properties = "SELECT DISTINCT ?p { ?s ?p ?o FILTER(STRSTARTS(STR(?p), STR(awarc:))) }"
	o = awarc(t, "", "query", "--format", "csv", "--crawl", dir, properties)
	o.want(t, exitDone)
	for _, iri := range strings.Fields(o.out)[1:] {
		said = append(said, graph.Prefixed(iri))
	}
	slices.Sort(explained)
	slices.Sort(said)
	if said = slices.Compact(said); !slices.Equal(explained, said) {
		t.Errorf("explained are\n%s\nsaid are\n%s", explained, said)
	}
}

// ownTerms are awarc's properties of the fields of objects.
func ownTerms(t *testing.T, objects []*kb.Object) (terms []string) {
	t.Helper()
	for _, o := range objects {
		for _, f := range o.Fields {
			p, err := graph.Property(f.Name)
			if err != nil {
				t.Fatal(err)
			}
			if name := graph.Prefixed(p); strings.HasPrefix(name, "awarc:") && f.Name != "creator_url" { // which is of the account
				terms = append(terms, name)
			}
		}
		terms = append(terms, ownTerms(t, o.Objects)...)
	}
	return terms
}

// TestIndexWhileCrawling: with --index a crawl can be asked while it runs; killed, it goes on, and in the end nothing is left to be
// indexed.
func TestIndexWhileCrawling(t *testing.T) {
	t.Parallel()
	g := newGate(board(t, 400), 60)
	base := serve(t, g)
	dir := filepath.Join(t.TempDir(), "crawl")
	c := command(t, "crawl", "--index", "--delay", "0", "--min-space", "0", "--out", dir, base+"/")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, crawl.IndexFile)
	until(t, "posts in the index", func() bool {
		r, err := quads.Open(t.Context(), index)
		if err != nil {
			return false
		}
		defer r.Close()
		found, err := r.Search(t.Context(), quads.Search{Class: []string{"sioc:Post"}})
		return err == nil && found.Total > 0
	})
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the crawl was done before it was killed; make the site larger")
	}
	g.open()
	awarc(t, "", "resume", dir).want(t, exitDone)
	var indexed quads.Result
	o := awarc(t, "", "index", "--format", "json", dir)
	if err := json.Unmarshal([]byte(o.out), &indexed); err != nil || indexed.Read != 0 || indexed.Rebuilt != "" || indexed.Quads == 0 {
		t.Errorf("%+v (%v)", indexed, err)
	}
	o = awarc(t, "", "query", "--crawl", dir, "SELECT (COUNT(?x) AS ?posts) { ?x a sioc:Post }")
	if o.out != "posts\n400\n" {
		t.Errorf("%q", o.out)
	}
}
