package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	maxIdle  = 64               // idle connections of a Client; the oldest goes first
	idleLife = 30 * time.Second // of an idle connection
)

// conn is a connection that is used by one exchange at a time or waits in the pool.
type conn struct {
	net.Conn // what HTTP is spoken over: inside TLS where there is TLS
	tap      *tap
	br       *bufio.Reader // over tap
	key      string        // of the requests it can serve
	gateKey  string
	ip       string // of the server; "" behind a proxy
	secured  Secured
	absolute bool // requests go in absolute form (plain HTTP proxy)
	reused   bool

	since   time.Time  // idle from
	watched chan error // result of the watch that ends when the connection leaves the pool
}

// connect returns a connection for r and the function that ends its turn at the gate: an idle one,
// or a new one when there is none or fresh is asked for.
func (c *Client) connect(ctx context.Context, r *request, fresh bool) (*conn, func(), error) {
	if gateKey, ok := c.pool.peek(r.key()); ok && !fresh {
		// No need to look up the host.
		leave, err := c.gate.enter(ctx, gateKey)
		if err != nil {
			return nil, nil, err
		}
		if cn := c.pool.take(r.key(), gateKey); cn != nil {
			return cn, leave, nil
		}
		leave()
	}
	if c.proxy != nil {
		if err := c.guardProxied(ctx, r); err != nil {
			return nil, nil, err
		}
		return c.connectIn(ctx, r, fresh, "host "+r.host, c.opts.DialTimeout, func(ctx context.Context) (net.Conn, error) {
			return c.proxy.dial(ctx, r)
		})
	}
	addrs, err := c.lookup(ctx, r.host)
	if err != nil {
		return nil, nil, &opError{"lookup", KindDNS, err}
	}
	if addrs, err = c.opts.Guard.admit(r, addrs); err != nil {
		return nil, nil, err
	}
	var first error
	for i, addr := range addrs { // in the order of the resolver (RFC 6724)
		// A share of the time for each address, so that a dead first one leaves time for the next.
		share := c.opts.DialTimeout / time.Duration(min(len(addrs)-i, 3))
		cn, leave, err := c.connectIn(ctx, r, fresh, addr.WithZone("").String(), share, func(ctx context.Context) (net.Conn, error) {
			nc, err := c.dialer.DialContext(ctx, "tcp", net.JoinHostPort(addr.String(), r.port))
			if err != nil {
				return nil, &opError{"dial", "", err}
			}
			return nc, nil
		})
		if err == nil {
			cn.ip = cn.gateKey
			return cn, leave, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, nil, first
}

// connectIn waits for the turn of gateKey and then takes an idle connection or dials within timeout. Exchanges that waited
// for each other share one connection in this way.
func (c *Client) connectIn(ctx context.Context, r *request, fresh bool, gateKey string, timeout time.Duration,
	dial func(context.Context) (net.Conn, error)) (*conn, func(), error) {
	leave, err := c.gate.enter(ctx, gateKey)
	if err != nil {
		return nil, nil, err
	}
	if !fresh {
		if cn := c.pool.take(r.key(), gateKey); cn != nil {
			return cn, leave, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cn, err := c.open(ctx, r, dial)
	if err != nil {
		leave()
		return nil, nil, err
	}
	cn.gateKey = gateKey
	return cn, leave, nil
}

// lookup returns the addresses of host, at most eight.
func (c *Client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.DialTimeout)
	defer cancel()
	addrs, err := c.opts.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, errors.New("the host has no address")
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	addrs = addrs[:min(len(addrs), 8)]
	if c.opts.Resolved != nil {
		c.opts.Resolved(host, addrs)
	}
	return addrs, nil
}

// open dials, does the TLS handshake for https and wraps the result.
func (c *Client) open(ctx context.Context, r *request, dial func(context.Context) (net.Conn, error)) (*conn, error) {
	nc, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	cn := &conn{Conn: nc, key: r.key(), absolute: c.proxy != nil && c.proxy.plain() && r.scheme == "http"}
	if r.scheme == "https" {
		secure := tls.Client(nc, c.tlsConfig(r, &cn.secured.CertificateError))
		if err := secure.HandshakeContext(ctx); err != nil {
			nc.Close()
			kind := KindTLS
			if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
				kind = KindTimeout
			}
			return nil, &opError{"handshake", kind, err}
		}
		chosen := secure.ConnectionState().NegotiatedProtocol
		r.noALPN = chosen == ""
		if r.h2 && chosen != protocolH2 {
			nc.Close()
			return nil, &opError{"handshake", KindTLS, errors.New("the server does not support HTTP/2")}
		}
		cn.Conn = secure
		state := secure.ConnectionState()
		cn.secured.TLS = strings.ToLower(strings.ReplaceAll(tls.VersionName(state.Version), " ", "/"))
		cn.secured.CipherSuite = tls.CipherSuiteName(state.CipherSuite)
	}
	cn.tap = &tap{conn: cn.Conn}
	cn.br = bufio.NewReader(cn.tap)
	return cn, nil
}

// tlsConfig accepts what old servers speak and leaves the verification of the certificate to
// VerifyConnection, which writes its finding to defect.
func (c *Client) tlsConfig(r *request, defect *string) *tls.Config {
	protocol := "http/1.1"
	if r.h2 {
		protocol = protocolH2
	}
	cfg := &tls.Config{
		ServerName:         r.host,
		NextProtos:         []string{protocol},
		InsecureSkipVerify: true, // VerifyConnection verifies
		VerifyConnection: func(state tls.ConnectionState) error {
			opts := x509.VerifyOptions{DNSName: r.host, Roots: c.roots, Intermediates: x509.NewCertPool()}
			for _, cert := range state.PeerCertificates[1:] {
				opts.Intermediates.AddCert(cert)
			}
			_, err := state.PeerCertificates[0].Verify(opts)
			if err != nil {
				*defect = err.Error()
			}
			if c.opts.VerifyTLS {
				return err
			}
			return nil
		},
	}
	if !c.opts.VerifyTLS {
		cfg.MinVersion = tls.VersionTLS10
		for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
			cfg.CipherSuites = append(cfg.CipherSuites, suite.ID)
		}
	}
	return cfg
}

// pool keeps at most one idle connection a key. Each is watched: one that the
// server closes, or on which it says something unasked, leaves the pool at once.
type pool struct {
	mu     sync.Mutex
	idle   map[string]*conn
	closed bool
}

// peek tells under which gate key the idle connection of key was made.
func (p *pool) peek(key string) (gateKey string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cn := p.idle[key]; cn != nil {
		return cn.gateKey, true
	}
	return "", false
}

// put hands cn over to the pool.
func (p *pool) put(cn *conn) {
	cn.tap.spool = nil
	cn.reused = true
	cn.since = time.Now()
	cn.watched = make(chan error, 1)
	if err := cn.SetReadDeadline(cn.since.Add(idleLife)); err != nil {
		cn.Close()
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		cn.Close()
		return
	}
	if p.idle == nil {
		p.idle = make(map[string]*conn)
	}
	surplus := p.idle[cn.key]
	if surplus == nil && len(p.idle) >= maxIdle {
		for _, other := range p.idle {
			if surplus == nil || other.since.Before(surplus.since) {
				surplus = other
			}
		}
		delete(p.idle, surplus.key)
	}
	p.idle[cn.key] = cn
	p.mu.Unlock()
	if surplus != nil {
		surplus.Close()
	}
	go p.watch(cn)
}

// watch waits for anything to happen on an idle connection.
func (p *pool) watch(cn *conn) {
	_, err := cn.br.Peek(1)
	p.mu.Lock()
	mine := p.idle[cn.key] == cn
	if mine {
		delete(p.idle, cn.key)
	}
	p.mu.Unlock()
	if mine {
		cn.Close()
	}
	cn.watched <- err
}

// take removes and returns the idle connection of key that was made under gateKey, nil when there is none that is
// alive and silent.
func (p *pool) take(key, gateKey string) *conn {
	p.mu.Lock()
	cn := p.idle[key]
	if cn == nil || cn.gateKey != gateKey {
		p.mu.Unlock()
		return nil
	}
	delete(p.idle, key)
	p.mu.Unlock()
	err := cn.SetReadDeadline(time.Unix(1, 0)) // ends the watch, which may not have looked yet
	if watchErr := <-cn.watched; err != nil || !errors.Is(watchErr, os.ErrDeadlineExceeded) || waiting(cn.Conn) {
		cn.Close()
		return nil
	}
	return cn
}

// close ends all idle connections and those that come back later.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, cn := range idle {
		cn.Close()
	}
}
