package hostile

import (
	"fmt"
	"strconv"
	"strings"
)

// page answers with a page made of text, in which {behind} stands for the link and {to} for its address.
func page(text string) func(*visit) {
	return func(v *visit) {
		v.send("200 OK", "text/html; charset=utf-8", strings.ReplaceAll(v.fill(text), "{to}", "/good/behind-"+v.m.Name), true)
	}
}

// markup is about HTML that is broken, and what browsers make of it.
func markup() []Misdeed {
	return []Misdeed{
		found("no-html", "a link and nothing else", page(`<a href={to}>x`)),
		found("capitals", "tags in capitals", page(`<HTML><BODY><A HREF="{to}">x</A></BODY></HTML>`)),
		found("unquoted", "attributes without quotes", page(`<a class=x href={to} title=y>x</a>`)),
		found("unclosed", "no tag is closed",
			page(`<html><body><table><tr><td><ul><li><p>one<p>two<li><b><i>three<td><form><div>{behind}`)),
		found("crossed", "tags that cross", page(`<b><p><i></b>one</p></i><table><b><tr><td></table></b>{behind}`)),
		found("unopened", "ends of what never began", page(strings.Repeat("</div></p></table></b></html></body>", 500)+"{behind}")),
		found("two-bodies", "two documents in one",
			page(`<html><body><p>one</body></html><html><head><title>two</title></head><body>{behind}</body></html>`)),
		found("after-html", "a link after the end", page(`<html><body><p>one</p></body></html>{behind}`)),
		found("twice", "an attribute twice: the first counts", page(`<a href="{to}" href="http://{snare}/">x</a>`)),
		found("quotes", "quotes within quotes", page(`<a title="a"b'c" href='{to}'>x</a>`)),
		found("gt-in-attribute", "> in an attribute", page(`<a title="a > b </a> <a href='http://{snare}/'>" href="{to}">x</a>`)),
		found("line-ends", "line ends within a tag", page("<a\n\n\r\thref\n=\r\n\"{to}\"\n>x</a\n>")),
		found("slashes", "slashes within a tag", page(`<a/////href="{to}"///class=x/>x`)),
		found("nul-in-tag", "NUL bytes in tags", page("<\x00p><p\x00 \x00>x{behind}")),
		found("entities", "entities in an address", page(`<p>x</p><a href="&#47;good&#x2f;behind&#45;entities">x</a>`)),
		found("frames", "a set of frames",
			page(`<title>Frames</title>`+"\n"+
				`<frameset cols="20,80"><frame src="{to}"><frame src="javascript:void(0)"></frameset>`)),
		found("iframe", "a page within the page", page(`<p>x</p><iframe src="{to}"></iframe>`)),
		found("area", "an image map",
			page(`<img usemap="#m" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`+
				`<map name="m"><area shape="rect" coords="0,0,9,9" href="{to}"></map>`)),
		found("noscript", "links for those without scripts", page(`<script>document.write("x")</script><noscript>{behind}</noscript>`)),
		found("textarea", "a text area that seems to be closed in a comment", page(`<textarea><!-- </textarea>{behind}-->`)),
		found("comment-odd", "comments that end in odd ways", page(`<!--><p>one</p><!---><p>two</p><!-- x --!><p>three</p>{behind}`)),
		found("cdata", "CDATA in HTML, which has none", page(`<![CDATA[ <p>x</p> ]]>{behind}`)),
		found("processing", "instructions of PHP that were not run", page(`<?php echo "<p>"; ?>{behind}`)),
		found("doctype-odd", "a document type that is none", page(`<!DOCTYPE HTML SYSTEM "http://{snare}/dtd" [ <!ELEMENT x> ]>{behind}`)),
		found("svg", "a link in SVG", page(`<svg><g><a xlink:href="#x"><text>x</text></a></g></svg>{behind}`)),
		found("math-breakout", "HTML within MathML", page(`<math><mi><p>x{behind}</math>`)),
		found("select", "a link after a list that is not closed", page(`<form><select><option>a<option>b</form></select>{behind}`)),
		found("base-in-body", "a base in the body", page(`<p>x</p><base href="/good/"><a href="behind-base-in-body">x</a>`)),
		found("base-twice", "two bases: the first counts",
			page(`<base href="/good/"><base href="http://{snare}/"><a href="behind-base-twice">x</a>`)),
		found("base-script", "a base that is no address", page(`<base href="javascript:alert(1)//"><a href="{to}">x</a>`)),
		found("base-data", "a base of data:", page(`<base href="data:text/html,x"><a href="{to}">x</a>`)),
		found("base-relative", "a relative base", page(`<base href="../good/x/"><a href="../behind-base-relative">x</a>`)),
		found("base-no-href", "a base without an address", page(`<base target="_blank"><a href="{to}">x</a>`)),
		found("base-file", "a base of file:", page(`<base href="file:///etc/"><a href="http:{to}">x</a><p><a href="{base}{to}">y</a>`)),
		inert("base-elsewhere", "a base on another host: all links lead there",
			page(`<base href="http://{snare}/"><a href="a">x</a><a href="b">x</a>`)),
		inert("plaintext", "what is behind plaintext is text", page(`<p>x</p><plaintext><a href="/never/plaintext">x</a>`)),
		inert("script-text", "links in a script that is not closed", page(`<p>x</p><script>var a = '<a href="/never/script">x</a>';`)),
		inert("style-text", "links in a style", page(`<style><a href="/never/style">x</a></style>`)),
		inert("title-text", "links in a title", page(`<title><a href="/never/title">x</a></title>`)),
		inert("comment-open", "a comment without end", page(`<p>x</p><!-- <a href="/never/comment">x</a>`)),
		inert("tag-open", "a tag without end", page(`<p>x</p><a href="/never/tag`)),
		inert("attribute-name", "a tag of 500 kB", page("<p "+strings.Repeat("x", 500_000)+`>x</p>`)),
		inert("image-links", "a picture of no size from the snare",
			page(`<p>x</p><img src="http://{snare}/pixel.gif" width=0 height=0><link rel=preconnect href="http://{snare}/">`)),
	}
}

// giants is about pages that are large in one way.
func giants() []Misdeed {
	times := func(n int, text, end string) func(*visit) {
		return func(v *visit) { page("<!DOCTYPE html><title>Many</title>" + strings.Repeat(v.fill(text), n) + end)(v) }
	}
	nested := func(n int, open, end string) func(*visit) {
		return func(v *visit) {
			page("<!DOCTYPE html><title>Deep</title>" + strings.Repeat(open, n) + "{behind}" + strings.Repeat(end, n))(v)
		}
	}
	return []Misdeed{
		found("nested-600", "600 elements within each other", nested(600, "<div>", "</div>")),
		found("nested-lists-300", "200 replies within each other", nested(200, "<ul><li><div>", "</div></li></ul>")),
		large("nested-20000", "20,000 elements within each other", nested(20_000, "<div>", "</div>")),
		large("nested-million", "a million elements within each other", nested(1_000_000, "<i>", "")),
		large("nested-tables", "2,000 tables within each other", nested(2000, "<table><tr><td>", "")),
		large("nested-svg", "20,000 groups of SVG within each other", nested(20_000, "<svg><g>", "")),
		large("fonts", "80,000 font elements that are not closed", times(80_000, "<font x>", "{behind}")),
		large("fonts-and-paragraphs", "formatting elements that are opened again in each paragraph", times(20_000, "<p><b><i><u><a>x",
			"{behind}")),
		large("anchors-open", "50,000 links that are not closed", times(50_000, "<a name=x>y", "{behind}")),
		large("tables-fostered", "text and elements that tables cast out", times(5000, "<table><a>x<b>y", "{behind}")),
		large("templates", "20,000 templates within each other", nested(20_000, "<template>", "")),
		large("forms", "50,000 forms", times(50_000, "<form><input name=a></form>", "{behind}")),
		found("elements-300000", "300,000 elements", times(300_000, "<p>x</p>", "{behind}")),
		large("elements-3000000", "3 million elements", times(3_000_000, "<br>", "{behind}")),
		large("options", "200,000 options", times(200_000, "<option>x", "</select>{behind}")),
		found("size-10m", "10 MB of text", times(10<<20/len(filler), filler, "{behind}")),
		large("size-50m", "50 MB of text", times(50<<20/len(filler), filler, "{behind}")),
		found("text-5m", "one word of 5 MB", times(5<<20, "x", "{behind}")),
		found("attribute-5m", "a value of 5 MB", func(v *visit) { page(`<p title="` + strings.Repeat("x", 5<<20) + `">x</p>{behind}`)(v) }),
		large("attributes-100000", "100,000 attributes in one element", func(v *visit) {
			var b strings.Builder
			for i := range 100_000 {
				b.WriteString(" a" + strconv.Itoa(i) + "=b")
			}
			page("<p" + b.String() + ">x</p>{behind}")(v)
		}),
		found("comments", "200,000 comments", times(200_000, "<!-- x -->", "{behind}")),
		found("entities-million", "a million entities", times(1_000_000, "&amp;", "{behind}")),
		found("line-ends-5m", "5 million line ends", times(5<<20, "\n", "{behind}")),
		large("links-60000", "60,000 links to places of one page", func(v *visit) {
			var b strings.Builder
			for i := range 60_000 {
				b.WriteString(`<a href="#` + strconv.Itoa(i) + `">x</a> `)
			}
			page(b.String() + "{behind}")(v)
		}),
		large("links-millions", "two million links elsewhere", times(2_000_000, `<a href=//{snare}/>x</a>`, "{behind}")),
		found("soft-hyphens", "a word of a million soft hyphens", times(1_000_000, "\u00ad", "{behind}")),
		found("combining", "a letter with 100,000 accents", times(100_000, "\u0301", "{behind}")),
		found("bidi", "100,000 changes of direction", times(100_000, "\u202e\u202d", "{behind}")),
	}
}

// large is a page that is archived whole; a crawler may stop reading it, and must say so.
func large(name, does string, answer func(*visit)) Misdeed {
	return Misdeed{Name: name, Does: does, Want: Whole, Most: 1, Leads: true, MayCut: true, answer: answer}
}

// links is about what links are written like.
func links() []Misdeed {
	forms := []struct{ name, does, to string }{
		{"spaces", "blanks around", "  {to}\t\n"},
		{"broken-line", "a line end within", "/good/\n\tbehind-link-broken-line"},
		{"backslashes", "backslashes", `\good\behind-link-backslashes`},
		{"host-relative", "without a scheme", "//{host}{to}"},
		{"host-backslashes", "backslashes before the host", `\\{host}{to}`},
		{"scheme-capitals", "HTTP:", "HTTP://{host}{to}"},
		{"scheme-relative", "http: and a path", "http:{to}"},
		{"four-slashes", "four slashes", "http:////{host}{to}"},
		{"fragment", "a fragment", "{to}#a#b"},
		{"dots", "dots", "/a/../b/./../../../../good/./behind-link-dots"},
		{"dots-encoded", "dots that are encoded", "/a/%2e%2E/good/%2e/behind-link-dots-encoded"},
		{"up", "relative", "../good/behind-link-up"},
		{"user", "a user and a password", "http://user:pass@{host}{to}"},
		{"port-zeros", "zeros before the port", "http://127.0.0.1:000{port}{to}"},
	}
	all := make([]Misdeed, 0, len(forms)+8)
	for _, f := range forms {
		all = append(all, found("link-"+f.name, "a link written with: "+f.does, func(v *visit) {
			addr := v.host.addr()
			_, port, _ := strings.Cut(addr, ":")
			to := strings.NewReplacer("{host}", addr, "{port}", port, "{to}", "/good/behind-"+v.m.Name).Replace(f.to)
			v.page("A link", "<p>"+prose(v.m.Name, 30)+`</p><a href="`+to+`">x</a>`)
		}))
	}
	return append(all,
		inert("link-schemes", "links that are no addresses of the web", page(noLinks("javascript:location='http://{snare}/'",
			"data:text/html,<a href=http://{snare}/>x</a>", "mailto:a@example.org",
			"tel:+1", "ftp://{snare}/", "file:///etc/passwd", "gopher://{snare}/", "about:blank", "blob:http://{snare}/x",
			"view-source:http://{snare}/", "ws://{snare}/", "dict://{snare}/x", "ldap://{snare}/",
			"jar:http://{snare}/!/x", "vbscript:x", "chrome://settings", "//", "http://", "https://", "http:", ":", "#", "http://[",
			"http://[::1", "http://%00/", "http://a b/", "http://:80/", "http://x:99999/", "http://x:-1/"))),
		inert("link-snare", "the snare in many spellings", page(noLinks("http://{snare}/", "//{snare}/a", "http://0177.0.0.1:{snareport}/",
			"http://2130706433:{snareport}/", "http://0x7f000001:{snareport}/",
			"http://127.1:{snareport}/", "http://[::ffff:127.0.0.1]:{snareport}/", "http://0:{snareport}/", "http://localhost:{snareport}/",
			"http://localhost.:{snareport}/", "http://{main}@{snare}/", "http://{main}#@{snare}/",
			`http://{snare}\@{main}/`))),
		inert("link-private", "addresses of private networks and clouds", page(noLinks("http://10.0.0.1/", "http://192.168.0.1/",
			"http://172.16.0.1/", "http://169.254.169.254/latest/meta-data/",
			"http://100.64.0.1/", "http://[fd00::1]/", "http://[fe80::1]/", "http://[::1]:{snareport}/",
			"http://[64:ff9b::7f00:1]:{snareport}/",
			"http://metadata.google.internal/", "http://0.0.0.0:{snareport}/", "http://224.0.0.1/", "http://255.255.255.255/"))),
		inert("link-never", "a link that robots.txt forbids, in odd spellings", page(noLinks("/never/a", "/nev%65r/b", "//{main}/never/c",
			"/x/../never/d", "/never/../never/e", "/%6Eever/f"))),
		inert("link-long", "an address of 100 kB", page(noLinks("/never/"+strings.Repeat("long", 25_000)))),
		inert("link-idn", "names of hosts that cannot be", page(noLinks("http://"+strings.Repeat("a", 300)+".example/",
			"http://xn--a.example/", "http://\u2603\u2603.invalid/", "http://a..b.invalid/", "http://-.invalid/"))),
		Misdeed{Name: "link-percent", Does: "addresses with stray percent signs and bytes", Want: Whole, Most: 9, Leads: true,
			answer: func(v *visit) {
				if v.arg() != "" {
					v.page("Percent", "<p>"+prose(v.target, 30)+"</p>")
					return
				}
				page(noLinks("/x/link-percent/%zz", "/x/link-percent/%", "/x/link-percent/%%", "/x/link-percent/%00",
					"/x/link-percent/\xff",
					"/x/link-percent/a b", "/x/link-percent/%0d%0aX:y",
					"/x/link-percent/?a=%&b=%zz") + "{behind}")(v)
			}},
		Misdeed{Name: "link-growing", Does: "a relative link that grows", Want: Whole, Most: 30, Leads: true, answer: func(v *visit) {
			v.page("Growing", "<p>"+prose(v.target, 30)+fmt.Sprintf(`</p><a href="%s/more">more</a>`, v.target)+v.behind())
		}})
}

// noLinks is a page with links of which none may be followed, unless the misdeed's bound allows it.
func noLinks(to ...string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><title>Links</title>")
	for _, a := range to {
		b.WriteString(`<p><a href="` + escaper.Replace(a) + `">x</a>`)
	}
	return b.String()
}
