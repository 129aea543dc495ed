package main

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/awarc/awarc/engine"
)

// checkOutcomes holds the outcomes of a crawl to add up, altogether and over its hosts, and returns them.
func checkOutcomes(t *testing.T, dir string) *engine.Outcomes {
	t.Helper()
	o := reportOf(t, dir).Crawl.Outcomes
	if o == nil {
		t.Fatalf("%s has no outcomes", dir)
	}
	sum := func(m map[string]int) (n int) {
		for v := range maps.Values(m) {
			n += v
		}
		return n
	}
	excluded, failed := sum(o.Excluded), sum(o.Failed)
	if n := o.Archived + o.ArchivedAsAnother + excluded + failed + o.Deferred + o.Waiting; n != o.Found || o.Lost != 0 || n == 0 {
		t.Errorf("%d URLs have an outcome, of %d found: %+v", n, o.Found, o)
	}
	var all engine.HostOutcomes
	for _, h := range o.Hosts {
		all.Found, all.Archived, all.Excluded = all.Found+h.Found, all.Archived+h.Archived, all.Excluded+h.Excluded
		all.Failed, all.Deferred, all.Waiting = all.Failed+h.Failed, all.Deferred+h.Deferred, all.Waiting+h.Waiting
		if h.Found != h.Archived+h.Excluded+h.Failed+h.Deferred+h.Waiting {
			t.Errorf("a host has %+v", h)
		}
	}
	if want := (engine.HostOutcomes{Found: o.Found, Archived: o.Archived + o.ArchivedAsAnother, Excluded: excluded, Failed: failed,
		Deferred: o.Deferred, Waiting: o.Waiting}); all != want {
		t.Errorf("all hosts have %+v, want %+v", all, want)
	}
	return o
}

// TestOutcomesOfMirrorsAddUp: every URL found has one outcome when a crawl of a mirror is killed, stopped by a limit, and complete.
func TestOutcomesOfMirrorsAddUp(t *testing.T) {
	t.Parallel()
	server, sites := mirrorServer(t)
	for i, m := range mirroredSites {
		if i > 1 && !isLong() {
			break // another theme of the same blog
		}
		t.Run(m.file, func(t *testing.T) {
			g := newGate(relayed(t, serveMirror(t, server, sites, m.file, m.drop)), -1)
			dir := filepath.Join(t.TempDir(), "crawl")
			if !g.kill(t, 30, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, serve(t, g)+"/") {
				t.Fatal("the crawl ended before it was killed")
			}
			g.pass(-1)
			found := []int{checkOutcomes(t, dir).Found}
			for _, part := range []struct {
				limit  string
				status int
			}{{"60", exitLimit}, {"0", exitDone}} {
				awarc(t, "", "resume", "--limit", part.limit, dir).want(t, part.status)
				o := checkOutcomes(t, dir)
				if found = append(found, o.Found); (o.Waiting > 0) != (part.status == exitLimit) {
					t.Errorf("%d URLs wait after exit status %d", o.Waiting, part.status)
				}
			}
			if !slices.IsSorted(found) {
				t.Errorf("found URLs were forgotten: %v", found)
			}
		})
	}
}
