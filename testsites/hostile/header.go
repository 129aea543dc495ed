package hostile

import (
	"fmt"
	"strings"
)

// headers is about header fields.
func headers() []Misdeed {
	end := "Content-Length: {len}\r\nConnection: close\r\n\r\n{page}"
	many := strings.Builder{}
	for i := range 40_000 {
		fmt.Fprintf(&many, "X-%d: y\r\n", i)
	}
	return []Misdeed{
		found("lf", "lines that end in LF", raw(strings.ReplaceAll("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+end, "\r\n", "\n"))),
		{Name: "cr", Does: "lines that end in CR", Host: "cr", Want: Fails, Most: 2 * tries,
			answer: raw(strings.ReplaceAll("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+end, "\r\n", "\r"))},
		found("mixed-ends", "lines that end in CRLF and LF", raw("HTTP/1.1 200 OK\nContent-Type: text/html\r\nX: y\n"+end)),
		found("folded", "a Content-Type on three lines", raw("HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html;\r\n\tcharset=utf-8\r\n"+end)),
		found("folded-first", "a folded line after the status line", raw("HTTP/1.1 200 OK\r\n folded\r\nContent-Type: text/html\r\n"+end)),
		found("no-colon", "lines without a colon", raw(html+"this is no field\r\nneither this\r\n"+end)),
		found("space-before-colon", "Content-Type : text/html", raw("HTTP/1.1 200 OK\r\nContent-Type : text/html\r\n"+end)),
		found("no-name", "a field without a name", raw(html+": value\r\n"+end)),
		found("name-binary", "names of bytes that are no token", raw(html+"X\x00\x01\xff(): value\r\n"+end)),
		found("nul-in-value", "NUL bytes in a value", raw(html+"X-Nul: a\x00b\x00\r\n"+end)),
		found("escapes-in-value", "control characters for a terminal in values", raw(html+"Server: \x1b[2J\x1b[31m\x07evil\r\n"+end)),
		found("not-utf-8", "bytes that are no UTF-8 in values", raw(html+"X-Name: \xe9\xff\xc3\x28\r\n"+end)),
		{Name: "injected", Does: "a header injected by a bare CR in a value", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw(html + "X-Lang: en\rLocation: http://{snare}/\rContent-Length: 0\r\n" + end)},
		{Name: "status-in-header", Does: "a second status line among the fields", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw(html + "HTTP/1.1 302 Found\r\nLocation: http://{snare}/\r\n" + end)},
		found("header-200k", "a field of 200 kB", raw(html+"X-Long: "+strings.Repeat("x", 200_000)+"\r\n"+end)),
		nonsense("header-1m", "a field of a megabyte", raw(html+"X-Long: "+strings.Repeat("x", 1<<20)+"\r\n"+end)),
		nonsense("fields-40000", "40,000 fields", raw(html+many.String()+end)),
		found("fields-equal", "the same field 5,000 times", raw(html+strings.Repeat("X-Same: y\r\n", 5000)+end)),
		nonsense("header-endless", "a header without end", func(v *visit) {
			v.write("HTTP/1.1 200 OK\r\n")
			for v.write(strings.Repeat("X-More: and more\r\n", 500)) {
			}
		}),
		nonsense("line-endless", "a status line without end", func(v *visit) {
			v.write("HTTP/1.1 200 ")
			for v.write(strings.Repeat("OK ", 5000)) {
			}
		}),
		found("date-broken", "dates that are none", raw(html+"Date: yesterday\r\nLast-Modified: 99/99/9999\r\nExpires: -1\r\n"+end)),
		found("link-header", "a Link header with 5,000 targets elsewhere", raw(html+"Link: "+
			strings.Repeat("<http://{snare}/>; rel=next, ", 2000)+"\r\n"+end)),
	}
}

// types is about what the body is said to be.
func types() []Misdeed {
	is := func(t string) func(*visit) {
		return raw("HTTP/1.1 200 OK\r\n" + t + "Content-Length: {len}\r\nConnection: close\r\n\r\n{page}")
	}
	body := func(t, content string) func(*visit) {
		return func(v *visit) { v.send("200 OK", t, v.fill(content), true) }
	}
	return []Misdeed{
		found("type-none", "HTML without a Content-Type", is("")),
		found("type-empty", "HTML with an empty Content-Type", is("Content-Type:\r\n")),
		found("type-no-type", "Content-Type: html", is("Content-Type: html\r\n")),
		found("type-capitals", "Content-Type: TEXT/HTML", is("Content-Type: TEXT/HTML ; Charset=UTF-8\r\n")),
		found("type-quote", "a quote that is not closed in Content-Type", is("Content-Type: text/html; charset=\"utf-8\r\n")),
		found("type-semicolons", "Content-Type: text/html;;;", is("Content-Type: text/html;;; =;charset\r\n")),
		found("type-comma", "Content-Type: text/html, text/html", is("Content-Type: text/html, text/html\r\n")),
		found("type-twice", "text/html twice", is("Content-Type: text/html\r\nContent-Type: text/html; charset=utf-8\r\n")),
		found("type-unknown", "HTML called unknown/unknown", is("Content-Type: unknown/unknown\r\n")),
		inert("type-plain", "HTML called text/plain", is("Content-Type: text/plain\r\n")),
		inert("type-image", "HTML called image/png", is("Content-Type: image/png\r\n")),
		inert("type-octets", "HTML called application/octet-stream", is("Content-Type: application/octet-stream\r\n")),
		found("type-xhtml", "XHTML as application/xhtml+xml", body("application/xhtml+xml", xhtml)),
		found("type-xml", "XHTML as text/xml", body("text/xml", xhtml)),
		found("type-application-xml", "XHTML as application/xml", body("application/xml; charset=utf-8", xhtml)),
		inert("laughs", "XML whose entities grow to gigabytes", body("application/xhtml+xml", laughs())),
		inert("external-entity", "XML with an entity that is a file and one of the snare",
			body("application/xml",
				`<?xml version="1.0"?><!DOCTYPE html [<!ENTITY f SYSTEM "file:///etc/passwd">`+
					`<!ENTITY s SYSTEM "http://{snare}/dtd">]><html xmlns="http://www.w3.org/1999/xhtml"><body>&f;&s;</body></html>`)),
		inert("image-as-html", "a picture called text/html", body("text/html",
			"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01"+strings.Repeat("\x00\xff<a", 2000))),
		inert("pdf-as-html", "a PDF called text/html", body("text/html", "%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\n%%EOF")),
		inert("random-as-html", "bytes of a generator called text/html",
			func(v *visit) { v.send("200 OK", "text/html", noise(300_000), true) }),
		inert("empty", "an empty page", body("text/html", "")),
		inert("blank", "a page of blanks", body("text/html", strings.Repeat(" \n\t", 10_000))),
	}
}

const xhtml = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>XHTML</title></head><body><div/><p>A page of XHTML.</p>{behind}</body></html>`

// laughs is the XML bomb of a billion laughs.
func laughs() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE html [\n<!ENTITY l0 \"ha\">\n")
	for i := range 12 {
		fmt.Fprintf(&b, "<!ENTITY l%d \"%s\">\n", i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
	}
	return b.String() + `]><html xmlns="http://www.w3.org/1999/xhtml"><body><p>&l12;</p></body></html>`
}

// noise is n bytes that look random and are the same each time.
func noise(n int) string {
	b := make([]byte, n)
	x := uint32(2463534242)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return string(b)
}

// cookies is about what servers want remembered. Cookies with "evil" in them must never come back.
func cookies() []Misdeed {
	set := func(lines ...string) func(*visit) {
		head := html
		for _, l := range lines {
			head += "Set-Cookie: " + l + "\r\n"
		}
		return raw(head + "Content-Length: {len}\r\nConnection: close\r\n\r\n{page}")
	}
	var many []string
	for i := range 400 {
		many = append(many, fmt.Sprintf("c%d=%s", i, strings.Repeat("v", 400)))
	}
	return []Misdeed{
		{Name: "cookies-400", Does: "400 cookies of 400 bytes", Host: "cookies-400", Want: Whole, Most: 1, Leads: true,
			answer: set(many...)},
		{Name: "cookie-100k", Does: "a cookie of 100 kB", Host: "cookie-100k", Want: Whole, Most: 1, Leads: true, answer: set("long=" +
			strings.Repeat("v", 100_000))},
		found("cookie-elsewhere", "cookies for other domains",
			set("evil1=x; Domain=example.com", "evil2=x; Domain=com", "evil3=x; Domain=.", "evil4=x; Domain=127.0.0.1.example.org",
				"evil5=x; Domain=0.0.1")),
		found("cookie-expired", "cookies of the past", set("evil8=x; Max-Age=0", "evil9=x; Max-Age=-1",
			"evil10=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT")),
		found("cookie-broken", "cookies that are none", set("=", ";;;", "a", "\x00evil=\x01", "b=\"c; d=e", strings.Repeat(";", 5000),
			"x=y; Path")),
		found("cookie-path", "cookies for another path", set("evil11=x; Path=/never/", "evil12=x; Path=/goodness")),
		{Name: "cookie-wall", Does: "sets a new cookie and sends to itself, each time", Want: Kept, Status: 302, Most: 3,
			answer: func(v *visit) {
				v.send(fmt.Sprintf("302 Found\r\nSet-Cookie: wall=%d\r\nLocation: %s", v.n, v.target), "text/html", "", false)
			}},
		{Name: "cookie-door", Does: "sends to itself until the cookie comes", Want: Whole, Status: 200, Most: 2, Leads: true,
			answer: func(v *visit) {
				if strings.Contains(v.header.Get("Cookie"), "door=open") {
					v.page("The door is open", v.body())
					return
				}
				v.send("302 Found\r\nSet-Cookie: door=open\r\nLocation: "+v.target, "text/html", "", false)
			}},
	}
}
