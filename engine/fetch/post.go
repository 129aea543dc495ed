package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
)

// Post sends a body as Do requests a page; header says of what type it is. It is sent again only to a server that wants a
// password first: one that breaks off may have acted on it.
func (c *Client) Post(ctx context.Context, rawURL string, header http.Header, body []byte) (*Exchange, error) {
	r, err := c.newRequest(rawURL, header)
	if err != nil {
		return nil, &Error{Op: "parse", URL: rawURL, Kind: KindBlocked, Err: err}
	}
	r.method, r.body = http.MethodPost, body
	head := bytes.TrimPrefix(r.bytes[:len(r.bytes)-2], []byte(http.MethodGet))
	r.bytes = fmt.Appendf([]byte(r.method), "%sContent-Length: %d\r\n\r\n", head, len(r.body))
	return c.askWithPassword(ctx, r)
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
