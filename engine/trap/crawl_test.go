package trap

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// finite are sites with an end that look like traps: each gives the page of a number, and the
// number of an address, or -1 for an address of nothing.
var finite = map[string]struct {
	pages   int
	address func(n int) string
	page    func(n int) string
	missing string // answered with 200 where it is not empty; with a link to the next and the one before, where it ends in "..."
}{
	"results of matches": {1520, func(n int) string {
		return fmt.Sprintf("/results/%d-%02d/week-%d/match-%d", 1990+n/380, (91+n/380)%100, n/10%38+1, n%10+1)
	},
		func(n int) string {
			teams := strings.Fields("Arsenal Chelsea Everton Fulham Leeds Liverpool Norwich Reading Sunderland Watford")
			r := rand.New(rand.NewPCG(1, uint64(n)))
			return fmt.Sprintf("<td>%s</td><td>%d:%d</td><td>%s</td>", teams[n%10], r.IntN(5), r.IntN(4), teams[(n/10+n)%10])
		}, ""},
	"weather since 1950": {1000, func(n int) string { return "/weather?date=" + day(1950, n).Format("2006-01-02") },
		func(n int) string {
			return fmt.Sprintf("<td>%s</td><td>%d</td><td>%d</td>", day(1950, n).Weekday(), n*7919%31-5, n*31%990)
		}, ""},
	"eclipses to come": {500, func(n int) string { return day(2040, 29*n).Format("/eclipse/2006/01/02/") },
		func(n int) string { return fmt.Sprintf("<p>Saros %d</p>", 110+n%40) }, ""},
	"draws, each one short": {800, func(n int) string { return fmt.Sprint("/draw/", 1000+n) },
		func(n int) string { return fmt.Sprintf("<b>%d %d %d</b>", n*31%49, n*17%49, n*7%49) }, ""},
	"numbers and nothing else": {700, func(n int) string { return fmt.Sprint("/n/", n) },
		func(n int) string { return fmt.Sprint("<i>", n*n%97, "</i>") },
		"There is no such number."},
	"most of it withdrawn": {900, func(n int) string { return fmt.Sprint("/record.php?num=", n) },
		func(n int) string {
			if n%5 > 1 {
				return "<p>This record was withdrawn.</p>"
			}
			return fmt.Sprintf("<p>Record of the parish of %s</p>", letters(n))
		}, "<p>This record was withdrawn.</p>"},
	"a listing that goes on behind its end": {300, func(n int) string { return fmt.Sprint("/list?from=", 10*n) },
		func(n int) string { return fmt.Sprintf("<td>%d kg of steel</td><td>%d</td>", n*7919%1000, n*31%977) }, "<p>No results ..."},
	"books by number": {900, func(n int) string { return fmt.Sprint("/book?isbn=97801", 40000000+n*7919) },
		func(n int) string { return fmt.Sprintf("<p>In stock: %d</p>", n%9) }, ""},
	"stories of PHP-Nuke": {900, func(n int) string { return fmt.Sprintf("/modules.php?name=News&file=article&sid=%d", n) },
		func(n int) string { return fmt.Sprintf("<p>Read %d times</p>", n*31) }, ""},
	"jobs behind placeholders": {600, func(n int) string { return fmt.Sprint("/jobs/all/all/all/", n) },
		func(n int) string { return fmt.Sprintf("<p>Welder, %d hours</p>", n%40) }, ""},
	"pictures behind a query": {900, func(n int) string { return fmt.Sprint("/picture?no=", n) },
		func(n int) string { return fmt.Sprintf(`<img src="image.php?id=%d">`, n) }, ""},
	"openings joined by plus": {900, func(n int) string { return fmt.Sprintf("/opening/e4+%c%d+Nf3+%d", 'a'+n%8, n/8%8+1, n) },
		func(n int) string { return fmt.Sprintf("<p>White wins %d of 100</p>", n%60) }, ""},
}

func day(year, n int) time.Time { return time.Date(year, 1, 1+n, 0, 0, 0, 0, time.UTC) }

// letters writes a number as a word.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'k' }, strconv.Itoa(n+100))
}

// TestWhatHasAnEndIsFetchedWhole crawls by links to the next and the one before, and by an index.
func TestWhatHasAnEndIsFetchedWhole(t *testing.T) {
	const template = "<h1>The archive</h1><p>Welcome to the archive of all that was ever counted. Pages are made by hand.</p>"
	for name, site := range finite {
		for _, way := range []string{"next", "index"} {
			t.Run(name+" by "+way, func(t *testing.T) {
				t.Parallel()
				at := make(map[string]int)
				for n := range site.pages {
					at[site.address(n)] = n
				}
				s := simulate(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					n, known := at[r.URL.RequestURI()]
					switch {
					case r.URL.Path == "/" && way == "index":
						for n := range site.pages {
							fmt.Fprintf(w, `<a href="%s">%d</a>`, site.address(n), n)
						}
					case r.URL.Path == "/":
						fmt.Fprintf(w, `<a href="%s">begin</a>`, site.address(0))
					case known:
						fmt.Fprint(w, template, site.page(n))
						if way == "next" && n > 0 {
							fmt.Fprintf(w, `<a href="%s">before</a>`, site.address(n-1))
						}
						if way == "next" && (n < site.pages-1 || strings.HasSuffix(site.missing, "...")) {
							fmt.Fprintf(w, `<a href="%s">next</a>`, site.address(n+1))
						}
					case strings.HasSuffix(site.missing, "..."):
						from, _ := strconv.Atoi(r.URL.Query().Get("from"))
						fmt.Fprintf(w, `%s%s<a href="/list?from=%d">before</a><a href="/list?from=%d">next</a>`, template, site.missing,
							from-10, from+10)
					case site.missing != "":
						fmt.Fprint(w, template, site.missing)
					default:
						http.NotFound(w, r)
					}
				}))
				for n := range site.pages {
					if !s.fetched[site.address(n)] {
						t.Errorf("%s was not fetched, %d requests; put off: %q", site.address(n), s.requests,
							s.put["http://a.example"+site.address(n)])
						break
					}
				}
				if most := site.pages + site.pages/4 + 400; s.requests > most {
					t.Errorf("%d requests for %d pages", s.requests, site.pages)
				}
			})
		}
	}
}

// TestWhatIsMadeUpEnds crawls a maze: each address has words of its own, which stay, and leads to others.
func TestWhatIsMadeUpEnds(t *testing.T) {
	s := simulate(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := hashOf(r.URL.Path)
		for range 40 {
			h = h*6364136223846793005 + 1442695040888963407
			fmt.Fprintf(w, "%s ", letters(int(h>>40)))
		}
		for range 5 {
			h = h*6364136223846793005 + 1442695040888963407
			fmt.Fprintf(w, `<a href="/maze/%s/%s">on</a>`, letters(int(h>>50)), letters(int(h>>44)))
		}
	}))
	if s.requests > 2*firstProbe {
		t.Errorf("%d requests", s.requests)
	}
}
