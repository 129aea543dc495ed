package engine_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/trap"
	"github.com/awarc/awarc/frontier"
)

// words makes up n words that follow from a text.
func words(from string, n int) string {
	syllables := []string{"ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "zu", "ka"}
	var b strings.Builder
	for i := range n {
		h := fnv.New32a()
		fmt.Fprint(h, from, i)
		for x := h.Sum32(); x > 1<<12; x >>= 4 {
			b.WriteString(syllables[x%16])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// trapSite serves content, 40 articles with links to three others each, and a trap beside it.
// It counts requests.
type trapSite struct {
	requests atomic.Int64
	trap     func(w http.ResponseWriter, r *http.Request, unique int64)
}

const articles = 40

func (s *trapSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	n := s.requests.Add(1)
	w.Header().Set("Content-Type", "text/html")
	var i int
	if _, err := fmt.Sscanf(r.URL.Path, "/article/%d", &i); err == nil {
		fmt.Fprintf(w, `<h1>%s</h1><p>%s</p><a href="/">home</a>`, words(r.URL.Path, 3), words(r.URL.Path, 60))
		for k := range 3 {
			fmt.Fprintf(w, ` <a href="/article/%d">%[1]d</a>`, (i*3+k)%articles)
		}
		return
	}
	if r.URL.Path == "/" && r.URL.RawQuery == "" {
		fmt.Fprint(w, `<h1>welcome to the site</h1><a href="/article/0">articles</a> <a href="/article/1">more articles</a> <a `+
			`href="/trap/">the other part</a>`)
		return
	}
	s.trap(w, r, n)
}

// endless are traps, and what the report shall call them.
var endless = map[string]struct {
	kind string
	most int64 // requests besides those for articles
	trap func(w http.ResponseWriter, r *http.Request, unique int64)
}{
	"calendar by parameters": {trap.Calendar, 400, func(w http.ResponseWriter, r *http.Request, _ int64) {
		var y, m int
		if _, err := fmt.Sscanf(r.URL.RawQuery, "year=%d&month=%d", &y, &m); err != nil {
			y, m = 2024, 6
		}
		months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
			"December"}
		fmt.Fprintf(w, `<h1>%s %d</h1><p>No events.</p><table>`, months[(m+11)%12], y)
		for d := range 28 {
			fmt.Fprintf(w, `<td>%d</td>`, d)
		}
		fmt.Fprintf(w, `</table><a href="/trap/?year=%d&amp;month=%d">before</a> <a href="/trap/?year=%d&amp;month=%d">after</a>`,
			y-(13-m)/12, (m+10)%12+1, y+m/12, m%12+1)
	}},
	"calendar by path, with days": {trap.Calendar, 2500, func(w http.ResponseWriter, r *http.Request, _ int64) {
		var y, m, d int
		if n, _ := fmt.Sscanf(r.URL.Path, "/trap/%d/%d/%d", &y, &m, &d); n == 3 {
			fmt.Fprintf(w, `<h1>Agenda of %d.%d.%d</h1><p>Nothing is planned for this day.</p><a href="/trap/%d/%d/">month</a>`, d, m, y, y,
				m)
			return
		} else if n < 2 {
			y, m = 2024, 6
		}
		fmt.Fprintf(w, `<h1>Agenda %d/%d</h1><a href="/trap/%d/%d/">before</a> <a href="/trap/%d/%d/">after</a>`, m, y, y-(13-m)/12,
			(m+10)%12+1, y+m/12, m%12+1)
		for d := range 28 {
			fmt.Fprintf(w, `<a href="/trap/%d/%d/%d">%[3]d</a>`, y, m, d+1)
		}
	}},
	"session ids": {trap.SessionID, 400, func(w http.ResponseWriter, r *http.Request, unique int64) {
		page := r.URL.Query().Get("show")
		fmt.Fprintf(w, `<h1>%s</h1><p>%s</p>`, words("t"+page, 4), words("s"+page, 50))
		for i := range 12 {
			fmt.Fprintf(w, `<a href="/trap/?show=p%d&amp;key=%08xf%d">p%[1]d</a> `, i, unique*7919, i)
		}
	}},
	"session ids in paths": {trap.SessionID, 400, func(w http.ResponseWriter, r *http.Request, unique int64) {
		page, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/trap/"), ";")
		fmt.Fprintf(w, `<h1>%s</h1><p>%s</p>`, words("t"+page, 4), words("s"+page, 50))
		for i := range 12 {
			fmt.Fprintf(w, `<a href="/trap/p%d.jsp;jsessionid=%08X">p%[1]d</a> `, i, unique*7919)
		}
	}},
	"one page by many names": {trap.NearDuplicates, 200, func(w http.ResponseWriter, r *http.Request, unique int64) {
		fmt.Fprintf(w, `<h1>the one page</h1><p>%s</p><p>made in 0.%d s</p>`, words("same", 120), unique)
		for i := range 5 {
			fmt.Fprintf(w, `<a href="/trap/item-%s">next</a> `,
				strings.ReplaceAll(strings.TrimSpace(words(fmt.Sprint(unique, i), 2)), " ", "-"))
		}
	}},
	"soft 404": {trap.Soft404, 200, func(w http.ResponseWriter, r *http.Request, unique int64) {
		fmt.Fprintf(w, `<title>not found</title><h1>Sorry, %s could not be found</h1><p>Perhaps these pages help you on.</p>`, r.URL.Path)
		for i := range 5 {
			fmt.Fprintf(w, `<a href="/trap/%s/page">see</a> `, strings.TrimSpace(words(fmt.Sprint(unique, i), 1)))
		}
	}},
	"relative links": {trap.RepeatingPath, 100, func(w http.ResponseWriter, r *http.Request, unique int64) {
		fmt.Fprintf(w, `<p>%s</p><a href="about/">about</a> <a href="contact/us/">contact</a>`, words(fmt.Sprint(unique), 30))
	}},
	"growing path": {trap.DeepPath, 60, func(w http.ResponseWriter, r *http.Request, unique int64) {
		fmt.Fprintf(w, `<p>%s</p><a href="%s/">deeper</a>`, words(fmt.Sprint(unique), 30),
			strings.TrimSpace(words(fmt.Sprint("d", unique), 1)))
	}},
	"growing query": {trap.GrowingQuery, 60, func(w http.ResponseWriter, r *http.Request, unique int64) {
		fmt.Fprintf(w, `<p>%s</p><a href="/trap/?%s&amp;filter=%d">refine</a>`, words(fmt.Sprint(unique), 30), r.URL.RawQuery, unique)
	}},
	"address within address": {trap.GrowingQuery, 60, func(w http.ResponseWriter, r *http.Request, unique int64) {
		back := strings.NewReplacer("%", "%25", "?", "%3F", "&", "%26", "=", "%3D").Replace(r.URL.RequestURI())
		fmt.Fprintf(w, `<p>%s</p><a href="/trap/login?back=%s">log in</a>`, words(fmt.Sprint(unique), 30), back)
	}},
	"numbers": {trap.Endless, 400, func(w http.ResponseWriter, r *http.Request, unique int64) {
		var n int
		fmt.Sscanf(r.URL.RawQuery, "from=%d", &n)
		fmt.Fprintf(w, `<h1>Random numbers</h1><a href="/trap/?from=%d">next</a>`, n+10)
		for i := range 50 {
			fmt.Fprintf(w, "<p>%d</p>", int(unique)*(i+7919)%10007)
		}
	}},
	"days with the number of the request": {trap.Calendar, 400, func(w http.ResponseWriter, r *http.Request, unique int64) {
		var n int
		fmt.Sscanf(r.URL.RawQuery, "day=%d", &n)
		fmt.Fprintf(w, `<h1>Agenda of day %d</h1><p>Nothing is planned for this day, at 10am, noon or 3pm.</p><a href="/trap/?day=%d">`+
			`next</a><i>request a%08xb served by web%d</i>`, n, n+1, unique*7919, unique%3)
	}},
	"pages without results": {trap.Endless, 400, func(w http.ResponseWriter, r *http.Request, _ int64) {
		var n int
		fmt.Sscanf(r.URL.RawQuery, "from=%d", &n)
		fmt.Fprintf(w, `<h1>Results %d to %d of 0</h1><p>Nothing was found for your question.</p><a href="/trap/?from=%d">next</a>`, n,
			n+10, n+10)
	}},
}

func TestTrapsEndAndAreNamed(t *testing.T) {
	for name, test := range endless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := &trapSite{trap: test.trap}
			base := serve(t, site)
			w := newWorld(t)
			w.options.Limits.Pages = 5000
			if reason := w.crawl(base + "/"); reason != engine.Drained {
				t.Errorf("it ended by %q", reason)
			}
			n := site.requests.Load() - articles - 1
			t.Logf("%d requests for the trap", n)
			if n > test.most {
				t.Errorf("%d requests for the trap, want at most %d", n, test.most)
			}
			for i := range articles {
				if e := w.state(fmt.Sprint(base, "/article/", i)); e.State != frontier.Fetched {
					t.Errorf("article %d is %v", i, e.State)
				}
			}
			found := false
			traps := w.traps()
			for _, trap := range traps {
				found = found || trap.Kind == test.kind &&
					(trap.Links > 0 || trap.Waiting > 0 && trap.Evidence != "" && len(trap.Examples) == min(10, trap.Waiting)) &&
					strings.HasPrefix(trap.Where, strings.TrimPrefix(base, "http://"))
			}
			if !found {
				t.Errorf("the report names %+v, want a trap of the kind %s", traps, test.kind)
			}
		})
	}
}

// traps are those of the report.
func (w *world) traps() []engine.TrapReport {
	w.t.Helper()
	var r engine.Report
	if err := r.FillTraps(w.frontier.Counters(), w.frontier); err != nil {
		w.t.Fatal(err)
	}
	return r.Traps
}

// TestWhatWasPutOffIsFetchedOnDemand opens a trap again: what waits is fetched, and what that leads to
// waits in turn.
func TestWhatWasPutOffIsFetchedOnDemand(t *testing.T) {
	site := &trapSite{trap: endless["soft 404"].trap}
	base := serve(t, site)
	w := newWorld(t)
	w.crawl(base + "/")
	var waiting []string
	for _, trap := range w.traps() {
		err := w.frontier.EachPutOff(trap.Where, 0, func(e frontier.Entry) error {
			waiting = append(waiting, e.URL.URL)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.frontier.Reopen(); err != nil {
		t.Fatal(err)
	}
	w.frontier.Close()
	before := site.requests.Load()
	w.crawl(base + "/")
	for _, at := range waiting {
		if e := w.state(at); e.State != frontier.Fetched {
			t.Errorf("%s is %v", at, e.State)
		}
	}
	if n := int(site.requests.Load() - before); len(waiting) == 0 || n < len(waiting) || n > len(waiting)+100 {
		t.Errorf("%d requests for %d URLs that waited", n, len(waiting))
	}
}

// TestTrapsLeaveRoom crawls a site that is large beside a calendar, and stops it halfway: the
// calendar had its share and no more.
func TestTrapsLeaveRoom(t *testing.T) {
	var calendar, pages atomic.Int64
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var n int
		if _, err := fmt.Sscanf(r.URL.RequestURI(), "/day?n=%d", &n); err == nil {
			calendar.Add(1)
			fmt.Fprintf(w, `<p>Nothing is planned.</p><a href="/day?n=%d">next</a>`, n+1)
			for i := range 3 {
				fmt.Fprintf(w, `<a href="/day?n=%d">on</a>`, 10*n+i)
			}
			return
		}
		pages.Add(1)
		fmt.Fprintf(w, `<p>%s</p><a href="/day?n=1">days</a>`, words(r.URL.Path, 20))
		if r.URL.Path == "/" {
			for i := range 2000 {
				fmt.Fprintf(w, `<a href="/page/%d">%[1]d</a>`, i)
			}
		}
	}))
	w := newWorld(t)
	w.options.Limits.Pages = 1000
	w.pace.PutOffShare = 0.1
	w.crawl(base + "/")
	if n := calendar.Load(); n > 150 || n < 30 {
		t.Errorf("%d requests for the calendar beside %d for pages", n, pages.Load())
	}
}

// TestAnInterruptedCrawlEndsAsAnother stops a crawl of dated articles with a calendar beside them
// again and again.
func TestAnInterruptedCrawlEndsAsAnother(t *testing.T) {
	const posts = 300
	address := func(n int) string { return fmt.Sprintf("/%d/%02d/%02d/", 1995+n/12, n%12+1, n%28+1) }
	at := make(map[string]int)
	for n := range posts {
		at[address(n)] = n
	}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		n, known := at[r.URL.Path]
		if !known && r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `<p>Archive of the day</p><p>%d</p><a href="%s">next</a><a href="%s">much later</a>`, n, address(n+1),
			address(2*n+1))
	}))
	var sessions int64
	for _, pages := range []int64{0, 37} {
		w := newWorld(t)
		for limit := pages; ; limit += pages {
			w.options.Limits.Pages = limit
			sessions++
			if reason := w.crawl(base + "/"); reason == engine.Drained {
				break
			}
			w.frontier.Close()
		}
		for n := 1; n < posts; n++ {
			if e := w.state(base + address(n)); e.State != frontier.Fetched {
				t.Errorf("in sessions of %d pages, %s is %v", pages, address(n), e.State)
				break
			}
		}
	}
	if sessions < 5 {
		t.Errorf("only %d sessions", sessions)
	}
}

// TestTrapsOfEarlierSessions: what is left of a trap is not asked for after a restart.
func TestTrapsOfEarlierSessions(t *testing.T) {
	site := &trapSite{trap: endless["calendar by parameters"].trap}
	base := serve(t, site)
	w := newWorld(t)
	w.crawl(base + "/")
	before := site.requests.Load()
	if _, err := w.frontier.Add(t.Context(), []frontier.URL{{URL: base + "/trap/?year=1066&month=2",
		Via: base + "/trap/?year=1066&month=3"}}); err != nil {
		t.Fatal(err)
	}
	w.frontier.Close()
	w.crawl(base + "/")
	if n := site.requests.Load() - before; n != 0 {
		t.Errorf("%d further requests", n)
	}
	if e := w.state(base + "/trap/?year=1066&month=2"); e.State != frontier.PutOff ||
		!strings.Contains(engine.WhyPutOff(w.frontier, e), "calendar") {
		t.Errorf("it is %v: %s", e.State, engine.WhyPutOff(w.frontier, e))
	}
}

// TestPagesThatLookAlikeAreAllFetched crawls what is like a trap in all but one thing, that
// each page says something of its own.
func TestPagesThatLookAlikeAreAllFetched(t *testing.T) {
	const pages = 250
	template := words("template", 150)
	for name, page := range map[string]func(n int) (body string, next []int){
		"numbers listed by an index": func(n int) (string, []int) {
			return fmt.Sprintf("<h1>Details of %d</h1>", n), nil
		},
		"threads, each with a link to the next": func(n int) (string, []int) {
			return "<h1>" + words(fmt.Sprint("title", n), 2) + "</h1><p>" + words(fmt.Sprint("post", n), 4) + "</p>", []int{n + 1}
		},
		"pictures, each with a link to the next": func(n int) (string, []int) {
			return fmt.Sprintf(`<img src="/images/%d.jpg">`, n), []int{n + 1, n - 1}
		},
		"years of an archive, with posts": func(n int) (string, []int) {
			return "<h1>Archive</h1>" + words(fmt.Sprint("headline", n), 5), []int{n + 1, n - 1}
		},
		"part numbers, with links to both sides": func(n int) (string, []int) {
			list := ""
			for i := range 12 {
				list += fmt.Sprintf("<li>%dax%d", (n*7919+i*31)%100_000, n)
			}
			return list, []int{n + 1, n - 1}
		},
		"half of them deleted": func(n int) (string, []int) {
			if n%2 == 1 || n > 50 && n < 100 {
				return "<h1>This topic does not exist.</h1>", nil
			}
			return "<h1>" + words(fmt.Sprint("topic", n), 3) + "</h1>", nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				var n int
				if r.URL.Path == "/" {
					_, next := page(0)
					for n := range pages {
						if next == nil || n == 0 {
							fmt.Fprintf(w, `<a href="/details/%d">%[1]d</a> `, n)
						}
					}
					return
				}
				if _, err := fmt.Sscanf(r.URL.Path, "/details/%d", &n); err != nil || n < 0 || n >= pages {
					http.NotFound(w, r)
					return
				}
				body, next := page(n)
				fmt.Fprint(w, "<p>", template, "</p>", body)
				for _, n := range next {
					fmt.Fprintf(w, ` <a href="/details/%d">further</a>`, n)
				}
			}))
			w := newWorld(t)
			w.crawl(base + "/")
			for n := range pages {
				if e := w.state(fmt.Sprint(base, "/details/", n)); e.State != frontier.Fetched {
					t.Errorf("page %d is %v", n, e.State)
					break
				}
			}
			if s := w.frontier.Stats(); s.PutOff > 0 {
				t.Errorf("%d URLs wait", s.PutOff)
			}
		})
	}
}

// forks are a place without an end beside a book: each of its pages has a text of its own and leads to two more, at addresses that
// nobody can make up. The book's chapters lead to the next ones, the one called door to the forks; 0 is the front page.
type forks struct {
	chapters, door int
	address        func(n uint64) string // of the n-th fork
	chapter        func(n int) string

	at    map[string]uint64
	asked *atomic.Int64 // for forks
}

func newForks(f forks) *forks {
	f.at, f.asked = map[string]uint64{}, new(atomic.Int64)
	for n := uint64(1); n < 1<<14; n++ {
		f.at[f.address(n)] = n
	}
	return &f
}

func (f *forks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fork, is := f.at[r.URL.Path]
	here := -1
	for n := range f.chapters + 1 {
		if r.URL.Path == "/" && n == 0 || n > 0 && r.URL.Path == f.chapter(n) {
			here = n
		}
	}
	switch {
	case is:
		f.asked.Add(1)
		fmt.Fprintf(w, `<p>%s</p><a href="/">home</a><a href="%s">left</a><a href="%s">right</a>`, words(r.URL.Path, 40), f.address(2*fork),
			f.address(2*fork+1))
		return
	case here < 0:
		http.NotFound(w, r)
		return
	}
	fmt.Fprintf(w, `<p>%s</p>`, words(r.URL.Path, 40))
	if here == f.door {
		fmt.Fprintf(w, `<a href="%s">forks</a>`, f.address(1))
	}
	if here < f.chapters {
		fmt.Fprintf(w, `<a href="%s">next</a>`, f.chapter(here+1))
	}
}

// slug is three words, as in the address of an article.
func slug(from string, n uint64) string {
	sum := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, from, n)))[:24]
	letters := strings.Map(func(r rune) rune { return 'a' + r%16 }, sum)
	return letters[:8] + "-" + letters[8:16] + "-" + letters[16:]
}

func checksum(n uint64) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, n)))[:40] }

// TestPlaceThatGrowsDoesNotHoldUpOthers: the chapters are fetched first, wherever the place is and its addresses are like theirs.
func TestPlaceThatGrowsDoesNotHoldUpOthers(t *testing.T) {
	for name, test := range map[string]struct {
		pages int64
		forks
	}{
		"in a folder": {1000, forks{chapters: 60, address: func(n uint64) string { return "/forks/" + slug("fork", n) },
			chapter: func(n int) string { return fmt.Sprint("/book/", n) }}},
		"at the root, words": {1000, forks{chapters: 60, address: func(n uint64) string { return "/" + slug("fork", n) },
			chapter: func(n int) string { return "/" + slug("chapter", uint64(n)) }}},
		"at the root, checksums": {1000, forks{chapters: 60, address: func(n uint64) string { return "/" + checksum(n) },
			chapter: func(n int) string { return "/" + checksum(uint64(n)<<32) }}},
		"at the root, behind a chapter": {10_000, forks{chapters: 60, door: 10,
			address: func(n uint64) string { return "/" + slug("fork", n) },
			chapter: func(n int) string { return "/" + slug("chapter", uint64(n)) }}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.pages > 1000 && !long() {
				t.Skip("10,000 requests; make test-long makes them")
			}
			site := newForks(test.forks)
			base := serve(t, site)
			w := newWorld(t)
			w.options.Limits.Pages = test.pages
			w.crawl(base + "/")
			for n := 1; n <= site.chapters; n++ {
				if e := w.state(base + site.chapter(n)); e.State != frontier.Fetched {
					t.Errorf("after %d forks chapter %d of %d is %v", site.asked.Load(), n, site.chapters, e.State)
					break
				}
			}
		})
	}
}

// TestPlaceThatGrowsDoesNotHoldUpOthersAfterARestart: on which branch an address is follows from who led to it, so that sessions too
// short to see that a branch grows hold up nothing that a later one does not mend.
func TestPlaceThatGrowsDoesNotHoldUpOthersAfterARestart(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	site := newForks(forks{chapters: 40, address: func(n uint64) string { return "/" + slug("fork", n) },
		chapter: func(n int) string { return "/" + slug("chapter", uint64(n)) }})
	base := serve(t, site)
	w := newWorld(t)
	for _, limit := range []int64{100, 200, 300, 1300} {
		w.options.Limits.Pages = limit
		w.crawl(base + "/")
		if limit < 1300 {
			w.frontier.Close()
		}
	}
	for n := 1; n <= site.chapters; n++ {
		if e := w.state(base + site.chapter(n)); e.State != frontier.Fetched {
			t.Errorf("after %d forks chapter %d is %v", site.asked.Load(), n, e.State)
			break
		}
	}
}

// TestChecksumsThatLeadToEverMoreArePutOff: a place without an end at addresses that no person wrote is known by how it grows, though its
// pages have ever new words and nothing made up is answered. It ends by the limit of a family.
func TestChecksumsThatLeadToEverMoreArePutOff(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	site := newForks(forks{chapters: 60, address: func(n uint64) string { return "/" + checksum(n) },
		chapter: func(n int) string { return "/" + checksum(uint64(n)<<32) }})
	base := serve(t, site)
	w := newWorld(t)
	w.pace.PutOffLimit = 200
	w.options.Limits.Pages = 7000
	if reason := w.crawl(base + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	named := false
	for _, x := range w.traps() {
		named = named || x.Waiting > 0 && strings.Contains(x.Evidence, "no person wrote") && len(x.Examples) == 10
	}
	if n := site.asked.Load(); !named || n < 1200 || n > 6000 {
		t.Errorf("%d requests for the place; the report names %+v", n, w.traps())
	}
	for n := 1; n <= site.chapters; n++ {
		if e := w.state(base + site.chapter(n)); e.State != frontier.Fetched {
			t.Errorf("chapter %d is %v", n, e.State)
			break
		}
	}
}

// TestWhatIsPutOffAtTheEndIsFetched: pages that are read again when nothing else is left may lead to what is put off.
func TestWhatIsPutOffAtTheEndIsFetched(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "<p>%s", r.URL) }))
	defer site.Close()
	w := newWorld(t)
	late := site.URL + "/late"
	var once sync.Once
	w.options.Adaptation.Gather = func(context.Context) {
		once.Do(func() {
			o := frontier.Outcome{Links: []frontier.URL{{URL: late, Key: late, Family: "a place"}}}
			if err := w.frontier.Amend(site.URL+"/", o); err != nil {
				t.Error(err)
			}
		})
	}
	if reason := w.crawl(site.URL + "/"); reason != engine.Drained || w.state(late).State != frontier.Fetched {
		t.Errorf("it ended by %q; what was put off at the end is %v", reason, w.state(late).State)
	}
}

// TestTrapsOfOtherNodesCountWhileACrawlRuns: a place that another node has found to have no end is put off here, without a new session.
func TestTrapsOfOtherNodesCountWhileACrawlRuns(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<title>%s</title><p>Of %[1]s.<a href=/x/p7/q/r>on</a>`, r.URL.Path)
	}))
	defer site.Close()
	for shared, want := range map[bool]frontier.State{false: frontier.Fetched, true: frontier.PutOff} {
		w := newWorld(t)
		e := w.open(site.URL + "/")
		note, closed := `{"kind":"endless","evidence":"is answered whatever it is asked for"}`, true
		name := strings.TrimPrefix(site.URL, "http://") + "/x/p#/ and all below"
		families := map[string]frontier.FamilyChange{name: {Note: &note, Closed: &closed}}
		if err := w.frontier.Amend("", frontier.Outcome{Families: families}); err != nil {
			t.Fatal(err)
		}
		if shared {
			e.ShareTraps()
		}
		if _, err := e.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := w.state(site.URL + "/x/p7/q/r"); s.State != want {
			t.Errorf("told of it: %v; the URL is %v, want %v", shared, s.State, want)
		}
	}
}
