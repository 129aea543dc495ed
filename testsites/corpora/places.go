package corpora

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // so that all machines have the same zones

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// places are registers of people, towns and lines.
func places() []Corpus {
	return []Corpus{
		{"clock changes of time zones", 1500, clockChanges},
		{"names of languages", 1600, languageNames},
		{"phone book", 1800, phoneBook},
		{"election precincts", 1000, precincts},
		{"parish register", 1400, parish},
		{"bus timetable", 1000, timetable},
		{"genealogy", 2000, genealogy},
		{"villages", 700, villages},
		{"dialling codes", 1750, diallingCodes},
		{"postal codes", 900, postalCodes},
		{"property sales", 800, propertySales},
		{"return fares", 870, fares},
		{"permits by long queries", 600, permits},
	}
}

// clockChanges are all of some fifty zones since 1950, from the tables of IANA.
func clockChanges(pages int) *site {
	s := &site{
		name:   "World clock changes",
		layout: "modern",
		intro:  para("When did clocks change?"),
		menu:   []link{{"/converter", "Converter", ""}, {"/about", "About us", ""}, {"/privacy", "Privacy", ""}},
		back:   true,
		words:  labels{next: "Next change", prev: "Change before", up: "All zones"},
		index:  index{at: func(int) string { return "/time/zones" }, form: bullets},
		absent: soft,
		aside:  []widget{advert, timing},
	}
	zones := split(`Europe/Berlin, Europe/London, America/New_York, Europe/Paris, Europe/Moscow, America/Chicago, America/Denver,
		America/Los_Angeles, Australia/Sydney, America/Sao_Paulo, America/Argentina/Buenos_Aires, Africa/Cairo, Asia/Tehran,
		Asia/Jerusalem, Asia/Amman, Europe/Lisbon, Europe/Istanbul, America/Havana, America/Santiago, Pacific/Auckland,
		America/Halifax, America/St_Johns, Europe/Rome, Europe/Madrid, Asia/Beirut`,
	)
	var names []string
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic(err) // they are in time/tzdata
		}
		at := time.Date(1950, time.January, 1, 0, 0, 0, 0, zone)
		for len(s.items) < pages && at.Year() < 2030 {
			_, at = at.ZoneBounds()
			if at.IsZero() {
				break
			}
			before, from := at.Add(-time.Second).Zone()
			after, to := at.Zone()
			moment := at
			names = append(names, name)
			s.add("/time/change/"+name+"?year="+at.Format("2006&month=1&day=2"), name+" "+at.Format("2 Jan 2006"), func() string {
				return pairs(
					"Zone",
					name,
					"Local time",
					moment.Format(time.DateTime),
					"UTC",
					moment.UTC().Format(time.DateTime),
					"From",
					fmt.Sprintf("%s (UTC%+.1f)", before, float64(from)/3600),
					"To",
					fmt.Sprintf("%s (UTC%+.1f)", after, float64(to)/3600),
				)
			})
		}
	}
	s.index.shelf = func(i int) (string, string) { return "/time/zone/" + names[i], names[i] }
	return s
}

// languageNames are names of languages in other languages, from CLDR: pages of a word or two.
func languageNames(pages int) *site {
	s := &site{
		name:   "Language names",
		layout: "bare",
		intro:  "<h1>Names</h1>",
		words:  labels{next: "»", up: "«", home: "⌂"},
		index:  index{at: func(int) string { return "/lang/" }, form: inline},
	}
	in := split(`en, de, fr, es, it, pt, nl, pl, cs, sv, fi, hu, ru, uk, bg, el, tr, he, ar, fa, hi, th, zh, ja, ko, vi, id, sw, is, ga,
		lv, et`,
	)
	of := split(`de, fr, es, it, pt, nl, pl, cs, sv, fi, hu, ru, uk, bg, el, tr, he, ar, fa, hi, th, zh, ja, ko, vi, id, sw, is, ga, lv,
		et, da, no, ro, sk, sl, hr, sr, mk, sq, ka, hy, az, kk, uz, mn, bn, ta, te, ml, kn, ur, ne, si, my, km, lo, am, zu, af,
		eu`,
	)
	for i := range pages {
		names := display.Languages(language.MustParse(in[i/len(of)%len(in)]))
		tag := of[i%len(of)]
		s.add(
			"/lang/"+in[i/len(of)%len(in)]+"/"+tag,
			in[i/len(of)%len(in)]+"-"+tag,
			func() string { return "<p>" + names.Name(language.MustParse(tag)) + "</p>" },
		)
	}
	s.index.shelf = func(i int) (string, string) { return "/lang/" + in[i/len(of)%len(in)], in[i/len(of)%len(in)] }
	return s
}

func address(r *rand.Rand) string {
	return fmt.Sprintf("%s %d, %s", pick(r, streets), 1+r.IntN(120), pick(r, towns))
}

func phoneBook(pages int) *site {
	s := &site{
		name:   "Telephone directory",
		layout: "portal",
		intro:  para("Subscribers by number of entry."),
		menu:   []link{{"/emergency", "Emergency numbers", ""}, {"/dialling-codes", "Dialling codes", ""}},
		words: labels{
			up: "Listing",
		},
		index:  index{at: numberedList("/directory", "/directory;page=%d"), per: 60, form: rows},
		absent: soft,
		aside:  []widget{advert},
	}
	for i := range pages {
		name := person(draw("phone", i))
		s.add(fmt.Sprintf("/directory/entry;id=%d;area=%04d", 100_000+i*3, 1422+i%7), name, func() string {
			r := draw("phone number", i)
			return pairs("Name", name, "Address", address(r), "Telephone", fmt.Sprintf("(%04d) %06d", 1422+i%7, r.IntN(1e6)))
		})
	}
	return s
}

func precincts(pages int) *site {
	s := &site{
		name:   "Official canvass",
		layout: "register",
		intro:  para("Votes cast, by precinct."),
		menu:   []link{{"/glossary", "Glossary", ""}, {"/accessibility", "Accessibility", ""}},
		back:   true,
		words:  labels{next: "Next precinct", prev: "Previous precinct", up: "Precincts"},
		index:  index{at: func(int) string { return "/canvass/2016/general" }, form: inline},
		absent: toFront,
		aside:  []widget{legal},
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/canvass/2016/general/%03d-%03d", i/40+1, i%40+1),
			fmt.Sprintf("Precinct %03d-%03d", i/40+1, i%40+1),
			func() string {
				r := draw("precinct", i)
				a, b, c := r.IntN(900), r.IntN(900), r.IntN(60)
				return table(
					[]string{"Candidate", "Votes"},
					[]string{"Abbott", strconv.Itoa(a)},
					[]string{"Barlow", strconv.Itoa(b)},
					[]string{"Write-in", strconv.Itoa(c)},
					[]string{"Total", strconv.Itoa(a + b + c)},
				)
			},
		)
	}
	return s
}

func parish(pages int) *site {
	s := &site{
		name:   "Parish registers of St Thomas",
		layout: "register",
		intro:  para("Baptisms from 1743, folio by folio."),
		menu:   []link{{"/vicars", "Vicars", ""}, {"/sources", "Sources", ""}},
		words: labels{
			next: "Following entry",
			up:   "Register",
		},
		index: index{at: func(int) string { return "/baptisms/" }, form: bullets, shelf: func(i int) (string, string) {
			return fmt.Sprintf("/baptisms/%d/", 1743+i/20), strconv.Itoa(1743 + i/20)
		}},
		aside: []widget{legal, timing},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/baptisms/%d/folio-%d", 1743+i/20, i%20+1), fmt.Sprintf("Folio %d, %d", i%20+1, 1743+i/20), func() string {
			r := draw("parish", i)
			father := pick(r, surnames)
			return para(
				fmt.Sprintf(
					"%s %d. %s, %s of %s %s, %s, and %s his wife.",
					pick(r, []string{"Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sep.", "Oct.", "Nov.", "Dec."}),
					1+r.IntN(28),
					pick(r, firstNames),
					pick(
						r,
						[]string{"son", "daughter"},
					),
					pick(r, firstNames),
					father,
					pick(r, []string{"weaver", "clothier", "farmer", "smith", "mason", "labourer", "innkeeper"}),
					pick(r, firstNames),
				),
			)
		})
	}
	return s
}

// timetable has a page for each combination of line, stop and kind of day: a grid that a trap
// of filters looks like.
func timetable(pages int) *site {
	s := &site{
		name:   "Stadtverkehr Fahrplan",
		lang:   "de",
		layout: "portal",
		intro:  para("Abfahrten je Linie und Haltestelle."),
		menu:   []link{{"/tarife", "Tarife", ""}, {"/kontakt", "Kontakt", ""}},
		back:   true,
		words:  labels{"weiter", "zurück", "Linien", "Start"},
		index:  index{at: func(int) string { return "/fahrplan" }, form: bullets},
		absent: soft,
		aside:  []widget{timing},
	}
	kinds := []string{"mo-fr", "sa", "so"}
	for i := range pages {
		line, stop, kind := i/75+1, i/3%25+1, kinds[i%3]
		s.add(
			fmt.Sprintf("/fahrplan?linie=%d&halt=%d&tag=%s", line, stop, kind),
			fmt.Sprintf("Linie %d, Halt %d, %s", line, stop, kind),
			func() string {
				var lines [][]string
				for hour := 5; hour < 24; hour++ {
					minutes := ""
					for m := (stop*2 + line*7) % (10 + 10*(i%3)); m < 60; m += 10 + 10*(i%3) {
						minutes += fmt.Sprintf("%02d ", m)
					}
					lines = append(lines, []string{fmt.Sprintf("%02d", hour), minutes})
				}
				return table(nil, lines...)
			},
		)
	}
	s.index.shelf = func(i int) (string, string) {
		return fmt.Sprintf("/fahrplan?linie=%d", i/75+1), fmt.Sprintf("Linie %d", i/75+1)
	}
	return s
}

func genealogy(pages int) *site {
	s := &site{
		name:   "The Sutcliffe family tree",
		layout: "nineties",
		intro:  para("Two thousand people in nine generations."),
		menu:   []link{{"/surnames.html", "Surnames", ""}, {"/mail.html", "Write to me", ""}},
		words: labels{
			next: "next person",
			up:   "everybody",
		},
		index: index{at: numberedList("/individuals.html", "/individuals%d.html"), per: 250, form: bullets, pager: numbered},
		aside: []widget{counter},
	}
	name := func(i int) string {
		r := draw("genealogy", i)
		return pick(r, firstNames) + " " + surnames[(i/40)%len(surnames)]
	}
	for i := range pages {
		s.add(fmt.Sprintf("/individual.php?pid=I%d&ged=sutcliffe.ged", i+1), name(i), func() string {
			r := draw("life", i)
			born := 1650 + i/7
			return pairs(
				"Born",
				fmt.Sprintf("ABT %d, %s", born, pick(r, towns)),
				"Died",
				fmt.Sprintf("%d, %s", born+r.IntN(90), pick(r, towns)),
				"Father",
				name(i/3),
				"Married",
				name(i/3+1),
			)
		})
	}
	return s
}

func villages(pages int) *site {
	s := &site{
		name:   "Ortsverzeichnis",
		lang:   "de",
		layout: "modern",
		intro:  para("Orte von A bis Z."),
		menu:   []link{{"/de/impressum", "Impressum", ""}},
		words:  labels{"Nächster Ort", "", "Alle Orte", "Start"},
		index:  index{at: numberedList("/de/de", "/de/de?seite=%d"), per: 70, form: bullets},
		absent: broken,
		aside:  []widget{timing},
	}
	for i := range pages {
		name := village(i)
		s.add("/de/de/"+url.PathEscape(strings.ToLower(name)), name, func() string {
			r := draw("village", i)
			return para(fmt.Sprintf("%s hat %d Einwohner und liegt %d m ü. NN.", name, 80+r.IntN(4000), 20+r.IntN(700)))
		})
	}
	return s
}

// village is one of 720 names.
func village(i int) string {
	heads, tails := split(
		`Alten, Birken, Buchen, Eichen, Erlen, Franken, Fuchs, Grün, Hasel, Hohen, Kirch, Lang, Linden, Mühl, Neuen, Ober, Rosen,
		Schön, Stein, Unter, Wald, Weiden, Wiesen, Wolfs`,
	),
		split(
			`au, bach, berg, born, brück, burg, dorf, feld, fels, furt, hagen, hain, hausen, heim, hof, holz, kirchen, reuth, rode,
		roda, see, stadt, stein, tal, thal, walde, weiler, werder, wies, zell`,
		)
	return heads[i/len(tails)%len(heads)] + tails[i%len(tails)]
}

// diallingCodes have four digits, most of those that a calendar far in the future has among them.
func diallingCodes(pages int) *site {
	s := &site{
		name:   "Ortsnetzkennzahlen",
		lang:   "de",
		layout: "register",
		words:  labels{"weiter", "", "alle Vorwahlen", "Start"},
		index:  index{at: numberedList("/vorwahl/", "/vorwahl/?seite=%d"), per: 50, form: bullets},
	}
	const first, last, step = 1201, 2951, 7 // real ones have gaps, too
	for i := range pages {
		code := first + step*i%(last-first) + step*i/(last-first)
		s.add(fmt.Sprintf("/vorwahl/49/%d", code), fmt.Sprintf("0%d", code), func() string {
			return para(fmt.Sprintf("0%d %s", code, village(code/9)))
		})
	}
	return s
}

func postalCodes(pages int) *site {
	s := &site{
		name:   "Find a postcode",
		layout: "shop",
		intro:  para("Delivery points by code."),
		menu:   []link{{"/business", "Business", ""}},
		words:  labels{up: "All codes"},
		index:  index{at: func(int) string { return "/pc/" }, form: bareNumbers},
		absent: soft,
		aside:  []widget{advert, legal},
	}
	for i := range pages {
		code := fmt.Sprintf("HX%d %d%c%c", 1+i/300, i/25%9+1, 'A'+i%25, "BDFHJLNPRSTU"[i/7%12])
		token := strings.TrimRight(base64.URLEncoding.EncodeToString(fmt.Appendf(nil, "pc:%s:%d", code, i)), "=")
		s.add("/pc/"+token, code, func() string {
			r := draw("postcode", i)
			return pairs("Code", code, "Street", pick(r, streets), "Delivery points", strconv.Itoa(1+r.IntN(60)))
		})
	}
	return s
}

func propertySales(pages int) *site {
	s := &site{
		name:   "Sold house prices",
		layout: "modern",
		intro:  para("From the land register."),
		back:   true,
		words:  labels{up: "All sales"},
		index: index{
			at:   offsetList("/sold", "/sold?index=%d&sort=date&type=all", 24),
			per:  24,
			form: rows,
		},
		absent: open,
		step:   24,
		aside:  []widget{advert, legal},
	}
	for i := range pages {
		id := strings.ToUpper(uuid(draw("uuid", i)))
		s.add("/sold/%7B"+id+"%7D", address(draw("house", i)), func() string {
			r := draw("sale", i)
			return table(
				[]string{"Date", "Price", "Tenure"},
				[]string{
					date(1995, 1, 1).AddDate(0, 0, r.IntN(9000)).Format(time.DateOnly),
					fmt.Sprintf("£%d,%03d", 40+r.IntN(400), r.IntN(1000)),
					pick(r, []string{"Freehold", "Leasehold"}),
				},
			)
		})
	}
	return s
}

// fares have addresses that repeat what they hold: from leeds to york, from york to leeds.
func fares(pages int) *site {
	s := &site{
		name:   "Cheap returns",
		layout: "shop",
		intro:  para("Fares there and back."),
		menu:   []link{{"/railcards", "Railcards", ""}},
		words:  labels{up: "From here"},
		index:  index{at: func(int) string { return "/fares/" }, form: inline},
		absent: toFront,
		aside:  []widget{advert},
	}
	slug := func(town string) string { return strings.ReplaceAll(strings.ToLower(town), " ", "-") }
	var from []string
	for _, a := range towns[:30] {
		for _, b := range towns[:30] {
			if a == b || len(from) == pages {
				continue
			}
			from = append(from, a)
			n := len(from)
			s.add(fmt.Sprintf("/fares/%s/%s/%[2]s/%[1]s", slug(a), slug(b)), a+" to "+b, func() string {
				r := draw("fare", n)
				return table(
					[]string{"Out", "Back", "Off-peak", "Anytime"},
					[]string{
						a + " " + b,
						b + " " + a,
						fmt.Sprintf("£%d.%d0", 3+r.IntN(30), r.IntN(10)),
						fmt.Sprintf("£%d.%d0", 9+r.IntN(60), r.IntN(10)),
					},
				)
			})
		}
	}
	s.index.shelf = func(i int) (string, string) { return "/fares/" + slug(from[i]), from[i] }
	return s
}

// permits have addresses with all that a form had, and a state of a hundred letters.
func permits(pages int) *site {
	s := &site{
		name:   "Planning register",
		layout: "register",
		intro:  para("Applications received."),
		words:  labels{next: "Next application", up: "Applications"},
		index: index{
			at:   offsetList("/Planning/Results.aspx", "/Planning/Results.aspx?first=%d&dir=asc&type=&ward=&status=ALL", 40),
			per:  40,
			form: rows,
		},
		absent: broken,
		aside:  []widget{legal, timing},
	}
	for i := range pages {
		r := draw("permit state", i)
		state := make([]byte, 75)
		for k := range state {
			state[k] = byte(r.IntN(256))
		}
		reference := fmt.Sprintf("%02d/%05d/FUL", 3+i/100, i%100*7+11)
		s.add(
			fmt.Sprintf(
				"/Planning/Details.aspx?ref=%s&ward=&parish=&type=FUL&status=ALL&from=&to=&agent=&sort=received&dir=asc&view=%s",
				url.QueryEscape(reference),
				url.QueryEscape(base64.StdEncoding.EncodeToString(state)),
			),
			reference,
			func() string {
				r := draw("permit", i)
				return pairs(
					"Reference",
					reference,
					"Site",
					address(r),
					"Proposal",
					pick(r, []string{"Extension", "Conservatory", "Dropped kerb", "Change of use", "Two dwellings", "Felling of a tree"}),
					"Decision",
					pick(r, []string{"Granted", "Refused", "Pending", "Withdrawn"}),
				)
			},
		)
	}
	return s
}
