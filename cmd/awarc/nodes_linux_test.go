package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
	"github.com/awarc/awarc/testsites"
)

// watched are sites on loopback addresses of their own that remember when they were asked.
type watched struct {
	*gate // of all requests
	seeds []string
	mu    sync.Mutex
	asked map[string][]span // by host
}

// span is the time of an exchange as a server saw it, from the request's arrival to the answer's end.
type span struct {
	url        string
	begin, end time.Time
}

func watchSites(t *testing.T, hosts, posts int) *watched {
	t.Helper()
	w := &watched{gate: newGate(nil, -1), asked: make(map[string][]span)}
	for i := range hosts {
		site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: int64(i + 1), Posts: posts})
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.1.%d:0", i+1))
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if !w.enter(r.Context()) {
				return
			}
			begin := time.Now()
			answer := httptest.NewRecorder()
			site.ServeHTTP(answer, r)
			// The end is noted before the crawler can have read the answer: this goroutine may have to wait for a processor.
			w.mu.Lock()
			w.asked[r.Host] = append(w.asked[r.Host], span{r.URL.RequestURI(), begin, time.Now()})
			w.mu.Unlock()
			maps.Copy(rw.Header(), answer.Header())
			rw.WriteHeader(answer.Code)
			_, _ = rw.Write(answer.Body.Bytes()) // the client may have hung up
		}))
		server.Listener.Close()
		server.Listener = l
		server.Start()
		t.Cleanup(server.Close)
		w.seeds = append(w.seeds, server.URL+"/")
	}
	return w
}

func (w *watched) requests() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, all := range w.asked {
		n += len(all)
	}
	return n
}

// early are the requests to a host that came while it answered another, or sooner than the delay after that.
func (w *watched) early(delay time.Duration) (early []string) {
	for host, all := range w.asked {
		slices.SortFunc(all, func(a, b span) int { return a.begin.Compare(b.begin) })
		for i, s := range all[1:] {
			if d := s.begin.Sub(all[i].end); d < delay {
				early = append(early, fmt.Sprintf("%s was asked for %s %v after the end of %s", host, s.url, d, all[i].url))
			}
		}
	}
	return early
}

// again counts the requests for what was asked for before, robots.txt files included.
func (w *watched) again() (n int) {
	for _, all := range w.asked {
		seen := map[string]bool{}
		for _, s := range all {
			if seen[s.url] {
				n++
			}
			seen[s.url] = true
		}
	}
	return n
}

// crawlNode is a process that takes part in a crawl.
type crawlNode struct {
	*exec.Cmd
	dir string
	out bytes.Buffer
	// servers are asked what they have when the node does not end in time; nil: none.
	servers *clustertest.Servers
}

func startNode(t *testing.T, dir string, args ...string) *crawlNode {
	t.Helper()
	return startNodeIn(t, "", dir, args...)
}

// startNodeIn starts a node in a working folder.
func startNodeIn(t *testing.T, wd, dir string, args ...string) *crawlNode {
	t.Helper()
	n := &crawlNode{Cmd: command(t, args...), dir: dir}
	n.Dir = wd
	n.Args = append(n.Args, "--out", dir)
	n.Stdout, n.Stderr = &n.out, &n.out
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Process.Kill() }) // it may have ended
	return n
}

// end waits for the node to end by itself.
func (n *crawlNode) end(t *testing.T) {
	t.Helper()
	n.ends(t, exitDone)
}

// ends waits for the node to end with an exit status. One that does not end says where it stands.
func (n *crawlNode) ends(t *testing.T, status int) {
	t.Helper()
	state := make(chan string, 1)
	timer := time.AfterFunc(patience(), func() {
		if n.servers != nil {
			state <- n.servers.State()
		}
		_ = n.Process.Signal(syscall.SIGQUIT) // it may have ended
	})
	defer timer.Stop()
	var exit *exec.ExitError
	err := n.Wait()
	if errors.As(err, &exit) && exit.ExitCode() == status || err == nil && status == exitDone {
		return
	}
	select {
	case s := <-state:
		t.Log(s)
	default:
	}
	t.Fatalf("%s: %v, want status %d\n%s", n.dir, err, status, n.out.String())
}

// TestNodesCrawlAsOneThroughFailures: four nodes crawl twenty hosts; one is killed, one stands still for longer than its leases last, a
// server of the frontier dies, and the network to one node is cut.
func TestNodesCrawlAsOneThroughFailures(t *testing.T) {
	crawlAsOne(t, 20, 60, 150*time.Millisecond, 3*time.Second)
}

func TestLongNodesCrawlAsOneThroughFailures(t *testing.T) {
	long(t)
	crawlAsOne(t, 20, 1000, time.Second, time.Minute)
}

func crawlAsOne(t *testing.T, hosts, posts int, delay, lease time.Duration) {
	servers := clustertest.Start(t, 3, 1)
	base := t.TempDir()
	alone := watchSites(t, hosts, posts)
	whole := filepath.Join(base, "alone")
	awarc(t, "", append([]string{"crawl", "--delay", "0", "-w", "20", "--out", whole}, alone.seeds...)...).want(t, exitDone)

	sites := watchSites(t, hosts, posts)
	frontier := fmt.Sprintf("%s?lease=%v", servers.URL(), lease)
	dir := func(name string) string { return filepath.Join(base, name) }
	begin := []string{"crawl", "--frontier", frontier, "--crawl", "boards", "--delay", delay.String()}
	first := startNode(t, dir("first"), append(begin, sites.seeds...)...)
	until(t, "the first request", func() bool { return sites.requests() > 0 })
	network := clustertest.StartNetwork(t, servers)
	join := func(name, url string) *crawlNode {
		return startNode(t, dir(name), "join", "boards", "--frontier", fmt.Sprintf("%s?lease=%v", url, lease))
	}
	killed, frozen, cut := join("killed", servers.URL()), join("frozen", servers.URL()), join("cut", network.URL())
	until(t, "all nodes to take part", func() bool { return killed.fetches() && frozen.fetches() && cut.fetches() })

	progress := sites.requests()
	until(t, "some requests", func() bool { return sites.requests() > progress+hosts })
	if err := killed.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	if err := frozen.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	progress = sites.requests()
	until(t, "more requests", func() bool { return sites.requests() > progress+hosts/2 })
	servers.Kill(servers.Masters()[0])
	time.Sleep(lease + time.Second)
	if err := frozen.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	progress = sites.requests()
	network.Cut(true)
	time.Sleep(lease + time.Second)
	network.Cut(false)
	if sites.requests() == progress {
		t.Error("the others make no request while a node is cut off")
	}
	for _, n := range []*crawlNode{first, frozen, cut} {
		n.servers = servers
		n.end(t)
	}
	awarc(t, "", "resume", killed.dir).want(t, exitDone) // which finishes its files

	// What a node was just sending when it was stopped it sends when it goes on, whatever others have asked since; its leases it looks at
	// before. Such a request comes too early, and the next one may come too early after it.
	if early := sites.early(delay); len(early) > 2 {
		t.Errorf("%d requests came too early:\n%s", len(early), strings.Join(early, "\n"))
	}
	inWork, failures := 8+min(7, 2*runtime.GOMAXPROCS(0)), 4
	if n := sites.again(); n > inWork*failures {
		t.Errorf("%d requests were made again, more than could be in flight", n)
	}
	checkOneCrawl(t, whole, alone, sites, first.dir, killed.dir, frozen.dir, cut.dir)
}

var sessionID = regexp.MustCompile(`[?&](?:amp;)?sid=[0-9a-f]{32}`)

// checkOneCrawl compares what several nodes have made, together, with a crawl of one.
func checkOneCrawl(t *testing.T, whole string, alone, sites *watched, dirs ...string) {
	t.Helper()
	// Sites differ by their ports, which are part of all names.
	rename := strings.NewReplacer(slices.Collect(func(yield func(string) bool) {
		for i := range sites.seeds {
			if !yield(sites.seeds[i]) || !yield(alone.seeds[i]) {
				return
			}
		}
	})...)
	// A node without the cookie of another one is given an id of its own.
	normal := func(text string) string { return sessionID.ReplaceAllString(rename.Replace(text), "") }
	have := map[string]*graphObject{}
	for _, dir := range dirs {
		checkArchive(t, dir)
		for id, o := range readGraph(t, dir) {
			if strings.HasPrefix(id, "urn:uuid:") { // a capture
				continue
			}
			id = normal(id)
			if have[id] == nil {
				have[id] = &graphObject{class: o.class, id: id, props: map[string]map[string]bool{}}
			}
			for name, values := range o.props {
				if have[id].props[name] == nil {
					have[id].props[name] = map[string]bool{}
				}
				for v := range values {
					have[id].props[name][normal(v)] = true
				}
			}
		}
	}
	want := readGraph(t, whole)
	maps.DeleteFunc(want, func(id string, _ *graphObject) bool { return strings.HasPrefix(id, "urn:uuid:") })
	if !slices.Equal(slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("%d objects, want %d", len(have), len(want))
	}
	for id, o := range want {
		if have[id] == nil {
			t.Fatalf("%s is missing", id)
		}
		for name, values := range o.props {
			if name == "modified" || name == "retrieved" || strings.Contains(name, "Date") {
				continue
			}
			if !maps.Equal(values, have[id].props[name]) {
				t.Fatalf("%s: %s is %v, want %v", id, name, have[id].props[name], values)
			}
		}
	}
}

// TestNodesAreStartedByOneCommand: the first begins the crawl, the others join, and what is there already goes on.
func TestNodesAreStartedByOneCommand(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 1, 20)
	base := t.TempDir()
	start := func(dir string, more ...string) outcome {
		args := append([]string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "0", "--out",
			filepath.Join(base, dir)},
			more...)
		return awarc(t, "", append(args, sites.seeds...)...)
	}
	start("one").want(t, exitDone)
	asked := sites.requests()
	start("two").want(t, exitDone)
	start("one").want(t, exitDone)
	start("three", "--workers", "3").want(t, exitDone)
	start("four", "--max-hops", "1").want(t, exitUsage, "a crawl boards with other settings exists: join it with awarc join boards")
	awarc(t, "", "join", "boards", "--frontier", server.URL(), "--out", filepath.Join(base, "five")).want(t, exitDone)
	awarc(t, "", "join", "other", "--frontier", server.URL(), "--out", filepath.Join(base, "six")).want(t, exitFailed, "no such crawl")
	if n := sites.requests(); n != asked {
		t.Errorf("%d requests were made for what was fetched before", n-asked)
	}
	if o := awarc(t, "", "explain", filepath.Join(base, "two"), sites.seeds[0]); !strings.Contains(o.out, "fetched") {
		t.Errorf("a node does not know what another one has fetched:\n%s%s", o.out, o.err)
	}
	server.Kill(0)
	late := awarc(t, "", "join", "boards", "--frontier", server.URL(), "--out", filepath.Join(base, "seven"))
	late.want(t, exitFailed, "no server responds")
}
