package archive

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/awarc/awarc/engine/httpmsg"
)

// sent is what the index has of a request besides its URL. It is zero for GET and HEAD.
type sent struct {
	method string
	body   string // as a query
}

// mostQuery bounds the query of a body in characters, as cdxj-indexer does.
const mostQuery = 4096

// sentIn reads a request: its head, and its body as far as it is there.
func sentIn(request []byte) (s sent) {
	first, rest := nextLine(request)
	method, _, _ := strings.Cut(string(first), " ")
	if method = strings.ToUpper(method); method == "" || method == http.MethodGet || method == http.MethodHead {
		return s
	}
	in := bufio.NewReader(bytes.NewReader(rest))
	s.method = method
	if fields, err := httpmsg.ReadFields(in); err == nil { // else the head is cut short
		body, _ := io.ReadAll(in) // of bytes in memory
		s.body = bodyQuery(fields.Get("Content-Type"), body)
	}
	return s
}

// keyURL is the URL under which a request is found: with method and body in its query, as pywb and
// ReplayWeb.page look it up.
func (s sent) keyURL(uri string) string {
	if s.method == "" {
		return uri
	}
	separator := "?"
	if strings.Contains(uri, "?") {
		separator = "&"
	}
	uri += separator + "__wb_method=" + s.method
	if s.body != "" {
		uri += "&" + s.body
	}
	return uri
}

// bodyQuery gives a body as a query, as cdxj-indexer 1.5.0 does (postquery.py).
func bodyQuery(contentType string, body []byte) string {
	query, fits := "", false
	switch kind, params, _ := mime.ParseMediaType(contentType); {
	case kind == "application/x-www-form-urlencoded" && utf8.Valid(body):
		query, fits = unquotePlus(string(body)), true
	case strings.HasPrefix(kind, "multipart/"):
		query, fits = partsQuery(body, params["boundary"])
	case kind == "application/json":
		query, _ = jsonQuery(body)
		fits = true
	case kind == "text/plain":
		query, fits = jsonQuery(body)
	}
	if !fits {
		query = "__wb_post_data=" + base64.StdEncoding.EncodeToString(body)
	}
	if runes := []rune(query); len(runes) > mostQuery {
		query = string(runes[:mostQuery])
	}
	return query
}

// unquotePlus decodes plus signs and percent-encoded bytes. It returns text without valid encoding
// unchanged.
func unquotePlus(s string) string {
	s = strings.ReplaceAll(s, "+", " ")
	if plain, err := url.PathUnescape(s); err == nil && utf8.ValidString(plain) {
		return plain
	}
	return s
}

// queryPairs are the names and values of a body in its order.
type queryPairs struct {
	pairs []string
	seen  map[string]int
}

func (q *queryPairs) add(name, value string) {
	q.pairs = append(q.pairs, url.QueryEscape(name)+"="+url.QueryEscape(value))
}

// addOnce adds a value under a name of its own: the second of a name gets the ending .2_.
func (q *queryPairs) addOnce(name, value string) {
	if q.seen == nil {
		q.seen = map[string]int{}
	}
	if q.seen[name]++; q.seen[name] > 1 {
		name += fmt.Sprintf(".%d_", q.seen[name])
	}
	q.add(name, value)
}

func partsQuery(body []byte, boundary string) (string, bool) {
	if boundary == "" {
		return "", false
	}
	var q queryPairs
	for parts := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := parts.NextPart()
		if err == io.EOF {
			return strings.Join(q.pairs, "&"), true
		}
		if err != nil {
			return "", false
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return "", false
		}
		q.add(part.FormName(), string(value))
	}
}

// jsonQuery gives the members of JSON that have plain values, whatever contains them, also of
// several values a line each.
func jsonQuery(body []byte) (string, bool) {
	var q queryPairs
	in := json.NewDecoder(bytes.NewReader(body))
	in.UseNumber()
	for read := 0; ; read++ {
		switch err := q.value(in, ""); {
		case err == io.EOF && read > 0:
			return strings.Join(q.pairs, "&"), true
		case err != nil:
			return "", false
		}
	}
}

// value adds the next value. Values of a list have the name of the list.
func (q *queryPairs) value(in *json.Decoder, name string) error {
	token, err := in.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		for in.More() {
			key, err := in.Token()
			if err == nil {
				err = q.value(in, fmt.Sprint(key))
			}
			if err != nil {
				return unexpected(err)
			}
		}
		_, err = in.Token()
		return unexpected(err)
	case json.Delim('['):
		for in.More() {
			if err := q.value(in, name); err != nil {
				return unexpected(err)
			}
		}
		_, err = in.Token()
		return unexpected(err)
	case nil:
		token = "None" // as Python prints it; so are true and false, which keys have in lower case
	case true:
		token = "True"
	case false:
		token = "False"
	}
	if name != "" {
		q.addOnce(name, fmt.Sprint(token))
	}
	return nil
}

// keyed adds what a request says to the line of its answer.
func (e cdxEntry) keyed(uri string, s sent) cdxEntry {
	if s.method == "" {
		return e
	}
	e.start = surt(s.keyURL(uri)) + strings.TrimPrefix(e.start, surt(uri))
	var b strings.Builder
	if s.body != "" {
		b.WriteString(`,"requestBody":`)
		jsonString(&b, s.body)
	}
	b.WriteString(`,"method":`)
	jsonString(&b, s.method)
	e.end = b.String()
	return e
}

// pairing makes the lines of records that are read one after the other: a request of another method
// than GET behind an answer is in the line of that answer.
type pairing struct {
	add     func(line string)
	name    string // of the WARC file
	answer  *record
	entry   cdxEntry
	request bytes.Buffer
}

// keep is scanner.keep: the bytes of requests, as far as lines need them.
func (p *pairing) keep(rec *record, _ int64) io.Writer {
	if rec.typ() != "request" {
		return nil
	}
	p.request.Reset()
	return &headWriter{&p.request}
}

// record takes the next record.
func (p *pairing) record(rec *record) {
	if a := p.answer; a != nil && rec.typ() == "request" && rec.concurrentTo() == a.id() {
		p.entry = p.entry.keyed(a.uri(), sentIn(p.request.Bytes()))
	}
	p.flush()
	if e, ok := rec.entry(); ok {
		p.answer, p.entry = rec, e
	}
}

// flush adds the line that waits for what follows.
func (p *pairing) flush() {
	if a := p.answer; a != nil {
		p.add(p.entry.at(p.name, a.offset, a.length))
		p.answer = nil
	}
}
