package hostile

import (
	"fmt"
	"strings"
	"time"
)

// robots is about robots.txt. Each has a host of its own, with a page /x/NAME and one /never/ below it.
func robots() []Misdeed {
	const allowed, shut = Whole, Never
	is := func(status, mediaType, body string) func(*visit) {
		return func(v *visit) { v.send(status, mediaType, v.fill(body), true) }
	}
	plain := func(body string) func(*visit) { return is("200 OK", "text/plain", body) }
	row := func(name, does string, want Fate, answer func(*visit)) Misdeed {
		name = "robots-" + name
		m := Misdeed{Name: name, Does: does, Host: name, Want: want, Most: 1, robots: answer, Shut: want == Never, Leads: want == Whole}
		if m.Shut {
			m.Most = tries
		}
		return m
	}
	redirect := func(to string) func(*visit) {
		return func(v *visit) { v.send("302 Found\r\nLocation: "+v.fill(to), "text/html", "", false) }
	}
	moved := func(v *visit) {
		if v.target == "/robots.txt" {
			redirect("/x/robots-moved/robots.txt")(v)
		}
	}
	rules := "User-agent: *\nDisallow: /never/\n"
	all := []Misdeed{
		row("403", "403", allowed, is("403 Forbidden", "text/html", "<p>No.")),
		row("404", "404", allowed, is("404 Not Found", "text/html", "<p>No.")),
		row("500", "500", shut, is("500 Internal Server Error", "text/plain", rules)),
		row("503", "503", shut, is("503 Later", "text/plain", rules)),
		row("429", "429", shut, is("429 Too Many Requests", "text/plain", rules)),
		row("204", "204", allowed, func(v *visit) { v.keep = v.write("HTTP/1.1 204 No Content\r\n\r\n") }),
		row("html", "a page of HTML", allowed, is("200 OK", "text/html", document("Welcome", "<p>Disallow nothing</p>"))),
		row("empty", "nothing", allowed, plain("")),
		row("garbage", "no HTTP", shut, raw("\x00\x01garbage\r\n\r\n")),
		row("reset", "RST", shut, func(v *visit) { v.reset() }),
		row("stall", "no answer", shut, func(v *visit) { v.stall() }),
		row("cut", "less than the length says", allowed,
			raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5000\r\n\r\n"+rules)),
		row("endless", "rules without end", allowed, func(v *visit) {
			v.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + rules)
			v.pour(strings.Repeat("Disallow: /never/more\n", 3000))
		}),
		row("3m", "3 MB", allowed, plain(rules+strings.Repeat("# a comment of no use\n", 3<<20/22))),
		row("line-3m", "a line of 3 MB", allowed, plain(rules+"Disallow: /"+strings.Repeat("x", 3<<20))),
		row("bomb", "a gibibyte in gzip", allowed, func(v *visit) {
			v.send("200 OK\r\nContent-Encoding: gzip", "text/plain", gibibyteInGzip(),
				true)
		}),
		row("stars", "rules that take a matcher for ever", allowed, plain(rules+"Disallow: /"+strings.Repeat("*x", 5000)+"y$\n")),
		row("rules-100000", "a hundred thousand rules", allowed, plain(rules+strings.Repeat("Disallow: /n/*/x$\nAllow: /m\n", 8000))),
		row("agents", "ten thousand names for one group", allowed, plain(strings.Repeat("User-agent: bot\n", 10_000)+rules)),
		row("bom", "a byte order mark", allowed, plain("\ufeff"+rules)),
		row("cr", "lines that end in CR", allowed, plain(strings.ReplaceAll(rules, "\n", "\r"))),
		row("nul", "NUL bytes", allowed, plain("\x00\x00\x00\nUser-agent: *\nDisallow: /never/\x00\n"+rules)),
		row("delay-negative", "Crawl-delay: -5", allowed, plain(rules+"Crawl-delay: -5\n")),
		row("delay-nan", "Crawl-delay: NaN", allowed, plain(rules+"Crawl-delay: NaN\n")),
		row("delay-infinite", "Crawl-delay: Inf", allowed, plain(rules+"Crawl-delay: Inf\n")),
		row("loop", "redirects to itself", allowed, redirect("/robots.txt")),
		row("redirects", "redirects without end", allowed, redirect("/robots.txt?{hex}x")),
		row("snare", "redirects to the snare", allowed, redirect("http://{snare}/robots.txt")),
		row("cloud", "redirects to the metadata of a cloud", allowed, redirect("http://169.254.169.254/robots.txt")),
		row("file", "redirects to a file", allowed, redirect("file:///etc/passwd")),
		row("moved", "redirects to rules elsewhere on the host", allowed, moved),
		row("all", "forbids everything", shut, plain("User-agent: *\nDisallow: /\n")),
		row("sitemaps", "sitemaps of the snare and of a cloud", allowed,
			plain(rules+"Sitemap: http://{snare}/sitemap.xml\nSitemap: http://169.254.169.254/\nSitemap: file:///etc/passwd\n")),
	}
	return append(all, robotsBounds(all)...)
}

// robotsBounds sets the bounds that are not those of the rest, and adds hosts whose robots.txt is harmless at first.
func robotsBounds(all []Misdeed) []Misdeed {
	for i := range all {
		m := &all[i]
		switch m.Name {
		case "robots-500", "robots-503":
			m.Most = refusals
		case "robots-stall":
			m.Stalls = true
		case "robots-loop", "robots-redirects":
			m.Most = 7 // a page and five redirects
		case "robots-reset":
			m.Most = 2 * tries
		case "robots-cut", "robots-endless", "robots-3m", "robots-line-3m":
			m.Most = tries
		case "robots-snare", "robots-cloud", "robots-file": // no rules, or none that can be had
			m.Want, m.Leads, m.Shut = Free, false, true
		case "robots-moved":
			m.answer = func(v *visit) {
				if v.arg() == "robots.txt" {
					v.send("200 OK", "text/plain", "User-agent: *\nDisallow: /never/\n", true)
					return
				}
				v.page("Moved", v.body()+`<a href="/never/moved">x</a>`)
			}
			m.Most = 2
		}
	}
	return []Misdeed{
		{Name: "sitemap-bomb", Does: "a sitemap of a gibibyte", Host: "sitemap-bomb", Want: Whole, Most: 2, Leads: true,
			robots: sitemap("/x/sitemap-bomb/map.xml.gz"), answer: mapped(func(v *visit) {
				v.send("200 OK", "application/gzip", gibibyteInGzip(),
					true)
			})},
		{Name: "sitemap-loop", Does: "an index of sitemaps that names itself", Host: "sitemap-loop", Want: Whole, Most: 3, Leads: true,
			robots: sitemap("/x/sitemap-loop/map.xml"), answer: mapped(func(v *visit) { v.index("/x/sitemap-loop/map.xml") })},
		{Name: "sitemap-endless", Does: "an index that names ever new ones", Host: "sitemap-endless", Want: Whole, Most: trapped,
			Leads:  true,
			robots: sitemap("/x/sitemap-endless/0"),
			answer: mapped(func(v *visit) { v.index(fmt.Sprintf("/x/sitemap-endless/%d", v.number()+1)) })},
		{Name: "sitemap-snare", Does: "a sitemap of pages of the snare", Host: "sitemap-snare", Want: Whole, Most: 2, Leads: true,
			robots: sitemap("/x/sitemap-snare/map.xml"), answer: mapped(func(v *visit) {
				v.send("200 OK", "text/xml",
					v.fill(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+
						`<url><loc>http://{snare}/</loc></url><url><loc>file:///etc/passwd</loc></url></urlset>`),
					true)
			})},
		{Name: "sitemap-laughs", Does: "a sitemap whose entities grow to gigabytes", Host: "sitemap-laughs", Want: Whole, Most: 2,
			Leads:  true,
			robots: sitemap("/x/sitemap-laughs/map.xml"), answer: mapped(func(v *visit) { v.send("200 OK", "text/xml", laughs(), true) })},
		{Name: "sitemap-stall", Does: "a sitemap that stops", Host: "sitemap-stall", Want: Whole, Most: 1 + tries, Leads: true,
			Stalls: true,
			robots: sitemap("/x/sitemap-stall/map.xml"), answer: mapped(func(v *visit) {
				v.write(html + "\r\n<urlset>")
				v.stall()
			})},
	}
}

func sitemap(at string) func(*visit) {
	return func(v *visit) {
		v.send("200 OK", "text/plain", "User-agent: *\nDisallow: /never/\nSitemap: "+v.host.base+at+"\n", true)
	}
}

// mapped answers the misdeed's own address with a page and what lies below it by answer.
func mapped(answer func(*visit)) func(*visit) {
	return func(v *visit) {
		if v.arg() == "" {
			v.page(v.m.Name, v.body())
			return
		}
		answer(v)
	}
}

// index answers with an index of one sitemap.
func (v *visit) index(of string) {
	v.pause(time.Millisecond)
	v.send("200 OK", "text/xml",
		`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>`+v.host.base+of+"</loc></sitemap></sitemapindex>",
		true)
}
