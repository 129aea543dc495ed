package corpora

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// growingTraps lead from each page to several that nobody has seen, all with a text of their own, or on for ever.
func growingTraps() []*trapSite {
	return []*trapSite{
		doublingFolders(), rootMaze(), strangers(), tokenMaze(), replies(), wordDays(), blocks(),
	}
}

// fork is a trap at addresses that ok allows: each has a text of its own and leads to those that next gives.
func fork(s *trapSite, start string, ok func(u *url.URL) bool, next func(u *url.URL) []string) *trapSite {
	s.around = func(u *url.URL, _ int64) string {
		if !ok(u) {
			return a(start, "More of this")
		}
		var b strings.Builder
		for _, to := range next(u) {
			b.WriteString(a(to, "on") + " ")
		}
		return b.String()
	}
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		r := draw(s.name+u.RequestURI(), 0)
		return title(pick(r, nouns)), para(prose(r, 4), prose(r, 3)), ok(u)
	}
	return s
}

func below(prefix string) func(*url.URL) bool {
	return func(u *url.URL) bool { return strings.HasPrefix(u.Path, prefix) }
}

func doublingFolders() *trapSite {
	s := &trapSite{name: "folders that double", layout: "docs", most: 1200, articles: slugs(60, "/news/")}
	return fork(s, "/tree", below("/tree"), func(u *url.URL) []string {
		r := draw(u.Path, 2)
		return []string{u.Path + "/" + pick(r, nouns), u.Path + "/" + pick(r, scenery)}
	})
}

// rootMaze has ever new folders at the root of its host.
func rootMaze() *trapSite {
	s := &trapSite{name: "maze at the root", layout: "weblog", most: 1200, articles: articles(60, "/article/%d"), aside: []widget{timing}}
	return fork(s, "/bala/cedi.html", func(u *url.URL) bool {
		return strings.HasSuffix(u.Path, ".html") && strings.Count(u.Path, "/") ==
			2
	},
		func(u *url.URL) (next []string) {
			r := draw(u.Path, 2)
			for range 6 {
				next = append(next, "/"+invented(r.Uint64())+"/"+invented(r.Uint64())+".html")
			}
			return next
		})
}

func strangers() *trapSite {
	s := &trapSite{name: "strangers and their friends", layout: "modern", most: 1200, articles: slugs(50, "/blog/"),
		aside: []widget{online, advert}}
	return fork(s, "/people/ida-adler-1", below("/people/"), func(u *url.URL) (next []string) {
		r := draw(u.Path, 2)
		for range 10 {
			next = append(next, fmt.Sprintf("/people/%s-%d", strings.ToLower(strings.ReplaceAll(person(r), " ", "-")), r.IntN(1<<30)))
		}
		return next
	})
}

func tokenMaze() *trapSite {
	s := &trapSite{name: "topics by tokens", layout: "nuke", most: 1200, articles: articles(50, "/page.php?id=%d"),
		aside: []widget{counter}}
	return fork(s, "/index.php?topic=00000000000000aa",
		func(u *url.URL) bool { return u.Path == "/index.php" && u.Query().Get("topic") != "" },
		func(u *url.URL) (next []string) {
			r := draw(u.RawQuery, 2)
			for range 3 {
				next = append(next, fmt.Sprintf("/index.php?topic=%016x", r.Uint64()))
			}
			return next
		})
}

func replies() *trapSite {
	s := &trapSite{name: "replies to replies", layout: "portal", most: 1200, articles: slugs(40, "/column/")}
	return fork(s, "/thread/12", below("/thread/"), func(u *url.URL) []string {
		at := strings.TrimSuffix(u.Path, "/")
		return []string{at + "/reply/1", at + "/answer/2", at + "/quote/3"}
	})
}

// wordDays are days without an entry, the date in words. There are a thousand of them: the last leads to the first.
func wordDays() *trapSite {
	s := &trapSite{name: "days in words", layout: "terminal", most: 1200, articles: articles(50, "/notes/%d.html"), aside: []widget{timing}}
	const day = "/diary/Monday-January-"
	on := func(u *url.URL) (time.Time, bool) {
		rest, ok := strings.CutPrefix(u.Path, "/diary/")
		words := strings.Split(rest, "-")
		if !ok || len(words) != 3 {
			return time.Time{}, false
		}
		month, err := time.Parse("January", words[1])
		var n int
		for i, w := range scenery {
			if w == words[2] {
				n = i
			}
		}
		return date(1990+n, month.Month(), 1), err == nil
	}
	at := func(day time.Time) string {
		return "/diary/" + day.Format("Monday-January-") + scenery[(day.Year()-1990+10*len(scenery))%len(scenery)]
	}
	s.around = func(u *url.URL, _ int64) string {
		t, ok := on(u)
		if !ok {
			return a(day+"oak", "Diary")
		}
		return a(at(t.AddDate(0, 1, 0)), "next") + " " + a(at(t.AddDate(0, -1, 0)), "before")
	}
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		_, ok := on(u)
		return "Diary", para("Nothing was written down."), ok
	}
	return s
}

// blocks are a chain without end, each of numbers of its own.
func blocks() *trapSite {
	s := &trapSite{name: "chain of blocks", layout: "bare", most: 1500, articles: slugs(60, "/post/"), aside: []widget{timing}}
	hash := func(h string, i int) string {
		return fmt.Sprintf("%016x%016x", draw(h, i).Uint64(), draw(h, i+1).Uint64())
	}
	s.around = func(u *url.URL, _ int64) string {
		h, ok := strings.CutPrefix(u.Path, "/block/")
		if !ok {
			h = "genesis"
		}
		return a("/block/"+hash(h, 1), "previous block")
	}
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		h, ok := strings.CutPrefix(u.Path, "/block/")
		r := draw(h, 3)
		return "Block", table([]string{"from", "to", "sum"}, []string{hash(h, 5), hash(h, 7), fmt.Sprint(r.IntN(1e9))},
			[]string{hash(h, 9), hash(h, 11), fmt.Sprint(r.IntN(1e9))}), ok && len(h) == 32
	}
	return s
}
