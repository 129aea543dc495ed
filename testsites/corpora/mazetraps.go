package corpora

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// mazeTraps exist whatever they are called.
func mazeTraps() []*trapSite {
	return []*trapSite{
		growingLinks(), selfContained(), drawnSuggestions(), inventedWords(), searches(), relatedPages(),
		mapTiles(), growingPath(), noResults(), randomNumbers(),
	}
}

func growingLinks() *trapSite {
	return &trapSite{
		name: "relative links that grow", layout: "nineties", most: 300, articles: articles(50, "/docs/%d.html"),
		around: func(*url.URL, int64) string {
			return `<a href="products/">Products</a> <a href="products/contact/">Contact</a>`
		},
		other: func(u *url.URL, _ int64) (string, string, bool) {
			return "Products", para("Our products are made with care.", prose(draw("products", 0), 5)), strings.HasSuffix(u.Path, "/")
		},
	}
}

func selfContained() *trapSite {
	return &trapSite{
		name: "a folder that contains itself", layout: "terminal", most: 400, articles: articles(40, "/files/paper-%d.html"),
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
		},
	}
}

func drawnSuggestions() *trapSite {
	return &trapSite{
		name: "soft 404 with links that are drawn", layout: "modern", most: 400, articles: slugs(60, "/guide/"), aside: []widget{timing},
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
		},
	}
}

func inventedWords() *trapSite {
	return &trapSite{
		name: "maze of invented words", layout: "bare", most: 2500, articles: slugs(60, "/essay/"),
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
		},
	}
}

func searches() *trapSite {
	return &trapSite{
		name: "searches that lead to searches", layout: "portal", most: 1500, articles: slugs(80, "/entry/"), aside: []widget{timing},
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
		},
	}
}

func relatedPages() *trapSite {
	return &trapSite{
		name: "related pages by numbers that are drawn", layout: "weblog", most: 800, articles: articles(60, "/read/%d"),
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
		},
	}
}

func mapTiles() *trapSite {
	return &trapSite{
		name: "tiles of a map", layout: "picture", most: 1500, articles: slugs(40, "/place/"),
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
		},
	}
}

func growingPath() *trapSite {
	return &trapSite{
		name: "a path that grows by new words", layout: "docs", most: 500, articles: articles(50, "/manual/%d"),
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
		},
	}
}

func noResults() *trapSite {
	return &trapSite{
		name: "results of nothing", layout: "portal", most: 400, articles: articles(60, "/record/%d"), aside: []widget{timing, advert},
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
		},
	}
}

func randomNumbers() *trapSite {
	return &trapSite{
		name: "random numbers", layout: "bare", most: 600, articles: articles(60, "/essays/%d.html"),
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
		},
	}
}
