package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
)

// TestWWWAndApexAreOneSite: pages of both are archived, and links to other hosts of the domain are
// counted and named.
func TestWWWAndApexAreOneSite(t *testing.T) {
	t.Parallel()
	proxy := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.Host + r.URL.Path {
		case "example.org/":
			fmt.Fprint(w, `<a href="http://www.example.org/board/1">1</a><a href="http://forum.example.org/2">2</a>
				<a href="http://wiki.example.org/3">3</a><a href="http://wiki.example.org/4">4</a><a href="http://example.com/5">5</a>`)
		case "www.example.org/board/1":
			fmt.Fprint(w, `<a href="http://example.org/6">6</a>`)
		case "example.org/6":
			fmt.Fprint(w, "the end")
		default:
			http.NotFound(w, r)
		}
	}))
	dir, o := runCrawl(t, "--proxy", proxy, "http://example.org/")
	o.want(t, exitDone)
	if !strings.Contains(o.out, "3 links to other hosts of a seed's domain") {
		t.Errorf("the summary:\n%s", o.out)
	}
	r := readReport(t, dir)
	if r.Pages != 3 || !r.Finished {
		t.Errorf("%d pages", r.Pages)
	}
	found := false
	for _, s := range r.Suspicions {
		if s.Kind == engine.SuspectSibling {
			found = s.Count == 3 && s.Of == "wiki.example.org, forum.example.org" && s.Example == "http://example.org/"
			if !strings.Contains(s.Text, "--scope-type domain") {
				t.Errorf("no remedy: %s", s)
			}
		}
	}
	if !found {
		t.Errorf("suspicions %v", r.Suspicions)
	}
	dir, o = runCrawl(t, "--proxy", proxy, "--scope-type", "domain", "http://example.org/")
	o.want(t, exitDone)
	if r := readReport(t, dir); r.Queue.Fetched < 6 {
		t.Errorf("%d URLs with --scope-type domain", r.Queue.Fetched)
	}
	dir, _ = runCrawl(t, "--proxy", proxy, "--exclude", "^http://www[.]", "http://example.org/")
	if r := readReport(t, dir); r.Pages != 1 {
		t.Errorf("%d pages without www", r.Pages)
	}
}

// TestPrefixOfASeedThatIsAFolder: the dry run says what a seed without a slash behind it takes in,
// and a redirect to the address with one makes it a folder, in later sessions, too.
func TestPrefixOfASeedThatIsAFolder(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/blog":
			http.Redirect(w, r, "/blog/", http.StatusMovedPermanently)
		default:
			fmt.Fprint(w, `<a href="/blog/1">1</a><a href="/blog/2">2</a><a href="/shop">shop</a><a href="/">home</a>`)
		}
	}))
	host := strings.TrimPrefix(base, "http://")
	o := awarc(t, "", "crawl", "--dry-run", "--scope-type", "prefix", base+"/blog")
	if want := host + "/ and below, or " + host + "/blog/ if the seed redirects there"; !strings.Contains(o.out, want) {
		t.Errorf("the dry run does not say %q:\n%s", want, o.out)
	}
	dir, o := runCrawl(t, "--scope-type", "prefix", "--limit", "2", base+"/blog")
	o.want(t, exitLimit)
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone)
	if r := readReport(t, dir); r.Pages != 3 {
		t.Errorf("%d pages", r.Pages)
	}
}
