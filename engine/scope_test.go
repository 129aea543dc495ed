package engine

import (
	"net/url"
	"strings"
	"testing"
)

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestScope(t *testing.T) {
	const seed = "http://www.example.co.uk/forum/index.php?c=1"
	for _, c := range []struct {
		name  string
		rules ScopeRules
		seed  string
		in    []string
		out   []string
	}{
		{"page", ScopeRules{Type: ScopePage, MaxHops: -1}, seed,
			[]string{seed, "https://www.example.co.uk/forum/index.php?c=1"},
			[]string{"http://www.example.co.uk/forum/index.php", "http://www.example.co.uk/forum/index.php?c=2",
				"http://other.example/forum/index.php?c=1"}},
		{"prefix", ScopeRules{Type: ScopePrefix, MaxHops: -1}, seed,
			[]string{seed, "http://www.example.co.uk/forum/", "https://www.example.co.uk/forum/a/b?x=/../", "http://example.co.uk/forum/"},
			[]string{"http://www.example.co.uk/", "http://www.example.co.uk/forums/", "http://www.example.co.uk/forum",
				"http://example.co.uk/", "http://m.example.co.uk/forum/"}},
		{"prefix of a bare host", ScopeRules{Type: ScopePrefix, MaxHops: -1}, "http://a.example",
			[]string{"http://a.example/", "http://a.example/x/y"}, []string{"http://b.example/"}},
		{"prefix of a file", ScopeRules{Type: ScopePrefix, MaxHops: -1}, "http://a.example/blog",
			[]string{"http://a.example/blog", "http://a.example/other"}, nil},
		{"host", ScopeRules{Type: ScopeHost, MaxHops: -1}, seed,
			[]string{"http://www.example.co.uk/", "https://www.example.co.uk/x", "http://example.co.uk/"},
			[]string{"http://forum.example.co.uk/", "http://www.forum.example.co.uk/", "http://www.example.co.uk:8080/",
				"http://www.example.co.uk.evil.example/", "http://evil.example/www.example.co.uk/"}},
		{"host without www", ScopeRules{Type: ScopeHost, MaxHops: -1}, "http://forum.example.org/",
			[]string{"https://www.forum.example.org/x"}, []string{"http://www.example.org/", "http://example.org/"}},
		{"www of hosts that belong to many", ScopeRules{Type: ScopeHost, MaxHops: -1}, "http://www.github.io/",
			[]string{"http://www.github.io/x"}, []string{"http://github.io/"}},
		{"host with a port", ScopeRules{Type: ScopeHost, MaxHops: -1}, "http://a.example:8080/",
			[]string{"http://a.example:8080/x"}, []string{"http://a.example/x", "http://a.example:80800/"}},
		{"domain", ScopeRules{Type: ScopeDomain, MaxHops: -1}, seed,
			[]string{"http://example.co.uk/", "http://a.b.example.co.uk:8080/"},
			[]string{"http://other.co.uk/", "http://co.uk/", "http://notexample.co.uk/"}},
		{"domain of an address", ScopeRules{Type: ScopeDomain, MaxHops: -1}, "http://127.0.0.1:81/",
			[]string{"http://127.0.0.1:82/"}, []string{"http://128.0.0.1/", "http://0.0.1/"}},
		{"any", ScopeRules{Type: ScopeAny, MaxHops: -1}, seed, []string{"http://other.example/"}, []string{"http://invalid.invalid/"}},
		{"exclude", ScopeRules{Type: ScopeHost, MaxHops: -1, Exclude: []string{`/print/`, `[?&]sid=`}}, seed,
			[]string{"http://www.example.co.uk/x"}, []string{"http://www.example.co.uk/print/1", "http://www.example.co.uk/?a=1&sid=2"}},
		{"include", ScopeRules{Type: ScopeHost, MaxHops: -1, Include: []string{`/forum/`, `/blog/`}, Exclude: []string{"secret"}}, seed,
			[]string{seed, "http://www.example.co.uk/blog/1"},
			[]string{"http://www.example.co.uk/", "http://other.example/forum/", "http://www.example.co.uk/blog/secret"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := NewScope(c.rules, []*url.URL{mustURL(t, c.seed)})
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range c.in {
				if why := s.Reason(mustURL(t, raw), 0); why != "" {
					t.Errorf("%s is out of scope: %s", raw, why)
				}
			}
			for _, raw := range c.out {
				if s.Contains(mustURL(t, raw), 0) {
					t.Errorf("%s is in scope", raw)
				}
			}
		})
	}
}

func TestScopeCountsHops(t *testing.T) {
	seed := mustURL(t, "http://a.example/")
	for _, c := range []struct {
		most, hops int
		want       bool
	}{{-1, 1000, true}, {0, 0, true}, {0, 1, false}, {2, 2, true}, {2, 3, false}} {
		s, err := NewScope(ScopeRules{Type: ScopeHost, MaxHops: c.most}, []*url.URL{seed})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Contains(seed, c.hops); got != c.want {
			t.Errorf("at most %d hops: a URL %d hops away is in scope: %v", c.most, c.hops, got)
		}
	}
}

func TestScopeRefusesBadRules(t *testing.T) {
	for _, c := range []struct {
		rules ScopeRules
		want  string
	}{
		{ScopeRules{Type: "folder"}, "expected page, prefix, host, domain or any"},
		{ScopeRules{Type: ScopeHost, Include: []string{"("}}, "--include"},
		{ScopeRules{Type: ScopeHost, Exclude: []string{"["}}, "--exclude"},
	} {
		if _, err := NewScope(c.rules, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.rules, err, c.want)
		}
	}
}

func TestAddSeedWidens(t *testing.T) {
	for _, kind := range []ScopeType{ScopePage, ScopePrefix, ScopeHost, ScopeDomain} {
		s, err := NewScope(ScopeRules{Type: kind, MaxHops: -1}, []*url.URL{mustURL(t, "http://a.example/")})
		if err != nil {
			t.Fatal(err)
		}
		to := mustURL(t, "http://b.example/x/")
		if s.Contains(to, 0) {
			t.Errorf("%s: in scope before", kind)
		}
		if !s.AddSeed(to) || s.AddSeed(mustURL(t, "http://b.example/x/")) {
			t.Errorf("%s: AddSeed tells wrongly whether the scope is wider", kind)
		}
		if !s.Contains(to, 0) {
			t.Errorf("%s: out of scope after AddSeed", kind)
		}
	}
}

func TestSeedURL(t *testing.T) {
	for text, want := range map[string]string{
		"http://a.example":                      "http://a.example/",
		"HTTPS://A.Example:443/Forum/#top":      "https://a.example/Forum/",
		"a.example":                             "http://a.example/",
		"a.example:8080/x":                      "http://a.example:8080/x",
		"a.example/?u=http://b.example/":        "http://a.example/?u=http://b.example/",
		" http://a.example/a b ":                "http://a.example/a%20b",
		"http://a.example/100%":                 "http://a.example/100%",
		"http://a.example/%41%zz%4":             "http://a.example/%41%zz%4",
		"http://user:secret@a.example/":         "http://a.example/",
		"http://bücher.example/":                "http://xn--bcher-kva.example/",
		"http://[::1]:8080/":                    "http://[::1]:8080/",
		"http://a.example/viewtopic.php?t=1&p=": "http://a.example/viewtopic.php?t=1&p=",
	} {
		u, err := SeedURL(text)
		if err != nil || u.String() != want {
			t.Errorf("SeedURL(%q) = %v, %v; want %s", text, u, err, want)
		}
	}
	for _, text := range []string{"", "ftp://a.example/", "mailto:me@a.example", "javascript:alert(1)", "http://", "://x",
		"http://a b.example/", "http://a.example:99999/", "ht!tp:/x",
		"a.example,b.example", "file:///etc/passwd", "http://" + strings.Repeat("a", 5000)} {
		if u, err := SeedURL(text); err == nil {
			t.Errorf("SeedURL(%q) = %v, want an error", text, u)
		}
	}
}
