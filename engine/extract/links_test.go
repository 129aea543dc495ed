package extract

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestResolve(t *testing.T) {
	base, _ := url.Parse("http://h.example/f/topic?id=5#x")
	for href, want := range map[string]string{
		"a":                               "http://h.example/f/a",
		"../a":                            "http://h.example/a",
		"/a#frag":                         "http://h.example/a",
		"?page=2":                         "http://h.example/f/topic?page=2",
		"?":                               "http://h.example/f/topic?",
		"//other/a":                       "http://other/a",
		"HTTP://OTHER.example:80/A":       "http://other.example/A",
		"https://other:8443/":             "https://other:8443/",
		"http://user:pw@other/":           "http://other/",
		"  a b  ":                         "http://h.example/f/a%20b",
		"a\n\tb":                          "http://h.example/f/ab",
		"http:\\\\other\\a":               "http://other/a",
		"é?q=é":                           "http://h.example/f/%C3%A9?q=%C3%A9",
		"http://bücher.example/":          "http://xn--bcher-kva.example/",
		"a%zz":                            "http://h.example/f/a%zz",
		"http://127.1/":                   "http://127.0.0.1/",
		"":                                "",
		"#top":                            "",
		" #top":                           "",
		"javascript:void(0)":              "",
		"JavaScript:void(0)":              "",
		" javascript:x":                   "",
		"mailto:a@b":                      "",
		"tel:1":                           "",
		"data:text/html,x":                "",
		"ftp://other/":                    "",
		"about:blank":                     "",
		"http://":                         "",
		"http://a b/":                     "",
		"http://[::1":                     "",
		"/" + strings.Repeat("x", maxURL): "",
	} {
		if got := Resolve(base, href); got != want {
			t.Errorf("Resolve(%.60q) = %q, want %q", href, got, want)
		}
	}
}

func urls(links []Link) string {
	var out []string
	for _, l := range links {
		s := strings.TrimPrefix(l.URL, "http://h.example")
		if l.Text != "" {
			s += "[" + l.Text + "]"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestLinks(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"anchors in order, each address once", `<a href=/b> B <i>b</i></a><a href=/a>A</a><a href="/b#2">again</a>`, "/b[B b] /a[A]"},
		{"entities, white space, no address", `<a href="/a?x=1&amp;y=2">A</a><a href=" /b&#10;c ">B</a><a>C</a><a href="">D</a><a href="#e">E</a>`, "/a?x=1&y=2[A] /bc[B]"},
		{"maps, frames, refreshes", `<meta http-equiv=Refresh content="0; URL='/r'"><map><area href=/m></map><iframe src=/i></iframe>`, "/r /m /i"},
		{"a refresh without an address", `<meta http-equiv=refresh content=30><meta http-equiv=refresh content="3;x">`, ""},
		{"related pages, no style sheets", `<link rel=next href=/n><link rel="Prev" href=/p><link rel=stylesheet href=/s><link rel="alternate stylesheet" href=/t><link rel="nofollow next" href=/o>`, "/n /p /o"},
		{"forms and scripts are not asked", `<form action=/f><button formaction=/g></form><script src=/s></script><a onclick="location='/o'">x</a>`, ""},
		{"a base", `<base href=/sub/><a href=x>X</a>`, "/sub/x[X]"},
		{"a base that is none", `<base href="javascript:x"><base href=" "><a href=x>X</a>`, "/x[X]"},
		{"a huge base", `<base href="/` + strings.Repeat("x", maxURL) + `/"><a href=x>X</a>`, "/x[X]"},
	} {
		root, err := html.Parse(strings.NewReader(c.page))
		if err != nil {
			t.Fatal(err)
		}
		if got := urls(AllLinks(root, &url.URL{Scheme: "http", Host: "h.example", Path: "/"})); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLinksAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("<base href=/" + strings.Repeat("x", 3000) + "/>")
	for i := range maxLinks + 10 {
		b.WriteString("<a href=" + strings.Repeat("y", i%7) + string(rune('a'+i%26)) + url.QueryEscape(string(rune(i+200))) + ">")
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, l := range AllLinks(root, &url.URL{Scheme: "http", Host: "h.example", Path: "/"}) {
		bytes += len(l.URL)
	}
	if bytes > maxValues+2*maxURL {
		t.Errorf("%d bytes of links from a page of %d", bytes, b.Len())
	}
}

func TestRequisites(t *testing.T) {
	page := `<link rel="shortcut icon" href=/fav><link rel=stylesheet href=/s.css><link rel=next href=/no><script src=/s.js></script><body background=/bg>
		<img src=/a.png srcset="/b,1.png 1x, /c.png 2x,/d.png"><img src="data:x"><picture><source srcset="/e.png"></picture><video src=/v poster=/p><track src=/t></video><object data=/o></object><input type=image src=/i><img src=/a.png>`
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := urls(Requisites(root, &url.URL{Scheme: "http", Host: "h.example", Path: "/"})), "/fav /s.css /s.js /bg /a.png /b,1.png /c.png /d.png /e.png /v /p /t /o /i"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestStyleLinks(t *testing.T) {
	sheet, _ := url.Parse("http://h.example/css/a.css")
	css := `@import "b.css"; @import url(c.css) screen; a{background:URL( 'd.png' )} b{background:url("e f(1).png")} i{background:url(data:x)} u{background:url(/d2.png), url(../g.png)} s{background:url()}`
	if got, want := urls(StyleLinks(css, sheet)), "/css/b.css /css/c.css /css/d.png /css/e%20f(1).png /d2.png /g.png"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
