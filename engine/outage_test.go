package engine_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
)

// TestAnOutageCostsNoContent lets a host break off every connection for a while,
// for longer than one URL has tries.
func TestAnOutageCostsNoContent(t *testing.T) {
	const pages, down, up = 20, 6, 16 // requests down to up go unanswered
	var requests, refused atomic.Int64
	var all []string
	for i := range pages {
		all = append(all, fmt.Sprintf("/p%d", i))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := requests.Add(1); n >= down && n < up {
			refused.Add(1)
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, links(all...))
		}
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause = time.Millisecond
	w.pace.Backoff, w.pace.MaxBackoff = 300*time.Millisecond, time.Second // others are asked meanwhile
	if reason := w.crawl(server.URL + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	if refused.Load() != up-down {
		t.Fatalf("only %d requests met the outage", refused.Load())
	}
	for _, p := range all {
		if e := w.state(server.URL + p); e.State != frontier.Fetched {
			t.Errorf("%s is %v: %s", p, e.State, e.Reason)
		}
	}
}

// TestABadURLIsNoOutage: one URL that is never answered is given up after its
// tries, and the rest of the host goes on.
func TestABadURLIsNoOutage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/bad":
			panic(http.ErrAbortHandler)
		case "/":
			fmt.Fprint(w, links("/bad", "/a", "/b", "/c"))
		}
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause = time.Hour // would be noticed
	w.crawl(server.URL + "/")
	if e := w.state(server.URL + "/bad"); e.State != frontier.Failed || e.Tries != 3 {
		t.Errorf("the bad URL is %v after %d tries: %s", e.State, e.Tries, e.Reason)
	}
	w.count("errors/reset", 1)
	if e := w.state(server.URL + "/c"); e.State != frontier.Fetched {
		t.Errorf("the rest is %v", e.State)
	}
}

// TestBadURLsInARowAreNoOutage: that many URLs of a host break connections delays the others no more than a probe now and then does.
func TestBadURLsInARowAreNoOutage(t *testing.T) {
	const bad = 30
	var all []string
	for i := range bad {
		all = append(all, fmt.Sprintf("/bad%d", i))
	}
	var requests, probes atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "text/html")
		switch {
		case strings.HasPrefix(r.URL.Path, "/bad"):
			panic(http.ErrAbortHandler)
		case r.URL.Path == "/robots.txt":
			probes.Add(1)
		case r.URL.Path == "/":
			fmt.Fprint(w, links(append(all, "/good")...))
		}
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause = time.Hour                                           // would be noticed
	w.pace.Backoff, w.pace.MaxBackoff = 300*time.Millisecond, time.Second // others are asked meanwhile
	if reason := w.crawl(server.URL + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	if e := w.state(server.URL + "/good"); e.State != frontier.Fetched {
		t.Errorf("the good URL is %v: %s", e.State, e.Reason)
	}
	for _, p := range all {
		if e := w.state(server.URL + p); e.State != frontier.Failed || e.Tries != 3 || !strings.HasPrefix(e.Reason, "reset: ") {
			t.Errorf("%s is %v after %d tries: %s", p, e.State, e.Tries, e.Reason)
		}
	}
	w.count("errors/reset", bad)
	if n := len(w.log) - int(probes.Load()) - 2; n != 3*bad {
		t.Errorf("%d exchanges for %d bad URLs with three tries each", n, bad)
	}
	if n := probes.Load() - 1; n == 0 || n > bad/2 { // those that failed before say nothing about the host
		t.Errorf("%d probes for %d bad URLs", n, bad)
	}
	if n := len(w.log); int64(n) > requests.Load() { // one that is sent again on a new connection is one exchange
		t.Errorf("%d exchanges in the log, the server had %d requests", n, requests.Load())
	}
	if answered := len(w.archiver.captures); int64(answered) != probes.Load()+2 {
		t.Errorf("%d captures, want each of %d answers of robots.txt and two pages", answered, probes.Load())
	}
	w.count("requests", int64(len(w.log)))
}

// TestAnOutageCostsNoChain: where each page is known only by the one before, no other URL can show that the host is down.
func TestAnOutageCostsNoChain(t *testing.T) {
	const pages, down, up = 12, 6, 22
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := requests.Add(1); n >= down && n < up {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/html")
		var n int
		fmt.Sscanf(r.URL.Path, "/p%d", &n)
		if n < pages {
			fmt.Fprint(w, links(fmt.Sprintf("/p%d", n+1)))
		}
	}))
	defer server.Close()
	for tries := 1; tries <= 3; tries++ {
		requests.Store(0)
		w := newWorld(t)
		w.options.MaxTries, w.pace.MaxTries = tries, tries
		w.options.Pause = time.Microsecond
		w.crawl(server.URL + "/")
		if e := w.state(server.URL + fmt.Sprintf("/p%d", pages)); e.State != frontier.Fetched {
			t.Errorf("with %d tries, the last page is %v: %s", tries, e.State, e.Reason)
		}
	}
}

// TestRefusedConnectionsCostNoTries takes the server away, and puts it back once the log has seen that for longer than a URL has tries.
// The crawl begins anew meanwhile.
func TestRefusedConnectionsCostNoTries(t *testing.T) {
	var address string
	var server *httptest.Server
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, links("/a", "/b", "/c"))
		}
	})
	serve := func() {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		server = &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
		server.Start()
	}
	address = "127.77.0.1:0" // where nobody else listens
	if l, err := net.Listen("tcp", address); err != nil {
		t.Skipf("the system has one loopback address alone: %v", err)
	} else {
		l.Close()
	}
	serve()
	base := server.URL
	w := newWorld(t)
	w.options.Workers, w.options.Pause = 1, time.Millisecond
	stop, cancel := context.WithCancel(t.Context())
	w.onLog = func(e engine.Exchanged) {
		if e.URL == base+"/a" {
			cancel()
		}
	}
	if _, err := w.open(base+"/").Run(t.Context(), stop); err != nil {
		t.Fatal(err)
	}
	if err := w.frontier.Close(); err != nil {
		t.Fatal(err)
	}
	server.Close()
	refused := 0
	w.onLog = func(e engine.Exchanged) {
		if strings.Contains(e.Error, ": refused: ") {
			if refused++; refused == 8 {
				serve()
			}
		}
	}
	w.crawl(base + "/")
	server.Close()
	for _, p := range []string{"/a", "/b", "/c"} {
		if e := w.state(base + p); e.State != frontier.Fetched || e.Tries > 1 {
			t.Errorf("%s is %v after %d tries: %s", p, e.State, e.Tries, e.Reason)
		}
	}
	if refused != 8 {
		t.Errorf("%d requests were refused", refused)
	}
}

// TestADeadHostEnds: a host that never comes back is given up.
func TestADeadHostEnds(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > 3 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, links("/a", "/b", "/c"))
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause, w.options.Patience = time.Microsecond, 50*time.Millisecond
	if reason := w.crawl(server.URL + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	if n := requests.Load(); n > 60 {
		t.Errorf("a dead host was asked %d times for three URLs", n)
	}
	for _, p := range []string{"/b", "/c"} {
		if e := w.state(server.URL + p); e.State != frontier.Failed || !strings.HasPrefix(e.Reason, "host_refused: ") {
			t.Errorf("%s is %v after %d tries: %s", p, e.State, e.Tries, e.Reason)
		}
	}
}

// TestPatienceOutlivesTheProcess: a restarted crawl keeps the patience of the session before, and
// sends a refusing host one request, not one for each URL.
func TestPatienceOutlivesTheProcess(t *testing.T) {
	var pages, refused atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case pages.Add(1) == 1:
			fmt.Fprint(w, links("/a", "/b", "/c", "/d"))
		default:
			refused.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause = 5 * time.Millisecond
	stop, cancel := context.WithCancel(t.Context())
	w.onLog = func(engine.Exchanged) {
		if refused.Load() > 3 {
			cancel()
		}
	}
	if _, err := w.open(server.URL+"/").Run(t.Context(), stop); err != nil {
		t.Fatal(err)
	}
	if err := w.frontier.Close(); err != nil {
		t.Fatal(err)
	}
	before := refused.Load()
	w.options.Patience, w.onLog = time.Nanosecond, nil
	w.crawl(server.URL + "/")
	if n := refused.Load() - before; n != 1 {
		t.Errorf("%d requests to a host that refused for longer than the patience", n)
	}
	w.count("errors/host_refused", 4)
}
