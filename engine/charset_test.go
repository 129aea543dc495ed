package engine_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html/charset"
)

// legacySite serves a page in a charset with a link that asks, and answers the link
// only where its query has the bytes that the site knows.
func legacySite(t *testing.T, name, page, query string) http.Handler {
	enc, _ := charset.Lookup(name)
	body, err := enc.NewEncoder().String(page)
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, body)
		case r.URL.Path == "/探" && r.URL.RawQuery == query:
			fmt.Fprint(w, "<p>found")
		default:
			http.NotFound(w, r)
		}
	})
}

func TestQueriesAreInThePagesCharset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ charset, word, query string }{
		{"shift_jis", "検索", "q=%8C%9F%8D%F5"},
		{"windows-1251", "поиск", "q=%EF%EE%E8%F1%EA"},
		{"gbk", "搜索", "q=%CB%D1%CB%F7"},
		{"big5", "搜尋", "q=%B7j%B4M"},
	} {
		// The path is a character reference: not every charset has it, and it is in UTF-8 always.
		page := "<meta charset=" + c.charset + "><a href='/&#25506;?q=" + c.word + "'>" + c.word + "</a>"
		base := serve(t, legacySite(t, c.charset, page, c.query))
		w := newWorld(t)
		w.crawl(base + "/")
		w.want("404 /robots.txt", "200 /", "200 /%E6%8E%A2?"+c.query)
	}
}

// TestStrayPercent asks a server that sees the request line as it was sent.
func TestStrayPercent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var mu sync.Mutex
	var asked []string
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(c).ReadString('\n')
			target := strings.Fields(line + " - -")[1]
			mu.Lock()
			asked = append(asked, target)
			mu.Unlock()
			status, body := "200 OK", links("/%zz", "/a/100%?x=5%", "/a/%41%4", "/%zz#again")
			if target == "/robots.txt" {
				status, body = "404 Not Found", ""
			}
			fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(body),
				body)
			c.Close()
		}
	}()
	w := newWorld(t)
	base := "http://" + l.Addr().String()
	w.crawl(base + "/")
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(asked)
	if want := []string{"/", "/%zz", "/a/%41%4", "/a/100%?x=5%", "/robots.txt"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if got := w.state(base + "/%zz").URL.URL; got != base+"/%zz" {
		t.Errorf("the frontier has %q", got)
	}
}

// TestSpeculative asks for what looks like an address only where the user wants it.
func TestSpeculative(t *testing.T) {
	t.Parallel()
	base := serve(t, site{
		"/":  links("/a") + `<script>fetch("/api/list"); x = "http://elsewhere.example/"</script>`,
		"/a": "", "/api/list": links("/b"), "/b": "",
	})
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /a")
	w = newWorld(t)
	w.options.Speculative = true
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /a", "200 /api/list", "200 /b")
}

func TestHeadersLeadOn(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Refresh", "0,b")
			w.Header().Set("Link", `<c>; rel="next"`)
		case "/b":
			w.Header().Set("Location", "/\xe9?\xe9")
			w.WriteHeader(http.StatusFound)
			return
		case "/c":
			w.Header().Set("Content-Location", "/d")
			w.WriteHeader(http.StatusNonAuthoritativeInfo)
		case "/d", "/\xe9":
		default:
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "<p>page "+r.URL.Path)
	}))
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "203 /c", "302 /b", "200 /%E9?%E9", "200 /d")
}

// TestTypesThatAreNotSaid has a page of XHTML that is called XML, a feed that is called
// HTML, and a page without a type.
func TestTypesThatAreNotSaid(t *testing.T) {
	t.Parallel()
	pages := map[string]struct{ mime, body string }{
		"/": {"text/xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x.js"/></head>
			<body><a href="/feed">F</a><a href="/none">N</a><a href="/text">T</a></body></html>`},
		"/feed": {"text/html", `<rss version="2.0"><channel><item><link>/item</link>
			<description><![CDATA[<a href="/in">in</a>]]></description></item></channel></rss>`},
		"/none":   {"unknown/unknown", `<html><a href="/found">x</a>`},
		"/text":   {"text/plain", "\x00\x01 <html><a href='/binary'>x</a>"},
		"/item":   {"text/html", "<p>item"},
		"/in":     {"text/html", "<p>in"},
		"/found":  {"text/html", "<p>found"},
		"/binary": {"text/html", "<p>binary"},
	}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", p.mime)
		fmt.Fprint(w, p.body)
	}))
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /feed", "200 /none", "200 /text", "200 /item", "200 /in", "200 /found")
	for _, e := range w.log {
		if want := map[string]string{base + "/": "application/xhtml+xml", base + "/feed": "application/rss+xml"}[e.URL]; want != "" &&
			e.MIME != want {
			t.Errorf("%s is called %s, want %s", e.URL, e.MIME, want)
		}
	}
}
