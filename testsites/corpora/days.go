package corpora

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// days are the corpora that have a page for a day, an hour or an event.
func days() []Corpus {
	return []Corpus{
		{"oil prices by day", 1500, oilPrices},
		{"weather by day", 1200, weather},
		{"moon phases until 2100", 2000, moonPhases},
		{"tide tables of next year", 730, tides},
		{"tv schedule", 600, television},
		{"eclipses until 2100", 700, eclipses},
		{"river levels by hour", 1440, riverLevels},
	}
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func oilPrices(pages int) *site {
	s := &site{
		name:   "Spot prices of crude oil",
		layout: "portal",
		intro:  para("Dollars a barrel, by trading day."),
		menu:   []link{{"/method.php", "Method", ""}, {"/imprint.php", "Imprint", ""}},
		back:   true,
		words:  labels{next: "next day", prev: "day before", up: "all days"},
		index:  index{at: func(int) string { return "/prices.php" }, form: bullets, shelf: nil},
		absent: soft,
		aside:  []widget{timing},
	}
	price := 19.5
	for day := date(1996, time.January, 2); len(s.items) < pages; day = day.AddDate(0, 0, 1) {
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			continue
		}
		r := draw("oil", len(s.items))
		change := (r.Float64() - 0.495) * 0.9
		price = max(9.8, price+change)
		now := price
		s.add("/prices.php?date="+day.Format(time.DateOnly), day.Format("2 January 2006"), func() string {
			return table(
				[]string{"Grade", "Close", "Change"},
				[]string{"WTI", fmt.Sprintf("%.2f", now), fmt.Sprintf("%+.2f", change)},
				[]string{"Brent", fmt.Sprintf("%.2f", now-1.31), fmt.Sprintf("%+.2f", change*0.96)},
			)
		})
	}
	s.index.shelf = func(i int) (string, string) {
		month := s.items[i].path[len("/prices.php?date="):][:7]
		return "/prices.php?month=" + month, month
	}
	return s
}

func weather(pages int) *site {
	s := &site{
		name:   "Wetterstation Kahler Asten",
		lang:   "de",
		layout: "weblog",
		intro:  para("Messwerte seit 1950."),
		menu:   []link{{"/station/", "Die Station", ""}, {"/impressum/", "Impressum", ""}},
		back:   true,
		words:  labels{"Folgetag", "Vortag", "Archiv", "Start"},
		index:  index{at: func(int) string { return "/archiv/" }, form: inline},
		aside:  []widget{calendar, counter},
	}
	first := date(1950, time.May, 7)
	for i := range pages {
		day := first.AddDate(0, 0, i)
		s.add(day.Format("/2006/01/02/"), day.Format("02.01.2006"), func() string {
			r := draw("weather", i)
			mean := 6 - 9*math.Cos(float64(day.YearDay())/58) + r.NormFloat64()*3
			return table(
				nil,
				[]string{"Temperatur Mittel", fmt.Sprintf("%.1f °C", mean)},
				[]string{"Maximum", fmt.Sprintf("%.1f °C", mean+2+r.Float64()*5)},
				[]string{"Minimum", fmt.Sprintf("%.1f °C", mean-2-r.Float64()*5)},
				[]string{
					"Niederschlag",
					fmt.Sprintf("%.1f mm", max(0, r.NormFloat64()*6)),
				},
				[]string{"Luftdruck", fmt.Sprintf("%d hPa", 1013+r.IntN(40)-20)},
			)
		})
	}
	s.index.shelf = func(i int) (string, string) {
		day := first.AddDate(0, 0, i)
		return day.Format("/2006/01/"), day.Format("01/2006")
	}
	return s
}

func moonPhases(pages int) *site {
	s := &site{
		name:   "Phases of the Moon, 1979-2100",
		layout: "nineties",
		intro:  para("Computed for the meridian of Greenwich."),
		words:  labels{next: "following", up: "table", home: "start"},
		index:  index{at: numberedList("/moon.cgi", "/moon.cgi?page=%d"), per: 124, form: rows},
		aside:  []widget{counter},
	}
	names := []string{"New Moon", "First Quarter", "Full Moon", "Last Quarter"}
	for i := range pages {
		// Mean lunation; the first one counted fell on 6 January 2000.
		k := float64(i-347) * 0.75
		at := time.Date(2000, time.January, 6, 14, 20, 0, 0, time.UTC).Add(time.Duration(k * 29.530588861 * 24 * float64(time.Hour)))
		phase := names[((i-347)*3%4+4)%4]
		s.add(fmt.Sprintf("/moon.cgi?date=%s", at.Format("2006-01-02")), at.Format("2006 Jan 02"), func() string {
			return pre(
				fmt.Sprintf("%s\n%s UT\nJD %.4f\n", phase, at.Format("2006 January 02, 15:04"), float64(at.Unix())/86400+2440587.5),
			)
		})
	}
	return s
}

func tides(pages int) *site {
	next := time.Now().Year() + 1
	s := &site{
		name:   "Tide tables for the estuary",
		layout: "modern",
		intro:  para("Heights above chart datum. Not for navigation."),
		menu:   []link{{"/harbours", "Harbours", ""}, {"/terms", "Terms", ""}},
		back:   true,
		words: labels{
			next: "tomorrow",
			prev: "yesterday",
			up:   "Whole year",
		},
		index:  index{at: func(int) string { return "/tides" }, form: inline},
		absent: open,
		aside:  []widget{advert},
	}
	ports := []string{"North Pier", "Old Harbour"}
	for i := range pages {
		day, port := date(next, time.January, 1).AddDate(0, 0, i/2), ports[i%2]
		s.add(
			fmt.Sprintf("/tides/%s/%s", []string{"north-pier", "old-harbour"}[i%2], day.Format("2006-01-02")),
			port+", "+day.Format("Mon 2 Jan 2006"),
			func() string {
				var lines [][]string
				for k := range 4 {
					minute := int(float64(i/2)*50.4+float64(k)*372.6+float64(i%2)*17) % 1440
					lines = append(
						lines,
						[]string{
							[]string{"High", "Low"}[k%2],
							fmt.Sprintf("%02d:%02d", minute/60, minute%60),
							fmt.Sprintf("%.1f m", 3.4+1.9*math.Cos(math.Pi*float64(k))+0.7*math.Sin(float64(i)/29.5)),
						},
					)
				}
				return table([]string{"", "Time", "Height"}, lines...)
			},
		)
	}
	return s
}

func television(pages int) *site {
	s := &site{
		name:   "TV guide archive",
		layout: "shop",
		intro:  para("What was on, channel by channel."),
		menu:   []link{{"/help", "Help", ""}},
		back:   true,
		words:  labels{next: "Next day", prev: "Day before", up: "All days"},
		index:  index{at: numberedList("/guide", "/guide?p=%d"), per: 40, form: bullets},
		absent: toFront,
		aside:  []widget{advert},
	}
	shows := split(`News, Weather, The Garden Hour, Cookery Class, Quiz of the Week, Film, Sports Report, Parliament Today, Cartoon Time,
		Antiques, Late Concert, Landscape, Detective Story, Language Course, Repeat, Closedown`,
	)
	for i := range pages {
		day := date(1983, time.March, 1).AddDate(0, 0, i/3)
		s.add(
			fmt.Sprintf("/guide/channel-%d/%s.html", i%3+1, strings.ToLower(day.Format("02-Jan-2006"))),
			fmt.Sprintf("Channel %d, %s", i%3+1, day.Format("2 Jan 2006")),
			func() string {
				r := draw("tv", i)
				var lines [][]string
				for minute := 360 + r.IntN(90); minute < 1440; minute += 15 * (1 + r.IntN(8)) {
					lines = append(
						lines,
						[]string{fmt.Sprintf("%02d:%02d", minute/60, minute%60), pick(r, shows), "Episode " + strconv.Itoa(1+r.IntN(90))},
					)
				}
				return table(nil, lines...)
			},
		)
	}
	return s
}

func eclipses(pages int) *site {
	s := &site{
		name:   "Eclipse Explorer",
		layout: "docs",
		intro:  para("Solar and lunar eclipses, 1950 to 2100."),
		menu:   []link{{"/saros", "Saros", ""}},
		back:   true,
		words:  labels{next: "Next eclipse", prev: "Previous eclipse", up: "Table of eclipses"},
		index:  index{at: func(int) string { return "/eclipse" }, form: rows},
		aside:  []widget{timing},
	}
	for i := range pages {
		// There is a season of eclipses every 173.31 days, and two in each.
		at := date(1950, time.March, 18).Add(time.Duration((float64(i/2)*173.31*0.91 + float64(i%2)*14.77) * 24 * float64(time.Hour)))
		s.add("/eclipse/"+at.Format("2006-01-02"), at.Format("2006 Jan 02"), func() string {
			r := draw("eclipse", i)
			return pairs(
				"Kind",
				[]string{"solar", "lunar"}[i%2]+" "+pick(r, []string{"partial", "total", "annular", "penumbral"}),
				"Greatest",
				at.Format("15:04:05"),
				"Saros",
				strconv.Itoa(108+i%50),
				"Gamma",
				fmt.Sprintf("%.4f", r.Float64()*2-1),
				"Magnitude",
				fmt.Sprintf("%.3f", r.Float64()),
			)
		})
	}
	return s
}

// riverLevels has folders that repeat a number: 2011/11/11/11.
func riverLevels(pages int) *site {
	s := &site{
		name:   "Pegel",
		lang:   "de",
		layout: "bare",
		intro:  "<h1>Pegel</h1>",
		back:   true,
		words:  labels{"+1 h", "-1 h", "Tag", "Pegel"},
		index:  index{at: func(int) string { return "/pegel/" }, form: inline},
		absent: soft,
	}
	at := func(i int) time.Time { return date(2011, time.October, 20).Add(time.Duration(i) * time.Hour) }
	for i := range pages {
		s.add(at(i).Format("/pegel/2006/01/02/15"), at(i).Format("15"), func() string {
			return fmt.Sprintf(
				"<p>%s: %d cm</p>",
				at(i).Format("02.01.2006 15:04"),
				210+int(60*math.Sin(float64(i)/70))+draw("level", i).IntN(5),
			)
		})
	}
	s.index.shelf = func(i int) (string, string) { return at(i).Format("/pegel/2006/01/02/"), at(i).Format("02.01.2006") }
	return s
}
