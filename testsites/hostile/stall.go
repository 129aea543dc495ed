package hostile

import (
	"fmt"
	"strings"
	"time"
)

// Times of the servers that are slow on purpose. A crawl whose exchanges may last two seconds meets them all.
const (
	dripEvery = 100 * time.Millisecond
	slowStart = 700 * time.Millisecond
)

// stalls is about servers that stop, or almost. Each has a host of its own.
func stalls() []Misdeed {
	silent := func(name, does, first string) Misdeed {
		return Misdeed{Name: name, Does: does, Host: name, Want: Fails, Kind: "timeout", Most: tries, Stalls: true, answer: func(v *visit) {
			v.write(v.fill(first))
			v.stall()
		}}
	}
	cut := func(name, does string, answer func(*visit)) Misdeed {
		return Misdeed{Name: name, Does: does, Host: name, Want: Part, Kind: "time", Most: tries, Stalls: true, answer: answer}
	}
	all := []Misdeed{
		silent("stall-at-once", "no answer", ""),
		silent("stall-in-status", "stops in the status line", "HTTP/1.1 20"),
		silent("stall-in-header", "stops in the header", html),
		silent("stall-before-blank", "stops before the empty line", html+"Content-Length: 10\r\n"),
		silent("stall-after-100", "stops after 100 Continue", "HTTP/1.1 100 Continue\r\n\r\n"),
		{Name: "drip-header", Does: "a byte of the header at a time", Host: "drip-header", Want: Fails, Kind: "timeout", Most: tries,
			Stalls: true, answer: func(v *visit) {
				v.drip(html + strings.Repeat("X-Slow: y\r\n", 1000))
			}},
		{Name: "drip-100", Does: "a 100 Continue at a time", Host: "drip-100", Want: Fails, Most: tries, Stalls: true,
			answer: func(v *visit) {
				for v.pause(dripEvery) && v.write("HTTP/1.1 100 Continue\r\n\r\n") {
				}
			}},
		cut("drip-body", "a byte of the body at a time", func(v *visit) {
			v.write(html + "\r\n" + v.body())
			v.drip(strings.Repeat(filler, 1000))
		}),
		cut("drip-chunks", "a chunk of a byte at a time", func(v *visit) {
			v.write(v.fill(html + "Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n"))
			for v.pause(dripEvery) && v.write("1\r\nx\r\n") {
			}
		}),
		cut("stall-in-body", "stops in the body", func(v *visit) {
			v.write(v.fill(html + "Content-Length: 5000\r\n\r\n{page}"))
			v.stall()
		}),
		cut("stall-at-end", "has sent all and does not hang up", func(v *visit) {
			v.write(v.fill(html + "\r\n{page}"))
			v.stall()
		}),
		cut("stall-in-chunk", "stops in a chunk", func(v *visit) {
			v.write(v.fill(html + "Transfer-Encoding: chunked\r\n\r\n5000\r\n{page}"))
			v.stall()
		}),
		cut("stall-before-last-chunk", "stops before the last chunk", func(v *visit) {
			v.write(v.fill(html + "Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n"))
			v.stall()
		}),
		cut("stall-in-gzip", "stops in compressed data", func(v *visit) {
			data := gzipped(v.document() + noise(3000))
			v.write(html + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", len(data)) + data[:len(data)-1000])
			v.stall()
		}),
		{Name: "slow-start", Does: "thinks for a while", Host: "slow-start", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: func(v *visit) {
				v.pause(slowStart)
				v.page("Slow", v.body())
			}},
		{Name: "slow-pieces", Does: "sends its page in five pieces", Host: "slow-pieces", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: func(v *visit) {
				page := v.document()
				v.write(html + "\r\n")
				for i := range 5 {
					v.write(page[len(page)*i/5 : len(page)*(i+1)/5])
					v.pause(dripEvery)
				}
			}},
	}
	for i := range all {
		switch all[i].Name { // the link came before the stall
		case "drip-body", "drip-chunks", "stall-in-body", "stall-at-end", "stall-in-chunk", "stall-before-last-chunk":
			all[i].Leads = true
		}
	}
	return all
}

// drip sends a text byte by byte.
func (v *visit) drip(text string) {
	for i := range len(text) {
		if !v.pause(dripEvery) || !v.write(text[i:i+1]) {
			return
		}
	}
}

// resets is about connections that break. They share a host with good pages: it is not down. A client may ask
// again on a new connection when one that was kept alive breaks without an answer.
func resets() []Misdeed {
	const most = 2 * tries
	rst := func(first string) func(*visit) {
		return func(v *visit) {
			v.write(v.fill(first))
			v.pause(20 * time.Millisecond) // or the other side may not see what came before
			v.reset()
		}
	}
	fails := func(name, does string, answer func(*visit)) Misdeed {
		return Misdeed{Name: name, Does: does, Host: "resets", Want: Fails, Kind: "reset", Most: most, answer: answer}
	}
	all := []Misdeed{
		fails("reset-at-once", "RST before the answer", func(v *visit) { v.reset() }),
		fails("fin-at-once", "FIN before the answer", func(*visit) {}),
		fails("reset-in-status", "RST in the status line", rst("HTTP/1.1 2")),
		fails("reset-in-header", "RST in the header", rst(html+"X-Half: a")),
		fails("fin-in-header", "FIN in the header", raw(html+"X-Half: a")),
		fails("fin-after-100", "FIN after 100 Continue", raw("HTTP/1.1 100 Continue\r\n\r\n")),
		broken("reset-in-body", "RST in the body", true, rst(html+"Content-Length: 5000\r\n\r\n{page}")),
		broken("reset-in-chunk", "RST in a chunk", true, rst(html+"Transfer-Encoding: chunked\r\n\r\n5000\r\n{page}")),
		broken("reset-after-header", "RST after the header", false, rst(html+"Content-Length: 5000\r\n\r\n")),
		broken("reset-at-end", "RST for the end of the body", true, rst(html+"\r\n{page}")),
		{Name: "reset-once", Does: "RST, and an answer the second time", Want: Whole, Status: 200, Most: most, Leads: true,
			answer: func(v *visit) {
				if v.n == 1 {
					v.reset()
					return
				}
				v.page("Again", v.body())
			}},
		{Name: "cut-once", Does: "half a page, and the whole one the second time", Want: Whole, Status: 200, Most: tries, Leads: true,
			answer: func(v *visit) {
				if v.n == 1 {
					raw(html + "Content-Length: {len}\r\n\r\n{half}")(v)
					return
				}
				v.page("Again", v.body())
			}},
	}
	for i := range all {
		all[i].Host = "resets"
	}
	return all
}

// endless is about what never ends.
func endless() []Misdeed {
	page := func(name, does string, leads bool, answer func(*visit)) Misdeed {
		return Misdeed{Name: name, Does: does, Host: name, Want: Part, Kind: "length", Most: 1, Leads: leads, MayCut: true, answer: answer}
	}
	body := func(head, first, text string) func(*visit) {
		return func(v *visit) {
			v.write(v.fill(html + head + "\r\n" + first))
			v.pour(text)
		}
	}
	text := strings.Repeat(filler, 3000)
	return []Misdeed{
		page("endless-body", "a body without end", true, body("", "{page}", text)),
		page("endless-chunks", "chunks without end", true, body("Transfer-Encoding: chunked\r\n", "{hex}\r\n{page}\r\n",
			fmt.Sprintf("%x\r\n%s\r\n", len(text), text))),
		page("endless-trailer", "trailer fields without end", true, body("Transfer-Encoding: chunked\r\n", "{hex}\r\n{page}\r\n0\r\n",
			strings.Repeat("X-More: and more\r\n", 3000))),
		page("endless-tag", "a tag without end", true, body("", "{page}<p ", strings.Repeat("x ", 30_000))),
		page("endless-comment", "a comment without end", true, body("", "{page}<!-- ", strings.Repeat("x ", 30_000))),
		page("endless-nesting", "elements within each other without end", false, body("", "", strings.Repeat("<div>", 15_000))),
		page("endless-download", "a file without end", false, func(v *visit) {
			v.write("HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\nPK\x03\x04")
			v.pour(noise(64 << 10))
		}),
		{Name: "pages-endless", Does: "each page leads to the next, with words of its own", Host: "pages-endless", Want: Whole,
			Most: trapped,
			answer: func(v *visit) {
				v.page(fmt.Sprint("Page ", v.number()),
					"<p>"+prose(v.target, 40)+fmt.Sprintf(`</p><a href="/x/pages-endless?n=%d">Next</a>`,
						v.number()+1))
			}},
		{Name: "pages-doubling", Does: "each page leads to two new ones", Host: "pages-doubling", Want: Whole, Most: trapped,
			answer: func(v *visit) {
				at := strings.TrimSuffix(v.target, "/")
				v.page("Page "+at, "<p>"+prose(v.target, 40)+
					fmt.Sprintf(`</p><a href="%s/a%d">left</a> <a href="%s/b%d">right</a>`, at, len(at), at,
						len(at)))
			}},
	}
}
