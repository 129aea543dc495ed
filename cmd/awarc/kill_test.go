package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nlnwa/gowarc/v2"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/testsites"
)

// TestMain lets the test binary be the program: the tests start it as a child
// so that it can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("AWARC_TEST_MAIN") != "" {
		main()
	}
	// Compiled plugins are kept with the user's caches; those of tests are not. What go build keeps is, or it takes a minute.
	if user, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(user, "go-build"))
	}
	cache, err := os.MkdirTemp("", "awarc-test-cache-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", cache)
	if !isLong() {
		// A fifth of the processor's time goes into collecting little garbage. Where memory is judged the collector runs as usual, and
		// so it does here: the most memory that this process had counts as that of each child as well.
		os.Setenv("GOGC", "400")
	}
	if signal.Ignored(syscall.SIGHUP) { // under nohup; children inherit ignored signals, not handlers
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	status := m.Run()
	os.RemoveAll(cache)
	os.Exit(status)
}

// command is the program as a child process.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, args...)
	c.Env = append(os.Environ(), "AWARC_TEST_MAIN=1")
	return c
}

func TestKilledTwentyTimes(t *testing.T) { killOften(t, 20, 2000) }

func TestLongKills(t *testing.T) {
	long(t)
	killOften(t, 200, 12000)
}

// isLong reports whether tests that take minutes run whole, as make test-long wants.
func isLong() bool { return os.Getenv("AWARC_LONG") != "" }

// long skips what make test-long runs.
func long(t *testing.T) {
	t.Helper()
	if !isLong() {
		t.Skip("skipped: takes long; make test-long runs it")
	}
}

// killOften kills a crawl of a board of so many posts, and wants all of it in the end. Every other
// session dies at some moment of its start, the others at some request.
func killOften(t *testing.T, kills, posts int) {
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 7, Posts: posts})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, -1)
	base := serve(t, g)
	dir := filepath.Join(t.TempDir(), "crawl")
	random := rand.New(rand.NewPCG(1, 2))

	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir, base + "/"}
	begun := time.Now()
	killed := 0
	if g.kill(t, 0, args...) {
		killed++
	}
	startup := time.Since(begun)
	args = []string{"resume", dir}
	for ; killed < kills; killed++ {
		if killed%2 == 0 {
			if !g.kill(t, random.IntN(posts/20), args...) {
				break // it was done before its time
			}
			continue
		}
		c := command(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(random.Int64N(int64(startup))), func() { c.Process.Kill() })
		if err := c.Wait(); err == nil {
			break
		} else if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() {
			t.Fatalf("session %d ended by itself: %v", killed+1, err)
		}
	}
	if killed < kills/4 || isLong() && killed < kills {
		t.Fatalf("the crawl was killed only %d times; make the site larger", killed)
	}
	if out, err := command(t, "resume", dir).CombinedOutput(); err != nil {
		t.Fatalf("the last resume: %v\n%s", err, out)
	}

	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
	checkByGowarc(t, dir)
	told := strings.Join(readLines(t, filepath.Join(dir, "graph", "crawl.nq.gz")), "\n") // of the sessions that came so far
	if n := strings.Count(told, "dc/terms/isPartOf"); n < killed/4 || n > killed+1 || strings.Count(told, "#endedAtTime") != 2 {
		t.Errorf("%d sessions began, of the crawl and the last session the end is told, of %d:\n%s", killed+1, n, told)
	}
	for url, n := range site.Requests().Twice() {
		if n > killed+1 {
			t.Errorf("%s was asked for %d times in %d sessions", url, n, killed+1)
		}
	}
	twice := len(site.Requests().Twice())
	if twice > killed*workers {
		t.Errorf("%d URLs were asked for more than once in %d kills; only those in flight may be", twice, killed)
	}
	t.Logf("%d kills, %d URLs asked for more than once", killed, twice)
}

// workers is how many pages can be in flight when a crawl is killed: the eight that are asked for, and those that are read, or archived and
// not yet acknowledged.
var workers = 8 + min(7, 2*runtime.GOMAXPROCS(0))

// checkTruth compares the objects of the report and of the graph with what the
// site says of itself.
func checkTruth(t *testing.T, dir string, site *testsites.Site, base string) {
	t.Helper()
	report, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !report.Finished {
		t.Errorf("the crawl is not finished: %q, %+v", report.Stopped, report.Queue)
	}
	for class, want := range site.Truth(base).Count() {
		if class == "sioc:Forum" {
			want++ // one that leads to another site looks like the others
		}
		if got := report.Objects[class]; got != int64(want) {
			t.Errorf("report: %d %s, want %d", got, class, want)
		}
	}
	if len(report.Missing) > 0 {
		t.Errorf("report: missing %v", report.Missing)
	}
}

// indexed are the lines of the index but for those of what the archive was made with.
func indexed(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(readLines(t, filepath.Join(dir, "archive", "index.cdxj")), func(line string) bool {
		return strings.HasPrefix(line, "urn:awarc:")
	})
}

// checkArchive reads everything back: WARC records, the index, the quads.
func checkArchive(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{"archive/*.open", "graph/*.open"} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			t.Errorf("unfinished files are left: %v", left)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	reports, err := archive.Verify(files...)
	if err != nil {
		t.Fatal(err)
	}
	lookups := 0
	lines := slices.DeleteFunc(indexed(t, dir), func(line string) bool {
		dns := strings.HasPrefix(line, "dns:")
		if dns {
			lookups++
		}
		return dns || strings.HasPrefix(line, "urn:") // a rendered tree, which is a resource record
	})
	responses, amended := -lookups, 0 // an amendment is a metadata record by itself
	for _, r := range reports {
		if r.Bad != nil {
			t.Error(r.Bad)
		}
		answers := r.Records["response"] + r.Records["revisit"]
		responses += answers
		amended += r.Records["metadata"] - r.Records["request"]
		if answers-lookups > r.Records["request"] || answers < r.Records["request"] || answers-lookups > r.Records["metadata"] {
			t.Errorf("%s: records do not come in groups: %v", r.File, r.Records)
		}
	}
	if len(lines) != responses {
		t.Errorf("%d index lines for %d responses", len(lines), responses)
	} else if !slices.IsSorted(lines) {
		t.Error("the index is not sorted")
	}
	graphs, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	captures := 0
	for _, g := range graphs {
		for _, line := range readLines(t, g) {
			if strings.Contains(line, "ns/prov#generatedAtTime") || strings.Contains(line, "prov#generatedAtTime") {
				captures++
			}
		}
	}
	if captures != responses {
		t.Errorf("%d captures in the graph, %d in the archive", captures, responses)
	}
	if n := readReport(t, dir).Adaptation.Reread; amended < int(n) {
		t.Errorf("%d amendments in the archive, %d pages were read again", amended, n)
	}
	for i, line := range readLines(t, filepath.Join(dir, "log", "crawl.jsonl")) {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %d of the crawl log is not JSON: %q", i+1, line)
		}
	}
}

// checkByGowarc has every record read by another reader, and looks for the original of each
// revisit, of which it returns how many there are. It must not run beside a crawl in this process:
// gowarc sets a global whenever it opens a file. A test that calls it is not parallel, or heavy.
func checkByGowarc(t *testing.T, dir string) (revisits int) {
	t.Helper()
	type original struct{ id, uri, date, digest string }
	originals := map[original]bool{}
	var referred []original
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	responses := 0
	for _, file := range files {
		r, err := gowarc.NewWarcFileReader(file, 0, gowarc.WithFixDigest(false)) // it hashes payloads with their chunks
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, at, _, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("gowarc: %s at %d: %v", file, at, err)
			}
			h := rec.WarcHeader()
			switch digest := h.Get(gowarc.WarcPayloadDigest); rec.Type() {
			case gowarc.Response:
				responses++
				originals[original{h.GetId(gowarc.WarcRecordID), h.Get(gowarc.WarcTargetURI), h.Get(gowarc.WarcDate), digest}] = true
			case gowarc.Revisit:
				referred = append(referred, original{h.GetId(gowarc.WarcRefersTo), h.Get(gowarc.WarcRefersToTargetURI),
					h.Get(gowarc.WarcRefersToDate), digest})
			}
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, o := range referred {
		if !originals[o] {
			t.Errorf("a revisit refers to %+v, which is not in the archive", o)
		}
	}
	if lines := indexed(t, dir); len(lines) != responses+len(referred) {
		t.Errorf("gowarc reads %d responses and %d revisits, the index has %d", responses, len(referred), len(lines))
	}
	return len(referred)
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
