package archive

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// cdxEntry is a line of the index without the place of the record, so that it can be made before the record is written.
type cdxEntry struct {
	start string // SURT, timestamp and the JSON up to the digest
	end   string // members behind the place
}

// entry returns the index line of a record; false for the types that are not indexed. Keys and members are those of cdxj-indexer,
// the JSON is written as warcio.js writes it.
func (r *record) entry() (cdxEntry, bool) {
	typ, contentType := r.typ(), r.header["content-type"]
	switch typ {
	case "request", "warcinfo":
		return cdxEntry{}, false
	case "metadata", "resource":
		if contentType == "application/warc-fields" {
			return cdxEntry{}, false
		}
	}
	uri := byteString(r.uri())
	if uri == "" {
		return cdxEntry{}, false
	}
	var b strings.Builder
	b.WriteString(surt(r.uri()))
	b.WriteByte(' ')
	b.WriteString(indexDate(r.header["warc-date"]))
	b.WriteString(` {"url":`)
	jsonString(&b, uri)
	mime, hasMIME := r.http.mime, r.http.hasMIME
	switch typ {
	case "revisit":
		mime, hasMIME = "warc/revisit", true
	case "response":
	default:
		mime, hasMIME = contentType, contentType != ""
	}
	if hasMIME {
		b.WriteString(`,"mime":`)
		jsonString(&b, mime)
	}
	if r.http.hasStatus && (typ == "response" || typ == "revisit") {
		b.WriteString(`,"status":`)
		jsonString(&b, r.http.status)
	}
	if digest := r.payloadDigest(); digest != "" {
		b.WriteString(`,"digest":`)
		jsonString(&b, digest)
	}
	return cdxEntry{start: b.String()}, true
}

// indexDate is a date as the index has it: 14 digits.
func indexDate(date string) string {
	date = strings.NewReplacer("-", "", ":", "", "T", "").Replace(date)
	return date[:min(len(date), 14)]
}

// at completes the line.
func (e cdxEntry) at(file string, offset, length int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s,"length":"%d","offset":"%d","filename":`, e.start, length, offset)
	jsonString(&b, file)
	b.WriteString(e.end + "}\n")
	return b.String()
}

// jsonString appends s as JSON.stringify of JavaScript does.
func jsonString(b *strings.Builder, s string) {
	const named = "\b\f\n\r\t\"\\"
	b.WriteByte('"')
	for _, r := range s {
		switch i := strings.IndexRune(named, r); {
		case i >= 0:
			b.WriteByte('\\')
			b.WriteByte("bfnrt\"\\"[i])
		case r < ' ':
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// statusText is the second word of a status line as a JavaScript number in decimals.
func statusText(line string) string {
	_, rest, ok := strings.Cut(line, " ")
	if !ok {
		return ""
	}
	word, _, _ := strings.Cut(rest, " ")
	if word = strings.TrimSpace(word); word == "" {
		return "0"
	}
	n, err := strconv.ParseInt(word, 10, 32) // a sign is allowed there, too
	if err != nil {
		return "NaN"
	}
	return strconv.FormatInt(n, 10)
}

// mimeText is the media type of the Content-Type fields: joined as the Headers class of JavaScript joins them, up to
// the first semicolon.
func mimeText(values []string) (string, bool) {
	var kept []string
	for _, v := range values {
		if strings.ContainsAny(v, "\x00\r") {
			continue // refused there
		}
		kept = append(kept, byteString(v))
	}
	joined := strings.Join(kept, ", ")
	if joined == "" {
		return "", false
	}
	first, _, _ := strings.Cut(joined, ";")
	return strings.TrimSpace(first), true
}

// byteString is a header value as the Headers class of JavaScript has it: characters up to U+00FF stand for bytes, and a value
// with a character beyond counts as its UTF-8 bytes.
func byteString(s string) string {
	s = string([]rune(s)) // one U+FFFD for each byte that is not UTF-8
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0xff }) {
		return s
	}
	out := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		out = utf8.AppendRune(out, rune(s[i]))
	}
	return string(out)
}

// entry is the index line of a capture that is to be written, as a record of that type and with that payload digest.
func (c *Capture) entry(typ, digest string, head httpHead) cdxEntry {
	rec := record{http: head, header: map[string]string{
		"warc-type":           typ,
		"warc-target-uri":     c.URL,
		"warc-date":           c.Time.UTC().Format(dateFormat),
		"warc-payload-digest": digest,
	}}
	e, _ := rec.entry() // responses and revisits with a URL have one
	return e.keyed(c.URL, sentIn(c.Request))
}
