package corpora

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding/japanese"
)

// Packaged returns corpora of open data that testdata/tools.sh unpacked below dir.
func Packaged(dir string) ([]Corpus, error) {
	if _, err := os.Stat(filepath.Join(dir, "complete")); err != nil {
		return nil, fmt.Errorf("corpora: no data in %s (%w); run testsites/corpora/testdata/tools.sh %[1]s", dir, err)
	}
	var list []Corpus
	for _, p := range []struct {
		name  string
		pages int
		read  func(dir string) (*site, error)
	}{
		{"makers of network cards", 1500, makers},
		{"languages of the world", 2000, languages},
		{"provinces", 1800, provinces},
		{"kanji", 2000, kanji},
		{"japanese words", 1500, japaneseWords},
		{"sayings", 1600, sayings},
		{"sayings in german", 1000, germanSayings},
		{"openings by code", 2000, ecoLines},
		{"airports", 500, airports},
		{"pci devices", 1800, devices},
		{"jargon", 1200, jargon},
	} {
		s, err := p.read(dir)
		if err != nil {
			return nil, fmt.Errorf("corpora: %s: %w", p.name, err)
		}
		list = append(list, Corpus{p.name, min(p.pages, len(s.items)), func(pages int) *site {
			c := *s
			c.items = slices.Clone(s.items[:pages])
			return &c
		}})
	}
	return list, nil
}

// records splits a file, unpacked and freed of an encoding where need be.
func records(dir, name, separator string, eucJP bool) ([]string, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".dz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, err
		}
	}
	if eucJP {
		r = japanese.EUCJP.NewDecoder().Reader(r)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(b), separator), nil
}

func makers(dir string) (*site, error) {
	s := &site{
		name:   "Registration authority",
		layout: "register",
		intro:  para("Assignments, by prefix."),
		menu:   []link{{"/faqs", "FAQs", ""}},
		words:  labels{up: "All assignments"},
		index:  index{at: offsetList("/oui", "/oui?skip=%d", 50), per: 50, form: rows},
		absent: soft,
		aside:  []widget{timing},
	}
	f, err := os.Open(filepath.Join(dir, "usr/share/ieee-data/oui.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, l := range lines[1:min(len(lines), 1600)] {
		if seen[l[1]] {
			continue
		}
		seen[l[1]] = true
		s.add(
			"/oui/"+l[1][:2]+"-"+l[1][2:4]+"-"+l[1][4:],
			l[1],
			func() string { return pairs("Prefix", l[1], "Organisation", l[2], "Address", l[3]) },
		)
	}
	return s, nil
}

// isoCodes reads the list of a standard.
func isoCodes(dir, standard string) ([]map[string]string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "usr/share/iso-codes/json/iso_"+standard+".json"))
	if err != nil {
		return nil, err
	}
	var lists map[string][]map[string]string
	if err := json.Unmarshal(b, &lists); err != nil {
		return nil, err
	}
	return lists[standard], nil
}

func languages(dir string) (*site, error) {
	s := &site{
		name:   "Code tables",
		layout: "nineties",
		intro:  para("Three letters for each language."),
		back:   true,
		words:  labels{next: "next code", prev: "previous code", up: "table"},
		index:  index{at: numberedList("/codes.asp", "/codes.asp?page=%d"), per: 200, form: inline},
		absent: soft,
		aside:  []widget{counter},
	}
	list, err := isoCodes(dir, "639-3")
	for _, l := range list {
		s.add("/codes.asp?iso="+l["alpha_3"], l["alpha_3"], func() string {
			return pairs("Code", l["alpha_3"], "Name", l["name"], "Scope", l["scope"], "Type", l["type"])
		})
	}
	return s, err
}

func provinces(dir string) (*site, error) {
	s := &site{
		name:   "Subdivisions of countries",
		layout: "docs",
		intro:  para("By country."),
		words:  labels{up: "country"},
		index:  index{at: func(int) string { return "/iso" }, form: inline},
		absent: toFront,
	}
	list, err := isoCodes(dir, "3166-2")
	slices.SortFunc(list, func(a, b map[string]string) int { return strings.Compare(a["code"], b["code"]) })
	for _, l := range list {
		s.add(
			"/iso/"+strings.Replace(l["code"], "-", "/", 1),
			l["code"],
			func() string { return pairs("Name", l["name"], "Kind", l["type"]) },
		)
	}
	s.index.shelf = func(i int) (string, string) { return "/iso/" + list[i]["code"][:2], list[i]["code"][:2] }
	return s, err
}

func kanji(dir string) (*site, error) {
	s := &site{
		name:   "漢字辞典",
		lang:   "ja",
		layout: "asia",
		intro:  para("常用漢字など。"),
		back:   true,
		words:  labels{"次の漢字", "前の漢字", "索引", "トップ"},
		index:  index{per: 300, form: inline},
	}
	contents := "/" + url.PathEscape("索引")
	s.index.at = func(k int) string { return fmt.Sprintf("%s?p=%d", contents, k+1) }
	lines, err := records(dir, "usr/share/edict/kanjidic", "\n", true)
	if err != nil {
		return nil, err
	}
	for _, l := range lines[1:] {
		sign, rest, ok := strings.Cut(l, " ")
		if !ok || len(s.items) == 2000 {
			continue
		}
		s.add("/"+url.PathEscape("漢字")+"/"+url.PathEscape(sign), sign, func() string {
			var readings []string
			for f := range strings.FieldsSeq(rest) {
				if f[0] > 127 {
					readings = append(readings, f)
				}
			}
			return "<p>" + sign + "</p>" + para(strings.Join(readings, "、"))
		})
	}
	return s, nil
}

// japaneseWords is served in EUC-JP.
func japaneseWords(dir string) (*site, error) {
	s := &site{
		name:        "単語帳",
		lang:        "ja",
		layout:      "portal",
		intro:       para("英和・和英"),
		words:       labels{"次の単語", "", "一覧", "トップ"},
		index:       index{at: offsetList("/tango.cgi", "/tango.cgi?from=%d", 100), per: 100, form: rows},
		absent:      open,
		step:        100,
		charset:     japanese.EUCJP,
		charsetName: "euc-jp",
		aside:       []widget{counter},
	}
	lines, err := records(dir, "usr/share/edict/edict", "\n", true)
	if err != nil {
		return nil, err
	}
	for i := 100; i < len(lines) && len(s.items) < 1500; i += 97 {
		word, meaning, ok := strings.Cut(lines[i], " ")
		if !ok {
			continue
		}
		s.add(
			fmt.Sprintf("/tango.cgi?no=%05d", i),
			word,
			func() string { return para(word, strings.ReplaceAll(strings.Trim(meaning, "/"), "/", "; ")) },
		)
	}
	return s, nil
}

// cookies reads files of sayings.
func cookies(s *site, dir, prefix string, most int, files ...string) error {
	var of []string
	for _, name := range files {
		list, err := records(dir, "usr/share/games/fortunes/"+name, "\n%\n", false)
		if err != nil {
			return err
		}
		name = strings.TrimSuffix(filepath.Base(name), ".u8")
		for i, text := range list {
			if len(s.items) < most && strings.TrimSpace(text) != "" {
				of = append(of, name)
				s.add(fmt.Sprintf("%s%s/%d", prefix, name, i+1), fmt.Sprintf("%s %d", name, i+1), func() string { return pre(text) })
			}
		}
	}
	s.index.shelf = func(i int) (string, string) { return prefix + of[i] + "/", of[i] }
	return nil
}

func sayings(dir string) (*site, error) {
	s := &site{
		name:   "Sayings",
		layout: "weblog",
		intro:  para("Picked by hand."),
		back:   true,
		words:  labels{up: "More of these"},
		index:  index{at: func(int) string { return "/sayings/" }, form: bareNumbers},
		aside:  []widget{calendar, counter},
	}
	return s, cookies(s, dir, "/sayings/", 1600, "art", "computers", "education", "food", "kids", "law")
}

func germanSayings(dir string) (*site, error) {
	s := &site{
		name:   "Sprüche",
		lang:   "de",
		layout: "bare",
		intro:  "<h1>Sprüche</h1>",
		words:  labels{"weiter", "zurück", "alle", "Anfang"},
		index:  index{at: func(int) string { return "/s/" }, form: bareNumbers},
	}
	return s, cookies(s, dir, "/s/", 1000, "de/anekdoten.u8", "de/bahnhof.u8", "de/sprichworte.u8", "de/witze.u8")
}

var ecoLine = regexp.MustCompile(`^([A-E]\d\d)[a-z]?\d? "([^"]+)"\s+([^*]+)\*`)

func ecoLines(dir string) (*site, error) {
	s := &site{
		name:   "Chess openings",
		layout: "modern",
		intro:  para("From A00 to E99."),
		back:   true,
		words:  labels{next: "Next variation", prev: "Previous variation", up: "Code"},
		index:  index{at: func(int) string { return "/openings" }, form: inline},
		aside:  []widget{advert},
	}
	lines, err := records(dir, "usr/share/scid/data/scid.eco", "\n", false)
	if err != nil {
		return nil, err
	}
	var codes []string
	n := make(map[string]int)
	for _, l := range lines {
		m := ecoLine.FindStringSubmatch(l)
		if m == nil || len(codes) == 2000 || len(codes) > 0 && codes[len(codes)-1] != m[1] && n[m[1]] > 0 {
			continue
		}
		codes = append(codes, m[1])
		n[m[1]]++
		s.add(fmt.Sprintf("/openings/%s/%d", m[1], n[m[1]]), m[2], func() string { return para(m[3]) })
	}
	s.index.shelf = func(i int) (string, string) { return "/openings/" + codes[i], codes[i] }
	return s, nil
}

func airports(dir string) (*site, error) {
	s := &site{
		name:   "Airport finder",
		layout: "shop",
		intro:  para("Three letters for each airport."),
		words:  labels{up: "All airports"},
		index:  index{at: func(int) string { return "/airports" }, form: rows},
		absent: soft,
		aside:  []widget{advert},
	}
	lines, err := records(dir, "usr/share/misc/airport.gz", "\n", false)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		f := strings.Split(l, ":")
		if len(f) < 5 || len(f[0]) != 3 {
			continue
		}
		s.add(
			"/airports/"+f[0]+"?lang=en",
			f[0],
			func() string { return pairs("Code", f[0], "Name", f[1], "Country", f[2], "City", f[4]) },
		)
	}
	return s, nil
}

func devices(dir string) (*site, error) {
	s := &site{
		name:   "Device repository",
		layout: "portal",
		intro:  para("Vendors and their devices."),
		words:  labels{up: "Vendor"},
		index:  index{at: func(int) string { return "/read/PC" }, form: bullets},
		absent: soft,
		aside:  []widget{timing},
	}
	lines, err := records(dir, "usr/share/misc/pci.ids", "\n", false)
	if err != nil {
		return nil, err
	}
	vendor, maker := "", ""
	var of []string
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "#") || strings.HasPrefix(l, "\t\t") || len(l) < 8 || len(s.items) == 1800:
		case l[0] != '\t':
			vendor, maker = l[:4], strings.TrimSpace(l[4:])
		default:
			vendor, maker, id := vendor, maker, l[1:5]
			of = append(of, vendor)
			s.add("/read/PC/"+vendor+"/"+id, id, func() string { return pairs("Vendor", maker, "Device", strings.TrimSpace(l[5:])) })
		}
	}
	s.index.shelf = func(i int) (string, string) { return "/read/PC/" + of[i], of[i] }
	return s, nil
}

func jargon(dir string) (*site, error) {
	s := &site{
		name:   "Dictionary of jargon",
		layout: "docs",
		intro:  para("Words of hackers."),
		back:   true,
		words:  labels{up: "Words"},
		index:  index{at: func(int) string { return "/html/go01.html" }, form: inline},
	}
	entries, err := records(dir, "usr/share/dictd/jargon.dict.dz", "\n\n", false)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		word, text, ok := strings.Cut(e, "\n")
		if !ok || word == "" || word[0] == ' ' || len(s.items) == 1200 {
			continue
		}
		s.add(fmt.Sprintf("/html/%c/%d.html", 'A'+i%26, i), word, func() string { return pre(text) })
	}
	return s, nil
}
