package main

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
)

// TestCrawlMaze counts the addresses of google/security-crawl-maze that are asked for, by flags. No package manager brings the maze:
// MAZE is its address where its app.py serves it, MAZERESULTS its file expected-results.json.
func TestCrawlMaze(t *testing.T) {
	base := strings.TrimSuffix(os.Getenv("MAZE"), "/")
	if base == "" {
		t.Skip("MAZE does not name a server of google/security-crawl-maze")
	}
	data, err := os.ReadFile(os.Getenv("MAZERESULTS"))
	if err != nil {
		t.Fatal(err)
	}
	var expected []string
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags string
		least int // of the 64 addresses that need no script
	}{{"", 12}, {"--requisites", 44}, {"--requisites --sitemaps", 45}, {"--requisites --sitemaps --speculative", 58}} {
		dir, _ := runCrawl(t, append(strings.Fields(test.flags), base+"/")...)
		asked := map[string]bool{}
		for _, e := range readLog(t, dir) {
			if u, err := url.Parse(e.URL); err == nil && strings.HasPrefix(e.URL, base) {
				asked[u.Path] = true
			}
		}
		plain, all, of := 0, 0, 0
		var missed []string
		for _, path := range expected {
			script := strings.Contains(path, "/javascript/")
			switch {
			case asked[path]:
				all++
			case !script:
				missed = append(missed, path)
			}
			if !script {
				of++
				if asked[path] {
					plain++
				}
			}
		}
		t.Logf("%q: %d of %d without scripts, %d of %d; not %v", test.flags, plain, of, all, len(expected), missed)
		if plain < test.least {
			t.Errorf("%q: %d of %d without scripts, want %d at least", test.flags, plain, of, test.least)
		}
	}
}
