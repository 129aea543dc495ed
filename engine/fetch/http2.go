package fetch

//lint:file-ignore SA1019 What net/http has instead dials by itself; here the guard and the tap have their say on the connection.

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/awarc/awarc/engine/httpmsg"
)

// protocolH2 is the name of HTTP/2 over TLS in ALPN (RFC 9113, 3.2).
const protocolH2 = "h2"

// refusesHTTP1 reports whether an answer or a failed handshake says that the server speaks HTTP/2 only. That can only be
// tried inside TLS: over plain TCP no browser does.
func refusesHTTP1(r *request, ex *Exchange, err error) bool {
	if r.scheme != "https" || r.h2 {
		return false
	}
	var typed *Error
	switch {
	case errors.As(err, &typed) && typed.Kind == KindTLS:
		// crypto/tls has no type for the alerts of the other side.
		return strings.Contains(err.Error(), "tls: no application protocol")
	case err != nil:
		// Some agree on no protocol and then hang up, or go on in HTTP/2.
		return r.noALPN && (typed.Kind == KindReset || typed.Kind == KindProtocol)
	}
	switch ex.Status {
	case http.StatusHTTPVersionNotSupported, http.StatusUpgradeRequired, 464: // what Amazon's load balancers say
		return true
	}
	return false
}

// askH2 asks once more, by HTTP/2, a server that refused HTTP/1.1 with ex or err. That is the result where the server speaks
// no HTTP/2 either.
func (c *Client) askH2(ctx context.Context, r *request, ex *Exchange, err error) (*Exchange, error) {
	r.h2 = true
	better, h2err := c.askOnce(ctx, r)
	var typed *Error
	if errors.As(h2err, &typed) && typed.Op != "header" && ctx.Err() == nil {
		r.h2 = false
		return ex, err
	}
	c.h2.Store(r.key(), true)
	c.state.put(held{Key: "h2 " + r.key(), H2: true})
	if ex != nil {
		_ = ex.Close() // its file has no name any more
	}
	return better, h2err
}

// converseH2 makes the exchange by HTTP/2. What a WARC file can hold is the same message in the form of HTTP/1.1: a status line,
// the fields sorted by name, and the data of the body without frames.
func (c *Client) converseH2(ctx context.Context, cn *conn, r *request, ex *Exchange) error {
	ctx, cancel := context.WithDeadline(ctx, cn.tap.end)
	defer cancel()
	patience := time.AfterFunc(c.opts.HeaderTimeout, cancel)
	defer patience.Stop()
	req, err := c.requestH2(ctx, r, ex)
	if err != nil {
		return &opError{"write", KindBlocked, err}
	}
	over := &http2.Transport{DisableCompression: true, MaxHeaderListSize: maxHeader}
	client, err := over.NewClientConn(cn.Conn)
	if err != nil {
		return &opError{"write", KindReset, err}
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		kind := KindReset
		if ctx.Err() != nil {
			kind = KindTimeout
		}
		return &opError{"header", kind, err}
	}
	defer resp.Body.Close()
	defer cancel() // before that: it would wait for a server that does not read
	ex.Status, ex.Header, ex.Protocol = resp.StatusCode, resp.Header, protocolH2
	c.cookies.store(r.parsed, resp.Header)
	header := headerH2(resp)
	if _, err := ex.spool.Write(header); err != nil {
		return err
	}
	ex.HeaderSize = int64(len(header))
	ex.framing, ex.length = (&httpmsg.Head{HTTP11: true, Status: resp.StatusCode, Header: resp.Header}).Framing()
	c.expect(ctx, ex, 0)
	size, err := c.readBodyH2(ctx, ex, &patient{r: resp.Body, timer: patience, each: c.opts.HeaderTimeout, tap: cn.tap})
	if err != nil {
		return err
	}
	ex.setBlock(0, ex.HeaderSize+size)
	return nil
}

// requestH2 makes the request that r's bytes say.
func (c *Client) requestH2(ctx context.Context, r *request, ex *Exchange) (*http.Request, error) {
	_, fields, _ := bytes.Cut(r.bytes, []byte("\r\n"))
	header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	header.Del("Host")
	if value, scheme := c.logins.authorization(r); value != "" {
		header.Set("Authorization", value)
		ex.Authorization = scheme
	}
	target := r.target
	if r.secret != nil {
		if target = r.secret.target(target); r.secret.Param == "" {
			header.Set(r.secret.Header, r.secret.Value)
		}
		ex.Authorization = r.secret.place()
	}
	if r.cookie != "" {
		header.Set("Cookie", r.cookie)
		ex.CookiesHidden = true
	}
	// Opaque keeps the target as it is written.
	u := &url.URL{Scheme: r.scheme, Host: r.hostPort, Opaque: "//" + r.hostPort + target}
	return (&http.Request{Method: r.method, URL: u, Host: r.hostPort, Header: http.Header(header), ContentLength: int64(len(r.body)),
		Body: io.NopCloser(bytes.NewReader(r.body))}).WithContext(ctx), nil
}

// headerH2 is the header of an answer as HTTP/1.1 has it, without the fields that mean something there only.
func headerH2(resp *http.Response) []byte {
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade"} {
		resp.Header.Del(name)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", resp.StatusCode, http.StatusText(resp.StatusCode))
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// readBodyH2 reads the body into the spool, fills in what ex says of it, and returns its size.
func (c *Client) readBodyH2(ctx context.Context, ex *Exchange, body *patient) (int64, error) {
	digest := sha256.New()
	most := c.maxBody(ctx)
	size, err := io.Copy(io.MultiWriter(ex.spool, digest), io.LimitReader(body, most))
	ex.PayloadDigest = digestText(digest)
	var oe *opError
	switch {
	case errors.As(err, &oe):
		return 0, oe
	case err != nil && ctx.Err() != nil:
		ex.Truncated, ex.TooSlow = TruncatedTime, body.tap.floor.slow()
	case err != nil:
		ex.Truncated = TruncatedDisconnect
	case size == most:
		if n, _ := io.ReadFull(body, make([]byte, 1)); n > 0 {
			ex.Truncated = TruncatedLength
		}
	}
	return size, nil
}

// patient gives each read its own time, within that of the tap's floor.
type patient struct {
	r     io.Reader
	timer *time.Timer
	each  time.Duration
	tap   *tap
}

func (p *patient) Read(b []byte) (int, error) {
	most := p.each
	if left, bounded := p.tap.floor.left(); bounded {
		most = min(most, left)
	}
	start := time.Now()
	p.timer.Reset(most)
	n, err := p.r.Read(b)
	p.timer.Stop() // what the caller does with it takes its own time
	p.tap.floor.got(n, time.Since(start))
	p.tap.received.Add(int64(n))
	return n, err
}
