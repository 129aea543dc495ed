package testsites

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// listing is a list of posts that was asked for.
type listing struct {
	kind      string // "home", "category", "tag", "author", "date", "search"
	path      string // of its first page, escaped, with slashes at both ends
	posts     []int32
	page      int
	feed      bool
	comments  bool
	term      *term
	heading   string
	headingOf string
	classes   string
	ask       string // query string to repeat
}

func (w *wordpress) list(r *request, l listing) {
	pages := pagesOf(len(l.posts), perPage)
	if l.page > pages {
		w.missing(r)
		return
	}
	if l.feed {
		w.feed(r, l.headingOf, l.posts, l.comments)
		return
	}
	g := w.page(r)
	g.Home = l.kind == "home"
	switch l.kind {
	case "home":
		g.Body = "home blog"
	case "category", "tag":
		g.Heading, g.HeadingOf = strings.ToUpper(l.kind[:1])+l.kind[1:], l.term.name
		g.Body = fmt.Sprintf("archive %s %s-%s %s-%d", l.kind, l.kind, pathEscape(l.term.slug), l.kind, l.term.id)
		g.Describe = escape(l.term.desc)
	default:
		g.Heading, g.HeadingOf, g.Body = l.heading, l.headingOf, l.classes
	}
	g.Title = g.HeadingOf
	if l.page > 1 {
		g.Body += " paged paged-" + itoa(l.page)
	}
	if !g.Home && l.kind != "search" {
		g.FeedURL = g.U("%sfeed/", l.path)
	}
	shown := window(l.posts, l.page, perPage)
	if g.Home && l.page == 1 {
		shown = append([]int32{int32(w.b.stuck())}, without(shown, int32(w.b.stuck()))...)
	}
	for _, i := range shown {
		g.Posts = append(g.Posts, g.post(int(i)))
	}
	g.Pager = pager{Page: l.page, Pages: pages, Total: len(l.posts), Per: perPage, numbers: edgeNumbers, link: func(n int) string {
		if n == 1 {
			return g.U("%s%s", l.path, l.ask)
		}
		return g.U("%spage/%d/%s", l.path, n, l.ask)
	}}
	g.answer(http.StatusOK, "list")
}

// edgeNumbers are the first page, the current one and the last: paginate_links with a middle of nothing.
func edgeNumbers(page, pages int) []int {
	var out []int
	last := 0
	for _, n := range []int{1, page, pages} {
		if n <= last {
			continue
		}
		if n > last+1 {
			out = append(out, 0)
		}
		out = append(out, n)
		last = n
	}
	return out
}

func without(list []int32, x int32) []int32 {
	var out []int32
	for _, n := range list {
		if n != x {
			out = append(out, n)
		}
	}
	return out
}

func (w *wordpress) listAuthor(r *request, slug string, l listing) {
	for k, a := range w.b.authors {
		if a.slug != slug {
			continue
		}
		l.posts = newestFirst(w.b.written[k])
		l.kind, l.path, l.heading, l.headingOf = "author", "/author/"+slug+"/", "Author", a.name
		l.classes = fmt.Sprintf("archive author author-%s author-%d", slug, k+1)
		w.list(r, l)
		return
	}
	w.missing(r)
}

// listDate answers /year/, /year/month/ and /year/month/day/.
func (w *wordpress) listDate(r *request, parts []string, l listing) {
	n := [3]int{0, 1, 1}
	for i, p := range parts {
		n[i], _ = strconv.Atoi(p) // the caller saw that all are numbers
	}
	from := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	if n[0] < 1970 || n[0] > 2200 || from.Month() != time.Month(n[1]) || from.Day() != n[2] {
		w.missing(r)
		return
	}
	var to time.Time
	switch len(parts) {
	case 1:
		to, l.heading, l.headingOf = from.AddDate(1, 0, 0), "Year", from.Format("2006")
	case 2:
		to, l.heading, l.headingOf = from.AddDate(0, 1, 0), "Month", from.Format("January 2006")
	default:
		to, l.heading, l.headingOf = from.AddDate(0, 0, 1), "Day", from.Format("January 2, 2006")
	}
	first, last := w.b.between(from, to)
	if first == last {
		w.missing(r)
		return
	}
	for i := last - 1; i >= first; i-- {
		l.posts = append(l.posts, int32(i))
	}
	l.kind, l.classes, l.path = "date", "archive date", "/"+strings.Join(parts, "/")+"/"
	w.list(r, l)
}

func (w *wordpress) search(r *request) {
	l := listing{kind: "search", path: "/", ask: "?s=" + escape(pathEscape(r.q.Get("s"))), page: 1, heading: "Search Results for",
		headingOf: r.q.Get("s"), classes: "search search-results"}
	if _, page := tail(strings.Split(strings.Trim(r.path, "/"), "/"), "page"); page > 0 {
		l.page = page
	}
	for _, i := range window(w.b.newest, 1, 2000) {
		if strings.Contains(strings.ToLower(w.b.title(int(i))), strings.ToLower(r.q.Get("s"))) {
			l.posts = append(l.posts, i)
		}
	}
	w.list(r, l)
}

// post views a post: all that lists show of it, and the links around it.
func (g *wpPage) post(i int) wpPost {
	w := g.W
	a := w.b.author(i)
	p := wpPost{ID: postID(i), URL: g.U("%s", w.permalink(i)), Title: escape(w.b.title(i)), Time: w.b.time(i),
		Author:    wpAuthor{a.slug, escape(a.name), g.U("/author/%s/", a.slug), escape(a.bio)},
		Comments:  w.b.comments(i),
		Sticky:    i == w.b.stuck(),
		Protected: i == w.b.protected(w.b.posts()),
		Closed:    i%7 == 6}
	p.FeedURL = g.U("%sfeed/", w.permalink(i))
	p.Classes = fmt.Sprintf("post-%d post type-post", p.ID)
	if w.modern {
		p.Classes += " status-publish format-standard"
	}
	if p.Sticky {
		p.Classes += " sticky"
	}
	if p.Protected {
		p.Classes += " post-password-required"
	}
	p.Classes += " hentry"
	cats, tags := w.b.termsOf(i)
	for _, k := range cats {
		c := &w.b.cats[k]
		p.Cats = append(p.Cats, wpLink{Name: escape(c.name), URL: g.U("%s", w.termPath(c, "category")), ID: c.id})
		p.Classes += " category-" + pathEscape(c.slug)
	}
	for _, k := range tags {
		t := &w.b.tags[k]
		p.Tags = append(p.Tags, wpLink{Name: escape(t.name), URL: g.U("%s", w.termPath(t, "tag")), ID: t.id})
		p.Classes += " tag-" + pathEscape(t.slug)
	}
	if p.Protected {
		p.Excerpt = "There is no excerpt because this is a protected post."
		return p
	}
	body := w.content(i, g.root)
	text, cut := excerpt(body[0])
	p.Excerpt, p.Cut, p.Content = escape(text), cut, body[0]
	return p
}
