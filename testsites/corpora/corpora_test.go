package corpora

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestEveryAddressIsLinkedAndAnswers: all addresses of each corpus are found by following links
// from the front page.
func TestEveryAddressIsLinkedAndAnswers(t *testing.T) {
	all := All()
	if len(all) < 50 {
		t.Errorf("there are %d corpora, want 50", len(all))
	}
	for _, c := range all {
		if c.Pages < 500 || c.Pages > 2000 {
			t.Errorf("%s has %d pages, want 500 to 2,000", c.Name, c.Pages)
		}
		for _, way := range Ways() {
			if n := len(c.URLs(way)); n <= c.Pages {
				t.Errorf("%s by %v has %d addresses for its %d pages and a front page", c.Name, way, n, c.Pages)
			}
			checkReached(t, c.Limit(60), way)
		}
	}
}

// checkReached walks a corpus and looks for each of its addresses.
func checkReached(t *testing.T, c Corpus, way Way) {
	t.Helper()
	reached := walk(t, c.Handler(way), 2000, nil)
	for _, u := range c.URLs(way) {
		key, err := Key(u)
		if err != nil {
			t.Fatal(err)
		}
		if reached[key] != http.StatusOK {
			t.Errorf("%s by %v: %s is not reached (status %d)", c.Name, way, u, reached[key])
			break
		}
	}
}

func get(h http.Handler, address string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	return w
}

// TestArticlesBesideTrapsAreLinked: a walk of bounded length, which follows everything, finds all
// articles.
func TestArticlesBesideTrapsAreLinked(t *testing.T) {
	for _, trap := range Traps() {
		h := trap.Handler()
		found := make(map[string]bool)
		reached := walk(t, h, 2500, func(address string) bool {
			if a := trap.Article(address); a != "" {
				found[a] = true
			}
			return len(found) == len(trap.Articles)
		})
		if len(trap.Articles) < 40 || len(trap.Articles) > 120 {
			t.Errorf("%s has %d articles, want 40 to 120", trap.Name, len(trap.Articles))
		}
		if len(found) != len(trap.Articles) {
			t.Errorf("%s: %d of %d articles were found in %d pages", trap.Name, len(found), len(trap.Articles), len(reached))
		}
	}
}

// TestPackagedCorporaAreWhole: what Packaged makes of the packages' files is linked and long enough.
func TestPackagedCorporaAreWhole(t *testing.T) {
	packaged, err := Packaged("../../.cache/corpora")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range packaged {
		if c.Pages < 250 {
			t.Errorf("%s has %d pages", c.Name, c.Pages)
		}
		c = c.Limit(120)
		for _, way := range Ways() {
			checkReached(t, c, way)
		}
	}
}
