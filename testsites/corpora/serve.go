package corpora

import (
	"cmp"
	"embed"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"text/template"
	"time"

	"golang.org/x/text/encoding"
)

//go:embed layouts/*.html
var layoutFiles embed.FS

var layouts = template.Must(template.New("").Funcs(template.FuncMap{"e": html.EscapeString}).ParseFS(layoutFiles, "layouts/*.html"))

// server answers for one site. What a page says depends on its address alone, but for
// dates, counters, times and adverts, which change with each request as they do on the web.
type server struct {
	*site
	way       Way
	addresses []string
	pages     map[string]func() view
	requests  atomic.Int64
}

// view is what a layout shows.
type view struct {
	Site, Lang, Title, Body string
	Home                    bool
	Menu, Steps             []link
	Aside                   map[string]string // by widget
	Today                   time.Time
	Request                 int64
}

func newServer(s *site, way Way) *server {
	if s.lang == "" {
		s.lang = "en"
	}
	s.words = s.words.withDefaults()
	v := &server{site: s, way: way, pages: make(map[string]func() view)}
	v.register("/", v.front)
	for i, it := range s.items {
		v.register(it.path, func() view { return v.item(i) })
	}
	for _, m := range s.menu {
		v.register(m.Href, func() view {
			return view{Title: m.Text, Body: about(m.Text, s.name), Steps: []link{{"/", s.words.home, ""}}}
		})
	}
	if way != Next {
		v.addIndex()
	}
	return v
}

// register adds a page. Two pages of one address are a mistake of the corpus.
func (v *server) register(path string, page func() view) {
	key, err := Key(path)
	if err != nil {
		panic(err)
	}
	if v.pages[key] != nil {
		panic(fmt.Sprintf("corpora: %s has two pages at %s", v.name, path))
	}
	v.pages[key] = page
	v.addresses = append(v.addresses, path)
}

// addIndex registers the index: lists of items, or of shelves, which list items.
func (v *server) addIndex() {
	entries := make([]link, len(v.items))
	for i, it := range v.items {
		entries[i] = link{Href: it.path, Text: it.name}
	}
	if v.index.shelf != nil {
		entries = v.addShelves(entries)
	}
	per := v.index.per
	if per == 0 {
		per = len(entries)
	}
	pages := (len(entries) + per - 1) / per
	for k := range pages {
		v.register(v.index.at(k), func() view {
			first, last := k*per, min((k+1)*per, len(entries))
			title := v.name
			if pages > 1 {
				title = fmt.Sprintf("%s (%d – %d / %d)", v.words.up, first+1, last, len(entries))
			}
			return view{Title: title, Body: v.list(entries[first:last], first), Steps: v.pagerSteps(k, pages)}
		})
	}
}

// addShelves registers a page for each run of items on one shelf and returns links to them.
func (v *server) addShelves(entries []link) []link {
	var shelves []link
	first := 0
	for i := range entries {
		path, name := v.index.shelf(i)
		if i+1 < len(entries) {
			if following, _ := v.index.shelf(i + 1); following == path {
				continue
			}
		}
		shelves = append(shelves, link{Href: path, Text: name})
		from := first
		v.register(path, func() view {
			return view{Title: name, Body: v.list(entries[from:i+1], from), Steps: []link{{v.index.at(0), v.words.up, "up"}}}
		})
		first = i + 1
	}
	return shelves
}

func (v *server) front() view {
	p := view{Title: v.name, Home: true, Body: v.intro}
	if v.way != Index {
		p.Steps = append(p.Steps, link{v.items[0].path, v.items[0].name, ""})
	}
	if v.way != Next {
		p.Steps = append(p.Steps, link{v.index.at(0), v.words.up, ""})
	}
	return p
}

func (v *server) item(i int) view {
	it := v.items[i]
	p := view{Title: cmp.Or(it.title, it.name), Body: it.body()}
	if v.way != Index {
		if v.back && i > 0 {
			p.Steps = append(p.Steps, link{v.items[i-1].path, v.words.prev, "prev"})
		}
		if i+1 < len(v.items) {
			p.Steps = append(p.Steps, link{v.items[i+1].path, v.words.next, "next"})
		} else if v.absent == open {
			p.Steps = append(p.Steps, link{bump(it.path, max(v.step, 1)), v.words.next, "next"})
		}
	}
	switch {
	case v.way == Next:
		p.Steps = append(p.Steps, link{"/", v.words.home, ""})
	case v.index.shelf != nil:
		path, name := v.index.shelf(i)
		p.Steps = append(p.Steps, link{path, name, "up"})
	default:
		p.Steps = append(p.Steps, link{v.index.at(0), v.words.up, "up"})
	}
	return p
}

func (v *server) pagerSteps(k, pages int) []link {
	var steps []link
	if v.index.pager == numbered {
		for other := range pages {
			if other != k {
				steps = append(steps, link{v.index.at(other), strconv.Itoa(other + 1), ""})
			}
		}
		return append(steps, link{"/", v.words.home, ""})
	}
	if k > 0 {
		steps = append(steps, link{v.index.at(k - 1), v.words.prev, "prev"})
	}
	if k+1 < pages {
		steps = append(steps, link{v.index.at(k + 1), v.words.next, "next"})
	} else if v.absent == open && pages > 1 {
		steps = append(steps, link{v.index.at(k + 1), v.words.next, "next"})
	}
	return append(steps, link{"/", v.words.home, ""})
}

// list is the markup of entries; the first has the number first, from 0.
func (v *server) list(entries []link, first int) string {
	var b strings.Builder
	for i, e := range entries {
		href, text := html.EscapeString(e.Href), html.EscapeString(e.Text)
		switch v.index.form {
		case bullets:
			fmt.Fprintf(&b, "<li><a href=\"%s\">%s</a></li>\n", href, text)
		case rows:
			fmt.Fprintf(&b, "<tr class=\"r%d\"><td>%d</td><td><a href=\"%s\">%s</a></td></tr>\n", i%2, first+i+1, href, text)
		case inline:
			fmt.Fprintf(&b, "<a href=\"%s\">%s</a> | ", href, text)
		case bareNumbers:
			fmt.Fprintf(&b, "<a href=\"%s\">%d</a>\n", href, first+i+1)
		case thumbs:
			fmt.Fprintf(&b, "<a href=\"%s\"><img src=\"/thumb.php?n=%d\" width=\"120\" height=\"90\" alt=\"\"></a>\n", href, first+i)
		}
	}
	switch v.index.form {
	case bullets:
		return "<ul>\n" + b.String() + "</ul>"
	case rows:
		return "<table class=\"list\">\n" + b.String() + "</table>"
	}
	return "<p>" + b.String() + "</p>"
}

var lastNumber = regexp.MustCompile(`(\d+)(\D*)$`)

// bump adds to the last number of an address.
func bump(address string, by int) string {
	m := lastNumber.FindStringSubmatchIndex(address)
	if m == nil {
		return address + "1"
	}
	n, err := strconv.Atoi(address[m[2]:m[3]])
	if err != nil {
		n = 0
	}
	return fmt.Sprintf("%s%0*d%s", address[:m[2]], m[3]-m[2], n+by, address[m[3]:])
}

func (v *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := v.requests.Add(1)
	if r.URL.Path == "/robots.txt" || r.URL.Path == "/favicon.ico" {
		http.NotFound(w, r)
		return
	}
	page, ok := v.pages[keyOf(r.URL)]
	if ok {
		v.write(w, page(), http.StatusOK, n)
		return
	}
	if body, contentType := v.picture(r); body != nil {
		w.Header().Set("Content-Type", contentType)
		w.Write(body)
		return
	}
	v.unknown(w, r, n)
}

// unknown answers for an address that nobody linked, but for those behind an open end.
func (v *server) unknown(w http.ResponseWriter, r *http.Request, n int64) {
	home := []link{{"/", v.words.home, ""}}
	switch v.absent {
	case notFound:
		v.write(
			w,
			view{Title: "404 Not Found", Body: "<p>The requested address was not found on this server.</p>", Steps: home},
			http.StatusNotFound,
			n,
		)
	case soft:
		v.write(w, view{Title: v.name, Body: "<p class=\"error\">No such record.</p>", Steps: home}, http.StatusOK, n)
	case open:
		step := max(v.step, 1)
		title, next := "0 / "+strconv.Itoa(len(v.items)), bump(r.URL.RequestURI(), step)
		if m := lastNumber.FindStringSubmatch(r.URL.RequestURI()); m != nil {
			from, err := strconv.Atoi(m[1])
			if err == nil {
				title = fmt.Sprintf("Results %d to %d of %d", from, from+step, len(v.items))
			}
		}
		v.write(
			w,
			view{Title: title, Body: "<table class=\"list\"></table>", Steps: append(home, link{next, v.words.next, "next"})},
			http.StatusOK,
			n,
		)
	case toFront:
		http.Redirect(w, r, "/", http.StatusFound)
	case toWrite:
		body := "<p>Nobody has written about " + html.EscapeString(r.URL.Path) + " yet. " + a(r.URL.Path+"?action=edit", "Write it") +
			"</p>"
		if r.URL.RawQuery != "" {
			body = "<form method=\"post\"><textarea name=\"text\"></textarea></form>"
		}
		v.write(w, view{Title: v.name, Body: body, Steps: home}, http.StatusOK, n)
	case suggests:
		picked := draw(r.URL.RequestURI(), 0)
		body := "<p>We do not have that. Perhaps you mean</p>"
		for range 5 {
			it := pick(picked, v.items)
			body += "<p>" + a(it.path, it.name) + "</p>"
		}
		v.write(w, view{Title: v.name, Body: body, Steps: home}, http.StatusOK, n)
	case broken:
		v.write(
			w,
			view{Title: "Error", Body: "<p>An unexpected error has occurred. The webmaster has been notified.</p>"},
			http.StatusInternalServerError,
			n,
		)
	}
}

// write fills in the layout.
func (v *server) write(w http.ResponseWriter, p view, status int, n int64) {
	p.Site, p.Lang, p.Menu, p.Today, p.Request = v.name, v.lang, v.menu, time.Now(), n
	p.Aside = make(map[string]string)
	for _, a := range v.aside {
		name, content := a.show(p.Today, n)
		p.Aside[name] = content
	}
	var b strings.Builder
	if err := layouts.ExecuteTemplate(&b, v.layout+".html", p); err != nil {
		panic(err) // the layout is ours
	}
	body, charset := b.String(), "utf-8"
	if v.charset != nil {
		var err error
		if body, err = encoding.ReplaceUnsupported(v.charset.NewEncoder()).String(body); err != nil {
			panic(err) // what cannot be written is replaced
		}
		charset = v.charsetName
	}
	w.Header().Set("Content-Type", "text/html; charset="+charset)
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}
