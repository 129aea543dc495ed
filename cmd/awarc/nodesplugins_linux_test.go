package main

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
	m "github.com/awarc/awarc/plugins/module/moduletest"
)

// TestNodesShareAPlugin: a node that joins has the crawl's plugin without a file of its own, a new version reaches all nodes and those to
// come, and one that is another plugin, or none, reaches nobody.
func TestNodesShareAPlugin(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 6, 400)
	base := t.TempDir()
	dir := func(name string) string { return filepath.Join(base, name) }
	file := plugin(t, manifest("org.example.swap", "1.0.0", "scorer", ""), 0, m.Field(1, float32(0.25)))
	// Each node is a machine to itself: what the flag names is there on the first alone.
	named := "/proc/self/cwd/" + filepath.Base(file)
	begin := []string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "150ms", "--plugin", named}
	first := startNodeIn(t, filepath.Dir(file), dir("one"), append(begin, sites.seeds...)...)
	join := func(name string) *crawlNode {
		return startNodeIn(t, base, dir(name), "join", "boards", "--frontier", server.URL())
	}
	logged := func(node, log, text string) func() bool {
		return func() bool {
			data, _ := os.ReadFile(filepath.Join(dir(node), "log", log)) // it may not be there yet
			return strings.Contains(string(data), text)
		}
	}
	used := func(node, version string) func() bool {
		return logged(node, "crawl.jsonl", `"org.example.swap@`+version)
	}
	until(t, "a page of the first version", used("one", "1.0.0"))
	sites.pass(0) // here and below, so that pages are left for the nodes to come, however long these take to begin
	second := join("two")
	until(t, "the second node", second.began)
	sites.open()
	until(t, "a page of the first version on a node without the file", used("two", "1.0.0"))
	sites.pass(0)
	other := plugin(t, manifest("org.example.swap", "1.0.1", "scorer", ""), 0, m.Field(1, float32(0.5)))
	awarc(t, "", append([]string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "150ms",
		"--plugin", other, "--out", dir("other")}, sites.seeds...)...).want(t, exitUsage, "has the SHA-256",
		"awarc join boards uses the plugin of the crawl")

	writePlugin(t, file, manifest("org.example.swap", "1.1.0", "scorer", ""), 0, m.Field(1, float32(0.75)))
	sites.open()
	until(t, "the new version where it was put", used("one", "1.1.0"))
	until(t, "the new version on the other node", used("two", "1.1.0"))
	sites.pass(0)
	for refused, write := range map[string]func(){
		"is now org.example.else": func() { writePlugin(t, file, manifest("org.example.else", "1.0.0", "scorer", ""), 0, nil) },
		"not a WebAssembly":       func() { _ = os.WriteFile(file, []byte("no plugin"), 0o644) },
	} {
		write()
		until(t, "the refusal "+refused, logged("one", "plugins.jsonl", refused))
	}
	third := join("three")
	until(t, "the third node", third.began)
	sites.open()
	until(t, "the new version on a node that comes later", used("three", "1.1.0"))
	awarc(t, "", "nodes", "stop", dir("two")).want(t, exitDone)
	for _, n := range []*crawlNode{first, second, third} {
		n.ends(t, exitInterrupted)
		if strings.Contains(n.out.String(), "org.example.else@") {
			t.Errorf("another plugin is in use:\n%s", n.out.String())
		}
	}
	awarc(t, "", "resume", "--plugin", other, dir("two")).want(t, exitUsage, "--plugin cannot change")
	awarc(t, "", "resume", "--max-hops=3", dir("two")).want(t, exitUsage, "--max-hops cannot change in a crawl of several nodes")
	awarc(t, "", "plugin", "list", dir("two")).want(t, exitDone)
	if used("three", "1.0.0")() {
		t.Error("a node that came later used the version before")
	}
}

// TestNodesCrawlAgain: nodes that are given an earlier crawl ask whether its pages are still so, archive none again, and find all that it
// found.
func TestNodesCrawlAgain(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	var answers [2]atomic.Int64 // that something is there, and that it is as it was
	inner := tagged(blog(t, 40))
	g := newGate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		switch rec.Code {
		case http.StatusOK:
			answers[0].Add(1)
		case http.StatusNotModified:
			answers[1].Add(1)
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}), -1)
	site, base := serve(t, g), t.TempDir()
	earlier, one, two := filepath.Join(base, "earlier"), filepath.Join(base, "one"), filepath.Join(base, "two")
	awarc(t, "", "crawl", "--delay", "0", "--out", earlier, site+"/").want(t, exitDone)
	whole := answers[0].Swap(0)
	begin := []string{"crawl", "--frontier", server.URL(), "--crawl", "again", "--delay", "60ms", "-w", "2", "--previous", earlier,
		site + "/"}
	// The site has one host, so chance decides which node gets its pages: the first is alone, then leaves the rest to the second.
	g.pass(20)
	first := startNode(t, one, begin...)
	until(t, "pages of the first node", func() bool { return first.fetches() && g.holding() > 0 })
	second := startNode(t, two, begin...)
	until(t, "the second node", second.began)
	if err := first.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	first.ends(t, exitInterrupted)
	g.open()
	second.end(t)
	if !second.fetches() {
		t.Fatal("the second node did nothing")
	}
	if n := answers[0].Load(); n > whole/10 || answers[1].Load() < whole*9/10 {
		t.Errorf("%d of %d were sent again, %d were as they had been", n, whole, answers[1].Load())
	}
	said := stated(t, one)
	said = append(said, stated(t, two)...)
	slices.Sort(said)
	if said = slices.Compact(said); !slices.Equal(said, stated(t, earlier)) {
		t.Errorf("the nodes state %d things, the earlier crawl %d", len(said), len(stated(t, earlier)))
	}
	awarc(t, "", "pack", "-o", filepath.Join(base, "again.wacz"), one, two).want(t, exitDone)
}
