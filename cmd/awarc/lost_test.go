package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/testsites"
)

// killedCrawl starts a crawl of a board and kills it after so many requests.
func killedCrawl(t *testing.T, requests int) (dir string, site *testsites.Site, g *gate, base string) {
	t.Helper()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 7, Posts: 300})
	if err != nil {
		t.Fatal(err)
	}
	g = newGate(site, -1)
	base = serve(t, g)
	dir = filepath.Join(t.TempDir(), "crawl")
	if !g.kill(t, requests, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/") {
		t.Fatal("the crawl ended before it was killed")
	}
	return dir, site, g, base
}

// one gives the only file that a pattern names below a crawl.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(found) != 1 {
		t.Fatalf("%s: %v", pattern, found)
	}
	return found[0]
}

// What was acknowledged and is damaged is fetched again, nothing else is, and all of it is said.
func TestResumeAfterDamage(t *testing.T) {
	t.Parallel()
	flip := func(t *testing.T, file string, part float64) {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b[int(float64(len(b))*part)] ^= 4
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(t *testing.T, file string) {
		t.Helper()
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	_, _, _, base := killedCrawl(t, 1)
	undisturbed := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", undisturbed, base+"/").want(t, exitDone)
	want := readReport(t, undisturbed).Pages
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		most   int // captures that may be fetched again; 0 for any number
		says   string
	}{
		"one bit of the open WARC file": {func(t *testing.T, dir string) { flip(t, one(t, dir, "archive/*.open"), 0.2) }, 1,
			"were damaged"},
		"one bit of the open graph file": {func(t *testing.T, dir string) { flip(t, one(t, dir, "graph/*.open"), 0.2) }, 1, "were damaged"},
		"the open WARC file removed":     {func(t *testing.T, dir string) { remove(t, one(t, dir, "archive/*.open")) }, 0, "was missing"},
		"both open files removed": {func(t *testing.T, dir string) {
			remove(t, one(t, dir, "archive/*.open"))
			remove(t, one(t, dir, "graph/*.open"))
		}, 0, "fetched again"},
		"the start of both files": {func(t *testing.T, dir string) {
			flip(t, one(t, dir, "archive/*.open"), 0)
			flip(t, one(t, dir, "graph/*.open"), 0)
		}, 1, "were damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, site, _, base := killedCrawl(t, 40)
			c.damage(t, dir)
			o := awarc(t, "", "resume", dir)
			o.want(t, exitWithFaults, c.says, "fetched again")
			if !strings.Contains(o.out, "damage ") {
				t.Errorf("the summary does not speak of the damage:\n%s", o.out)
			}
			r := readReport(t, dir)
			n := int(r.Errors["capture_lost"])
			if n == 0 || c.most > 0 && n > c.most || len(r.Damage) == 0 {
				t.Errorf("errors %v, damage %v", r.Errors, r.Damage)
			}
			checkTruth(t, dir, site, base)
			checkArchive(t, dir)
			checkByGowarc(t, dir)
			if twice := len(site.Requests().Twice()); twice > n+2*workers { // and what was in flight
				t.Errorf("%d URLs were asked for twice, %d were lost: %v", twice, n, site.Requests().Twice())
			}
			if r.Pages != want {
				t.Errorf("%d pages, an undisturbed crawl has %d", r.Pages, want)
			}
		})
	}
}

// A finished file that is gone is said and left to the user, who may have moved it; of one that was cut, what is lost is fetched again.
func TestResumeWithoutFinishedFiles(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 7, Posts: 150})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(site)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	flags := []string{"--delay", "0", "--min-space", "0", "--warc-size", "50K", "--limit", "20"}
	awarc(t, "", slices.Concat([]string{"crawl", "--out", dir}, flags, []string{server.URL + "/"})...).want(t, exitLimit)
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*[0-9].warc.gz"))
	if len(files) < 3 {
		t.Fatalf("%d files", len(files))
	}
	moved := filepath.Join(t.TempDir(), "moved.warc.gz")
	if err := os.Rename(files[0], moved); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(files[1])
	if err == nil {
		err = os.Truncate(files[1], info.Size()-4000)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := awarc(t, "", "resume", "--limit", "0", dir)
	o.want(t, exitWithFaults, "is missing: restore the file, or remove", "bytes, and had", "fetched again", "awarc warc recover")
	if r := readReport(t, dir); r.Errors["archive_file"] != 2 || r.Errors["capture_lost"] == 0 || r.Errors["capture_lost"] > 2 {
		t.Errorf("errors %v", r.Errors)
	}
	if err := os.Rename(moved, files[0]); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "warc", "recover", files[1]).want(t, exitDone)
	awarc(t, "", "resume", dir).want(t, exitWithFaults)
	checkTruth(t, dir, site, server.URL)
}
