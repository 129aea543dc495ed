package extract

import (
	"strings"
	"testing"
	"time"
)

func TestReadFeed(t *testing.T) {
	for _, c := range []struct{ name, feed, want string }{
		{"RSS",
			`<?xml version="1.0" encoding="windows-1251"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
			xmlns:slash="http://purl.org/rss/1.0/modules/slash/"><channel>
			<link>http://h.example/</link>
			<item><title>A</title><link> http://h.example/a&amp;b </link><guid isPermaLink="false">17</guid><comments>/a#comments</comments>
			<description><![CDATA[<p>See <a href="/cdata">it</a>]]></description>
			<content:encoded>&lt;a href="/escaped"&gt;</content:encoded>
			<slash:comments>3</slash:comments><enclosure url="/a.mp3"/></item>
			<item><guid>http://h.example/guid</guid></item></channel></rss>`, "/ /a&b /a /cdata /escaped /a.mp3 /guid"},
		{"RSS 1.0", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><item><link>/x</link></item></rdf:RDF>`, "/x"},
		{"Atom",
			`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/"><link rel="self" href="/feed"/><link rel="next" href="/feed?p=2"/>
			<entry><link href="a"/><link rel="alternate" href="b"/><link rel="edit" href="/edit"/><id>tag:1</id><content type="xhtml">
			<div xmlns="http://www.w3.org/1999/xhtml"><a href="c">C</a></div></content></entry>
			</feed>`, "/feed?p=2 /blog/a /blog/b /blog/c"},
		{"a sitemap", `<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>
			/p </loc><image:image><image:loc>/i.png</image:loc></image:image></url></urlset>`, "/p"},
		{"an index of sitemaps", `<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>`, "/s.xml"},
		{"broken XML", `<rss><item><link>/a</link></item><item><link>/b&nbsp;&nosuch;</link><`, "/a /b%C2%A0&nosuch;"},
		{"broken XML between entries", `<rss><item><link>/a</link></item><item <<>x</item><item><link>/b</link></item></rss>`, "/a /b"},
		{"a control character", "<urlset><url><loc>/a\x01</loc></url><url><loc>/b</loc></url></urlset>", "/a /b"},
		{"a sitemap that breaks off", `<urlset xml:base="/s/"><url><loc>a</loc></url><url><loc>b</lo`, "/s/a"},
		{"a prefix that nothing declares",
			`<urlset><url><loc>/p</loc><image:image><image:loc>/i.png</image:loc></image:image></url></urlset>`, "/p"},
		{"nested bases", `<feed xml:base="/b/"><entry xml:base="n/"><link href="a"/><link href="b" xml:base="/c/"/><link href="d"/></entry>
			<entry><link href="e"/></entry></feed>`, "/b/n/a /c/b /b/n/d /b/e"},
		{"bases of content", `<feed><entry><content type="html" xml:base="/b/">&lt;a href="c"&gt;</content><link href="d"/>
			<content type="xhtml" xml:base="x/">
				<div xmlns="http://www.w3.org/1999/xhtml" xml:base="y/"><a href="e"/></div></content></entry></feed>`,
			"/b/c /f/d /f/x/y/e"},
		{"a base that is none",
			`<feed xml:base="mailto:x"><link href="a"/><entry xml:base="#x"><link href="b"/></entry></feed>`, "/f/a /f/b"},
		{"a base of RSS",
			`<rss xml:base="/b/"><channel><item xml:base="../c/"><link>d</link><description>&lt;a href="e"></description></item>
			<item><guid>f</guid></item></channel></rss>`, "/c/d /c/e /b/f"},
		{"a base behind broken XML",
			`<feed xml:base="/b/"><entry xml:base="n/"><link href="a"/><<</entry><entry><link href="c"/></entry></feed>`,
			"/b/n/a /b/c"},
		{"behind a warning of PHP",
			"<br />\n<b>Notice</b>: x<br />\n<?xml version=\"1.0\"?><urlset><url><loc>/a</loc></url></urlset>", "/a"},
		{"FeedBurner", `<rss><item><link>/t</link><feedburner:origLink>/a</feedburner:origLink></item></rss>`, "/t /a"},
		{"JSON Feed", ` {"version": "https://jsonfeed.org/version/1.1", "title": "T", "home_page_url": "/", "next_url": "?p=2", "items":
			[{"id": "1", "url": "/a", "external_url": "http://h.example/b", "content_html": "<a href='c'>", "attachments": [{"url": "d"}]},
			{"id": 2, "content_text": "/no"}]}`, "/ /f/?p=2 /a /b /f/c /f/d"},
		{"JSON with escapes", `{"version":"https:\/\/jsonfeed.org\/version\/1","items":[{"url":"\/a"}]}`, "/a"},
		{"other JSON", `{"items":[{"url":"/a"}]}`, ""},
		{"other XML", `<opml><a href="/x"/><link>/y</link></opml>`, ""},
		{"no XML", `links`, ""},
	} {
		f := ReadFeed([]byte(c.feed), fuzzBase)
		if got := urls(f.Links); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if broken := strings.Contains(c.name, "broke") || strings.Contains(c.name, "breaks"); f.Cut != broken {
			t.Errorf("%s: cut %v", c.name, f.Cut)
		}
	}
}

func TestSitemapsSayWhatChanged(t *testing.T) {
	f := ReadFeed([]byte(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
		<url><loc><![CDATA[http://h.example/a?x=1&y=2]]></loc><lastmod>2024-05-17T10:30:00+02:00</lastmod><priority>0.5</priority></url>
		<url><lastmod>2023-01-02</lastmod><loc>http://h.example/b</loc></url><url><loc>http://h.example/c</loc></url>
		<url><loc>http://h.example/d</loc><lastmod>yesterday</lastmod></url><url><loc>mailto:x</loc><lastmod>2020</lastmod></url>
		<url><loc>http://h.example/e</loc><lastmod>2019-07</lastmod></url></urlset>`), fuzzBase)
	var got []string
	for _, l := range f.Links {
		s := strings.TrimPrefix(l.URL, "http://h.example")
		if !l.Modified.IsZero() {
			s += " " + l.Modified.Format(time.RFC3339)
		}
		got = append(got, s)
	}
	want := "/a?x=1&y=2 2024-05-17T08:30:00Z, /b 2023-01-02T00:00:00Z, /c, /d, /e 2019-07-01T00:00:00Z"
	if got := strings.Join(got, ", "); got != want || f.Index {
		t.Errorf("got %q, index %t; want %q", got, f.Index, want)
	}
	if !ReadFeed([]byte(`<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>`), fuzzBase).Index {
		t.Error("an index of sitemaps is not taken for one")
	}
}

func TestFeedsReportChanges(t *testing.T) {
	for feed, want := range map[string]string{
		`<rss><item><link>/a</link><pubDate>Fri, 17 May 2024 08:30:00 +0200</pubDate></item>` +
			`<item><link>/b</link></item></rss>`: "/a 2024-05-17 06:30 /b",
		`<feed><entry><link href="/a"/><published>2023-01-01T00:00:00Z</published>` +
			`<updated>2024-05-17T08:30:00Z</updated></entry></feed>`: "/a 2024-05-17 08:30",
		`{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/a", "date_published": "2023-01-01T00:00:00Z",
			"date_modified": "2024-05-17T08:30:00Z"}, {"url": "/b"}, {"id": 3}]}`: "/a 2024-05-17 08:30 /b",
		`<urlset><url><loc>/a</loc><lastmod>2024-05-17T08:30:00Z</lastmod></url><url><loc>/b</loc></url></urlset>`: "/a 2024-05-17 08:30",
	} {
		var got []string
		for _, c := range ReadFeed([]byte(feed), fuzzBase).Changes {
			got = append(got, strings.TrimPrefix(c.URL, "http://h.example"))
			if !c.Time.IsZero() {
				got = append(got, c.Time.UTC().Format("2006-01-02 15:04"))
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: got %q, want %q", feed, got, want)
		}
	}
}

func TestDeclaredFeeds(t *testing.T) {
	page := Page{URL: fuzzBase, Doc: parsed(t, `<head><link rel="alternate" type="application/rss+xml" href="rss">
		<link rel="alternate" type="text/html" hreflang="de" href="/de"><link rel="stylesheet" href="/s.css">
		<link rel="home ALTERNATE" type=" Application/Atom+XML" href="/atom"></head><body><a href="/feed">x</a>`)}
	if got := urls(Feeds(page)); got != "/f/rss /atom" {
		t.Errorf("got %q", got)
	}
}

func TestSitemapLines(t *testing.T) {
	for text, want := range map[string]string{
		"http://h.example/a\r\n\n http://h.example/b \nno address\nhttp://h.example/a\n": "/a /b",
		"# all pages\rhttp://h.example/a\rhttp://h.example/b\r":                          "/a /b",
		"Not Found\nhttp://h.example/a":                                                  "",
		"/relative\nhttp://h.example/a":                                                  "",
		"":                                                                               "",
		"mailto:x@y\nhttp://h.example/a\n":                                               "",
	} {
		if got := urls(SitemapLines([]byte(text), fuzzBase).Links); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
