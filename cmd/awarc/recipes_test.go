package main

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
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

// mirrorRecipe is a documented scope, tried on the mirror of a real site. What it has to fetch is read from the pages of the
// mirror by regular expressions, without the knowledge base.
type mirrorRecipe struct {
	name, mirror, drop, rule, seed string
	item                           string // in lists: the address of a thing
	class                          string
	posts                          string // in threads: the id of a post
	next                           string // page
}

const nextOfPhpbb = `href="([^"]*)" rel="next"`

var mirrorRecipes = []mirrorRecipe{
	{name: "one thread", mirror: "phpbb-3.3-prosilver", drop: "sid", rule: "- exclude: {hops: over 0}",
		seed: "/viewtopic.php?t=21", class: "sioc:Thread", posts: `id="p(\d+)"`, next: nextOfPhpbb},
	{name: "one forum", mirror: "phpbb-3.3-prosilver", drop: "sid",
		rule: `- only: [{hops: under 1}, {path: "*/viewtopic.php", hops: under 2}]`, seed: "/viewforum.php?f=8",
		item: `href="([^"]*)" class="topictitle"`, class: "sioc:Thread", posts: `id="p(\d+)"`, next: nextOfPhpbb},
	{name: "one author", mirror: "wordpress-6.1-twentytwentyone", rule: `- exclude: [{hops: over 1}, {path: ["/$", /page/]}]`,
		seed: "/author/admin/", item: `class="entry-title[^"]*"><a href="([^"]*)"`, class: "sioct:BlogPost",
		next: `class="next page-numbers" href="([^"]*)"`},
}

// pagesFrom returns the pages of a mirror from an address on, each with the next.
func (m *mirrorRecipe) pagesFrom(t *testing.T, address string) (pages []string) {
	t.Helper()
	next := regexp.MustCompile(m.next)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		answer, err := http.Get(at.String())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v", at, answer.Status, err)
		}
		pages = append(pages, string(text))
		link := next.FindSubmatch(text)
		if link == nil {
			return pages
		}
		if at, err = at.Parse(html.UnescapeString(string(link[1]))); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%s has no last page", address)
	return nil
}

// matches returns what the group of an expression finds on pages, each once.
func matches(expr string, pages []string) map[string]bool {
	found := map[string]bool{}
	for _, page := range pages {
		for _, m := range regexp.MustCompile(expr).FindAllStringSubmatch(page, -1) {
			found[html.UnescapeString(m[1])] = true
		}
	}
	return found
}

// TestRecipesOverMirrors: the documented scopes of one thread, one forum and one author archive, of the mirrors of real sites,
// everything that belongs there, and nothing else. The mirrors have no page of a year.
func TestRecipesOverMirrors(t *testing.T) {
	t.Parallel()
	server, sites := mirrorServer(t)
	for _, m := range mirrorRecipes {
		t.Run(m.name, func(t *testing.T) {
			base := serveMirror(t, server, sites, m.mirror, m.drop)
			things := map[string]bool{base + m.seed: true}
			if m.item != "" {
				things = map[string]bool{}
				for address := range matches(m.item, m.pagesFrom(t, base+m.seed)) {
					things[base+"/"+strings.TrimLeft(strings.TrimPrefix(address, base), "./")] = true
				}
			}
			posts := 0
			if m.posts != "" {
				for thing := range things {
					posts += len(matches(m.posts, m.pagesFrom(t, thing)))
				}
			}
			documented(t, m.rule)
			dir, o := scoped(t, m.rule+"\n", base+m.seed)
			o.want(t, exitDone)
			fetched, objects := map[string]bool{}, readReport(t, dir).Objects
			for _, e := range readLog(t, dir) {
				fetched[e.URL] = e.Status == http.StatusOK
			}
			for thing := range things {
				if !fetched[thing] {
					t.Errorf("not fetched: %s", thing)
				}
			}
			if n := objects[m.class]; n != int64(len(things)) || objects["sioc:Post"] != int64(posts) || posts+len(things) < 20 {
				t.Errorf("objects %v; the mirror has %d %s and %d posts", objects, len(things), m.class, posts)
			}
		})
	}
}
