package fetch_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("left in the spool folder: %v, %v", entries, err)
	}
}

func TestBodyBeyondMaxBody(t *testing.T) {
	t.Parallel()
	const header = "HTTP/1.1 200 OK\r\n"
	long := strings.Repeat("x", 10_000)
	endless := func(c *rawConn) {
		for {
			if _, err := io.WriteString(c, long); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		header, wire string
		max          int64
		endless      bool
		entity       string
		truncated    string
	}{
		"length":                  {"Content-Length: 10000\r\n\r\n", long, 5000, false, long[:5000], "length"},
		"length, all in one read": {"Content-Length: 100\r\n\r\n", long[:100], 10, false, long[:10], "length"},
		"length as it fits":       {"Content-Length: 10000\r\n\r\n", long, 10_000, false, long, ""},
		"chunked":                 {"Transfer-Encoding: chunked\r\n\r\n", chunked(long, 2000), 3000, false, long[:3000-12], "length"},
		"chunked as it fits": {"Transfer-Encoding: chunked\r\n\r\n", chunked(long, 2000), int64(len(chunked(long, 2000))), false, long,
			""},
		"until close":            {"\r\n", long, 7000, false, long[:7000], "length"},
		"until close as it fits": {"\r\n", long, 10_000, false, long, ""},
		"endless":                {"\r\n", long, 50_000, true, strings.Repeat("x", 50_000), "length"},
		"lying length": {"Content-Length: 9000000000000000000\r\n\r\n", long, 50_000, true, strings.Repeat("x", 50_000),
			"length"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serveRaw(t, listen(t), func(_ int, conn *rawConn) {
				conn.request()
				io.WriteString(conn, header+c.header+c.wire)
				if c.endless {
					endless(conn)
				}
			})
			dir := t.TempDir()
			ex := do(t, newClient(t, fetch.Options{MaxBody: c.max, SpoolDir: dir, MaxMemory: 100}), "http://"+server.addr)
			if ex.Truncated != c.truncated {
				t.Errorf("truncated %q, want %q", ex.Truncated, c.truncated)
			}
			wire := c.wire
			if c.endless {
				wire = c.entity
			}
			checkExchange(t, ex, header+c.header+wire[:min(int64(len(wire)), c.max)], c.entity, c.entity)
			if err := ex.Close(); err != nil {
				t.Error(err)
			}
			checkEmpty(t, dir)
		})
	}
}

func TestSlowBody(t *testing.T) {
	t.Parallel()
	const start = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nstart"
	for name, o := range map[string]fetch.Options{
		"silent":   {HeaderTimeout: 100 * time.Millisecond},
		"dripping": {Timeout: 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
				c.request()
				io.WriteString(c, start)
				for name == "dripping" {
					if _, err := io.WriteString(c, "."); err != nil {
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
				c.request() // until the client hangs up
			})
			ex := do(t, newClient(t, o), "http://"+server.addr)
			got := block(t, ex)
			if ex.Truncated != "time" || !strings.HasPrefix(got, start) || ex.BlockDigest != sha(got) {
				t.Errorf("truncated %q, block %q", ex.Truncated, got)
			}
			if body, err := ex.Body(0); err != nil || !strings.HasPrefix(string(body), "start") || ex.PayloadDigest != sha(string(body)) {
				t.Errorf("body %q, %v", body, err)
			}
		})
	}
}

// TestSlowerThanTheSpeedLimit: an answer that starts and then brings next to nothing is cut, in its header and in its body, and
// kept as far as it came.
func TestSlowerThanTheSpeedLimit(t *testing.T) {
	t.Parallel()
	client := newClient(t, fetch.Options{SpeedLimit: 1000, SpeedTime: 50 * time.Millisecond})
	stalls := func(answer string) string {
		return "http://" + serveRaw(t, listen(t), func(_ int, c *rawConn) {
			c.request()
			io.WriteString(c, answer)
			c.request() // until the client hangs up
		}).addr
	}
	const header, body = "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nstart"
	ex, err := client.Do(context.Background(), stalls(header), nil)
	checkKind(t, err, fetch.KindSlow)
	if ex == nil || ex.Truncated != fetch.TruncatedTime || !ex.TooSlow || block(t, ex) != header {
		t.Errorf("the header: %+v", ex)
	}
	if ex := do(t, client, stalls(body)); ex.Truncated != fetch.TruncatedTime || !ex.TooSlow || block(t, ex) != body {
		t.Errorf("the body: %+v", ex)
	}
}

func TestDisconnectedBody(t *testing.T) {
	t.Parallel()
	zipped := gzipped(strings.Repeat("many words, ", 1000))
	for _, c := range []struct{ name, answer, entity, body string }{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive.", "five.", "five."},
		{"nothing", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "", ""},
		{"chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive.\r\n5\r\nf", "five.f", "five.f"},
		{"between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive.\r\n", "five.", "five."},
		{"broken framing", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive.\r\nzz\r\nmore", "five.", "five."},
		{"gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9999\r\n\r\n" + zipped[:len(zipped)-8],
			zipped[:len(zipped)-8], strings.Repeat("many words, ", 1000)},
	} {
		server := answers(t, c.answer, true)
		ex := do(t, newClient(t, fetch.Options{}), "http://"+server.addr)
		if ex.Truncated != "disconnect" {
			t.Errorf("%s: truncated %q", c.name, ex.Truncated)
		}
		checkExchange(t, ex, c.answer, c.entity, c.body)
	}
}

// A reset connection is no proper end of a body that lasts until the connection closes.
func TestResetBody(t *testing.T) {
	t.Parallel()
	server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		c.request()
		// More than the buffers of both ends hold, so that the client has read the header before the reset discards the rest.
		io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n"+strings.Repeat("until the reset ", 2<<20))
		c.Conn.(*net.TCPConn).SetLinger(0)
	})
	ex := do(t, newClient(t, fetch.Options{}), "http://"+server.addr)
	if ex.Truncated != "disconnect" || ex.Status != 200 {
		t.Errorf("status %d, truncated %q", ex.Status, ex.Truncated)
	}
}

func TestGzipBomb(t *testing.T) {
	t.Parallel()
	bomb := gzipped(strings.Repeat("\x00", fetch.MaxPage+8<<20))
	for range 2 {
		bomb = gzipped(bomb)
	}
	server := answers(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\nTransfer-Encoding: chunked\r\n\r\n"+chunked(bomb, 1000),
		false)
	ex := do(t, newClient(t, fetch.Options{}), "http://"+server.addr)
	if b, err := ex.Body(100_000); err != nil || len(b) != 100_000 {
		t.Errorf("body of %d bytes, %v", len(b), err)
	}
	if text, err := ex.HTML(); err != nil || len(text.HTML) != fetch.MaxPage {
		t.Errorf("page of %d bytes, %v", len(text.HTML), err)
	}
	layers := answers(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\nContent-Length: 2\r\n\r\nxx", false)
	if _, err := do(t, newClient(t, fetch.Options{}), "http://"+layers.addr).Body(0); err == nil {
		t.Error("four layers were decoded")
	}
}

// Answers that have no complete HTTP header: an error whose kind says why, and the bytes.
func TestWrecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		hold         bool // the server keeps the connection open
		kind         fetch.Kind
		truncated    string
	}{
		{"banner", "SSH-2.0-OpenSSH_9.2\r\n", false, fetch.KindProtocol, ""},
		{"page without header", "<html><body>old</body></html>", false, fetch.KindProtocol, ""},
		{"binary", "\x00\x01\x02\n\xff" + strings.Repeat("\x80", 9000), false, fetch.KindProtocol, ""},
		{"another protocol", "HTTPS/1.1 200 OK\r\n\r\n", false, fetch.KindProtocol, ""},
		{"long status", "HTTP/1.1 2000 OK\r\n\r\n", false, fetch.KindProtocol, ""},
		{"five bytes too many", "junk!HTTP/1.1 200 OK\r\n\r\n", false, fetch.KindProtocol, ""},
		{"words about HTTP", "HTTP is not spoken here\r\n", false, fetch.KindProtocol, ""},
		{"line breaks without end", strings.Repeat("\r\n", 1000), false, fetch.KindProtocol, ""},
		{"cut header", "HTTP/1.1 200 OK\r\nContent-Ty", false, fetch.KindReset, "disconnect"},
		{"cut status line", "HTT", false, fetch.KindReset, "disconnect"},
		{"slow header", "HTTP/1.1 200 OK\r\nContent-Ty", true, fetch.KindTimeout, "time"},
		{"endless header", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Field: value\r\n", 20_000), true, fetch.KindProtocol, "length"},
		{"endless line", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 300_000), true, fetch.KindProtocol, "length"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := serveRaw(t, listen(t), func(_ int, conn *rawConn) {
				conn.request()
				io.WriteString(conn, c.answer)
				if c.hold {
					conn.request()
				}
			})
			timeout := time.Minute
			if c.kind == fetch.KindTimeout {
				timeout = 100 * time.Millisecond
			}
			ex, err := newClient(t, fetch.Options{HeaderTimeout: timeout}).Do(context.Background(), "http://"+server.addr, nil)
			checkKind(t, err, c.kind)
			if ex == nil {
				t.Fatal("the bytes are lost")
			}
			defer ex.Close()
			want := c.answer[:min(len(c.answer), 256<<10)]
			if got := block(t, ex); got != want {
				t.Errorf("block of %d bytes, want %d", len(got), len(want))
			}
			if ex.Status != 0 || ex.Header == nil || ex.Truncated != c.truncated || ex.BlockDigest != sha(want) || ex.PayloadDigest !=
				sha(want) {
				t.Errorf("status %d, truncated %q", ex.Status, ex.Truncated)
			}
			if body, err := ex.Body(0); string(body) != want || err != nil {
				t.Errorf("body of %d bytes, %v", len(body), err)
			}
		})
	}
}

func checkKind(t *testing.T, err error, kind fetch.Kind) {
	t.Helper()
	var typed *fetch.Error
	if !errors.As(err, &typed) || typed.Kind != kind {
		t.Errorf("error %v, want kind %s", err, kind)
	} else if typed.Op == "" || typed.Err == nil {
		t.Errorf("incomplete error %#v", typed)
	}
}

func TestGarbageWithoutEnd(t *testing.T) {
	t.Parallel()
	server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		c.request()
		for {
			if _, err := io.WriteString(c, "garbage\n"); err != nil {
				return
			}
		}
	})
	ex, err := newClient(t, fetch.Options{}).Do(context.Background(), "http://"+server.addr, nil)
	checkKind(t, err, fetch.KindProtocol)
	if ex == nil || ex.Size < 64<<10 || ex.Size > 256<<10 {
		t.Errorf("exchange %+v", ex)
	}
}

func TestInterimAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		c.request()
		for {
			if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n"); err != nil {
				return
			}
		}
	})
	_, err := newClient(t, fetch.Options{}).Do(context.Background(), "http://"+server.addr, nil)
	checkKind(t, err, fetch.KindProtocol)
}

func TestErrorsWithoutAnswer(t *testing.T) {
	t.Parallel()
	hangup := serveRaw(t, listen(t), func(_ int, c *rawConn) { c.request() })
	silent := serveRaw(t, listen(t), func(_ int, c *rawConn) { c.request(); c.request() })
	plain := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		c.request()
	})
	closed := listen(t)
	closed.Close()
	for _, c := range []struct {
		url     string
		options fetch.Options
		kind    fetch.Kind
	}{
		{"http://" + hangup.addr, fetch.Options{}, fetch.KindReset},
		{"http://" + silent.addr, fetch.Options{HeaderTimeout: 50 * time.Millisecond}, fetch.KindTimeout},
		{"http://" + silent.addr, fetch.Options{Timeout: 50 * time.Millisecond}, fetch.KindTimeout},
		{"https://" + silent.addr, fetch.Options{DialTimeout: 50 * time.Millisecond}, fetch.KindTimeout},
		{"https://" + plain.addr, fetch.Options{}, fetch.KindTLS},
		{"http://" + closed.Addr().String(), fetch.Options{}, fetch.KindRefused},
		{"http://no-such-host.invalid/", fetch.Options{}, fetch.KindDNS},
		{"ftp://127.0.0.1/", fetch.Options{}, fetch.KindBlocked},
		{"http:///path", fetch.Options{}, fetch.KindBlocked},
		{"mailto:a@b", fetch.Options{}, fetch.KindBlocked},
		{"http://a b/", fetch.Options{}, fetch.KindBlocked},
		{"http://host:port/", fetch.Options{}, fetch.KindBlocked},
		{"", fetch.Options{}, fetch.KindBlocked},
		{"http://127.0.0.1/", fetch.Options{Proxy: "http://" + closed.Addr().String()}, fetch.KindProxy},
		{"https://127.0.0.1/", fetch.Options{Proxy: "http://" + plain.addr}, fetch.KindProxy},
	} {
		ex, err := newClient(t, c.options).Do(context.Background(), c.url, nil)
		if ex != nil {
			t.Errorf("%s: an exchange without an answer", c.url)
		}
		checkKind(t, err, c.kind)
	}
	_, err := newClient(t, fetch.Options{}).Do(context.Background(), "http://"+plain.addr, map[string][]string{"Referer": {"a\r\nHost: b"}})
	checkKind(t, err, fetch.KindBlocked)
	_, err = newClient(t, fetch.Options{}).Do(context.Background(), "http://"+plain.addr, map[string][]string{"host": {"b"}})
	checkKind(t, err, fetch.KindBlocked)
	_, err = newClient(t, fetch.Options{}).Do(context.Background(), "http://"+closed.Addr().String(), nil)
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("cause not reachable: %v", err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]string{"before the answer": "", "in the header": "HTTP/1.1 200",
		"in the body": "HTTP/1.1 200 OK\r\n\r\nstart"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
				c.request()
				io.WriteString(c, start)
				cancel()
				c.request()
			})
			ex, err := newClient(t, fetch.Options{}).Do(ctx, "http://"+server.addr, nil)
			checkKind(t, err, fetch.KindCanceled)
			if ex != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("exchange %v, error %v", ex, err)
			}
		})
	}
}

func TestSpoolFolderGone(t *testing.T) {
	t.Parallel()
	server := answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", false)
	dir := t.TempDir() + "/spool"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, fetch.Options{SpoolDir: dir, MaxMemory: 5})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	ex, err := client.Do(context.Background(), "http://"+server.addr, nil)
	checkKind(t, err, fetch.KindSpool)
	if ex != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("exchange %v, error %v", ex, err)
	}
}

func TestOptionsAreCheckedTogether(t *testing.T) {
	t.Parallel()
	_, err := fetch.New(fetch.Options{
		UserAgent: "/1.0", Contact: "nobody", Proxy: "gopher://x", Cookies: "no-such-file", SpoolDir: "no-such-folder", MaxBody: -1,
	})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, word := range []string{"Contact", "Proxy", "Cookies", "SpoolDir", "negative"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%v: says nothing of %s", err, word)
		}
	}
	for _, o := range []fetch.Options{{UserAgent: "/1.0"}, {UserAgent: "a\r\nb"}, {Contact: "http://x\n"}, {Proxy: "nonsense"}} {
		if _, err := fetch.New(o); err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
}
