package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine"
)

// inside is a server that a crawl has no business with. It notes what it is asked for.
type inside struct {
	mu    sync.Mutex
	asked []string
}

func (s *inside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<html><title>secret</title>")
}

func (s *inside) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// serveAt serves h on an address of the loopback network and returns the address with its port.
func serveAt(t *testing.T, ip string, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Skip("needs ", ip, ": ", err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return l.Addr().String()
}

// leading serves a page at / that leads to target in one way.
func leading(way, target string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt" && way == "robots":
			http.Redirect(w, r, target, http.StatusFound)
		case r.URL.Path == "/away":
			http.Redirect(w, r, target, http.StatusFound)
		case r.URL.Path != "/":
			http.NotFound(w, r)
		case way == "seed redirect":
			http.Redirect(w, r, target, http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			link := map[string]string{"link": "<a href='TARGET'>x</a>", "requisite": "<img src='TARGET'>",
				"redirect": "<a href='/away'>x</a>"}[way]
			fmt.Fprint(w, "<html><title>public</title><body>", strings.Replace(link, "TARGET", target, 1))
		}
	})
}

// Whatever leads there, a crawl reaches no loopback address but that of its seed, and says so.
func TestPrivateAddressesAreNotReached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, way, ip string
		spell         func(port string) string // of the host
		status        int
	}{
		{"link", "link", "127.0.0.2", nil, exitWithFaults},
		{"requisite", "requisite", "127.0.0.2", nil, exitWithFaults},
		{"redirect", "redirect", "127.0.0.2", nil, exitWithFaults},
		{"redirect of a seed", "seed redirect", "127.0.0.2", nil, exitFailed},
		{"redirect of robots.txt", "robots", "127.0.0.2", nil, exitWithFaults},
		{"other port of the seed's host", "link", "127.0.0.1", nil, exitWithFaults},
		{"name", "link", "127.0.0.1", func(port string) string { return "localhost:" + port }, exitWithFaults},
		{"short", "link", "127.0.0.1", func(port string) string { return "127.1:" + port }, exitWithFaults},
		{"one number", "link", "127.0.0.1", func(port string) string { return "2130706433:" + port }, exitWithFaults},
		{"hexadecimal", "redirect", "127.0.0.1", func(port string) string { return "0x7f.1:" + port }, exitWithFaults},
		{"unspecified", "link", "127.0.0.1", func(port string) string { return "0.0.0.0:" + port }, exitWithFaults},
		{"IPv4 mapped into IPv6", "link", "127.0.0.1", func(port string) string { return "[::ffff:127.0.0.1]:" + port }, exitWithFaults},
		{"IPv6", "link", "::1", func(port string) string { return "[::1]:" + port }, exitWithFaults},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			secret := new(inside)
			target := serveAt(t, c.ip, secret)
			if _, port, _ := net.SplitHostPort(target); c.spell != nil {
				target = c.spell(port)
			}
			seed := serve(t, leading(c.way, "http://"+target+"/secret")) + "/"
			dir, o := runCrawl(t, "--scope-type", "any", "--requisites", "--max-tries", "2", seed)
			o.want(t, c.status)
			if asked := secret.requests(); len(asked) > 0 {
				t.Errorf("it was asked for %v", asked)
			}
			if n := readReport(t, dir).Errors["private_address"]; n != 1 {
				t.Errorf("the report counts %d refusals, want 1 (no retry)", n)
			}
			refused := slices.IndexFunc(readLog(t, dir), exchangeRefused)
			if refused < 0 || !strings.Contains(o.err, "is a private address") {
				t.Errorf("neither log nor warning says so:\n%s", o.err)
			}
			if pages := readReport(t, dir).Pages; pages != 1 && c.way != "seed redirect" {
				t.Errorf("%d pages, want the seed", pages)
			}
		})
	}
}

func TestSeedsAndAllowPrivateWidenTheAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		flags func(target string) []string
		asked bool
	}{
		{"seed", func(target string) []string { return []string{"http://" + target + "/"} }, true},
		{"network", func(string) []string {
			return []string{"--allow-private", "10.0.0.0/8", "--allow-private", "127.0.0.2/31"}
		}, true},
		{"address", func(string) []string { return []string{"--allow-private", "127.0.0.2"} }, true},
		{"other address", func(string) []string { return []string{"--allow-private", "127.0.0.3"} }, false},
		{"other seed", func(string) []string { return []string{"http://127.0.0.2:1/"} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			secret := new(inside)
			target := serveAt(t, "127.0.0.2", secret)
			seed := serve(t, leading("link", "http://"+target+"/secret")) + "/"
			runCrawl(t, slices.Concat([]string{"--scope-type", "any", "--max-tries", "1"}, c.flags(target), []string{seed})...)
			if got := slices.Contains(secret.requests(), "/secret"); got != c.asked {
				t.Errorf("it was asked: %v, want %v", got, c.asked)
			}
		})
	}
	_, o := runCrawl(t, "--allow-private", "10.0.0.0/99", "http://127.0.0.1:1/")
	o.want(t, exitUsage, "--allow-private")
}

func exchangeRefused(e engine.Exchanged) bool {
	return e.Status == 0 && strings.Contains(e.Error, "private_address")
}

func TestIPv6Seed(t *testing.T) {
	t.Parallel()
	site := new(inside)
	at := serveAt(t, "::1", site)
	dir, o := runCrawl(t, "http://"+at+"/")
	o.want(t, exitDone)
	if r := readReport(t, dir); r.Pages != 1 || !strings.Contains(strings.ToLower(warcText(t, dir)), "ip-address: ::1") {
		t.Errorf("%d pages, or no address in the archive", r.Pages)
	}
	checkArchive(t, dir)
}
