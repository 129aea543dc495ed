package ways

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestShapesLeaveOutWhatVaries(t *testing.T) {
	for address, want := range map[string][2]string{
		"/viewtopic.php?t=12&f=3":               {"/viewtopic.php?f=#&t=#", "/viewtopic.php?f&t"},
		"/posting.php?mode=reply&t=12":          {"/posting.php?mode=reply&t=#", "/posting.php?mode&t"},
		"/2021/03/14/what-the-clock-taught-us/": {"/#/#/#/*/", "/#/#/#/*"},
		"/category/boats/page/2/":               {"/category/boats/page/#/", "/category/boats/page/#/"},
		"/a-day-at-sea/comment-page-2/":         {"/*/comment-page-#/", "/*/comment-page-#/"},
		"/category/boats/":                      {"/category/boats/", "/category/*"},
		"/wiki/Main_Page?action=edit":           {"/wiki/Main_Page?action=edit", "/wiki/Main_Page?action"},
		"/w/index.php?title=Caf%C3%A9&oldid=7":  {"/w/index.php?oldid=#&title=*", "/w/index.php?oldid&title"},
		"/topic-17.html":                        {"/topic-#.html", "/topic-#.html"},
		"/":                                     {"/", "/*"},
	} {
		u, err := url.Parse("http://example.com" + address)
		if err != nil {
			t.Fatal(err)
		}
		if got := broader(Name("body/div.list/a", u)); got != want {
			t.Errorf("%s is like %q, want %q", address, got, want)
		}
	}
}

// page is a page of a simulated site.
type page struct {
	html  string
	links []string // address and place
}

// board is a site of lists and texts, with pages beside each text that repeat it, or say nothing.
func board(r *rand.Rand) map[string]page {
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%c%c%c%c ", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
		}
		return b.String()
	}
	site := map[string]page{}
	var lists []string
	for l := range 10 {
		var topics []string
		for i := range 20 {
			n := 20*l + i
			topic, text := fmt.Sprintf("/topic?t=%d", n), words(120)
			var beside []string
			for _, what := range []string{"reply", "report", "print"} {
				at := fmt.Sprintf("/do?mode=%s&t=%d", what, n)
				beside = append(beside, at+" body/div.buttons/a."+what)
				said := "<p>You have to log in before you can do that on this board, number " + fmt.Sprint(n)
				if what == "print" {
					said = "<p>" + text
				}
				site[at] = page{html: said, links: []string{"/login?to=" + fmt.Sprint(n) + what + " body/a.login"}}
				site["/login?to="+fmt.Sprint(n)+what] = page{html: "<p>Log in with your name and password, please"}
			}
			site[topic] = page{html: "<p>" + text, links: beside}
			topics = append(topics, topic+" body/ul/li/a.title")
		}
		at := fmt.Sprintf("/forum?f=%d", l)
		site[at] = page{html: "<h1>" + words(3) + "</h1>", links: topics}
		lists = append(lists, at+" body/ul/li/a.forum")
	}
	site["/"] = page{html: "<h1>A board</h1>", links: lists}
	return site
}

// crawl fetches a site in the order of the ways' values, and returns the addresses in that order.
func crawl(t *testing.T, l *Learner, site map[string]page) (order []string) {
	type queued struct{ address, way string }
	queue, seen := []queued{{address: "/"}}, map[string]bool{"/": true}
	for len(queue) > 0 {
		best, most := 0, -1
		for i, q := range queue {
			if v, _ := l.Value("h", q.way); v.Order > most {
				best, most = i, v.Order
			}
		}
		q := queue[best]
		queue = slices.Delete(queue, best, best+1)
		order = append(order, q.address)
		doc, err := html.Parse(strings.NewReader(site[q.address].html))
		if err != nil {
			t.Fatal(err)
		}
		var links []Link
		for _, link := range site[q.address].links {
			address, place, _ := strings.Cut(link, " ")
			u, err := url.Parse("http://h" + address)
			if err != nil {
				t.Fatal(err)
			}
			name := Name(place, u)
			links = append(links, Link{name, address})
			if !seen[address] {
				seen[address] = true
				queue = append(queue, queued{address, name})
			}
		}
		l.Page("h", q.way, Answer{Text: Read(doc)}, links)
	}
	return order
}

// TestTextComesFirst: of 1,411 pages the 200 that have a text of their own come within the first
// 260, and all others after them.
func TestTextComesFirst(t *testing.T) {
	site := board(rand.New(rand.NewPCG(1, 2)))
	var l Learner
	order := crawl(t, &l, site)
	if len(order) != len(site) {
		t.Fatalf("%d of %d pages were fetched", len(order), len(site))
	}
	last := 0
	for i, address := range order {
		if strings.HasPrefix(address, "/topic") {
			last = i + 1
		}
	}
	if last > 260 {
		t.Errorf("the last text was fetched by request %d", last)
	}
	way := func(place, address string) string {
		u, _ := url.Parse("http://h" + address) // a constant
		return Name(place, u)
	}
	unproductive := func(name string) bool {
		v, _ := l.Value("h", name)
		return v.Unproductive
	}
	if reply := way("body/div.buttons/a.reply", "/do?mode=reply&t=1000"); !unproductive(reply) {
		t.Error("the way to a form is not unproductive")
	}
	if topic := way("body/ul/li/a.title", "/topic?t=1000"); unproductive(topic) {
		t.Error("the way to texts is unproductive")
	}
}

// TestLearningSurvivesASession: what a later session takes over values each way as before, and what
// cannot be read is an error.
func TestLearningSurvivesASession(t *testing.T) {
	var l, later Learner
	crawl(t, &l, board(rand.New(rand.NewPCG(3, 4))))
	l.sites["h"].estimate()
	if err := later.Restore("h", l.State("h")); err != nil {
		t.Fatal(err)
	}
	for _, w := range l.sites["h"].Ways {
		if !strings.Contains(w.Name, " ") {
			continue
		}
		before, _ := l.Value("h", w.Name)
		if after, known := later.Value("h", w.Name); !known || after != before {
			t.Errorf("%s is worth %+v in the next session, was %+v", w.Name, after, before)
		}
	}
	for _, bad := range []string{"", "{", `{"Ways":[{"Name":"a /b","Parent":-1},{"Name":"c","Parent":3}]}`, `{"Ways":[null,{"Parent":3}]}`,
		`{"Ways":[{"Name":"a","Parent":-1,"Links":{"7":1,"-9":1}}]}`} {
		if err := later.Restore("other", []byte(bad)); err == nil && strings.Contains(bad, "3") {
			t.Errorf("%q is taken over", bad)
		}
		later.Page("other", "a /b", Answer{}, nil) // nothing of it makes a step fail
	}
}

// TestAFewPagesProveNothing: further pages of threads are not unproductive because the first of
// them repeat others, as page 1 does.
func TestAFewPagesProveNothing(t *testing.T) {
	var l Learner
	read := func(way, body string) {
		doc, err := html.Parse(strings.NewReader("<p>" + body))
		if err != nil {
			t.Fatal(err)
		}
		l.Page("h", way, Answer{Text: Read(doc)}, nil)
	}
	for i := range 20 {
		said := ""
		for k := range 200 {
			said += fmt.Sprintf("w%c%c%c ", 'a'+i, 'a'+k%26, 'a'+k/26)
		}
		read("ul/li/a /topic", said)
	}
	for n := 1; n <= 16; n++ {
		read("ul.pages/li/a /topic?page=#", "nothing")
		if v, _ := l.Value("h", "ul.pages/li/a /topic?page=#"); v.Unproductive != (n >= 8) {
			t.Errorf("after %d pages that said nothing: %+v", n, v)
		}
	}
}

// TestPagesWithoutRecordsProveMore: where content is in records, two pages without any prove what
// eight pages with known records do.
func TestPagesWithoutRecordsProveMore(t *testing.T) {
	for _, bare := range []bool{false, true} {
		var l Learner
		text := func(i int) Text {
			said := ""
			for k := range 60 {
				said += fmt.Sprintf("w%c%c%c ", 'a'+i, 'a'+k%26, 'a'+k/26)
			}
			return Content([]string{said})
		}
		for i := range 20 {
			l.Page("h", "ul/li/a /topic?t=#", Answer{Text: text(i)}, nil)
		}
		a, least := Answer{Text: text(0)}, 8
		if bare {
			a, least = Answer{}, 2
		}
		for n := 1; n <= 16; n++ {
			l.Page("h", "ul/li/a /print?t=#", a, nil)
			if v, _ := l.Value("h", "ul/li/a /print?t=#"); v.Unproductive != (n >= least) {
				t.Errorf("without records %v: after %d pages: %+v", bare, n, v)
			}
		}
		for range 4 {
			l.Page("h", "ul/li/a /leave?t=#", Answer{Redirects: true}, nil)
		}
		if v, _ := l.Value("h", "ul/li/a /leave?t=#"); v.Unproductive {
			t.Error("redirects count as pages without records")
		}
	}
}

// TestPrintViewsOfKnownRecords: a record that repeats known ones and adds a line to each is not
// new; a new one is.
func TestPrintViewsOfKnownRecords(t *testing.T) {
	post := func(i int) (said string) {
		for k := range 60 {
			said += fmt.Sprintf("w%c%c%c ", 'a'+i, 'a'+k%26, 'a'+k/26)
		}
		return said
	}
	var s site
	read := func(contents ...string) float64 { return NewText{}.of(&s, Answer{Text: Content(contents)}) }
	if n := read(post(0), post(1)); n == 0 {
		t.Error("posts are not new")
	}
	if n := read("by anna\n" + post(0) + "\nby bert\n" + post(1)); n != 0 {
		t.Errorf("the print view of known posts has %.0f runs of new text", n)
	}
	if n := read(post(0), post(2)); n == 0 {
		t.Error("a new post beside a known one is not new")
	}
}

// TestMemoryIsBounded: of a site without end little is remembered, and how much it says is still
// known. TestTitlesAreToldFromNames: of a folder with many names each is a title, so that what was
// learned of some holds for the others: of their feeds, which say nothing, one that nobody tried is
// unproductive, but not where one of the others has text.
func TestTitlesAreToldFromNames(t *testing.T) {
	for _, oneHasText := range []bool{false, true} {
		l, n := new(Learner), 0
		text := func() Text {
			n++
			said := "<p>"
			for k := range 100 {
				said += fmt.Sprintf("w%c%c%c%c ", 'a'+n%26, 'a'+n/26, 'a'+k%26, 'a'+k/26)
			}
			doc, err := html.Parse(strings.NewReader(said))
			if err != nil {
				t.Fatal(err)
			}
			return Read(doc)
		}
		way := func(address string) string {
			u, err := url.Parse("http://h" + address)
			if err != nil {
				t.Fatal(err)
			}
			return Name("body/a", u)
		}
		tag := func(i int) string { return fmt.Sprintf("/tag/%c%c", 'a'+i%26, 'a'+i/26) }
		for i := range 80 {
			l.Page("h", way(tag(i)), Answer{Text: text()}, nil)
			if i < 60 {
				said := Text{}
				if oneHasText && i == 50 {
					said = text()
				}
				l.Page("h", way(tag(i)+"/feed"), Answer{Text: said}, nil)
			}
		}
		if v, _ := l.Value("h", way(tag(70)+"/feed")); v.Unproductive == oneHasText {
			t.Errorf("one feed has text: %v; another is unproductive: %v", oneHasText, v.Unproductive)
		}
		if v, _ := l.Value("h", way(tag(200))); v.Unproductive {
			t.Error("a further tag is unproductive")
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var s sample
	sum := 0.0
	for i := range uint64(2_000_000) {
		h := hashOf(fmt.Sprint(i))
		sum += s.add(h)
		s.add(h)
	}
	if len(s.seen) > maxSample {
		t.Errorf("%d hashes are remembered", len(s.seen))
	}
	if sum < 1_900_000 || sum > 2_100_000 {
		t.Errorf("%.0f were new, want about 2,000,000", sum)
	}
	var l Learner
	for i := range 3 * maxSites {
		l.Page(fmt.Sprint("host", i), "a /b", Answer{}, nil)
	}
	if len(l.sites) > maxSites {
		t.Errorf("%d sites are remembered", len(l.sites))
	}
	var links []Link
	for i := range 3 * maxWays {
		links = append(links, Link{fmt.Sprintf("body/p.%d /b", i), fmt.Sprint(i)})
	}
	l.Page("h", "", Answer{}, links)
	if n := len(l.sites["h"].Ways); n > maxWays {
		t.Errorf("%d ways are remembered", n)
	}

	// Sites that say much and whose ways lead to all others.
	for i := range 60 {
		name := fmt.Sprint("large", i)
		for from := range 12 {
			said := Text{ends: []int{maxSample}}
			for range maxSample {
				said.runs = append(said.runs, rand.Uint64())
			}
			links = links[:0]
			for to := range 3000 {
				links = append(links, Link{fmt.Sprintf("body/p.%d /b", to), fmt.Sprint(from, " ", to)})
			}
			l.Page(name, fmt.Sprintf("body/p.%d /b", from), Answer{Text: said}, links)
		}
	}
	// A site with many folders, of not so many names each that these are titles.
	links = links[:0]
	for k := range 4 * maxWays {
		shape := fmt.Sprintf("/%c/%c/%c/%c", 'a'+k/4096, 'a'+k/256%16, 'a'+k/16%16, 'a'+k%16)
		links = append(links, Link{"body/a " + shape, shape})
	}
	l.Page("folders", "body/a /a", Answer{}, links)
	if n := l.sites["folders"].names; n > 2*maxWays {
		t.Errorf("%d names in folders are remembered", n)
	}
	all := 0
	for name, s := range l.sites {
		leads := 0
		for _, w := range s.Ways {
			leads += len(w.Links)
		}
		if leads > maxLeads+len(s.Ways) { // one of each is to the site
			t.Errorf("%d links between ways of %s are remembered", leads, name)
		}
		all += leads + len(s.Text.seen) + len(s.Links.seen)
	}
	if all > maxKept {
		t.Errorf("%d links and hashes are remembered", all)
	}
	if l.sites["folders"] == nil || l.sites["host700"] != nil {
		t.Error("the site that was asked about least recently is not the one that is forgotten")
	}
}

// TestUntriedPatternsAreTriedEarly: a crawl for targets prefers a link of an outline without a page
// to more of an outline that had none.
func TestUntriedPatternsAreTriedEarly(t *testing.T) {
	value := func(r Reward) (tried, untried int) {
		l := &Learner{Reward: r}
		for range 2 {
			l.Page("h", "a /tag/#", Answer{}, nil)
		}
		v, _ := l.Value("h", "a /tag/#")
		u, _ := l.Value("h", "a /doc/x")
		return v.Level, u.Level
	}
	if tried, untried := value(NewTargets{}); untried <= tried {
		t.Errorf("levels %d of an untried pattern and %d of a tried one without a target", untried, tried)
	}
	if tried, untried := value(Score{}); untried > tried {
		t.Errorf("levels %d of an untried pattern and %d of a tried one, for scores", untried, tried)
	}
}

// TestPatternsAreExhaustedOneByOne: dead links of one pattern are no evidence against another that
// led to targets. It is left when its own pages show that few targets remain, also after a restart.
func TestPatternsAreExhaustedOneByOne(t *testing.T) {
	l := Learner{Reward: NewTargets{}}
	articles, comments := "body/a /wiki/*", "body/div.footer/a /wiki/*"
	var links []Link
	for i := range 200 {
		links = append(links, Link{articles, fmt.Sprint("article", i)}, Link{comments, fmt.Sprint("comment", i)})
	}
	l.Page("h", "", Answer{}, links)
	for i := range 40 {
		l.Page("h", articles, Answer{Targets: []string{fmt.Sprint("file", i)}}, nil)
	}
	for range 150 {
		l.Page("h", comments, Answer{}, nil)
	}
	if !l.Exhausted("h", comments) || l.Exhausted("h", articles) {
		t.Errorf("after 150 dead links comments are exhausted: %v; articles, 160 of which wait: %v",
			l.Exhausted("h", comments), l.Exhausted("h", articles))
	}
	l.Page("h", articles, Answer{Targets: []string{"a late file"}}, nil)
	if !l.Exhausted("h", comments) {
		t.Error("a target of another pattern makes comments worth requests again")
	}
	var later Learner
	later.Reward = NewTargets{}
	if err := later.Restore("h", l.State("h")); err != nil {
		t.Fatal(err)
	}
	pages := 0
	for ; !later.Exhausted("h", articles) && pages < 160; pages++ {
		later.Page("h", articles, Answer{}, nil)
	}
	if pages != 95 { // 3 targets in n pages, of 159 - n that wait, are a twentieth of 41
		t.Errorf("articles are exhausted after %d pages without a target", pages)
	}
}
