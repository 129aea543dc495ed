package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jimsmart/grobotstxt"
	"github.com/temoto/robotstxt"
)

func rules(file string) *Robots { return ParseRobots(200, []byte(file), time.Time{}) }

// decision is one line of testdata/robots_decisions.txt.
type decision struct {
	file, agent, url string
	may              bool // the reference
	differs          bool // we decide the other way
}

func decisions(t testing.TB) []decision {
	t.Helper()
	text, err := os.ReadFile("testdata/robots_decisions.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nfile\n")
	var all []decision
	for _, section := range strings.Split(rest, "\nfile\n") {
		file, lines, ok := strings.Cut("\n"+section, "\nend\n")
		if !ok {
			t.Fatalf("no end: %s", section)
		}
		for _, line := range strings.Split(lines, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			d := decision{file: strings.TrimPrefix(file, "\n") + "\n"}
			line, d.differs = strings.CutPrefix(line, "differs ")
			verb, line, _ := strings.Cut(line, " ")
			i := strings.LastIndexByte(line, ' ')
			d.may, d.agent, d.url = verb == "may", strings.Trim(line[:i], `"`), strings.Trim(line[i+1:], `"`)
			if verb != "may" && verb != "not" {
				t.Fatalf("neither may nor not: %s", verb)
			}
			all = append(all, d)
		}
	}
	// Lines are cut off after 16,663 bytes.
	long := func(c string) string { return "/n/" + strings.Repeat(c, 2083*8) }
	a, b := long("a")[:2083*8-len("allow: ")-2], long("b")[:2083*8-len("allow: ")-2]
	cut := "user-agent: Otter\ndisallow: " + long("a")[:2083*8-len("disallow: ")-2] + "/eel\n"
	open := "user-agent: Otter\ndisallow: /\nallow: " + a + "/eel\nallow: " + b + "/eel\n"
	return append(all,
		decision{file: cut, agent: "Otter", url: "http://pond.example/mud", may: true},
		decision{file: cut, agent: "Otter", url: "http://pond.example" + long("a")[:2083*8-len("disallow: ")-2] + "/mud"},
		decision{file: open, agent: "Otter", url: "http://pond.example/"},
		decision{file: open, agent: "Otter", url: "http://pond.example" + a + "/eel", may: true},
		decision{file: open, agent: "Otter", url: "http://pond.example" + b + "/mud", may: true})
}

func TestDecisionsOfTheReference(t *testing.T) {
	t.Parallel()
	all := decisions(t)
	agree := 0
	for _, d := range all {
		got := rules(d.file).Allowed(d.agent, d.url)
		if got == d.may {
			agree++
		}
		if got != (d.may != d.differs) {
			t.Errorf("%q may fetch %.100q: %v, by\n%.300s", d.agent, d.url, got, d.file)
		}
	}
	t.Logf("%d of %d decisions as the reference", agree, len(all))
	if agree != 144 || len(all) != 145 {
		t.Errorf("%d of %d decisions as the reference, want 144 of 145", agree, len(all))
	}
}

func TestProductToken(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Otter": "Otter", "Otter-Image": "Otter-Image", "River_Otter": "River_Otter", "otter2": "otter",
		"": "", "獺": "", "Otter*": "Otter", " Otter ": "", "Otter/2.1": "Otter", "River Otter": "River", "(otter)": "",
	} {
		if got := ProductToken(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}

// The form of files: line ends, byte order marks whole and damaged, misspellings.
func TestRobotsFileForms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		may  bool
	}{
		"LF":              {"User-Agent: otter\nDisallow: /n\n", false},
		"CRLF":            {"User-Agent: otter\r\n\r\nDisallow: /n\r\n", false},
		"CR":              {"User-Agent: otter\rDisallow: /n\r", false},
		"mixed, no last":  {"User-Agent: otter\r\n\n\rDisallow: /n", false},
		"mark":            {"\xef\xbb\xbfUser-Agent: otter\nDisallow: /n\n", false},
		"two bytes of it": {"\xef\xbbUser-Agent: otter\nDisallow: /n\n", false},
		"one byte of it":  {"\xefUser-Agent: otter\nDisallow: /n\n", false},
		"UTF-16": {"\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00" +
			"t\x00:\x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00n\x00", false},
		"names together":   {"User-agent: lynx\nUser-agent: otter\n\nUser-agent: heron\nDisallow: /n\n", false},
		"no value":         {"User-agent: otter\nDisallow:\n\nUser-agent: *\nDisallow: /n\n", true},
		"no colon":         {"user-agent otter\ndisallow /n\n", false},
		"comment":          {"User-agent: otter # and its young\nDisallow: /n # here\n", false},
		"disalow":          {"user agent: otter\ndisalow: /n\n", false},
		"a version":        {"User-agent: Otter/2.1\nDisallow: /n\n", false},
		"damaged mark":     {"\xef\x11\xbfUser-Agent: otter\nDisallow: /n\n", true},
		"mark in the file": {"User-Agent: otter\n\xef\xbb\xbfDisallow: /n\n", true},
		"misspelt":         {"useragent: otter\ndissallow: /n\n", false},
		"spaces":           {"  User-Agent :  otter  \n\tDisallow : /n  # why\n", false},
		"HTML":             {"<!DOCTYPE html><html><body>User-agent: *\nDisallow: /n", true},
		"binary":           {"\x00\xff\x00\n\x00", true},
		"star and words":   {"User-agent: * (all)\nDisallow: /n", false},
	} {
		if got := rules(c.file).Allowed("otter", "http://pond.example/n"); got != c.may {
			t.Errorf("%s: allowed %v", name, got)
		}
	}
}

// RFC 9309, 2.2.2: %-encoding is made equal on both sides, except where it makes a difference.
func TestRobotsEncoding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, url string
		match        bool
	}{
		{"/%7eann", "http://pond.example/~ann", true},
		{"/~ann", "http://pond.example/%7Eann", true},
		{"/a%2fb", "http://pond.example/a%2Fb", true},
		{"/a%2fb", "http://pond.example/a/b", false},
		{"/a%3Cd", "http://pond.example/a%3cd", true},
		{"/caf%c3%a9", "http://pond.example/café", true},
		{"/café%20au", "http://pond.example/caf%C3%A9%20au", true},
		{"/100%", "http://pond.example/100%", true},
		{"/%zz", "http://pond.example/%zz", true},
		{"/a%2A", "http://pond.example/abc", false},
		{"/a%24", "http://pond.example/a%24", true},
		{"/a%2A.html", "http://pond.example/a*.html", true},
		{"/a%2a.html", "http://pond.example/a%2A.html", true},
		{"/a%2A.html", "http://pond.example/ab.html", false},
		{"/a-%24", "http://pond.example/a-$", true},
		{"/a-%24", "http://pond.example/a-", false},
		{"/a-%24", "http://pond.example/a-$/more", true},
		{"/a-%24$", "http://pond.example/a-$/more", false},
		{"/a-%24$", "http://pond.example/a-$", true},
		{"/a$b", "http://pond.example/a$b", true},
		{"/a$b", "http://pond.example/a%24b", true},
		{"/a$b", "http://pond.example/a", false},
		{"/a*b%2A$", "http://pond.example/a/x/b*", true},
		{"/*%24*", "http://pond.example/a/$x", true},
		{"/*%24*", "http://pond.example/a/x", false},
		{"/a?b=%2A", "http://pond.example/a?b=*", true},
		{"/a|b", "http://pond.example/a%7cb", true},
		{"/a%7Cb", "http://pond.example/a|b", true},
		{"/a b", "http://pond.example/a%20b", true},
		{"/a%5B1%5D", "http://pond.example/a[1]", false},
		{"/a[1]", "http://pond.example/a[1]", true},
		{"/a?q=%26", "http://pond.example/a?q=&", false},
		{"/%E3%83%84", "http://pond.example/%e3%83%84", true},
		{"/%2525", "http://pond.example/%25", false},
	} {
		if got := !rules("User-agent: *\nDisallow: "+c.pattern).Allowed("otter", Escape(c.url)); got != c.match {
			t.Errorf("%s on %s: match %v", c.pattern, c.url, got)
		}
	}
}

func TestRobotsTxtItselfIsAllowed(t *testing.T) {
	t.Parallel()
	for _, r := range []*Robots{rules("User-agent: *\nDisallow: /"), ParseRobots(503, nil, time.Time{})} {
		if !r.Allowed("otter", "http://pond.example/robots.txt") || r.Allowed("otter", "http://pond.example/robots.txt2") {
			t.Error("of a host that forbids all, exactly robots.txt is allowed")
		}
	}
}

func TestRobotsPolicy(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]RobotsAccess{
		200: RobotsRules, 204: RobotsRules, 301: RobotsAllowAll, 304: RobotsAllowAll, 400: RobotsAllowAll, 401: RobotsAllowAll,
		403: RobotsAllowAll, 404: RobotsAllowAll, 410: RobotsAllowAll, 429: RobotsUnreachable, 500: RobotsUnreachable,
		503: RobotsUnreachable, 999: RobotsUnreachable, 0: RobotsUnreachable, 101: RobotsUnreachable,
	} {
		if got := RobotsPolicy(status, nil); got != want {
			t.Errorf("%d: %d, want %d", status, got, want)
		}
		r := ParseRobots(status, []byte("User-agent: *\nDisallow: /n"), time.Unix(0, 0))
		may, other := r.Allowed("otter", "http://pond.example/n"), r.Allowed("otter", "http://pond.example/s")
		if may != (want == RobotsAllowAll) || other != (want != RobotsUnreachable) || r.Access() != want || r.Status() != status {
			t.Errorf("%d: allowed %v, %v", status, may, other)
		}
	}
	if RobotsPolicy(200, errors.New("network")) != RobotsUnreachable {
		t.Error("an error of the network is not unreachable")
	}
}

// The life of a robots.txt over time, as RFC 9309, 2.3.1.4 and 2.4, wants it.
func TestRobotsOverTime(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	const n, s = "http://pond.example/n", "http://pond.example/s"
	good := ParseRobots(200, []byte("User-agent: *\nDisallow: /n\nSitemap: http://pond.example/map"), start).After(nil)
	if good.Expired(start.Add(day-1)) || !good.Expired(start.Add(day)) || !good.Expires().Equal(start.Add(day)) {
		t.Errorf("a copy lives until %v", good.Expires())
	}
	// The server is down at the next try: the copy stays in force, and is asked for again soon.
	down := ParseRobots(500, nil, start.Add(day)).After(good)
	if down.Allowed("otter", n) || !down.Allowed("otter", s) || len(down.Sitemaps()) != 1 || !down.Expired(start.Add(day+robotsRetry)) {
		t.Error("the copy is not kept while the file is unreachable")
	}
	stillDown := ParseRobots(0, nil, start.Add(40*day)).After(down)
	if stillDown.Allowed("otter", n) || !stillDown.Allowed("otter", s) {
		t.Error("the copy is not kept for long")
	}
	// No copy ever: nothing is allowed for 30 days, then everything.
	never := ParseRobots(503, nil, start).After(nil)
	for _, at := range []time.Duration{10 * time.Minute, 10 * day, 30*day - 1} {
		if never = ParseRobots(429, nil, start.Add(at)).After(never); never.Allowed("otter", s) {
			t.Errorf("allowed after %v", at)
		}
	}
	if never = ParseRobots(0, nil, start.Add(30*day)).After(never); !never.Allowed("otter", n) {
		t.Error("still forbidden after 30 days")
	}
	// And any answer counts anew.
	if again := good.After(never); again.Allowed("otter", n) || !again.Allowed("otter", s) {
		t.Error("an answer does not replace what was before")
	}
	if gone := ParseRobots(404, nil, start).After(good); !gone.Allowed("otter", n) || gone.Expired(start.Add(time.Hour)) {
		t.Error("a removed file is still in force")
	}
}

func TestRobotsMarshal(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 5, time.UTC)
	good := ParseRobots(200, []byte("User-agent: *\nDisallow: /n\xff\nCrawl-delay: 3\nSitemap: /map\n"), start)
	for _, r := range []*Robots{
		good, ParseRobots(404, []byte("ignored"), start), ParseRobots(503, nil, start), ParseRobots(503, nil, start).After(good),
	} {
		back, err := UnmarshalRobots(r.Marshal())
		if err != nil {
			t.Error(err)
			continue
		}
		for _, url := range []string{"http://pond.example/n\xff", "http://pond.example/s"} {
			if back.Allowed("otter", url) != r.Allowed("otter", url) {
				t.Errorf("status %d: %s is decided otherwise", r.Status(), url)
			}
		}
		if back.Status() != r.Status() || back.Access() != r.Access() || !back.Fetched().Equal(r.Fetched()) ||
			!back.Expires().Equal(r.Expires()) ||
			back.CrawlDelay("otter") != r.CrawlDelay("otter") || !slices.Equal(back.Sitemaps(), r.Sitemaps()) ||
			!back.failing.Equal(r.failing) {
			t.Errorf("%+v came back as %+v", r, back)
		}
	}
	for _, bad := range []string{"", "{}", "nonsense\n", `{"access":9}` + "\n",
		`{"access":0}` + "\n" + strings.Repeat("x", MaxRobotsSize+1)} {
		if _, err := UnmarshalRobots([]byte(bad)); err == nil {
			t.Errorf("%.20q accepted", bad)
		}
	}
}

func TestCrawlDelayAndSitemaps(t *testing.T) {
	t.Parallel()
	r := rules(`Disallow: /before/any/group
Sitemap: http://pond.example/a.xml
User-agent: otter
Crawl-delay: 10
User-agent: lynx
Crawl-delay: 2.5
Disallow: /n
User-agent: heron
User-agent: stork
crawl-delay: 7   # each
Allow: /
sitemap: http://pond.example/b.xml?x#frag
Sitemap: http://pond.example/a.xml
Sitemap:
User-agent: wren
Disallow: /
User-agent: *
Crawl-Delay: 4
User-agent: newt
Crawl-delay: -1
Crawl-delay: NaN
Crawl-delay: soon
User-agent: toad
Crawl-delay: 1e300
User-agent: otter
Crawl-delay: 3
`)
	for agent, want := range map[string]time.Duration{
		"otter": 10 * time.Second, "LYNX": 2500 * time.Millisecond, "heron": 7 * time.Second, "stork": 7 * time.Second,
		"wren": 0, "unknown": 4 * time.Second, "newt": 0, "toad": 1<<63 - 1,
	} {
		if got := r.CrawlDelay(agent); got != want {
			t.Errorf("%s waits %v, want %v", agent, got, want)
		}
	}
	if got := r.Sitemaps(); !slices.Equal(got, []string{"http://pond.example/a.xml", "http://pond.example/b.xml?x"}) {
		t.Errorf("sitemaps %q", got)
	}
	if got := ParseRobots(404, nil, time.Time{}).CrawlDelay("otter"); got != 0 {
		t.Errorf("delay %v without a file", got)
	}
}

// On an ordinary file, temoto/robotstxt reads the same delays and sitemaps.
func TestSecondOpinionOnDelays(t *testing.T) {
	t.Parallel()
	file := "User-agent: otter\nCrawl-delay: 1.5\nDisallow: /a\n\nUser-agent: lynx\nDisallow: /\nCrawl-delay: 20\n\n" +
		"User-agent: *\nCrawl-delay: 5\n\nSitemap: http://pond.example/one.xml\nSitemap: http://pond.example/two.xml.gz\n"
	other, err := robotstxt.FromString(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, agent := range []string{"otter", "lynx", "heron"} {
		if got, want := rules(file).CrawlDelay(agent), other.FindGroup(agent).CrawlDelay; got != want {
			t.Errorf("%s waits %v, temoto says %v", agent, got, want)
		}
	}
	if got := rules(file).Sitemaps(); !slices.Equal(got, other.Sitemaps) {
		t.Errorf("sitemaps %q, temoto says %q", got, other.Sitemaps)
	}
}

// A file beyond the limit: its beginning counts, up to a whole line.
func TestRobotsSize(t *testing.T) {
	t.Parallel()
	line := "Disallow: /n\n"
	head := "User-agent: *\nDisallow: /first\n"
	filler := strings.Repeat("#", MaxRobotsSize-len(head)-len(line)-len("\nDisallow: /l")) + "\n"
	r := rules(head + filler + line + "Disallow: /late\n")
	for path, want := range map[string]bool{"/first": false, "/n": false, "/late": true, "/lake": true, "/": true} {
		if got := r.Allowed("otter", "http://pond.example"+path); got != want {
			t.Errorf("%s: allowed %v", path, got)
		}
	}
	if len(r.body) > MaxRobotsSize {
		t.Errorf("%d bytes are kept", len(r.body))
	}
	many := new(strings.Builder)
	for i := range 30_000 {
		fmt.Fprintf(many, "Sitemap: /%d\n", i)
	}
	if n := len(rules(many.String()).Sitemaps()); n != maxSitemaps {
		t.Errorf("%d sitemaps", n)
	}
}

// A file that names many agents and then has many rules takes neither memory nor time in proportion to the product.
func TestRobotsOfManyNames(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&file, "User-agent: x%s\n", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)))
	}
	file.WriteString(strings.Repeat("Crawl-delay:1\nAllow:/\n", 10_000))
	r := rules(file.String())
	total := 0
	for _, section := range r.groups["xa"].rules {
		total += len(section.rules)
	}
	if len(r.groups) != 15_000 || r.groups["xa"].rules[0] != r.groups["xb"].rules[0] || total < 5000 {
		t.Errorf("%d groups, %d rules", len(r.groups), total)
	}
}

// plainDecision is what the reference decides; it parses the file anew for each question. It gets what we make of %-encoding,
// which it does not do.
func plainDecision(file, agent, path string) bool {
	return grobotstxt.AgentAllowed(inASCII(file), agent, "http://pond.example"+path)
}

func FuzzRobots(f *testing.F) {
	for _, d := range decisions(f) {
		f.Add([]byte(d.file), d.agent, pathOf(d.url))
	}
	f.Fuzz(func(t *testing.T, file []byte, agent, path string) {
		r := ParseRobots(200, file, time.Time{})
		r.CrawlDelay(agent)
		r.Sitemaps()
		got := r.Allowed(agent, "http://pond.example"+path)
		if back, err := UnmarshalRobots(r.Marshal()); err != nil || back.Allowed(agent, "http://pond.example"+path) != got {
			t.Errorf("otherwise after Marshal: %v", err)
		}
		// grobotstxt takes more characters for part of a token and rewrites URLs in ways of net/url; ask where that makes no difference.
		if ProductToken(agent) != agent || agent == "" || !plainPath(path) || !plainFile(file) || path == "/robots.txt" {
			return
		}
		if want := plainDecision(string(file), agent, path); got != want {
			t.Errorf("%q may fetch %q: %v, the reference %v, by\n%q", agent, path, got, want, file)
		}
	})
}

func plainPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") &&
		!strings.ContainsFunc(path, func(r rune) bool { return r > '~' || r <= ' ' || strings.ContainsRune("%#\"<>[\\]^`{|}:;", r) })
}

func plainFile(file []byte) bool {
	return len(file) < 10_000 && !slices.ContainsFunc(file,
		func(c byte) bool { return c > '~' || c < '\n' || strings.IndexByte("$%'+.~^`|\v\f0123456789", c) >= 0 })
}

func FuzzMatches(f *testing.F) {
	f.Add("/a/b.php?x", "/*.php$")
	f.Add("/aab", "*a*b$")
	f.Add("/a$b", "/a$b*")
	f.Add("/", "$")
	f.Add("/a", "/a*$")
	f.Fuzz(func(t *testing.T, path, pattern string) {
		if len(path) > 200 || len(pattern) > 200 {
			return // the reference takes quadratic time
		}
		if got, want := matches(path, pattern), grobotstxt.Matches(path, pattern); got != want {
			t.Errorf("%q on %q: %v, the reference %v", pattern, path, got, want)
		}
	})
}

func BenchmarkAllowed(b *testing.B) {
	file := new(strings.Builder)
	file.WriteString("User-agent: *\n")
	for i := range 3000 {
		fmt.Fprintf(file, "Disallow: /section%d/*.php\n", i)
	}
	r := ParseRobots(http.StatusOK, []byte(file.String()), time.Time{})
	for b.Loop() {
		r.Allowed("awarc", "http://pond.example/section2999/page.php?x=1")
	}
}

// The worst file for a long URL: as many rules as fit, each of which has to look at all of it.
func BenchmarkAllowedWorst(b *testing.B) {
	r := rules("User-agent: *\n" + strings.Repeat("Allow:*b\n", MaxRobotsSize/9-10))
	url := "http://pond.example/" + strings.Repeat("a", 4000)
	for b.Loop() {
		r.Allowed("awarc", url)
	}
}
