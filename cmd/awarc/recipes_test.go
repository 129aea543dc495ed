package main

import (
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/awarc/awarc/testsites"
)

// TestRecipeOfOneAuthor: the documented scope fetches every post of an author of a WordPress, from each
// page of the author's list, and no post of others.
func TestRecipeOfOneAuthor(t *testing.T) {
	t.Parallel()
	scope := write(t, "author.yaml", `- exclude: [{hops: over 1}, {path: ["/$", /page/]}]`)
	site, err := testsites.New("wordpress", "twentyten", testsites.Options{Seed: 9, Posts: 60})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, site)
	answer, err := http.Get(base + "/")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	author := regexp.MustCompile(`href="([^"]*/author/[^"]*)"[^>]*>([^<]+)<`).FindStringSubmatch(string(page))
	if err != nil || author == nil {
		t.Fatalf("the first page names no author: %v", err)
	}
	dir, o := runCrawl(t, "--scope", scope, author[1])
	o.want(t, exitDone)
	fetched := map[string]bool{}
	for _, e := range readLog(t, dir) {
		fetched[e.URL] = e.Status == http.StatusOK
	}
	posts := 0
	for _, o := range site.Truth(base).Objects {
		if o.Class != "sioct:BlogPost" {
			continue
		}
		if o.Creator == author[2] {
			posts++
		}
		for _, page := range append([]string{o.URL}, o.More...) {
			if fetched[page] != (o.Creator == author[2]) {
				t.Errorf("%s, by %s: fetched %t for %s", page, o.Creator, fetched[page], author[2])
			}
		}
	}
	if posts < 5 {
		t.Errorf("%d posts of %s", posts, author[2])
	}
}
