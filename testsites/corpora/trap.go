package corpora

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// A Trap is a site of some articles beside an endless, or almost endless, part.
type Trap struct {
	Name     string
	Articles []string // addresses of all articles, as path and query, in their shortest form
	Most     int      // requests of a crawl that are permitted besides one for each article

	site *trapSite
}

// Handler returns a handler for the site with its own count of requests. The front page is "/".
func (t Trap) Handler() http.Handler { return &trapServer{trapSite: t.site} }

// Article returns the element of Articles that an address shows, "" for none. It ignores session
// ids and the like.
func (t Trap) Article(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if i, ok := t.site.keys[t.site.keyOf(u)]; ok {
		return t.Articles[i]
	}
	return ""
}

// trapSite is what a trap is made of.
type trapSite struct {
	name, layout string
	most         int
	articles     []string
	unlisted     bool // articles are found in the trap only
	aside        []widget
	// clean takes out of an address what makes no difference; nil keeps all.
	clean func(u *url.URL)
	// link is how a page refers to an article at the n-th request; nil means by its shortest
	// address.
	link func(article string, n int64) string
	// around is HTML on each page, with ways into the trap.
	around func(u *url.URL, n int64) string
	// other answers for what is no article; false means 404. What it is given is clean.
	other func(u *url.URL, n int64) (title, body string, ok bool)

	keys map[string]int // of articles
}

func (s *trapSite) keyOf(u *url.URL) string {
	if s.clean != nil {
		c := *u
		s.clean(&c)
		u = &c
	}
	return keyOf(u)
}

// index fills in keys.
func (s *trapSite) index() {
	s.keys = make(map[string]int, len(s.articles))
	for i, a := range s.articles {
		key, err := Key(a)
		if err != nil {
			panic(err) // articles are ours
		}
		s.keys[key] = i
	}
}

// anchor is the markup of a link to an article.
func (s *trapSite) anchor(i int, n int64) string {
	to := s.articles[i]
	if s.link != nil {
		to = s.link(to, n)
	}
	return a(to, s.headline(i))
}

// list is the markup of links to articles.
func (s *trapSite) list(n int64, which ...int) string {
	var b strings.Builder
	for _, i := range which {
		if 0 <= i && i < len(s.articles) {
			b.WriteString("<li>" + s.anchor(i, n) + "</li>\n")
		}
	}
	return "<ul>\n" + b.String() + "</ul>\n"
}

func (s *trapSite) headline(i int) string {
	r := draw(s.name, i)
	return title(pick(r, adjectives)) + " " + pick(r, nouns) + " " + pick(r, verbs) + " " + pick(r, whereabouts)
}

// a is the markup of a link.
func a(to, text string) string {
	return "<a href=\"" + html.EscapeString(to) + "\">" + html.EscapeString(text) + "</a>"
}

type trapServer struct {
	*trapSite
	requests atomic.Int64
}

// perList is how many articles a page of the list of contents has.
const perList = 40

func (s *trapServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.requests.Add(1)
	if r.URL.Path == "/robots.txt" || r.URL.Path == "/favicon.ico" {
		http.NotFound(w, r)
		return
	}
	v := &server{site: &site{name: s.name, layout: s.layout, lang: "en", aside: s.aside}}
	p, status := s.page(r.URL, n)
	if s.around != nil {
		p.Body += "<div class=\"side\">" + s.around(r.URL, n) + "</div>"
	}
	v.write(w, p, status, n)
}

func (s *trapServer) page(u *url.URL, n int64) (view, int) {
	clean := *u
	if s.clean != nil {
		s.clean(&clean)
	}
	home := []link{{"/", "Home", ""}}
	if i, ok := s.keys[keyOf(&clean)]; ok {
		r := draw(s.name+" text", i)
		body := para("By "+person(r), prose(r, 3), prose(r, 4), prose(r, 2))
		if !s.unlisted {
			body += "<h4>More</h4>" + s.list(n, (i*3+1)%len(s.articles), (i*3+2)%len(s.articles))
		}
		return view{Title: s.headline(i), Body: body, Steps: home}, http.StatusOK
	}
	if clean.Path == "/" && clean.RawQuery == "" {
		body := para("Welcome to " + s.name + ".")
		if !s.unlisted {
			body += s.list(n, 0, 1, 2, 3, 4) + "<p>" + a("/contents", "All articles") + "</p>"
		}
		return view{Title: s.name, Home: true, Body: body}, http.StatusOK
	}
	var k int
	if clean.Path == "/contents" && !s.unlisted {
		fmt.Sscanf(clean.Query().Get("page"), "%d", &k)
		if k >= 0 && k*perList < len(s.articles) {
			var which []int
			for i := k * perList; i < min((k+1)*perList, len(s.articles)); i++ {
				which = append(which, i)
			}
			if (k+1)*perList < len(s.articles) {
				home = append(home, link{fmt.Sprintf("/contents?page=%d", k+1), "Older articles", "next"})
			}
			return view{Title: "All articles", Body: s.list(n, which...), Steps: home}, http.StatusOK
		}
	}
	if s.other != nil {
		if title, body, ok := s.other(&clean, n); ok {
			return view{Title: title, Body: body, Steps: home}, http.StatusOK
		}
	}
	return view{Title: "Not found", Body: para("There is nothing here."), Steps: home}, http.StatusNotFound
}

// without takes parameters out of an address.
func without(names ...string) func(u *url.URL) {
	return func(u *url.URL) {
		q := u.Query()
		for _, name := range names {
			q.Del(name)
		}
		u.RawQuery = q.Encode()
	}
}

// with returns an address with a parameter more; it may be there already.
func with(address, name, value string) string {
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	return address + sep + name + "=" + url.QueryEscape(value)
}

// articles returns addresses of n articles.
func articles(n int, format string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i+1)
	}
	return list
}

// slugs returns addresses of n articles, with words.
func slugs(n int, prefix string) []string {
	list := make([]string, n)
	for i := range list {
		r := draw("slug", i)
		list[i] = fmt.Sprintf("%s%s-%s-%s-%d", prefix, pick(r, adjectives), pick(r, nouns), pick(r, scenery), i+1)
	}
	return list
}
