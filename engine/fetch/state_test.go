package fetch

import (
	"context"
	"crypto/md5"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// witness is a server that tells, and wants, what clients hold.
type witness struct {
	mu   sync.Mutex
	last int      // digest counter
	saw  []string // of each request that was let in
}

func (m *witness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count := ""
	for _, f := range regexp.MustCompile(`(\w+)="?([^",]*)`).FindAllStringSubmatch(r.Header.Get("Authorization"), -1) {
		if f[1] == "nc" {
			count = f[2]
		}
	}
	n, _ := strconv.ParseInt(count, 16, 64)
	if int(n) <= m.last {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Digest realm="r", qop="auth", nonce="%x", algorithm=MD5`, md5.Sum([]byte(count))))
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	m.last = int(n)
	m.saw = append(m.saw, fmt.Sprintf("%s nc %d: %s", r.URL.Path, n, r.Header.Get("Cookie")))
	http.SetCookie(w, &http.Cookie{Name: "turn", Value: strconv.Itoa(len(m.saw)), Path: "/"})
	http.SetCookie(w, &http.Cookie{Name: "near", Value: r.URL.Path}) // of the folder of the page
	switch len(m.saw) {
	case 1:
		http.SetCookie(w, &http.Cookie{Name: "long", Value: "kept", MaxAge: 3600})
		http.SetCookie(w, &http.Cookie{Name: "taken", Value: "away"})
		http.SetCookie(w, &http.Cookie{Name: "deep", Value: "1", Path: "/deep/"})
		w.Header().Add("Set-Cookie", "odd=a\xff\"b; Path=/")
	case 3:
		http.SetCookie(w, &http.Cookie{Name: "taken", MaxAge: -1})
	}
}

// A client that is made after each request with the state of the one before, which was not closed, is to the server the client that
// made all of them; a line that was cut off counts for nothing.
func TestStateGoesOn(t *testing.T) {
	requests := func(name string, anew bool) []string {
		var m witness
		server := httptest.NewServer(&m)
		defer server.Close()
		options := Options{State: name, Logins: []string{strings.Replace(server.URL, "://", "://ada:pw@", 1)}}
		var c *Client
		for i, path := range []string{"/", "/deep/a", "/b", "/deep/c", "/d", "/b", "/deep/a", "/e"} {
			if c == nil || anew {
				var err error
				if c, err = New(options); err != nil {
					t.Fatal(err)
				}
			}
			ex, err := c.Do(context.Background(), server.URL+path, nil)
			if err != nil || ex.Status != http.StatusOK {
				t.Fatalf("%d: %v", i, err)
			}
			ex.Close()
			if anew {
				f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(f, `{"key":"cookie 127.0.0.1\tturn","cook`)
				f.Close()
			}
		}
		for i := range m.saw {
			m.saw[i] = strings.ReplaceAll(m.saw[i], server.URL, "")
		}
		return m.saw
	}
	name := filepath.Join(t.TempDir(), "client.jsonl")
	got, want := requests(name, true), requests("", false)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the server saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// The file has at most as many bytes of lines that do not count as of those that do, and some.
func TestStateIsBounded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "client.jsonl")
	s, err := openState(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 30_000 {
		s.put(held{Key: fmt.Sprint("login ", n%10), Challenge: strings.Repeat("x", 100), Count: n})
	}
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.close()
	info, err := os.Stat(name)
	if err != nil || info.Size() > stateSlack+2*s.live+1000 {
		t.Errorf("%d bytes, %d of which count: %v", info.Size(), s.live, err)
	}
	counts := map[string]int{}
	if _, err = openState(name, func(h held) { counts[h.Key] = h.Count }); err != nil || len(counts) != 10 || counts["login 9"] != 29_999 {
		t.Errorf("%v, %v", counts, err)
	}
}
