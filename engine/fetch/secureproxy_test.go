package fetch

import (
	"bufio"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// An https proxy is spoken to inside TLS, in absolute form for http and through a tunnel for https; its certificate is verified.
func TestSecureProxy(t *testing.T) {
	t.Parallel()
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "origin "+r.URL.Path) })
	plain, secure := httptest.NewServer(hello), httptest.NewTLSServer(hello)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth(); user !=
			"me" || password != "secret" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			io.WriteString(w, "through the proxy to "+r.RequestURI)
			return
		}
		up, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		down, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { io.Copy(up, down); up.Close() }()
		io.Copy(down, up)
		down.Close()
	}))
	t.Cleanup(proxy.Close)
	at := strings.TrimPrefix(proxy.URL, "https://")
	roots := x509.NewCertPool()
	roots.AddCert(proxy.Certificate())
	for url, want := range map[string]string{plain.URL + "/a": "through the proxy to " + plain.URL + "/a", secure.URL + "/b": "origin /b"} {
		for name, c := range map[string]struct {
			user  string
			roots *x509.CertPool
			fails bool
		}{
			"good": {"me:secret@", roots, false}, "unknown certificate": {"me:secret@", nil, true},
			"wrong password": {"me:guess@", roots, true},
		} {
			client := guarded(t, Options{Proxy: "https://" + c.user + at})
			client.proxy.roots = c.roots
			ex, err := client.Do(t.Context(), url, nil)
			if err != nil {
				if typed, ok := err.(*Error); !c.fails || !ok || typed.Kind != KindProxy {
					t.Errorf("%s, %s: %v", url, name, err)
				}
				continue
			}
			body, err := ex.Body(0)
			if got := string(body); c.fails && ex.Status != http.StatusProxyAuthRequired || !c.fails && got != want || err != nil {
				t.Errorf("%s, %s: %d %q, %v", url, name, ex.Status, got, err)
			}
			if strings.Contains(string(ex.Request), "Proxy") || ex.IP != "" {
				t.Errorf("%s: recorded %q from %q", url, ex.Request, ex.IP)
			}
			ex.Close()
		}
	}
}

// A SOCKS proxy with user and password (RFC 1929) carries TLS, too.
func TestSOCKSProxyWithAPassword(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "origin") }))
	t.Cleanup(secure.Close)
	origin, err := url.Parse(secure.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveSOCKS(c, origin.Host)
		}
	}()
	for password, want := range map[string]bool{"secret": true, "guess": false} {
		client := guarded(t, Options{Proxy: "socks5h://me:" + password + "@" + l.Addr().String()})
		ex, err := client.Do(t.Context(), "https://forum.invalid/", nil)
		if (err == nil) != want {
			t.Errorf("with %s: %v", password, err)
		}
		if err != nil {
			if typed, ok := err.(*Error); !ok || typed.Kind != KindProxy {
				t.Errorf("with %s: %v", password, err)
			}
			continue
		}
		if body, err := ex.Body(0); string(body) != "origin" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		ex.Close()
	}
}

// serveSOCKS serves one client who knows the password and connects it with origin, whatever it asks for.
func serveSOCKS(c net.Conn, origin string) {
	defer c.Close()
	br := bufio.NewReader(c)
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(br, b) // zeros are refused below
		return b
	}
	methods := read(2)
	read(int(methods[1]))
	c.Write([]byte{5, 2}) // user and password
	user := read(int(read(2)[1]))
	password := read(int(read(1)[0]))
	if string(user) != "me" || string(password) != "secret" {
		c.Write([]byte{1, 1})
		return
	}
	c.Write([]byte{1, 0})
	head := read(5)
	read(int(head[4]) + 2)
	up, err := net.Dial("tcp", origin)
	if err != nil {
		return
	}
	defer up.Close()
	c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	go func() { io.Copy(up, br); up.Close() }()
	io.Copy(c, up)
}
