package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

func (n *crawlNode) fetches() bool { return n.logged() > 0 }

// began reports whether the node has opened its log.
func (n *crawlNode) began() bool {
	_, err := os.Stat(filepath.Join(n.dir, "log", "crawl.jsonl"))
	return err == nil
}

// logged is the size of the log of exchanges.
func (n *crawlNode) logged() int64 {
	log, err := os.Stat(filepath.Join(n.dir, "log", "crawl.jsonl"))
	if err != nil {
		return 0
	}
	return log.Size()
}

// TestNodesAreSteeredAsOne: pause, stop and limits hold for all nodes, from any of them, and nothing is fetched twice for it.
func TestNodesAreSteeredAsOne(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 10, 300)
	base := t.TempDir()
	one, two := filepath.Join(base, "one"), filepath.Join(base, "two")
	steer := func(what, dir string) {
		t.Helper()
		awarc(t, "", "nodes", what, dir).want(t, exitDone)
	}
	begin := []string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "100ms", "--limit", "100"}
	api := freeAddress(t)
	first := startNode(t, one, slices.Concat(begin, []string{"--api", api}, sites.seeds)...)
	until(t, "the first request", func() bool { return sites.requests() > 0 })
	steer("pause", one)
	paused := func(api string) func() bool {
		return func() bool {
			answer, err := http.Get("http://" + api + "/metrics")
			if err != nil { // it does not listen yet
				return false
			}
			defer answer.Body.Close()
			m, err := io.ReadAll(answer.Body)
			return err == nil && bytes.Contains(m, []byte("awarc_paused 1"))
		}
	}
	until(t, "a pause", paused(api))
	requests, there, since := 0, freeAddress(t), time.Now()
	until(t, "the end of the exchanges in flight", func() bool {
		if n := sites.requests(); n != requests {
			requests, since = n, time.Now()
		}
		return time.Since(since) > time.Second
	})
	second := startNode(t, two, "join", "boards", "--frontier", server.URL(), "--api", there)
	until(t, "the second node", second.began)
	until(t, "its pause", paused(there))
	if n := sites.requests(); n != requests || second.fetches() {
		t.Errorf("%d requests while all nodes pause", n-requests)
	}
	if o := awarc(t, "", "report", one); !strings.Contains(o.out, one+": incomplete: running") {
		t.Errorf("the report on a node that pauses:\n%s%s", o.out, o.err)
	}
	steer("continue", two)
	first.ends(t, exitLimit)
	second.ends(t, exitLimit)
	if !second.fetches() {
		t.Error("the second node did nothing")
	}
	inFlight := 2 * int64(8+min(7, 2*runtime.GOMAXPROCS(0))) // what is being read besides what is asked for
	pages := readReport(t, one).Pages
	if pages < 100 || pages > 100+inFlight {
		t.Errorf("%d pages, want 100 and what was in flight", pages)
	}

	asked := sites.requests()
	again := awarc(t, "", "resume", two)
	again.want(t, exitLimit)
	if strings.Contains(again.err, "is not shared") { // of what nodes publish, only the learned entries are for sharing
		t.Error(again.err)
	}
	awarc(t, "", "resume", "--limit", "0", "--size-limit", "1", two).want(t, exitLimit)
	if n := sites.requests(); n != asked {
		t.Errorf("%d requests beyond limits", n-asked)
	}
	awarc(t, "", "resume", "--size-limit", "0", "--time-limit", "1s", one).want(t, exitLimit, "time limit")
	resume := func(dir string) *crawlNode {
		n := &crawlNode{Cmd: command(t, "resume", "--time-limit", "0", dir), dir: dir}
		n.Stdout, n.Stderr = &n.out, &n.out
		if err := n.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = n.Process.Kill() }) // it may have ended
		return n
	}
	before := [2]int64{first.logged(), second.logged()}
	first, second = resume(one), resume(two)
	// One that begins ends a stop.
	until(t, "both to go on", func() bool { return first.logged() > before[0] && second.logged() > before[1] })
	// A command may take longer, on a busy machine, than what is left.
	if err := crawl.Steer(t.Context(), two, "", crawl.SteerStop); err != nil {
		t.Fatal(err)
	}
	first.ends(t, exitInterrupted)
	second.ends(t, exitInterrupted)
	first, second = resume(one), resume(two)
	first.end(t)
	second.end(t)
	if n := sites.again(); n > 0 {
		t.Errorf("%d requests were made again", n)
	}
	steer("stop", two)
}

// TestNodesLearnTogether: what one node has learned is in force on the other, and what is rejected or accepted on one is so on both.
func TestNodesLearnTogether(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	site, base := themed(t, 400)
	dirs := t.TempDir()
	one, two := filepath.Join(dirs, "one"), filepath.Join(dirs, "two")
	first := startNode(t, one, "crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "50ms", base+"/")
	until(t, "something learned", func() bool {
		files, _ := filepath.Glob(filepath.Join(one, "kb", "learned", "*.xml"))
		return len(files) > 0
	})
	awarc(t, "", "nodes", "pause", one).want(t, exitDone)
	second := startNode(t, two, "join", "boards", "--frontier", server.URL())
	state := func(dir, id string) string {
		for _, l := range learnedIn(t, "--crawl", dir, "--all") {
			if l.ID == id || id == "" {
				return l.ID + " " + l.State
			}
		}
		return ""
	}
	until(t, "the other node to know it", func() bool {
		if _, err := os.Stat(filepath.Join(two, "state", "settings.json")); err != nil {
			return false
		}
		return state(two, "") != ""
	})
	id, _, _ := strings.Cut(state(two, ""), " ")
	awarc(t, "", "kb", "reject", "--crawl", one, "--why", "not by me", id).want(t, exitDone)
	until(t, "the rejection", func() bool { return state(two, id) == id+" rejected" })
	awarc(t, "", "kb", "accept", "--crawl", two, id).want(t, exitDone)
	until(t, "the acceptance", func() bool { return state(one, id) == id+" accepted" })
	awarc(t, "", "nodes", "continue", two).want(t, exitDone)
	first.end(t)
	second.end(t)
	for class, want := range site.Truth(base).Count() {
		if got := readReport(t, two).Objects[class]; got < int64(want) {
			t.Errorf("%d %s, want %d", got, class, want)
		}
	}
	late := filepath.Join(dirs, "late")
	awarc(t, "", "join", "boards", "--frontier", server.URL(), "--out", late).want(t, exitDone)
	if got := state(late, id); got != id+" accepted" {
		t.Errorf("a node that joins late has %q", got)
	}
}

// TestNodesAreReadAsOne: the folders of two nodes give the figures, the answers and the file that the folder of one machine gives.
func TestNodesAreReadAsOne(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 4, 120)
	base := t.TempDir()
	whole, one, two := filepath.Join(base, "whole"), filepath.Join(base, "one"), filepath.Join(base, "two")
	awarc(t, "", append([]string{"crawl", "--delay", "0", "--out", whole}, sites.seeds...)...).want(t, exitDone)
	sites.pass(0) // until both take part
	begin := []string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "100ms", "-w", "2"}
	first := startNode(t, one, append(begin, sites.seeds...)...)
	second := startNode(t, two, append(begin, sites.seeds...)...)
	until(t, "more requests than one node has workers", func() bool { return sites.holding() > 2 })
	sites.open()
	first.end(t)
	second.end(t)
	if !first.fetches() || !second.fetches() {
		t.Fatal("one of the nodes did nothing")
	}
	ask := func(dirs []string, flag string, args ...string) string {
		t.Helper()
		for _, dir := range dirs {
			if flag != "" {
				args = append(args, flag)
			}
			args = append(args, dir)
		}
		o := awarc(t, "", args...)
		o.want(t, exitDone)
		return o.out
	}
	nodes := []string{one, two}
	query := `SELECT ?class (COUNT(DISTINCT ?s) AS ?n) { ?s a ?class FILTER(!STRSTARTS(STR(?s), "urn:uuid:")) }
		GROUP BY ?class ORDER BY ?class`
	all := ask([]string{whole}, "--crawl", "query", "--format", "csv", query)
	if got := ask(nodes, "--crawl", "query", "--format", "csv", query); got != all || strings.Count(all, "\n") < 3 {
		t.Errorf("both nodes have\n%s\nwant\n%s", got, all)
	}
	if got := ask([]string{two}, "--crawl", "query", "--format", "csv", query); got == all {
		t.Error("one node has everything")
	}
	if got, want := ask(nodes, "--crawl", "export", "csv"), ask([]string{whole}, "--crawl", "export", "csv"); len(got) != len(want) {
		t.Errorf("a table of %d bytes, want %d", len(got), len(want))
	}

	report := func(dirs ...string) (r struct {
		Crawl struct {
			Pages     int64            `json:"pages"`
			WARCBytes int64            `json:"warc_bytes"`
			Objects   map[string]int64 `json:"objects"`
		} `json:"crawl"`
		Activity     []struct{ Requests int }
		Completeness struct {
			Things json.RawMessage `json:"things"`
			Lists  []struct {
				ID    string                `json:"id"`
				Items struct{ Saved int64 } `json:"items"`
			} `json:"lists"`
		} `json:"completeness"`
	}) {
		t.Helper()
		if err := json.Unmarshal([]byte(ask(dirs, "", "report", "--format", "json")), &r); err != nil {
			t.Fatal(err)
		}
		lists := r.Completeness.Lists // those that lack nothing are in no order
		sort.Slice(lists, func(i, j int) bool { return lists[i].ID < lists[j].ID })
		return r
	}
	got, want, half := report(nodes...), report(whole), report(one)
	if got.Crawl.Pages != want.Crawl.Pages || !maps.Equal(got.Crawl.Objects, want.Crawl.Objects) {
		t.Errorf("%+v, want %+v", got.Crawl, want.Crawl)
	}
	if !reflect.DeepEqual(got.Completeness, want.Completeness) || reflect.DeepEqual(half.Completeness, want.Completeness) {
		t.Errorf("complete is\n%+v, want\n%+v", got.Completeness, want.Completeness)
	}
	requests := 0
	for _, a := range got.Activity {
		requests += a.Requests
	}
	if requests != sites.requests()/2 {
		t.Errorf("the time line has %d requests of %d", requests, sites.requests()/2)
	}
	if got.Crawl.WARCBytes <= half.Crawl.WARCBytes {
		t.Errorf("%d bytes of both nodes, %d of one", got.Crawl.WARCBytes, half.Crawl.WARCBytes)
	}

	type packed struct{ Pages, Skipped, Elsewhere int }
	pack := func(dirs ...string) (p packed) {
		t.Helper()
		out := ask(dirs, "", "pack", "--format", "json", "-o", filepath.Join(base, filepath.Base(dirs[0])+".wacz"))
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	if got, want := pack(nodes...), pack(whole); got != want {
		t.Errorf("packed %+v, want %+v", got, want)
	}
	checkPacked(t, filepath.Join(base, "one.wacz"), nodes...)

	login := sites.seeds[0] + "ucp.php?mode=login"
	if got, want := ask(nil, "", "explain", "--node", two, one, login), ask(nil, "", "explain", whole, login); got != want &&
		!strings.Contains(got, "skipped") {
		t.Errorf("explained is\n%s, want\n%s", got, want)
	}
	awarc(t, "", "report", one, whole).want(t, exitUsage, "belong to different crawls")
	awarc(t, "", "pack", one, one).want(t, exitUsage, "the same node")
}

// checkPacked checks that a file has each WARC file and each line of the index of some folders, sorted.
func checkPacked(t *testing.T, file string, dirs ...string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	has := map[string]*zip.File{}
	for _, f := range z.File {
		if has[f.Name] != nil {
			t.Errorf("%s is there twice", f.Name)
		}
		has[f.Name] = f
	}
	var want []string
	for _, dir := range dirs {
		warcs, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
		for _, name := range warcs {
			if has["archive/"+filepath.Base(name)] == nil {
				t.Errorf("%s is missing", name)
			}
		}
		index, err := os.ReadFile(filepath.Join(dir, "archive", "index.cdxj"))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, strings.Split(strings.TrimSpace(string(index)), "\n")...)
	}
	slices.Sort(want)
	f, err := has["indexes/index.cdx.gz"].Open()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(lines)
	if err != nil || !slices.Equal(strings.Split(strings.TrimSpace(string(got)), "\n"), want) {
		t.Errorf("the index has %d lines, want %d: %v", bytes.Count(got, []byte("\n")), len(want), err)
	}
}
