package corpora

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

func thisMonth() time.Time {
	now := time.Now()
	return date(now.Year(), now.Month(), 1)
}

func dayOf(s string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, s)
	return day, err == nil
}

// calendarTraps are calendars of every month that ever was and will be.
func calendarTraps() []*trapSite {
	return []*trapSite{weblogCalendar(), portalCalendar(), requestCalendar(), archiveOfAnyMonth(), pastCalendar()}
}

// weblogCalendar is that of a plug-in: months, weeks and days link to each other in both
// directions; the events of three months around today are found in it only.
func weblogCalendar() *trapSite {
	s := &trapSite{name: "calendar of a weblog", layout: "weblog", most: 1500, unlisted: true, aside: []widget{timing}}
	on := make(map[string]int) // articles by their day
	for i := range 45 {
		day := thisMonth().AddDate(0, -1, i*2)
		on[day.Format(time.DateOnly)] = i
		s.articles = append(
			s.articles,
			fmt.Sprintf("/event/%s-%s-%d/", pick(draw("event", i), adjectives), pick(draw("event", i), scenery), i+1),
		)
	}
	s.around = func(u *url.URL, _ int64) string { return a("/events/", "Events") }
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		at, ok := strings.CutPrefix(strings.TrimSuffix(u.Path, "/"), "/events")
		if !ok {
			return "", "", false
		}
		at = strings.Trim(at, "/")
		if day, ok := dayOf(at); ok {
			body := para("There were no events found.")
			if i, ok := on[at]; ok {
				body = s.list(n, i)
			}
			return "Events for " + day.Format(
					"January 2, 2006",
				), body + a(
					day.AddDate(0, 0, -1).Format("/events/2006-01-02/"),
					"Previous day",
				) + a(
					day.AddDate(0, 0, 1).Format("/events/2006-01-02/"),
					"Next day",
				) + a(
					with(u.Path, "ical", "1"),
					"Export events",
				), true
		}
		if week, ok := dayOf(strings.TrimPrefix(at, "week/")); ok {
			var which []int
			for d := range 7 {
				if i, ok := on[week.AddDate(0, 0, d).Format(time.DateOnly)]; ok {
					which = append(which, i)
				}
			}
			return "Week of " + week.Format(
					"January 2",
				), s.list(
					n,
					which...) + a(
					week.AddDate(0, 0, -7).Format("/events/week/2006-01-02/"),
					"Previous week",
				) + a(
					week.AddDate(0, 0, 7).Format("/events/week/2006-01-02/"),
					"Next week",
				), true
		}
		month, err := time.Parse("2006-01", at)
		if at == "" {
			month, err = thisMonth(), nil
		}
		if err != nil {
			return "", "", false
		}
		var b strings.Builder
		for day := month; day.Month() == month.Month(); day = day.AddDate(0, 0, 1) {
			b.WriteString(a(day.Format("/events/2006-01-02/"), fmt.Sprint(day.Day())) + " ")
			if i, ok := on[day.Format(time.DateOnly)]; ok {
				b.WriteString(s.anchor(i, n) + " ")
			}
		}
		return "Events for " + month.Format(
				"January 2006",
			), b.String() + a(
				month.AddDate(0, -1, 0).Format("/events/2006-01/"),
				"« "+month.AddDate(0, -1, 0).Format("January"),
			) + a(
				month.AddDate(0, 1, 0).Format("/events/2006-01/"),
				month.AddDate(0, 1, 0).Format("January")+" »",
			) +
				a(
					month.Format("/events/week/2006-01-02/"),
					"Week",
				), true
	}
	return s
}

// portalCalendar keeps all in parameters: tasks, year, month, day.
func portalCalendar() *trapSite {
	s := &trapSite{
		name:     "calendar of a portal",
		layout:   "portal",
		most:     1500,
		articles: articles(70, "/index.php?option=com_content&id=%d"),
		aside:    []widget{online},
	}
	at := func(task string, day time.Time) string {
		return day.Format("/index.php?option=com_events&task=" + task + "&Itemid=31&year=2006&month=01&day=02")
	}
	s.around = func(*url.URL, int64) string { return a(at("view_month", thisMonth()), "Events calendar") }
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		task := u.Query().Get("task")
		day := date(number(u, "year"), time.Month(number(u, "month")), number(u, "day"))
		if u.Query().Get("option") != "com_events" || day.Year() < 1 || day.Year() > 9999 {
			return "", "", false
		}
		steps := map[string][3]int{"view_year": {1, 0, 0}, "view_month": {0, 1, 0}, "view_week": {0, 0, 7}, "view_day": {0, 0, 1}}[task]
		body := para("No events for " + day.Format("January 2006") + ".")
		body += a(
			at(task, day.AddDate(-steps[0], -steps[1], -steps[2])),
			"Previous",
		) + a(
			at(task, day.AddDate(steps[0], steps[1], steps[2])),
			"Next",
		)
		for _, other := range []string{"view_year", "view_month", "view_week", "view_day", "view_search"} {
			body += " " + a(at(other, day), other)
		}
		return "Events " + day.Format("January 2006"), body, true
	}
	return s
}

// requestCalendar has the number of the request on each page.
func requestCalendar() *trapSite {
	s := &trapSite{
		name:     "calendar with the number of the request",
		layout:   "modern",
		most:     400,
		articles: slugs(60, "/story/"),
		aside:    []widget{timing, advert},
	}
	s.around = func(*url.URL, int64) string { return a(thisMonth().Format("/agenda?day=2006-01-02"), "Agenda") }
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		day, ok := dayOf(u.Query().Get("day"))
		return "Agenda of " + day.Format(
				"2 January 2006",
			), para(
				"Nothing is planned for this day.",
			) + a(
				day.AddDate(0, 0, 1).Format("/agenda?day=2006-01-02"),
				"the day after",
			) + fmt.Sprintf(
				"<small>request %08x%04x by web%d</small>",
				n*2654435761%(1<<32),
				n*7919%65536,
				n%3,
			), ok &&
				u.Path == "/agenda"
	}
	return s
}

// archiveOfAnyMonth shares the folders of dated articles.
func archiveOfAnyMonth() *trapSite {
	s := &trapSite{
		name:     "archive of any month beside dated articles",
		layout:   "weblog",
		most:     600,
		unlisted: true,
		aside:    []widget{calendar, counter},
	}
	in := make(map[string][]int)
	for i := range 80 {
		r := draw("dated", i)
		month := date(2016, time.March, 1).AddDate(0, i/2, 0).Format("/2006/01/")
		s.articles = append(s.articles, fmt.Sprintf("%s%s-%s-%d", month, pick(r, adjectives), pick(r, nouns), i+1))
		in[month] = append(in[month], i)
	}
	s.around = func(u *url.URL, _ int64) string {
		month, err := time.Parse("/2006/01/", u.Path[:min(len(u.Path), len("/2006/01/"))])
		if err != nil {
			month = date(2019, time.June, 1)
		}
		return a(
			month.AddDate(0, -1, 0).Format("/2006/01/"),
			month.AddDate(0, -1, 0).Format("« January 2006"),
		) + " " + a(
			month.AddDate(0, 1, 0).Format("/2006/01/"),
			month.AddDate(0, 1, 0).Format("January 2006 »"),
		)
	}
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		month, err := time.Parse("/2006/01/", u.Path)
		if len(in[u.Path]) == 0 {
			return "Archive for " + month.Format("January 2006"), para("Nothing was posted."), err == nil
		}
		return "Archive for " + month.Format("January 2006"), s.list(n, in[u.Path]...), err == nil
	}
	return s
}

// pastCalendar goes back day by day, to before the web and before writing.
func pastCalendar() *trapSite {
	s := &trapSite{
		name:     "on this day",
		layout:   "nineties",
		most:     600,
		articles: articles(60, "/history/%d.html"),
		aside:    []widget{counter},
	}
	s.around = func(*url.URL, int64) string { return a(thisMonth().Format("/day/2006/1/2"), "This day") }
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		day, err := time.Parse("/day/2006/1/2", u.Path)
		return day.Format(
				"Monday, 2 January 2006",
			), para(
				fmt.Sprintf("This is day %d of the year, %s.", day.YearDay(), day.Format("Monday")),
			) + a(
				day.AddDate(0, 0, -1).Format("/day/2006/1/2"),
				"the day before",
			), err == nil
	}
	return s
}
