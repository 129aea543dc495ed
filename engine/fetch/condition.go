package fetch

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"net/textproto"
	"strings"
	"time"
)

// Condition is what is known of an earlier answer: a request with it asks whether that is still what the server would answer.
type Condition struct {
	// ETag and LastModified are the validators of that answer, as it had them; empty for none.
	ETag, LastModified string
	// Header has the fields of that answer. Request has the bytes of its request.
	Header  http.Header
	Request []byte
}

type conditionKey struct{}

// WithCondition lets Do ask with a condition (RFC 9110, 13.1), if that can be asked: there is a validator, and the request is in all fields
// that Vary names the request of the earlier answer. Exchange.NotModified reports the outcome.
func WithCondition(ctx context.Context, c Condition) context.Context {
	return context.WithValue(ctx, conditionKey{}, c)
}

// ask adds the condition to a request.
func (c Condition) ask(r *request) {
	etag, modified := c.ETag, c.LastModified
	if !sendable(etag) {
		etag = ""
	}
	if !c.dated(etag != "") {
		modified = ""
	}
	if etag == "" && modified == "" || r.authorized || !c.selects(r) {
		return
	}
	fields := ""
	if etag != "" {
		fields += ifNoneMatch + etag + "\r\n"
	}
	if modified != "" {
		fields += ifModifiedSince + modified + "\r\n"
	}
	r.bytes = append(bytes.TrimSuffix(r.bytes, []byte("\r\n")), fields+"\r\n"...)
}

// The fields of a condition, as they are sent.
const (
	ifNoneMatch     = "If-None-Match: "
	ifModifiedSince = "If-Modified-Since: "
)

// sendable reports whether an entity tag is one: quoted, of characters that may stand there.
func sendable(etag string) bool {
	text := strings.TrimPrefix(etag, "W/")
	return len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' && !strings.ContainsFunc(text[1:len(text)-1], func(r rune) bool {
		return r == '"' || r <= ' ' || r == 0x7f
	})
}

// dated reports whether Last-Modified is of use: by itself, only where the answer could not have changed within the same second.
func (c Condition) dated(tagged bool) bool {
	modified, err := http.ParseTime(c.LastModified)
	if err != nil || tagged {
		return err == nil
	}
	date, err := http.ParseTime(c.Header.Get("Date"))
	return err == nil && date.Sub(modified) >= time.Second
}

// selects reports whether the request would get the earlier answer, as far as its Vary says.
func (c Condition) selects(r *request) bool {
	named := strings.Split(strings.Join(c.Header.Values("Vary"), ","), ",")
	var then, now http.Header
	for _, name := range named {
		switch name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)); name {
		case "":
			continue
		case "*":
			return false
		}
		if then == nil {
			then, now = requestFields(c.Request), requestFields(r.bytes)
		}
		if then == nil || strings.Join(then.Values(name), ",") != strings.Join(now.Values(name), ",") {
			return false
		}
	}
	return true
}

// requestFields are the fields of a request, nil where they cannot be read.
func requestFields(b []byte) http.Header {
	in := textproto.NewReader(bufio.NewReader(bytes.NewReader(b)))
	if _, err := in.ReadLine(); err != nil {
		return nil
	}
	h, err := in.ReadMIMEHeader()
	if err != nil {
		return nil
	}
	return http.Header(h)
}

// NotModified reports whether the server says that the answer that the condition was about is still the answer.
func (e *Exchange) NotModified() bool {
	if e.Status != http.StatusNotModified {
		return false
	}
	return bytes.Contains(e.Request, []byte("\r\n"+ifNoneMatch)) || bytes.Contains(e.Request, []byte("\r\n"+ifModifiedSince))
}
