package fetch

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/httpmsg"
)

// Options configures a [Client]. The zero value is useful.
type Options struct {
	// UserAgent is the User-Agent header and must begin with the product token that
	// robots.txt files address, such as "awarc/0.1". "" means "awarc".
	UserAgent string
	// Contact is an http(s) URL or a mail address for site owners. It is
	// appended to User-Agent as "(+...)"; a mail address is also sent as From.
	Contact string
	// Proxy is the URL of a proxy (http, https, socks5 or socks5h), with user and password where it
	// wants them. "" connects directly; the environment is not consulted.
	Proxy string
	// Cookies is the path of a file of cookies to start with, as [ReadCookies] reads it.
	Cookies string
	// HideCookies leaves the field Cookie out of what is recorded of requests, and the values of cookies out of what is recorded of
	// answers: with them, anybody could act as their owner.
	HideCookies bool

	// State is the name of a file that keeps what the client holds and servers can see, so that a client that is made with it later
	// continues as this one would: cookies, passwords that servers requested and how often they were sent, and servers with HTTP/2. Only
	// the owner can read it. One client has it at a time. "" keeps nothing.
	State string

	// Logins are URLs such as http://user:password@host/: who may be named to the server of that scheme, host and port when it asks (Basic
	// and Digest). A password in the URL of a request is used likewise. The Authorization field is left out of what is recorded.
	Logins []string

	// Timeout bounds one exchange from sending the request to the last byte. 0 means 20 minutes.
	Timeout time.Duration
	// DialTimeout bounds the name lookup, and again connecting including the TLS handshake. 0 means 20 s.
	DialTimeout time.Duration
	// HeaderTimeout bounds the wait for the complete header of the answer and then
	// each wait for the next bytes of the body. 0 means 60 s.
	HeaderTimeout time.Duration
	// SpeedLimit is the least speed of an answer in bytes a second, over each SpeedTime after its
	// first byte; a slower answer is cut. 0 means none.
	SpeedLimit int64
	SpeedTime  time.Duration
	// MaxBody bounds the body in bytes on the wire. 0 means 1 GiB.
	MaxBody int64
	// SpoolDir is where answers larger than MaxMemory wait. "" means the system's folder for temporary files.
	SpoolDir string
	// MaxMemory is the size in bytes up to which an answer stays in memory. 0 means 1 MiB.
	MaxMemory int

	// Gate is shared with other clients that must not ask an address at the same time. Nil
	// is one of the client's own.
	Gate *Gate

	// Guard refuses addresses that the crawl has no business with. Nil reaches every address.
	Guard *Guard
	// Resolver looks host names up. Nil means that of the system.
	Resolver *net.Resolver
	// Resolved receives the result of each lookup of a name, unless it is nil. It may be called by several goroutines at once.
	Resolved func(host string, addrs []netip.Addr)

	// VerifyTLS refuses servers whose certificate does not verify; see the package comment.
	VerifyTLS bool
}

// withDefaults fills in the zero fields.
func (o Options) withDefaults() Options {
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Minute
	}
	if o.DialTimeout == 0 {
		o.DialTimeout = 20 * time.Second
	}
	if o.HeaderTimeout == 0 {
		o.HeaderTimeout = time.Minute
	}
	if o.MaxBody == 0 {
		o.MaxBody = 1 << 30
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = 1 << 20
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.SpoolDir == "" {
		o.SpoolDir = os.TempDir()
	}
	return o
}

// validate returns everything that is wrong with o.
func (o Options) validate() error {
	var errs []error
	if o.SpeedLimit < 0 || o.SpeedLimit > 0 && o.SpeedTime < 0 {
		errs = append(errs, errors.New("option SpeedLimit or SpeedTime is negative"))
	}
	if o.Timeout < 0 || o.DialTimeout < 0 || o.HeaderTimeout < 0 || o.MaxBody < 0 || o.MaxMemory < 0 {
		errs = append(errs, errors.New("option Timeout, DialTimeout, HeaderTimeout, MaxBody or MaxMemory is negative"))
	}
	if info, err := os.Stat(o.SpoolDir); err != nil {
		errs = append(errs, fmt.Errorf("option SpoolDir: %w", err))
	} else if !info.IsDir() {
		errs = append(errs, fmt.Errorf("option SpoolDir %s is not a folder", o.SpoolDir))
	}
	return errors.Join(errs...)
}

// Client makes exchanges. It is safe for concurrent use; its connections, cookies and
// per-address gate are shared by all callers.
type Client struct {
	opts      Options
	userAgent string
	from      string
	dialer    *net.Dialer
	proxy     *viaProxy // nil: direct
	cookies   *cookies
	file      CookieFile // of Options.Cookies
	logins    *logins
	state     *state // nil: nothing is kept
	gate      *Gate
	pool      pool
	h2        sync.Map       // keys of requests whose servers refuse HTTP/1.1
	roots     *x509.CertPool // nil: the system's
}

// New returns a Client. The error names everything that is wrong with opts.
func New(opts Options) (*Client, error) {
	opts = opts.withDefaults()
	c := &Client{opts: opts, dialer: &net.Dialer{}, gate: opts.Gate}
	if c.gate == nil {
		c.gate = new(Gate)
	}
	errs := []error{opts.validate()}
	var err error
	if c.userAgent, c.from, err = identify(opts.UserAgent, opts.Contact); err != nil {
		errs = append(errs, err)
	}
	if opts.Proxy != "" {
		if c.proxy, err = newProxy(opts.Proxy, c.dialer); err != nil {
			errs = append(errs, err)
		}
	}
	if opts.Cookies != "" {
		if c.file, err = ReadCookies(opts.Cookies); err != nil {
			errs = append(errs, err)
		}
	}
	if c.cookies, err = newCookies(c.file.Cookies); err != nil {
		errs = append(errs, err)
	}
	if c.logins, err = newLogins(opts.Logins); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("fetch options: %w", err)
	}
	if c.state, err = openState(opts.State, c.restore); err != nil {
		return nil, fmt.Errorf("fetch options: %w", err)
	}
	c.cookies.state, c.logins.state = c.state, c.state
	return c, nil
}

// UserAgent returns the User-Agent header that the client sends.
func (c *Client) UserAgent() string { return c.userAgent }

// Close closes the idle connections and the file of Options.State. Exchanges under way end by themselves, and leave nothing in it.
func (c *Client) Close() {
	c.pool.close()
	c.state.close()
}

// Do makes one exchange: GET rawURL (see [WithBody] for other methods) with the fields of header
// added to (or in place of) the client's own. It waits for the turn of the server's IP address.
//
// If a server requests a password that Options.Logins or the URL has, the request is sent again
// with it; the first answer is dropped.
//
// The Exchange is nil when nothing was answered. An answer that was cut short after its header is
// an Exchange with Truncated set and no error. An answer without a complete HTTP header is both: an
// Exchange with Status 0 that holds the bytes, and the *Error with the reason. Errors are always
// *Error. When ctx ends, the Exchange is nil and the Kind is KindCanceled. The caller closes the
// Exchange.
func (c *Client) Do(ctx context.Context, rawURL string, header http.Header) (*Exchange, error) {
	r, err := c.newRequest(rawURL, header)
	if err != nil {
		return nil, &Error{Op: "parse", URL: rawURL, Kind: KindBlocked, Err: err}
	}
	if s, ok, err := secretOf(ctx); err != nil {
		return nil, &Error{Op: "parse", URL: rawURL, Kind: KindBlocked, Err: err}
	} else if ok {
		r.secret, r.authorized = &s, true
	}
	if s, ok := ctx.Value(sendingKey{}).(sending); ok {
		r.send(s)
	}
	if condition, ok := ctx.Value(conditionKey{}).(Condition); ok {
		condition.ask(r)
	}
	return c.askWithPassword(ctx, r)
}

// askWithPassword makes an exchange, again with the password where the server asks for one.
func (c *Client) askWithPassword(ctx context.Context, r *request) (*Exchange, error) {
	for range maxChallenges {
		ex, err := c.ask(ctx, r)
		if err != nil || !c.logins.challenged(r, ex) {
			return ex, err
		}
		if err := ex.Close(); err != nil {
			return nil, &Error{Op: "spool", URL: r.url, Kind: KindSpool, Err: err}
		}
	}
	return c.ask(ctx, r)
}

// maxChallenges is how often a server may ask for a password: once with what it said before, once because that is no longer
// valid.
const maxChallenges = 2

// ask makes one exchange, by HTTP/2 where the server refuses HTTP/1.1.
func (c *Client) ask(ctx context.Context, r *request) (*Exchange, error) {
	if _, ok := c.h2.Load(r.key()); ok {
		r.h2 = true
	}
	ex, err := c.askOnce(ctx, r)
	if refusesHTTP1(r, ex, err) {
		return c.askH2(ctx, r, ex, err)
	}
	return ex, err
}

// askOnce makes one exchange, on a new connection where an idle one turns out to be dead.
func (c *Client) askOnce(ctx context.Context, r *request) (*Exchange, error) {
	for fresh := r.h2 || r.method != http.MethodGet; ; fresh = true {
		cn, leave, err := c.connect(ctx, r, fresh)
		if err != nil {
			return nil, newError(ctx, r.url, err)
		}
		reused := cn.reused
		ex, err := c.exchange(ctx, cn, r)
		leave()
		if err == nil {
			return ex, nil
		}
		typed := newError(ctx, r.url, err)
		if ex != nil && ctx.Err() != nil {
			typed.Err = errors.Join(typed.Err, ex.Close())
			ex = nil
		}
		// A server may close a kept-alive connection at any time, also just as the request
		// arrives. It has answered nothing then, so asking again is no second request to it.
		// And what is no HTTP may be the rest of what was answered before.
		if reused && (ex == nil && typed.Kind == KindReset || typed.Kind == KindProtocol) {
			if ex != nil {
				_ = ex.Close() // what it holds belongs to no request
			}
			continue
		}
		return ex, typed
	}
}

// exchange sends r on cn, reads the answer and gives cn to the pool or closes it.
func (c *Client) exchange(ctx context.Context, cn *conn, r *request) (*Exchange, error) {
	ex := &Exchange{
		URL: r.url, Request: r.bytes, IP: cn.ip, Secured: cn.secured,
		Start: time.Now(),
		spool: &spool{dir: c.opts.SpoolDir, memMax: c.opts.MaxMemory},
	}
	*cn.tap = tap{
		conn: cn.Conn, spool: ex.spool,
		headerBy: ex.Start.Add(c.opts.HeaderTimeout), end: ex.Start.Add(c.opts.Timeout), silence: c.opts.HeaderTimeout,
		floor: c.opts.floor(), received: &progress(ctx).Received,
	}
	stop := context.AfterFunc(ctx, func() { cn.Close() })
	var reusable bool
	var err error
	if r.h2 {
		err = c.converseH2(ctx, cn, r, ex)
	} else {
		reusable, err = c.converse(ctx, cn, r, ex)
	}
	ex.Duration = time.Since(ex.Start)
	if stop() && reusable && err == nil {
		c.pool.put(cn)
	} else {
		cn.Close()
	}
	if err == nil && c.opts.HideCookies {
		err = ex.hideCookies()
	}
	if err == nil {
		err = ex.digestBlock()
	}
	var oe *opError
	if err != nil && (ex.Response == nil || errors.As(err, &oe) && oe.kind == KindSpool) {
		return nil, errors.Join(err, ex.Close())
	}
	return ex, err
}

// converse writes the request and reads the final answer into ex. It reports whether the
// connection can serve another exchange.
func (c *Client) converse(ctx context.Context, cn *conn, r *request, ex *Exchange) (reusable bool, err error) {
	wire := r.bytes
	if cn.absolute {
		wire = r.absolute(c.proxy.auth)
	}
	if value, scheme := c.logins.authorization(r); value != "" {
		wire = slices.Concat(wire[:len(wire)-2], []byte("Authorization: "+value+"\r\n\r\n"))
		ex.Authorization = scheme
	}
	if r.secret != nil {
		wire = r.secret.into(wire)
		ex.Authorization = r.secret.place()
	}
	if r.cookie != "" {
		wire = slices.Concat(wire[:len(wire)-2], []byte("Cookie: "+r.cookie+"\r\n\r\n"))
		ex.CookiesHidden = true
	}
	wire = slices.Concat(wire, r.body)
	if err := cn.SetWriteDeadline(cn.tap.headerBy); err != nil {
		return false, &opError{"write", "", err}
	}
	if _, err := cn.Write(wire); err != nil {
		return false, &opError{"write", "", err}
	}
	h, start, err := readFinalHead(cn)
	if err != nil {
		return false, c.keepWreck(cn, ex, start, err)
	}
	ex.Status, ex.Header = h.Status, h.Header
	ex.HeaderSize = cn.tap.n - int64(cn.br.Buffered()) - start
	c.cookies.store(r.parsed, h.Header)

	size, reusable, err := c.readBody(ctx, cn, ex, h)
	if err != nil {
		return false, err
	}
	ex.setBlock(start, ex.HeaderSize+size)
	return reusable, nil
}

// readFinalHead reads the header of the answer and skips interim ones. start is where the final
// header begins in the spool.
func readFinalHead(cn *conn) (h *httpmsg.Head, start int64, err error) {
	for range maxInterim {
		if h, err = httpmsg.ReadHead(cn.br); err != nil {
			return nil, start, err
		}
		if h.Status >= 200 || h.Status == http.StatusSwitchingProtocols {
			return h, start, nil
		}
		start = cn.tap.n - int64(cn.br.Buffered())
	}
	return nil, start, errInterim
}

type maxBodyKey struct{}

// WithMaxBody returns a context with which Do reads at most n bytes of a body, if Options.MaxBody is not less.
func WithMaxBody(ctx context.Context, n int64) context.Context {
	return context.WithValue(ctx, maxBodyKey{}, n)
}

// maxBody bounds the body of an exchange.
func (c *Client) maxBody(ctx context.Context) int64 {
	if n, ok := ctx.Value(maxBodyKey{}).(int64); ok {
		return min(c.opts.MaxBody, n)
	}
	return c.opts.MaxBody
}

// readBody reads the body of the answer, fills in what ex says of it, and returns its size on the wire.
func (c *Client) readBody(ctx context.Context, cn *conn, ex *Exchange, h *httpmsg.Head) (size int64, reusable bool, err error) {
	ex.framing, ex.length = h.Framing()
	c.expect(ctx, ex, cn.br.Buffered())
	cn.tap.inBody = true
	wire := &limited{br: cn.br, n: bound(ctx, h, c.maxBody(ctx))}
	br := bufio.NewReader(wire)
	digest := sha256.New()
	_, err = io.Copy(digest, httpmsg.Entity(br, ex.framing, ex.length))
	ex.PayloadDigest = digestText(digest)

	var oe *opError
	if err != nil && (ctx.Err() != nil || errors.As(err, &oe)) {
		return 0, false, err
	}
	if err == nil {
		surplus := br.Buffered() // bytes after the end of the message belong to no answer
		reusable = ex.framing != httpmsg.Close && surplus == 0 && cn.br.Buffered() == 0 && keepsAlive(h)
		return wire.read - int64(surplus), reusable, nil
	}
	switch {
	case errors.Is(err, errBodyTooLong):
		ex.Truncated = TruncatedLength
	case errors.Is(err, os.ErrDeadlineExceeded):
		ex.Truncated, ex.TooSlow = TruncatedTime, errors.Is(err, errTooSlow)
	default:
		ex.Truncated = TruncatedDisconnect
	}
	return wire.read, false, nil
}

const (
	garbageMax  = 64 << 10        // bytes kept of an answer that is not HTTP
	garbageWait = 2 * time.Second // and how long to wait for them
)

// keepWreck is called when no complete header came: it puts what did come into ex and returns the error.
func (c *Client) keepWreck(cn *conn, ex *Exchange, start int64, err error) error {
	op := &opError{"header", "", err}
	var oe *opError
	switch {
	case errors.As(err, &oe):
		return oe // the spool
	case errors.Is(err, httpmsg.ErrNotHTTP):
		op.kind = KindProtocol
		cn.tap.headerBy = time.Now().Add(garbageWait)
		// Whatever ends this, the bytes up to there are kept.
		_, _ = io.CopyN(io.Discard, cn.br, garbageMax)
	case errors.Is(err, errHeaderTooLong), errors.Is(err, errInterim):
		op.kind = KindProtocol
		ex.Truncated = TruncatedLength
	case errors.Is(err, os.ErrDeadlineExceeded):
		op.kind = KindTimeout
		if errors.Is(err, errTooSlow) {
			op.kind, ex.TooSlow = KindSlow, true
		}
		ex.Truncated = TruncatedTime
	default:
		ex.Truncated = TruncatedDisconnect
	}
	if cn.tap.n == start {
		return op // not one byte
	}
	ex.Header = make(http.Header)
	ex.setBlock(start, cn.tap.n-start)
	if derr := ex.digestBlock(); derr != nil {
		return derr
	}
	ex.PayloadDigest = ex.BlockDigest
	return op
}

// digestText is the form of digests in WARC records here: sha256 in base16.
func digestText(h hash.Hash) string {
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
