package engine_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
)

// web serves hosts by their names: a proxy that answers for all of them.
func (w *world) web(hosts map[string]http.Handler) {
	proxy := serve(w.t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if h := hosts[r.Host]; h != nil {
			h.ServeHTTP(out, r)
			return
		}
		http.NotFound(out, r)
	}))
	c, err := fetch.New(fetch.Options{SpoolDir: w.t.TempDir(), Proxy: proxy, HeaderTimeout: 5 * time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	w.fetcher = c
}

// on serves a handler on an address of this machine, such as 127.0.0.2.
func on(t *testing.T, ip string, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", ip+":0")
	if err != nil {
		t.Skipf("%s cannot be listened on: %v", ip, err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// pagesOf counts the pages that were asked of each host, robots.txt left out.
func (w *world) pagesOf() map[string]int {
	n := map[string]int{}
	for _, e := range w.log {
		u, err := url.Parse(e.URL)
		if err != nil {
			w.t.Fatal(err)
		}
		if !e.Robots {
			n[u.Host]++
		}
	}
	return n
}

// many is a site of 20 pages that link to each other, with those of also.
func many(also site) site {
	s := site{}
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("/p%d", i))
	}
	for _, p := range append(all, "/") {
		s[p] = links(all...)
	}
	for p, body := range also {
		s[p] = body
	}
	return s
}

// moves redirects for good to another place, path kept.
func moves(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, to+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
}

func TestSeedsRedirectsWidenTheScopeByWhereTheyEnd(t *testing.T) {
	const seed, site20 = "http://example.org/", 21
	for _, c := range []struct {
		name  string
		hosts map[string]http.Handler
		want  map[string]int // pages asked
		away  bool
	}{
		{"www", map[string]http.Handler{"example.org": moves("http://www.example.org"), "www.example.org": many(nil)},
			map[string]int{"example.org": 1, "www.example.org": site20}, false},
		{"www, for now", map[string]http.Handler{"example.org": site{"/": "-> http://www.example.org/"}, "www.example.org": many(nil)},
			map[string]int{"example.org": 1, "www.example.org": site20}, false},
		{"another port", map[string]http.Handler{"example.org": moves("http://example.org:8443"), "example.org:8443": many(nil)},
			map[string]int{"example.org": 1, "example.org:8443": site20}, false},
		{"moved for good", map[string]http.Handler{"example.org": moves("http://new.example"), "new.example": many(nil)},
			map[string]int{"example.org": 1, "new.example": site20}, false},
		{"moved for good, five hops", map[string]http.Handler{
			"example.org": moves("http://www.example.org"), "www.example.org": moves("http://a.example"),
			"a.example": moves("http://b.example"),
			"b.example": moves("http://www.b.example"), "www.b.example": many(site{"/": "-> /p0"})},
			map[string]int{"example.org": 1, "www.example.org": 1, "a.example": 1, "b.example": 1, "www.b.example": site20}, false},
		{"hosts between are not crawled", map[string]http.Handler{
			"example.org": site{"/": "-> http://counter.example/"}, "counter.example": many(site{"/": "-> http://www.example.org/"}),
			"www.example.org": many(site{"/p0": links("http://counter.example/p1")})},
			map[string]int{"example.org": 1, "counter.example": 1, "www.example.org": site20}, false},
		{"elsewhere for now", map[string]http.Handler{"example.org": site{"/": "-> http://elsewhere.example/"},
			"elsewhere.example": many(nil)},
			map[string]int{"example.org": 1, "elsewhere.example": 1}, true},
		{"a sign-on page", map[string]http.Handler{
			"example.org":   site{"/": "-> http://login.example/?return=http%3A%2F%2Fexample.org%2F"},
			"login.example": many(site{"/?return=http%3A%2F%2Fexample.org%2F": links("/p1", "/p2")})},
			map[string]int{"example.org": 1, "login.example": 1}, true},
		{"a sign-on page, by a wrong status", map[string]http.Handler{
			"example.org": http.RedirectHandler("http://login.example/?return=http%253A%252F%252Fexample.org%252F",
				http.StatusMovedPermanently),
			"login.example": many(site{"/?return=http%253A%252F%252Fexample.org%252F": links("/p1", "/p2")})},
			map[string]int{"example.org": 1, "login.example": 1}, true},
		{"a sign-on page of the same domain", map[string]http.Handler{
			"example.org":       site{"/": "-> http://login.example.org/?service=http://example.org/home"},
			"login.example.org": many(site{"/?service=http://example.org/home": "-> /p1"})},
			map[string]int{"example.org": 1, "login.example.org": 2}, true},
		{"what is not there", map[string]http.Handler{"example.org": moves("http://new.example"), "new.example": site{"/": "status 410"}},
			map[string]int{"example.org": 1, "new.example": 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.web(c.hosts)
			w.crawl(seed)
			if got := w.pagesOf(); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("pages by host: %v, want %v", got, c.want)
			}
			var away int64
			if c.away {
				away = 1
			}
			w.count("faults/seed_redirected_away", away)
			if said := slices.ContainsFunc(w.warnings,
				func(s string) bool { return strings.HasPrefix(s, "a seed redirects to another site") }); said != c.away {
				t.Errorf("warned: %v, want %v", said, c.away)
			}
		})
	}
}

// A sign-on sends the browser to another host and back, with a ticket and then a cookie.
func TestSignOnDetourGivesTheSite(t *testing.T) {
	var here, login string
	front := many(nil)
	here = on(t, "127.0.0.2", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, err := r.Cookie("session"); {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.URL.Query().Get("ticket") != "":
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
			http.Redirect(w, r, "/", http.StatusFound)
		case err != nil:
			http.Redirect(w, r, login+"/sso?return="+url.QueryEscape(here+"/"), http.StatusFound)
		default:
			front.ServeHTTP(w, r)
		}
	}))
	login = on(t, "127.0.0.3", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sso" {
			many(nil).ServeHTTP(w, r)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "sso", Value: "1"})
		http.Redirect(w, r, r.URL.Query().Get("return")+"?ticket=1", http.StatusFound)
	}))
	w := newWorld(t)
	w.options.Limits.Pages = 3
	if reason := w.crawl(here + "/"); reason != engine.PageLimit {
		t.Errorf("the first session ended by %q", reason)
	}
	w.frontier.Close()
	w.options.Limits.Pages = 0
	w.crawl(here + "/")
	got := w.pagesOf()
	if n := got[strings.TrimPrefix(here, "http://")]; n != 23 { // the front page twice, the ticket, 20 pages
		t.Errorf("%d requests to the site, want 23: %v", n, w.asked())
	}
	if n := got[strings.TrimPrefix(login, "http://")]; n != 1 {
		t.Errorf("%d requests to the login host, want 1", n)
	}
	w.count("seeds/good", 1)
	w.count("errors/redirect_loop", 0)
}

func TestLoopOfASeedThroughOtherHostsEnds(t *testing.T) {
	w := newWorld(t)
	w.web(map[string]http.Handler{
		"example.org": many(site{"/": "-> http://b.example/"}), "b.example": many(site{"/": "-> http://c.example/"}),
		"c.example": many(site{"/": "-> http://example.org/"}),
	})
	w.crawl("http://example.org/")
	if got, want := fmt.Sprint(w.pagesOf()), "map[b.example:1 c.example:1 example.org:2]"; got != want {
		t.Errorf("pages by host: %v, want %v", got, want)
	}
	w.count("errors/redirect_loop", 1)
}

func TestRedirectOfALinkDoesNotWidenTheScope(t *testing.T) {
	w := newWorld(t)
	w.web(map[string]http.Handler{
		"example.org": many(site{"/p1": "-> http://shop.example.org/p1", "/p2": "-> http://new.example/"}), "shop.example.org": many(nil),
		"new.example": many(nil),
	})
	w.crawl("http://example.org/")
	if got, want := fmt.Sprint(w.pagesOf()), "map[example.org:21]"; got != want {
		t.Errorf("pages by host: %v, want %v", got, want)
	}
}

// A crawl that is stopped within a seed's redirects, or after them, ends as an undisturbed one.
func TestSeedThatMovedIsRememberedAtEachPoint(t *testing.T) {
	hosts := map[string]http.Handler{"example.org": moves("http://www.example.org"), "www.example.org": moves("http://new.example"),
		"new.example": many(nil)}
	for stop := 1; stop <= 8; stop++ {
		w := newWorld(t)
		w.web(hosts)
		e := w.open("http://example.org/")
		asked := 0
		w.onLog = func(engine.Exchanged) {
			if asked++; asked == stop {
				e.Stop()
			}
		}
		w.options.Workers = 1
		if _, err := e.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		w.onLog = nil
		w.frontier.Close()
		w.crawl("http://example.org/")
		if got, want := fmt.Sprint(w.pagesOf()), "map[example.org:1 new.example:21 www.example.org:1]"; got != want {
			t.Errorf("stopped after %d exchanges: pages by host: %v, want %v", stop, got, want)
		}
	}
}

// A redirect is no hop; what is behind one is as far away as the link to it.
func TestMaxHopsThroughRedirects(t *testing.T) {
	base := serve(t, site{"/": "-> /home", "/home": links("/1"), "/1": "-> /1b", "/1b": links("/2"), "/2": links("/3"), "/3": ""})
	for most, want := range map[int][]string{
		0: {"404 /robots.txt", "302 /", "200 /home"},
		1: {"404 /robots.txt", "302 /", "200 /home", "302 /1", "200 /1b"},
		2: {"404 /robots.txt", "302 /", "200 /home", "302 /1", "200 /1b", "200 /2"},
	} {
		w := newWorld(t)
		w.rules.MaxHops = most
		w.crawl(base + "/")
		w.want(want...)
	}
}
