package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/awarc/awarc/engine"
)

// TestCountersAreExactAfterKills compares the report of a crawl that was killed
// again and again with that of one that was left alone.
func TestCountersAreExactAfterKills(t *testing.T) {
	t.Parallel()
	site := board(t, 200)
	g := newGate(site, -1)
	base := serve(t, g)
	// Which pages wait to be read again depends on what a session saw before, and their
	// links are then met twice: see TestKilledWhileAdapting.
	alone, o := runCrawl(t, "--no-adapt", base+"/")
	o.want(t, exitDone)
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--no-adapt", "--out", dir, base + "/"}
	random := rand.New(rand.NewPCG(3, 4))
	for kills := 0; kills < 6; kills++ {
		if !g.kill(t, 1+random.IntN(12), args...) {
			break
		}
		args = []string{"resume", dir}
	}
	awarc(t, "", "resume", dir).want(t, exitDone)
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
	got, want := readReport(t, dir), readReport(t, alone)
	// A client without its cookie is given links with a session id: a new session
	// sees a few more links on its first page.
	got.Links.SkippedByKB, want.Links.SkippedByKB = 0, 0
	if got.Requests != want.Requests || got.Pages != want.Pages || got.Links != want.Links || got.Queue != want.Queue {
		t.Errorf("requests %d, pages %d, links %+v, queue %+v; undisturbed %d, %d, %+v, %+v",
			got.Requests, got.Pages, got.Links, got.Queue, want.Requests, want.Pages, want.Links, want.Queue)
	}
	for name, of := range map[string]func(*engine.Report) map[string]int64{
		"types":    func(r *engine.Report) map[string]int64 { return r.Types },
		"levels":   func(r *engine.Report) map[string]int64 { return r.Levels },
		"objects":  func(r *engine.Report) map[string]int64 { return r.Objects },
		"statuses": func(r *engine.Report) map[string]int64 { return r.Statuses },
		"errors":   func(r *engine.Report) map[string]int64 { return r.Errors },
	} {
		if !maps.Equal(of(got), of(want)) {
			t.Errorf("%s %v; undisturbed %v", name, of(got), of(want))
		}
	}
}

// TestAvoidedRequestsOutliveAKill: a report of a crawl that was killed before its first checkpoint has the requests that it
// avoided, and a crawl that is resumed avoids as many as one that was left alone.
func TestAvoidedRequestsOutliveAKill(t *testing.T) {
	t.Parallel()
	dir, _, g, base := killedCrawl(t, 25)
	o := awarc(t, "", "report", "--format", "json", dir)
	var killed struct {
		Crawl engine.Report `json:"crawl"`
	}
	if err := json.Unmarshal([]byte(o.out), &killed); err != nil {
		t.Fatalf("%v\n%s", err, o.out)
	}
	g.pass(-1)
	awarc(t, "", "resume", dir).want(t, exitDone)
	alone, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	got, want := readReport(t, dir).Saved, readReport(t, alone).Saved
	if killed.Crawl.Saved == 0 || killed.Crawl.Saved > got || got != want {
		t.Errorf("%d requests avoided when it was killed, %d at the end, undisturbed %d", killed.Crawl.Saved, got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "state", "avoided.log")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
}

// TestSameTextsAreFoundOverSessions compares pages of a resumed session with pages of earlier
// ones.
func TestSameTextsAreFoundOverSessions(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/" {
			fmt.Fprint(w, "<p>The thing that you are looking for is not here; go back to where you came from.")
			return
		}
		for i := range 5 {
			fmt.Fprintf(w, `<a href="/same/%d">one more page</a> `, i)
		}
	}))
	dir, o := runCrawl(t, "--limit", "2", base+"/")
	o.want(t, exitLimit)
	for _, limit := range []string{"3", "4", "5", "0"} { // a page each
		awarc(t, "", "resume", "--limit", limit, dir)
	}
	i := slices.IndexFunc(readReport(t, dir).Suspicions, func(s engine.Suspicion) bool { return s.Kind == engine.SuspectSameText })
	if i < 0 || readReport(t, dir).Suspicions[i].Count != 4 {
		t.Errorf("suspicions %+v, want 4 pages with the text of another", readReport(t, dir).Suspicions)
	}
}
