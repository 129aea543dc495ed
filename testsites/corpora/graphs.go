package corpora

import (
	"fmt"
	"strings"
)

// graphs are sites of which each page leads to several others, so that at first they grow faster than
// anybody can read them.
func graphs() []Corpus {
	return []Corpus{
		{"wiki with pages yet to be written", 1500, wikiToWrite},
		{"ancestors, two of each", 1500, ancestors},
		{"mosses by folders", 1300, mosses},
		{"directory of links by categories", 900, linkDirectory},
		{"adventure in numbered sections", 700, adventure},
		{"spare parts with suggestions", 1200, spareParts},
		{"phrase book of twelve languages", 1200, phraseBook},
	}
}

// wikiToWrite answers for each page that nobody wrote with an invitation to write it.
func wikiToWrite(pages int) *site {
	s := &site{
		name: "Village Wiki", layout: "docs", intro: para("Everybody may write here."),
		menu: []link{{"/wiki/Help", "Help", ""}}, words: labels{up: "All pages"},
		index: index{at: numberedList("/wiki/AllPages", "/wiki/AllPages?page=%d"), per: 200, form: bullets}, absent: toWrite,
	}
	names := make([]string, pages)
	for i := range names {
		names[i] = strings.ReplaceAll(title(nouns[i%len(nouns)])+title(scenery[i/len(nouns)%len(scenery)]), " ", "")
	}
	for i, name := range names {
		s.add("/wiki/"+name, name, func() string {
			r := draw("village wiki", i)
			var b strings.Builder
			for range 6 {
				to := names[r.IntN(pages)]
				b.WriteString("<p>" + sentence(r) + " See " + a("/wiki/"+to, to) + ".</p>\n")
			}
			return b.String()
		})
	}
	return s
}

// ancestors are numbered as genealogists do: the parents of n are 2n and 2n+1.
func ancestors(pages int) *site {
	s := &site{
		name: "Ahnentafel Zimmermann", lang: "de", layout: "nineties", intro: para("Die Vorfahren von Theodor Zimmermann."),
		words: labels{"weiter", "zurück", "Alle Personen", "Start"},
		index: index{at: numberedList("/ahnen/liste.html", "/ahnen/liste%d.html"), per: 100, form: rows}, aside: []widget{counter},
	}
	for i := range pages {
		r := draw("ahnen", i)
		s.add(fmt.Sprintf("/ahnen/%d.html", i+1), person(r), func() string {
			body := pairs("geboren", fmt.Sprint(1960-30*len(fmt.Sprintf("%b", i+1))+r.IntN(9), " in ", pick(r, towns)))
			for _, parent := range []int{2*i + 2, 2*i + 3} {
				if parent <= pages {
					body += a(fmt.Sprintf("/ahnen/%d.html", parent), "Elternteil") + " "
				}
			}
			return body
		})
	}
	return s
}

// folderTree gives n folders below a first one, each with so many in it.
func folderTree(n, children int, name func(i int) string) []string {
	folders := make([]string, n)
	for i := range folders {
		if i == 0 {
			folders[i] = name(i)
			continue
		}
		folders[i] = folders[(i-1)/children] + "/" + name(i)
	}
	return folders
}

// subfolders is the markup of links from one folder of a tree.
func subfolders(folders []string, i, children int, at func(folder string) string) string {
	var b strings.Builder
	for k := children*i + 1; k <= children*i+children && k < len(folders); k++ {
		b.WriteString("<li>" + a(at(folders[k]), folders[k][strings.LastIndexByte(folders[k], '/')+1:]) + "</li>\n")
	}
	return "<ul>\n" + b.String() + "</ul>\n"
}

func mosses(pages int) *site {
	s := &site{
		name: "Tree of mosses", layout: "modern", intro: para("From the kingdom to the species."), absent: soft,
		index: index{at: numberedList("/taxa", "/taxa?page=%d"), per: 250, form: inline}, aside: []widget{legal},
	}
	folders := folderTree(pages, 3, func(i int) string { return invented(uint64(i)*2654435761+99) + "ales" })
	at := func(folder string) string { return "/" + folder + "/" }
	for i, folder := range folders {
		s.add(at(folder), folder[strings.LastIndexByte(folder, '/')+1:], func() string {
			return pairs("Rank", fmt.Sprint(strings.Count(folder, "/")+1), "Specimens", fmt.Sprint(i*7919%90)) +
				subfolders(folders, i, 3, at)
		})
	}
	return s
}

func linkDirectory(pages int) *site {
	s := &site{
		name: "Yonder Directory", layout: "portal", intro: para("The web, sorted by hand."), absent: toFront,
		index: index{at: numberedList("/new.cgi", "/new.cgi?start=%d"), per: 90, form: bullets}, aside: []widget{advert, online},
	}
	folders := folderTree(pages, 2, func(i int) string {
		return strings.ReplaceAll(title(nouns[i*31%len(nouns)]), " ", "_") + fmt.Sprint("_", i%7)
	})
	at := func(folder string) string { return "/dir/" + folder + "/index.html" }
	for i, folder := range folders {
		s.add(at(folder), folder, func() string {
			r := draw("yonder", i)
			return para(person(r)+": "+sentence(r), person(r)+": "+sentence(r)) + subfolders(folders, i, 2, at)
		})
	}
	return s
}

// adventure lets the reader choose between sections of a story.
func adventure(pages int) *site {
	s := &site{
		name: "The Weir of Oxenhope", layout: "bare", intro: para("You choose."), absent: broken,
		index: index{at: func(int) string { return "/sections.html" }, form: bareNumbers},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/section-%d.html", i+1), fmt.Sprint(i+1), func() string {
			r := draw("adventure", i)
			body := para(prose(r, 3))
			for range 3 {
				to := r.IntN(pages) + 1
				body += "<p>If the " + pick(r, nouns) + " " + pick(r, verbs) + ", turn to " +
					a(fmt.Sprintf("/section-%d.html", to), fmt.Sprint(to)) + ".</p>"
			}
			return body
		})
	}
	return s
}

// spareParts names parts that there are, for each that there is not.
func spareParts(pages int) *site {
	s := &site{
		name: "Parts for old tractors", layout: "shop", intro: para("We have it."), absent: suggests,
		index: index{at: numberedList("/parts/", "/parts/?page=%d"), per: 60, form: thumbs}, aside: []widget{timing},
	}
	at := func(i int) string {
		return "/parts/" + strings.ReplaceAll(adjectives[i%len(adjectives)]+"-"+nouns[i/len(adjectives)%len(nouns)], " ", "-")
	}
	for i := range pages {
		s.add(at(i), strings.TrimPrefix(at(i), "/parts/"), func() string {
			r := draw("tractors", i)
			body := pairs("Price", fmt.Sprint(r.IntN(900), ".", r.IntN(90)+10), "Weight", fmt.Sprint(r.IntN(40), " kg")) +
				"<p>Fits together with "
			for range 4 {
				body += a(at(r.IntN(pages)), "this") + " "
			}
			return body + "</p>"
		})
	}
	return s
}

// phraseBook has each phrase in each language, and links to the other ones.
func phraseBook(pages int) *site {
	languages := split("cs, da, de, en, es, fi, fr, it, nl, pl, pt, sv")
	s := &site{
		name: "Phrases", layout: "weblog", intro: para("Say it abroad."), absent: notFound,
		index: index{at: numberedList("/phrases", "/phrases/%d"), per: 120, form: inline},
	}
	at := func(i int, language string) string {
		return "/" + language + "/say/" + strings.ReplaceAll(verbs[i%len(verbs)]+"-"+nouns[i/len(verbs)%len(nouns)], " ", "-")
	}
	for n := range pages {
		i := n / len(languages)
		s.add(at(i, languages[n%len(languages)]), languages[n%len(languages)]+" "+verbs[i%len(verbs)], func() string {
			r := draw("phrases", n)
			body := para(invented(r.Uint64()) + " " + invented(r.Uint64()) + " " + invented(r.Uint64()))
			for k, language := range languages {
				if n-n%len(languages)+k < pages {
					body += a(at(i, language), language) + " "
				}
			}
			return body
		})
	}
	return s
}
