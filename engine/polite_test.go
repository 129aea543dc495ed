package engine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/testsites"
)

func TestRobotsComeFirstAndOnce(t *testing.T) {
	base := serve(t, site{"/robots.txt": "User-agent: awarc\nDisallow: /private\n", "/": links("/a", "/private/x"),
		"/a": links("/private/y", "/b"), "/b": ""})
	w := newWorld(t)
	w.options.Limits.Pages = 2
	w.crawl(base + "/")
	w.frontier.Close()
	w.options.Limits.Pages = 0
	w.crawl(base + "/") // what the first session knows of robots.txt holds in the second
	w.want("200 /robots.txt", "200 /", "200 /a", "200 /b")
	if !w.log[0].Robots || len(w.archiver.captures) != 4 {
		t.Errorf("robots.txt is not archived as such: %+v, %d captures", w.log[0], len(w.archiver.captures))
	}
	w.count("links/excluded_by_robots", 2)
	w.count("faults/seed_excluded_by_robots", 0)
	if e := w.state(base + "/private/x"); e.State != frontier.Excluded || !strings.Contains(e.Reason, "forbids it to awarc") {
		t.Errorf("a forbidden URL is %v: %s", e.State, e.Reason)
	}
}

func TestRobotsAreAskedForAnewAfterADay(t *testing.T) {
	base := serve(t, site{"/": links("/a"), "/a": ""})
	w := newWorld(t)
	w.options.Limits.Pages = 1
	w.crawl(base + "/")
	w.frontier.Close()
	w.options.Limits.Pages = 0
	w.options.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "404 /robots.txt", "200 /a")
}

func TestRobotsThatForbidAll(t *testing.T) {
	base := serve(t, site{"/robots.txt": "User-agent: *\nDisallow: /\n", "/": ""})
	w := newWorld(t)
	if reason := w.crawl(base + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	w.want("200 /robots.txt")
	w.count("faults/seed_excluded_by_robots", 1)
	w.count("seeds/good", 0)

	ignoring := newWorld(t)
	ignoring.options.Agent = ""
	ignoring.crawl(base + "/")
	ignoring.want("200 /")
}

func TestRobotsByRedirect(t *testing.T) {
	other := serve(t, site{"/rules.txt": "User-agent: *\nDisallow: /a\n"})
	base := serve(t, site{"/robots.txt": "-> /moved.txt",
		"/moved.txt": "-> " + strings.Replace(other, "127.0.0.1", "localhost", 1) + "/rules.txt", "/": links("/a"), "/a": ""})
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("302 /robots.txt", "302 /moved.txt", "200 /rules.txt", "200 /")
	w.count("links/excluded_by_robots", 1)

	loop := serve(t, site{"/robots.txt": "-> /robots.txt", "/": ""})
	w = newWorld(t)
	w.crawl(loop + "/")
	if n := len(w.log); n != fetch.MaxRobotsRedirects+2 {
		t.Errorf("%d exchanges for a robots.txt that loops, and the seed", n)
	}
	w.count("seeds/good", 1)
}

func TestRobotsOfTheTargetOfARedirect(t *testing.T) {
	there := strings.Replace(serve(t, site{"/robots.txt": "User-agent: *\nDisallow: /\n", "/": ""}), "127.0.0.1", "localhost", 1)
	w := newWorld(t)
	w.crawl(serve(t, site{"/": "-> " + there + "/"}) + "/")
	w.want("404 /robots.txt", "302 /", "200 /robots.txt")
	w.count("faults/seed_excluded_by_robots", 1)
}

func TestRobotsUnreachable(t *testing.T) {
	var pages, robots atomic.Int64
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			robots.Add(1)
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		pages.Add(1)
	}))
	w := newWorld(t)
	w.options.Pause, w.options.Patience = time.Millisecond, time.Nanosecond
	var seeds []string
	for i := range 20 {
		seeds = append(seeds, fmt.Sprintf("%s/%d", base, i))
	}
	if reason := w.crawl(seeds...); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	if pages.Load() != 0 {
		t.Errorf("%d pages were asked for although robots.txt cannot be had", pages.Load())
	}
	if robots.Load() > 2 {
		t.Errorf("robots.txt was asked for %d times within moments", robots.Load())
	}
	w.count("errors/host_refused", 20)
	if e := w.state(seeds[7]); e.State != frontier.Failed || !strings.Contains(e.Reason, "--patience") {
		t.Errorf("a seed is %v after %d tries: %s", e.State, e.Tries, e.Reason)
	}
}

// timed notes when requests come in and when their answers are out.
type timed struct {
	http.Handler
	mu      sync.Mutex
	path    []string
	in, out []time.Time
}

func (h *timed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	i := len(h.in)
	h.path, h.in, h.out = append(h.path, r.URL.Path), append(h.in, time.Now()), append(h.out, time.Time{})
	h.mu.Unlock()
	h.Handler.ServeHTTP(w, r)
	h.mu.Lock()
	h.out[i] = time.Now()
	h.mu.Unlock()
}

// gaps checks the wait before each request from the given one on.
func (h *timed) gaps(t *testing.T, from int, least time.Duration) {
	t.Helper()
	for i := from; i < len(h.in); i++ {
		// Answers are read after they are written, so the wait can only be longer.
		if gap := h.in[i].Sub(h.out[i-1]); gap < least {
			t.Errorf("%s came %v after the answer before it, want at least %v", h.path[i], gap, least)
		}
	}
}

func TestDelayAndCrawlDelay(t *testing.T) {
	const floor, asked = 20 * time.Millisecond, 150 * time.Millisecond
	pages := site{"/": links("/a", "/b"), "/a": "", "/b": ""}
	h := &timed{Handler: pages}
	w := newWorld(t)
	w.pace.Delay = floor
	w.crawl(serve(t, h) + "/")
	h.gaps(t, 1, floor)

	pages["/robots.txt"] = "User-agent: *\nCrawl-delay: 0.15\n"
	h = &timed{Handler: pages}
	w = newWorld(t)
	w.pace.Delay = floor
	w.crawl(serve(t, h) + "/")
	h.gaps(t, 1, asked)

	pages["/robots.txt"] = "User-agent: *\nCrawl-delay: 86400\n"
	h = &timed{Handler: pages}
	w = newWorld(t)
	w.options.MaxCrawlDelay = asked
	w.crawl(serve(t, h) + "/")
	h.gaps(t, 1, asked)
	if len(h.in) != 4 || len(w.warnings) == 0 {
		t.Errorf("%d requests, warnings %v", len(h.in), w.warnings)
	}
}

func TestRetryAfterHoldsTheWholeHost(t *testing.T) {
	for _, path := range []string{"/a", "/robots.txt"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var refused atomic.Bool
			pages := site{"/": links("/a", "/b", "/c"), "/a": "", "/b": "", "/c": ""}
			h := &timed{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == path && refused.CompareAndSwap(false, true) {
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				pages.ServeHTTP(w, r)
			})}
			w := newWorld(t)
			if path == "/robots.txt" {
				w.pace.Backoff, w.pace.MaxBackoff = 4*time.Second, 4*time.Second // when robots.txt may be asked for again
			}
			w.crawl(serve(t, h) + "/")
			for i, p := range h.path {
				if p == path {
					h.gaps(t, i+1, 0)
					if gap := h.in[i+1].Sub(h.out[i]); gap < 990*time.Millisecond {
						t.Errorf("%s was asked for %v after a 503 with Retry-After: 1", h.path[i+1], gap)
					}
					break
				}
			}
			w.count("pages", 4)
		})
	}
}

func TestOneRequestAtATimeToAHostAndAnAddress(t *testing.T) {
	board, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 40})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, testsites.Slow(board, 2*time.Millisecond))
	w := newWorld(t)
	w.options.Workers = 16
	w.options.Optional = true
	w.crawl(base+"/", strings.Replace(base, "127.0.0.1", "localhost", 1)+"/") // two names of one address
	if q := board.Requests(); q.AtOnce != 1 || q.Total < 30 {
		t.Errorf("%d requests, %d at once", q.Total, q.AtOnce)
	}
}

func TestLimits(t *testing.T) {
	pages := site{}
	for i := range 50 {
		pages[fmt.Sprintf("/%d", i)] = links(fmt.Sprintf("/%d", (i+1)%50), fmt.Sprintf("/%d", (i+2)%50)) + strings.Repeat("x", 1000)
	}
	base := serve(t, pages)
	t.Run("pages", func(t *testing.T) {
		w := newWorld(t)
		w.options.Workers = 16
		w.options.Limits.Pages = 7
		if reason := w.crawl(base + "/0"); reason != engine.PageLimit {
			t.Errorf("it ended by %q", reason)
		}
		w.count("pages", 7) // on one host to the page
		w.frontier.Close()
		if reason := w.crawl(base + "/0"); reason != engine.PageLimit {
			t.Errorf("resumed, it ended by %q", reason)
		}
		w.count("pages", 7)
	})
	t.Run("as many pages as there are", func(t *testing.T) {
		w := newWorld(t)
		w.options.Limits.Pages = 50
		if reason := w.crawl(base + "/0"); reason != engine.Drained {
			t.Errorf("it ended by %q although nothing is left", reason)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		w := newWorld(t)
		w.options.Limits.Bytes = 5000
		if reason := w.crawl(base + "/0"); reason != engine.ByteLimit {
			t.Errorf("it ended by %q", reason)
		}
		if n := w.frontier.Counters()["bytes_in"]; n < 5000 || n > 7000 {
			t.Errorf("%d bytes were received", n)
		}
	})
	t.Run("time, with an exchange that would not end", func(t *testing.T) {
		w := newWorld(t)
		w.options.Limits.Time, w.options.Limits.Grace = 50*time.Millisecond, 50*time.Millisecond
		slow := serve(t, testsites.Robots(testsites.Endless(10*time.Millisecond), ""))
		if reason := w.crawl(slow + "/"); reason != engine.TimeLimit {
			t.Errorf("it ended by %q", reason)
		}
		if e := w.state(slow + "/"); e.State != frontier.Pending || e.Tries != 0 {
			t.Errorf("the URL that was broken off is %v after %d tries", e.State, e.Tries)
		}
	})
}

func TestInterruptions(t *testing.T) {
	for _, hard := range []bool{false, true} {
		t.Run(fmt.Sprintf("hard %v", hard), func(t *testing.T) {
			release := make(chan struct{})
			ctx, abort := context.WithCancel(t.Context())
			graceful, stop := context.WithCancel(t.Context())
			base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/slow" { // it is in flight now
					stop()
					if hard {
						abort()
					} else {
						close(release)
					}
					select {
					case <-release:
					case <-r.Context().Done():
					}
				}
				site{"/": links("/slow", "/next"), "/slow": "", "/next": ""}.ServeHTTP(w, r)
			}))
			w := newWorld(t)
			e := w.open(base + "/")
			reason, err := e.Run(ctx, graceful)
			if err != nil || reason != engine.Interrupted {
				t.Errorf("it ended by %q, %v", reason, err)
			}
			want := frontier.Fetched
			if hard {
				want = frontier.Pending
			}
			if e := w.state(base + "/slow"); e.State != want {
				t.Errorf("what was in flight is %v, want %v", e.State, want)
			}
			if e := w.state(base + "/next"); e.State != frontier.Pending {
				t.Errorf("what was not begun is %v", e.State)
			}
			abort()
			stop()
		})
	}
}

// A robots.txt longer than anybody reads is no failure of the crawl: what is read of it counts, also behind a redirect.
func TestRobotsBeyondTheBound(t *testing.T) {
	long := "User-agent: *\nDisallow: /a\n" + strings.Repeat("# on and on\n", 1<<18) + "Disallow: /b\n"
	for _, file := range []site{{"/robots.txt": long}, {"/robots.txt": "-> /rules.txt", "/rules.txt": long}} {
		file["/"], file["/a"], file["/b"] = links("/a", "/b"), "", ""
		w := newWorld(t)
		c, err := fetch.New(fetch.Options{SpoolDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		w.fetcher = c
		w.crawl(serve(t, file) + "/")
		for _, e := range w.log {
			if e.Robots && e.Truncated != "" && e.Bytes > 3<<20 || e.Robots && e.Truncated == "" && e.Status == 200 {
				t.Errorf("%d bytes of %s, truncated %q", e.Bytes, e.URL, e.Truncated)
			}
		}
		if got := w.asked(); !slices.Equal(got[len(got)-2:], []string{"200 /", "200 /b"}) {
			t.Errorf("asked for %v", got)
		}
		w.count("faults/truncated_length", 0)
	}
}

// What a page has beyond fetch.MaxPage is not read, and that is said.
func TestPageBeyondTheBoundIsCut(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	var page bytes.Buffer
	z := gzip.NewWriter(&page)
	fmt.Fprint(z, `<html><body><a href="/a">a</a><!--`)
	z.Write(bytes.Repeat([]byte(" "), fetch.MaxPage))
	fmt.Fprint(z, `--><a href="/b">b</a>`)
	z.Close()
	w := newWorld(t)
	w.crawl(serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(page.Bytes())
	})) + "/")
	w.want("404 /robots.txt", "200 /", "404 /a")
	if !w.log[1].Cut {
		t.Error("the log says nothing of the cut")
	}
	w.count("faults/page_cut", 1)
}

// TestHostIsAskedWhileAPageIsRead: the next request does not wait for the archive, unless a limit is near that it would pass.
func TestHostIsAskedWhileAPageIsRead(t *testing.T) {
	for _, limit := range []int64{0, 3} {
		asked := make(chan string, 10)
		base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked <- r.URL.Path
			site{"/": links("/a", "/b"), "/a": "", "/b": ""}.ServeHTTP(w, r)
		}))
		w := newWorld(t)
		w.options.Workers, w.options.Limits.Pages = 2, limit
		ahead := false
		w.archiver.fail = func(c archive.Capture) error {
			if strings.HasSuffix(c.URL, "/robots.txt") || c.URL == base+"/" {
				<-asked
			} else if !ahead {
				<-asked               // it
				patience := time.Hour // the next request comes
				if limit > 0 {
					patience = 200 * time.Millisecond // it does not
				}
				select {
				case <-asked:
					ahead = true
				case <-time.After(patience):
				}
			}
			return nil
		}
		w.crawl(base + "/")
		w.count("pages", 3)
		if want := limit == 0; ahead != want {
			t.Errorf("with a limit of %d pages the next page was asked for while one was archived: %v, want %v", limit, ahead, want)
		}
	}
}
