package hostile

import (
	"fmt"
	"strings"
)

// redirects is about Location.
func redirects() []Misdeed {
	to := func(status int, location string) func(*visit) {
		return func(v *visit) {
			l := strings.ReplaceAll(v.fill(location), "{to}", "/good/behind-"+v.m.Name)
			v.write(fmt.Sprintf("HTTP/1.1 %d Elsewhere\r\nContent-Type: text/html\r\n%sContent-Length: 3\r\nConnection: close\r\n\r\n<p>",
				status,
				l))
		}
	}
	location := func(l string) func(*visit) { return to(302, "Location: "+l+"\r\n") }
	var all []Misdeed
	for _, code := range []int{301, 302, 303, 307, 308} {
		all = append(all, found(fmt.Sprint("redirect-", code), fmt.Sprint("status ", code), to(code, "Location: {to}\r\n")))
	}
	all = append(all,
		found("redirect-absolute", "an absolute Location", location("{base}{to}")),
		found("redirect-relative", "a relative Location", location("../good/behind-redirect-relative")),
		found("redirect-host", "a Location without a scheme", location("//{main}{to}")),
		found("redirect-fragment", "a Location with a fragment", location("{to}#part")),
		found("redirect-folded", "a Location on a folded line", to(302, "Location:\r\n {to}\r\n")),
		found("redirect-blanks", "blanks around a Location", location(" \t{to} ")),
		found("redirect-lower", "location: in lower case", to(302, "location: {to}\r\n")),
		found("redirect-twice", "two Locations: the first counts", to(302, "Location: {to}\r\nLocation: http://{snare}/\r\n")),
		inert("redirect-none", "302 without a Location", to(302, "")),
		inert("redirect-empty", "an empty Location", location("")),
		kept("redirect-300", "300 with a Location", to(300, "Location: {to}\r\n")),
		inert("redirect-305", "305, a proxy that is the snare", to(305, "Location: http://{snare}/\r\n")),
		inert("redirect-file", "to a file", location("file:///etc/passwd")),
		inert("redirect-javascript", "to javascript:", location("javascript:alert(1)")),
		inert("redirect-data", "to data:", location("data:text/html,<a href=http://{snare}/>x</a>")),
		inert("redirect-ftp", "to ftp:", location("ftp://{snare}/")),
		inert("redirect-gopher", "to gopher:", location("gopher://{snare}/_GET%20/")),
		inert("redirect-snare", "to another host of the same network", location("http://{snare}/")),
		inert("redirect-decimal", "to the snare as a number", location("http://2130706433:{snareport}/")),
		inert("redirect-mapped", "to the snare as IPv4 in IPv6", location("http://[::ffff:127.0.0.1]:{snareport}/")),
		inert("redirect-localhost", "to localhost", location("http://localhost:{snareport}/")),
		inert("redirect-cloud", "to the metadata of a cloud", location("http://169.254.169.254/latest/meta-data/")),
		inert("redirect-user", "to the snare with this host as the user", location("http://{main}@{snare}/")),
		inert("redirect-backslash", "to the snare behind a backslash", location(`http://{snare}\@{main}/`)),
		inert("redirect-no-url", "to what is no address", location("http://[::1")),
		inert("redirect-binary", "to bytes", location("\x00\x01\xff\xfe")),
		inert("redirect-port", "to port 99999", location("http://127.0.0.1:99999/")),
		inert("redirect-long", "to an address of 100 kB", location("/never/"+strings.Repeat("long", 25_000))),
		inert("redirect-never", "to what robots.txt forbids", location("/never/redirect")),
		Misdeed{Name: "redirect-self", Does: "to itself", Want: Kept, Most: 2, answer: location("/x/redirect-self")},
		Misdeed{Name: "redirect-two", Does: "to another one that sends back", Want: Kept, Most: 4, answer: func(v *visit) {
			next := "/x/redirect-two/back"
			if v.arg() != "" {
				next = "/x/redirect-two"
			}
			location(next)(v)
		}},
		Misdeed{Name: "redirect-endless", Does: "to ever new addresses", Want: Kept, Most: 25, answer: func(v *visit) {
			location(fmt.Sprintf("/x/redirect-endless/%d", v.number()+1))(v)
		}},
		Misdeed{Name: "redirect-growing", Does: "to an address that doubles", Want: Kept, Most: 25, answer: func(v *visit) {
			location(v.target + "?" + v.arg() + "x" + v.arg())(v)
		}},
		Misdeed{Name: "redirect-body", Does: "a redirect whose body never ends", Host: "redirect-body", Want: Part, Kind: "length",
			Most: tries, Leads: true, answer: func(v *visit) {
				v.write("HTTP/1.1 302 Found\r\nContent-Type: text/html\r\nLocation: /good/behind-redirect-body\r\n\r\n")
				v.pour(strings.Repeat(filler, 1000))
			}})
	return all
}

// refreshes is about pages that send on by themselves.
func refreshes() []Misdeed {
	meta := func(content string) func(*visit) {
		return page(`<!DOCTYPE html><head><meta http-equiv="refresh" content="` + content + `"></head><body><p>Wait.</p></body>`)
	}
	header := func(content string) func(*visit) {
		return func(v *visit) {
			v.send("200 OK\r\nRefresh: "+strings.ReplaceAll(v.fill(content), "{to}", "/good/behind-"+v.m.Name), "text/html", "<p>Wait.</p>",
				true)
		}
	}
	return []Misdeed{
		found("refresh-meta", "0; url=", meta("0; url={to}")),
		found("refresh-quoted", "0;URL='...'", meta("0;URL='{to}'")),
		found("refresh-comma", "0,URL =", meta(" 0.5 , URL = {to}")),
		found("refresh-bare", "an address without url=", meta("3;{to}")),
		found("refresh-days", "after a million seconds", meta("1000000; url={to}")),
		found("refresh-header", "a Refresh header", header("0; url={to}")),
		found("refresh-header-quoted", "a Refresh header with quotes", header(`5; URL="{to}"`)),
		found("refresh-noscript", "for those without scripts",
			page(`<head><noscript><meta http-equiv=refresh content="0;{to}"></noscript></head><p>x`)),
		inert("refresh-script", "to javascript:", meta("0; url=javascript:alert(1)")),
		inert("refresh-file", "to a file", meta("0; url=file:///etc/passwd")),
		inert("refresh-snare", "to the snare", meta("0; url=http://{snare}/")),
		inert("refresh-header-snare", "a Refresh header to the snare", header("0; url=http://{snare}/")),
		inert("refresh-nothing", "to nowhere", meta("0; url=")),
		Misdeed{Name: "refresh-self", Does: "to itself", Want: Whole, Most: 2, answer: meta("0; url=/x/refresh-self")},
		Misdeed{Name: "refresh-header-self", Does: "to itself by a header", Want: Whole, Most: 2, answer: header("1")},
		Misdeed{Name: "refresh-two", Does: "to another one that sends back", Want: Whole, Most: 4, answer: func(v *visit) {
			if v.arg() == "" {
				meta("0; url=/x/refresh-two/back")(v)
				return
			}
			meta("0; url=/x/refresh-two")(v)
		}},
		Misdeed{Name: "refresh-endless", Does: "to ever new addresses, without a word", Want: Whole, Most: trapped, answer: func(v *visit) {
			meta(fmt.Sprintf("0; url=/x/refresh-endless?n=%d", v.number()+1))(v)
		}},
	}
}

// trapped is what a place without end may cost where a crawl fetches a thousand pages of such a place at most.
const trapped = 1100

// pour sends a text over and over.
func (v *visit) pour(text string) {
	for v.write(text) {
	}
}
