package main

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// certificate writes a certificate and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	pair := s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// From other machines, people log in over TLS, and crawls that they begin reach no private address.
func TestCockpitElsewhere(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	for _, args := range [][]string{{}, {"--token", "x"}, {"--tls-cert", cert, "--tls-key", key}, {"--token", "x", "--tls-cert", cert}} {
		awarc(t, "", append([]string{"serve", "--listen", "0.0.0.0:0", "--dir", t.TempDir()}, args...)...).want(t, exitUsage, "--tls-key")
	}
	site, err := newSite("phpbb", "", 1, 50)
	if err != nil {
		t.Fatal(err)
	}
	at := serve(t, site)
	p := startCockpit(t, "--listen", "0.0.0.0:0", "--token", "open sesame", "--tls-cert", cert, "--tls-key", key)
	base := "https://127.0.0.1:" + p.base[strings.LastIndexByte(p.base, ':')+1:]
	b := openBrowser(t)
	b.quiet.Store(true) // what is refused is told there
	b.open(base + "/")
	b.until("h1", "Log in")
	b.look("login")
	b.fill("secret", "open barley")
	b.click("Log in")
	b.until("main", "Wrong token")
	b.fill("secret", "open sesame")
	b.click("Log in")
	b.until("h1", "Crawls")
	b.open(base + "/new")
	b.until("h1", "New crawl")
	b.fill("seeds", at+"/")
	b.do(chromedp.Click(chromedp.CSS("button[value=check]")))
	b.until("article .fails", "private")
	b.click("Log out")
	b.until("h1", "Log in")
}
