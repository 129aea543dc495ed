package cockpit

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/testsites"
)

// openCrawl is a crawl that is open.
type openCrawl struct {
	*folders
	session *Session
}

func (o openCrawl) Session(string) *Session { return o.session }

// openedCrawl is a crawl of a small board, at its end and open again.
func openedCrawl(b *testing.B) (of openCrawl, page string) {
	b.Helper()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: 300})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(site)
	b.Cleanup(server.Close)
	of = openCrawl{folders: &folders{dir: b.TempDir(), names: []string{"one"}}}
	dir := filepath.Join(of.dir, "one")
	c, err := crawl.New(dir, crawl.Options{Seeds: []string{server.URL}, Politeness: crawl.Politeness{Contact: "me@example.org",
		Delay: crawl.None}})
	if err != nil {
		b.Fatal(err)
	}
	if _, err = c.Run(b.Context()); err == nil {
		err = c.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	if c, err = crawl.Resume(dir, crawl.ResumeOptions{}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	of.session = &Session{Crawl: c, Feed: new(Feed)}
	return of, server.URL + "/viewtopic.php?t=1"
}

// stream sends so many exchanges a second, with the objects of each, until ctx ends; it returns how many there were.
func stream(ctx context.Context, f *Feed, rate int) (n int) {
	began := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		for due := int(time.Since(began).Seconds() * float64(rate)); n < due; n++ {
			at := fmt.Sprint("http://board.example/viewtopic.php?t=", n)
			e := engine.Exchanged{Time: time.Now(), URL: at, Status: 200, Bytes: 20_000, Type: "phpbb", Level: "topic", Objects: 1}
			if n%100 == 0 {
				e.Error = "timeout"
			}
			f.Exchanged(e)
			title := extract.Field{Name: "title", Values: []string{at}}
			f.Extracted(at, []extract.Object{{ID: at, Class: "sioc:Thread", Fields: []extract.Field{title}}})
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return n
		}
	}
}

// watch reads the events of a crawl until ctx ends; it returns how many there were.
func watch(ctx context.Context, address string) (n int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: ") {
			n++
		}
	}
	return n, nil // ctx has ended
}

// BenchmarkPagesBesideAStream asks for pages while 10,000 exchanges a second happen, without watchers and with three: how long they take,
// the median and the worst, and how many exchanges there really were.
func BenchmarkPagesBesideAStream(b *testing.B) {
	of, page := openedCrawl(b)
	server := httptest.NewServer(New(Options{Crawls: of, Begins: true}))
	b.Cleanup(server.Close)
	q := "?url=" + url.QueryEscape(page)
	pages := []string{"/", "/new", "/crawls/one/", "/crawls/one/why" + q, "/crawls/one/adaptation", "/crawls/one/kb/",
		"/crawls/one/kb/type?id=phpbb", "/crawls/one/plugins", "/crawls/one/replay" + q, "/crawls/one/results?class=sioc:Post"}
	for _, watchers := range []int{0, 3} {
		b.Run(fmt.Sprintf("watchers=%d", watchers), func(b *testing.B) {
			ctx, end := context.WithCancel(b.Context())
			defer end()
			var all sync.WaitGroup
			exchanges, events, began := 0, make([]int, watchers), time.Now()
			all.Go(func() { exchanges = stream(ctx, of.session.Feed, 10_000) })
			for i := range watchers {
				all.Go(func() {
					var err error
					if events[i], err = watch(ctx, server.URL+"/crawls/one/events"); err != nil {
						b.Error(err)
					}
				})
			}
			var took []time.Duration
			worst := ""
			for b.Loop() {
				for _, at := range pages {
					start := time.Now()
					answer, err := http.Get(server.URL + at)
					if err != nil {
						b.Fatal(err)
					}
					_, err = io.Copy(io.Discard, answer.Body)
					if took = append(took, time.Since(start)); took[len(took)-1] == slices.Max(took) {
						worst = at
					}
					if err != nil || answer.StatusCode != http.StatusOK {
						b.Fatal(at, answer.Status, err)
					}
					_ = answer.Body.Close()
				}
			}
			seconds := time.Since(began).Seconds()
			end()
			all.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(exchanges)/seconds, "exchanges/s")
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "median-ms")
			b.ReportMetric(took[len(took)-1].Seconds()*1000, "worst-ms")
			b.Log("the slowest:", worst)
			if watchers > 0 {
				b.ReportMetric(float64(slices.Min(events))/seconds, "events/s") // of the watcher that had fewest
			}
		})
	}
}
