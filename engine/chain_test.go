package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// chainSite is a site of which each page is known by the one before alone, with two more beside it. Every tenth link meets a fault when
// it is asked for first.
type chainSite struct {
	t     *testing.T
	fault string
	links int

	mu       sync.Mutex
	listener net.Listener
	address  string
	asked    map[string]int
	met      int // faults
}

// What a link of the chain meets at a step of its life.
var chainFaults = []string{"none", "refused", "reset", "hung up", "stalled", "cut", "500", "503", "left behind", "put off", "panic"}

func startChain(t *testing.T, fault string, links int) *chainSite {
	s := &chainSite{t: t, fault: fault, links: links, address: "127.77.0.2:0", asked: map[string]int{}} // where nobody else listens
	if l, err := net.Listen("tcp", s.address); err != nil {
		t.Skipf("the system has one loopback address alone: %v", err)
	} else {
		s.address = l.Addr().String()
		s.accept(l)
	}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.listener.Close()
	})
	return s
}

func (s *chainSite) accept(l net.Listener) {
	s.listener = l
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			go s.serve(c)
		}
	}()
}

func (s *chainSite) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for r, err := http.ReadRequest(in); err == nil; r, err = http.ReadRequest(in) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		first := s.asked[r.URL.Path] == 1
		s.mu.Unlock()
		if !s.answer(c, in, r.URL.Path, first) {
			return
		}
	}
}

// answer answers a request, and reports whether the connection stays open.
func (s *chainSite) answer(c net.Conn, in io.Reader, path string, first bool) (keep bool) {
	var n, leaf int
	switch {
	case path == "/":
		return s.page(c, path, "/c/0")
	case strings.HasPrefix(path, "/leaf/"):
		if _, err := fmt.Sscanf(path, "/leaf/%d/%d", &n, &leaf); err == nil && n < s.links && leaf < 2 {
			return s.page(c, path)
		}
	default:
		if _, err := fmt.Sscanf(path, "/c/%d", &n); err == nil && n < s.links {
			if first && n%10 == 7 && s.misbehave(c, in) {
				return false
			}
			to := []string{fmt.Sprintf("/leaf/%d/0", n), fmt.Sprintf("/leaf/%d/1", n)}
			if n+1 < s.links {
				to = append(to, fmt.Sprintf("/c/%d", n+1))
			}
			return s.page(c, path, to...) && (s.fault != "refused" || n%10 != 6 || !first || s.shut())
		}
	}
	_, err := io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
	return err == nil
}

// page answers with a page that names itself.
func (s *chainSite) page(c net.Conn, path string, to ...string) bool {
	text := "<p>A page of the chain, as any other.</p>" + links(to...)
	if s.fault != "put off" {
		text += "<p>This is " + path + " itself.</p>"
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
	if s.fault == "left behind" && strings.HasPrefix(path, "/leaf/") {
		text += strings.Repeat(" ", 4096-len(text)-len(fmt.Sprintf(head, 4000, ""))) // all that is read at a time
		head += "<p>nobody asked for this</p>"
		s.meet()
	}
	_, err := fmt.Fprintf(c, head, len(text), text)
	return err == nil
}

func (s *chainSite) meet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.met++
}

// misbehave does to a request what the fault says, and reports whether that was all.
func (s *chainSite) misbehave(c net.Conn, in io.Reader) bool {
	text := ""
	switch s.fault {
	case "reset":
		_ = c.(*net.TCPConn).SetLinger(0) // where it fails the client sees a FIN
	case "hung up":
	case "stalled":
		_, _ = io.WriteString(c, "HTTP/1.1 200 O")
		_, _ = io.Copy(io.Discard, in) // until the client has had enough
	case "cut":
		text = "200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<title>Cut</title>"
	case "500", "put off":
		text = "500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"
	case "503":
		text = "503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
	default:
		return false
	}
	if text != "" {
		_, _ = io.WriteString(c, "HTTP/1.1 "+text)
	}
	s.meet()
	return true
}

// shut refuses connections for a while. It ends the one that is open.
func (s *chainSite) shut() (keep bool) {
	s.meet()
	s.mu.Lock()
	_ = s.listener.Close()
	s.mu.Unlock()
	time.AfterFunc(40*time.Millisecond, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		l, err := net.Listen("tcp", s.address)
		if err != nil {
			s.t.Errorf("the port could not be opened again: %v", err)
			return
		}
		s.accept(l)
	})
	return false
}

// TestNoFaultCostsAChain lets links of a chain meet each fault, in crawls that are interrupted and in others: each page is archived as
// what it is, and each URL that was found has an end.
func TestNoFaultCostsAChain(t *testing.T) {
	for _, fault := range chainFaults {
		for _, every := range []int{0, 25} {
			t.Run(fmt.Sprintf("%s, stopped every %d", fault, every), func(t *testing.T) {
				t.Parallel()
				links := 30
				if fault == "put off" {
					links = 90 // their pages say nothing new
				}
				crawlChain(t, startChain(t, fault, links), every)
			})
		}
	}
}

// panickyClient is one that panics at the links that meet a fault, after the exchange.
type panickyClient struct {
	engine.Fetcher
	site *chainSite
}

func (p *panickyClient) Do(ctx context.Context, address string, header http.Header) (*fetch.Exchange, error) {
	ex, err := p.Fetcher.Do(ctx, address, header)
	path := strings.TrimPrefix(address, "http://"+p.site.address)
	p.site.mu.Lock()
	defer p.site.mu.Unlock()
	if strings.HasPrefix(path, "/c/") && strings.HasSuffix(path, "7") && p.site.asked[path] == 1 {
		p.site.met++
		panic("a bug")
	}
	return ex, err
}

func crawlChain(t *testing.T, s *chainSite, every int) {
	w := newWorld(t)
	w.options.Pause, w.options.Workers = time.Millisecond, 2
	w.pace.PutOffShare = 0.1
	w.archiver.blocks = map[int64][]byte{}
	var err error
	if w.fetcher, err = fetch.New(fetch.Options{SpoolDir: t.TempDir(), HeaderTimeout: 2 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if s.fault == "panic" {
		w.fetcher = &panickyClient{w.fetcher, s}
	}
	base := "http://" + s.address
	reason, sessions := engine.Reason(""), 0
	for ; reason != engine.Drained && sessions < 50; sessions++ {
		e := w.open(base + "/")
		asked := 0
		w.onLog = func(engine.Exchanged) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if asked++; asked == every {
				e.Stop()
			}
		}
		if reason, err = e.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.frontier.Check(); err != nil {
			t.Fatal(err)
		}
		if reason != engine.Drained {
			w.frontier.Close()
		}
	}
	if want := (s.links + 2) / 10; s.met < want && s.fault != "none" {
		t.Errorf("%d links met the fault, want %d", s.met, want)
	}
	if every > 0 && sessions < 3 {
		t.Errorf("it was not interrupted: %d sessions", sessions)
	}
	s.compare(w, base)
	outcomes := engine.NewOutcomes()
	found, err := w.frontier.All(func(e frontier.Entry) error { outcomes.Add(e); return nil })
	if outcomes.Close(found); err != nil || outcomes.Lost > 0 || outcomes.Archived < 3*s.links {
		t.Errorf("outcomes of %d URLs: %+v (%v)", found, outcomes, err)
	}
}

// compare looks for each page of the chain in the archive.
func (s *chainSite) compare(w *world, base string) {
	archived := map[string]int{}
	for i, c := range w.archiver.captures {
		path := strings.TrimPrefix(c.URL, base)
		itself := bytes.Contains(w.archiver.blocks[int64(i+1)], []byte("This is "+path+" itself."))
		if c.Status == http.StatusOK && (itself || s.fault == "put off") {
			archived[path]++
		}
	}
	for n := range s.links {
		for _, path := range []string{fmt.Sprintf("/c/%d", n), fmt.Sprintf("/leaf/%d/0", n), fmt.Sprintf("/leaf/%d/1", n)} {
			if archived[path] != 1 {
				e, _ := w.frontier.Lookup(base + path)
				w.t.Fatalf("%s is archived %d times; it is %v: %s", path, archived[path], e.State, e.Reason)
			}
		}
	}
}
