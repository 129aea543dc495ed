package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

const ownKB = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="own" name="Own">
<detect><pattern>meta[@name='generator'][@content='WORD']</pattern></detect>
<level id="home" kind="terminal"><detect><pattern>body[@id='WORD']</pattern></detect></level>
</type></category></kb>`

// TestLostNodesAndServersAreNamed: a node whose folder is gone is named and its captures are fetched
// again, a node with another knowledge base warns, and a server that was emptied fails the crawl.
func TestLostNodesAndServersAreNamed(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 1, 20)
	base := t.TempDir()
	kbFile := write(t, "own.xml", strings.ReplaceAll(ownKB, "WORD", "one"))
	scope := write(t, "scope.yaml", "- exclude: {mime: image/*}\n")
	one, two := filepath.Join(base, "one"), filepath.Join(base, "two")
	flags := func(name, dir string) []string {
		return append([]string{"crawl", "--frontier", server.URL(), "--crawl", name, "--delay", "0", "--min-space", "0", "--kb", kbFile,
			"--requisites", "--scope", scope, "--out", dir}, sites.seeds...)
	}
	if _, err := server.Command(0, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru"); err != nil {
		t.Fatal(err)
	}
	first := awarc(t, "", flags("boards", one)...)
	first.want(t, exitWithFaults) // pictures of a host that there is not
	if !strings.Contains(first.err, "evicts keys when its memory is full") || strings.Contains(first.err, "AOF") {
		t.Errorf("warnings of the server:\n%s", first.err)
	}
	archived := savedURLs(t, one)
	if err := os.WriteFile(kbFile, []byte(strings.ReplaceAll(ownKB, "WORD", "two")), 0o644); err != nil {
		t.Fatal(err)
	}
	second := awarc(t, "", flags("boards", two)...)
	second.want(t, exitWithFaults)
	if !strings.Contains(second.err, kbFile+" (SHA-256 ") {
		t.Errorf("a node with another knowledge base:\n%s", second.err)
	}
	if err := os.RemoveAll(one); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"report", two}, {"explain", two, sites.seeds[0]}} {
		if o := awarc(t, "", args...); !strings.Contains(o.err, "the folder "+one+" of node") || !strings.Contains(o.err, "is missing") {
			t.Errorf("%s does not name the lost node:\n%s%s", args[0], o.out, o.err)
		}
	}
	o := awarc(t, "", "nodes", "recover", two)
	o.want(t, exitDone)
	if !strings.Contains(o.out, "lost: ") || !strings.Contains(o.out, one) {
		t.Errorf("recover: %s", o.out)
	}
	if o := awarc(t, "", "resume", two); !strings.Contains(o.err, "is missing") {
		t.Errorf("resume does not name the lost node:\n%s", o.err)
	}
	again := savedURLs(t, two)
	for _, u := range archived { // robots.txt, and pictures that a rule left out after their answer, too
		if strings.HasPrefix(u, sites.seeds[0]) && !slices.Contains(again, u) {
			t.Errorf("%s was not fetched again", u)
		}
	}

	gated := watchSites(t, 1, 40)
	gated.pass(5)
	done := make(chan outcome)
	go func() {
		done <- awarc(t, "", append([]string{"crawl", "--frontier", server.URL(), "--crawl", "emptied", "--delay", "0", "--min-space", "0",
			"--out", filepath.Join(base, "three")}, gated.seeds...)...)
	}()
	gated.wait(t)
	if _, err := server.Command(0, "FLUSHALL"); err != nil {
		t.Fatal(err)
	}
	gated.pass(-1)
	(<-done).want(t, exitFailed, server.Addresses[0]+" has lost")
}
