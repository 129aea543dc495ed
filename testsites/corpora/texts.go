package corpora

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// texts are of words: poems, dictionaries, recipes, messages.
func texts() []Corpus {
	return append([]Corpus{
		{"haiku", 900, haiku},
		{"wiki with plus signs", 900, wiki},
		{"dictionary of one word a page", 1500, dictionary},
		{"recipes", 700, recipes},
		{"commits", 1200, commits},
		{"changelog by version", 600, changelog},
		{"mailing list", 1000, mailingList},
		{"chess games", 800, chessGames},
		{"fortunes", 800, fortunes},
		{"statute book", 900, statutes},
		{"verses", 1300, verses},
	}, append(asia(), fromGo()...)...)
}

func haiku(pages int) *site {
	s := &site{
		name:   "Seventeen syllables",
		layout: "weblog",
		intro:  para("A poem a day."),
		menu:   []link{{"/about/", "About", ""}},
		back:   true,
		words:  labels{next: "Newer", prev: "Older", up: "All poems"},
		index:  index{at: numberedList("/poems/", "/poems/page/%d/"), per: 50, form: bullets},
		aside:  []widget{calendar},
	}
	for i := range pages {
		r := draw("haiku", i)
		a, b, c := pick(r, adjectives), pick(r, scenery), pick(r, scenery)
		s.add(fmt.Sprintf("/poems/%s-%s-%s-%d/", a, b, c, i+1), a+" "+b, func() string {
			r := draw("haiku lines", i)
			return fmt.Sprintf(
				"<p>%s %s<br>the %s %s %s<br>%s %s</p>",
				a,
				b,
				pick(r, scenery),
				pick(r, verbs),
				pick(r, whereabouts),
				c,
				pick(r, verbs),
			)
		})
	}
	return s
}

// wiki has titles with plus signs for spaces, in the path.
func wiki(pages int) *site {
	s := &site{
		name:   "County Wiki",
		layout: "portal",
		intro:  para("Places and people of the county."),
		menu:   []link{{"/wiki/Help", "Help", ""}, {"/wiki/Community+Portal", "Community portal", ""}},
		words:  labels{next: "Next article", up: "All pages"},
		index: index{
			at:   numberedList("/wiki/All+Pages", "/wiki/All+Pages?from=%d"),
			per:  150,
			form: inline,
		},
		absent: soft,
		aside:  []widget{timing, counter},
	}
	for i := range pages {
		town, street := towns[i%len(towns)], streets[i/len(towns)%len(streets)]
		name := town + " " + street
		s.add("/wiki/"+strings.ReplaceAll(name, " ", "+"), name, func() string {
			r := draw("wiki", i)
			return para(fmt.Sprintf("%s is a street in %s. It has %d houses.", street, town, 4+r.IntN(90)), prose(r, r.IntN(3)))
		})
	}
	return s
}

// dictionary has pages of one word, named by pages of one word.
func dictionary(pages int) *site {
	s := &site{
		name:   "Wörter",
		lang:   "de",
		layout: "bare",
		intro:  "<h1>Wörter</h1>",
		words:  labels{next: "weiter", prev: "zurück", up: "Liste", home: "Anfang"},
		index:  index{at: func(int) string { return "/w/" }, form: inline},
		back:   true,
	}
	heads := split(`Abend, Apfel, Berg, Blumen, Brot, Brücken, Dach, Eisen, Feder, Feld, Fenster, Feuer, Garten, Glas, Gold, Hafen, Hand,
		Haus, Himmel, Holz, Kirsch, Korn, Küchen, Licht, Markt, Meer, Milch, Mond, Morgen, Nacht, Nuss, Öl, Papier, Regen, Salz,
		Schnee, Sommer, Stein, Stern, Wasser`,
	)
	tails := split(`bank, baum, blatt, boot, brett, bild, duft, farbe, faden, gasse, glanz, griff, grund, haken, halle, kanne, karte,
		kasten, korb, kraft, krug, laden, latte, messer, mühle, netz, platz, rad, rand, ring, saal, schale, schrank, seite,
		stück, tisch, topf, tür, weg, zeit`,
	)
	for i := range pages {
		word := heads[i/len(tails)%len(heads)] + tails[i%len(tails)]
		s.add("/w/"+url.PathEscape(word), word, func() string { return "" })
	}
	return s
}

func recipes(pages int) *site {
	s := &site{
		name:   "Grandmother's kitchen",
		layout: "modern",
		intro:  para("Plain cooking."),
		menu:   []link{{"/contact-us", "Contact us", ""}, {"/newsletter", "Newsletter", ""}},
		words:  labels{next: "Next recipe", up: "All recipes"},
		index: index{
			at:    numberedList("/recipes", "/recipes?page=%d"),
			per:   24,
			form:  thumbs,
			pager: numbered,
		},
		absent: notFound,
		aside:  []widget{advert},
	}
	foods, ways := split(
		`apple, barley, bean, beetroot, cabbage, carrot, celery, cheese, chestnut, chicken, cod, egg, gooseberry, ham, herring,
		kale, leek, lentil, mushroom, mutton, nettle, oat, onion, parsnip, pea, pear, plum, pork, potato, pumpkin, rhubarb,
		spinach, trout, turnip`,
	), split(
		`bake, broth, casserole, crumble, dumplings, fritters, hotpot, loaf, mash, pancakes, pickle, pie, pudding, relish, roast,
		salad, soup, stew, tart, turnover`,
	)
	for i := range pages {
		name := fmt.Sprintf("%s and %s %s", title(foods[i%len(foods)]), foods[(i*7+3)%len(foods)], ways[i/len(foods)%len(ways)])
		s.add(fmt.Sprintf("/recipes/%s-%d", strings.ReplaceAll(strings.ToLower(name), " ", "-"), i+1), name, func() string {
			r := draw("recipe", i)
			return pairs(
				"Serves",
				strconv.Itoa(2+r.IntN(7)),
				"Oven",
				fmt.Sprintf("%d °C", 150+10*r.IntN(9)),
				"Time",
				fmt.Sprintf("%d minutes", 15+5*r.IntN(20)),
				"You need",
				fmt.Sprintf(
					"%d g %s, %d g %s, %d g butter, salt",
					50*(1+r.IntN(20)),
					foods[i%len(foods)],
					50*(1+r.IntN(10)),
					foods[(i*7+3)%len(foods)],
					10*(1+r.IntN(12)),
				),
			)
		})
	}
	return s
}

// digest returns the hex digits of a commit.
func digest(facet string, i int) string {
	r := draw(facet, i)
	b := make([]byte, 20)
	for k := range b {
		b[k] = byte(r.IntN(256))
	}
	return hex.EncodeToString(b)
}

func commits(pages int) *site {
	s := &site{
		name:   "brickwork.git",
		layout: "terminal",
		intro:  pre("Unnamed repository; edit this file 'description' to name the repository."),
		words:  labels{next: "[parent]", up: "[log]", home: "[summary]"},
		index:  index{at: offsetList("/brickwork.git/log/", "/brickwork.git/log/?ofs=%d", 50), per: 50, form: rows},
		absent: soft,
	}
	for i := range pages {
		id := digest("commit", i)
		message := fmt.Sprintf(
			"%s: %s the %s",
			pick(draw("scope", i), nouns),
			pick(draw("verb", i), split("fix, drop, rename, move, test, document, split, revert, speed up, guard")),
			pick(draw("what", i), nouns),
		)
		s.add("/brickwork.git/commit/?id="+id, message, func() string {
			r := draw("diff", i)
			return pre(
				fmt.Sprintf(
					"commit %s\nauthor  %s\ndate    %s\n\n%s\n\n@@ -%d,%d +%d,%d @@\n-\t%s := %d\n+\t%s := %d\n",
					id,
					person(r),
					date(2026, 6, 1).Add(-time.Duration(i)*7*time.Hour).Format(time.DateTime),
					message,
					r.IntN(400),
					r.IntN(9),
					r.IntN(400),
					r.IntN(9),
					pick(r, nouns),
					r.IntN(99),
					pick(r, nouns),
					r.IntN(99),
				),
			)
		})
	}
	return s
}

func changelog(pages int) *site {
	s := &site{
		name:   "Release notes",
		layout: "docs",
		intro:  para("What changed in which version."),
		back:   true,
		words:  labels{next: "Older", prev: "Newer", up: "Versions"},
		index:  index{at: func(int) string { return "/releases" }, form: bullets},
	}
	for i := range pages {
		version := fmt.Sprintf("%d.%d.%d", 12-i/50, 9-i/5%10, 4-i%5)
		s.add("/releases/"+version, version, func() string {
			r := draw("release", i)
			text := []string{"Bug fixes."}
			if r.IntN(3) == 0 {
				text = append(text, fmt.Sprintf("The %s %s now.", pick(r, nouns), pick(r, verbs)))
			}
			return para(text...)
		})
	}
	return s
}

func mailingList(pages int) *site {
	s := &site{
		name:   "The Bellringers Archives",
		layout: "terminal",
		intro:  para("Messages by month."),
		back:   true,
		words:  labels{next: "Next message", prev: "Previous message", up: "[ thread ]"},
		index:  index{at: func(int) string { return "/pipermail/bellringers/" }, form: bullets},
	}
	at := func(i int) time.Time { return date(2003, 5, 1).Add(time.Duration(i) * 31 * time.Hour) }
	s.index.shelf = func(i int) (string, string) {
		return at(i).Format("/pipermail/bellringers/2006-January/thread.html"), at(i).Format("January 2006")
	}
	for i := range pages {
		subject := "[Bells] Re: " + title(pick(draw("subject", i/6), adjectives)) + " " + pick(draw("subject", i/6+9999), nouns)
		s.add(at(i).Format("/pipermail/bellringers/2006-January/")+fmt.Sprintf("%06d.html", 120+i), subject, func() string {
			r := draw("mail", i)
			return para(
				person(r)+" "+at(i).Format(time.RFC1123),
				[]string{"+1", "Me too.", "Thanks!", prose(r, 2), prose(r, 3), "No."}[r.IntN(6)],
			)
		})
	}
	return s
}

func chessGames(pages int) *site {
	s := &site{
		name:   "Club games",
		layout: "nineties",
		intro:  para("Played in our club since 1950."),
		back:   true,
		words:  labels{next: "next game", prev: "previous game", up: "games"},
		index:  index{at: numberedList("/games/index.html", "/games/index%d.html"), per: 100, form: rows},
		aside:  []widget{counter},
	}
	members := surnames[:14]
	for i := range pages {
		white, black := members[i%14], members[(i*5+1)%14]
		result := []string{"1-0", "0-1", "1/2-1/2"}[draw("result", i).IntN(3)]
		s.add(fmt.Sprintf("/games/%04d.html", i+1), white+" - "+black, func() string {
			r := draw("pgn", i)
			var b strings.Builder
			fmt.Fprintf(
				&b,
				"[White \"%s\"]\n[Black \"%s\"]\n[Date \"%s\"]\n[Result \"%s\"]\n\n",
				white,
				black,
				date(1950, 1, 1).AddDate(0, 0, i*11).Format("2006.01.02"),
				result,
			)
			for move := range 20 + r.IntN(30) {
				fmt.Fprintf(
					&b,
					"%d. %s%c%d %s%c%d ",
					move+1,
					pick(r, []string{"", "N", "B", "R", "Q", "K"}),
					'a'+r.IntN(8),
					1+r.IntN(8),
					pick(r, []string{"", "N", "B", "R", "Q", "K"}),
					'a'+r.IntN(8),
					1+r.IntN(8),
				)
			}
			return pre(b.String() + result)
		})
	}
	return s
}

// fortunes share each of 120 sayings among several pages, which are exact copies but for their links.
func fortunes(pages int) *site {
	s := &site{
		name:   "Fortune cookies",
		layout: "modern",
		intro:  para("Take one."),
		words:  labels{next: "Another one", up: "Jar"},
		index:  index{at: func(int) string { return "/fortune.php" }, form: bareNumbers},
		absent: toFront,
		aside:  []widget{advert},
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/fortune.php?q=%d", i+1),
			fmt.Sprintf("Cookie %d", i+1),
			func() string { return para(sentence(draw("fortune", i*i%120))) },
		)
		s.items[i].title = "Cookie"
	}
	return s
}

func statutes(pages int) *site {
	s := &site{
		name:   "Landesgesetze",
		lang:   "de",
		layout: "register",
		intro:  para("Gesetze, Paragraph für Paragraph."),
		menu:   []link{{"/hinweise.html", "Hinweise", ""}},
		back:   true,
		words:  labels{"nicht amtliches Inhaltsverzeichnis weiter", "zurück", "Inhalt", "Start"},
		absent: notFound,
		aside:  []widget{timing},
		index: index{at: func(int) string { return "/gesetze/" }, form: inline, shelf: func(i int) (string, string) {
			return fmt.Sprintf("/gesetze/lg_%d/", i/90+1), fmt.Sprintf("Landesgesetz %d", i/90+1)
		}},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/gesetze/lg_%d/__%d.html", i/90+1, i%90+1), fmt.Sprintf("§ %d", i%90+1), func() string {
			r := draw("statute", i)
			if r.IntN(4) == 0 {
				return para("(weggefallen)")
			}
			return para(
				fmt.Sprintf(
					"Die Vorschriften der §§ %d bis %d gelten entsprechend. § %d Abs. %d bleibt unberührt.",
					1+r.IntN(40),
					41+r.IntN(40),
					1+r.IntN(90),
					1+r.IntN(5),
				),
			)
		})
	}
	return s
}

func verses(pages int) *site {
	s := &site{
		name:   "The Book of Days",
		layout: "bare",
		intro:  "<h1>The Book of Days</h1>",
		back:   true,
		words:  labels{next: "»", prev: "«", up: "§", home: "¶"},
		absent: broken,
		index: index{
			at:    func(int) string { return "/b/" },
			form:  bareNumbers,
			shelf: func(i int) (string, string) { return fmt.Sprintf("/b/%d", i/26+1), strconv.Itoa(i/26 + 1) },
		},
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/b/%d/%d", i/26+1, i%26+1),
			fmt.Sprintf("%d:%d", i/26+1, i%26+1),
			func() string { return para(verse(draw("verse", i))) },
		)
	}
	return s
}

func verse(r *rand.Rand) string {
	return fmt.Sprintf(
		"And the %s %s, and the %s %s %s.",
		pick(r, scenery),
		pick(r, verbs),
		pick(r, scenery),
		pick(r, verbs),
		pick(r, whereabouts),
	)
}
