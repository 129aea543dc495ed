package fetch_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/awarc/awarc/engine/fetch"
)

// sentCookie returns the Cookie header of an exchange, "" when it has none.
func sentCookie(ex *fetch.Exchange) string {
	_, rest, _ := strings.Cut(string(ex.Request), "\r\nCookie: ")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

func TestCookiesOfTheSession(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			w.Header().Add("Set-Cookie", "sid=abc; Path=/; HttpOnly")
			w.Header().Add("Set-Cookie", "only=here; Path=/forum")
		}
		io.WriteString(w, r.Header.Get("Cookie"))
	}))
	defer server.Close()
	client := newClient(t, fetch.Options{})
	do(t, client, server.URL+"/login")
	for path, want := range map[string]string{"/": "sid=abc", "/forum/1?x": "only=here; sid=abc"} {
		ex := do(t, client, server.URL+path)
		if body, err := ex.Body(0); string(body) != want || err != nil || sentCookie(ex) != want {
			t.Errorf("%s: cookies %q (recorded %q), %v, want %q", path, body, sentCookie(ex), err, want)
		}
	}
	if got := sentCookie(do(t, newClient(t, fetch.Options{}), server.URL)); got != "" {
		t.Errorf("another client sends %q", got)
	}
}

func utf16LE(s string) string {
	b := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// Files as browsers' extensions and editors write them.
func TestOddCookieFiles(t *testing.T) {
	t.Parallel()
	server := answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false)
	for name, text := range map[string]string{
		"byte order mark":    "\ufeff127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n",
		"mark and comment":   "\ufeff# Netscape HTTP Cookie File\r\n127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\r\n",
		"fraction":           "127.0.0.1\tFALSE\t/\tFALSE\t4102444800.123\ta\tb\n",
		"exponent":           "127.0.0.1\tFALSE\t/\tFALSE\t1e99\ta\tb\n",
		"no expiry":          "127.0.0.1\tFALSE\t/\tFALSE\t\ta\tb\n",
		"negative":           "127.0.0.1\tFALSE\t/\tFALSE\t-1\ta\tb\n",
		"spaces":             "127.0.0.1  FALSE  /  FALSE  0  a  b\n",
		"hidden from script": "#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n",
		"UTF-16":             utf16LE("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\r\n"),
		"CR only":            "# of a Mac\r127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\r",
		"leading spaces":     "   127.0.0.1 FALSE / FALSE 0 a b\n",
		"some tabs":          "127.0.0.1\tFALSE / FALSE\t0 a b\n",
		"lower case":         "127.0.0.1\tfalse\t/\tfalse\t0\ta\tb\n",
		"milliseconds":       "127.0.0.1\tFALSE\t/\tFALSE\t4102444800123\ta\tb\n",
		"a port":             "127.0.0.1:8080\tFALSE\t/\tFALSE\t0\ta\tb\n",
		"a URL":              "http://127.0.0.1/x\tFALSE\t/\tFALSE\t0\ta\tb\n",
		"subdomains of IPs":  "127.0.0.1\tTRUE\t/\tFALSE\t0\ta\tb\n",
		"no path":            "127.0.0.1\tFALSE\t\tFALSE\t0\ta\tb\n",
		"bad neighbours":     "one field\n127.0.0.1\tFALSE\t/\tFALSE\tsoon\tc\td\n127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n",
		"EditThisCookie": `[{"domain":"127.0.0.1","expirationDate":4102444800.5,"hostOnly":true,"httpOnly":true,"name":"a","path":"/",
			"sameSite":"unspecified","secure":false,"session":false,"storeId":"0","value":"b","id":1}]`,
		"Cookie-Editor": `[{"domain":"127.0.0.1","expirationDate":null,"hostOnly":true,"httpOnly":false,"name":"a","path":"/",
			"sameSite":null,"secure":false,"session":true,"storeId":null,"value":"b"}]`,
		"Playwright": "\ufeff" + `{"cookies":[{"name":"a","value":"b","domain":"127.0.0.1","path":"/","expires":-1,"httpOnly":false,
			"secure":false,"sameSite":"Lax"}],"origins":[]}`,
		"Puppeteer": `[{"name":"a","value":"b","domain":"127.0.0.1","path":"/","expires":1e12,"size":2,"session":false}]`,
		"Selenium":  `[{"name":"a","value":"b","domain":"127.0.0.1","path":"/","expiry":"4102444800"}]`,
		"bad items": `[1,{"name":"c"},{"name":"a","value":"b","domain":"127.0.0.1","path":"/","expires":0}]`,
	} {
		file := filepath.Join(t.TempDir(), "cookies.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := sentCookie(do(t, newClient(t, fetch.Options{Cookies: file}), "http://"+server.addr)); got != "a=b" {
			t.Errorf("%s: sent %q", name, got)
		}
	}
}

func TestCookieFile(t *testing.T) {
	t.Parallel()
	server := answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false)
	file := filepath.Join(t.TempDir(), "cookies.txt")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# Netscape HTTP Cookie File\r\n\n" +
		"forum.site.example\tFALSE\t/\tFALSE\t0\tsession\tone\n" +
		"#HttpOnly_forum.site.example\tFALSE\t/\tFALSE\t4102444800\thidden\ttwo\n" +
		".site.example\tTRUE\t/\tFALSE\t0\tdomain\tthree\n" +
		"forum.site.example\tFALSE\t/\tFALSE\t0\tempty\n" +
		"forum.site.example\tFALSE\t/\tFALSE\t1000000000\told\tgone\n" +
		"forum.site.example\tFALSE\t/other\tFALSE\t0\tpath\tno\n" +
		"site.example\tFALSE\t/\tFALSE\t0\tparent\tno\n" +
		"forum.site.example\tFALSE\t/\tTRUE\t0\tsecure\tno\n")
	client := newClient(t, fetch.Options{Cookies: file, Proxy: "http://" + server.addr})
	if got := sentCookie(do(t, client, "http://forum.site.example/")); got != "session=one; hidden=two; domain=three; empty=" {
		t.Errorf("cookies %q", got)
	}
	for _, bad := range []string{"one field", "a\tFALSE\t/\tFALSE\tsoon\tn\tv"} {
		write("# comment\n" + bad)
		if _, err := fetch.New(fetch.Options{Cookies: file}); err == nil || !strings.Contains(err.Error(), "cookies.txt:2") {
			t.Errorf("%q: error %v does not name the line", bad, err)
		}
	}
}

// A site that sets new cookies for ever neither fills the memory nor makes requests that no server takes.
func TestCookieFlood(t *testing.T) {
	t.Parallel()
	for _, size := range []int{5, 200} {
		n := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 50 {
				n++
				w.Header().Add("Set-Cookie", fmt.Sprintf("c%d=%s; Path=/", n, strings.Repeat("v", size)))
			}
			w.Header().Add("Set-Cookie", "huge="+strings.Repeat("v", 5000))
		}))
		client := newClient(t, fetch.Options{})
		var ex *fetch.Exchange
		for range 10 {
			ex = do(t, client, server.URL)
		}
		server.Close()
		got := sentCookie(ex)
		if len(got) > 17<<10 || strings.Contains(got, "huge") || !strings.Contains(got, "c1=") {
			t.Errorf("Cookie header of %d bytes", len(got))
		}
		if n := strings.Count(got, "="); size == 5 && n != 180 {
			t.Errorf("%d cookies are kept", n)
		}
	}
}

// Hosts, values and expiries in the spellings of files; what is wrong is named with its line.
func TestReadCookies(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cookies.txt")
	text := "# Netscape HTTP Cookie File\r\n" +
		".Example.ORG\tFALSE\t/\tFALSE\t0\ta\tone two\tthree\r\n" +
		"bücher.example\tTRUE\t/\tFALSE\t1805757611.123\ta\t\r\n" +
		"[::1]:8080\tFALSE\t/\tFALSE\t-5\ta\tb=c\r\n" +
		"::1\tFALSE\t/\tFALSE\t1e99\ta\r\n" +
		"example.org FALSE / FALSE 0 a one two\r\n" +
		"\tFALSE\t/\tFALSE\t0\ta\tb\r\n" +
		"example.org\tFALSE\t/\tFALSE\t0\t\tb\r\n" +
		"example.org\tFALSE\t/\tFALSE\tnan\ta\tb\r\n" +
		"example.org\tFALSE\t/\tFALSE\t0\ta\tb\x00\r\n" +
		"example.org\tFALSE\t/\tFALSE\t0\ta\t" + strings.Repeat("b", 5000) + "\r\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := fetch.ReadCookies(file)
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for _, c := range got.Cookies {
		hosts = append(hosts, fmt.Sprint(c.Host, " ", c.Subdomains, " ", c.Expires.IsZero()))
	}
	want := "[example.org true true xn--bcher-kva.example true false ::1 false true ::1 false false example.org false true]"
	if fmt.Sprint(hosts) != want {
		t.Errorf("cookies %v\n   want %s", hosts, want)
	}
	for i, n := range []int{7, 8, 9, 10, 11} {
		if place := fmt.Sprintf("cookies.txt:%d: ", n); i >= len(got.Wrong) || !strings.Contains(got.Wrong[i].Error(), place) {
			t.Errorf("wrong lines %v, want one at %s", got.Wrong, place)
		}
	}
}

// No file makes the reader panic, and each cookie can be sent.
func FuzzCookieFile(f *testing.F) {
	f.Add([]byte("\ufeff127.0.0.1\tFALSE\t/\tFALSE\t1805757611.123\ta\tb\n"))
	f.Add([]byte("#HttpOnly_.example.org TRUE / TRUE -1 a"))
	f.Add([]byte(utf16LE("a b c d e f g")))
	f.Add([]byte(`[{"domain":".example.org","name":"a","value":"b","expires":1e99}]`))
	f.Add([]byte(`{"cookies":[null,1,{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "cookies.txt")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := fetch.ReadCookies(file)
		if err != nil {
			return
		}
		for _, c := range got.Cookies {
			if c.Host == "" || strings.ContainsAny(c.Host, "/ \r\n") || !c.For(c.Host) {
				t.Errorf("host %q", c.Host)
			}
		}
		client, err := fetch.New(fetch.Options{Cookies: file})
		if err != nil {
			t.Fatal(err)
		}
		client.Close()
	})
}
