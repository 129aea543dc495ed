package hostile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// html is the begin of a header that is well-formed.
const html = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"

// raw answers with a text as it is, but for {page}, which stands for the misdeed's page, {half} for its first half,
// {len} for its length in bytes and {hex} for that in hexadecimal, {behind} for the link; then it hangs up.
func raw(text string) func(*visit) {
	return func(v *visit) { v.write(v.fill(text)) }
}

// rawKeep is raw, but the connection stays open for the next request.
func rawKeep(text string) func(*visit) {
	return func(v *visit) { v.keep = v.write(v.fill(text)) }
}

func (v *visit) fill(text string) string {
	page := v.document()
	return strings.NewReplacer("{page}", page, "{half}", page[:len(page)/2], "{len}", strconv.Itoa(len(page)), "{hex}",
		strconv.FormatInt(int64(len(page)), 16),
		"{behind}", v.behind(), "{base}", v.host.base, "{snare}", v.site.snare.addr(),
		"{snareport}", v.site.snare.port(), "{main}", v.host.addr()).Replace(text)
}

// framing is about where a message ends.
func framing() []Misdeed {
	return []Misdeed{
		found("length-twice", "Content-Length twice, equal", raw(html+"Content-Length: {len}\r\nContent-Length: {len}\r\n\r\n{page}")),
		found("length-list", "Content-Length: n, n", raw(html+"Content-Length: {len}, {len}\r\n\r\n{page}")),
		{Name: "lengths-differ", Does: "two lengths that differ", Want: Kept, Most: 1, Leads: true, answer: raw(html +
			"Content-Length: {len}\r\nContent-Length: 90000\r\n\r\n{page}")},
		found("length-and-chunked", "a length and chunks",
			raw(html+"Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n0\r\n\r\n")),
		found("length-negative", "Content-Length: -1", raw(html+"Content-Length: -1\r\n\r\n{page}")),
		{Name: "length-plus", Does: "Content-Length: +5", Want: Kept, Most: 1, Leads: true, answer: raw(html +
			"Content-Length: +5\r\n\r\n{page}")},
		{Name: "length-overflows", Does: "a length of more than 64 bits", Want: Kept, Most: 1, Leads: true, answer: raw(html +
			"Content-Length: 18446744073709551621\r\n\r\n{page}")},
		{Name: "length-hex", Does: "Content-Length: 0x10", Want: Kept, Most: 1, Leads: true, answer: raw(html +
			"Content-Length: 0x10\r\n\r\n{page}")},
		{Name: "length-words", Does: "Content-Length: many", Want: Kept, Most: 1, Leads: true, answer: raw(html +
			"Content-Length: many\r\n\r\n{page}")},
		{Name: "length-empty", Does: "Content-Length without a value", Want: Kept, Most: 1, Leads: true, answer: raw(html +
			"Content-Length:\r\n\r\n{page}")},
		broken("length-too-long", "less than the length says", true, raw(html+"Content-Length: 90000\r\n\r\n{page}")),
		broken("length-of-gigabytes", "8 EiB announced, a page sent", true,
			raw(html+"Content-Length: 9223372036854775807\r\n\r\n{page}")),
		broken("chunk-size-no-number", "a chunk size zz", true,
			raw(html+"Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\nzz\r\nmore\r\n0\r\n\r\n")),
		broken("chunk-size-overflows", "a chunk size of more than 64 bits", true,
			raw(html+"Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\nFFFFFFFFFFFFFFFF1\r\nmore")),
		broken("chunk-size-negative", "a chunk size of -1", true,
			raw(html+"Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n-1\r\nmore\r\n0\r\n\r\n")),
		found("chunk-size-zeros", "a chunk size with zeros before it",
			raw(html+"Transfer-Encoding: chunked\r\n\r\n000000{hex}\r\n{page}\r\n0000\r\n\r\n")),
		broken("chunk-longer-than-said", "a chunk longer than its size", false,
			raw(html+"Transfer-Encoding: chunked\r\n\r\n5\r\n{page}\r\n0\r\n\r\n")),
		found("chunk-extensions", "chunk extensions",
			raw(html+"Transfer-Encoding: chunked\r\n\r\n{hex};name=\"value\";x\r\n{page}\r\n0;last\r\n\r\n")),
		{Name: "chunk-extension-endless", Does: "a chunk extension of a megabyte", Want: Kept, Most: tries, answer: raw(html +
			"Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n5;" + strings.Repeat("x", 1<<20) + "\r\nhello\r\n0\r\n\r\n")},
		{Name: "chunks-lf", Does: "chunks with LF for CRLF", Want: Kept, Most: tries, answer: raw(html +
			"Transfer-Encoding: chunked\r\n\r\n{hex}\n{page}\n0\n\n")},
		broken("chunks-without-end", "no last chunk", true,
			raw(html+"Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n")),
		found("chunks-without-trailer", "hung up right after the last chunk",
			raw(html+"Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n0\r\n")),
		found("chunks-with-trailer", "trailer fields that contradict the header",
			raw(html+"Transfer-Encoding: chunked\r\nTrailer: Content-Type\r\n\r\n"+
				"{hex}\r\n{page}\r\n0\r\nContent-Type: image/png\r\nLocation: /x/\r\n\r\n")),
		found("chunks-of-one-byte", "20,000 chunks of a byte", chunksOfOne),
		kept("chunked-1.0", "chunks in HTTP/1.0, which has none",
			raw("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n0\r\n\r\n")),
		found("coding-identity", "Transfer-Encoding: identity", raw(html+"Transfer-Encoding: identity\r\n\r\n{page}")),
		kept("coding-unknown", "Transfer-Encoding: xchunked", raw(html+"Transfer-Encoding: xchunked\r\n\r\n{page}")),
		kept("coding-twice", "Transfer-Encoding: chunked, twice",
			raw(html+"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n0\r\n\r\n")),
		found("coding-in-capitals", "Transfer-Encoding: CHUNKED",
			raw(html+"Transfer-Encoding: CHUNKED\r\n\r\n{hex}\r\n{page}\r\n0\r\n\r\n")),
		found("no-length", "neither a length nor chunks", raw(html+"\r\n{page}")),
		inert("header-only", "a header and nothing else", raw(html+"Content-Length: 0\r\n\r\n")),
	}
}

func chunksOfOne(v *visit) {
	page := v.document()
	page += "<p>" + strings.Repeat("x", 20_000-len(page))
	var b strings.Builder
	b.WriteString(html + "Transfer-Encoding: chunked\r\n\r\n")
	for i := range len(page) {
		b.WriteString("1\r\n" + page[i:i+1] + "\r\n")
	}
	v.write(b.String() + "0\r\n\r\n")
}

// forged is an answer that nobody asked for, to be taken for that to the next request.
const forged = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 63\r\n\r\n" +
	"<title>forged</title><p><a href=\"http://{snare}/forged\">x</a></p>"

// smuggling is about answers in which another one is hidden, on connections that stay open.
func smuggling() []Misdeed {
	keep := html + "Connection: keep-alive\r\n"
	return []Misdeed{
		found("surplus-after-length", "a forged answer after the end of the body",
			rawKeep(keep+"Content-Length: {len}\r\n\r\n{page}"+forged)),
		found("surplus-after-chunks", "a forged answer after the last chunk",
			rawKeep(keep+"Transfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n0\r\n\r\n"+forged)),
		found("surplus-crlf", "empty lines after the body", rawKeep(keep+"Content-Length: {len}\r\n\r\n{page}\r\n\r\n\r\n")),
		{Name: "surplus-of-204", Does: "204 with a body that is a forged answer", Want: Whole, Status: 204, Most: 1,
			answer: rawKeep("HTTP/1.1 204 No Content\r\nContent-Length: 63\r\n\r\n" + forged)},
		{Name: "surplus-of-304", Does: "304 that nobody asked for, with a body", Want: Whole, Status: 304, Most: 1,
			answer: rawKeep("HTTP/1.1 304 Not Modified\r\nContent-Length: {len}\r\n\r\n{page}" + forged)},
		{Name: "surplus-of-100", Does: "an interim answer with a body", Want: Kept, Most: tries,
			answer: rawKeep("HTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\n\r\n" + keep + "Content-Length: {len}\r\n\r\n{page}")},
		found("length-or-chunked", "forged if the length counts and not the chunks",
			rawKeep(keep+"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n{hex}\r\n{page}\r\n0\r\n\r\n"+forged)),
		{Name: "head", Does: "answers GET as if it were HEAD", Host: "head", Want: Part, Kind: "time", Most: tries,
			Stalls: true, answer: func(v *visit) {
				v.write(html + "Connection: keep-alive\r\nContent-Length: 5000\r\n\r\n")
				v.stall()
			}},
		found("pipelined", "the answers to three requests at once",
			rawKeep(keep+"Content-Length: {len}\r\n\r\n{page}"+forged+forged+forged)),
		found("warc-in-body", "records of WARC in the body", func(v *visit) {
			v.page("WARC", "<pre>\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://"+v.site.snare.addr()+
				"/\r\nContent-Length: 4\r\n\r\nfake\r\n\r\n</pre>"+v.body())
		}),
		found("warc-in-header", "fields of WARC in the header",
			raw(html+
				"WARC-Type: revisit\r\nWARC-Truncated: length\r\nWARC-Target-URI: about:blank\r\nContent-Length: {len}\r\n\r\n{page}")),
	}
}

// statuses is about status lines and statuses.
func statuses() []Misdeed {
	rest := "\r\nContent-Type: text/html\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n{page}"
	all := []Misdeed{
		{Name: "no-reason", Does: "a status line without a reason", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw("HTTP/1.1 200" + rest)},
		{Name: "two-spaces", Does: "two spaces in the status line", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw("HTTP/1.1  200  OK" + rest)},
		{Name: "reason-binary", Does: "bytes of no charset in the reason", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw("HTTP/1.1 200 \xff\xfe\x01\x1b[31m" + rest)},
		{Name: "http-1.0", Does: "HTTP/1.0", Want: Whole, Status: 200, Most: 1, Leads: true, answer: raw("HTTP/1.0 200 OK" + rest)},
		kept("http-1.9", "HTTP/1.9", raw("HTTP/1.9 200 OK"+rest)),
		nonsense("http-0.9", "HTTP/0.9: no header at all", raw("{page}")),
		{Name: "http-2-line", Does: "HTTP/2 in the status line", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw("HTTP/2 200 OK" + rest)},
		nonsense("http-2-preface", "frames of HTTP/2 unasked",
			raw("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80\x00\x04\x00\x01\x00\x00\x00\x05\x00\xff\xff\xff")),
		nonsense("icy", "ICY 200 OK", raw("ICY 200 OK"+rest)),
		{Name: "status-word", Does: "HTTP/1.1 OK, which browsers take for 200", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw("HTTP/1.1 OK" + rest)},
		nonsense("status-two-digits", "status 20", raw("HTTP/1.1 20 OK"+rest)),
		nonsense("status-huge", "status 2000000000000000000000", raw("HTTP/1.1 2000000000000000000000 OK"+rest)),
		{Name: "status-negative", Does: "status -200, which browsers take for 200", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw("HTTP/1.1 -200 OK" + rest)},
		nonsense("garbage", "bytes that are no HTTP", raw("\x16\x03\x01\x00\x02\x02\x28\x00 this is no status line \x00\xff\r\n\r\n")),
		nonsense("zeros", "100,000 NUL bytes", raw(strings.Repeat("\x00", 100_000))),
		{Name: "upgrade", Does: "101 Switching Protocols unasked", Want: Kept, Status: 101, Most: 1,
			answer: raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello")},
		{Name: "continue", Does: "100 Continue before the answer", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK" + rest)},
		{Name: "early-hints", Does: "ten 103 before the answer", Want: Whole, Status: 200, Most: 1, Leads: true,
			answer: raw(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n", 10) + "HTTP/1.1 200 OK" +
				rest)},
		nonsense("interim-flood", "1xx without end", func(v *visit) {
			for v.write("HTTP/1.1 102 Processing\r\n\r\n") {
			}
		}),
		{Name: "partial", Does: "206 that nobody asked for", Want: Kept, Status: 206, Most: 1,
			answer: raw("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99/100000" + rest)},
		{Name: "multipart", Does: "206 multipart/byteranges", Want: Kept, Status: 206, Most: 1,
			answer: raw("HTTP/1.1 206 Partial Content\r\nContent-Type: multipart/byteranges; boundary=b\r\n" +
				"Content-Length: 10\r\n\r\n--b\r\n\r\n--b-")},
		{Name: "reset-content", Does: "205 with a body", Want: Kept, Status: 205, Most: 1,
			answer: raw("HTTP/1.1 205 Reset Content" + rest)},
	}
	for _, code := range []int{400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 418, 421, 451, 501, 505, 511, 600, 999} {
		head := fmt.Sprintf("HTTP/1.1 %d No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nProxy-Authenticate: Basic realm=\"x\"", code)
		all = append(all, Misdeed{Name: fmt.Sprint("status-", code), Does: fmt.Sprint("status ", code), Want: Kept, Status: code, Most: 1,
			answer: raw(head + rest)})
	}
	return all
}

// later is about servers that ask to come again.
func later() []Misdeed {
	// once refuses the first request and answers the second.
	once := func(head func() string) func(*visit) {
		return func(v *visit) {
			if v.n == 1 {
				v.send(head(), "text/html", "<p>Later, please.</p>", false)
				return
			}
			v.page("Now", v.body())
		}
	}
	is := func(text string) func() string { return func() string { return text } }
	in := func(d time.Duration, format string) func() string {
		return func() string { return "503 Later\r\nRetry-After: " + time.Now().Add(d).UTC().Format(format) }
	}
	const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"
	all := []Misdeed{
		{Name: "wait-429", Does: "429, Retry-After: 1", answer: once(is("429 Too Many Requests\r\nRetry-After: 1"))},
		{Name: "wait-503", Does: "503, Retry-After: 1", answer: once(is("503 Later\r\nRetry-After: 1"))},
		{Name: "wait-zero", Does: "Retry-After: 0", answer: once(is("503 Later\r\nRetry-After: 0"))},
		{Name: "wait-negative", Does: "Retry-After: -100", answer: once(is("503 Later\r\nRetry-After: -100"))},
		{Name: "wait-fraction", Does: "Retry-After: 0.5", answer: once(is("503 Later\r\nRetry-After: 0.5"))},
		{Name: "wait-words", Does: "Retry-After: soon", answer: once(is("429 Later\r\nRetry-After: soon"))},
		{Name: "wait-empty", Does: "Retry-After without a value", answer: once(is("429 Later\r\nRetry-After:"))},
		{Name: "wait-nan", Does: "Retry-After: NaN", answer: once(is("429 Later\r\nRetry-After: NaN"))},
		{Name: "wait-date", Does: "Retry-After: a date two seconds from now", answer: once(in(2*time.Second, httpDate))},
		{Name: "wait-date-past", Does: "Retry-After: a date of the last century",
			answer: once(is("503 Later\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT"))},
		{Name: "wait-date-old-form", Does: "Retry-After: a date in the form of RFC 850", answer: once(in(time.Second,
			"Monday, 02-Jan-06 15:04:05 GMT"))},
		{Name: "wait-date-broken", Does: "Retry-After: a date that is none",
			answer: once(is("503 Later\r\nRetry-After: Mon, 99 Foo 2026 25:61:61 GMT"))},
		{Name: "wait-twice", Does: "two Retry-After", answer: once(is("503 Later\r\nRetry-After: 1\r\nRetry-After: 2"))},
	}
	for i := range all {
		all[i].Host, all[i].Want, all[i].Status, all[i].Leads, all[i].Most = all[i].Name, Whole, 200, true, 2
	}
	for _, code := range []int{408, 425, 429, 500, 502, 503, 504} {
		name, kind, most := fmt.Sprint("always-", code), fmt.Sprint("http_", code), tries
		if code == 429 || code == 503 {
			kind, most = "host_refused", refusals
		}
		all = append(all, Misdeed{Name: name, Does: fmt.Sprint(code, " each time"), Host: name, Want: Fails,
			Kind:   kind,
			Status: code, Most: most,
			answer: raw(fmt.Sprintf("HTTP/1.1 %d No\r\nContent-Type: text/html\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n{page}",
				code))})
	}
	return append(all, absurd("wait-year", "Retry-After: 31536000"), absurd("wait-absurd", "Retry-After: 99999999999999999999"),
		absurd("wait-infinite", "Retry-After: Inf"), absurd("wait-date-far", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"))
}

// absurd asks for a wait that no person meant. The host answers everything else at once. What a crawler makes of it takes
// it long, so the table only bounds it.
func absurd(name, field string) Misdeed {
	return Misdeed{Name: name, Does: field, Host: name, Want: Free, Shut: true, Most: tries, answer: func(v *visit) {
		v.send("503 Later\r\n"+field, "text/html", "<p>Later, please.</p>", false)
	}}
}
