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
		{"other XML", `<opml><a href="/x"/><link>/y</link></opml>`, ""},
		{"no XML", `links`, ""},
	} {
		if got := urls(ReadFeed([]byte(c.feed), fuzzBase).Links); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
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

func TestSitemapLines(t *testing.T) {
	for text, want := range map[string]string{
		"http://h.example/a\r\n\n http://h.example/b \nno address\nhttp://h.example/a\n": "/a /b",
		"Not Found\nhttp://h.example/a":    "",
		"/relative\nhttp://h.example/a":    "",
		"":                                 "",
		"mailto:x@y\nhttp://h.example/a\n": "",
	} {
		if got := urls(SitemapLines([]byte(text), fuzzBase).Links); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
