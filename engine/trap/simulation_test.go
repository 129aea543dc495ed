package trap

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
)

// simulation crawls a handler as the engine and the frontier do, without their machinery: one
// queue, one shelf for each suspect, and a tenth of the requests for the shelves.
type simulation struct {
	t       *testing.T
	site    http.Handler
	watch   Watch
	limit   int // pages of one suspect
	queue   []entry
	shelves map[string][]entry
	drawn   map[string]int
	closed  map[string]bool
	known   map[string]bool
	fetched map[string]bool
	put     map[string]string // URL to the suspect that it waits with

	requests, draws int
}

type entry struct {
	at    string
	via   *url.URL
	from  string
	probe bool
}

func simulate(t *testing.T, site http.Handler) *simulation { return simulateWithin(t, site, 10_000) }

// simulateWithin crawls with a limit of pages of one suspect.
func simulateWithin(t *testing.T, site http.Handler, limit int) *simulation {
	s := &simulation{t: t, site: site, limit: limit, shelves: map[string][]entry{}, drawn: map[string]int{}, closed: map[string]bool{},
		known: map[string]bool{"http://a.example/": true}, fetched: map[string]bool{}, put: map[string]string{}}
	s.queue = []entry{{at: "http://a.example/"}}
	for s.requests < 20_000 {
		e, ok := s.next()
		if !ok {
			break
		}
		s.visit(e)
	}
	return s
}

func (s *simulation) next() (entry, bool) {
	if len(s.queue) == 0 || 10*s.draws < s.requests {
		if e, ok := s.draw(); ok {
			return e, true
		}
	}
	if len(s.queue) == 0 {
		return entry{}, false
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	return e, true
}

func (s *simulation) draw() (entry, bool) {
	best := ""
	for name, waiting := range s.shelves {
		if len(waiting) > 0 && !s.closed[name] && s.drawn[name] < s.limit && (best == "" || s.drawn[name] < s.drawn[best]) {
			best = name
		}
	}
	if best == "" {
		return entry{}, false
	}
	e := s.shelves[best][0]
	s.shelves[best] = s.shelves[best][1:]
	s.drawn[best]++
	s.draws++
	e.from = best
	return e, true
}

func (s *simulation) visit(e entry) {
	u, err := url.Parse(e.at)
	if err != nil {
		s.t.Fatal(err)
	}
	if !e.probe && e.via != nil {
		if name := s.watch.Due(u, e.from != ""); name != "" {
			s.take(Finding{Changed: []string{name}})
			s.shelves[name] = append(s.shelves[name], e)
			s.put[e.at] = name
			return
		}
	}
	s.requests++
	r := httptest.NewRecorder()
	s.site.ServeHTTP(r, httptest.NewRequest(http.MethodGet, e.at, nil))
	root, err := html.Parse(bytes.NewReader(r.Body.Bytes()))
	if err != nil {
		s.t.Fatal(err)
	}
	doc := yfilter.Document(root, yfilter.Meta{Status: r.Code, URL: u})
	links := linksOf(doc, u)
	if e.probe {
		links = slices.DeleteFunc(links, func(to *url.URL) bool { return s.known[to.String()] })
		s.take(Finding{Changed: s.watch.Answer(e.at, r.Code, doc, u, links)})
		return
	}
	s.fetched[u.RequestURI()] = true
	if r.Code != http.StatusOK {
		return
	}
	f := s.watch.Page(doc, u, e.via, e.from)
	s.take(f)
	for _, to := range links {
		at := to.String()
		if Shape(to) != "" {
			continue
		}
		name := f.Copy
		if name == "" {
			name = s.watch.Linked(to, u, false)
		}
		if s.known[at] {
			continue
		}
		s.known[at] = true
		if name == "" {
			s.queue = append(s.queue, entry{at: at, via: u})
			continue
		}
		s.shelves[name] = append(s.shelves[name], entry{at: at, via: u})
		s.put[at] = name
	}
}

func (s *simulation) take(f Finding) {
	for _, name := range f.Changed {
		s.closed[name] = s.watch.Verdict(name).Closed
	}
	for _, at := range f.Probes {
		s.queue = append([]entry{{at: at, probe: true}}, s.queue...)
	}
}

func linksOf(doc *html.Node, u *url.URL) (links []*url.URL) {
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if to, err := u.Parse(a.Val); n.Data == "a" && a.Key == "href" && err == nil && to.Host == u.Host {
				to.Fragment = ""
				links = append(links, to)
			}
		}
	}
	return links
}
