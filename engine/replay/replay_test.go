package replay_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/replay"
)

func options(t *testing.T) replay.Options {
	t.Helper()
	base, err := url.Parse("https://a.org/f/topic?t=1")
	if err != nil {
		t.Fatal(err)
	}
	return replay.Options{Base: base, Link: func(u *url.URL, page bool) string {
		if page {
			return "/p/" + u.String()
		}
		return "/f/" + u.String()
	}}
}

func page(t *testing.T, text string, o replay.Options) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, replay.Page(doc, o)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Addresses of all kinds lead to the archive.
func TestAddressesLeadToTheArchive(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`<a href="x?y=1&amp;z=2#part">`:            `<a href="/p/https://a.org/f/x?y=1&amp;z=2#part">`,
		`<a href="#part">`:                         `<a href="#part">`,
		`<img src=//other.example/i.png>`:          `<img src="/f/https://other.example/i.png"/>`,
		`<img srcset="a.png 1x,b.png">`:            `<img srcset="/f/https://a.org/f/a.png 1x, /f/https://a.org/f/b.png"/>`,
		`<div style="background: url('i.png')">`:   `<div style="background: url(&#34;/f/https://a.org/f/i.png&#34;)">`,
		`<style>@import "a.css"; b{src:url(c)}`:    `<style>@import "/f/https://a.org/f/a.css"; b{src:url("/f/https://a.org/f/c")}</style>`,
		`<link rel=stylesheet href=/s.css>`:        `<link rel="stylesheet" href="/f/https://a.org/s.css"/>`,
		`<iframe src=in.html></iframe>`:            `<iframe src="/p/https://a.org/f/in.html">`,
		`<base href=/other/><a href=x>`:            `<a href="/p/https://a.org/other/x">`,
		`<img src="data:image/gif;base64,R0lGOD">`: `<img src="data:image/gif;base64,R0lGOD"/>`,
	} {
		if got := page(t, text, options(t)); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Nothing that runs, or leaves the frame, is left of a page.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<script>bad()</script>`, `<script src=bad.js></script>`, `<svg><script>bad()</script></svg>`, `<img src=x onerror="bad()">`,
		`<body onload=bad()>`, `<a href="javascript:bad()">x</a>`, `<a href=" java&#10;script:bad()">x</a>`,
		`<iframe srcdoc="<script>bad()</script>"></iframe>`, `<iframe src="javascript:bad()"></iframe>`,
		`<iframe src="data:text/html,bad()">`,
		`<object data=bad.swf></object>`, `<embed src=bad.swf>`, `<meta http-equiv=refresh content="0;url=https://bad.example/bad">`,
		`<form action=https://bad.example/bad><button formaction=/bad>`, `<base href="javascript:bad()">`,
		`<link rel=prefetch href=/bad>`, `<link rel=manifest href=/bad>`, `<a ping=/bad href=/>`, `<!-- bad -->`,
		`<svg><a xlink:href="javascript:bad()">x</a></svg>`, `<math><annotation-xml encoding="text/html"><img src=x onerror=bad()>`,
		`<template><img src=x onerror=bad()></template>`, `<style>a{}/*</style><img src=x onerror=bad()>*/</style>`,
		`<svg><animate attributeName=href values="javascript:bad()">`, `<svg><set attributeName=onmouseover to="bad()">`,
	} {
		if got := page(t, text, options(t)); strings.Contains(got, "bad") {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Addresses in style sheets lead to the archive, whatever is in them.
func TestStyles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a{background:url( "x.png" )}`:                    `a{background:url("/f/https://a.org/f/x.png")}`,
		`a{background:url(x\29 .png)}`:                    `a{background:url("/f/https://a.org/f/x).png")}`,
		`@import url(https://o.example/s.css) print;`:     `@import url("/f/https://o.example/s.css") print;`,
		`a{content:"url(x)"} /* url(y) */`:                `a{content:"url(x)"} /* url(y) */`,
		`a{background:image-set("x.png" 1x)}`:             `a{background:image-set("/f/https://a.org/f/x.png" 1x)}`,
		`a{background:url(javascript:bad)}`:               `a{background:url("about:blank")}`,
		`@import "a.css";b{color:red}`:                    `@import "/f/https://a.org/f/a.css";b{color:red}`,
		`a{background:url("https://o.example/\22 x")}`:    `a{background:url("/f/https://o.example/%22x")}`,
		`a{background:url("data:image/png;base64,AA==")}`: `a{background:url("data:image/png;base64,AA==")}`,
		`a{background:url(`:                               `a{background:url("/f/https://a.org/f/topic?t=1")`,
		"@charset \"utf-8\"; a{background:URL(UP.png)}":   "@charset \"utf-8\"; a{background:url(\"/f/https://a.org/f/UP.png\")}",
		`@font-face{src:url(f.woff2)format("woff2")}`:     `@font-face{src:url("/f/https://a.org/f/f.woff2")format("woff2")}`,
	} {
		if got := string(replay.Style([]byte(text), options(t))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Marked elements are seen.
func TestMarks(t *testing.T) {
	t.Parallel()
	doc, err := html.Parse(strings.NewReader(`<p class=x>one<p>two`))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Marks = map[*html.Node]string{}
	for n := range doc.Descendants() {
		if n.Data == "p" && n.NextSibling != nil {
			o.Marks[n] = "awarc-new"
		}
	}
	var b strings.Builder
	if err := html.Render(&b, replay.Page(doc, o)); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, `<p class="x awarc-new" id="awarc-mark">one</p><p>two</p>`) ||
		!strings.Contains(got, replay.MarkStyle) {
		t.Error(got)
	}
}

// Texts that are shown can be picked, by their places; links lead nowhere else then.
func TestTextsArePicked(t *testing.T) {
	t.Parallel()
	const text = `<title>T</title><body> <p>one <a href="/x">two</a></p><script>no</script><select><option>no</option></select><b>three</b>`
	o := options(t)
	o.Pick = func(place int) string { return "/pick/" + strconv.Itoa(place) }
	got := page(t, text, o)
	for i, want := range []string{"one ", "two", "three"} {
		if link := `<a href="/pick/` + strconv.Itoa(i) + `" target="_top"`; !strings.Contains(got, link) {
			t.Errorf("no %s in %s", link, got)
		}
		doc, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := replay.Text(doc, i); n == nil || n.Data != want {
			t.Errorf("place %d: %v; want %q", i, n, want)
		}
	}
	if strings.Count(got, "<a ") != 3 || strings.Contains(got, "/p/https") {
		t.Errorf("other links: %s", got)
	}
	doc, _ := html.Parse(strings.NewReader(text))
	if replay.Text(doc, 3) != nil || replay.Text(doc, -1) != nil {
		t.Error("a place that no text has")
	}
}
