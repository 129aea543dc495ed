package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/quads"
)

// page names the graph of a page.
const page = "urn:uuid:0b1e6f3c-5a51-4c5e-9d7f-%012d"

// store is a Graph Store, slow and obvious.
type store struct {
	sync.Mutex
	graphs   map[string]map[string]bool // lines
	requests int
	fault    func(r *http.Request, n int) (status int) // 0 is none
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	body, _ := io.ReadAll(r.Body)
	graph := r.URL.Query().Get("graph")
	s.requests++
	status := 0
	if s.fault != nil {
		status = s.fault(r, s.requests)
	}
	if status == 0 || status == http.StatusGatewayTimeout { // which is done all the same
		if s.graphs[graph] == nil || r.Method == http.MethodPut {
			s.graphs[graph] = map[string]bool{}
		}
		for _, line := range strings.Split(strings.TrimSpace(string(body)), "\n") {
			s.graphs[graph][line] = true
		}
	}
	if status != 0 {
		http.Error(w, "no\nreason", status)
	}
}

func (s *store) lines() (all []string) {
	for graph, lines := range s.graphs {
		for line := range lines {
			all = append(all, graph+" "+line)
		}
	}
	slices.Sort(all)
	return all
}

// statements are pages with some triples each, one graph of many, and some of none.
func statements(pages int) string {
	var b strings.Builder
	for i := range pages {
		for j := range 5 {
			fmt.Fprintf(&b, "<http://s/%d> <http://p/%d> \"%d \\\"é\\n\"@en <"+page+"> .\n", j, i, i, i)
		}
		for j := range 60 {
			fmt.Fprintf(&b, "<"+page+"> <http://p/%d> <http://o> <urn:awarc:meta> .\n", i, j)
		}
	}
	b.WriteString("<http://s> <http://p> <http://o> .\n")
	return b.String()
}

func index(t *testing.T, dir, text string) *quads.Reader {
	t.Helper()
	file, name := filepath.Join(dir, "a.nq"), filepath.Join(dir, "index.db")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := quads.Build(t.Context(), name, []string{file}, quads.Options{}); err != nil || r.Skipped > 0 {
		t.Fatal(r, err)
	}
	r, err := quads.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// wanted is what a store should hold.
func wanted(text string) (all []string) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSuffix(line, " .")
		graph := ""
		if i := strings.LastIndex(line, " <urn:"); i > 0 {
			graph, line = strings.Trim(line[i+1:], "<>"), line[:i]
		}
		all = append(all, graph+" "+line+" .")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Whatever fails on the way, and however often one begins again, the server has all in the end, and nothing is sent for nothing.
func TestPushGoesOn(t *testing.T) {
	text := statements(300)
	r := index(t, t.TempDir(), text)
	s := &store{graphs: map[string]map[string]bool{}}
	server := httptest.NewServer(s)
	defer server.Close()
	o := Options{Endpoint: server.URL + "/data?x=1", Log: filepath.Join(t.TempDir(), "log"), Wait: time.Millisecond}
	s.fault = func(_ *http.Request, n int) int {
		return []int{0, 0, 503, 0, 504, 429, 0, 0, 0}[n%9]
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(r Result) {
		if r.Sent == 100 {
			cancel()
		}
	}
	if _, err := Push(ctx, r, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was interrupted, and yet: %v", err)
	}
	log, err := os.OpenFile(o.Log, os.O_WRONLY|os.O_APPEND, 0o644)
	if err == nil {
		_, err = log.WriteString("torn")
	}
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	result, err := Push(t.Context(), r, o)
	if err != nil || result.Unchanged != 100 || result.Sent != 205 { // 300 pages, four pieces of one graph, and what has no graph
		t.Errorf("%+v %v", result, err)
	}
	if got, want := s.lines(), wanted(text); !slices.Equal(got, want) {
		t.Errorf("the server has %d statements, want %d", len(got), len(want))
	}
	result, err = Push(t.Context(), r, o)
	if err != nil || result.Sent != 0 || result.Requests != 0 {
		t.Errorf("again: %+v %v", result, err)
	}
}

// A crawl that has grown, and a page of which something else was extracted, cost what is new.
func TestPushSendsWhatChanged(t *testing.T) {
	s := &store{graphs: map[string]map[string]bool{}}
	server := httptest.NewServer(s)
	defer server.Close()
	o := Options{Endpoint: server.URL, Log: filepath.Join(t.TempDir(), "log")}
	for _, step := range []struct {
		text string
		sent int
	}{
		{statements(200), 204},
		{statements(210), 11}, // ten pages and the last piece of what is known of them
		{strings.ReplaceAll(statements(210), `"7 `, `"seven `), 1},
		{statements(210), 1}, // back again
	} {
		r := index(t, t.TempDir(), step.text)
		result, err := Push(t.Context(), r, o)
		if err != nil || result.Sent != step.sent {
			t.Errorf("%+v (%v), want %d to be sent", result, err, step.sent)
		}
		if got, want := s.lines(), wanted(step.text); !slices.Equal(got, want) {
			t.Errorf("the server has %d statements, want %d", len(got), len(want))
		}
	}
}

// The captures of one crawl stay on the server when another crawl is sent, by both protocols.
func TestPushKeepsOtherCrawls(t *testing.T) {
	crawls := []string{}
	for i := range 2 {
		name := fmt.Sprintf("<"+page+">", i)
		crawls = append(crawls, name+" <http://p> <http://o> <urn:awarc:meta> .\n<http://s> <http://p> <http://o> "+name+" .\n")
	}
	s := &store{graphs: map[string]map[string]bool{}}
	server := httptest.NewServer(s)
	defer server.Close()
	var updates strings.Builder
	update := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(&updates, r.Body) }))
	defer update.Close()
	for _, text := range crawls {
		r := index(t, t.TempDir(), text)
		for _, o := range []Options{{Endpoint: server.URL}, {Endpoint: update.URL, Protocol: Update}} {
			o.Log = filepath.Join(t.TempDir(), "log")
			if _, err := Push(t.Context(), r, o); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := s.lines(), wanted(crawls[0]+crawls[1]); !slices.Equal(got, want) {
		t.Errorf("the server has %q, want %q", got, want)
	}
	if u := updates.String(); strings.Contains(u, "DROP SILENT GRAPH <urn:awarc:meta>") || strings.Count(u, "DROP SILENT GRAPH") != 2 ||
		strings.Count(u, "INSERT DATA { GRAPH <urn:awarc:meta>") != 2 {
		t.Errorf("updates: %s", u)
	}
}

func TestPushTellsWhatIsRefused(t *testing.T) {
	r := index(t, t.TempDir(), statements(20))
	s := &store{graphs: map[string]map[string]bool{}}
	server := httptest.NewServer(s)
	defer server.Close()
	s.fault = func(r *http.Request, _ int) int {
		if strings.HasSuffix(r.URL.Query().Get("graph"), "-000000000007") {
			return http.StatusBadRequest
		}
		return 0
	}
	var notes []string
	o := Options{Endpoint: server.URL, Log: filepath.Join(t.TempDir(), "log"), Noted: func(text string) { notes = append(notes, text) }}
	result, err := Push(t.Context(), r, o)
	if err != nil || result.Refused != 1 || result.Sent != 21 || len(notes) != 1 || !strings.Contains(notes[0], "000007>: PUT http://") ||
		!strings.Contains(notes[0], "no reason") {
		t.Errorf("%+v %v %q", result, err, notes)
	}
	for status, want := range map[int]string{http.StatusForbidden: "403 Forbidden", http.StatusBadGateway: "502 Bad Gateway"} {
		s.fault, s.requests = func(*http.Request, int) int { return status }, 0
		o.Log, o.Tries, o.Wait = filepath.Join(t.TempDir(), "log"), 3, time.Millisecond
		_, err := Push(t.Context(), r, o)
		tries := map[int]int{http.StatusForbidden: 1, http.StatusBadGateway: 3}[status]
		if err == nil || !strings.Contains(err.Error(), want) || s.requests != tries {
			t.Errorf("%d: %v after %d requests", status, err, s.requests)
		}
	}
	leads := httptest.NewServer(http.RedirectHandler(server.URL, http.StatusTemporaryRedirect))
	defer leads.Close()
	o.Endpoint, o.Tries = leads.URL, 1
	if _, err := Push(t.Context(), r, o); err == nil || !strings.Contains(err.Error(), "it redirects to "+server.URL) {
		t.Errorf("a redirection: %v", err)
	}
	for _, wrong := range []Options{{Endpoint: "ftp://x/"}, {Endpoint: "data"}, {Endpoint: server.URL, Credentials: "hunter2"}} {
		if _, err := Push(t.Context(), r, wrong); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

func TestPushSaysWhoItIs(t *testing.T) {
	r := index(t, t.TempDir(), statements(1))
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	for _, credentials := range []string{"bearer secret\n", "basic a:b:c"} {
		o := Options{Endpoint: server.URL, Log: filepath.Join(t.TempDir(), "log"), Credentials: credentials}
		if _, err := Push(t.Context(), r, o); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(got)
	if want := []string{"Basic YTpiOmM=", "Bearer secret"}; !slices.Equal(slices.Compact(got), want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// fuseki starts Jena's server, of which users have the password secret, and gives its address.
func fuseki(t *testing.T, auth string) string {
	jar, err := filepath.Abs("../../.cache/tools/jena-fuseki-server-5.2.0.jar")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(jar); err != nil {
		t.Skipf("Fuseki is not installed (%v); make tools installs it", err)
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("Fuseki needs java")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	_, port, _ := net.SplitHostPort(address)
	passwords := filepath.Join(t.TempDir(), "passwords")
	if err := os.WriteFile(passwords, []byte("awarc: secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("java", "-Xmx512m", "-jar", jar, "--localhost", "--port="+port, "--auth="+auth, "--passwd="+passwords,
		"--mem", "--update", "/ds")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	const patience = 5 * time.Minute // a busy machine takes a while to start Java
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address + "/ds"
		}
	}
	t.Fatalf("Fuseki does not listen after %v", patience)
	return ""
}

// A real server has what the index has, by both protocols.
func TestPushToFuseki(t *testing.T) {
	text := statements(120)
	for auth, protocol := range map[string]Protocol{"basic": GraphStore, "digest": Update} {
		t.Run(auth, func(t *testing.T) {
			t.Parallel()
			r, server := index(t, t.TempDir(), text), fuseki(t, auth)
			service := map[Protocol]string{GraphStore: "/data", Update: "/update"}[protocol]
			o := Options{Endpoint: server + service, Protocol: protocol, Log: filepath.Join(t.TempDir(), "log")}
			o.Credentials = auth + " awarc:wrong"
			if _, err := Push(t.Context(), r, o); err == nil || !strings.Contains(err.Error(), "401") {
				t.Errorf("a wrong password: %v", err)
			}
			o.Credentials = auth + " awarc:secret"
			result, err := Push(t.Context(), r, o)
			if err != nil || result.Refused > 0 {
				t.Fatal(result, err)
			}
			o.Log = filepath.Join(t.TempDir(), "log") // all of it once more
			if _, err := Push(t.Context(), r, o); err != nil {
				t.Fatal(err)
			}
			other := strings.ReplaceAll(statements(1), "-000000000000", "-999999999999") // another crawl, whose captures are one part
			o.Log = filepath.Join(t.TempDir(), "log")
			if _, err := Push(t.Context(), index(t, t.TempDir(), other), o); err != nil {
				t.Fatal(err)
			}
			got := dump(t, server, auth)
			if want := wanted(text + other); !slices.Equal(got, want) {
				t.Errorf("the server has %d statements, want %d", len(got), len(want))
			}
		})
	}
}

// dump gives all that a server has.
func dump(t *testing.T, server, auth string) []string {
	t.Helper()
	transport, err := authorized(auth + " awarc:secret")
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: transport}
	all := map[string]bool{}
	for graph, pattern := range map[string]string{"g": "GRAPH ?g { ?s ?p ?o }", "": "?s ?p ?o"} {
		query := url.Values{"query": {"SELECT ?g ?s ?p ?o { " + pattern + " }"}, "format": {"tsv"}}
		answer, err := client.Get(server + "/query?" + query.Encode())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer.Status, err, string(text))
		}
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
			cells := strings.Split(line, "\t")
			if graph == "" {
				cells[0] = ""
			}
			all[strings.Trim(cells[0], "<>")+" "+strings.Join(cells[1:], " ")+" ."] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
