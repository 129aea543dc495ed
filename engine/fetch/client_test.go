package fetch_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine/fetch"
)

// rawServer is a server without an HTTP library: each accepted connection is given to serve, with its number. It
// keeps the bytes that it reads, connection by connection.
type rawServer struct {
	t    *testing.T
	addr string
	mu   sync.Mutex
	got  []*bytes.Buffer
}

// rawConn is a connection of a rawServer.
type rawConn struct {
	net.Conn
	br *bufio.Reader
}

func serveRaw(t *testing.T, l net.Listener, serve func(n int, c *rawConn)) *rawServer {
	t.Helper()
	s := &rawServer{t: t, addr: l.Addr().String()}
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	wg.Go(func() {
		for n := 0; ; n++ {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			buf := new(bytes.Buffer)
			s.mu.Lock()
			s.got = append(s.got, buf)
			s.mu.Unlock()
			c := &rawConn{Conn: nc}
			c.br = bufio.NewReader(io.TeeReader(nc, lockedWriter{&s.mu, buf}))
			wg.Go(func() {
				defer nc.Close()
				go func() { <-done; nc.Close() }()
				serve(n, c)
			})
		}
	})
	return s
}

type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// answers serves each request on each connection with the same bytes and closes when close is set.
func answers(t *testing.T, answer string, close bool) *rawServer {
	return serveRaw(t, listen(t), func(_ int, c *rawConn) {
		for c.request() {
			io.WriteString(c, answer)
			if close {
				return
			}
		}
	})
}

// request reads one request.
func (c *rawConn) request() bool {
	for {
		line, err := c.br.ReadString('\n')
		if err != nil {
			return false
		}
		if line == "\r\n" {
			return true
		}
	}
}

// received returns the bytes of all connections, in the order in which these were accepted.
func (s *rawServer) received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all strings.Builder
	for _, b := range s.got {
		all.Write(b.Bytes())
	}
	return all.String()
}

func (s *rawServer) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

func newClient(t *testing.T, o fetch.Options) *fetch.Client {
	t.Helper()
	if o.SpoolDir == "" {
		o.SpoolDir = t.TempDir()
	}
	c, err := fetch.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func do(t *testing.T, c *fetch.Client, url string) *fetch.Exchange {
	t.Helper()
	ex, err := c.Do(context.Background(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ex.Close() })
	return ex
}

func block(t *testing.T, ex *fetch.Exchange) string {
	t.Helper()
	b := make([]byte, ex.Size)
	if n, err := ex.Response.ReadAt(b, 0); int64(n) != ex.Size {
		t.Fatalf("block of %d bytes: read %d: %v", ex.Size, n, err)
	}
	return string(b)
}

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func chunked(s string, size int) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(size, len(s))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, s[:n])
		s = s[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// wireCases are answers with the block, the entity and the decoded body that they must become.
func wireCases() map[string]struct{ answer, block, entity, body string } {
	page := strings.Repeat("<p>all the bytes</p>\n", 500)
	zipped := gzipped(page)
	ok := "HTTP/1.1 200 OK\r\n"
	one := func(header, wire, entity, body string) struct{ answer, block, entity, body string } {
		return struct{ answer, block, entity, body string }{header + wire, header + wire, entity, body}
	}
	length := func(s string) string { return fmt.Sprintf("Content-Length: %d\r\n", len(s)) }
	cases := map[string]struct{ answer, block, entity, body string }{
		"length":          one(ok+length(page)+"\r\n", page, page, page),
		"length twice":    one(ok+length(page)+length(page)+"\r\n", page, page, page),
		"chunked":         one(ok+"Transfer-Encoding: chunked\r\n\r\n", chunked(page, 777), page, page),
		"gzip":            one(ok+"Content-Encoding: gzip\r\n"+length(zipped)+"\r\n", zipped, zipped, page),
		"gzip in chunks":  one(ok+"Content-Encoding: x-gzip\r\nTransfer-Encoding: chunked\r\n\r\n", chunked(zipped, 10), zipped, page),
		"odd header case": one("HTTP/1.1 200 oK\r\ncOnTent-lEngth: 2\r\nX-Odd:  spaced \r\n\r\n", "hi", "hi", "hi"),
		"bare LF":         one("HTTP/1.1 200 OK\nContent-Length: 2\n\n", "hi", "hi", "hi"),
	}
	cases["no reason"] = one("HTTP/1.1 404\r\nContent-Length: 2\r\n\r\n", "no", "no", "no")
	cases["redirect"] = one("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 5\r\n\r\n", "moved", "moved", "moved")
	cases["no content"] = one("HTTP/1.1 204 No Content\r\n\r\n", "", "", "")
	cases["not modified"] = one("HTTP/1.1 304 Not Modified\r\nContent-Length: 400\r\n\r\n", "", "", "")
	cases["empty"] = one(ok+"Content-Length: 0\r\n\r\n", "", "", "")
	trailer := "4\r\npage\r\n0\r\nX-Sum: 1\r\nX-Long: " + strings.Repeat("x", 9000) + "\r\n\r\n"
	cases["trailer"] = one(ok+"Transfer-Encoding: chunked\r\n\r\n", trailer, "page", "page")
	hints := cases["length"]
	hints.answer = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n" + hints.answer
	cases["early hints"] = hints
	return cases
}

func TestExactBytes(t *testing.T) {
	t.Parallel()
	for name, c := range wireCases() {
		for _, scheme := range []string{"http", "https"} {
			t.Run(name+"/"+scheme, func(t *testing.T) {
				t.Parallel()
				l := listen(t)
				if scheme == "https" {
					l = tls.NewListener(l, testTLS(t))
				}
				server := serveRaw(t, l, func(_ int, conn *rawConn) {
					for conn.request() {
						io.WriteString(conn, c.answer)
					}
				})
				client := newClient(t, fetch.Options{MaxMemory: 1000})
				url := scheme + "://" + server.addr + "/p?a=b%zz&c=é"
				var sent string
				for range 2 { // the second on the same connection
					ex := do(t, client, url)
					checkExchange(t, ex, c.block, c.entity, c.body)
					sent += string(ex.Request)
					if ex.IP != "127.0.0.1" || ex.URL != url || ex.Start.IsZero() || ex.Duration <= 0 {
						t.Errorf("IP %q, URL %q, start %v, duration %v", ex.IP, ex.URL, ex.Start, ex.Duration)
					}
					secure := ex.TLS == "tls/1.3" && strings.HasPrefix(ex.CipherSuite, "TLS_")
					if (ex.CertificateError != "") != (scheme == "https") || secure != (scheme == "https") {
						t.Errorf("certificate error %q, over %q with %q", ex.CertificateError, ex.TLS, ex.CipherSuite)
					}
				}
				if got := server.received(); got != sent {
					t.Errorf("the server saw\n%q\nrecorded is\n%q", got, sent)
				}
				if !strings.HasPrefix(sent, "GET /p?a=b%zz&c=%C3%A9 HTTP/1.1\r\nHost: "+server.addr+"\r\n") {
					t.Errorf("request %q", sent)
				}
				if n := server.connections(); n != 1 {
					t.Errorf("%d connections for two exchanges", n)
				}
			})
		}
	}
}

func checkExchange(t *testing.T, ex *fetch.Exchange, wire, entity, body string) {
	t.Helper()
	if got := block(t, ex); got != wire {
		t.Errorf("block\n%q\nwant\n%q", got, wire)
	}
	if ex.BlockDigest != sha(wire) {
		t.Errorf("block digest %s, want %s", ex.BlockDigest, sha(wire))
	}
	if ex.PayloadDigest != sha(entity) {
		t.Errorf("payload digest %s, want %s", ex.PayloadDigest, sha(entity))
	}
	if got, err := io.ReadAll(ex.Entity()); string(got) != entity || err != nil && ex.Truncated == "" {
		t.Errorf("entity %q, %v, want %q", got, err, entity)
	}
	if got, err := ex.Body(0); string(got) != body || err != nil {
		t.Errorf("body %q, %v, want %q", got, err, body)
	}
	if i := strings.Index(wire, "\n\r\n"); i >= 0 && ex.HeaderSize != int64(i+3) {
		t.Errorf("header of %d bytes, want %d", ex.HeaderSize, i+3)
	}
}

// testTLS is the configuration of a server whose certificate nobody has signed.
func testTLS(t *testing.T) *tls.Config {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	return &tls.Config{Certificates: s.TLS.Certificates}
}

func TestCloseDelimitedBody(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"HTTP/1.0 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: identity\r\n\r\n",
	} {
		server := answers(t, header+"until the end", true)
		client := newClient(t, fetch.Options{})
		for range 2 {
			ex := do(t, client, "http://"+server.addr)
			checkExchange(t, ex, header+"until the end", "until the end", "until the end")
			if ex.Truncated != "" {
				t.Errorf("%q: truncated %q", header, ex.Truncated)
			}
		}
	}
}

func TestForgivingHeader(t *testing.T) {
	t.Parallel()
	server := answers(t, "HTTP/1.1 200 OK\r\nno colon\r\nbad name: 1\r\nX-Folded: one\r\n\t two\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"+
		"Content-Length: 2\r\n\r\nhi", false)
	ex := do(t, newClient(t, fetch.Options{}), "http://"+server.addr)
	if got := ex.Header.Get("X-Folded"); got != "one two" {
		t.Errorf("folded field %q", got)
	}
	if len(ex.Header) != 3 || len(ex.Header["Set-Cookie"]) != 2 {
		t.Errorf("header %v", ex.Header)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	server := answers(t, wireCases()["redirect"].answer, false)
	ex := do(t, newClient(t, fetch.Options{}), "http://"+server.addr)
	if ex.Status != 302 || ex.Redirect() != "/next" {
		t.Errorf("status %d, redirect %q", ex.Status, ex.Redirect())
	}
	other := answers(t, "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", false)
	if ex := do(t, newClient(t, fetch.Options{}), "http://"+other.addr); ex.Redirect() != "" {
		t.Errorf("201 redirects to %q", ex.Redirect())
	}
}

// A server may drop a kept-alive connection as the next request arrives. The request is made again, and
// what is recorded is the exchange that got an answer.
func TestDeadIdleConnection(t *testing.T) {
	t.Parallel()
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
	server := serveRaw(t, listen(t), func(n int, c *rawConn) {
		if c.request() {
			fmt.Fprintf(c, "%s%d", answer, n)
		}
		c.request() // read and never answered: the connection ends here
	})
	client := newClient(t, fetch.Options{})
	for n := range 3 {
		ex := do(t, client, fmt.Sprintf("http://%s/%d", server.addr, n))
		checkExchange(t, ex, fmt.Sprintf("%s%d", answer, n), fmt.Sprint(n), fmt.Sprint(n))
		if want := fmt.Sprintf("GET /%d ", n); !strings.HasPrefix(string(ex.Request), want) {
			t.Errorf("request %q, want %q", ex.Request, want)
		}
	}
	if n := server.connections(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// Bytes after the end of a message, at once or while the connection is idle (some servers say 408 then), belong
// to no answer.
func TestUnaskedBytes(t *testing.T) {
	t.Parallel()
	const first = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	server := serveRaw(t, listen(t), func(n int, c *rawConn) {
		for c.request() {
			io.WriteString(c, first+"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
		}
	})
	client := newClient(t, fetch.Options{})
	for range 3 {
		checkExchange(t, do(t, client, "http://"+server.addr), first, "hi", "hi")
	}
	if n := server.connections(); n != 3 {
		t.Errorf("%d connections for 3 exchanges: one was used on after that", n)
	}
}

func TestSpool(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("0123456789abcdef", 200_000)
	answer := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, 60_000)
	server := answers(t, answer, false)
	dir := t.TempDir()
	ex := do(t, newClient(t, fetch.Options{SpoolDir: dir, MaxMemory: 4096}), "http://"+server.addr)
	checkExchange(t, ex, answer, body, body)
	if runtime.GOOS == "linux" {
		checkEmpty(t, dir) // a killed crawl leaves nothing
	}
	if err := ex.Close(); err != nil {
		t.Error(err)
	}
	if err := ex.Close(); err != nil {
		t.Error("second close:", err)
	}
	checkEmpty(t, dir)
}

func TestIdentification(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ agent, contact, wantAgent, wantFrom string }{
		{"", "", "awarc", ""},
		{"awarc/0.1", "https://archive.example/bot", "awarc/0.1 (+https://archive.example/bot)", ""},
		{"awarc/0.1", "crawl@archive.example", "awarc/0.1 (+mailto:crawl@archive.example)", "crawl@archive.example"},
		{"museum_bot", "mailto:crawl@archive.example", "museum_bot (+mailto:crawl@archive.example)", "crawl@archive.example"},
	} {
		var got http.Header
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header.Clone() }))
		client := newClient(t, fetch.Options{UserAgent: c.agent, Contact: c.contact})
		do(t, client, server.URL)
		server.Close()
		if got.Get("User-Agent") != c.wantAgent || got.Get("From") != c.wantFrom || client.UserAgent() != c.wantAgent {
			t.Errorf("%+v: sent %q, from %q", c, got.Get("User-Agent"), got.Get("From"))
		}
	}
}

func TestCallersHeader(t *testing.T) {
	t.Parallel()
	server := answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false)
	client := newClient(t, fetch.Options{})
	ex, err := client.Do(context.Background(), "http://me:pass@"+server.addr,
		http.Header{"Accept": {"image/png"}, "Referer": {"http://a/"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "GET / HTTP/1.1\r\nHost: " + server.addr + "\r\nUser-Agent: awarc\r\nAccept-Encoding: gzip, deflate, br;q=0.9, zstd;q=0.8\r\n" +
		"Accept: image/png\r\nReferer: http://a/\r\n\r\n"
	if string(ex.Request) != want || server.received() != want {
		t.Errorf("sent\n%q\nwant\n%q", ex.Request, want)
	}
}

func BenchmarkDo(b *testing.B) {
	page := strings.Repeat("<p>a page of the usual size</p>\n", 700)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) }))
	defer server.Close()
	client, err := fetch.New(fetch.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		ex, err := client.Do(context.Background(), server.URL, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := ex.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
