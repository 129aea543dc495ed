package corpora

import (
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
)

// parameterTraps are parameters that multiply each address.
func parameterTraps() []*trapSite {
	return []*trapSite{
		boardSessions(), pathSessions(), timeStamps(), replyLinks(), variants(), logins(), switches(),
		comparisons(), arrivals(),
	}
}

func boardSessions() *trapSite {
	return &trapSite{
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
	}
}

func pathSessions() *trapSite {
	return &trapSite{
		name: "session ids in paths", layout: "portal", most: 400, articles: articles(60, "/Show.aspx?item=%d"),
		clean: func(u *url.URL) {
			if rest, ok := strings.CutPrefix(u.Path, "/(S("); ok {
				_, u.Path, _ = strings.Cut(rest, "))")
			}
		},
		link: func(to string, n int64) string { return fmt.Sprintf("/(S(%024x))%s", n*15485863, to) },
	}
}

func timeStamps() *trapSite {
	return &trapSite{
		name:     "time stamps in links",
		layout:   "modern",
		most:     400,
		articles: slugs(80, "/news/"),
		clean:    without("t"),
		aside:    []widget{advert},
		link:     func(to string, n int64) string { return with(to, "t", strconv.FormatInt(1_690_000_000+n*37, 10)) },
	}
}

func replyLinks() *trapSite {
	return &trapSite{
		name: "reply links of comments", layout: "weblog", most: 900, articles: slugs(60, "/post/"), clean: without("replytocom"),
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
		},
	}
}

func variants() *trapSite {
	return &trapSite{
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
				return "Mail to a friend", `<form action="/send.php" method="post"><input name="to"><input name="url" value="` +
					html.EscapeString(
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
	}
}

func logins() *trapSite {
	return &trapSite{
		name: "login with the way back", layout: "portal", most: 400, articles: slugs(50, "/articles/"),
		around: func(u *url.URL, _ int64) string { return a("/login?return="+url.QueryEscape(u.RequestURI()), "Log in") },
		other: func(u *url.URL, _ int64) (string, string, bool) {
			return "Log in", "<form method=\"post\"><input name=\"user\"><input type=\"password\" name=\"password\"></form>",
				u.Path == "/login"
		},
	}
}

func switches() *trapSite {
	return &trapSite{
		name:     "switches of language and currency that pile up",
		layout:   "shop",
		most:     1000,
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
	}
}

func comparisons() *trapSite {
	return &trapSite{
		name: "comparison of products", layout: "shop", most: 1000, articles: articles(40, "/product/%d.html"),
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
		},
	}
}

func arrivals() *trapSite {
	return &trapSite{
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
	}
}
