package trap

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
)

func parse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestStutters: a path that repeats itself waits; one that only a machine can have made is refused.
// home is a page that leads to others.
var home = &url.URL{Scheme: "http", Host: "a", Path: "/"}

func TestStutters(t *testing.T) {
	for raw, want := range map[string]bool{
		"http://a/img/img/img/": true, "http://a/x/y/x/y/x/y": true, "http://a/x/b/x/c/x/d/x/": true, "http://a/jobs/all/all/all/1": true,
		"http://a/1/1/1/1/1/": true, "http://a/2011/11/11/": false, "http://a/11/11/11/11/": false, "http://a/a/a/": false,
		"http://a/en/docs/en/x/en/y": false,
	} {
		if have := new(Watch).Linked(parse(t, raw), home, false) != ""; have != want {
			t.Errorf("%s is put off: %v", raw, have)
		}
	}
}

func TestShape(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a/": "", "http://a/2011/11/11/": "", "http://a/11/11/11/11/": "", "http://a/details/123": "", "http://a/a/a/": "",
		"http://a/en/docs/en/x/en/y": "", "http://a/x?f[]=1&f[]=2&f[]=3&f[]=4&f[]=5&f[]=6&f[]=7&f[]=8&f[]=9": "",
		"http://a/?a=1&a=2&a=3": "", "http://a/?a&b&c": "",
		"http://a/login?to=%2Fx%3Fy%3D1": "", "http://a/?q=" + strings.Repeat("%D0%B0", 200): "",
		"http://a/jobs/all/all/all/1": "", "http://a/" + strings.Repeat("img/", 6): RepeatingPath,
		"http://a/" + strings.Repeat("x/y/", 6): RepeatingPath,
		"http://a/" + strings.Repeat("1/", 8):   RepeatingPath, "http://a/x/b/x/c/x/d/x/e/x/f/x/g/x/": RepeatingPath,
		"http://a/x/b/x/c/x/d/x/": "",
		"http://a/" + "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21":                 DeepPath,
		"http://a/x?q=" + strings.Repeat("z", maxLength):                                      LongURL,
		"http://a/?p=1&p=1&p=1&p=1":                                                           GrowingQuery,
		"http://a/?p=1&p=2&p=3&p=4&p=5&p=6&p=7&p=8":                                           GrowingQuery,
		"http://a/l?b=%2Fl%3Fb%3D%252Fl%253Fb%253D%25252Fl%25253Fb%25253D%2525252Fl%2525253F": GrowingQuery,
	} {
		if have := Shape(parse(t, raw)); have != want {
			t.Errorf("Shape(%s) = %q, want %q", raw, have, want)
		}
	}
}

func TestFamily(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a/cal/2031/05/07/x": "a/cal/#/*", "http://a/cal/2031-05": "a/cal/#", "http://a/cal/2031/05/": "a/cal/#",
		"http://a/details/123":                       "a/details/#",
		"http://a/?year=2031&month=5":                "a/*?year=#&month=#",
		"http://a/index.php?option=com_calendar&m=5": "a/index.php?option=com_calendar&m=#",
		"http://a/s/9f8e7d6c5b4a39281706/x":          "a/s/#/*", "http://a/a-b-7/": "a/a-b-#", "http://a/story17.html": "a/story#",
		"http://a/about.html":         "a/*",
		"http://a/docs/api/open.html": "a/docs/*", "http://a/compare?ids=7,13": "a/*?ids", "http://a/search?q=a+b": "a/*?q",
		"http://a/search.php?q=a+b": "a/search.php?q", "http://a/": "a/*", "http://a/wiki/New%20York": "a/wiki/*",
	} {
		if have := family(parse(t, raw)); have != want {
			t.Errorf("family(%s) = %q, want %q", raw, have, want)
		}
	}
}

// TestInvented makes up addresses beside pages, each found on another.
func TestInvented(t *testing.T) {
	for _, x := range []struct{ page, via, kind, want string }{
		{"http://a/?from=20", "http://a/?from=10", Endless, `^http://a/\?from=19\d{8}$|^http://a/\?from=2\d{9}$`},
		{"http://a/?year=2024&month=5", "http://a/?year=2024&month=4", Calendar, `^http://a/\?year=2[3-9]\d\d&month=5$`},
		{"http://a/t.php?f=2&t=7&page=3", "http://a/t.php?f=2&t=6&page=3", Endless, `^http://a/t.php\?f=2&t=\d{10}&page=3$`},
		{"http://a/d/20240507.html", "", Calendar, `^http://a/d/2[3-9]\d\d0507.html$`},
		{"http://a/log/2024/05/07", "http://a/log/2024/05/06", Calendar, `^http://a/log/2[3-9]\d\d/05/07$`},
		{"http://a/week/2024-W31", "http://a/week/2024-W30", Calendar, `^http://a/week/2[3-9]\d\d-W31$`},
		{"http://a/calendar/2024", "", Calendar, `^http://a/calendar/2[3-9]\d\d$`},
		{"http://a/codes/49/2224", "http://a/codes/49/2223", Endless, `^http://a/codes/49/\d{10}$`}, // codes are no years
		{"http://a/t.php?t=2224&page=2", "http://a/t.php?t=2224", Endless, `^http://a/t.php\?t=2224&page=\d{10}$`},
		{"http://a/topic-201275.html", "", Endless, `^http://a/topic-\d{10}.html$`},
		{"http://a/x/9f8e7d6c5b4a39281706", "", Endless, `^http://a/x/[0-9a-f]{20}$`},
		{"http://a/%41b/about.html", "", Endless, `^http://a/%41b/[a-z]{9}.html$`},
		{"http://a/tags/red+blue", "", Facets, `^http://a/tags/red\+[a-z]{9}$`},
		{"http://a/x/17/y/", "", RepeatingPath, `^http://a/x/17/[a-z]{9}/$`},
		{"http://a/", "", Endless, `^$`},
	} {
		var via *url.URL
		if x.via != "" {
			via = parse(t, x.via)
		}
		s := &suspect{kind: x.kind}
		have := invented(parse(t, x.page), via, s, 0)
		if !regexp.MustCompile(x.want).MatchString(have) {
			t.Errorf("beside %s: %q, want %s", x.page, have, x.want)
		}
		if other := invented(parse(t, x.page), via, s, 1); have != "" && other == have {
			t.Errorf("beside %s: %q twice", x.page, have)
		}
	}
}

func TestCombinations(t *testing.T) {
	for name, test := range map[string]struct {
		address func(n int) string
		want    bool
	}{
		"tags": {func(n int) string { return fmt.Sprintf("/tags/%c+%c+%c", 'a'+n%6, 'a'+n/6%6, 'a'+n/36%6) }, true},
		"facets of a shop": {func(n int) string {
			return fmt.Sprintf("/?f[0]=color:%c&f[1]=size:%c&f[2]=cut:%c", 'a'+n%5, 'a'+n/5%5, 'a'+n/25%5)
		}, true},
		"titles":                {func(n int) string { return "/wiki/" + letters(n) + "+of+" + letters(n*7919) }, false},
		"pages of a topic":      {func(n int) string { return fmt.Sprintf("/t.php?t=%d&start=%d", n%50, n/50*20) }, false},
		"one value of a module": {func(n int) string { return fmt.Sprint("/index.php?name=News&file=article&sid=", n) }, false},
	} {
		w := new(Watch)
		for n := range 200 {
			w.Linked(parse(t, "http://a"+test.address(n)), home, false)
		}
		if have := w.Linked(parse(t, "http://a"+test.address(200)), home, false) != ""; have != test.want {
			t.Errorf("%s are put off: %v", name, have)
		}
	}
}

// TestWhatAPageSays compares pages with a first one that a site gave under another address.
func TestWhatAPageSays(t *testing.T) {
	long := strings.Repeat("some words of a page that says enough to be told apart ", 5)
	page := func(address, date, body string) content {
		root, err := html.Parse(strings.NewReader("<title>t</title>" + body))
		if err != nil {
			t.Fatal(err)
		}
		u := parse(t, address)
		return read(yfilter.Document(root, yfilter.Meta{Status: 200, URL: u, Header: http.Header{"Date": {date}}}), u)
	}
	first := page("http://a/one?x=7", "Mon, 2 Feb 2015 10:00:00 GMT", long+"made in 17 ms")
	for body, want := range map[string]bool{
		long + "made in 23 ms": true, long + "made in 17 ms": true, long + "made in 17 s": false,
		long + "made in 17 ms<img src=/1.png>":       false,
		long + "<script>new()</script>made in 17 ms": true, long + "two made in 17 ms": true, long + "three made in 17 ms": false,
		"made in 17 ms": false,
	} {
		if have := page("http://a/two?x=8", "Sun, 1 Mar 2015 11:11:11 GMT", body).copies(first.mark); have != want {
			t.Errorf("%q is a copy: %v", body, have)
		}
	}
	short := page("http://a/1", "", "Details of 123: price 4")
	if page("http://a/2", "", "Details of 456: price 4").copies(short.mark) {
		t.Error("pages of few words that differ in a number are called copies")
	}
}

// TestParameterThatMatteredOnceIsNoSessionID shows three pages of which one depends on
// the parameter, in each order.
func TestParameterThatMatteredOnceIsNoSessionID(t *testing.T) {
	text := func(n int) string { return strings.Repeat(letters(n)+" and "+letters(3*n)+" ", 30) }
	for depends := range 4 {
		w := new(Watch)
		show := func(n int, id, text string) {
			u := parse(t, fmt.Sprint("http://a/", letters(n), "?id=", id))
			root, err := html.Parse(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			w.Page(yfilter.Document(root, yfilter.Meta{Status: 200, URL: u}), u, nil, "")
		}
		for n := range 4 {
			show(n, "1234567890", text(n))
			if n == depends {
				show(n, "1234567891", text(n+100))
			} else {
				show(n, "1234567891", text(n))
			}
		}
		w.Linked(parse(t, "http://a/"+letters(0)+"?id=1234567892"), home, false) // one is let through
		name := w.Linked(parse(t, "http://a/"+letters(0)+"?id=1234567893"), home, false)
		if want := depends == 3; (name != "") != want { // three pages were enough to be suspected
			t.Errorf("put off with %q; page %d depends on it", name, depends)
		}
	}
}
