package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// TestNodesCompareEditedFiles: a node that starts after another took over an edit is compared with
// the edit: the edited file gives no warning, the file as it was gives one.
func TestNodesCompareEditedFiles(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 1, 20)
	base := t.TempDir()
	before, after := strings.ReplaceAll(ownKB, "WORD", "one"), strings.ReplaceAll(ownKB, "WORD", "two")
	file := write(t, "own.xml", before)
	edit := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	flags := func(node string) []string {
		return append([]string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "0", "--min-space", "0", "--kb", file,
			"--out", filepath.Join(base, node)}, sites.seeds...)
	}
	sites.pass(3)
	first, errs := command(t, flags("one")...), new(lockedBuffer)
	first.Stderr = errs
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	sites.wait(t)
	edit(after)
	until(t, "the first node to publish the edit", func() bool { return strings.Contains(errs.String(), file+" was edited on this node") })
	sites.pass(-1)
	if status := exitStatus(t, first); status != exitDone {
		t.Fatalf("exit status %d\n%s", status, errs.String())
	}
	const warning = " (SHA-256 "
	o := awarc(t, "", flags("two")...)
	o.want(t, exitDone)
	if strings.Contains(o.err, warning) {
		t.Errorf("a node with the edited file:\n%s", o.err)
	}
	edit(before)
	o = awarc(t, "", flags("three")...)
	o.want(t, exitDone)
	if !strings.Contains(o.err, file+warning) {
		t.Errorf("a node with the file as it was:\n%s", o.err)
	}
	edit(after)
	o = awarc(t, "", append([]string{"resume"}, filepath.Join(base, "one"))...)
	if strings.Contains(o.err, warning) {
		t.Errorf("the first node again:\n%s", o.err)
	}
}
