package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
)

// sending is a method with its body.
type sending struct {
	method string
	body   []byte
}

type sendingKey struct{}

// WithBody returns a context with which Do sends a body by a method other than GET and HEAD; its
// header has the type of the body. It is sent again only to a server that wants a password first:
// one that breaks off may have acted on it. Exchange.Request has the head alone.
func WithBody(ctx context.Context, method string, body []byte) context.Context {
	return context.WithValue(ctx, sendingKey{}, sending{method, body})
}

// send makes a request one with a body.
func (r *request) send(s sending) {
	r.method, r.body = s.method, s.body
	head := bytes.TrimPrefix(r.bytes[:len(r.bytes)-2], []byte(http.MethodGet))
	r.bytes = fmt.Appendf([]byte(r.method), "%sContent-Length: %d\r\n\r\n", head, len(r.body))
}

// Post sends a body as Do requests a page; header says of what type it is.
func (c *Client) Post(ctx context.Context, rawURL string, header http.Header, body []byte) (*Exchange, error) {
	return c.Do(WithBody(ctx, http.MethodPost, body), rawURL, header)
}

// cookieValue is the value of a cookie in the header of an answer.
var cookieValue = regexp.MustCompile(`(?mi)^set-cookie2?:[^=\r\n]*=([^;\r\n]*)`)

// mostHeader is how much is looked through of what is no complete header.
const mostHeader = 64 << 10

// hideCookies replaces the values of cookies in the recorded answer by x, as many as they have bytes.
func (e *Exchange) hideCookies() error {
	n := e.HeaderSize
	if n == 0 {
		n = min(e.Size, mostHeader)
	}
	header := make([]byte, n)
	if _, err := e.Response.ReadAt(header, 0); err != nil && err != io.EOF {
		return &opError{"spool", KindSpool, err}
	}
	_, start, _ := e.Response.(*io.SectionReader).Outer() // as setBlock makes it
	for _, at := range cookieValue.FindAllSubmatchIndex(header, -1) {
		e.CookiesHidden = true
		if _, err := e.spool.WriteAt(bytes.Repeat([]byte("x"), at[3]-at[2]), start+int64(at[2])); err != nil {
			return &opError{"spool", KindSpool, err}
		}
	}
	return nil
}
