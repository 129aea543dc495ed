package hostile

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"strings"
	"time"
)

// secure says how a host speaks TLS.
type secure struct {
	certificate func(*authority, net.Addr) (tls.Certificate, error)
	config      func(*tls.Config) // changes what is otherwise a good server
	handshake   func(net.Conn)    // in place of TLS; nil: TLS
	plainLinks  bool              // the links to the host say http
}

// authority is whom nobody has reason to trust.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Hostile Authority"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{key, cert}, err
}

// issue makes a certificate for an address, after change has changed it.
func issue(change func(*x509.Certificate)) func(*authority, net.Addr) (tls.Certificate, error) {
	return func(a *authority, addr net.Addr) (tls.Certificate, error) {
		host, _, err := net.SplitHostPort(addr.String())
		if err != nil {
			return tls.Certificate{}, err
		}
		t := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, NotBefore: time.Now().Add(-time.Hour),
			NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature, IPAddresses: []net.IP{net.ParseIP(host)}}
		if change != nil {
			change(t)
		}
		parent := a.cert
		signer := a.key
		if t.IsCA { // it signs itself
			parent = t
		}
		der, err := x509.CreateCertificate(rand.Reader, t, parent, &a.key.PublicKey, signer)
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}, err
	}
}

// wrap makes the connection speak TLS, or answers it in another way and returns nil.
func (s *secure) wrap(site *Site, raw net.Conn) net.Conn {
	if s.handshake != nil {
		s.handshake(raw)
		return nil
	}
	certificate := s.certificate
	if certificate == nil {
		certificate = issue(nil)
	}
	cert, err := certificate(site.trust, raw.LocalAddr())
	if err != nil {
		site.stray("no certificate: %v", err)
		return nil
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
	if s.config != nil {
		s.config(cfg)
	}
	c := tls.Server(raw, cfg)
	if c.HandshakeContext(site.ctx) != nil {
		return nil // the client did not like it
	}
	return c
}

// tlsMisdeeds is about TLS. Certificates that do not verify are noted, not refused.
func tlsMisdeeds() []Misdeed {
	odd := func(name, does, note string, change func(*x509.Certificate)) Misdeed {
		return Misdeed{Name: "tls-" + name, Does: does, Want: Whole, Status: 200, Most: 1, Leads: true, Certificate: note,
			secure: &secure{certificate: issue(change)}}
	}
	speaks := func(name, does string, change func(*tls.Config)) Misdeed {
		return Misdeed{Name: "tls-" + name, Does: does, Want: Whole, Status: 200, Most: 1, Leads: true, Certificate: "unknown authority",
			secure: &secure{config: change}}
	}
	fails := func(name, does, kind string, handshake func(net.Conn)) Misdeed {
		return Misdeed{Name: "tls-" + name, Does: does, Want: Never, Kind: kind, Most: 0, Shut: true, secure: &secure{handshake: handshake}}
	}
	only := func(v uint16) func(*tls.Config) {
		return func(c *tls.Config) { c.MinVersion, c.MaxVersion = v, v }
	}
	all := []Misdeed{
		odd("authority", "an authority that nobody knows", "unknown authority", nil),
		odd("expired", "a certificate of last year", "expired", func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Now().AddDate(-2, 0, 0), time.Now().AddDate(-1, 0, 0)
		}),
		odd("early", "a certificate of next year", "not yet valid", func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Now().AddDate(1, 0, 0), time.Now().AddDate(2, 0, 0)
		}),
		odd("name", "a certificate for another name", "",
			func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"example.org"} }),
		odd("nameless", "a certificate for no name", "", func(c *x509.Certificate) { c.IPAddresses, c.Subject = nil, pkix.Name{} }),
		odd("self-signed", "a certificate that signs itself", "",
			func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = true, true }),
		odd("names-2000", "a certificate for 2,000 names", "unknown authority", func(c *x509.Certificate) {
			for range 2000 {
				c.DNSNames = append(c.DNSNames, strings.Repeat("long-", 10)+"name.example.org")
			}
		}),
		speaks("1.0", "TLS 1.0 alone", only(tls.VersionTLS10)),
		speaks("1.1", "TLS 1.1 alone", only(tls.VersionTLS11)),
		speaks("1.3", "TLS 1.3 alone", only(tls.VersionTLS13)),
		speaks("no-alpn", "no ALPN", func(c *tls.Config) { c.NextProtos = nil }),
		fails("cut", "hung up in the handshake", "", func(c net.Conn) { readSome(c) }),
		fails("garbage", "bytes for a handshake", "tls", func(c net.Conn) {
			readSome(c)
			_, _ = io.WriteString(c, noise(2000))
		}),
		fails("plain", "plain HTTP on the port of https", "tls", func(c net.Conn) {
			readSome(c)
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		}),
		fails("ssl3", "SSL 3.0 alone", "tls", func(c net.Conn) {
			readSome(c)
			_, _ = io.WriteString(c, "\x15\x03\x00\x00\x02\x02\x28") // handshake_failure
		}),
		fails("stall", "no answer to the handshake", "timeout", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }),
		{Name: "tls-no-end", Does: "hangs up without saying so in TLS", Want: Kept, Most: tries, secure: &secure{}, answer: func(v *visit) {
			v.write(v.fill(html + "\r\n{page}"))
			_ = v.raw.Close()
		}},
		{Name: "tls-on-plain", Does: "TLS on the port of http", Want: Never, Kind: "protocol", Shut: true, secure: &secure{plainLinks: true,
			handshake: func(c net.Conn) {
				readSome(c)
				_, _ = io.WriteString(c, "\x15\x03\x01\x00\x02\x02\x46")
			}}},
	}
	for i := range all {
		all[i].Host = all[i].Name
		all[i].Stalls = all[i].Kind == "timeout"
	}
	return all
}

// readSome reads the first bytes that a client sends.
func readSome(c net.Conn) {
	_, _ = bufio.NewReader(c).Peek(1) // whatever it is
}
