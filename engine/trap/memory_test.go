package trap

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"unique"

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

// heap is what is in use, in MB, after the collector ran.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

// hostile shows a watch the n-th page of sites that fill all that it remembers: new words, parameters, copies, days to come,
// combinations, folders in folders and answers to probes.
func hostile(t *testing.T, w *Watch, n int) {
	t.Helper()
	long := strings.Repeat(letters(n/50), 20)
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "<p>%s %d\n", letters(60*n+i), n*i%977)
	}
	var query strings.Builder
	for i := range 12 {
		fmt.Fprintf(&query, "&%s%d=%d", letters(n/97), i, n)
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	u := parse(t, fmt.Sprintf("http://%s.example/%s/%d?a=%d%s", letters(n/400), long, n, n, query.String()))
	doc := yfilter.Document(root, yfilter.Meta{Status: http.StatusOK, URL: u})
	from := ""
	for _, s := range []string{"0", "x/y", "1800"} {
		at := parse(t, fmt.Sprintf("http://%s.example/%s/%s/%s/%s", letters(n/400), letters(n), long, letters(n%13), s))
		from = w.Linked(at, home, false)
	}
	for i := range 8 {
		w.Linked(parse(t, fmt.Sprintf("http://a.example/%s/%s+%s", letters(n/30), letters(n%7), letters(i))), home, false)
	}
	for _, at := range w.Page(doc, u, nil, from).Probes {
		v := parse(t, at)
		w.Answer(at, http.StatusOK, doc, v, []*url.URL{parse(t, at+letters(n))})
	}
}

// stated is the figure of Watch, in MB.
const stated = 75

// set has so many members.
func set[K uint32 | uint64](n int) map[K]struct{} {
	m := make(map[K]struct{})
	for i := range n {
		m[K(i)*2654435761] = struct{}{}
	}
	return m
}

// TestMemoryOfFullTables fills all that a watch remembers to its bounds.
func TestMemoryOfFullTables(t *testing.T) {
	before := heap()
	w := new(Watch)
	w.init()
	name := func(n int) string { return short(fmt.Sprint(strings.Repeat(letters(n), 20), n)) }
	for n := range 2 * mostOriginals {
		w.copies.put(uint64(n)<<20, []original{{place: unique.Make(name(n % mostRegions))}}, 1, mostOriginals)
	}
	for n := range 2 * mostSamples {
		w.pages.put(uint64(n)<<20, sample{}, 1, mostSamples)
	}
	for n := range 2 * mostGiven {
		w.given.put(uint64(n)<<20, 0, 1, mostGiven)
	}
	for n := range mostFamilies {
		f := w.chain(name(n))
		f.words, f.exact = set[uint32](mostWords/mostFamilies/2), set[uint32](mostWords/mostFamilies/2)
	}
	for n := range mostParams {
		w.params[name(n)] = &param{bases: map[uint64]uint64{1: 1, 2: 2}}
	}
	for n := range mostSuspects {
		s := w.suspect(name(n), Endless)
		s.member, s.via = parse(t, "http://a/"+name(n)), parse(t, "http://a/"+name(n+1))
		s.said, s.addresses = set[uint32](mostGrams/mostSuspects/2), set[uint32](mostGrams/mostSuspects/2)
	}
	for n := range mostFacets {
		w.facets[name(n)] = &facets{combinations: set[uint32](mostCombinations),
			values: map[string]map[uint32]struct{}{"": set[uint32](mostCombinations/2 - 1)}}
	}
	for n := range mostRegions {
		w.newRegion(name(n), nil, 1)
	}
	for n := range mostLinked {
		w.linked[uint32(n)*2654435761] = link{}
	}
	for n := range mostBranches {
		w.begin(parse(t, "http://a/"+name(n)), nil, 0)
	}
	if now := heap() - before; now > stated {
		t.Errorf("%.1f MB, want %d at most", now, stated)
	} else {
		t.Logf("%.1f MB", now)
	}
	runtime.KeepAlive(w)
}

// TestMemoryIsBounded: what is remembered of sites that fill all there is to fill stays below the figure that Watch states, and no
// more is remembered the longer they go on.
func TestMemoryIsBounded(t *testing.T) {
	before := heap()
	w := new(Watch)
	pages := 4_000
	if os.Getenv("AWARC_LONG") != "" {
		pages = 150_000
	}
	for n := range pages {
		hostile(t, w, n)
		if n%(pages/10) == pages/10-1 {
			now := heap() - before
			t.Logf("%d pages: %.1f MB", n+1, now)
			if now > stated {
				t.Fatalf("%.1f MB after %d pages, want %d at most", now, n+1, stated)
			}
		}
	}
	runtime.KeepAlive(w)
}

// TestObservationsAreForgotten: each kind of observation is bounded, also where there are none of the others.
func TestObservationsAreForgotten(t *testing.T) {
	var r recently[int]
	for n := range uint64(1000) {
		r.put(n, int(n), 1, 100)
		if v, known := r.get(n - min(n, 99)); !known || v != int(n-min(n, 99)) {
			t.Fatalf("after %d the one 99 before is not known", n)
		}
	}
	if n := len(r.young) + len(r.old); n > 200 {
		t.Errorf("%d of 1000 are remembered, want 200 at most", n)
	}
	w := new(Watch)
	w.words = mostWords
	see(t, w, "more", 1, 50)
	if len(w.families) != 1 || w.words > 100 {
		t.Errorf("%d families and %d words are remembered, want those of one page", len(w.families), w.words)
	}
}

// TestWhatSuspectsSayIsForgotten: a long family without evidence takes bounded memory, and a place that is closed none.
func TestWhatSuspectsSayIsForgotten(t *testing.T) {
	w := new(Watch)
	for n := range firstProbe + 2*familyWords/100 {
		see(t, w, "long", n, 100)
	}
	s := w.suspects["a/long/#"]
	if s == nil || len(s.said) == 0 || len(s.said) > familyWords+100 || w.grams != s.size() {
		t.Fatalf("%d grams are remembered of the suspects %d", w.grams, len(w.suspects))
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
	w.count(large)
	s := w.suspect("a/same/#", Endless)
	s.kin, s.putOff, s.evidence = true, true, "made up for this test"
	for n := 0; n < 3*emptyPages && !s.closed; n++ {
		see(t, w, "same", n, 0)
	}
	if !s.closed || w.grams > 1000 {
		t.Errorf("closed %v after %d pages; %d grams are remembered", s.closed, s.pages, w.grams)
	}
}

// TestManySuspectsHideNoOther: once there are as many suspects as are remembered, of which most hold something off and none was
// answered when it was probed, a further place is put off, probed and closed as the first would be.
func TestManySuspectsHideNoOther(t *testing.T) {
	w := new(Watch)
	for n := range mostSuspects + 10 {
		if at := parse(t, fmt.Sprintf("http://a/%s/1492", letters(n))); w.Linked(at, home, false) == "" {
			t.Fatalf("%s is no suspect", at)
		}
	}
	for n := range 2000 {
		s := w.suspect(fmt.Sprint("b/", letters(n), "/#"), Endless)
		v := &visit{watch: w, url: parse(t, fmt.Sprintf("http://b/%s/7", letters(n)))}
		v.probe(s)
	}
	if len(w.suspects) > mostSuspects+2000 {
		t.Errorf("%d suspects are remembered", len(w.suspects))
	}
	var probes []string
	for n := range 3 * emptyPages {
		u := parse(t, fmt.Sprintf("http://c/day?n=%d", n))
		root, err := html.Parse(strings.NewReader("<p>Nothing is planned for this day."))
		if err != nil {
			t.Fatal(err)
		}
		probes = append(probes, w.Page(yfilter.Document(root, yfilter.Meta{Status: http.StatusOK, URL: u}), u, nil, "").Probes...)
	}
	if len(probes) < 3 || w.Linked(parse(t, "http://c/day?n=1000"), home, false) == "" {
		t.Errorf("the calendar is not put off; %d addresses are asked for", len(probes))
	}
	if n := len(w.probes); n > 3*len(w.suspects) {
		t.Errorf("%d answers are awaited for %d suspects", n, len(w.suspects))
	}
}

// TestManyParametersHideNoOther: nor do thousands of parameters that make a difference.
func TestManyParametersHideNoOther(t *testing.T) {
	w := new(Watch)
	w.init()
	for n := range mostParams {
		w.params[fmt.Sprint("a ?", n)] = &param{matters: true}
	}
	void := false
	for n := range 20 {
		u := parse(t, fmt.Sprintf("http://b/page-%s?key=%d", letters(n/2), n))
		root, err := html.Parse(strings.NewReader(strings.Repeat("<p>of "+letters(n/2+500), 20)))
		if err != nil {
			t.Fatal(err)
		}
		w.Page(yfilter.Document(root, yfilter.Meta{Status: http.StatusOK, URL: u}), u, nil, "")
		void = void || w.voids > 0
	}
	if !void {
		t.Error("the parameter that makes no difference is not found")
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

// TestProbesEndWithAnError: after one made-up address without a page the others are not needed.
func TestProbesEndWithAnError(t *testing.T) {
	w := new(Watch)
	w.init()
	probes := []string{"http://a.example/2650", "http://a.example/2650", "http://a.example/2651"}
	(&visit{watch: w}).ask(&suspect{kin: true, name: "a.example/9"}, probes...)
	if !w.Probes(probes[0]) || !w.Probes(probes[2]) {
		t.Fatal("no probe is needed")
	}
	w.Answer(probes[0], http.StatusNotFound, nil, parse(t, probes[0]), nil)
	if w.Probes(probes[0]) || w.Probes(probes[2]) {
		t.Error("the other probes are still needed")
	}
}
