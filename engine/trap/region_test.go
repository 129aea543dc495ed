package trap

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// say writes a text of its own for an address.
func say(w http.ResponseWriter, of string) {
	h := hashOf(of)
	fmt.Fprint(w, "<h1>A page</h1><p>")
	for range 40 {
		h = h*6364136223846793005 + 1442695040888963407
		fmt.Fprintf(w, "%s ", letters(int(h>>44)))
	}
	fmt.Fprint(w, "</p>")
}

// madeUp are places without end whose addresses are of no one family: each page leads to several new ones.
var madeUp = map[string]func(w http.ResponseWriter, path string){
	"folders with numbers that double": func(w http.ResponseWriter, path string) {
		fmt.Fprintf(w, `<a href="%s/a%d">left</a> <a href="%[1]s/b%[2]d">right</a>`, path, len(path))
	},
	"names with numbers": func(w http.ResponseWriter, path string) {
		for k := range 3 {
			h := hashOf(fmt.Sprint(path, k))
			fmt.Fprintf(w, `<a href="/trap/%s-%d">friend</a>`, letters(int(h>>44)), h>>50)
		}
	},
	"folders at the root": func(w http.ResponseWriter, path string) {
		for k := range 3 {
			h := hashOf(fmt.Sprint(path, k))
			fmt.Fprintf(w, `<a href="/%s/%s">on</a>`, letters(int(h>>44)), letters(int(h>>24&0xfffff)))
		}
	},
}

// TestWhatGrowsFasterThanItIsReadIsPutOff crawls them beside five hundred notes, of which each page of the place leads
// to one more: the folder of the notes has an end and is no part of the place.
func TestWhatGrowsFasterThanItIsReadIsPutOff(t *testing.T) {
	const notes, limit = 500, 300
	for name, lead := range madeUp {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				var n int
				switch _, err := fmt.Sscanf(r.URL.Path, "/note/%d", &n); {
				case err == nil && n < notes:
					say(w, r.URL.Path)
					fmt.Fprintf(w, `<a href="/note/%d">next</a>`, min(n+20, notes-1))
				case strings.HasPrefix(r.URL.Path, "/note/"):
					http.NotFound(w, r)
				case r.URL.Path == "/":
					fmt.Fprint(w, `<a href="/trap/first-1">in</a><a href="/note/0">notes</a>`)
				default:
					say(w, r.URL.Path)
					fmt.Fprintf(w, `<a href="/note/%d">note</a>`, asked%20)
					lead(w, r.URL.Path)
				}
			})
			s := simulateWithin(t, site, limit)
			for n := range notes {
				if !s.fetched[fmt.Sprint("/note/", n)] {
					t.Errorf("note %d was not fetched, put off: %q", n, s.put[fmt.Sprint("http://a.example/note/", n)])
					break
				}
			}
			if s.requests > notes+limit+200 {
				t.Errorf("%d requests", s.requests)
			}
			for name := range s.shelves {
				if v := s.watch.Verdict(name); strings.HasSuffix(name, allBelow) && v.Evidence == "" {
					t.Errorf("%s is put off without evidence", name)
				}
			}
		})
	}
}

// TestWhatGrowsAtFirstIsNotPutOff: of sites with an end each page leads to several others, and what nobody made a
// page for is missing, or answered by a page that says so.
func TestWhatGrowsAtFirstIsNotPutOff(t *testing.T) {
	const pages = 3000
	missing := map[string]func(w http.ResponseWriter, r *http.Request){
		"not found": http.NotFound,
		"yet to be written": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `<h1>A page</h1><p>Nobody wrote %s. <a href="%[1]s?edit">Write it</a> or <a href="%[1]s-draft">draft it</a></p>`,
				r.URL.Path)
		},
		"others instead": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `<h1>Not found</h1><p>Perhaps you mean</p><ul>`)
			for k := range 5 {
				n := hashOf(fmt.Sprint(r.URL.Path, k)) % pages
				fmt.Fprintf(w, `<li><a href="/wiki/%s">%[1]s of the list</a>`, letters(int(n)))
			}
		},
	}
	for name, miss := range missing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := make(map[string]int)
			for n := range pages {
				at["/wiki/"+letters(n)] = n
			}
			s := simulateWithin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n, known := at[r.URL.RequestURI()]
				switch {
				case r.URL.Path == "/":
					fmt.Fprintf(w, `<a href="/wiki/%s">in</a>`, letters(0))
				case !known:
					miss(w, r)
				default:
					say(w, strconv.Itoa(n))
					fmt.Fprintf(w, `<a href="/wiki/%s">1</a><a href="/wiki/%s">2</a>`, letters(min(2*n+1, pages-1)),
						letters(min(2*n+2, pages-1)))
				}
			}), 100)
			for address, n := range at {
				if !s.fetched[address] {
					t.Fatalf("page %d was not fetched, put off: %q", n, s.put["http://a.example"+address])
				}
			}
			for name, waiting := range s.shelves {
				if strings.HasSuffix(name, allBelow) && len(waiting) > 0 {
					t.Errorf("%d wait in %s", len(waiting), name)
				}
			}
		})
	}
}

// TestARegionOutlivesASession: what was found to have no end has none after a restart.
func TestARegionOutlivesASession(t *testing.T) {
	w := new(Watch)
	w.Restore("a/x/p#/ and all below", Verdict{Kind: Endless, Evidence: "is answered"})
	for at, want := range map[string]bool{"http://a/x/p7/q/r": true, "http://a/x/p8": false, "http://a/x/": false, "http://b/x/p7/q": false,
		"http://a/x/p7/": true} {
		if have := w.Linked(parse(t, at), home, false) != ""; have != want {
			t.Errorf("%s is put off: %v", at, have)
		}
	}
}

// TestWhatOneHasFoundOutIsShared: what another crawler of the site has found out is known at once, and does not undo what is known.
func TestWhatOneHasFoundOutIsShared(t *testing.T) {
	const name = "a/x/p#/ and all below"
	w := new(Watch)
	w.Share(name, Verdict{Kind: Endless, Evidence: "is answered", Closed: true})
	if w.Linked(parse(t, "http://a/x/p7/q/r"), home, false) == "" {
		t.Error("what was found elsewhere counts for nothing")
	}
	w.Share(name, Verdict{Kind: Endless})
	if v := w.Verdict(name); v.Evidence != "is answered" || !v.Closed {
		t.Errorf("what was known is forgotten: %+v", v)
	}
}

func TestInventedBelow(t *testing.T) {
	for _, x := range []struct {
		page  string
		depth int
		want  string
	}{
		{"http://a/x/y/z.html", 0, `/[a-z]{9}/y/z\.html`},
		{"http://a/x/y/z.html?q=1", 2, `/x/y/[a-z]{9}\.html\?q=1`},
		{"http://a/x/kim-7/z", 1, `/x/kim-\d{10}/z`},
		{"http://a/x/2014/05/z", 1, `/x/2\d{3}/05/z`},
		{"http://a/x/2014/z", 1, `/x/\d{10}/z`}, // it may be the number of a member
		{"http://a/x/9f8e7d6c5b4a39281706", 1, `/x/[0-9a-f]{20}`},
	} {
		first, second := inventedBelow(parse(t, x.page), x.depth, 0), inventedBelow(parse(t, x.page), x.depth, 1)
		if !regexp.MustCompile(`^http://a`+x.want+`$`).MatchString(first) || first == second {
			t.Errorf("beside %s: %q and %q, want %s", x.page, first, second, x.want)
		}
	}
}

// TestWhatHasAnEndIsNotPutOffForItsWords: the pages of a folder say the same three hundred words in other orders, and
// nothing is made up for it, so that a limit of pages of a place is not for it.
func TestWhatHasAnEndIsNotPutOffForItsWords(t *testing.T) {
	const pages, limit = 900, 100
	s := simulateWithin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, in := strings.CutPrefix(r.URL.Path, "/good/p")
		n, err := strconv.Atoi(name)
		switch {
		case r.URL.Path == "/":
			for n := range pages {
				fmt.Fprintf(w, `<a href="/good/p%d">page</a>`, n)
			}
		case !in || err != nil || n >= pages:
			http.NotFound(w, r)
		default:
			for k := range 60 {
				fmt.Fprint(w, letters(int(hashOf(fmt.Sprint(n, k))%300)), " ")
			}
		}
	}), limit)
	for n := range pages {
		if at := fmt.Sprint("/good/p", n); !s.fetched[at] {
			t.Fatalf("%s was not fetched, put off: %q", at, s.put["http://a.example"+at])
		}
	}
}

// TestWhatComesLastHoldsNothingUp: a page of a thread with many links to answer it by, which wait until all else is fetched, holds up no
// more than the thread does. Whether there is an end of them is asked all the same.
func TestWhatComesLastHoldsNothingUp(t *testing.T) {
	for _, last := range []bool{true, false} {
		w, probes := new(Watch), 0
		at := func(n int) *url.URL { return parse(t, fmt.Sprintf("http://a/thread/%d", n)) }
		for n := range 200 {
			page, before := at(n), at(max(n-1, 0))
			w.Due(page, false)
			said := httptest.NewRecorder()
			say(said, page.Path)
			doc, err := html.Parse(said.Body)
			if err != nil {
				t.Fatal(err)
			}
			probes += len(w.Page(doc, page, before, "").Probes)
			w.Linked(at(n+1), page, false)
			for answer := range 3 {
				w.Linked(parse(t, fmt.Sprintf("http://a/thread/%d?answer=%d", n, answer)), page, last)
			}
		}
		if grows := w.Growing(at(200), at(199)) > 0; grows == last {
			t.Errorf("links that come last: %v, it grows: %v", last, grows)
		}
		if probes == 0 {
			t.Errorf("links that come last: %v; nobody asked whether there is an end", last)
		}
	}
}
