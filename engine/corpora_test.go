package engine_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/testsites/corpora"
)

// long reports whether tests that take minutes run, as `make test-long` wants.
func long() bool { return os.Getenv("AWARC_LONG") != "" }

// corpusCrawl is one crawl of one corpus.
type corpusCrawl struct {
	corpus corpora.Corpus
	way    corpora.Way
	blind  bool
}

func (c corpusCrawl) String() string {
	knowing := "knowing"
	if c.blind {
		knowing = "blind"
	}
	return fmt.Sprintf("%s/%v/%s", c.corpus.Name, c.way, knowing)
}

// corpusCrawls are all crawls of a long test, or one of 100 pages for each corpus, in which
// the ways take turns.
func corpusCrawls(all []corpora.Corpus) []corpusCrawl {
	var list []corpusCrawl
	for i, c := range all {
		if !long() {
			list = append(list, corpusCrawl{c.Limit(100), corpora.Ways()[i%3], i/3%2 == 0})
			continue
		}
		for _, way := range corpora.Ways() {
			list = append(list, corpusCrawl{c, way, true}, corpusCrawl{c, way, false})
		}
	}
	return list
}

// TestCorporaAreFetchedWhole: sites of natural content that nobody described lose no page, however much
// their pages are alike.
func TestCorporaAreFetchedWhole(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector it takes minutes; make plain runs it")
	}
	crawlCorpora(t, corpora.All())
}

// TestPackagedCorporaAreFetchedWhole: so do those made of open data that packages bring.
func TestPackagedCorporaAreFetchedWhole(t *testing.T) {
	if raceDetector || !long() {
		t.Skip("it needs packages and takes minutes; make test-long runs it")
	}
	packaged, err := corpora.Packaged("../.cache/corpora")
	if err != nil {
		t.Skip(err)
	}
	crawlCorpora(t, packaged)
}

// crawlCorpora makes the crawls of corpora and shows a table.
func crawlCorpora(t *testing.T, list []corpora.Corpus) {
	var mu sync.Mutex
	var lines []string
	all, whole, pages := 0, 0, [2]int{}
	t.Run("crawls", func(t *testing.T) {
		for _, c := range corpusCrawls(list) {
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				got, want, requests := crawlCorpus(t, c)
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, fmt.Sprintf("| %s | %v | %v | %d/%d | %d |", c.corpus.Name, c.way, c.blind, got, want, requests))
				all, pages[0], pages[1] = all+1, pages[0]+got, pages[1]+want
				if got == want {
					whole++
				}
			})
		}
	})
	slices.SortFunc(lines, cmp.Compare)
	t.Logf("%d of %d crawls are whole, %d of %d pages:\n| corpus | way | blind | fetched | requests |\n|---|---|---|---|---|\n%s", whole,
		all, pages[0], pages[1], strings.Join(lines, "\n"))
}

// crawlCorpus crawls a corpus and counts the addresses that were fetched, those that
// should have been, and requests.
func crawlCorpus(t *testing.T, c corpusCrawl) (got, want, requests int) {
	base := serve(t, c.corpus.Handler(c.way))
	w := newWorld(t)
	w.options.Blind = c.blind
	urls := c.corpus.URLs(c.way)
	w.pace.PutOffLimit = 2*len(urls) + 500 // as --trap-limit, of 10,000, for an open end that no probe tells
	w.options.Limits.Pages = int64(4*len(urls) + 1000)
	if reason := w.crawl(base + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q after %d requests", reason, len(w.log))
	}
	fetched := make(map[string]bool)
	for _, e := range w.log {
		if key, err := corpora.Key(strings.TrimPrefix(e.URL, base)); err == nil && e.Status == http.StatusOK {
			fetched[key] = true
		}
	}
	var missed []string
	for _, u := range urls {
		key, err := corpora.Key(u)
		if err != nil {
			t.Fatal(err)
		}
		if fetched[key] {
			continue
		}
		why := "not known to the frontier"
		if e, ok := w.frontier.Lookup(base + u); ok {
			why = fmt.Sprintf("%v %s", e.State, e.Reason)
		}
		missed = append(missed, u+": "+why)
	}
	if len(missed) > 0 {
		t.Errorf("%d of %d addresses were not fetched, such as\n  %s", len(missed), len(urls),
			strings.Join(missed[:min(len(missed), 5)], "\n  "))
	}
	return len(urls) - len(missed), len(urls), len(w.log)
}

// TestTrapsBesideArticles: of sites with a place without end all articles are fetched, and the place
// costs no more than its bound.
func TestTrapsBesideArticles(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector it takes minutes; make plain runs it")
	}
	var mu sync.Mutex
	var lines []string
	t.Run("crawls", func(t *testing.T) {
		for _, trap := range corpora.Traps() {
			for _, blind := range []bool{true, false} {
				if blind && !long() {
					continue
				}
				t.Run(fmt.Sprintf("%s/blind %v", trap.Name, blind), func(t *testing.T) {
					t.Parallel()
					got, cost, reason := crawlTrap(t, trap, blind)
					mu.Lock()
					defer mu.Unlock()
					lines = append(lines, fmt.Sprintf("| %s | %v | %d/%d | %d/%d | %s |", trap.Name, blind, got, len(trap.Articles), cost,
						trap.Most, reason))
				})
			}
		}
	})
	slices.SortFunc(lines, cmp.Compare)
	t.Logf("\n| trap | blind | articles | other requests | ended by |\n|---|---|---|---|---|\n%s", strings.Join(lines, "\n"))
}

// crawlTrap crawls a site with a trap and counts the articles that were fetched and the requests beside one
// for each of these.
func crawlTrap(t *testing.T, trap corpora.Trap, blind bool) (articles, cost int, reason engine.Reason) {
	base := serve(t, trap.Handler())
	w := newWorld(t)
	w.options.Blind = blind
	most := 150 // as --trap-limit, of 10,000, for what no probe tells
	if long() {
		most = 1000
	}
	w.pace.PutOffLimit = most
	w.options.Limits.Pages = int64(trap.Most + len(trap.Articles) + 2*most)
	reason = w.crawl(base + "/")
	fetched := make(map[string]bool)
	for _, e := range w.log {
		if a := trap.Article(strings.TrimPrefix(e.URL, base)); a != "" && e.Status == http.StatusOK {
			fetched[a] = true
		}
	}
	for _, a := range trap.Articles {
		if !fetched[a] {
			t.Errorf("%d of %d articles were not fetched, such as %s", len(trap.Articles)-len(fetched), len(trap.Articles), a)
			break
		}
	}
	// What is probed when depends on the order in which pages come, so that a place costs its usual bound or one limit more.
	if cost = len(w.log) - len(fetched); cost > trap.Most+most {
		t.Errorf("%d requests for the trap, want at most %d", cost, trap.Most+most)
	}
	return len(fetched), cost, reason
}
