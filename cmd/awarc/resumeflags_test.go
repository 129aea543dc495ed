package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
)

// reached is a site whose pages each need another flag to be fetched. other is the address of a second site.
func reached(other *string) http.Handler {
	pages := map[string]string{
		"/": `<img src="/needed.png"><a href="/one">one</a> <a href="/kept-out">kept out</a> <a href="/hidden/page">hidden</a>
			<a href="/leave">leave</a> <a href="/away">away</a>
			<a href="/twin/a/">twin</a> <a href="/twin/b/">twin</a> <script>var next = "/guessed.html";</script>`,
		"/one": `<a href="/two">two</a>`, "/two": `<a href="/three">three</a>`, "/three": "the end",
		"/kept-out":  `<a href="/kept-out/more">more</a>`,
		"/leave":     `<meta name="robots" content="nofollow"><a href="/left">left</a>`,
		"/beside":    `<a href="/beside/more">more</a>`,
		"/mapped":    "only in the sitemap that robots.txt names",
		"/unmapped":  "only in the sitemap that robots.txt does not name",
		"/one/cited": "cited",
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		base := "http://" + r.Host
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprintf(w, "User-agent: *\nDisallow: /hidden\nUser-agent: friend\nDisallow:\nSitemap: %s/map.xml\n", base)
		case "/map.xml", "/sitemap.xml":
			page := map[string]string{"/map.xml": "mapped", "/sitemap.xml": "unmapped"}[r.URL.Path]
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>%s/%s</loc></url></urlset>`, base, page)
		case "/needed.png":
			w.Header().Set("Content-Type", "image/png")
		case "/twin/a/", "/twin/b/": // one payload, so the second is archived as a revisit
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<html><title>twin</title><a href="more.html">more</a></html>`)
		case "/away":
			http.Redirect(w, r, *other+"/beside", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<html><title>%s</title>%s</html>", r.URL.Path, pages[r.URL.Path])
		}
	})
}

// fetchedOf returns the archived URLs of a crawl, except robots.txt.
func fetchedOf(t *testing.T, dir string) []string {
	t.Helper()
	found := map[string]bool{}
	_, err := crawl.Folder(dir).Exchanges(10_000, func(e *engine.Exchanged) bool {
		if e.Record != "" && !e.Robots {
			found[e.URL] = true
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// A crawl that is resumed with a flag archives the same URLs as a crawl that was started with it, and requests none of them twice.
func TestResumeTakesFlagsOver(t *testing.T) {
	t.Parallel()
	var other string
	site := reached(&other)
	other = serve(t, site)
	narrow := write(t, "scope.yaml", "- exclude: {path: /one}\n")
	board, err := newSite("phpbb", "", 1, 20)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		begun, then, whole []string
		site               http.Handler // another than that of reached
	}{
		"optional":       {then: []string{"--optional"}, whole: []string{"--optional"}, site: board},
		"not optional":   {begun: []string{"--optional", "--limit=1"}, then: []string{"--optional=false", "--limit=0"}, site: board},
		"max-hops":       {begun: []string{"--max-hops=1"}, then: []string{"--max-hops=2"}, whole: []string{"--max-hops=2"}},
		"any hops":       {begun: []string{"--max-hops=1"}, then: []string{"--max-hops=-1"}},
		"requisites":     {then: []string{"--requisites"}, whole: []string{"--requisites"}},
		"scope-type":     {then: []string{"--scope-type=any"}, whole: []string{"--scope-type=any"}},
		"exclude":        {begun: []string{"--exclude=kept-out"}, then: []string{"--exclude="}},
		"include":        {begun: []string{"--include=one|/$"}, then: []string{"--include="}},
		"another":        {begun: []string{"--include=/$"}, then: []string{"--include=one|/$"}, whole: []string{"--include=one|/$"}},
		"scope":          {begun: []string{"--scope=" + narrow}, then: []string{"--scope="}},
		"nofollow":       {then: []string{"--nofollow=ignore"}, whole: []string{"--nofollow=ignore"}},
		"ignore-robots":  {begun: []string{"--no-sitemaps"}, then: []string{"--ignore-robots"}, whole: []string{"--ignore-robots"}},
		"user-agent":     {then: []string{"--user-agent=friend"}, whole: []string{"--user-agent=friend"}},
		"sitemaps":       {then: []string{"--sitemaps"}, whole: []string{"--sitemaps"}},
		"no sitemaps":    {begun: []string{"--no-sitemaps"}, then: []string{"--no-sitemaps=false"}},
		"sitemaps again": {begun: []string{"--no-sitemaps"}, then: []string{"--sitemaps"}, whole: []string{"--sitemaps"}},
		"speculative":    {then: []string{"--speculative"}, whole: []string{"--speculative"}},
		"limit":          {begun: []string{"--limit=2", "--max-hops=1"}, then: []string{"--limit=0", "--max-hops=-1"}},
		"narrower":       {begun: []string{"--limit=1"}, then: []string{"--limit=0", "--max-hops=1"}, whole: []string{"--max-hops=1"}},
		"narrower place": {begun: []string{"--limit=1", "--scope-type=any"}, then: []string{"--limit=0", "--scope-type=host"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			requests := map[string]int{}
			base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				requests[r.URL.RequestURI()]++
				mu.Unlock()
				if test.site != nil {
					test.site.ServeHTTP(w, r)
				} else {
					site.ServeHTTP(w, r)
				}
			}))
			flags := []string{"--delay=0", "--min-space=0", "--no-traps", "--allow-private=127.0.0.0/8"}
			crawlTo := func(more []string) string {
				dir := filepath.Join(t.TempDir(), "crawl")
				awarc(t, "", slices.Concat([]string{"crawl", "--out", dir}, flags, more, []string{base + "/"})...)
				return dir
			}
			dir := crawlTo(test.begun)
			before := len(fetchedOf(t, dir))
			awarc(t, "", slices.Concat([]string{"resume"}, test.then, []string{dir})...)
			got := fetchedOf(t, dir)
			for uri, n := range requests {
				if n > 1 {
					t.Errorf("%s was requested %d times", uri, n)
				}
			}
			want := fetchedOf(t, crawlTo(test.whole))
			if !slices.Equal(got, want) || len(got) <= before {
				t.Errorf("%d answers before, then\n%s, want\n%s", before, strings.Join(got, " "), strings.Join(want, " "))
			}
		})
	}
}

// trouble is a site whose front page links to pages that need patience.
type trouble struct {
	pages []string
	mu    sync.Mutex
	count map[string]int // requests by path
	ended time.Time      // of the last answer
	hasty int            // requests sooner after it than rest
}

// rest is the --delay of a crawl that is resumed with it.
const rest = 200 * time.Millisecond

func (s *trouble) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if time.Since(s.ended) < rest {
		s.hasty++
	}
	s.count[r.URL.Path]++
	n := s.count[r.URL.Path]
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.ended = time.Now()
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/robots.txt":
		w.WriteHeader(http.StatusNotFound)
	case "/bad":
		w.WriteHeader(http.StatusInternalServerError)
	case "/busy":
		if n <= 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	case "/stuck":
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		for _, page := range s.pages {
			fmt.Fprintf(w, `<a href="%s">page</a>`, page)
		}
	}
}

// session resets the state of the last session.
func (s *trouble) session() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasty, s.ended = 0, time.Time{}
}

// A crawl that is resumed with a flag about how URLs are requested has the settings, requests and
// errors of one that was started with it.
func TestResumeTakesPaceOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pages              []string
		begun, then, whole []string
	}{
		"max-tries":   {pages: []string{"/bad"}, begun: []string{"--max-tries=1"}, then: []string{"--max-tries=3"}},
		"fewer tries": {pages: []string{"/bad"}, then: []string{"--max-tries=1"}, whole: []string{"--max-tries=1"}},
		"retry-delay": {pages: []string{"/bad"}, begun: []string{"--retry-delay=1h"}, then: []string{"--retry-delay=0"}},
		"patience":    {pages: []string{"/busy"}, begun: []string{"--patience=1"}, then: []string{"--patience=2h"}},
		"timeout":     {pages: []string{"/stuck"}, then: []string{"--timeout=1"}, whole: []string{"--timeout=1"}},
		"workers": {pages: []string{"/a", "/b"}, begun: []string{"--workers=1"}, then: []string{"--workers=3"},
			whole: []string{"--workers=3"}},
		"delay": {pages: []string{"/a", "/b"}, then: []string{"--delay=200ms"}, whole: []string{"--delay=200ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The time limit only bounds the test when it fails.
			flags := []string{"--retry-delay=0", "--delay=0", "--min-space=0", "--time-limit=120"}
			crawlTo := func(site *trouble, more []string) (dir string) {
				dir = filepath.Join(t.TempDir(), "crawl")
				awarc(t, "", slices.Concat([]string{"crawl", "--out", dir}, flags, more, []string{serve(t, site) + "/"})...)
				return dir
			}
			resumed, begunSo := &trouble{pages: test.pages, count: map[string]int{}}, &trouble{pages: test.pages, count: map[string]int{}}
			dir := crawlTo(resumed, append([]string{"--limit=1"}, test.begun...))
			resumed.session()
			awarc(t, "", slices.Concat([]string{"resume", "--limit=0"}, test.then, []string{dir})...)
			whole := crawlTo(begunSo, test.whole)
			if !maps.Equal(resumed.count, begunSo.count) || resumed.hasty != begunSo.hasty && name == "delay" {
				t.Errorf("%v requests, %d of them hasty; want %v and %d", resumed.count, resumed.hasty, begunSo.count, begunSo.hasty)
			}
			got, want := readReport(t, dir), readReport(t, whole)
			if !maps.Equal(got.Errors, want.Errors) || got.Finished != want.Finished || !got.Finished {
				t.Errorf("finished %v with errors %v; want %v with %v", got.Finished, got.Errors, want.Finished, want.Errors)
			}
			if got, want := optionsOf(t, dir), optionsOf(t, whole); !reflect.DeepEqual(got, want) {
				t.Errorf("options %+v, want %+v", got, want)
			}
		})
	}
}

// optionsOf returns the options that a crawl has stored.
func optionsOf(t *testing.T, dir string) crawl.Options {
	t.Helper()
	settings, err := crawl.ReadSettings(dir)
	if err != nil {
		t.Fatal(err)
	}
	settings.Flags.Seeds = nil // of two servers
	return settings.Flags
}

// Each flag of a crawl can change, or resume reports the reason and leaves the settings alone.
func TestResumeSaysWhatCannotChange(t *testing.T) {
	t.Parallel()
	var other string
	site := serve(t, reached(&other))
	dir := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", "crawl", "--out", dir, "--delay=0", "--min-space=0", "--limit=1", site+"/").want(t, exitLimit)
	settings := func() string {
		data, err := os.ReadFile(filepath.Join(dir, crawl.SettingsFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := settings()
	for flag, why := range map[string]string{
		"--kb=" + dir: "mix pages read by two sets of rules", "--blind": "cannot change", "--topic=x.yaml": "ordered by it",
		"--frontier=redis://h:1": "new crawl", "--warc-prefix=x": "new crawl", "--previous=" + dir: "compared",
		"--workers=0.5": "workers", "--trap-share=2": "--trap-share 2", "--limit=-2": "--limit may not be negative",
		"--scope-type=near": "must be one of", "--scope=missing.yaml": "missing.yaml", "--proxy=gopher://h": "scheme must be",
	} {
		r := awarc(t, "", "resume", flag, dir)
		if r.status != exitUsage || !strings.Contains(r.err, why) {
			t.Errorf("%s: status %d, %s", flag, r.status, r.err)
		}
	}
	if settings() != before {
		t.Errorf("the settings changed: %s", settings())
	}
	help := awarc(t, "", "resume", "--help").out
	for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(awarc(t, "", "crawl", "--help").out, -1) {
		kept := slices.ContainsFunc(optionNames(), func(name string) bool { return flagOf(name) == flag && crawl.Keeps(name) })
		shown := regexp.MustCompile(`(?m)^ +(-\w, )?` + flag + `\b`).MatchString(help)
		if shown == kept && !slices.Contains(ofCrawlAlone, flag) {
			t.Errorf("%s: kept %t, and resume --help shows it: %t", flag, kept, shown)
		}
	}
}

// ofCrawlAlone lists flags of crawl that are not options.
var ofCrawlAlone = []string{"--out", "--config", "--seed-file", "--dry-run"}
