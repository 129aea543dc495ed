package engine

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func bound(text string) *Bound {
	b := new(Bound)
	if err := b.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return b
}

func ruled(t *testing.T, kind ScopeType, rules ...ScopeRule) *Scope {
	t.Helper()
	for i := range rules {
		rules[i].Name = "rule " + string(rune('1'+i))
	}
	s, err := NewScope(ScopeRules{Type: kind, MaxHops: -1, Rules: rules}, []*url.URL{mustURL(t, "http://a.example/")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScopeRules(t *testing.T) {
	const a, b = "http://a.example", "http://b.example"
	for _, c := range []struct {
		name  string
		rules []ScopeRule
		in    []string
		out   []string
	}{
		{"none", nil, []string{a + "/x"}, []string{b + "/"}},
		{"exclude narrows", []ScopeRule{{Effect: Exclude, When: Conditions{{URL: Texts{`[?&]sid=`, "print"}}}}},
			[]string{a + "/x"}, []string{a + "/?sid=1", a + "/print/1", b + "/x"}},
		{"only narrows", []ScopeRule{{Effect: Only, When: Conditions{{Path: Texts{"/forum/"}}}}},
			[]string{a + "/forum/", a + "/forum/x?y"}, []string{a + "/", a + "/forum", b + "/forum/"}},
		{"also widens", []ScopeRule{{Effect: Also, When: Conditions{{Host: Texts{"*.b.example"}}}}},
			[]string{a + "/", "http://x.b.example:81/y"}, []string{b + "/", "http://x.b.example.evil.example/"}},
		{"the first that decides", []ScopeRule{{Effect: Also, When: Conditions{{Path: Texts{"/x/ok"}}}},
			{Effect: Exclude, When: Conditions{{Path: Texts{"/x/"}}}}},
			[]string{a + "/x/ok", b + "/x/ok"}, []string{a + "/x/"}},
		{"all of a condition", []ScopeRule{{Effect: Exclude, When: Conditions{{Path: Texts{"/x/"}, Depth: bound("over 2")}}}},
			[]string{a + "/x/y", a + "/y/y/y"}, []string{a + "/x/y/z", a + "/x//y/z/"}},
		{"one of a list", []ScopeRule{{Effect: Only, When: Conditions{{Path: Texts{"/x/"}}, {URL: Texts{"=1$"}}}}},
			[]string{a + "/x/y", a + "/?a=1"}, []string{a + "/?a=12"}},
		{"not", []ScopeRule{{Effect: Exclude, When: Conditions{{Path: Texts{"/x/"}, Not: &Conditions{{Path: Texts{"*.html$", "*/$"}}}}}}},
			[]string{a + "/x/y.html", a + "/x/", a + "/y"}, []string{a + "/x/y", a + "/x/y.html?z"}},
		{"host with a port", []ScopeRule{{Effect: Also, When: Conditions{{Host: Texts{"b.example:81", "[::1]", "BÜCHER.example"}}}}},
			[]string{b + ":81/", "http://[::1]:8/", "http://xn--bcher-kva.example/"}, []string{b + "/", b + ":82/"}},
		{"what the answer says keeps nothing out before",
			[]ScopeRule{{Effect: Exclude, When: Conditions{{MIME: Texts{"video/*"}}, {Size: bound("over 1K")}}},
				{Effect: Only, When: Conditions{{Lang: Texts{"de"}}}}},
			[]string{a + "/x"}, []string{b + "/x"}},
		{"what is known decides all the same", []ScopeRule{{Effect: Exclude,
			When: Conditions{{MIME: Texts{"video/*"}, Path: Texts{"/v/"}}, {Path: Texts{"/w/"}}}}},
			[]string{a + "/v/"}, []string{a + "/w/"}},
		{"no URL", []ScopeRule{{Effect: Also, When: Conditions{{Path: Texts{"/"}}}}}, []string{b + "/"},
			[]string{"http://" + nowhere + "/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ruled(t, ScopeHost, c.rules...)
			for _, raw := range c.in {
				if why := s.Reason(mustURL(t, raw), 1); why != "" {
					t.Errorf("%s is out of scope: %s", raw, why)
				}
			}
			for _, raw := range c.out {
				if s.Contains(mustURL(t, raw), 1) {
					t.Errorf("%s is in scope", raw)
				}
			}
		})
	}
}

func TestScopeRulesCountHops(t *testing.T) {
	s := ruled(t, ScopeHost, ScopeRule{Effect: Exclude, When: Conditions{{Hops: bound("over 1"), Path: Texts{"/far/"}}}},
		ScopeRule{Effect: Also, When: Conditions{{Hops: bound("under 2")}}})
	for _, c := range []struct {
		url  string
		hops int
		in   bool
	}{{"http://a.example/far/", 1, true}, {"http://a.example/far/", 2, false}, {"http://a.example/", 9, true},
		{"http://b.example/", 1, true}, {"http://b.example/", 2, false}} {
		if got := s.Contains(mustURL(t, c.url), c.hops); got != c.in {
			t.Errorf("%s at %d hops is in scope: %v", c.url, c.hops, got)
		}
	}
}

// What users name, and what pages need, is kept out by exclude alone.
func TestOnlyLeavesSeedsAlone(t *testing.T) {
	s := ruled(t, ScopeHost, ScopeRule{Effect: Only, When: Conditions{{Path: Texts{"/forum/"}}}},
		ScopeRule{Effect: Exclude, When: Conditions{{Path: Texts{"/ad/"}}}})
	for path, in := range map[string]bool{"http://b.example/style.css": true, "http://b.example/ad/x.gif": false} {
		if got := !s.decide(mustURL(t, path), 3, true).out; got != in {
			t.Errorf("%s is in scope: %v", path, got)
		}
	}
}

func TestScopeRulesOfAnswers(t *testing.T) {
	rules := []ScopeRule{
		{Effect: Also, When: Conditions{{Path: Texts{"/films/"}}}},
		{Effect: Exclude, When: Conditions{{MIME: Texts{"video/*"}, Not: &Conditions{{Size: bound("under 1000")}}}}},
		{Effect: Exclude, When: Conditions{{Size: bound("over 10K")}}},
		{Effect: Only, When: Conditions{{Lang: Texts{"de", "pt-BR", "no"}}}},
		{Effect: Exclude, When: Conditions{{Path: Texts{"/x/"}}}},
	}
	set := ruled(t, ScopeHost, rules...).rules.Load()
	if !set.ofAnswer || !set.ofPage || !slices.Equal(set.sizes, []int64{1000, 10 << 10}) {
		t.Errorf("ofAnswer %v, ofPage %v, sizes %v", set.ofAnswer, set.ofPage, set.sizes)
	}
	for _, c := range []struct {
		path, mime string
		size       int64
		lang       string
		out        bool
	}{
		{"/", "", -1, "", false},
		{"/", "video/mp4", -1, "", false}, // it may be a short one
		{"/", "video/mp4", 1000, "", true},
		{"/", "video/mp4", 999, "", false},
		{"/films/", "video/mp4", 1 << 30, "", false},
		{"/", "text/html", 10 << 10, "", false},
		{"/", "text/html", 10<<10 + 1, "", true},
		{"/", "text/html", 1, "de-AT", false},
		{"/", "text/html", 1, "DE", false},
		{"/", "text/html", 1, "en", true},
		{"/", "text/html", 1, "pt", true},
		{"/", "text/html", 1, "pt-br", false},
		{"/", "text/html", 1, "nb", false},
		{"/x/", "text/html", 1, "de", false}, // asked before the request
	} {
		f := before(mustURL(t, "http://a.example"+c.path), 1, false)
		f.mime, f.size, f.lang = c.mime, c.size, c.lang
		if v := set.decide(&f, true); v.out != c.out {
			t.Errorf("%+v: out of scope %v, want %v (%s)", c, v.out, c.out, v.why)
		}
	}
}

func TestUseReplacesRules(t *testing.T) {
	s := ruled(t, ScopeHost, ScopeRule{Effect: Exclude, When: Conditions{{Path: Texts{"/x/"}}}})
	x, y := mustURL(t, "http://a.example/x/"), mustURL(t, "http://a.example/y/")
	if err := s.Use([]ScopeRule{{Effect: Exclude, When: Conditions{{URL: Texts{"("}}}, Name: "rule 1"}}); err == nil || s.Contains(x, 0) ||
		!s.Contains(y, 0) {
		t.Errorf("a wrong rule: error %v, or the old rules did not stay", err)
	}
	if err := s.Use([]ScopeRule{{Effect: Exclude, When: Conditions{{Path: Texts{"/y/"}}}, Name: "rule 1"}}); err != nil ||
		!s.Contains(x, 0) || s.Contains(y, 0) {
		t.Errorf("a right rule: error %v, or the old rules stayed", err)
	}
	if err := s.Use(nil); err != nil || !s.Contains(x, 0) || !s.Contains(y, 0) || !s.rules.Load().changes {
		t.Errorf("no rules: error %v, or the old rules stayed, or URLs that wait are not decided about any more", err)
	}
}

func TestScopeRulesAreChecked(t *testing.T) {
	for want, r := range map[string]ScopeRule{
		"expected exclude, only or also": {Effect: "skip", When: Conditions{{Path: Texts{"/"}}}},
		"rule 1: no condition":           {Effect: Exclude, When: Conditions{{}}},
		"rule 1: not: no condition":      {Effect: Exclude, When: Conditions{{Not: &Conditions{}}}},
		"rule 1: url: error parsing":     {Effect: Exclude, When: Conditions{{URL: Texts{"a", "("}}}},
		"does not start with /":          {Effect: Exclude, When: Conditions{{Path: Texts{"x"}}}},
		"invalid host name":              {Effect: Exclude, When: Conditions{{Host: Texts{"http://a.example/"}}}},
		"invalid media type":             {Effect: Exclude, When: Conditions{{MIME: Texts{"video"}}}},
		"invalid language":               {Effect: Exclude, When: Conditions{{Lang: Texts{"german"}}}},
		"host: it is empty":              {Effect: Exclude, When: Conditions{{Host: Texts{""}}}},
		"use them in exclude":            {Effect: Also, When: Conditions{{Path: Texts{"/"}, Not: &Conditions{{Size: bound("over 1")}}}}},
	} {
		r.Name = "rule 1"
		if _, err := NewScope(ScopeRules{Type: ScopeHost, MaxHops: -1, Rules: []ScopeRule{r}}, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for _, text := range []string{"", "3", "over", "over  3", "over -1", "over 3k", "under 9999999999999T", "over 1.5M", "over 3 "} {
		if err := new(Bound).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken as a bound", text)
		}
	}
}

func TestDeclaredSize(t *testing.T) {
	for _, c := range []struct {
		length, coding string
		want           int64
	}{{"12", "", 12}, {"", "", -1}, {"-1", "", -1}, {"12", "chunked", -1}, {"1e3", "", -1}} {
		h := http.Header{}
		h.Set("Content-Length", c.length)
		h.Set("Transfer-Encoding", c.coding)
		if got := declaredSize(h); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func FuzzSeedURL(f *testing.F) {
	for _, seed := range []string{"a.example", "http://a.example:8080/x y?z=%zz#f", "HTTPS://Ä.example/", "mailto:a@b", "http://[::1]/",
		"//a//b", "http://a%00b/", "a.example/%", "http://1.2.3/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if u := parseURL(text); u == nil {
			t.Fatal("no URL")
		}
		u, err := SeedURL(text)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Host == nowhere || u.User != nil {
			t.Fatalf("%q becomes %q", text, u)
		}
		again, err := SeedURL(u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q becomes %q, and that becomes %v, %v", text, u, again, err)
		}
	})
}
