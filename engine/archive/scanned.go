package archive

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// BadRecord is a place in a WARC file that is damaged or unusual.
type BadRecord struct {
	File   string
	Offset int64 // of the gzip member, in the compressed file
	Reason string
	// Type, ID (without angle brackets) and URL are what its header says, as far as that can be read.
	Type, ID, URL string
	Member        string // of a WACZ file: the file in it
	Kind          Oddity // what is unusual; "" where it is damaged
	Read          bool   // it is damaged, and was read all the same
	err           error
}

// Error names the file, the offset, the record and what is wrong there.
func (e *BadRecord) Error() string {
	return fmt.Sprintf("archive: %s: %s: %s", e.File, e.Place(), e.Reason)
}

// Place names the offset and the record.
func (e *BadRecord) Place() string {
	if e.Member != "" {
		return "file " + e.Member
	}
	place := fmt.Sprintf("record at byte %d", e.Offset)
	for _, s := range []string{e.Type, e.ID, e.URL} {
		if s != "" {
			place += ", " + s
		}
	}
	return place
}

// Unwrap returns the cause: of reading the disk, of gzip, or none that says more than Reason.
func (e *BadRecord) Unwrap() error { return e.err }

// record is what scanning yields.
type record struct {
	offset, length int64 // of its member in the file; without compression, of the record itself
	skip, size     int64 // of the record in the unpacked member
	head           int64 // bytes of its header
	declared       int64 // its Content-Length, or what was found where forced
	forced         bool
	cut            bool // the file ends within it
	shared         bool // others are in the same compressed member
	header         map[string]string
	http           httpHead
	unchecked      bool  // has a digest of an unknown algorithm
	wrong          error // why it is damaged, though it was read
	oddness
}

func (r *record) typ() string { return strings.ToLower(r.header["warc-type"]) }
func (r *record) id() string  { return strings.Trim(r.header["warc-record-id"], "<> ") }
func (r *record) uri() string { return strings.Trim(r.header["warc-target-uri"], "<> ") }

func (r *record) concurrentTo() string {
	return strings.Trim(r.header["warc-concurrent-to"], "<> ")
}

func (r *record) payloadDigest() string { return normalDigest(r.header["warc-payload-digest"]) }
func (r *record) refersTo() string      { return strings.Trim(r.header["warc-refers-to"], "<> ") }

// bad says what is wrong with a record, and which it is, as far as its header was read.
func (r *record) bad(file string, err error) *BadRecord {
	return &BadRecord{File: file, Offset: r.offset, Reason: reason(err), Type: r.typ(), ID: r.id(), URL: r.uri(), err: err}
}

// unusual says what is odd about a record.
func (r *record) unusual(file string, n note) *BadRecord {
	return &BadRecord{File: file, Offset: r.offset, Reason: string(n.kind) + ": " + n.text, Type: r.typ(), ID: r.id(), URL: r.uri(),
		Kind: n.kind, Read: n.kind != OddUnread}
}

// isRecord reports whether its header could be read.
func (e *BadRecord) isRecord() bool { return e.ID != "" }

// checkHeader notes what a header lacks. It is an error where it says nothing that records say.
func (r *record) checkHeader() (int64, error) {
	there := 0
	for _, name := range []string{"warc-type", "warc-record-id", "warc-date"} {
		if r.header[name] == "" {
			r.odd(OddMissing, "no %s", name)
			continue
		}
		there++
	}
	if there == 0 && r.header["warc-target-uri"] == "" {
		return 0, errors.New("no warc-type, warc-record-id, warc-date or warc-target-uri: not the header of a record")
	}
	r.checkDate()
	length, err := strconv.ParseUint(r.header["content-length"], 10, 62)
	if err != nil {
		return -1, nil
	}
	return int64(length), nil
}

// readBlock reads the block of a record through in, and with digests compares them.
func (r *record) readBlock(block io.Reader, in *lines, digests bool) error {
	var whole, payload, framed *labelled
	if digests {
		whole, payload = r.digest("warc-block-digest"), r.digest("warc-payload-digest")
	}
	hashed := &hashing{in: block, to: whole}
	in.Reset(hashed)
	typ := r.typ()
	if typ == "" {
		typ = r.guessType(in)
	}
	isHTTP := r.isHTTP()
	if typ == "revisit" || r.header["warc-segment-number"] != "" {
		payload = nil // is of a payload that is not here
	}
	if isHTTP {
		head, err := readHTTPHead(in)
		if err != nil {
			return err
		}
		r.http = head
		if (!head.complete || r.holdsFile()) && r.header["warc-payload-digest"] == r.header["warc-block-digest"] {
			payload = nil // all is payload: the same digest, compared once
		}
	}
	raw, plain := io.Writer(io.Discard), io.Writer(io.Discard)
	if payload != nil {
		plain = payload
		if isHTTP && r.http.chunked {
			// The specification means the entity without chunk framing; many writers hash what followed the head.
			framed = parseDigest(r.header["warc-payload-digest"])
			raw = framed
		}
	}
	malformed, err := entity(in, isHTTP && r.http.chunked, raw, plain)
	if err != nil {
		return err
	}
	if typ == "response" && isHTTP {
		r.checkHTTP(malformed, hashed.n)
	}
	r.compare(whole, payload, framed)
	return nil
}

// digest returns the digest in a header field, nil where there is none that can be compared.
func (r *record) digest(field string) *labelled {
	text := r.header[field]
	d := parseDigest(text)
	if d != nil || text == "" {
		return d
	}
	if algorithm, _, _ := strings.Cut(unquoted(text), ":"); digestHashes[algorithmOf(algorithm)] == nil {
		r.unchecked = true
	} else {
		r.odd(OddDigest, "invalid %s %.90q, not compared", field, text)
	}
	return nil
}

// isHTTP reports whether the block of a record should be a message of HTTP.
func (r *record) isHTTP() bool {
	switch r.typ() {
	case "response", "request", "revisit":
		return true
	}
	return r.holdsFile() && strings.HasPrefix(strings.ToLower(r.header["content-type"]), "application/http")
}

// holdsFile reports whether the block of a record is the content of its URL, without a head.
func (r *record) holdsFile() bool { return r.typ() == "resource" || r.typ() == "conversion" }

// foreignRevisit reports whether a record is a revisit as other programs write it, without the place of its original.
func (r *record) foreignRevisit() bool {
	_, own := r.namedPlace()
	return r.typ() == "revisit" && !own
}

// compare compares the digests of a record that was read. Where that of the block is right, the bytes are.
func (r *record) compare(whole, payload, framed *labelled) {
	switch {
	case whole != nil && !whole.matches() && r.foreignRevisit():
		r.odd(OddDigest, "the block digest %.90s is not the digest of the block; GNU wget writes the digest of the whole response",
			whole.want)
	case whole != nil && !whole.matches():
		r.wrong = whole.mismatch("block")
	case payload == nil || payload.matches() || framed != nil && framed.matches():
	case whole != nil:
		r.odd(OddDigest, "the payload has the digest %s:%x, but its header states %.90s; the block digest is right",
			payload.algorithm, payload.Sum(nil), payload.want)
	default:
		r.wrong = payload.mismatch("payload")
	}
}

// hashing reads a block, and hashes and counts it.
type hashing struct {
	in io.Reader
	to *labelled // nil for none
	n  int64
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.in.Read(p)
	h.n += int64(n)
	if h.to != nil {
		_, _ = h.to.Write(p[:n]) // a hash never fails
	}
	return n, err
}

// guessType gives a record without WARC-Type the one that its block and its other fields suggest.
func (r *record) guessType(in *lines) string {
	start, _ := in.Peek(len("HTTP/"))
	contentType := strings.ToLower(r.header["content-type"])
	typ := "resource"
	switch {
	case strings.EqualFold(string(start), "HTTP/"):
		typ = "response"
	case strings.HasPrefix(contentType, "application/http"):
		typ = "request"
	case strings.HasPrefix(contentType, "application/warc-fields"):
		typ = "metadata"
	}
	r.header["warc-type"] = typ
	return typ
}

// checkHTTP notes what is unusual about the message of a response record with so many bytes.
func (r *record) checkHTTP(malformed bool, size int64) {
	h := &r.http
	if scheme, _, _ := strings.Cut(strings.ToLower(r.uri()), ":"); scheme != "http" && scheme != "https" {
		return
	}
	if code := h.otherStatus(); code != "" {
		r.odd(OddStatusLine, "%.60q; read as status %s", h.line, code)
		return
	}
	if !h.http {
		r.odd(OddNotHTTP, "the block starts with %.40q; read as the content of the URL", h.line)
		return
	}
	if h.code == 0 {
		return // see unread
	}
	if !plainStatusLine.MatchString(h.line) {
		r.odd(OddStatusLine, "%.60q; read as status %d", h.line, h.code)
	}
	if !h.complete {
		r.odd(OddHead, "no empty line after the head")
	}
	if malformed {
		r.odd(OddChunks, "the body is not chunked as its head declares; read to the end of the record")
	}
	lengths := h.fields["Content-Length"]
	if len(lengths) == 0 || h.chunked || r.header["warc-truncated"] != "" || r.header["warc-segment-number"] != "" {
		return
	}
	if body := size - h.size; lengths[0] != strconv.FormatInt(body, 10) && body > 0 {
		r.odd(OddLength, "it is %.20s, and the record has %d bytes of body, which are read", lengths[0], body)
	}
}
