package corpora

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Traps returns sites with a crawler trap.
func Traps() []Trap {
	var list []Trap
	for _, s := range slices.Concat(calendarTraps(), parameterTraps(), mazeTraps(), listTraps(), growingTraps()) {
		s.index()
		list = append(list, Trap{Name: s.name, Articles: s.articles, Most: s.most, site: s})
	}
	return list
}

// invented is a word that no dictionary has.
func invented(x uint64) string {
	syllables := []string{"ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "zu", "ka"}
	var b strings.Builder
	for range 3 + x%2 {
		b.WriteString(syllables[x>>8%16])
		x = x>>4 ^ x<<7
	}
	return b.String()
}

// number reads a parameter, 0 where there is none.
func number(u *url.URL, name string) int {
	n, err := strconv.Atoi(u.Query().Get(name))
	if err != nil {
		return 0
	}
	return n
}

// listTraps are lists that go on, or can be asked for in too many ways.
func listTraps() []*trapSite {
	tags := split("brass, canal, clock, garden, music, paper, rail, river, sheep, slate, steam, wool")
	tagged := func(i int, set []string) bool {
		for _, t := range set {
			if k := slices.Index(tags, t); k < 0 || (i*7+k*k+k)%4 > 1 {
				return false
			}
		}
		return true
	}
	combined := &trapSite{
		name:     "combinations of tags",
		layout:   "weblog",
		most:     1200,
		articles: slugs(90, "/2014/"),
		aside:    []widget{calendar},
	}
	combined.around = func(u *url.URL, _ int64) string {
		had, ok := strings.CutPrefix(u.Path, "/tags/")
		var b strings.Builder
		for _, t := range tags {
			if !ok || had == "" {
				b.WriteString(a("/tags/"+t, t) + " ")
			} else if !slices.Contains(strings.Split(had, "+"), t) {
				b.WriteString(a("/tags/"+had+"+"+t, "+ "+t) + " ")
			}
		}
		return b.String()
	}
	combined.other = func(u *url.URL, n int64) (string, string, bool) {
		set, ok := strings.CutPrefix(u.Path, "/tags/")
		var which []int
		for i := range combined.articles {
			if tagged(i, strings.Split(set, "+")) {
				which = append(which, i)
			}
		}
		return "Tagged " + set, combined.list(n, which...), ok
	}
	return []*trapSite{combined, facets(), sorted(), pagesWithoutEnd(), cursor(), revisions()}
}

// facets filter products by values in a list of parameters. Each value can be added to any set of
// others.
func facets() *trapSite {
	values := split(
		"color:red, color:blue, color:green, size:s, size:m, size:l, make:acme, make:apex, price:low, price:high, rating:4, rating:5",
	)
	s := &trapSite{name: "filters of a shop", layout: "shop", most: 1500, articles: articles(100, "/product?sku=%d"), unlisted: true}
	s.around = func(u *url.URL, _ int64) string {
		set := u.Query()
		var b strings.Builder
		for _, v := range values {
			k, had := 0, false
			here := "/products"
			for ; set.Has(fmt.Sprintf("f[%d]", k)); k++ {
				had = had || set.Get(fmt.Sprintf("f[%d]", k)) == v
				here = with(here, fmt.Sprintf("f[%d]", k), set.Get(fmt.Sprintf("f[%d]", k)))
			}
			if !had {
				b.WriteString(a(with(here, fmt.Sprintf("f[%d]", k), v), v) + " ")
			}
		}
		return a("/products", "All products") + " " + b.String()
	}
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		var which []int
		page, set := number(u, "page"), 1
		for ; u.Query().Has(fmt.Sprintf("f[%d]", set-1)); set++ {
		}
		for i := page * perList; i < len(s.articles) && len(which) < perList; i += set {
			which = append(which, i)
		}
		body := s.list(n, which...)
		if len(which) == perList && set == 1 {
			body += a(fmt.Sprintf("/products?page=%d", page+1), "Next page")
		}
		return "Products", body, u.Path == "/products"
	}
	return s
}

// sorted is a list in every order, in three views and of four lengths.
func sorted() *trapSite {
	s := &trapSite{
		name:     "orders and views of a list",
		layout:   "portal",
		most:     900,
		articles: articles(80, "/file.php?id=%d"),
		unlisted: true,
	}
	s.around = func(u *url.URL, _ int64) string {
		q := u.Query()
		var b strings.Builder
		choices := []string{
			"sort=name, date, size, hits, rating",
			"order=asc, desc",
			"view=list, grid, table",
			"limit=20, 40, 60, 80",
			"start=0, 20, 40, 60",
		}
		for _, choice := range choices {
			name, values, _ := strings.Cut(choice, "=")
			for _, v := range split(values) {
				n := url.Values{}
				for k := range q {
					if k != "id" {
						n.Set(k, q.Get(k))
					}
				}
				n.Set(name, v)
				b.WriteString(a("/list.php?"+n.Encode(), name+" "+v) + " ")
			}
		}
		return b.String()
	}
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		var which []int
		for i := range 20 {
			k := (number(u, "start") + i) % len(s.articles)
			if by := u.Query().Get("sort"); by == "date" || by == "size" {
				k = k * (2*len(by) - 5) % len(s.articles)
			}
			if u.Query().Get("order") == "desc" {
				k = len(s.articles) - 1 - k
			}
			which = append(which, k)
		}
		return "Files", s.list(n, which...), u.Path == "/list.php"
	}
	return s
}

// pagesWithoutEnd shows the last page of its list for each page behind.
func pagesWithoutEnd() *trapSite {
	s := &trapSite{
		name:     "pages behind the last page",
		layout:   "weblog",
		most:     300,
		articles: slugs(60, "/blog/"),
		unlisted: true,
		aside:    []widget{timing},
	}
	s.around = func(u *url.URL, _ int64) string {
		n, err := strconv.Atoi(strings.TrimPrefix(u.Path, "/blog/page/"))
		if err != nil {
			n = 0
		}
		return a(fmt.Sprintf("/blog/page/%d", n+1), "Older entries")
	}
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		k, err := strconv.Atoi(strings.TrimPrefix(u.Path, "/blog/page/"))
		var which []int
		for i := range 10 {
			which = append(which, min(k-1, 5)*10+i)
		}
		return "The weblog", s.list(n, which...), err == nil
	}
	return s
}

// cursor is a list that starts again when it is through, under ever new tokens.
func cursor() *trapSite {
	s := &trapSite{
		name:     "a list by tokens that starts again",
		layout:   "modern",
		most:     1300,
		articles: slugs(60, "/update/"),
		unlisted: true,
	}
	token := func(k int) string { return fmt.Sprintf("%08x%08x", k*40503, k) }
	at := func(u *url.URL) int {
		c := u.Query().Get("cursor")
		k, err := strconv.ParseInt(c[len(c)/2:], 16, 32)
		if err != nil {
			return 0
		}
		return int(k)
	}
	s.around = func(u *url.URL, _ int64) string { return a("/feed?cursor="+token(at(u)+1), "Load more") }
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		k := at(u) % 12
		return "Updates", s.list(n, k*5, k*5+1, k*5+2, k*5+3, k*5+4), u.Path == "/feed"
	}
	return s
}

// revisions can be compared with each other: pairs of ten for each article.
func revisions() *trapSite {
	s := &trapSite{name: "differences of revisions", layout: "docs", most: 2500, articles: articles(40, "/page.php?title=Topic_%d")}
	s.around = func(u *url.URL, _ int64) string {
		topic := u.Query().Get("title")
		if topic == "" {
			return ""
		}
		var b strings.Builder
		old := number(u, "oldid")
		for k := 1; k <= 10; k++ {
			b.WriteString(a(fmt.Sprintf("/page.php?title=%s&diff=%d&oldid=%d", topic, 100+k, max(old, 101)), "diff") + " ")
			b.WriteString(a(fmt.Sprintf("/page.php?title=%s&oldid=%d", topic, 100+k), "old") + " ")
		}
		return b.String()
	}
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		r := draw(u.Query().Get("title"), number(u, "oldid")+number(u, "diff")*1000)
		return "Revision", para(prose(r, 4)), u.Path == "/page.php" && u.Query().Has("oldid")
	}
	return s
}
