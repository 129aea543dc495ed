package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, host, port, hostField, target string }{
		{"http://site.example", "site.example", "80", "site.example", "/"},
		{"HTTPS://site.example?q=1#top", "site.example", "443", "site.example", "/?q=1"},
		{"http://site.example:8080/a/../b", "site.example", "8080", "site.example:8080", "/a/../b"},
		{"http://site.example:80/", "site.example", "80", "site.example", "/"},
		{"https://site.example:80/", "site.example", "80", "site.example:80", "/"},
		{"http://site.example:/", "site.example", "80", "site.example", "/"},
		{"http://[::1]/x", "::1", "80", "[::1]", "/x"},
		{"http://[2001:db8::1]:81/x", "2001:db8::1", "81", "[2001:db8::1]:81", "/x"},
		{"http://[fe80::1%25eth0]/", "fe80::1%eth0", "80", "[fe80::1]", "/"},
		{"http://bücher.example/ü?ü", "xn--bcher-kva.example", "80", "xn--bcher-kva.example", "/%C3%BC?%C3%BC"},
		{"http://under_score.example/", "under_score.example", "80", "under_score.example", "/"},
		{"http://site.example/a b\"%zz%2f|{}", "site.example", "80", "site.example", "/a%20b\"%zz%2f|{}"},
		{"http://site.example/a\r\nHost: evil", "site.example", "80", "site.example", "/a%0D%0AHost:%20evil"},
		{"http://user:pass@site.example/", "site.example", "80", "site.example", "/"},
		{"http://site.example/?u=http://other.example/", "site.example", "80", "site.example", "/?u=http://other.example/"},
	} {
		r, err := parseURL(c.url)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if r.host != c.host || r.port != c.port || r.hostPort != c.hostField || r.target != c.target {
			t.Errorf("%s: host %q, port %q, Host %q, target %q", c.url, r.host, r.port, r.hostPort, r.target)
		}
	}
	for _, bad := range []string{"", "/path", "//host/", "file:///etc/passwd", "http:/x", "http://", "http://:80/", "http://a\nb/",
		"http://[::1/", "http://h:99x/", "javascript://x"} {
		if r, err := parseURL(bad); err == nil {
			t.Errorf("%q parsed to %+v", bad, r)
		}
	}
}

func TestIPv6(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("needs IPv6: ", err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }))
	server.Listener.Close()
	server.Listener = l
	server.Start()
	defer server.Close()
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ex, err := c.Do(context.Background(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ex.Close()
	if body, err := ex.Body(0); err != nil || string(body) != l.Addr().String() || ex.IP != "::1" {
		t.Errorf("Host %q, %v, IP %q", body, err, ex.IP)
	}
}

// Certificates: by default a bad one is accepted and told of, with VerifyTLS refused; a good one is accepted by both.
func TestCertificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page") }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	good := x509.NewCertPool()
	good.AddCert(server.Certificate())
	for _, c := range []struct {
		name, host string
		verify     bool
		roots      *x509.CertPool
		defect     string // "" = none
	}{
		{"unknown issuer", "127.0.0.1", false, nil, "unknown authority"},
		{"unknown issuer", "127.0.0.1", true, nil, "unknown authority"},
		{"good", "127.0.0.1", false, good, ""},
		{"good", "127.0.0.1", true, good, ""},
		{"other name", "localhost", false, good, "not localhost"},
		{"other name", "localhost", true, good, "not localhost"},
	} {
		client, err := New(Options{VerifyTLS: c.verify})
		if err != nil {
			t.Fatal(err)
		}
		client.roots = c.roots
		ex, err := client.Do(context.Background(), "https://"+net.JoinHostPort(c.host, port), nil)
		var typed *Error
		switch {
		case c.verify && c.defect != "":
			if ex != nil || !errors.As(err, &typed) || typed.Kind != KindTLS || !strings.Contains(err.Error(), c.defect) {
				t.Errorf("%s: not refused: %v", c.name, err)
			}
		case err != nil:
			t.Errorf("%s, verify %v: %v", c.name, c.verify, err)
		default:
			if !strings.Contains(ex.CertificateError, c.defect) || (c.defect == "") != (ex.CertificateError == "") {
				t.Errorf("%s: certificate error %q, want %q", c.name, ex.CertificateError, c.defect)
			}
			if err := ex.Close(); err != nil {
				t.Error(err)
			}
		}
		client.Close()
	}
}

// Servers that were set up long ago and never updated are what archives are for.
func TestOldTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "old") }))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10,
		CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	for _, verify := range []bool{false, true} {
		client, err := New(Options{VerifyTLS: verify})
		if err != nil {
			t.Fatal(err)
		}
		client.roots = x509.NewCertPool()
		client.roots.AddCert(server.Certificate())
		ex, err := client.Do(context.Background(), server.URL, nil)
		if (err != nil) != verify {
			t.Errorf("verify %v: %v", verify, err)
		}
		if ex != nil {
			if err := ex.Close(); err != nil {
				t.Error(err)
			}
		}
		client.Close()
	}
}

// A TLS server that hangs up without a word ends a body that lasts until the connection closes all the same.
func TestTLSWithoutGoodbye(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(nc, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it")
		nc.(*tls.Conn).NetConn().Close()
	}))
	defer server.Close()
	client, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ex, err := client.Do(context.Background(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ex.Close()
	if body, err := ex.Body(0); string(body) != "all of it" || err != nil || ex.Truncated != "" {
		t.Errorf("body %q, %v, truncated %q", body, err, ex.Truncated)
	}
}
