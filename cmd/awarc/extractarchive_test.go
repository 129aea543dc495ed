package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/reextract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
)

// sortedQuads are those of the captures in a graph in a folder of a crawl.
func sortedQuads(t *testing.T, dir, graph string) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, graph, "*.nq.gz"))
	var all []string
	for _, f := range files {
		if filepath.Base(f) != "crawl.nq.gz" { // which is about the crawl
			all = append(all, readLines(t, f)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// extractAgain reads an archive again and returns what it says of it.
func extractAgain(t *testing.T, status int, args ...string) archiveJSON {
	t.Helper()
	o := awarc(t, "", append([]string{"extract", "--format", "json", "--crawl"}, args...)...)
	o.want(t, status)
	var x archiveJSON
	if err := json.Unmarshal([]byte(o.out), &x); err != nil {
		t.Fatalf("%v: %s", err, o.out)
	}
	return x
}

// TestExtractionIsRepeatedFromTheArchive: the same knowledge base makes the same graph, statement by statement; another one makes
// another, and nothing is asked of anybody.
func TestExtractionIsRepeatedFromTheArchive(t *testing.T) {
	t.Parallel()
	board := board(t, 60)
	blog, err := testsites.New("wordpress", "twentyten", testsites.Options{Seed: 5, Posts: 60})
	if err != nil {
		t.Fatal(err)
	}
	same, _ := copies(9)
	dir, o := runCrawl(t, serve(t, board)+"/", serve(t, blog)+"/", serve(t, same)+"/")
	o.want(t, exitDone)
	asked := board.Requests().Total + blog.Requests().Total
	before := readReport(t, dir)

	x := extractAgain(t, exitDone, dir, "--out", filepath.Join(dir, "again"))
	if want, have := sortedQuads(t, dir, "graph"), sortedQuads(t, dir, "again"); !slices.Equal(have, want) {
		t.Errorf("%d statements, want the same %d; the first that differs: %s", len(have), len(want), firstDifference(have, want))
	}
	about := strings.Join(readLines(t, filepath.Join(dir, "again", "crawl.nq.gz")), "\n")
	for _, said := range []string{"prov#startedAtTime", "prov#endedAtTime", "prov#SoftwareAgent", "dc/terms/isPartOf",
		"ns#knowledgeBase", "ns#seed"} {
		if !strings.Contains(about, said) {
			t.Errorf("the graph says nothing of %s of the extraction:\n%s", said, about)
		}
	}
	if !slices.ContainsFunc(sortedQuads(t, dir, "graph"), func(q string) bool { return strings.Contains(q, "ns#sameBodyAs") }) {
		t.Error("no revisit is linked to the record with its body")
	}
	if x.Pages != int(before.Pages) || x.Objects["sioc:Post"] != int(before.Objects["sioc:Post"]) || x.Skipped != 0 {
		t.Errorf("it read %+v, the crawl %d pages and %v", x.Result, before.Pages, before.Objects)
	}
	for name, n := range before.Levels {
		if x.Levels[name] != int(n) {
			t.Errorf("%d pages of %s, the crawl had %d", x.Levels[name], name, n)
		}
	}

	x = extractAgain(t, exitDone, dir, "--without", "phpbb")
	if x.Types["phpbb"] != 0 || x.Types["wordpress"] != int(before.Types["wordpress"]) ||
		x.Before["sioc:Post"] != before.Objects["sioc:Post"] || !strings.HasPrefix(filepath.Base(x.Graph), "graph-") {
		t.Errorf("without phpBB: %+v", x)
	}
	if now := board.Requests().Total + blog.Requests().Total; now != asked {
		t.Errorf("%d requests were made", now-asked)
	}
	awarc(t, "", "extract", "--crawl", dir, "--out", filepath.Join(dir, "again")).want(t, exitFailed, "exists already")
	awarc(t, "", "extract", "--crawl", filepath.Join(dir, "kb")).want(t, exitUsage, "--crawl")
	awarc(t, "", "extract", "--crawl", dir, "page.html").want(t, exitUsage, "remove FILE-or-URL")
	awarc(t, "", "extract").want(t, exitUsage, "missing argument FILE-or-URL")
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + " and " + b[i]
		}
	}
	return "one has more"
}

// TestDamagedAndForeignArchivesAreReadAgain: what is not whole is named and costs nothing else; a file need not be compressed.
func TestDamagedAndForeignArchivesAreReadAgain(t *testing.T) {
	t.Parallel()
	dir, o := runCrawl(t, serve(t, board(t, 60))+"/")
	o.want(t, exitDone)
	files, err := reextract.Files(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v; want one, and one about the archive", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	posts := int(readReport(t, dir).Objects["sioc:Post"])

	z, err := gzip.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "theirs.warc"), plain, 0o644); err != nil {
		t.Fatal(err)
	}
	x := extractAgain(t, exitDone, foreign)
	if x.Objects["sioc:Post"] != posts || x.Skipped != 0 || x.Before != nil || len(sortedQuads(t, x.Graph, "")) == 0 {
		t.Errorf("without compression: %+v, want %d posts", x, posts)
	}

	torn := bytes.Clone(whole[:len(whole)-100])
	for i := range 200 { // within some record in the middle
		torn[len(torn)/2+i] ^= 0x55
	}
	damaged := filepath.Join(t.TempDir(), "damaged.warc.gz")
	if err := os.WriteFile(damaged, torn, 0o644); err != nil {
		t.Fatal(err)
	}
	x = extractAgain(t, exitWithFaults, damaged)
	if x.Skipped+x.Damaged < 2 || x.Pages < int(readReport(t, dir).Pages)-3 || x.Objects["sioc:Post"] == 0 {
		t.Errorf("a file with two damaged places: %+v, of %d posts", x, posts)
	}

	empty := filepath.Join(foreign, "empty.warc.gz")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if x := extractAgain(t, exitWithFaults, foreign, "--out", filepath.Join(t.TempDir(), "g")); x.Skipped != 1 ||
		x.Objects["sioc:Post"] != posts {
		t.Errorf("with a file that has lost all: %+v", x)
	}
	open := filepath.Join(t.TempDir(), "archive", "x.warc.gz.open")
	if err := errors.Join(os.Mkdir(filepath.Dir(open), 0o755), os.WriteFile(open, whole, 0o644)); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "extract", "--crawl", filepath.Dir(filepath.Dir(open))).want(t, exitUsage, "awarc resume")

	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := filepath.Join(t.TempDir(), "graph")
	told := 0
	_, err = reextract.Run(ctx, files, reextract.Options{Out: out, Detector: detect.New(base), Progress: func(string, int64) {
		if told++; told == 5 {
			cancel()
		}
	}})
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); err == nil || len(left) > 0 {
		t.Errorf("broken off, it ends with %v and leaves %v", err, left)
	}
}

// TestArchiveAloneRepeatsAnExtraction: what an archive was made with is in the archive, so that who has nothing else makes the same of it,
// whatever became of the knowledge base since.
func TestArchiveAloneRepeatsAnExtraction(t *testing.T) {
	t.Parallel()
	known := filepath.Join(t.TempDir(), "slipway.xml")
	if err := os.CopyFS(filepath.Dir(known), os.DirFS("../../kb/testdata/tutorial")); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../kb/testdata/tutorial/topic.html")
	if err != nil {
		t.Fatal(err)
	}
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/t/12" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(page)
	}))
	dir, o := runCrawl(t, "--kb", known, "--without", "phpbb", "--scope-type", "page", site+"/t/12")
	o.want(t, exitDone)
	if err := os.RemoveAll(filepath.Dir(known)); err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "archive")
	if err := os.Rename(filepath.Join(dir, "archive"), alone); err != nil {
		t.Fatal(err)
	}
	if x := extractAgain(t, exitDone, alone, "--out", filepath.Join(dir, "now")); len(x.Types) != 0 {
		t.Errorf("without its knowledge base there are %v", x.Types)
	}
	if x := extractAgain(t, exitDone, alone, "--out", filepath.Join(dir, "then"), "--archived-kb"); x.Objects["sioc:Post"] != 2 {
		t.Errorf("with it there are %v", x.Objects)
	}
	if want, have := sortedQuads(t, dir, "graph"), sortedQuads(t, dir, "then"); len(want) == 0 || !slices.Equal(have, want) {
		t.Errorf("%d statements, want the same %d; the first that differs: %s", len(have), len(want), firstDifference(have, want))
	}
	text := warcText(t, filepath.Dir(alone))
	for _, part := range []string{"urn:awarc:settings.json", "urn:awarc:kb/slipway.xml", "urn:awarc:log/crawl.jsonl", "awarc-kb: ",
		"awarc-settings: {",
		`"Without":["phpbb"]`} {
		if !strings.Contains(text, part) {
			t.Errorf("the archive does not have %s", part)
		}
	}
	other := filepath.Join(t.TempDir(), "other.warc.gz")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "extract", "--crawl", other, "--archived-kb").want(t, exitUsage, "with the knowledge base")
	damageResource(t, alone, "urn:awarc:kb/slipway.xml")
	awarc(t, "", "extract", "--crawl", alone, "--archived-kb").want(t, exitUsage, "files of the knowledge base are missing")
	awarc(t, "", "extract", "--crawl", alone, "--archived-kb", "--kb", known).want(t, exitUsage, "--archived-kb")
	awarc(t, "", "extract", "--archived-kb", other).want(t, exitUsage, "--crawl")
}

// damageResource takes a resource record of an archive out as warc recover does it.
func damageResource(t *testing.T, dir, uri string) {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(dir, "index.cdxj"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(index), "\n"+uri+" ")
	var at struct{ Offset, Filename string }
	if _, object, _ := strings.Cut(line, " "); !found || json.NewDecoder(strings.NewReader(object)).Decode(&at) != nil {
		t.Fatalf("%s is not in the index", uri)
	}
	offset, err := strconv.ParseInt(at.Offset, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, at.Filename)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[offset+100] ^= 0x55
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "warc", "recover", file).want(t, exitDone)
}
