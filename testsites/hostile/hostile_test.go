package hostile

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// The bytes in the table of encodings are what the languages' texts are in them.
func TestEncodedTexts(t *testing.T) {
	for _, e := range encoded() {
		enc, err := htmlindex.Get(e[0])
		if err != nil {
			t.Fatal(err)
		}
		data, err := base64.StdEncoding.DecodeString(e[2])
		if err != nil {
			t.Fatal(err)
		}
		text, err := enc.NewDecoder().Bytes(data)
		if err != nil || string(text) != texts()[e[1]] {
			t.Errorf("%s: %v: %s", e[0], err, text)
		}
	}
}

func TestTable(t *testing.T) {
	all := Misdeeds()
	if len(all) < 400 {
		t.Errorf("%d misdeeds; is a chapter missing?", len(all))
	}
	names, hosts := map[string]bool{}, map[string]*secure{}
	for _, m := range all {
		if names[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		names[m.Name] = true
		if m.Does == "" || m.Want == "" || strings.ContainsAny(m.Name, " /?;") {
			t.Errorf("%s says too little, or its name is no part of an address: %+v", m.Name, m)
		}
		if m.answer == nil && m.robots == nil && m.secure == nil {
			t.Errorf("%s does nothing wrong", m.Name)
		}
		if other, known := hosts[m.Host]; known && other != m.secure {
			t.Errorf("%s has a host that others speak to in another way", m.Name)
		}
		hosts[m.Host] = m.secure
	}
}

// A plain client sees the main page, a chapter, a good page behind a misdeed, and what it asked for is counted.
func TestServed(t *testing.T) {
	s, err := Start(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	base := strings.TrimSuffix(s.Seeds()[0], "/")
	for path, want := range map[string]string{
		"/": "/list/framing", "/list/framing": "/x/length-twice", "/x/length-twice": "/good/behind-length-twice",
		"/good/behind-length-twice": "<h1>",
		"/x/brotli":                 "\x03", "/robots.txt": "Disallow: /never/", "/nothing": "no such page",
	} {
		r, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %v, without %q: %.200s", path, err, want, body)
		}
	}
	for _, m := range s.Misdeeds() {
		if n := s.Asked(m); (n == 1) != (m.Name == "length-twice" || m.Name == "brotli") {
			t.Errorf("%s was asked for %d times", m.Name, n)
		}
	}
	if strays := s.Strays(); len(strays) > 0 {
		t.Error(strays)
	}
}
