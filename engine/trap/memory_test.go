package trap

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
)

// see shows a watch the n-th page of a family, which says so many words of its own.
func see(t *testing.T, w *Watch, family string, n, words int) {
	t.Helper()
	var b strings.Builder
	for i := range words {
		b.WriteString(letters(n*words+i) + " ")
	}
	u := parse(t, fmt.Sprintf("http://a/%s/%d", family, n))
	root, err := html.Parse(strings.NewReader("<p>" + b.String()))
	if err != nil {
		t.Fatal(err)
	}
	w.Page(yfilter.Document(root, yfilter.Meta{Status: http.StatusOK, URL: u}), u, nil, "")
}

// TestObservationsAreForgotten: each kind of observation is bounded, also where there are none of the others.
func TestObservationsAreForgotten(t *testing.T) {
	w := new(Watch)
	for n := range 3 {
		see(t, w, "kept", n, 50)
	}
	if len(w.copies) != 3 || w.words < 150 {
		t.Fatalf("%d pages and %d words are remembered of 3 pages", len(w.copies), w.words)
	}
	for i := range uint64(mostPages) {
		w.copies[i] = nil
	}
	w.words = mostWords
	see(t, w, "more", 1, 50)
	if len(w.copies) != 1 || len(w.families) != 1 || w.words > 100 {
		t.Errorf("%d pages, %d families and %d words are remembered, want those of one page", len(w.copies), len(w.families), w.words)
	}
}

// TestWhatSuspectsSayIsForgotten: a long family without evidence takes bounded memory, and a place that is closed none.
func TestWhatSuspectsSayIsForgotten(t *testing.T) {
	w := new(Watch)
	for n := range firstProbe + 2*familyWords/100 {
		see(t, w, "long", n, 100)
	}
	s := w.suspects["a/long/#"]
	if s == nil || len(s.said) == 0 || len(s.said) > familyWords+100 || w.grams != len(s.said)+len(s.pagesSaid)+len(s.addresses) {
		t.Fatalf("the suspect %+v; %d grams are remembered", s, w.grams)
	}
	s.evidence, s.void = "made up for this test", emptyPages+mostPatience
	if !w.weigh(s) || w.grams != 0 || len(s.said) != 0 {
		t.Errorf("%d grams are remembered of a place that is closed: %v", w.grams, s.closed)
	}
}

// TestPlacesAreClosedInALargeCrawl: where as much is remembered as may be, of other places, a place that says the same all the
// time is closed nevertheless.
func TestPlacesAreClosedInALargeCrawl(t *testing.T) {
	w := new(Watch)
	see(t, w, "large", 1, 50)
	large := w.suspect("a/large/#", Endless)
	for n := range uint32(mostGrams) {
		large.addresses[n] = struct{}{}
	}
	w.grams = mostGrams
	s := w.suspect("a/same/#", Endless)
	s.kin, s.putOff, s.evidence = true, true, "made up for this test"
	for n := 0; n < 3*emptyPages && !s.closed; n++ {
		see(t, w, "same", n, 0)
	}
	if !s.closed || w.grams > 1000 {
		t.Errorf("closed %v after %d pages; %d grams are remembered", s.closed, s.pages, w.grams)
	}
}

// TestParameterOfPagesThatAreAlike: a parameter of ever more addresses whose pages say the same takes no memory.
func TestParameterOfPagesThatAreAlike(t *testing.T) {
	x := &param{bases: make(map[uint64]uint64)}
	for address := range uint64(1000) {
		x.learn(address, address%2)
	}
	if len(x.bases) != 2 || x.enough() {
		t.Errorf("%d addresses are remembered of pages that say two things", len(x.bases))
	}
	if x.learn(7, 2); !x.enough() {
		t.Error("three pages that say different things are not enough")
	}
}
