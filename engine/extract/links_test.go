package extract

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
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

// TestResolveInCharsets compares with what browsers ask for.
func TestResolveInCharsets(t *testing.T) {
	page := &url.URL{Scheme: "http", Host: "h.example", Path: "/"}
	for _, c := range []struct{ charset, href, want string }{
		{"shift_jis", "/検索?q=日本 表#表", "/%E6%A4%9C%E7%B4%A2?q=%93%FA%96{%20%95\\"},
		{"x-sjis", "?q=日", "/?q=%93%FA"},
		{"euc-jp", "?q=日本", "/?q=%C6%FC%CB%DC"},
		{"windows-1251", "?q=мир\n'", "/?q=%EC%E8%F0%27"},
		{"koi8-r", "?q=мир", "/?q=%CD%C9%D2"},
		{"gb2312", "a?q=中文&x=%D6%zz", "/a?q=%D6%D0%CE%C4&x=%D6%zz"},
		{"big5", "?q=中", "/?q=%A4%A4"},
		{"euc-kr", "?q=한", "/?q=%C7%D1"},
		{"windows-1252", "?q=é日€", "/?q=%E9%26%2326085%3B%80"},
		{"iso-8859-1", "?a&#q=é", "/?a&"},
		{"iso-2022-jp", "?q=日", "/?q=%1B$BF|%1B(B"},
		{"utf-16le", "?q=é", "/?q=%C3%A9"},
		{"utf-8", "?q=é", "/?q=%C3%A9"},
		{"", "?q=é", "/?q=%C3%A9"},
		{"nonsense", "?q=é", "/?q=%C3%A9"},
	} {
		if got, want := (Page{URL: page, Charset: c.charset}).Resolve(c.href), "http://h.example"+c.want; got != want {
			t.Errorf("%s in %s: got %q, want %q", c.href, c.charset, got, want)
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
		if l.Frame {
			s += "(frame)"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestLinks(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"anchors in order, each address once", `<a href=/b> B <i>b</i></a><a href=/a>A</a><a href="/b#2">again</a>`, "/b[B b] /a[A]"},
		{"entities, white space, no address", `<a href="/a?x=1&amp;y=2">A</a><a href=" /b&#10;c ">B</a><a>C</a><a href="">D</a><a ` +
			`href="#e">E</a>`, "/a?x=1&y=2[A] /bc[B]"},
		{"maps, frames, refreshes", `<meta http-equiv=Refresh content="0; URL='/r'"><map><area href=/m></map><iframe src=/i></iframe>`,
			"/r /m /i"},
		{"a refresh without an address", `<meta http-equiv=refresh content=30><meta http-equiv=refresh content="3;">`, ""},
		{"related pages, no style sheets", `<link rel=next href=/n><link rel="Prev" href=/p><link rel=stylesheet href=/s><link ` +
			`rel="alternate stylesheet" href=/t><link rel="nofollow next" href=/o>`, "/n /p /o"},
		{"forms, scripts and pings are not asked",
			`<form action=/f><button formaction=/g></form><script src=/s></script><a ping=/p onclick="location='/o'">x</a>`, ""},
		{"sources and descriptions", `<blockquote cite=/b></blockquote><q cite=/q></q><ins cite=/i></ins><img longdesc=/l><iframe ` +
			`longdesc=/f></iframe>`, "/b /q /i /l /f"},
		{"pages inside the page", `<iframe srcdoc="<a href=/a>A</a><iframe srcdoc='<a href=/b>'>"></iframe><!--[if lt IE 9]><a href=/c>` +
			`C</a><![endif]--><!-- <a href=/d> -->`, "/a /b /c"},
		{"inside a frame, for browsers that have none", `<iframe src=/i>See <a href=/a>A</a><noscript><a href=/b>B</a></noscript></iframe>`,
			"/i /a /b"},
		{"anchors in SVG", `<svg><a xlink:href=/x><text>X</text></a><a href=/y></a></svg>`, "/x[X] /y"},
		{"soft hyphens, backslashes, white space", "<a href='/a\u00adb'>1</a><a href='\\\\h.example\\c'>2</a><a href='\n /d\te \n'>3</a>",
			"/a%C2%ADb[1] /c[2] /de[3]"},
		{"a base", `<base href=/sub/><a href=x>X</a>`, "/sub/x[X]"},
		{"a base in the body", `<a href=x>X</a><div><base target=_top><base href=/sub/><base href=/other/></div>`, "/sub/x[X]"},
		{"a base that is none", `<base href="javascript:x"><base href=" "><a href=x>X</a>`, "/x[X]"},
		{"a huge base", `<base href="/` + strings.Repeat("x", maxURL) + `/"><a href=x>X</a>`, "/x[X]"},
	} {
		root, err := html.Parse(strings.NewReader(c.page))
		if err != nil {
			t.Fatal(err)
		}
		if got := urls(AllLinks(Page{Doc: root, URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/"}})); got != c.want {
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
	for _, l := range AllLinks(Page{Doc: root, URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/"}}) {
		bytes += len(l.URL)
	}
	if bytes > maxValues+2*maxURL {
		t.Errorf("%d bytes of links from a page of %d", bytes, b.Len())
	}
}

func TestRequisites(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"in the head",
			`<html manifest=/m><link rel="shortcut icon" href=/fav><link rel=stylesheet href=/s.css><link rel=next href=/no>
			<link rel=prefetch href=/p>
			<meta name=msapplication-config content=/c.xml><meta name=msapplication-config content=none><script src=/s.js></script>`,
			"/m /fav /s.css /p /c.xml /s.js"},
		{"images",
			`<body background=/bg><table background=/t><td background=/td></table><img src=/a.png srcset="/b,1.png 1x, /c.png 2x,/d.png">
			<img src="data:x">
			<picture><source srcset="/e.png"></picture><input type=image src=/i><img src=/a.png>
			<img lowsrc=/low dynsrc=/dyn data-src=/late>`, "/bg /t /td /a.png /b,1.png /c.png /d.png /e.png /i /low /dyn /late"},
		{"media", `<video src=/v poster=/p><track src=/t></video><audio><source src=/a></audio><embed src=/e>`, "/v /p /t /a /e(frame)"},
		{"plug-ins",
			`<object data=/o></object><object codebase=/base/ data=d archive="a.jar,/b.jar"><param name=movie value=/m.swf>
			<param name=quality value=high></object>
			<applet codebase=/java code=game.Main.class></applet>`, "/o(frame) /base/a.jar /b.jar /base/d(frame) /m.swf /game/Main.class"},
		{"SVG", `<svg><image xlink:href=/i></image><use href="/u#x"></use><script xlink:href=/s></script></svg>`, "/i /u /s"},
		{"style sheets in the page", `<style>@import "a.css"; b{background:url(/b)}</style><p style="background:url('/c')">`,
			"/a.css /b /c"},
		{"links of the head that browsers load",
			`<link rel="preload" as=image href=/a imagesrcset="/b 1x, /c 2x" imagesizes=50vw><link rel=modulepreload href=/d>
			<link rel=mask-icon href=/e><link rel=apple-touch-icon href=/f><link rel=manifest href=/g>
			<link rel=alternate type=application/rss+xml href=/feed>
			<link rel=alternate hreflang=de href=/no><link rel=preconnect href=/no>`,
			"/a /b /c /d /e /f /g /feed"},
		{"paint of SVG", `<svg><rect fill="url(/a.svg#p)" filter="url('/b.svg#f')" mask=none><style>rect{mask:url(/c)}</style></svg>`,
			"/a.svg /b.svg /c"},
		{"documents inside, and what is more than one thing",
			`<link rel=prefetch href=/f><iframe src=/f></iframe><frameset><frame src=/g></frameset><embed src=/h><object data=/o></object>`,
			"/f(frame) /h(frame) /o(frame)"},
		{"a frameset", `<frameset><frame src=/g><frame src=/h></frameset>`, "/g(frame) /h(frame)"},
		{"the style sheet of XML", `<?xml-stylesheet type="text/css" href="/x.css"?><html>`, "/x.css"},
		{"inside a frame, for browsers that have none", `<iframe src=/i>See <noscript><img src=/a></noscript></iframe>`, "/i(frame) /a"},
		{"documents in the page", `<iframe srcdoc="<img src=/a><style>b{background:url(/b)}</style>"></iframe><!--[if IE]><script ` +
			`src=/ie.js></script><![endif]-->`, "/a /b /ie.js"},
	} {
		root, err := html.Parse(strings.NewReader(c.page))
		if err != nil {
			t.Fatal(err)
		}
		p := Page{Doc: root, URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/"}, Frame: true}
		if got := urls(Requisites(p)); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestGuesses(t *testing.T) {
	page := `<title>and/or 1/2</title><script src=app.js></script>
	<script>fetch("/s1"); load('./s2?x=1'); var t = "text/html", u = "http://h.example/s3", v = "page.php?id=2", re = /[a-z]\/x/;</script>
		<p>See ../t1, (/t2). At 10/11/2020 or km/h. <a ping=/ping>x</a><form action="/form"></form>
		<div onclick="go('/click')" data-url=/data>
		</div><!-- /comment -->`
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	doc := yfilter.Document(root, yfilter.Meta{Status: 200, URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/own/path"},
		Header: http.Header{"Content-Disposition": {`inline; filename="/file.html"`}, "X-Test": {"/from-header"}}})
	if got, want := urls(Guesses(Page{Doc: doc, URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/"}})),
		"/app.js /s1 /s2?x=1 /s3 /page.php?id=2 /t1 /t2 /ping /form /click /data /comment"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestHeaderLinks(t *testing.T) {
	root, err := html.Parse(strings.NewReader("<base href=/sub/><a href=a>A</a>"))
	if err != nil {
		t.Fatal(err)
	}
	doc := yfilter.Document(root, yfilter.Meta{Header: http.Header{
		"Link": {`<next.html>; title="a, b"; rel="nofollow next", </a.css>;rel=preload`, `</c>; rel=canonical`,
			`</d.png>; as=image; imagesrcset="/e.png 1x, /f.png 2x"; rel=preload, </feed>; rel=self, </no>; rel="next"; anchor="/part"`,
			`</feed>; type="application/atom+xml"; rel=alternate; title="a \"quoted\", title"`},
		"Refresh":          {"5;url=r"},
		"Content-Location": {"/en"},
	}})
	p := Page{Doc: doc, URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/"}}
	if got, want := urls(AllLinks(p)), "/en /sub/next.html /c /feed /sub/r /sub/a[A]"; got != want {
		t.Errorf("links: got %q, want %q", got, want)
	}
	if got, want := urls(Requisites(p)), "/a.css /d.png /e.png /f.png /feed /favicon.ico"; got != want {
		t.Errorf("requisites: got %q, want %q", got, want)
	}
}

func TestRefreshTarget(t *testing.T) {
	for content, want := range map[string]string{
		"5; url=next.html": "next.html", "0;URL='x y'": "x y", `0; url="x"z`: "x", "0, x": "x", "5;x": "x", " 5 x": "x", "0;url = x ": "x ",
		".5;x": "x", "1.5.;x": "x", "0 ; url=x": "x", "0;'x'": "x", "0;url='x": "x", "0;urls.html": "urls.html", "0;URL": "URL",
		"": "", "x": "", "url=x": "", "-1;x": "", "5": "", "5;": "", "5 ;": "", "5x": "", "; url=x": "",
	} {
		if got := refreshTarget(content); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

func TestSourceSet(t *testing.T) {
	for set, want := range map[string]string{
		"a.png 1x, b.png 2x": "a.png b.png", "a.png,b.png": "a.png,b.png", "a.png, b.png": "a.png b.png",
		" , a 100w,,b 50w 2h , c": "a b c",
		"a (1,2) x, b":            "a b", "data:image/png;base64,x= 1x, b": "data:image/png;base64,x= b", "a 1.5e2x, b": "a b", "": "",
		",": "", "a,,, b": "a b",
	} {
		if got := strings.Join(sourceSet(set), " "); got != want {
			t.Errorf("%q: got %q, want %q", set, got, want)
		}
	}
}
