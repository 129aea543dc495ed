package trap

import (
	"net/http"
	"net/url"
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

func TestShape(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a/": "", "http://a/2011/11/11/": "", "http://a/11/11/11/11/": "", "http://a/details/123": "", "http://a/a/a/": "",
		"http://a/en/docs/en/x/en/y": "", "http://a/x?f[]=1&f[]=2&f[]=3&f[]=4&f[]=5&f[]=6&f[]=7&f[]=8&f[]=9": "", "http://a/?a=1&a=2&a=3": "", "http://a/?a&b&c": "",
		"http://a/login?to=%2Fx%3Fy%3D1": "", "http://a/" + strings.Repeat("s/", 3)[:5] + "?q=" + strings.Repeat("%D0%B0", 200): RepeatingPath, "http://a/?q=" + strings.Repeat("%D0%B0", 200): "",
		"http://a/img/img/img/": RepeatingPath, "http://a/x/y/x/y/x/y": RepeatingPath, "http://a/1/1/1/1/1/": RepeatingPath, "http://a/x/b/x/c/x/d/x/": RepeatingPath,
		"http://a/" + "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21": DeepPath, "http://a/x?q=" + strings.Repeat("z", maxLength): LongURL,
		"http://a/?p=1&p=1&p=1&p=1": GrowingQuery, "http://a/?p=1&p=2&p=3&p=4&p=5&p=6&p=7&p=8": GrowingQuery,
		"http://a/l?b=%2Fl%3Fb%3D%252Fl%253Fb%253D%25252Fl%25253Fb%25253D%2525252Fl%2525253F": GrowingQuery,
	} {
		if have := Shape(parse(t, raw)); have != want {
			t.Errorf("Shape(%s) = %q, want %q", raw, have, want)
		}
	}
}

func TestFamily(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a/cal/2031/05/07/x": "a/cal/", "http://a/cal/2031-05": "a/cal/", "http://a/?year=2031&month=5": "a/", "http://a/details/123": "a/details/",
		"http://a/index.php?option=com_calendar&m=5": "a/index.php?option=com_calendar", "http://a/s/9f8e7d6c5b4a39281706/x": "a/s/", "http://a/a-b-7/": "a/a-b-7/",
	} {
		if have := family(parse(t, raw)); have != want {
			t.Errorf("family(%s) = %q, want %q", raw, have, want)
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
		long + "made in 23 ms": true, long + "made in 17 ms": true, long + "made in 17 s": false, long + "made in 17 ms<img src=/1.png>": false,
		long + "<script>new()</script>made in 17 ms": true, long + "two made in 17 ms": true, long + "three made in 17 ms": false, "made in 17 ms": false,
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
	for first := range 4 {
		w := new(Watch)
		w.init()
		for n := range 4 {
			show := func(id, text string) {
				u := parse(t, "http://a/"+string(rune('a'+n))+"?id="+id)
				hash := hashOf(text)
				w.learnParameters(u, content{mark: mark{all: hash, plain: hash, size: 50}})
			}
			text := string(rune('a' + n))
			show("1234567890", text)
			if n == first {
				text += "!"
			}
			show("1234567891", text)
		}
		if v := w.Refuses(parse(t, "http://a/a?id=1234567892"), nil, true); v.Kind != "" {
			t.Errorf("refused as %v; page %d depends on it", v, first)
		}
	}
}
