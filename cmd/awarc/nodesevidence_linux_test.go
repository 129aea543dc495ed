package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
	"github.com/awarc/awarc/testsites"
)

// TestNodesConfirmTogether: two topics on a node that dies then, and the few that are left on another, are together enough to confirm what
// neither could alone.
func TestNodesConfirmTogether(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: 15})
	if err != nil {
		t.Fatal(err)
	}
	var topics atomic.Int64
	const ofFirst = 2
	gate, waits := make(chan struct{}), make(chan struct{}, 1)
	pages := renamed(site, phpbbTheme...)
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "viewtopic") && topics.Add(1) == ofFirst+1 {
			waits <- struct{}{}
			<-gate
		}
		pages.ServeHTTP(w, r)
	}))
	release := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(release) // before the server is closed, which waits for the topic
	dirs := t.TempDir()
	one, two := filepath.Join(dirs, "one"), filepath.Join(dirs, "two")
	frontier := server.URL() + "?lease=2s"
	first := startNode(t, one, "crawl", "--frontier", frontier, "--crawl", "boards", "--delay", "10ms", "-w", "1", base+"/")
	<-waits
	until(t, "what the first node has seen to be told", func() bool {
		told, err := server.Command(0, "HVALS", "awarc:{boards}:documents")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(told, "sioc:Post") && strings.Count(told, `viewtopic`) >= ofFirst
	})
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	release()
	second := startNode(t, two, "join", "boards", "--frontier", frontier)
	second.end(t)
	t.Logf("%d topics", topics.Load())
	if files, _ := filepath.Glob(filepath.Join(one, "kb", "learned", "*.xml")); len(files) > 0 {
		t.Errorf("the first node has learned %v alone", files)
	}
	if n := len(learnedIn(t, "--crawl", two, "--all")); n == 0 {
		t.Error("the second node has learned nothing")
	}
}
