package corpora

import (
	"fmt"
	"net/url"
	"strconv"
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

// at is a link to a day, week or month; the layout is that of its address.
func at(day time.Time, layout, text string) string { return a(day.Format(layout), text) + " " }

// The addresses of the calendar of a weblog.
const (
	eventsOfDay   = "/events/2006-01-02/"
	eventsOfWeek  = "/events/week/2006-01-02/"
	eventsOfMonth = "/events/2006-01/"
)

// weblogCalendar is that of a plug-in: months, weeks and days link to each other in both
// directions; the events of three months around today are found in it only.
func weblogCalendar() *trapSite {
	s := &trapSite{name: "calendar of a weblog", layout: "weblog", most: 2500, unlisted: true, aside: []widget{timing}}
	on := make(map[time.Time]int) // articles by their day
	for i := range 45 {
		on[thisMonth().AddDate(0, -1, i*2)] = i
		r := draw("event", i)
		s.articles = append(s.articles, fmt.Sprintf("/event/%s-%s-%d/", pick(r, adjectives), pick(r, scenery), i+1))
	}
	events := func(first time.Time, days int, n int64) string {
		var which []int
		for d := range days {
			if i, ok := on[first.AddDate(0, 0, d)]; ok {
				which = append(which, i)
			}
		}
		if len(which) == 0 {
			return para("There were no events found.")
		}
		return s.list(n, which...)
	}
	s.around = func(*url.URL, int64) string { return a("/events/", "Events") }
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		if day, err := time.Parse(eventsOfDay, u.Path); err == nil {
			return "Events for " + day.Format("January 2, 2006"),
				events(day, 1, n) + at(day.AddDate(0, 0, -1), eventsOfDay, "Previous day") +
					at(day.AddDate(0, 0, 1), eventsOfDay, "Next day") + a(with(u.Path, "ical", "1"), "Export events"), true
		}
		if week, err := time.Parse(eventsOfWeek, u.Path); err == nil {
			return "Week of " + week.Format("January 2"), events(week, 7, n) + at(week.AddDate(0, 0, -7), eventsOfWeek, "Previous week") +
				at(week.AddDate(0, 0, 7), eventsOfWeek, "Next week"), true
		}
		month, err := time.Parse(eventsOfMonth, u.Path)
		if u.Path == "/events/" {
			month, err = thisMonth(), nil
		}
		if err != nil {
			return "", "", false
		}
		before, after := month.AddDate(0, -1, 0), month.AddDate(0, 1, 0)
		body := events(month, after.AddDate(0, 0, -1).Day(), n)
		for day := month; day.Before(after); day = day.AddDate(0, 0, 1) {
			body += at(day, eventsOfDay, strconv.Itoa(day.Day()))
		}
		return "Events for " + month.Format("January 2006"), body + at(before, eventsOfMonth, before.Format("« January")) +
			at(after, eventsOfMonth, after.Format("January »")) + at(month, eventsOfWeek, "Week"), true
	}
	return s
}

// portalCalendar keeps all in parameters: tasks, year, month, day.
func portalCalendar() *trapSite {
	s := &trapSite{name: "calendar of a portal", layout: "portal", most: 1500, aside: []widget{online}}
	s.articles = articles(70, "/index.php?option=com_content&id=%d")
	to := func(task string, day time.Time, text string) string {
		return at(day, "/index.php?option=com_events&task="+task+"&Itemid=99&year=2006&month=01&day=02", text)
	}
	s.around = func(*url.URL, int64) string { return to("view_month", thisMonth(), "Events calendar") }
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		task := u.Query().Get("task")
		day := date(number(u, "year"), time.Month(number(u, "month")), number(u, "day"))
		if u.Query().Get("option") != "com_events" || day.Year() < 1 || day.Year() > 9999 {
			return "", "", false
		}
		steps := map[string][3]int{"view_year": {1, 0, 0}, "view_month": {0, 1, 0}, "view_week": {0, 0, 7}, "view_day": {0, 0, 1}}[task]
		body := para("No events for " + day.Format("January 2006") + ".")
		body += to(task, day.AddDate(-steps[0], -steps[1], -steps[2]), "Previous") +
			to(task, day.AddDate(steps[0], steps[1], steps[2]), "Next")
		for _, other := range []string{"view_year", "view_month", "view_week", "view_day", "view_search"} {
			body += to(other, day, other)
		}
		return "Events " + day.Format("January 2006"), body, true
	}
	return s
}

// requestCalendar has the number of the request on each page.
func requestCalendar() *trapSite {
	s := &trapSite{name: "calendar with the number of the request", layout: "modern", most: 900, aside: []widget{timing, advert}}
	s.articles = slugs(60, "/story/")
	const agenda = "/agenda?day=2006-01-02"
	s.around = func(*url.URL, int64) string { return at(thisMonth(), agenda, "Agenda") }
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		day, err := time.Parse(agenda, u.RequestURI())
		body := para("Nothing is planned for this day.") + at(day.AddDate(0, 0, 1), agenda, "the day after")
		body += fmt.Sprintf("<small>request %08x%04x by web%d</small>", n*2654435761%(1<<32), n*7919%65536, n%3)
		return "Agenda of " + day.Format("2 January 2006"), body, err == nil
	}
	return s
}

// archiveOfAnyMonth shares the folders of dated articles.
func archiveOfAnyMonth() *trapSite {
	s := &trapSite{name: "archive of any month beside dated articles", layout: "weblog", most: 600, unlisted: true}
	s.aside = []widget{calendar, counter}
	const folder = "/2006/01/"
	in := make(map[string][]int)
	for i := range 80 {
		r := draw("dated", i)
		month := date(2016, time.March, 1).AddDate(0, i/2, 0).Format(folder)
		s.articles = append(s.articles, fmt.Sprintf("%s%s-%s-%d", month, pick(r, adjectives), pick(r, nouns), i+1))
		in[month] = append(in[month], i)
	}
	s.around = func(u *url.URL, _ int64) string {
		month, err := time.Parse(folder, u.Path[:min(len(u.Path), len(folder))])
		if err != nil {
			month = date(2019, time.June, 1)
		}
		before, after := month.AddDate(0, -1, 0), month.AddDate(0, 1, 0)
		return at(before, folder, before.Format("« January 2006")) + at(after, folder, after.Format("January 2006 »"))
	}
	s.other = func(u *url.URL, n int64) (string, string, bool) {
		month, err := time.Parse(folder, u.Path)
		body := s.list(n, in[u.Path]...)
		if len(in[u.Path]) == 0 {
			body = para("Nothing was posted.")
		}
		return "Archive for " + month.Format("January 2006"), body, err == nil
	}
	return s
}

// pastCalendar goes back day by day, to before the web and before writing.
func pastCalendar() *trapSite {
	s := &trapSite{name: "on this day", layout: "nineties", most: 600, articles: articles(60, "/history/%d.html"), aside: []widget{counter}}
	const folder = "/day/2006/1/2"
	s.around = func(*url.URL, int64) string { return at(thisMonth(), folder, "This day") }
	s.other = func(u *url.URL, _ int64) (string, string, bool) {
		day, err := time.Parse(folder, u.Path)
		body := para(fmt.Sprintf("This is day %d of the year, %s.", day.YearDay(), day.Format("Monday")))
		return day.Format("Monday, 2 January 2006"), body + at(day.AddDate(0, 0, -1), folder, "the day before"), err == nil
	}
	return s
}
