package extract

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

var fuzzBase = &url.URL{Scheme: "http", Host: "h.example", Path: "/f/"}

// wellFormed reports what is wrong with links that were found.
func wellFormed(t *testing.T, links []Link) {
	t.Helper()
	seen := map[string]bool{}
	for _, l := range links {
		switch {
		case !strings.HasPrefix(l.URL, "http://") && !strings.HasPrefix(l.URL, "https://"):
			t.Errorf("%q is not of the web", l.URL)
		case strings.ContainsFunc(l.URL, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }):
			t.Errorf("%q cannot stand in a request", l.URL)
		case seen[l.URL]:
			t.Errorf("%q is there twice", l.URL)
		}
		seen[l.URL] = true
	}
}

func FuzzSourceSet(f *testing.F) {
	f.Add("a.png 1x, b,c.png 2x,(")
	f.Add(",,a (1,2) 3w,b")
	f.Fuzz(func(t *testing.T, set string) {
		for _, src := range sourceSet(set) {
			if strings.ContainsAny(src, " \t\n\f\r") || strings.HasPrefix(src, ",") || !strings.Contains(set, src) {
				t.Errorf("%q of %q", src, set)
			}
		}
	})
}

func FuzzRefresh(f *testing.F) {
	f.Add("5; url='x'")
	f.Add(".,URL = \"")
	f.Fuzz(func(t *testing.T, content string) {
		if target := refreshTarget(content); !strings.Contains(content, target) {
			t.Errorf("%q of %q", target, content)
		}
	})
}

func FuzzLinkHeader(f *testing.F) {
	f.Add(`<a>; rel="next, x"; title=", <b>", <c>;rel`)
	f.Fuzz(func(t *testing.T, value string) {
		for _, l := range linkHeader(value) {
			if strings.Contains(l.target, ">") || !strings.Contains(value, "<"+l.target+">") {
				t.Errorf("%q of %q", l.target, value)
			}
		}
	})
}

func FuzzStyle(f *testing.F) {
	f.Add(`@import "a\22 b.css";b{c:url( 'd\`)
	f.Add(`url(\110000 \0)/*`)
	f.Fuzz(func(t *testing.T, css string) { wellFormed(t, StyleLinks(css, fuzzBase)) })
}

func FuzzFeed(f *testing.F) {
	f.Add(`<rss><link>/a</link><description><![CDATA[<a href=/b>]]>`)
	f.Add(`<feed xml:base="//x/"><link href="&#x1F6A2;"/></feed>`)
	f.Fuzz(func(t *testing.T, feed string) { wellFormed(t, ReadFeed([]byte(feed), fuzzBase).Links) })
}

func FuzzResolve(f *testing.F) {
	f.Add("?q=日本#日", "shift_jis")
	f.Add("//x\\?é&#1;", "iso-2022-jp")
	f.Fuzz(func(t *testing.T, href, charset string) {
		p := Page{URL: fuzzBase, Charset: charset}
		u := p.Resolve(href)
		if u == "" {
			return
		}
		wellFormed(t, []Link{{URL: u}})
		if again := p.Resolve(u); again != u && len(u) <= maxURL {
			t.Errorf("%q becomes %q, which becomes %q", href, u, again)
		}
		if path, _, _ := strings.Cut(href, "?"); utf8.ValidString(path) && charset != "" && !strings.Contains(href, "?") && u !=
			(Page{URL: fuzzBase}).Resolve(href) {
			t.Errorf("%q without a query depends on the charset %s", href, charset)
		}
	})
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"icons":[{"src":"a.png"},{"src":1}],"screenshots":{"src":"b"},"shortcuts":[{"icons":[{"src":"//c/d"}]}]}`))
	f.Fuzz(func(t *testing.T, manifest []byte) { wellFormed(t, ManifestLinks(manifest, fuzzBase)) })
}

func FuzzVector(f *testing.F) {
	f.Add(`<?xml-stylesheet href="a.css"?><svg><style>@import "b"</style><use xlink:href="c#d"/><rect fill="url(e)"/></svg>`)
	f.Fuzz(func(t *testing.T, svg string) { wellFormed(t, VectorLinks(svg, fuzzBase)) })
}

// FuzzPlain: an address that is taken for plain is what the URL Standard makes of it.
func FuzzPlain(f *testing.F) {
	for _, href := range []string{
		"/a/b?c=d#e", "viewtopic.php?f=1&t=2", "./a:b", "a:b", "/a/../b", "//host/", "/%2E%2e/", "?a", "http://a.example/x",
		"http://a.example:81/",
		"/a//b/;c='d'", "a/./b", "/?", "/a?%zz['", "/%", "a@b:c/d", "http://a.example", "HTTP://a.example/b", "/~x/$1,(2)*!+=&",
	} {
		f.Add("http://a.example/dir/page?q", href)
		f.Add("https://u:p@xn--bcher-kva.example:8443/d%20e/", href)
	}
	f.Fuzz(func(t *testing.T, base, href string) {
		b, err := url.Parse(base)
		if err != nil || len(href) > maxURL {
			return
		}
		r := newResolverAt(b)
		if r.base == nil {
			return
		}
		href = strings.TrimSpace(href)
		plain, ok := plainBaseOf(r.base).resolve(href)
		if want := r.resolve(href); ok && plain != want {
			t.Errorf("%q at %q: %q, want %q", href, base, plain, want)
		}
	})
}
