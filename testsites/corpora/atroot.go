package corpora

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// atRoot are sites that keep lists and pages in one folder, or all in one script.
func atRoot() []Corpus {
	return []Corpus{
		{"colours at the root", 1000, colours},
		{"whois in the front page's query", 1016, whois},
		{"aircraft registrations", 1100, aircraft},
		{"albums of one script", 900, albums},
		{"playlists by the hour", 1200, playlists},
		{"museum inventory", 800, inventory},
		{"russian proverbs", 700, proverbs},
	}
}

// colours differ in six digits, and are where their lists are.
func colours(pages int) *site {
	s := &site{
		name: "Colours", layout: "modern", intro: para("Every colour of the web."), back: true,
		words:  labels{next: "Next colour", prev: "Previous colour", up: "Palette"},
		index:  index{at: func(k int) string { return fmt.Sprintf("/?page=%d", k+1) }, per: 64, form: thumbs},
		absent: soft, aside: []widget{advert},
	}
	for i := range pages {
		red, green, blue := i%10*28, i/10%10*28, i/100%10*28
		code := fmt.Sprintf("%02x%02x%02x", red, green, blue)
		s.add("/"+code, "#"+code, func() string {
			return fmt.Sprintf(
				`<div style="background:#%s;height:200px"></div>`,
				code,
			) + pairs(
				"Hex",
				"#"+code,
				"RGB",
				fmt.Sprintf("%d, %d, %d", red, green, blue),
			)
		})
	}
	return s
}

func whois(pages int) *site {
	s := &site{
		name: "whois gateway", layout: "terminal", intro: pre("usage: /?ip=ADDRESS"),
		words:  labels{next: "next address", up: "network"},
		absent: soft, aside: []widget{timing},
		index: index{at: func(int) string { return "/?list=networks" }, form: inline, shelf: func(i int) (string, string) {
			return fmt.Sprintf("/?net=198.51.%d.0", i/254), fmt.Sprintf("198.51.%d.0/24", i/254)
		}},
	}
	for i := range pages {
		ip := fmt.Sprintf("198.51.%d.%d", i/254, i%254+1)
		s.add("/?ip="+ip, ip, func() string {
			return pre(fmt.Sprintf("inetnum: %s\nnetname: EXAMPLE-%d\nstatus: ASSIGNED PA\nsource: TEST\n", ip, i/16))
		})
	}
	return s
}

func aircraft(pages int) *site {
	s := &site{
		name: "Register of aircraft", layout: "weblog", intro: para("By registration."), back: true,
		words: labels{next: "Next", prev: "Previous", up: "Register"},
		index: index{at: func(k int) string { return fmt.Sprintf("/page/%d/", k+1) }, per: 50, form: bullets}, absent: toFront,
		aside: []widget{counter, calendar},
	}
	for i := range pages {
		mark := fmt.Sprintf("D-E%c%c%c", 'A'+i/625%25, 'A'+i/25%25, 'A'+i%25)
		s.add("/"+mark, mark, func() string {
			r := draw("aircraft", i)
			return pairs(
				"Mark",
				mark,
				"Type",
				pick(r, []string{"C172", "PA28", "DR40", "DV20", "C152"}),
				"Serial",
				strconv.Itoa(1700+r.IntN(80_000)),
				"Built",
				strconv.Itoa(1950+r.IntN(70)),
			)
		})
	}
	return s
}

// albums show their pictures, whose pages have no words, by one script.
func albums(pages int) *site {
	s := &site{
		name: "Family pictures", layout: "nuke", intro: para("All albums."), back: true, words: labels{next: "»", prev: "«", up: "Album"},
		index: index{at: func(int) string { return "/index.php?cat=0" }, form: thumbs, shelf: func(i int) (string, string) {
			return fmt.Sprintf("/index.php?album=%d", i/45+1), ""
		}},
		aside: []widget{online, timing}, absent: soft,
	}
	for i := range pages {
		s.add(fmt.Sprintf("/index.php?album=%d&pos=%d", i/45+1, i%45), "", func() string {
			return fmt.Sprintf(`<img src="albums/userpics/10001/normal_IMG_%04d.jpg" border="0" alt="">`, 1200+i)
		})
	}
	return s
}

func playlists(pages int) *site {
	s := &site{
		name: "Radio playlists", layout: "portal", intro: para("What we played."), back: true,
		words: labels{next: "next hour", prev: "hour before", up: "day"}, absent: open, aside: []widget{timing},
		index: index{at: func(int) string { return "/playlist/" }, form: bullets},
	}
	at := func(i int) time.Time { return date(2024, time.February, 1).Add(time.Duration(i) * time.Hour) }
	for i := range pages {
		s.add(at(i).Format("/playlist/2006/month/1/day/2/hour/15"), at(i).Format("2 January 2006, 15:00"), func() string {
			r := draw("playlist", i)
			var lines [][]string
			for minute := r.IntN(4); minute < 60; minute += 3 + r.IntN(4) {
				song := draw("hit", r.IntN(120)) // a station has few
				lines = append(
					lines,
					[]string{fmt.Sprintf(":%02d", minute), person(song), title(pick(song, adjectives)) + " " + pick(song, scenery)},
				)
			}
			return table(nil, lines...)
		})
	}
	s.index.shelf = func(i int) (string, string) {
		return at(i).Format("/playlist/2006/month/1/day/2"), at(i).Format("2 January 2006")
	}
	return s
}

func inventory(pages int) *site {
	s := &site{
		name: "Museum of trades", layout: "docs", intro: para("Objects by number of inventory."),
		words: labels{next: "Next object", up: "Objects"},
		index: index{at: offsetList("/object", "/object?from=%d", 40), per: 40, form: rows}, aside: []widget{timing},
	}
	for i := range pages {
		number := fmt.Sprintf("%d.%d.%d-%c", 1950+i/20, i%20/4+1, i%4+1, 'a'+i%3)
		s.add("/object/"+number, number, func() string {
			r := draw("object", i)
			return para(
				title(pick(r, nouns)),
				fmt.Sprintf(
					"%s, %d x %d cm. Not on display.",
					pick(r, []string{"Oak", "Brass", "Iron", "Wool", "Paper"}),
					2+r.IntN(90),
					2+r.IntN(90),
				),
			)
		})
	}
	return s
}

// proverbs are in windows-1251.
func proverbs(pages int) *site {
	s := &site{
		name: "Пословицы", lang: "ru", layout: "nineties", intro: para("Народная мудрость."),
		words:  labels{"дальше", "назад", "список", "начало"},
		index:  index{at: numberedList("/posl/index.shtml", "/posl/index%d.shtml"), per: 100, form: bareNumbers},
		absent: notFound, charset: charmap.Windows1251, charsetName: "windows-1251", aside: []widget{counter},
	}
	heads := split(
		"Тише едешь, Без труда, Старый друг, Доброе слово, Утро вечера, " +
			"Семь раз, Глаза боятся, Терпение и труд, Первый блин, Чужая душа",
	)
	middles := split(
		"не вынешь, лучше новых, мудренее, отмерь, а руки делают, " +
			"всё перетрут, комом, потёмки, и кошке приятно, дальше будешь",
	)
	tails := split("говорят в деревне, учил дед, сказано давно, " +
		"да не всегда, так и знай, вот и весь сказ, не спорь")
	for i := range pages {
		s.add(fmt.Sprintf("/posl/%d.shtml", i+1), strconv.Itoa(i+1), func() string {
			return para(strings.Join([]string{heads[i%10], middles[i/10%10], tails[i/100%7]}, ", ") + ".")
		})
	}
	return s
}
