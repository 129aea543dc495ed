package extract

import (
	"net/url"
	"testing"
)

func TestFeedLinks(t *testing.T) {
	for _, c := range []struct{ name, feed, want string }{
		{"RSS",
			`<?xml version="1.0" encoding="windows-1251"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
			<channel>
			<link>http://h.example/</link>
			<item><title>A</title><link> http://h.example/a&amp;b </link><guid isPermaLink="false">17</guid><comments>/a#comments</comments>
			<description><![CDATA[<p>See <a href="/cdata">it</a>]]></description>
			<content:encoded>&lt;a href="/escaped"&gt;</content:encoded>
			<enclosure url="/a.mp3"/></item>
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
		if got := urls(FeedLinks(c.feed, &url.URL{Scheme: "http", Host: "h.example", Path: "/"})); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
