//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/awarc/awarc/plugins/sdk/plugintest"
	"github.com/awarc/awarc/testsites"
)

// meter takes the time of a crawl from its first request to its last, by the clock and by
// the processor: how it starts and ends does not count.
type meter struct {
	mu          sync.Mutex
	requests    int
	first, last sample
}

type sample struct{ clock, processor time.Duration }

func (m *meter) request() {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return // it does not fail for this process
	}
	now := sample{time.Since(benchStart), time.Duration(u.Utime.Nano() + u.Stime.Nano())}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == 0 {
		m.first = now
	}
	m.requests++
	m.last = now
}

// take gives the seconds a request, and begins anew.
func (m *meter) take() (clock, processor float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := float64(m.requests - 1)
	clock, processor = (m.last.clock-m.first.clock).Seconds()/n, (m.last.processor-m.first.processor).Seconds()/n
	m.requests = 0
	return clock, processor
}

var benchStart = time.Now()

// remembered answers from memory what a site answered once, so that a benchmark
// measures the crawler and not the site.
func remembered(h http.Handler, m *meter) http.Handler {
	var mu sync.Mutex
	known := map[string]*httptest.ResponseRecorder{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.request()
		mu.Lock()
		a := known[r.URL.String()]
		if a == nil {
			a = httptest.NewRecorder()
			h.ServeHTTP(a, r)
			known[r.URL.String()] = a
		}
		mu.Unlock()
		for name, values := range a.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(a.Code)
		_, _ = w.Write(a.Body.Bytes()) // the crawler may be gone
	})
}

// BenchmarkCrawl crawls four boards on four addresses: as they are, for a topic, and for it with one plugin
// more. The figures are throughputs by those of the crawl named after "/", each the best of the rounds,
// which take turns; those that end in -cpu are by the time of the processor, which other
// programs disturb less.
func BenchmarkCrawl(b *testing.B) {
	var seeds []string
	var took meter
	for i := range 4 {
		site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: int64(i + 1), Posts: 150})
		if err != nil {
			b.Fatal(err)
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			b.Skip("no further loopback addresses: ", err)
		}
		server := &httptest.Server{Listener: l, Config: &http.Server{Handler: remembered(site, &took)}}
		server.Start()
		b.Cleanup(server.Close)
		seeds = append(seeds, server.URL+"/")
	}
	topic := filepath.Join(b.TempDir(), "topic.yaml")
	if err := os.WriteFile(topic, []byte("keywords: [canal, lantern, tropical storm, garden, bread]\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	goScorer := plugintest.Build(b, "../../plugins/examples/go-keywords")
	modes := []struct {
		name             string
		args             []string
		clock, processor float64 // least seconds a request
	}{
		{name: "plain"},
		{name: "topic", args: []string{"--topic", topic}},
		{name: "C", args: []string{"--topic", topic, "--plugin", "../../plugins/testdata/examples/c-keywords.wasm"}},
		{name: "Go", args: []string{"--topic", topic, "--plugin", goScorer}},
	}
	for b.Loop() {
		for i := range modes {
			dir := filepath.Join(b.TempDir(), "crawl")
			args := append([]string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir}, modes[i].args...)
			if status := run(context.Background(), append(args, seeds...), streams{nil, io.Discard, io.Discard}); status != exitDone {
				b.Fatalf("%s: exit status %d", modes[i].name, status)
			}
			clock, processor := took.take()
			if m := &modes[i]; m.clock == 0 {
				m.clock, m.processor = clock, processor
			} else {
				m.clock, m.processor = min(m.clock, clock), min(m.processor, processor)
			}
		}
	}
	plain, topical := modes[0], modes[1]
	b.ReportMetric(1/plain.clock, "requests/s")
	for _, m := range modes[1:] {
		b.ReportMetric(plain.clock/m.clock, m.name+"/plain")
		b.ReportMetric(plain.processor/m.processor, m.name+"/plain-cpu")
	}
	for _, m := range modes[2:] {
		b.ReportMetric(topical.clock/m.clock, m.name+"/topic")
		b.ReportMetric(topical.processor/m.processor, m.name+"/topic-cpu")
	}
}
