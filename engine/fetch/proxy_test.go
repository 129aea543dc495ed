package fetch_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/fetch"
)

// relay copies between the two ends until one of them is done.
func relay(a *rawConn, b net.Conn) {
	defer b.Close()
	go func() { io.Copy(b, a.br); b.Close() }()
	io.Copy(a, b)
}

// What is recorded is what an origin server would get; what is sent to the proxy is in absolute form, with credentials.
func TestPlainProxy(t *testing.T) {
	t.Parallel()
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	proxy := answers(t, answer, false)
	client := newClient(t, fetch.Options{Proxy: "http://me:secret@" + proxy.addr})
	ex := do(t, client, "http://no-such-host.invalid/page?q")
	checkExchange(t, ex, answer, "hi", "hi")
	if ex.IP != "" {
		t.Errorf("the address of the proxy %q is not that of the host", ex.IP)
	}
	if !strings.HasPrefix(string(ex.Request), "GET /page?q HTTP/1.1\r\nHost: no-such-host.invalid\r\n") ||
		strings.Contains(string(ex.Request), "Proxy") {
		t.Errorf("recorded %q", ex.Request)
	}
	want := strings.Replace(string(ex.Request), "GET /page?q HTTP/1.1\r\n",
		"GET http://no-such-host.invalid/page?q HTTP/1.1\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n", 1)
	if got := proxy.received(); got != want {
		t.Errorf("the proxy saw\n%q\nwant\n%q", got, want)
	}
}

func TestTunnelThroughProxy(t *testing.T) {
	t.Parallel()
	origin := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "origin") }))
	t.Cleanup(origin.Close)
	address := strings.TrimPrefix(origin.URL, "https://")
	proxy := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		c.request()
		up, err := net.Dial("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		relay(c, up)
	})
	client := newClient(t, fetch.Options{Proxy: "http://me:secret@" + proxy.addr})
	for range 2 {
		ex := do(t, client, origin.URL)
		if body, err := ex.Body(0); string(body) != "origin" || err != nil {
			t.Errorf("body %q, %v", body, err)
		}
	}
	want := "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n"
	if got := proxy.received(); !strings.HasPrefix(got, want) || strings.Contains(got, "GET /") {
		t.Errorf("the proxy saw %.200q", got)
	}
}

func TestSOCKSProxy(t *testing.T) {
	t.Parallel()
	origin := answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", false)
	proxy := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		hello := make([]byte, 3) // version 5, one method: none
		io.ReadFull(c.br, hello)
		c.Write([]byte{5, 0})
		head := make([]byte, 5) // version, connect, 0, type of address: name, its length
		io.ReadFull(c.br, head)
		name := make([]byte, int(head[4])+2)
		io.ReadFull(c.br, name)
		if got := string(name[:head[4]]); got != "forum.invalid" || binary.BigEndian.Uint16(name[head[4]:]) != 80 {
			t.Errorf("asked to connect to %q", got)
		}
		up, err := net.Dial("tcp", origin.addr)
		if err != nil {
			t.Error(err)
			return
		}
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		relay(c, up)
	})
	ex := do(t, newClient(t, fetch.Options{Proxy: "socks5://" + proxy.addr}), "http://forum.invalid/")
	if got := origin.received(); got != string(ex.Request) || !strings.HasPrefix(got, "GET / HTTP/1.1\r\nHost: forum.invalid\r\n") {
		t.Errorf("the origin saw %q", got)
	}
	if ex.IP != "" {
		t.Error("address", ex.IP)
	}
}

// Behind a proxy the gate works by host name: different hosts go in parallel, or the proxy would be the bottleneck of a whole crawl.
func TestGateBehindProxy(t *testing.T) {
	t.Parallel()
	asked := make(chan bool)
	proxy := serveRaw(t, listen(t), func(n int, c *rawConn) {
		c.request()
		if n == 0 {
			<-asked // until the second connection has a request, too
		} else {
			asked <- true
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	client := newClient(t, fetch.Options{Proxy: "http://" + proxy.addr})
	done := make(chan error, 2)
	for i := range 2 {
		go func() {
			ex, err := client.Do(t.Context(), fmt.Sprintf("http://host%d.invalid/", i), nil)
			if err == nil {
				err = ex.Close()
			}
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
