package kb_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// urlRules has every form of rule.
const urlRules = typ + `<urls>
	<drop param="sid"/><drop param="utm_*"/><drop param="seen[at]"/><drop param="f" with="t" path="view.php"/>
	<default param="start" value="0"/><default param="sort" value="a b" path="list.php"/><default param="empty" value=""/>
	<paging param="start"/><paging path="/page/{n}/"/><paging path="/page{n}"/>
	<prefer url="show.php?t={t}&amp;start={n}"><from>thread-{t}-{n}.html</from></prefer>
	<prefer url="show.php?t={t}"><from>{*}-t{t}.html</from><from>show.php?{t}-{*}</from><from>threads/{t}</from></prefer>
	<prefer url="./"><from>index.php</from></prefer>
	<address level="topic">show.php?t={t}</address><address level="topic" part="yes">show.php?p={p}</address>
	<address level="list">list/{f}/</address><address level="list">{y:4}/{m:2}/</address>
</urls></type>` + close

func rules(t testing.TB) *kb.URLRules { return &load(t, urlRules).Type("t").URLs }

func TestURLs(t *testing.T) {
	r := rules(t)
	for _, c := range []struct{ name, url, fetchable, key, object string }{
		{"nothing to do", "/a?b=1", "/a?b=1", "/a?b=1", "/a?b=1"},
		{"no path", "", "", "/", "/"},
		{"a fragment", "/a#b", "/a", "/a", "/a"},
		{"an empty query", "/a?", "/a?", "/a", "/a"},
		{"empty parameters", "/a?&b&&c=&", "/a?&b&&c=&", "/a?b&c=", "/a?b&c="},
		{"order", "/a?c=1&b=2&a", "/a?c=1&b=2&a", "/a?a&b=2&c=1", "/a?a&b=2&c=1"},
		{"repeated parameters keep theirs", "/a?x=2&b=1&x=1", "/a?x=2&b=1&x=1", "/a?b=1&x=2&x=1", "/a?b=1&x=2&x=1"},
		{"a dropped parameter", "/a?b=1&sid=x", "/a?b=1", "/a?b=1", "/a?b=1"},
		{"written with escapes", "/a?%73id=x&b", "/a?b", "/a?b", "/a?b"},
		{"every time", "/a?sid=1&b&sid&sid=2", "/a?b", "/a?b", "/a?b"},
		{"by its begin", "/a?utm_source=x&utm_=&utmx=1", "/a?utmx=1", "/a?utmx=1", "/a?utmx=1"},
		{"with brackets in its name", "/a?seen[at]=1&seena=2", "/a?seena=2", "/a?seena=2", "/a?seena=2"},
		{"not by its case", "/a?SID=x", "/a?SID=x", "/a?SID=x", "/a?SID=x"},
		{"only with another, on a path", "/x/view.php?f=1&t=2", "/x/view.php?t=2", "/x/view.php?t=2", "/x/view.php?t=2"},
		{"not without it", "/view.php?f=1", "/view.php?f=1", "/view.php?f=1", "/view.php?f=1"},
		{"not on another path", "/list.php?f=1&t=2", "/list.php?f=1&t=2", "/list.php?f=1&t=2", "/list.php?f=1&t=2"},
		{"a default and paging", "/a?start=0", "/a?start=0", "/a", "/a"},
		{"another value", "/a?start=20&b", "/a?start=20&b", "/a?b&start=20", "/a?b"},
		{"a default with escapes, on a path", "/list.php?sort=a+b", "/list.php?sort=a+b", "/list.php", "/list.php"},
		{"the same elsewhere", "/b.php?sort=a%20b", "/b.php?sort=a%20b", "/b.php?sort=a%20b", "/b.php?sort=a%20b"},
		{"an empty default, both ways", "/a?empty&empty=", "/a?empty&empty=", "/a", "/a"},
		{"paging in the path", "/a/page/2/", "/a/page/2/", "/a/page/2/", "/a/"},
		{"at its end", "/a/page2?b", "/a/page2?b", "/a/page2?b", "/a?b"},
		{"within", "/a/page2/b", "/a/page2/b", "/a/page2/b", "/a/b"},
		{"nothing but paging", "/page2", "/page2", "/page2", "/"},
		{"no paging", "/a/page2-of-my-diary", "/a/page2-of-my-diary", "/a/page2-of-my-diary", "/a/page2-of-my-diary"},
		{"escapes stay", "/a%2Fb/page2?x=%C3%A9&y=%zz", "/a%2Fb/page2?x=%C3%A9&y=%zz", "/a%2Fb/page2?x=%C3%A9&y=%zz",
			"/a%2Fb?x=%C3%A9&y=%zz"},
		{"a preferred form", "/f/some-name-t12.html", "/f/some-name-t12.html", "/f/show.php?t=12", "/f/show.php?t=12"},
		{"with paging", "/f/thread-12-40.html?sid=1", "/f/thread-12-40.html", "/f/show.php?start=40&t=12", "/f/show.php?t=12"},
		{"and its default", "/f/thread-12-0.html", "/f/thread-12-0.html", "/f/show.php?t=12", "/f/show.php?t=12"},
		{"of a query, with a parameter of paging", "/show.php?12-name&start=40", "/show.php?12-name&start=40", "/show.php?start=40&t=12",
			"/show.php?t=12"},
		{"of a query", "/show.php?12-name", "/show.php?12-name", "/show.php?t=12", "/show.php?t=12"},
		{"of two folders", "/f/threads/12", "/f/threads/12", "/f/show.php?t=12", "/f/show.php?t=12"},
		{"the folder itself", "/f/index.php", "/f/index.php", "/f/", "/f/"},
		{"only at the begin of a name", "/f/myindex.php", "/f/myindex.php", "/f/myindex.php", "/f/myindex.php"},
		{"only at the end", "/f/index.php/x", "/f/index.php/x", "/f/index.php/x", "/f/index.php/x"},
		{"never in a query", "/go?to=/f/index.php", "/go?to=/f/index.php", "/go?to=/f/index.php", "/go?to=/f/index.php"},
		{"never to another host", "//evil.example/index.php", "//evil.example/index.php", "//evil.example/", "//evil.example/"},
		{"escapes before it stay", "/a%2Fb/index.php", "/a%2Fb/index.php", "/a%2Fb/", "/a%2Fb/"},
	} {
		const host = "http://h.example"
		u, err := url.Parse(host + c.url)
		if err != nil {
			t.Fatal(err)
		}
		before := u.String()
		for name, got := range map[string][2]string{"Fetchable": {r.Fetchable(u).String(), c.fetchable}, "Key": {r.Key(u), c.key},
			"ObjectKey": {r.ObjectKey(u), c.object}} {
			if got[0] != host+got[1] {
				t.Errorf("%s: %s(%s) = %s, want %s", c.name, name, c.url, strings.TrimPrefix(got[0], host), got[1])
			}
		}
		if u.String() != before {
			t.Errorf("%s: the URL was changed to %s", c.name, u)
		}
	}
}

// TestPreferredForms: the preferred form is fetched as far as the page says it, and never a number of a further page that only keys have.
func TestPreferredForms(t *testing.T) {
	r := rules(t)
	for from, want := range map[string]string{
		"/f/some-name-t12.html":        "/f/show.php?t=12",
		"/f/thread-12-40.html?sid=1":   "/f/thread-12-40.html",
		"/show.php?12-name&start=40":   "/show.php?t=12&start=40",
		"/show.php?start=40&t=12#p400": "/show.php?start=40&t=12",
	} {
		u, err := url.Parse("http://h.example" + from)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Preferred(u).RequestURI(); got != want {
			t.Errorf("the preferred form of %s is %s, want %s", from, got, want)
		}
	}
}

// Without rules nothing but the order of parameters and the fragment goes.
func TestLevelsOfAddresses(t *testing.T) {
	r := rules(t)
	for _, c := range []struct {
		url, level string
		part       bool
	}{
		{"/f/show.php?t=12", "topic", false},
		{"/f/show.php?t=12&start=20&sid=1", "topic", false}, // a further page of it
		{"/f/some-name-t12.html", "topic", false},           // by its preferred form
		{"/f/show.php?p=9#p9", "topic", true},
		{"/list/3/page/2/", "list", false},
		{"/f/2019/05/", "list", false},
		{"/f/2019/5/", "", false},
		{"/f/12019/05/", "", false},
		{"/f/show.php?t=12&view=print", "", false},
		{"/f/slideshow.php?t=12", "", false},
		{"/f/show.php?t=new", "", false},
		{"/", "", false},
	} {
		u, err := url.Parse("http://host.example" + c.url)
		if err != nil {
			t.Fatal(err)
		}
		level, part := "", false
		if a := r.Level(u); a != nil {
			level, part = string(a.Level), a.Part
		}
		if level != c.level || part != c.part {
			t.Errorf("%s is of %q (part %v), want %q (%v)", c.url, level, part, c.level, c.part)
		}
	}
}

func TestNoRules(t *testing.T) {
	u, _ := url.Parse("http://h/index.php?b=1&sid=2&a=3#x")
	if got := new(kb.URLRules).Key(u); got != "http://h/index.php?a=3&b=1&sid=2" {
		t.Errorf("Key %s", got)
	}
}

// FuzzKey: a key's key is itself, and of a page asked for no parameter is lost
// that no rule drops.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"http://h/a?b=1&sid=2#c", "http://h//x/thread-1-0.html", "http://h/%2F/index.php?%zz&+=;",
		"http://h/x/page/2/page3?start=0&start", "http://h/a/../index.php?f=1&t=2", "http://h/view.php?t=1&f=2", "//h", "x:y"} {
		f.Add(s)
	}
	r := rules(f)
	f.Fuzz(func(t *testing.T, s string) {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Scheme != "http" {
			return
		}
		key := r.Key(u)
		if k, err := url.Parse(key); err == nil && r.Key(k) != key {
			t.Errorf("%q: the key %q has the key %q", s, key, r.Key(k))
		}
		if k, err := url.Parse(key); err == nil && k.Host != u.Host {
			t.Errorf("%q: the key %q is of another host", s, key)
		}
		fetch := r.Fetchable(u)
		kept := map[string]int{}
		for _, p := range strings.Split(fetch.RawQuery, "&") {
			kept[p]++
		}
		for _, p := range strings.Split(u.RawQuery, "&") {
			name, _, _ := strings.Cut(p, "=")
			if n, err := url.QueryUnescape(name); err == nil {
				name = n
			}
			if p == "" || name == "sid" || name == "f" || strings.HasPrefix(name, "utm_") {
				continue
			}
			if kept[p]--; kept[p] < 0 {
				t.Errorf("%q: %q lost the parameter %q", s, fetch, p)
			}
		}
	})
}
