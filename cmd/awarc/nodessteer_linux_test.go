package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// ends waits for the node to end with an exit status.
func (n *crawlNode) ends(t *testing.T, status int) {
	t.Helper()
	timer := time.AfterFunc(3*time.Minute, func() { _ = n.Process.Kill() })
	defer timer.Stop()
	var exit *exec.ExitError
	err := n.Wait()
	if errors.As(err, &exit) && exit.ExitCode() == status || err == nil && status == exitDone {
		return
	}
	t.Fatalf("%s: %v, want status %d\n%s", n.dir, err, status, n.out.String())
}

func (n *crawlNode) fetches() bool {
	log, err := os.Stat(filepath.Join(n.dir, "log", "crawl.jsonl"))
	return err == nil && log.Size() > 0
}

// TestNodesAreSteeredAsOne: pause, stop and limits hold for all nodes, from any of them, and nothing is fetched twice for it.
func TestNodesAreSteeredAsOne(t *testing.T) {
	heavy(t)
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 10, 60)
	base := t.TempDir()
	one, two := filepath.Join(base, "one"), filepath.Join(base, "two")
	steer := func(what, dir string) {
		t.Helper()
		awarc(t, "", "nodes", what, dir).want(t, exitDone)
	}
	begin := []string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "100ms", "--limit", "100"}
	first := startNode(t, one, append(begin, sites.seeds...)...)
	until(t, "the first request", func() bool { return sites.requests() > 0 })
	steer("pause", one)
	until(t, "a pause", func() bool {
		before := sites.requests()
		time.Sleep(1500 * time.Millisecond)
		return sites.requests() == before
	})
	second := startNode(t, two, "join", "boards", "--frontier", server.URL())
	until(t, "the second node", func() bool { _, err := os.Stat(filepath.Join(two, "log", "crawl.jsonl")); return err == nil })
	paused := sites.requests()
	time.Sleep(time.Second)
	if n := sites.requests(); n != paused || second.fetches() {
		t.Errorf("%d requests while all nodes pause", n-paused)
	}
	steer("continue", two)
	first.ends(t, exitLimit)
	second.ends(t, exitLimit)
	if !second.fetches() {
		t.Error("the second node did nothing")
	}
	const inFlight = 2 * 8
	pages := readReport(t, one).Pages
	if pages < 100 || pages > 100+inFlight {
		t.Errorf("%d pages, want 100 and what was in flight", pages)
	}

	asked := sites.requests()
	awarc(t, "", "resume", two).want(t, exitLimit)
	awarc(t, "", "resume", "--limit", "0", "--size-limit", "1", two).want(t, exitLimit)
	if n := sites.requests(); n != asked {
		t.Errorf("%d requests beyond limits", n-asked)
	}
	awarc(t, "", "resume", "--size-limit", "0", "--time-limit", "1s", one).want(t, exitLimit, "time limit")
	if n := sites.requests(); n == asked {
		t.Error("no request in a second")
	}
	resume := func(dir string) *crawlNode {
		n := &crawlNode{Cmd: command(t, "resume", "--time-limit", "0", dir), dir: dir}
		n.Stdout, n.Stderr = &n.out, &n.out
		if err := n.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = n.Process.Kill() }) // it may have ended
		return n
	}
	asked = sites.requests()
	first, second = resume(one), resume(two)
	until(t, "more requests", func() bool { return sites.requests() > asked })
	steer("stop", two)
	first.ends(t, exitInterrupted)
	second.ends(t, exitInterrupted)
	first, second = resume(one), resume(two)
	first.end(t)
	second.end(t)
	if n := sites.again(); n > 0 {
		t.Errorf("%d requests were made again", n)
	}
}

// TestNodesLearnTogether: what one node has learned is in force on the other, and what is rejected or accepted on one is so on both.
func TestNodesLearnTogether(t *testing.T) {
	heavy(t)
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
