package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
	"github.com/awarc/awarc/testsites"
)

// refuser is a site of numbered pages that refuses requests at times, and counts them.
type refuser struct {
	pages   int
	refuses func(s *refuser, since time.Duration) (status int) // 0 serves, -1 resets the connection
	after   string                                             // Retry-After

	mu                sync.Mutex
	first, last       time.Time // the first request, and the last answer with a page
	requests, refused int
	served            map[string]bool
	tokens            float64 // of a rate limit
	earlier           time.Duration
}

func (s *refuser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	now := time.Now()
	if s.first.IsZero() {
		s.first, s.served = now, map[string]bool{}
	}
	status := s.refuses(s, now.Sub(s.first))
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/p/"))
	page := r.URL.Path == "/" || err == nil && n < s.pages
	switch s.requests++; {
	case status != 0:
		s.refused++
	case page:
		s.served[r.URL.Path], s.last = true, now
	}
	s.mu.Unlock()
	switch {
	case status < 0:
		panic(http.ErrAbortHandler)
	case status > 0:
		if s.after != "" {
			w.Header().Set("Retry-After", s.after)
		}
		w.WriteHeader(status)
	case !page:
		http.NotFound(w, r)
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html")
		for n := 1; n < s.pages; n++ {
			fmt.Fprintf(w, `<a href="/p/%d">page %[1]d</a> `, n)
		}
	default:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><p>Page %[1]s of a site.", r.URL.Path)
	}
}

// serve starts the site at a loopback address of its own: hosts of one address take turns.
func (s *refuser) serve(t *testing.T, n int) (seed string) {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.3.%d:0", n))
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: s}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// between refuses from one time to another, since the first request.
func between(from, to time.Duration, status int) func(*refuser, time.Duration) int {
	return func(_ *refuser, since time.Duration) int {
		if since >= from && since < to {
			return status
		}
		return 0
	}
}

// rateLimit allows so many requests a second.
func rateLimit(rate float64) func(*refuser, time.Duration) int {
	return func(s *refuser, since time.Duration) int {
		s.tokens = min(rate, s.tokens+rate*(since-s.earlier).Seconds())
		if s.requests == 0 {
			s.tokens = 1
		}
		if s.earlier = since; s.tokens < 1 {
			return http.StatusTooManyRequests
		}
		s.tokens--
		return 0
	}
}

// TestServersThatRefuse prints the table of EVALUATION.md: every page is archived, few requests are
// refused, and the time stays near the ideal, with one machine and with three nodes.
func TestServersThatRefuse(t *testing.T) {
	long(t)
	const pages, delay, outage = 301, 100 * time.Millisecond, 2 * time.Minute
	const middle = 10 * time.Second
	kinds := map[string]func(*refuser, time.Duration) int{
		"503 for 2 min":               between(0, outage, 503),
		"500 for the first 2 min":     between(0, outage, 500),
		"500 for 2 min in the middle": between(middle, middle+outage, 500),
		"502 for 2 min in the middle": between(middle, middle+outage, 502),
		"reset for 2 min":             between(middle, middle+outage, -1),
		"429":                         rateLimit(5),
		"429 with Retry-After":        rateLimit(5),
	}
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			sites, seeds := map[string]*refuser{}, []string{}
			for n, kind := range slices.Sorted(maps.Keys(kinds)) {
				s := &refuser{pages: pages, refuses: kinds[kind]}
				if kind == "429 with Retry-After" {
					s.after = "1"
				}
				sites[kind] = s
				seeds = append(seeds, s.serve(t, n+1))
			}
			dir := filepath.Join(t.TempDir(), "crawl")
			args := []string{"crawl", "--delay", delay.String(), "--min-space", "0"}
			if nodes > 1 {
				args = append(args, "--frontier", clustertest.Start(t, 3, 0).URL(), "--crawl", "refused")
			}
			var crawls []*crawlNode
			for n := range nodes {
				crawls = append(crawls, startNode(t, fmt.Sprint(dir, n), append(args, seeds...)...))
			}
			for _, c := range crawls {
				c.end(t)
			}
			for kind, s := range sites {
				ideal := outage + delay*pages
				if s.earlier > 0 { // of a rate limit
					ideal = pages * time.Second / 5
				}
				t.Logf("%s: %d of %d requests refused, %.2f of the ideal time", kind, s.refused, s.requests, s.last.Sub(s.first).Seconds()/
					ideal.Seconds())
				if len(s.served) != pages {
					t.Errorf("%s: %d of %d pages", kind, len(s.served), pages)
				}
				if 10*s.refused >= s.requests {
					t.Errorf("%s: %d of %d requests were refused", kind, s.refused, s.requests)
				}
			}
		})
	}
}

// TestSitesBesideSlowOnes prints the rate of ordinary sites beside a dead seed, one that drips, one that
// keeps silent, session ids and a calendar, as a share of their rate alone.
func TestSitesBesideSlowOnes(t *testing.T) {
	long(t)
	run := func(beside ...string) (sites []*refuser) {
		var seeds []string
		for n := range 4 {
			s := &refuser{pages: 301, refuses: func(*refuser, time.Duration) int { return 0 }}
			sites, seeds = append(sites, s), append(seeds, s.serve(t, n+1))
		}
		runCrawl(t, slices.Concat([]string{"--delay", "20ms", "--time-limit", "60"}, seeds, beside)...)
		return sites
	}
	mean := func(sites []*refuser) (mean time.Duration) {
		for _, s := range sites {
			if len(s.served) != s.pages {
				t.Errorf("%d of %d pages", len(s.served), s.pages)
			}
			mean += s.last.Sub(s.first) / time.Duration(len(sites))
		}
		return mean
	}
	silent := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	endless := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var day int
		fmt.Sscanf(r.URL.Query().Get("day"), "%d", &day)
		fmt.Fprintf(w, `<title>%d</title><a href="/?day=%d">next</a><a href="/a?sid=%x">session</a>`, day, day+1, time.Now().UnixNano())
	}))
	alone := mean(run())
	beside := mean(run("http://"+refusing(t)+"/", serve(t, testsites.Endless(time.Second))+"/", silent+"/", endless+"/"))
	t.Logf("%.2f of their rate alone", alone.Seconds()/beside.Seconds())
}
