package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/awarc/awarc/engine/httpmsg"
)

// Idle connections are bounded, and a client that is closed keeps none.
func TestIdleConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer proxy.Close()
	client, err := New(Options{Proxy: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	idle := func() int {
		client.pool.mu.Lock()
		defer client.pool.mu.Unlock()
		return len(client.pool.idle)
	}
	get := func(host int) {
		ex, err := client.Do(context.Background(), fmt.Sprintf("http://host%d.invalid/", host), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := ex.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxIdle + 5 {
		get(i)
	}
	if n := idle(); n != maxIdle {
		t.Errorf("%d idle connections, want %d", n, maxIdle)
	}
	if _, ok := client.pool.peek("http://host0.invalid:80"); ok {
		t.Error("the oldest connection is still there")
	}
	if n := len(client.gate.turns); n != 0 {
		t.Errorf("the gate remembers %d addresses that nobody waits for", n)
	}
	client.Close()
	get(1)
	if n := idle(); n != 0 {
		t.Errorf("%d idle connections of a closed client", n)
	}
}

// A server that says something while the connection is idle loses it, before it can be taken for an answer.
func TestIdleConnectionThatSpeaks(t *testing.T) {
	t.Parallel()
	speak := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			defer nc.Close()
			io.WriteString(nc, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			<-speak
			io.WriteString(nc, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
			nc.Read(make([]byte, 1)) // until the client hangs up
		}()
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
	if err := ex.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := client.pool.peek(server.URL); !ok {
		t.Fatal("the connection is not idle")
	}
	close(speak)
	for ok := true; ok; _, ok = client.pool.peek(server.URL) {
		runtime.Gosched()
	}
}

// leavesBehind answers on each connection as long as it stays open: with one page, of a size, and then what nobody asked for.
func leavesBehind(t *testing.T, size int, surplus string) (base string) {
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
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for r, err := http.ReadRequest(in); err == nil; r, err = http.ReadRequest(in) {
					body, rest := "good", ""
					if r.URL.Path == "/bad" {
						body, rest = strings.Repeat("x", size), surplus
					}
					fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s", len(body), body, rest)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// What a server says behind an answer is not taken for the next one, wherever reading of the first one ended. It lost a page for good:
// what is no HTTP is not asked for again.
func TestNothingIsLeftForTheNextExchange(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 4056\r\n\r\n"
	for name, surplus := range map[string]string{
		"a forged answer": "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
		"empty lines":     "\r\n\r\n\r\n",
		"a page":          "<!DOCTYPE html><title>The rest</title>",
	} {
		for _, size := range []int{100, 4096 - len(head), 9000, 100_000} { // 4096 are read at a time
			base := leavesBehind(t, size, surplus)
			client, err := New(Options{SpoolDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			for range 50 {
				for path, want := range map[string]int64{"/bad": int64(size), "/good": 4} {
					ex, err := client.Do(t.Context(), base+path, nil)
					if err != nil {
						t.Fatalf("%s behind a page of %d bytes: %s: %v", name, size, path, err)
					}
					if body, _ := ex.Body(1 << 20); int64(len(body)) != want || path == "/good" && string(body) != "good" {
						t.Fatalf("%s behind a page of %d bytes: %s is %.20q", name, size, path, body)
					}
					if err := ex.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// Which answers leave the connection open for the next exchange.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"HTTP/1.1 200 OK\r\n":                              true,
		"HTTP/1.1 200 OK\r\nConnection: x, Close\r\n":      false,
		"HTTP/1.0 200 OK\r\n":                              false,
		"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n":    true,
		"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n": false,
	} {
		h, body, err := readAnswer([]byte(header + "Content-Length: 0\r\n\r\n"))
		if err != nil || len(body) != 0 || keepsAlive(h) != want {
			t.Errorf("%q: body %q, %v, keeps alive %v", header, body, err, keepsAlive(h))
		}
	}
}

// A proxy that is spoken to over TLS has to prove who it is: it may see passwords.
func TestProxyOverTLS(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	proxy := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { connections.Add(1) }))
	proxy.TLS = &tls.Config{}
	proxy.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes
	proxy.StartTLS()
	defer proxy.Close()
	client, err := New(Options{Proxy: strings.Replace(proxy.URL, "https://", "https://me:secret@", 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Do(context.Background(), "http://host.invalid/", nil)
	var typed *Error
	if !errors.As(err, &typed) || typed.Kind != KindProxy || connections.Load() != 0 {
		t.Errorf("error %v after %d requests", err, connections.Load())
	}
	if text := err.Error(); !strings.Contains(text, "http://host.invalid/") || !strings.Contains(text, "proxy") ||
		strings.Contains(text, "secret") {
		t.Errorf("error text %q", text)
	}
}

// A file that the disk no longer gives back is an error of the spool, not of the server.
func TestSpoolUnreadable(t *testing.T) {
	t.Parallel()
	s := &spool{dir: t.TempDir(), memMax: 1}
	if _, err := io.WriteString(s, "spooled"); err != nil {
		t.Fatal(err)
	}
	e := &Exchange{Status: 200, Header: http.Header{}, spool: s, framing: httpmsg.Close}
	e.setBlock(0, 7)
	if body, err := e.Body(0); string(body) != "spooled" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	if err := s.file.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := e.HTML()
	var typed *Error
	if !errors.As(err, &typed) || typed.Kind != KindSpool {
		t.Errorf("error %v", err)
	}
	if err := e.Close(); err == nil {
		t.Error("closing a broken file succeeds")
	}
}
