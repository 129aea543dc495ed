package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/proxy"

	"github.com/awarc/awarc/engine/httpmsg"
)

// viaProxy dials through the proxy of Options.Proxy.
type viaProxy struct {
	url    *url.URL
	dialer *net.Dialer
	auth   string         // value of Proxy-Authorization, "" without credentials
	roots  *x509.CertPool // for an https proxy; nil: the system's
}

// newProxy parses Options.Proxy: http, https, socks5 or socks5h, host, and optionally port, user and password.
func newProxy(raw string, dialer *net.Dialer) (*viaProxy, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("option Proxy is not a URL such as http://host:3128 or socks5://host:1080") // it may have a password
	}
	port, ok := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	if !ok {
		return nil, fmt.Errorf("option Proxy: scheme must be http, https, socks5 or socks5h, not %q", u.Scheme)
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), port)
	}
	p := &viaProxy{url: u, dialer: dialer}
	if u.User != nil {
		password, _ := u.User.Password()
		p.auth = basicAuth(u.User.Username(), password)
	}
	return p, nil
}

// plain reports whether http URLs are asked for in absolute form instead of through a tunnel.
func (p *viaProxy) plain() bool { return strings.HasPrefix(p.url.Scheme, "http") }

// dial returns a connection on which r can be sent: to the proxy itself for http
// URLs of an HTTP proxy, otherwise a tunnel to the host of r, whose name the proxy resolves.
func (p *viaProxy) dial(ctx context.Context, r *request) (net.Conn, error) {
	address := net.JoinHostPort(r.host, r.port)
	if !p.plain() {
		nc, err := p.dialSOCKS(ctx, address)
		if err != nil {
			return nil, &opError{"proxy", KindProxy, err}
		}
		return nc, nil
	}
	nc, err := p.dialer.DialContext(ctx, "tcp", p.url.Host)
	if err != nil {
		return nil, &opError{"proxy", KindProxy, err}
	}
	if p.url.Scheme == "https" {
		secure := tls.Client(nc, &tls.Config{ServerName: p.url.Hostname(), RootCAs: p.roots, NextProtos: []string{"http/1.1"}})
		if err := secure.HandshakeContext(ctx); err != nil {
			nc.Close()
			return nil, &opError{"proxy", KindProxy, err}
		}
		nc = secure
	}
	if r.scheme == "https" {
		if err := p.tunnel(ctx, nc, address); err != nil {
			nc.Close()
			return nil, &opError{"proxy", KindProxy, err}
		}
	}
	return nc, nil
}

func (p *viaProxy) dialSOCKS(ctx context.Context, address string) (net.Conn, error) {
	var auth *proxy.Auth
	if p.url.User != nil {
		password, _ := p.url.User.Password()
		auth = &proxy.Auth{User: p.url.User.Username(), Password: password}
	}
	d, err := proxy.SOCKS5("tcp", p.url.Host, auth, p.dialer)
	if err != nil {
		return nil, err
	}
	return d.(proxy.ContextDialer).DialContext(ctx, "tcp", address)
}

// tunnel asks the proxy for a connection to address.
func (p *viaProxy) tunnel(ctx context.Context, nc net.Conn, address string) error {
	if deadline, ok := ctx.Deadline(); ok {
		if err := nc.SetDeadline(deadline); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	defer stop()
	request := "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\n"
	if p.auth != "" {
		request += "Proxy-Authorization: " + p.auth + "\r\n"
	}
	if _, err := io.WriteString(nc, request+"\r\n"); err != nil {
		return err
	}
	// Byte by byte, so that nothing of the tunnel is read here.
	answer, err := httpmsg.ReadHead(bufio.NewReaderSize(&oneByte{r: io.LimitReader(nc, maxHeader)}, 16))
	if err != nil {
		return err
	}
	if answer.Status/100 != 2 {
		return fmt.Errorf("CONNECT %s: status %d %s", address, answer.Status, http.StatusText(answer.Status))
	}
	return nc.SetDeadline(time.Time{})
}

// oneByte reads single bytes, so that a buffered reader over it takes no more than it needs.
type oneByte struct{ r io.Reader }

func (o *oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }
