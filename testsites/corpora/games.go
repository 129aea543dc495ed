package corpora

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// games are results of sports, draws and games.
func games() []Corpus {
	return []Corpus{
		{"football results", 1520, football},
		{"lottery draws", 1500, lottery},
		{"horse races", 900, races},
		{"chess openings", 1500, openings},
	}
}

func football(pages int) *site {
	teams := split(
		`Albion, Borough, City, County, Dynamo, Eagles, Forest, Grange, Harriers, Imperial, Jubilee, Kings, Locomotive, Mariners,
		Norwood, Orient, Park, Quarry, Rovers, Swifts`,
	)
	s := &site{
		name:   "League archive",
		layout: "portal",
		back:   true,
		intro:  para("All matches of four seasons."),
		menu:   []link{{"/about", "About", ""}, {"/records", "Records", ""}},
		words: labels{
			next: "next match",
			prev: "previous match",
			up:   "Fixtures",
		},
		index: index{at: func(int) string { return "/results/" }, form: bullets},
		aside: []widget{timing, online},
	}
	week := func(i int) (string, string) {
		year := 1993 + i/380
		return fmt.Sprintf(
				"/results/%d-%02d/week-%d",
				year,
				(year+1)%100,
				i%380/10+1,
			), fmt.Sprintf(
				"%d/%02d week %d",
				year,
				(year+1)%100,
				i%380/10+1,
			)
	}
	s.index.shelf = week
	for i := range pages {
		path, _ := week(i)
		// A round robin by the circle method: one team stays, the others turn.
		round, match := i%380/10, i%10
		place := func(k int) string {
			if k == 0 {
				return teams[19]
			}
			return teams[(k+round)%19]
		}
		home, away := place(match), place(19-match)
		if round >= 19 || match == 0 && round%2 == 1 {
			home, away = away, home
		}
		s.add(fmt.Sprintf("%s/match-%d", path, match+1), home+" v "+away, func() string {
			r := draw("football", i)
			a, b := r.IntN(4), r.IntN(3)
			return fmt.Sprintf(
				"<p class=\"score\">%s <b>%d:%d</b> %s</p><p>Half time %d:%d. Attendance %d.</p>",
				home,
				a,
				b,
				away,
				r.IntN(a+1),
				r.IntN(b+1),
				4000+r.IntN(30_000),
			)
		})
	}
	return s
}

func lottery(pages int) *site {
	s := &site{
		name:   "Lotto 6 aus 49",
		lang:   "de",
		layout: "modern",
		intro:  para("Alle Ziehungen seit 1955. Alle Angaben ohne Gewähr."),
		menu:   []link{{"/regeln", "Spielregeln", ""}, {"/datenschutz", "Datenschutz", ""}},
		words: labels{
			"Nächste Ziehung",
			"Vorige Ziehung",
			"Alle Ziehungen",
			"Start",
		},
		index:  index{at: func(int) string { return "/draws" }, form: bareNumbers},
		absent: soft,
		aside:  []widget{advert, legal},
	}
	first := date(1955, time.October, 9)
	for i := range pages {
		s.add(fmt.Sprintf("/draw/%d", i+1), fmt.Sprintf("Ziehung %d", i+1), func() string {
			r := draw("lottery", i)
			balls := r.Perm(49)[:7]
			slices.Sort(balls[:6])
			var b strings.Builder
			for _, n := range balls[:6] {
				fmt.Fprintf(&b, "<span class=\"ball\">%d</span> ", n+1)
			}
			return fmt.Sprintf(
				"<p>%s</p><p>%s <span class=\"extra\">%d</span></p>",
				first.AddDate(0, 0, 7*i).Format("02.01.2006"),
				b.String(),
				balls[6]+1,
			)
		})
	}
	return s
}

func races(pages int) *site {
	s := &site{
		name:   "Turf results",
		layout: "nuke",
		intro:  para("Results of flat races."),
		menu:   []link{{"/modules.php?name=Rules", "Rules", ""}, {"/modules.php?name=Links", "Links", ""}},
		back:   true,
		words: labels{
			next: "Next race",
			prev: "Previous race",
			up:   "Race list",
		},
		index:  index{at: offsetList("/modules.php?name=Races", "/modules.php?name=Races&min=%d", 30), per: 30, form: bullets},
		absent: soft,
		aside:  []widget{online, timing, advert},
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/modules.php?name=Races&op=show&rid=%d", 3000+i),
			fmt.Sprintf("Race %d at %s", 3000+i, towns[i/6%12]),
			func() string {
				r := draw("race", i)
				var lines [][]string
				for place := range 6 + r.IntN(5) {
					lines = append(
						lines,
						[]string{
							strconv.Itoa(place + 1),
							title(pick(r, adjectives[:20])) + " " + title(pick(r, scenery[:25])),
							fmt.Sprintf("%d-%d", 8+r.IntN(2), r.IntN(14)),
							fmt.Sprintf("%d/1", 2+r.IntN(30)),
						},
					)
				}
				return para(
					fmt.Sprintf("%d furlongs, going %s", 5+r.IntN(9), pick(r, []string{"firm", "good", "soft", "heavy"})),
				) + table(
					[]string{"Pl", "Horse", "Wt", "SP"},
					lines...)
			},
		)
	}
	return s
}

func openings(pages int) *site {
	s := &site{
		name:   "Opening Explorer",
		layout: "docs",
		intro:  para("Lines by code."),
		menu:   []link{{"/notation", "Notation", ""}},
		back:   true,
		words:  labels{next: "Next line", prev: "Previous line", up: "Codes"},
		index: index{at: func(int) string { return "/eco" }, form: inline, shelf: func(i int) (string, string) {
			return fmt.Sprintf("/eco/%c%02d", "ABCDE"[i/3/100%5], i/3%100), fmt.Sprintf("%c%02d", "ABCDE"[i/3/100%5], i/3%100)
		}},
	}
	white := split("e4, d4, Nf3, c4, Nc3, Bb5, Bc4, O-O, d3, Re1, c3, h3, Bg5, e3, Qc2, Be2, a3, Bf4, g3, Bg2")
	black := split("e5, c5, e6, Nf6, d5, Nc6, d6, a6, Be7, O-O, b5, Bb7, g6, Bg7, h6, Qc7, Bd6, c6, Nbd7, Re8")
	for i := range pages {
		code := fmt.Sprintf("%c%02d", "ABCDE"[i/3/100%5], i/3%100)
		s.add(fmt.Sprintf("/eco/%s/%d", code, i%3+1), fmt.Sprintf("%s (%d)", code, i%3+1), func() string {
			r := draw("opening", i)
			var b strings.Builder
			w, k := r.Perm(len(white)), r.Perm(len(black))
			for move := range 5 + r.IntN(6) {
				fmt.Fprintf(&b, "%d. %s %s ", move+1, white[w[move]], black[k[move]])
			}
			return "<p class=\"moves\">" + b.String() + fmt.Sprintf("</p><p>+%d =%d -%d</p>", r.IntN(900), r.IntN(900), r.IntN(900))
		})
	}
	return s
}
