package corpora

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/runenames"
)

// catalogues list things: parts, books, jobs, characters, codes.
func catalogues() []Corpus {
	return []Corpus{
		{"unicode characters", 1500, characters},
		{"books by isbn", 1000, books},
		{"job offers", 900, jobs},
		{"part catalogue", 1600, parts},
		{"stories of a portal", 800, stories},
		{"error codes", 700, errorCodes},
		{"tcp ports", 1024, ports},
		{"withdrawn records", 1000, withdrawn},
		{"stock list by uuid", 900, stock},
		{"songs by token", 800, songs},
		{"crates of numbered drawers", 1200, drawers},
		{"expired classified advertisements", 900, classifieds},
		{"taxonomy in deep folders", 1000, taxonomy},
	}
}

// characters are those of Unicode, with their names.
func characters(pages int) *site {
	s := &site{
		name:   "Character finder",
		layout: "docs",
		intro:  para("Every character has a number."),
		menu:   []link{{"/blocks", "Blocks", ""}},
		back:   true,
		words:  labels{next: "next", prev: "previous", up: "characters"},
		index:  index{at: func(int) string { return "/char" }, form: inline},
		aside:  []widget{timing},
	}
	var codes []rune
	for c := rune(0xA1); len(codes) < pages; c++ {
		if name := runenames.Name(c); name == "" || strings.HasPrefix(name, "<") {
			continue
		}
		codes = append(codes, c)
		s.add(fmt.Sprintf("/char/U+%04X", c), fmt.Sprintf("U+%04X", c), func() string {
			return fmt.Sprintf(
				"<p class=\"glyph\">%c</p>",
				c,
			) + pairs(
				"Name",
				runenames.Name(c),
				"Decimal",
				strconv.Itoa(int(c)),
				"UTF-8",
				fmt.Sprintf("% X", string(c)),
			)
		})
	}
	s.index.shelf = func(i int) (string, string) {
		return fmt.Sprintf("/char/block?from=%X00", codes[i]>>8), fmt.Sprintf("%X00", codes[i]>>8)
	}
	return s
}

// isbn returns a number of thirteen digits with its check digit.
func isbn(n int) string {
	digits, sum := fmt.Sprintf("978%09d", n), 0
	for i, c := range digits {
		sum += int(c-'0') * (1 + 2*(i%2))
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}

func books(pages int) *site {
	s := &site{
		name:   "Antiquariat am Markt",
		lang:   "de",
		layout: "shop",
		intro:  para("Vergriffene Bücher."),
		menu:   []link{{"/agb", "AGB", ""}, {"/versand", "Versand", ""}},
		words:  labels{"Nächstes Buch", "", "Alle Bücher", "Start"},
		index: index{
			at:    numberedList("/buch/liste.php", "/buch/liste.php?seite=%d"),
			per:   25,
			form:  bullets,
			pager: numbered,
		},
		absent: soft,
		aside:  []widget{advert},
	}
	for i := range pages {
		r := draw("book", i)
		number, what := isbn(312_000_000+i*9137), title(pick(r, adjectives))+" "+title(pick(r, scenery))
		s.add("/buch/titel.php?isbn="+number, what, func() string {
			r := draw("book data", i)
			return pairs(
				"Autor",
				person(r),
				"Titel",
				what,
				"Jahr",
				strconv.Itoa(1950+r.IntN(60)),
				"Seiten",
				strconv.Itoa(80+r.IntN(500)),
				"ISBN",
				number,
				"Preis",
				fmt.Sprintf("%d,%02d EUR", 2+r.IntN(40), r.IntN(100)),
			)
		})
	}
	return s
}

// jobs have lists whose address says "all" for each thing that one may choose.
func jobs(pages int) *site {
	s := &site{
		name:   "Stellenmarkt",
		layout: "modern",
		intro:  para("Jobs in all regions."),
		menu:   []link{{"/employers", "For employers", ""}, {"/login", "Log in", ""}},
		words:  labels{next: "Next job", up: "All jobs"},
		index: index{
			at:   func(k int) string { return fmt.Sprintf("/jobs/all/all/all/%d", k+1) },
			per:  20,
			form: bullets,
		},
		absent: toFront,
		aside:  []widget{advert, timing},
	}
	trades := split(
		`Baker, Bookkeeper, Bricklayer, Carer, Carpenter, Clerk, Cook, Driver, Electrician, Engineer, Gardener, Glazier, Joiner,
		Librarian, Mechanic, Nurse, Optician, Painter, Plumber, Programmer, Roofer, Tailor, Teacher, Tiler, Welder`,
	)
	for i := range pages {
		r := draw("job", i)
		trade, town := pick(r, trades), pick(r, towns)
		s.add(
			fmt.Sprintf("/jobs/%s/%s/all/all?job=%d", url.PathEscape(strings.ToLower(town)), strings.ToLower(trade), 88_000+i),
			trade+" in "+town,
			func() string {
				r := draw("job text", i)
				return para(
					fmt.Sprintf(
						"%s (m/f/d) wanted in %s, %d hours a week, from %s.",
						trade,
						town,
						20+r.IntN(20),
						date(2026, 12, 1).AddDate(0, 0, r.IntN(200)).Format("2 January 2006"),
					),
					prose(r, 3),
				)
			},
		)
	}
	return s
}

func parts(pages int) *site {
	s := &site{
		name:   "Fasteners direct",
		layout: "shop",
		intro:  para("Screws, bolts and nuts from stock."),
		menu:   []link{{"/terms.php", "Terms", ""}, {"/dispatch.php", "Dispatch", ""}},
		back:   true,
		words:  labels{up: "Catalogue"},
		index: index{
			at:   offsetList("/list.php", "/list.php?start=%d", 40),
			per:  40,
			form: rows,
		},
		absent: open,
		step:   40,
		aside:  []widget{legal},
	}
	for i := range pages {
		kind := []string{"Hex bolt", "Hex nut", "Washer", "Wood screw", "Rivet"}[i%5]
		s.add(fmt.Sprintf("/item.php?num=%d", 40_000+i*5), fmt.Sprintf("%s %d", kind, 40_000+i*5), func() string {
			r := draw("part", i)
			return table(
				[]string{"Number", "Thread", "Length", "Price/100"},
				[]string{
					strconv.Itoa(40_000 + i*5),
					fmt.Sprintf("M%d", 2+r.IntN(18)),
					fmt.Sprintf("%d mm", 5*(1+r.IntN(30))),
					fmt.Sprintf("%.2f", 1+r.Float64()*90),
				},
			)
		})
	}
	return s
}

func stories(pages int) *site {
	s := &site{
		name:   "Nuked Cops Portal",
		layout: "nuke",
		intro:  para("News for our community."),
		menu:   []link{{"/modules.php?name=Downloads", "Downloads", ""}, {"/modules.php?name=Your_Account", "Your Account", ""}},
		back:   true,
		words: labels{
			next: "Next story",
			prev: "Previous story",
			up:   "Stories archive",
		},
		index:  index{at: func(int) string { return "/modules.php?name=Stories_Archive" }, form: bullets},
		absent: soft,
		aside:  []widget{online, timing, advert, calendar},
	}
	s.index.shelf = func(i int) (string, string) {
		return fmt.Sprintf(
				"/modules.php?name=Stories_Archive&sa=show_month&year=%d&month=%02d",
				2001+i/240,
				i/20%12+1,
			), fmt.Sprintf(
				"%02d/%d",
				i/20%12+1,
				2001+i/240,
			)
	}
	for i := range pages {
		r := draw("story", i)
		headline := sentence(r)
		s.add(fmt.Sprintf("/modules.php?sid=%d&op=viewtopic&name=News&mode=thread&order=0&thold=0", 12+i), headline, func() string {
			r := draw("story text", i)
			return para(
				fmt.Sprintf(
					"Posted by %s on %s (%d reads)",
					pick(r, firstNames),
					date(2001, 1, 1).AddDate(0, 0, i*3/2).Format("Monday, January 02"),
					r.IntN(4000),
				),
				prose(r, 2+r.IntN(4)),
			)
		})
	}
	return s
}

func errorCodes(pages int) *site {
	s := &site{
		name:   "System Error Reference",
		layout: "docs",
		intro:  para("HRESULT values."),
		words:  labels{next: "Next code", up: "Codes"},
		index:  index{at: func(int) string { return "/Errors" }, form: inline},
		absent: soft,
	}
	for i := range pages {
		code := fmt.Sprintf("0x8%03X%04X", 4+i/256, i%256*17)
		s.add("/Errors/"+code, code, func() string {
			r := draw("error", i)
			return pairs(
				"Value",
				code,
				"Decimal",
				strconv.Itoa(int(int32(0x80040000+i))),
				"Constant",
				"E_"+strings.ToUpper(pick(r, nouns)+"_"+pick(r, verbs)),
				"Facility",
				strconv.Itoa(4+i/256),
			)
		})
	}
	return s
}

// ports are nearly all unassigned, and their pages equal but for the number.
func ports(pages int) *site {
	known := map[int]string{
		7:   "echo",
		20:  "ftp-data",
		21:  "ftp",
		22:  "ssh",
		23:  "telnet",
		25:  "smtp",
		37:  "time",
		43:  "whois",
		53:  "domain",
		70:  "gopher",
		79:  "finger",
		80:  "http",
		88:  "kerberos",
		110: "pop3",
		111: "sunrpc",
		113: "auth",
		119: "nntp",
		123: "ntp",
		139: "netbios-ssn",
		143: "imap2",
		161: "snmp",
		179: "bgp",
		194: "irc",
		389: "ldap",
		443: "https",
		445: "microsoft-ds",
		465: "submissions",
		514: "shell",
		515: "printer",
		554: "rtsp",
		587: "submission",
		631: "ipp",
		636: "ldaps",
		873: "rsync",
		993: "imaps",
		995: "pop3s",
	}
	s := &site{
		name:   "Port database",
		layout: "terminal",
		intro:  para("What listens where?"),
		back:   true,
		words:  labels{next: "[+1]", prev: "[-1]", up: "[list]", home: "[top]"},
		index:  index{at: func(int) string { return "/ports/tcp/" }, form: bareNumbers},
		absent: broken,
	}
	for i := range pages {
		s.add(fmt.Sprintf("/ports/tcp/%d", i), fmt.Sprintf("%d/tcp", i), func() string {
			if name, ok := known[i]; ok {
				return pre(fmt.Sprintf("%s\t%d/tcp\n", name, i))
			}
			return pre(fmt.Sprintf("%d/tcp\tUnassigned\n", i))
		})
	}
	return s
}

// withdrawn has, in six of ten places, exact copies of one notice. In a chain the way goes
// through them.
func withdrawn(pages int) *site {
	s := &site{
		name:   "Register of companies",
		layout: "register",
		intro:  para("Entries by number."),
		menu:   []link{{"/fees", "Fees", ""}, {"/opening-hours", "Opening hours", ""}},
		words:  labels{next: "Next record", up: "All records"},
		index:  index{at: numberedList("/records", "/records?page=%d"), per: 100, form: bareNumbers},
		aside:  []widget{legal},
	}
	for i := range pages {
		gone := draw("withdrawn", i).IntN(10) < 6
		s.add(fmt.Sprintf("/records/%06d", 4100+i), fmt.Sprintf("Record %06d", 4100+i), func() string {
			if gone {
				return para("This record was withdrawn.")
			}
			r := draw("company", i)
			return pairs(
				"Firm",
				pick(r, surnames)+" & "+pick(r, surnames)+" Ltd",
				"Seat",
				pick(r, towns),
				"Trade",
				pick(r, nouns)+" makers",
				"Capital",
				strconv.Itoa(100*(1+r.IntN(900))),
			)
		})
		if gone {
			s.items[i].title = "Record withdrawn"
		}
	}
	return s
}

func uuid(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), 0x8000|r.IntN(1<<14), r.Uint64()>>16)
}

func stock(pages int) *site {
	s := &site{
		name:   "Warehouse",
		layout: "modern",
		intro:  para("Public stock list."),
		back:   true,
		words:  labels{up: "Stock"},
		index:  index{at: numberedList("/stock", "/stock?p=%d"), per: 50, form: rows},
		absent: soft,
		aside:  []widget{timing},
	}
	for i := range pages {
		s.add("/stock/"+uuid(draw("stock id", i)), fmt.Sprintf("Article %d", i+1), func() string {
			r := draw("stock", i)
			return table(
				[]string{"Shelf", "Bin", "On hand", "Reserved"},
				[]string{
					strconv.Itoa(1 + r.IntN(40)),
					strconv.Itoa(1 + r.IntN(99)),
					strconv.Itoa(r.IntN(5000)),
					strconv.Itoa(r.IntN(200)),
				},
			)
		})
	}
	return s
}

func songs(pages int) *site {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	s := &site{
		name:   "Schlagerparade",
		lang:   "de",
		layout: "portal",
		intro:  para("Die Hitparaden seit 1950."),
		words:  labels{"Nächster Titel", "", "Alle Titel", "Start"},
		index:  index{at: numberedList("/charts", "/charts/%d"), per: 40, form: rows},
		aside:  []widget{counter, advert},
	}
	for i := range pages {
		r := draw("song id", i)
		token := make([]byte, 11)
		for k := range token {
			token[k] = alphabet[r.IntN(len(alphabet))]
		}
		name := title(pick(r, scenery)) + " " + pick(r, []string{"blues", "tango", "waltz", "polka", "serenade", "boogie"})
		s.add("/watch?v="+string(token), name, func() string {
			r := draw("song", i)
			return pairs(
				"Interpret",
				person(r),
				"Jahr",
				strconv.Itoa(1950+i/20),
				"Platz",
				strconv.Itoa(i%20+1),
				"Wochen",
				strconv.Itoa(1+r.IntN(30)),
			)
		})
	}
	return s
}

// drawers are lists of numbered links and nothing else, and their contents.
func drawers(pages int) *site {
	s := &site{
		name:   "Kasten",
		layout: "bare",
		intro:  "<p>1-</p>",
		words:  labels{next: "+", up: "=", home: "0"},
		index: index{at: func(int) string { return "/k/" }, form: bareNumbers, shelf: func(i int) (string, string) {
			return fmt.Sprintf("/k/%d/", i/30+1), strconv.Itoa(i/30 + 1)
		}},
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/k/%d/%d", i/30+1, i%30+1),
			strconv.Itoa(i%30+1),
			func() string { return fmt.Sprintf("<b>%d</b>", draw("drawer", i).IntN(100_000)) },
		)
		s.items[i].title = "-"
	}
	return s
}

// classifieds are of few words each, and half of them have expired: those pages are equal but
// for the number.
func classifieds(pages int) *site {
	s := &site{
		name:   "Swap & Sell",
		layout: "weblog",
		intro:  para("Free small ads."),
		menu:   []link{{"/post-an-ad", "Post an ad", ""}},
		back:   true,
		words:  labels{next: "next ad", prev: "previous ad", up: "all ads"},
		index:  index{at: numberedList("/ads/", "/ads/page/%d/"), per: 30, form: bullets},
		absent: soft,
		aside:  []widget{advert, counter},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/ads/%d-ad.html", 500+i), fmt.Sprintf("Ad %d", 500+i), func() string {
			r := draw("ad", i)
			if r.IntN(2) == 0 {
				return para(fmt.Sprintf("Ad %d has expired.", 500+i))
			}
			return para(
				fmt.Sprintf(
					"%s %s, %s, £%d. Tel. %06d",
					title(pick(r, adjectives)),
					pick(r, nouns),
					pick(r, []string{"as new", "used", "for parts", "hardly used", "ONO"}),
					1+r.IntN(200),
					r.IntN(1e6),
				),
			)
		})
	}
	return s
}

// taxonomy is a tree of seven ranks and more, each a folder.
func taxonomy(pages int) *site {
	s := &site{
		name:   "Tree of beetles",
		layout: "terminal",
		intro:  para("A classification."),
		back:   true,
		words:  labels{next: "next taxon", prev: "previous taxon", up: "genus"},
		index:  index{at: func(int) string { return "/life" }, form: bullets},
	}
	ranks := []string{"eukaryota", "animalia", "arthropoda", "hexapoda", "insecta", "pterygota", "coleoptera", "polyphaga"}
	endings := []string{"oidea", "idae", "inae", "ini", "ina"}
	genus := func(i int) string {
		path := "/life/" + strings.Join(ranks, "/")
		for depth, ending := range endings {
			path += "/" + invented(uint64(i/8>>(8-2*depth))*2654435761+uint64(depth)) + ending
		}
		return fmt.Sprintf("%s/genus-%d", path, i/8+1)
	}
	for i := range pages {
		name := invented(draw("species", i).Uint64())
		s.add(fmt.Sprintf("%s/%s-%d", genus(i), name, i%8+1), title(name), func() string {
			r := draw("beetle", i)
			return pairs(
				"Author",
				fmt.Sprintf("%s, %d", pick(r, surnames), 1758+r.IntN(200)),
				"Length",
				fmt.Sprintf("%.1f mm", 1+r.Float64()*30),
			)
		})
	}
	s.index.shelf = func(i int) (string, string) { return genus(i), fmt.Sprintf("Genus %d", i/8+1) }
	return s
}
