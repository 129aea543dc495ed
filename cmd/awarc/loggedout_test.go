package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// club is a site whose pages differ for members, who are known by the cookie "sid=in" as long as the site lets them.
type club struct {
	mu     sync.Mutex
	left   int // pages that the session still lasts; negative for ever
	signs  bool
	box    bool // a small form to log in by, on all pages for everybody
	refuse func(w http.ResponseWriter, r *http.Request)
	served int
}

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	cookie, err := r.Cookie("sid")
	member := err == nil && cookie.Value == "in" && c.left != 0
	box := `<form action=/login method=post><input name=u><input type=password name=p></form>`
	switch {
	case r.URL.Path == "/robots.txt":
		http.NotFound(w, r)
		return
	case r.URL.Path == "/login":
		fmt.Fprint(w, "<title>log in</title>"+box)
		return
	case r.URL.Path == "/staff":
		http.Error(w, "for staff", http.StatusForbidden)
		return
	case r.URL.Path == "/account":
		http.Redirect(w, r, "/login?for=/account", http.StatusFound)
		return
	case !member && c.refuse != nil:
		c.refuse(w, r)
		return
	}
	c.served++
	if member {
		c.left--
	}
	fmt.Fprintf(w, "<title>page %s</title>", r.URL.Path)
	if member && c.signs {
		fmt.Fprint(w, `<a href="/logout">leave</a>`)
	}
	if c.box || !member {
		fmt.Fprint(w, box)
	}
	if r.URL.Path == "/" {
		fmt.Fprint(w, `<a href=/login>log in</a><a href=/staff>staff</a><a href=/account>account</a>`)
		for i := range 12 {
			fmt.Fprintf(w, `<a href="/p%d">p</a> `, i)
		}
	}
}

// Whatever a site shows of having logged the crawl out, the crawl says so, counts the pages, and fetches them again with new cookies.
func TestLoggedOutWithCookies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		site *club
	}{
		{"the link that logs out is gone", &club{left: 6, signs: true}},
		{"pages ask for a password", &club{left: 6}},
		{"pages lead to the form", &club{left: 6, refuse: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/login?return="+r.URL.Path, http.StatusFound)
		}}},
		{"pages are the form", &club{left: 6, refuse: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<form action=/login method=post><input name=u><input type=password name=p></form>`)
		}}},
		{"pages are refused", &club{left: 6, refuse: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }}},
		{"pages ask for a login", &club{left: 6, refuse: func(w http.ResponseWriter,
			_ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := serve(t, c.site)
			host, _, _ := strings.Cut(strings.TrimPrefix(base, "http://"), ":")
			cookies := write(t, "cookies.txt", host+"\tFALSE\t/\tFALSE\t0\tsid\tin\n")
			dir, o := runCrawl(t, "--cookies", cookies, base+"/")
			o.want(t, exitWithFaults, "logged the crawl out", "logged_out")
			r := readReport(t, dir)
			if n := r.Errors["logged_out"]; n < 6 || n > 8 {
				t.Errorf("%d URLs are counted as logged out, want those that members alone see, 7\n%s", n, o.err)
			}
			c.site.mu.Lock()
			c.site.left = -1
			c.site.mu.Unlock()
			awarc(t, "", "resume", "--failed", "--cookies", cookies, dir).want(t, exitDone)
			if r := readReport(t, dir); len(r.Errors) > 0 || r.Pages < 13 {
				t.Errorf("with new cookies: %d pages, errors %v", r.Pages, r.Errors)
			}
		})
	}
}

// A public site raises no alarm, whatever some of its pages look like.
func TestPublicSitesLogNobodyOut(t *testing.T) {
	t.Parallel()
	for name, site := range map[string]*club{
		"a box on each page":    {left: -1, box: true},
		"a member all the time": {left: -1, signs: true},
		"for everybody":         {left: 0, box: true},
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, site)
			host, _, _ := strings.Cut(strings.TrimPrefix(base, "http://"), ":")
			dir, o := runCrawl(t, "--cookies", write(t, "cookies.txt", host+"\tFALSE\t/\tFALSE\t0\tsid\tin\n"), base+"/")
			if strings.Contains(o.err, "take the crawl") {
				t.Errorf("a false alarm:\n%s", o.err)
			}
			if r := readReport(t, dir); r.Errors["logged_out"] != 0 || r.Pages < 13 {
				t.Errorf("%v, %d pages", r.Errors, r.Pages)
			}
		})
	}
}

// Cookies that are of no use are named before anything is fetched.
func TestCookiesThatAreOfNoUse(t *testing.T) {
	base := serve(t, &club{left: -1})
	host, _, _ := strings.Cut(strings.TrimPrefix(base, "http://"), ":")
	_, o := runCrawl(t, "--limit", "1", "--cookies", write(t, "old.txt", host+"\tFALSE\t/\tFALSE\t1000\tsid\tin\n"), base+"/")
	o.want(t, exitLimit, "1 of the 1 cookies in", "have expired", "has no cookie for the host of a seed")
	_, o = runCrawl(t, "--limit", "1", "--cookies", write(t, "other.txt", "example.org\tTRUE\t/\tFALSE\t0\tsid\tin\n"), base+"/")
	o.want(t, exitLimit, "has no cookie for the host of a seed")
	if strings.Contains(o.err, "expired") {
		t.Error(o.err)
	}
}
