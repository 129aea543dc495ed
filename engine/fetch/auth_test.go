package fetch_test

import (
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine/fetch"
)

// guardedSite is a server that answers those who know the password; it notes each Authorization.
type guardedSite struct {
	challenges []string
	check      func(s *guardedSite, r *http.Request) bool

	mu    sync.Mutex
	got   []string
	nonce int
}

func (s *guardedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, r.Header.Get("Authorization"))
	if s.check(s, r) {
		io.WriteString(w, "inside")
		return
	}
	s.nonce++
	for _, c := range s.challenges {
		w.Header().Add("WWW-Authenticate", strings.ReplaceAll(c, "NONCE", fmt.Sprint("n", s.nonce)))
	}
	w.WriteHeader(http.StatusUnauthorized)
	io.WriteString(w, "who?")
}

func checkBasic(_ *guardedSite, r *http.Request) bool {
	user, password, _ := r.BasicAuth()
	return user == "me" && password == "p:ss wörd"
}

var digestField = regexp.MustCompile(`(\w+)="?([^",]*)`)

// checkDigest computes the answer by RFC 7616, section 3.4, for the newest nonce, which counts for lifetime requests.
func checkDigest(sum func() hash.Hash, lifetime int) func(*guardedSite, *http.Request) bool {
	h := func(parts ...string) string {
		d := sum()
		io.WriteString(d, strings.Join(parts, ":"))
		return fmt.Sprintf("%x", d.Sum(nil))
	}
	used := make(map[string]bool)
	return func(s *guardedSite, r *http.Request) bool {
		f := make(map[string]string)
		for _, m := range digestField.FindAllStringSubmatch(strings.TrimPrefix(r.Header.Get("Authorization"), "Digest "), -1) {
			f[m[1]] = m[2]
		}
		if f["nonce"] != fmt.Sprint("n", s.nonce) || used[f["nonce"]+f["nc"]] || f["uri"] != r.RequestURI ||
			len(used) >= lifetime*max(s.nonce, 1) {
			return false
		}
		a1, a2 := h("me", "the realm", "p:ss wörd"), h("GET", f["uri"])
		want := h(a1, f["nonce"], a2)
		if f["qop"] != "" {
			want = h(a1, f["nonce"], f["nc"], f["cnonce"], f["qop"], a2)
		}
		used[f["nonce"]+f["nc"]] = f["qop"] != ""
		return f["username"] == "me" && f["response"] == want
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	const basic, md5Digest = `Basic realm="the realm", charset="UTF-8"`,
		`Digest realm="the realm", nonce="NONCE", qop="auth-int, auth", opaque="o", algorithm=MD5`
	for _, c := range []struct {
		name       string
		challenges []string
		check      func(*guardedSite, *http.Request) bool
		scheme     string
		asked      int // requests for three pages
	}{
		{"basic", []string{basic}, checkBasic, "Basic", 4},
		{"digest", []string{md5Digest}, checkDigest(md5.New, 99), "Digest", 4},
		{"digest without qop", []string{`digest nonce="NONCE", realm="the realm"`}, checkDigest(md5.New, 99), "Digest", 4},
		{"digest of SHA-256", []string{`Digest realm="the realm", nonce="NONCE", qop="auth", algorithm=SHA-256`},
			checkDigest(sha256.New, 99), "Digest", 4},
		{"digest before basic", []string{basic, md5Digest}, checkDigest(md5.New, 99), "Digest", 4},
		{"both in one field", []string{basic + ", " + md5Digest}, checkDigest(md5.New, 99), "Digest", 4},
		{"digest that nobody knows, and basic", []string{strings.Replace(md5Digest, "MD5", "ROT13", 1), basic}, checkBasic, "Basic", 4},
		{"nonces for one request", []string{md5Digest}, checkDigest(md5.New, 1), "Digest", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := &guardedSite{challenges: c.challenges, check: c.check}
			server := httptest.NewServer(site)
			defer server.Close()
			login := strings.Replace(server.URL, "http://", "http://me:p%3Ass%20w%C3%B6rd@", 1)
			client := newClient(t, fetch.Options{Logins: []string{login}})
			for _, page := range []string{"/a", "/b?c=%20", "/"} {
				ex := do(t, client, server.URL+page)
				if body, err := ex.Body(0); string(body) != "inside" || err != nil {
					t.Errorf("%s: %q, %v", page, body, err)
				}
				if ex.Authorization != c.scheme || strings.Contains(string(ex.Request), "Authorization") {
					t.Errorf("%s: scheme %q, request %q", page, ex.Authorization, ex.Request)
				}
			}
			if len(site.got) != c.asked {
				t.Errorf("%d requests, want %d", len(site.got), c.asked)
			}
			ex := do(t, newClient(t, fetch.Options{}), login+"/a") // a password in the URL of a request
			if ex.Status != 200 && c.name != "nonces for one request" {
				t.Errorf("with the password in the URL: status %d", ex.Status)
			}
		})
	}
}

// A password goes to whom it belongs, when asked for, and wrong ones end.
func TestPasswordsThatAreNotSent(t *testing.T) {
	t.Parallel()
	wrong := &guardedSite{challenges: []string{`Basic realm="r"`}, check: func(*guardedSite, *http.Request) bool { return false }}
	open := &guardedSite{check: func(*guardedSite, *http.Request) bool { return true }}
	other := &guardedSite{challenges: []string{`Basic realm="r"`}, check: checkBasic}
	odd := &guardedSite{challenges: []string{`Negotiate`, `Digest`, `Basically`}, check: checkBasic}
	renewed := &guardedSite{challenges: []string{`Digest realm="r", nonce="NONCE", stale=true`},
		check: func(*guardedSite, *http.Request) bool { return false }}
	var logins, urls []string
	for _, s := range []*guardedSite{wrong, open, other, odd, renewed} {
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		urls = append(urls, server.URL)
		if s != other {
			logins = append(logins, strings.Replace(server.URL, "http://", "http://me:secret@", 1))
		}
	}
	client := newClient(t, fetch.Options{Logins: logins})
	for i, want := range []int{2, 1, 1, 1, 3} {
		ex := do(t, client, urls[i])
		site := []*guardedSite{wrong, open, other, odd, renewed}[i]
		if len(site.got) != want || i > 0 && i < 4 && strings.Join(site.got, "") != "" {
			t.Errorf("server %d saw %q, status %d", i, site.got, ex.Status)
		}
		if body, err := ex.Body(0); i != 1 && (string(body) != "who?" || err != nil) {
			t.Errorf("server %d: the answer kept is %q, %v", i, body, err)
		}
	}
	if _, err := fetch.New(fetch.Options{Logins: []string{"http://me:secret@/"}}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a login without a host: %v", err)
	}
}
