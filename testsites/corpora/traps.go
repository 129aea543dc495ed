package corpora

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Traps returns sites with a place without end.
func Traps() []Trap {
	var list []Trap
	for _, s := range slices.Concat(calendarTraps(), parameterTraps(), mazeTraps(), listTraps()) {
		s.index()
		list = append(list, Trap{Name: s.name, Articles: s.articles, Most: s.most, site: s})
	}
	return list
}

// parameterTraps are parameters that multiply each address.
func parameterTraps() []*trapSite {
	return []*trapSite{
		{
			name:     "session ids of a board",
			layout:   "nuke",
			most:     400,
			articles: articles(60, "/viewtopic.php?t=%d"),
			aside:    []widget{timing, online},
			clean:    without("sid"),
			link:     func(to string, n int64) string { return with(to, "sid", fmt.Sprintf("%032x", n*7919*104729)) },
			around:   func(_ *url.URL, n int64) string { return a(fmt.Sprintf("/faq.php?sid=%032x", n*7919*104729), "FAQ") },
			other: func(u *url.URL, _ int64) (string, string, bool) {
				return "Frequently asked questions", para(prose(draw("faq", 0), 9)), u.Path == "/faq.php"
			},
		},
		{name: "session ids in paths", layout: "portal", most: 400, articles: articles(60, "/Show.aspx?item=%d"),
			clean: func(u *url.URL) {
				if rest, ok := strings.CutPrefix(u.Path, "/(S("); ok {
					_, u.Path, _ = strings.Cut(rest, "))")
				}
			},
			link: func(to string, n int64) string { return fmt.Sprintf("/(S(%024x))%s", n*15485863, to) }},
		{
			name:     "time stamps in links",
			layout:   "modern",
			most:     400,
			articles: slugs(80, "/news/"),
			clean:    without("t"),
			aside:    []widget{advert},
			link:     func(to string, n int64) string { return with(to, "t", strconv.FormatInt(1_690_000_000+n*37, 10)) },
		},
		{name: "reply links of comments", layout: "weblog", most: 900, articles: slugs(60, "/post/"), clean: without("replytocom"),
			around: func(u *url.URL, _ int64) string {
				var b strings.Builder
				r := draw("comments "+u.Path, 0)
				for range 6 {
					b.WriteString(
						"<p>" + html.EscapeString(
							sentence(r),
						) + " " + a(
							with(u.Path, "replytocom", strconv.Itoa(1000+r.IntN(90_000))),
							"Reply",
						) + "</p>",
					)
				}
				return b.String()
			}},
		{
			name:     "print, mail and pdf variants",
			layout:   "nineties",
			most:     700,
			articles: articles(70, "/story.php?id=%d"),
			clean:    without("from"),
			around: func(u *url.URL, n int64) string {
				here := u.RequestURI()
				return a(
					with(here, "print", "1"),
					"Print",
				) + " " + a(
					"/mail.php?url="+url.QueryEscape(here),
					"Mail to a friend",
				) + " " + a(
					with(here, "from", strconv.FormatInt(n, 10)),
					"Permalink",
				)
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				if u.Path == "/mail.php" {
					return "Mail to a friend", `<form action="/send.php" method="post"><input name="to"><input name="url" value="` + html.EscapeString(
						u.Query().Get("url"),
					) + "\"></form>", true
				}
				id, err := strconv.Atoi(u.Query().Get("id"))
				if err != nil || u.Path != "/story.php" {
					return "", "", false
				}
				r := draw("print, mail and pdf variants text", id-1)
				return "Print", para("By "+person(r), prose(r, 3), prose(r, 4), prose(r, 2)), true
			},
		},
		{name: "login with the way back", layout: "portal", most: 400, articles: slugs(50, "/articles/"),
			around: func(u *url.URL, _ int64) string { return a("/login?return="+url.QueryEscape(u.RequestURI()), "Log in") },
			other: func(u *url.URL, _ int64) (string, string, bool) {
				return "Log in", "<form method=\"post\"><input name=\"user\"><input type=\"password\" name=\"password\"></form>", u.Path == "/login"
			}},
		{
			name:     "switches of language and currency that pile up",
			layout:   "shop",
			most:     400,
			articles: articles(60, "/p/%d"),
			clean:    without("lang", "currency", "ref"),
			around: func(u *url.URL, _ int64) string {
				here := u.RequestURI()
				return a(
					with(here, "lang", "de"),
					"Deutsch",
				) + a(
					with(here, "lang", "fr"),
					"Français",
				) + a(
					with(here, "currency", "USD"),
					"$",
				) + a(
					with(here, "ref", "footer"),
					"Top",
				)
			},
		},
		{name: "comparison of products", layout: "shop", most: 1000, articles: articles(40, "/product/%d.html"),
			around: func(u *url.URL, _ int64) string {
				had := u.Query().Get("ids")
				var b strings.Builder
				for i := 1; i <= 40; i += 3 {
					if id := strconv.Itoa(i); !strings.Contains(","+had+",", ","+id+",") {
						b.WriteString(a("/compare?ids="+strings.Trim(had+","+id, ","), "Compare with "+id) + " ")
					}
				}
				return b.String()
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				var lines [][]string
				for id := range strings.SplitSeq(u.Query().Get("ids"), ",") {
					n, err := strconv.Atoi(id)
					if err != nil {
						return "", "", false
					}
					r := draw("product", n)
					lines = append(lines, []string{id, pick(r, nouns), strconv.Itoa(r.IntN(900))})
				}
				return "Comparison", table([]string{"Product", "Kind", "Weight"}, lines...), u.Path == "/compare"
			}},
		{
			name:     "rooms by day of arrival",
			layout:   "modern",
			most:     800,
			articles: articles(40, "/rooms/%d"),
			aside:    []widget{advert},
			clean:    without("checkin", "nights"),
			around: func(u *url.URL, _ int64) string {
				day, ok := dayOf(u.Query().Get("checkin"))
				if !ok {
					day = thisMonth()
				}
				here := "/availability?"
				if strings.HasPrefix(u.Path, "/rooms/") {
					here = u.Path + "?"
				}
				return a(
					here+"checkin="+day.AddDate(0, 0, 1).Format("2006-01-02")+"&nights=1",
					"a day later",
				) + " " + a(
					here+"checkin="+day.AddDate(0, 0, 7).Format("2006-01-02")+"&nights=7",
					"a week later",
				) + " " + a(
					"/availability",
					"Availability",
				)
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				return "Availability", para("Rooms are available. Please choose your day of arrival."), u.Path == "/availability"
			},
		},
	}
}

// mazeTraps exist whatever they are called.
func mazeTraps() []*trapSite {
	return []*trapSite{
		{name: "relative links that grow", layout: "nineties", most: 300, articles: articles(50, "/docs/%d.html"),
			around: func(*url.URL, int64) string {
				return `<a href="products/">Products</a> <a href="products/contact/">Contact</a>`
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				return "Products", para("Our products are made with care.", prose(draw("products", 0), 5)), strings.HasSuffix(u.Path, "/")
			}},
		{name: "a folder that contains itself", layout: "terminal", most: 400, articles: articles(40, "/files/paper-%d.html"),
			around: func(u *url.URL, _ int64) string {
				if !strings.HasPrefix(u.Path, "/files/") || !strings.HasSuffix(u.Path, "/") {
					return a("/files/", "Files")
				}
				return `<a href="current/">current/</a> <a href="backup/">backup/</a> ` +
					`<a href="paper-1.html">paper-1.html</a> <a href="paper-2.html">paper-2.html</a>`
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				if !strings.HasPrefix(u.Path, "/files/") {
					return "", "", false
				}
				if strings.HasSuffix(u.Path, "/") {
					return "Index of " + u.Path, "", true
				}
				r := draw("paper "+u.Path[strings.LastIndexByte(u.Path, '/'):], 0)
				return "Paper", para(prose(r, 6)), true
			}},
		{name: "soft 404 with links that are drawn", layout: "modern", most: 400, articles: slugs(60, "/guide/"), aside: []widget{timing},
			around: func(_ *url.URL, n int64) string {
				r := draw("suggestions", int(n))
				return "<h4>Did you mean</h4>" + a(
					"/guide/"+pick(r, nouns)+"-"+pick(r, scenery),
					"this?",
				) + " " + a(
					"/"+pick(r, nouns)+"/"+pick(r, adjectives),
					"or this?",
				)
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				return "Page not found", para(
					"Sorry, the page "+u.Path+" could not be found. It may have moved.",
					"Perhaps one of these pages helps you on.",
				), true
			}},
		{name: "maze of invented words", layout: "bare", most: 2500, articles: slugs(60, "/essay/"),
			around: func(u *url.URL, _ int64) string {
				if !strings.HasPrefix(u.Path, "/lore/") {
					return a("/lore/", "Further reading")
				}
				r := draw(u.Path, 1)
				var b strings.Builder
				for range 8 {
					b.WriteString(a("/lore/"+invented(r.Uint64())+"/"+invented(r.Uint64()), invented(r.Uint64())) + " ")
				}
				return b.String()
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				r := draw(u.Path, 0)
				words := make([]string, 120)
				for i := range words {
					words[i] = pick(r, []string{"the", "of", pick(r, nouns), pick(r, verbs), invented(r.Uint64())})
				}
				return title(words[3]), para(strings.Join(words, " ")), strings.HasPrefix(u.Path, "/lore/")
			}},
		{name: "searches that lead to searches", layout: "portal", most: 1500, articles: slugs(80, "/entry/"), aside: []widget{timing},
			around: func(u *url.URL, n int64) string {
				r := draw("searches", int(n))
				q := u.Query().Get("q")
				return "Related: " + a(
					"/search?q="+pick(r, nouns)+"+"+pick(r, scenery),
					"search",
				) + " " + a(
					"/search?q="+strings.ReplaceAll(strings.TrimSpace(q+" "+pick(r, adjectives)), " ", "+"),
					"refine",
				)
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				q := u.Query().Get("q")
				r := draw(q, 0)
				return "Search: " + q, para(
						fmt.Sprintf("About %d results for %s", r.IntN(90), q),
						sentence(r),
					), u.Path == "/search" &&
						q != ""
			}},
		{name: "related pages by numbers that are drawn", layout: "weblog", most: 800, articles: articles(60, "/read/%d"),
			around: func(_ *url.URL, n int64) string {
				r := draw("related", int(n))
				return "You may also like " + a(
					fmt.Sprintf("/read/%d", 61+r.IntN(1<<30)),
					"this",
				) + " " + a(
					fmt.Sprintf("/read/%d", 61+r.IntN(1<<30)),
					"and this",
				)
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				id, err := strconv.Atoi(strings.TrimPrefix(u.Path, "/read/"))
				r := draw("related pages by numbers that are drawn text", id%60)
				return "Story", para("By "+person(r), prose(r, 3), prose(r, 4), prose(r, 2)), err == nil
			}},
		{name: "tiles of a map", layout: "picture", most: 1500, articles: slugs(40, "/place/"),
			around: func(u *url.URL, _ int64) string {
				x, y := number(u, "x"), number(u, "y")
				var b strings.Builder
				for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					b.WriteString(a(fmt.Sprintf("/map?x=%d&y=%d&z=12", x+d[0], y+d[1]), "→"))
				}
				return b.String()
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				return "Map", fmt.Sprintf(`<img src="/tile?x=%d&amp;y=%d&amp;z=12">`, number(u, "x"), number(u, "y")), u.Path == "/map"
			}},
		{name: "a path that grows by new words", layout: "docs", most: 300, articles: articles(50, "/manual/%d"),
			around: func(u *url.URL, n int64) string {
				r := draw("deeper", int(n))
				return a(
					"/topics"+strings.TrimPrefix(strings.TrimSuffix(u.Path, "/"), "/topics")+"/"+pick(r, nouns),
					"Deeper",
				) + " " + a(
					"/topics/",
					"Topics",
				)
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				return "Topic", para(prose(draw(u.Path, 0), 2)), strings.HasPrefix(u.Path, "/topics/")
			}},
		{name: "results of nothing", layout: "portal", most: 400, articles: articles(60, "/record/%d"), aside: []widget{timing, advert},
			around: func(u *url.URL, _ int64) string {
				return a(fmt.Sprintf("/find?from=%d", number(u, "from")+10), "Further results")
			},
			other: func(u *url.URL, _ int64) (string, string, bool) {
				from := number(u, "from")
				return fmt.Sprintf(
						"Results %d to %d of 0",
						from,
						from+10,
					), para(
						"Nothing was found for your question.",
					), u.Path == "/find"
			}},
		{name: "random numbers", layout: "bare", most: 600, articles: articles(60, "/essays/%d.html"),
			around: func(u *url.URL, _ int64) string {
				return a(fmt.Sprintf("/random?from=%d", number(u, "from")+10), "More random numbers")
			},
			other: func(u *url.URL, n int64) (string, string, bool) {
				r := draw("dice", int(n))
				var lines []string
				for range 40 {
					lines = append(lines, strconv.Itoa(r.IntN(10_000)))
				}
				return "Random numbers", para(lines...), u.Path == "/random"
			}},
	}
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

// facets filter products by values in a list of parameters. Each value can be added to any set of others.
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
		most:     300,
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

// revisions can be compared with each other: pairs of thirty for each article.
func revisions() *trapSite {
	s := &trapSite{name: "differences of revisions", layout: "docs", most: 2500, articles: articles(40, "/page.php?title=Topic_%d")}
	s.around = func(u *url.URL, _ int64) string {
		topic := u.Query().Get("title")
		if topic == "" {
			return ""
		}
		var b strings.Builder
		old := number(u, "oldid")
		for k := 1; k <= 30; k++ {
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
