package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
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
)

// world is what an engine works on in these tests: a real frontier and a real
// client, and an archive that remembers.
type world struct {
	t        *testing.T
	dir      string
	options  engine.Options
	pace     frontier.Options
	rules    engine.ScopeRules
	fetcher  engine.Fetcher // nil: a real client
	archiver keeper

	frontier *frontier.Frontier
	mu       sync.Mutex
	log      []engine.Exchanged
	warnings []string
	onLog    func(engine.Exchanged)
	wrap     func(*frontier.Frontier) engine.Frontier // of the engine; nil: none
}

// keeper is an archive that remembers what it was given.
type keeper struct {
	mu       sync.Mutex
	captures []archive.Capture
	blocks   map[int64][]byte // by offset; kept when it is not nil
	amended  []archive.Amendment
	fail     func(archive.Capture) error
}

func (k *keeper) Response(_ string, offset, _ int64) ([]byte, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.blocks[offset] == nil {
		return nil, "", errors.New("no such record")
	}
	return k.blocks[offset], k.captures[offset-1].ID, nil
}

func (k *keeper) Earlier(string) (*archive.Earlier, error) { return nil, nil }

func (k *keeper) Rendered(string, int64, int64) ([]byte, error) {
	return nil, errors.New("no page is rendered")
}

func (k *keeper) Amend(a archive.Amendment) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.amended = append(k.amended, a)
	return nil
}

func (k *keeper) Write(c archive.Capture) (archive.Location, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		if err := k.fail(c); err != nil {
			return archive.Location{}, err
		}
	}
	if k.blocks != nil {
		block, err := io.ReadAll(io.NewSectionReader(c.Response, 0, c.Size))
		if err != nil {
			return archive.Location{}, err
		}
		k.blocks[int64(len(k.captures))+1] = block
	}
	c.Response = nil // it is gone after Write
	k.captures = append(k.captures, c)
	return archive.Location{File: "test.warc.gz", Offset: int64(len(k.captures)), Length: 1, RecordID: c.ID}, nil
}

func newWorld(t *testing.T) *world {
	return &world{
		t: t, dir: t.TempDir(),
		options: engine.Options{Workers: 1, Agent: "awarc", Persistence: engine.Persistence{MaxTries: 3}},
		pace:    frontier.Options{MaxTries: 3, Backoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond},
		rules:   engine.ScopeRules{Type: engine.ScopeHost, MaxHops: -1},
	}
}

// open opens the frontier and makes an engine, as one session of a crawl does.
func (w *world) open(seeds ...string) *engine.Engine {
	w.t.Helper()
	var parsed []*url.URL
	for _, s := range seeds {
		u, err := engine.SeedURL(s)
		if err != nil {
			w.t.Fatal(err)
		}
		parsed = append(parsed, u)
	}
	scope, err := engine.NewScope(w.rules, parsed)
	if err != nil {
		w.t.Fatal(err)
	}
	w.options.Scope = scope
	if w.frontier, err = frontier.Open(w.dir, w.pace); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.frontier.Close() })
	if w.fetcher == nil {
		c, err := fetch.New(fetch.Options{SpoolDir: w.t.TempDir(), MaxBody: 1 << 20, HeaderTimeout: 5 * time.Second})
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(c.Close)
		w.fetcher = c
	}
	var f engine.Frontier = w.frontier
	if w.wrap != nil {
		f = w.wrap(w.frontier)
	}
	e, err := engine.New(w.options, builtinDetector(w.t), f, w.fetcher, &w.archiver, engine.Events{
		Exchanged: func(e engine.Exchanged) {
			w.mu.Lock()
			w.log = append(w.log, e)
			w.mu.Unlock()
			if w.onLog != nil {
				w.onLog(e)
			}
		},
		Warned: func(r slog.Record) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.warnings = append(w.warnings, r.Message)
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := e.Seed(w.t.Context(), parsed); err != nil {
		w.t.Fatal(err)
	}
	return e
}

// crawl runs a session to its end.
func (w *world) crawl(seeds ...string) engine.Reason {
	w.t.Helper()
	reason, err := w.open(seeds...).Run(w.t.Context(), w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return reason
}

// asked lists path, query and status of the exchanges, in order.
func (w *world) asked() []string {
	var out []string
	for _, e := range w.log {
		u, err := url.Parse(e.URL)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%d %s", e.Status, u.RequestURI()))
	}
	return out
}

func (w *world) want(lines ...string) {
	w.t.Helper()
	if got := w.asked(); !slices.Equal(got, lines) {
		w.t.Errorf("exchanges:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(lines, "\n  "))
	}
}

func (w *world) state(key string) frontier.Entry {
	w.t.Helper()
	e, ok := w.frontier.Lookup(key)
	if !ok {
		w.t.Errorf("%s is not known to the frontier", key)
	}
	return e
}

func (w *world) count(name string, want int64) {
	w.t.Helper()
	if got := w.frontier.Counters()[name]; got != want {
		w.t.Errorf("counter %s is %d, want %d", name, got, want)
	}
}

// site serves pages: a body beginning with "-> " is a redirect, one with a number
// a status. There is no robots.txt unless it is among them.
type site map[string]string

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := s[r.URL.RequestURI()]
	var status int
	switch to, redirect := strings.CutPrefix(body, "-> "); {
	case !ok:
		http.NotFound(w, r)
	case redirect:
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	case strings.HasPrefix(body, "status "):
		fmt.Sscanf(body, "status %d", &status)
		w.WriteHeader(status)
	case strings.HasSuffix(r.URL.Path, ".txt"):
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, body)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!DOCTYPE html><html><head><title>x</title></head><body>%s</body></html>", body)
	}
}

func links(to ...string) string {
	var b strings.Builder
	for _, l := range to {
		fmt.Fprintf(&b, `<a href="%s">a link</a> `, l)
	}
	return b.String()
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestUnknownPagesGiveAllTheirLinks(t *testing.T) {
	base := serve(t, site{"/": links("/a", "/a#top", "/b?y=1&x=2", "/b?x=2&y=1", "http://elsewhere.example/", "mailto:me@x.example",
		"/100%25"), "/a": links("/", "/c"), "/b?y=1&x=2": "", "/c": "", "/100%25": ""})
	w := newWorld(t)
	if reason := w.crawl(base + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	w.want("404 /robots.txt", "200 /", "200 /a", "200 /b?y=1&x=2", "200 /100%25", "200 /c")
	w.count("pages", 5)
	w.count("requests", 6)
	w.count("links/out_of_scope", 1)
	w.count("seeds/good", 1)
	if n := len(w.archiver.captures); n != 6 {
		t.Errorf("%d captures, want one for each exchange, robots.txt included", n)
	}
}

func TestRedirectsAreCapturesOfTheirOwn(t *testing.T) {
	base := serve(t, site{"/": links("/1"), "/1": "-> /2", "/2": "-> /3", "/3": "done"})
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "302 /1", "302 /2", "200 /3")
	for i, via := range map[int]string{2: "/", 3: "/1", 4: "/2"} {
		if got := w.log[i].Via; got != base+via {
			t.Errorf("%s came via %s, want %s", w.log[i].URL, got, via)
		}
		if w.log[i].Hops != 1 {
			t.Errorf("%s is %d hops away; redirects are none", w.log[i].URL, w.log[i].Hops)
		}
	}
	if len(w.archiver.captures) != 5 {
		t.Errorf("%d captures, want 5", len(w.archiver.captures))
	}
}

func TestRedirectLoopsEnd(t *testing.T) {
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
	})
	t.Run("ever further", func(t *testing.T) {
		w := newWorld(t)
		w.crawl(serve(t, endless) + "/")
		if len(w.log) != 22 { // robots.txt, the seed, 20 redirects
			t.Errorf("%d exchanges", len(w.log))
		}
		w.count("errors/redirect_loop", 1)
		w.count("seeds/good", 0)
	})
	t.Run("to itself", func(t *testing.T) {
		w := newWorld(t)
		w.crawl(serve(t, site{"/": "-> /"}) + "/")
		w.want("404 /robots.txt", "302 /", "302 /")
		w.count("errors/redirect_loop", 1)
	})
	t.Run("of two", func(t *testing.T) {
		w := newWorld(t)
		w.crawl(serve(t, site{"/": "-> /b", "/b": "-> /"}) + "/")
		if len(w.log) > 6 {
			t.Errorf("%d exchanges: %v", len(w.log), w.asked())
		}
		w.count("seeds/good", 0)
	})
	t.Run("of three", func(t *testing.T) {
		w := newWorld(t)
		w.crawl(serve(t, site{"/": "-> /b", "/b": "-> /c", "/c": "-> /"}) + "/")
		w.want("404 /robots.txt", "302 /", "302 /b", "302 /c", "302 /") // once more: with a cookie it might answer
		w.count("errors/redirect_loop", 1)
	})
	t.Run("to nowhere", func(t *testing.T) {
		w := newWorld(t)
		w.crawl(serve(t, site{"/": "-> ftp://a.example/"}) + "/")
		w.count("errors/redirect_loop", 1)
	})
}

// A page that sets a cookie and sends the browser back is common before forums.
func TestPagesBehindACookieWall(t *testing.T) {
	for name, wall := range map[string]string{"back to itself": "/topic", "by another page": "/welcome?to=topic"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.crawl(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := r.Cookie("seen")
				switch {
				case r.URL.Path == "/":
					fmt.Fprint(w, "<html><body>"+links("/topic")+"</body></html>")
				case r.URL.Path == "/topic" && err == nil:
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, "<html><body>"+links("/found")+"</body></html>")
				case r.URL.Path == "/topic" && wall != "/topic":
					http.Redirect(w, r, wall, http.StatusFound)
				case r.URL.Path == "/topic", r.URL.Path == "/welcome":
					http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
					http.Redirect(w, r, "/topic", http.StatusFound)
				default:
					http.NotFound(w, r)
				}
			})) + "/")
			if got := w.asked(); got[len(got)-1] != "404 /found" {
				t.Errorf("the page behind the wall was not read: %v", got)
			}
		})
	}
}

func TestSeedThatMovedWidensTheScope(t *testing.T) {
	there := serve(t, site{"/": links("/a"), "/a": links("/b"), "/b": ""})
	there = strings.Replace(there, "127.0.0.1", "localhost", 1)
	here := serve(t, moves(there))
	w := newWorld(t)
	w.options.Limits.Pages = 1
	if reason := w.crawl(here + "/"); reason != engine.PageLimit {
		t.Fatalf("the first session ended by %q", reason)
	}
	w.frontier.Close()
	w.options.Limits.Pages = 0
	if reason := w.crawl(here + "/"); reason != engine.Drained {
		t.Fatalf("the second session ended by %q", reason)
	}
	w.want("404 /robots.txt", "301 /", "404 /robots.txt", "200 /", "200 /a", "200 /b")
	w.count("seeds/good", 1)
}

func TestLinkThatMovedAwayIsNotFollowed(t *testing.T) {
	base := serve(t, site{"/": links("/out"), "/out": "-> http://elsewhere.example/"})
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "302 /out")
	w.count("links/out_of_scope", 1)
}

func TestRequisitesComeFromAnywhereButWhereExcluded(t *testing.T) {
	other := strings.Replace(serve(t, site{"/style.css": "", "/ad.gif": "", "/bg.png": ""}), "127.0.0.1", "localhost", 1)
	css := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/local.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprintf(w, "body { background: url(%s/bg.png) }", other)
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<html><head><link rel=icon href="data:,"><link rel=stylesheet href="/local.css"></head><body>`+
				`<img src="%s/ad.gif"><a href="%s/page">x</a></body></html>`, other, other)
		default:
			http.NotFound(w, r)
		}
	})
	base := serve(t, css)
	for _, requisites := range []bool{false, true} {
		w := newWorld(t)
		w.options.Requisites = requisites
		w.rules.Exclude = []string{`/ad\.`}
		w.crawl(base + "/")
		if !requisites {
			w.want("404 /robots.txt", "200 /")
			continue
		}
		w.want("404 /robots.txt", "200 /", "200 /local.css", "404 /robots.txt", "200 /bg.png")
	}
}

func TestBrokenAnswerIsAskedForAgain(t *testing.T) {
	var asked atomic.Int64
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if asked.Add(1) == 1 {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, links("/half"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, links("/whole"))
	}))
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /", "404 /whole")
	w.count("pages", 1)
	w.count("faults/truncated_disconnect", 0)
	if len(w.archiver.captures) != 4 {
		t.Errorf("%d captures; the broken answer is to be archived too", len(w.archiver.captures))
	}
}

func TestPanickingStepCostsOneURL(t *testing.T) {
	base := serve(t, site{"/": links("/a", "/b"), "/a": "", "/b": ""})
	w := newWorld(t)
	w.open() // makes the real client
	w.frontier.Close()
	w.fetcher = panicky{w.fetcher, base + "/a"}
	if reason := w.crawl(base + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	w.want("404 /robots.txt", "200 /", "200 /b")
	w.count("errors/panic", 1)
	if e := w.state(base + "/a"); e.State != frontier.Failed {
		t.Errorf("the URL is %v", e.State)
	}
}

// panicky panics at one URL.
type panicky struct {
	engine.Fetcher
	at string
}

func (p panicky) Do(ctx context.Context, u string, h http.Header) (*fetch.Exchange, error) {
	if u == p.at {
		panic("a bug")
	}
	return p.Fetcher.Do(ctx, u, h)
}

// unreadable lets the answer of one URL panic when its body is read.
type unreadable struct {
	engine.Fetcher
	at string
}

type panickyReader struct{}

func (panickyReader) ReadAt([]byte, int64) (int, error) { panic("a bug") }

func (p unreadable) Do(ctx context.Context, u string, h http.Header) (*fetch.Exchange, error) {
	ex, err := p.Fetcher.Do(ctx, u, h)
	if u == p.at {
		ex.Response = panickyReader{}
	}
	return ex, err
}

func TestPageThatCannotBeReadIsArchivedAllTheSame(t *testing.T) {
	base := serve(t, site{"/": links("/a", "/b"), "/a": "", "/b": ""})
	w := newWorld(t)
	w.open()
	w.frontier.Close()
	w.fetcher = unreadable{w.fetcher, base + "/a"}
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /a", "200 /b")
	w.count("faults/panic", 1)
	if len(w.archiver.captures) != 4 || !slices.Contains(w.warnings, "internal error on a page; it is archived without extraction") {
		t.Errorf("%d captures, warnings %v", len(w.archiver.captures), w.warnings)
	}
}

func TestArchiveErrorStopsWithoutAcknowledging(t *testing.T) {
	base := serve(t, site{"/": links("/a", "/b"), "/a": "", "/b": ""})
	for name, c := range map[string]struct {
		err  error
		want engine.Reason
	}{
		"other": {errors.New("the disk fell out"), ""},
		"full":  {fmt.Errorf("%w: 0 bytes free", archive.ErrDiskFull), engine.DiskLimit},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.archiver.fail = func(capture archive.Capture) error {
				if strings.HasSuffix(capture.URL, "/a") {
					return c.err
				}
				return nil
			}
			reason, err := w.open(base+"/").Run(t.Context(), t.Context())
			if !errors.Is(err, c.err) && !errors.Is(err, archive.ErrDiskFull) || reason != c.want {
				t.Errorf("it ended by %q with %v", reason, err)
			}
			if e := w.state(base + "/a"); e.State != frontier.Pending {
				t.Errorf("the URL that is not archived is %v", e.State)
			}
			w.count("pages", 1)
			w.frontier.Close()

			w.archiver.fail = nil
			if reason := w.crawl(base + "/"); reason != engine.Drained {
				t.Errorf("resumed, it ended by %q", reason)
			}
			w.count("pages", 3)
		})
	}
}
