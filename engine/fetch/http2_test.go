package fetch_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

// serveH2 serves h over TLS with these protocols and notes the protocol of each request.
func serveH2(t *testing.T, h http.HandlerFunc, protocols ...string) (base string, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var got []string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = append(got, r.Proto)
		mu.Unlock()
		h(w, r)
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(slices.Contains(protocols, "http/1.1"))
	s.Config.Protocols.SetHTTP2(slices.Contains(protocols, "h2"))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = slices.Contains(protocols, "h2")
	s.TLS = testTLS(t)
	s.TLS.NextProtos = protocols
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(got, " ")
	}
}

func page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Add("Set-Cookie", "a=1")
	w.Header().Add("Set-Cookie", "b=2")
	if r.URL.Path == "/zipped" {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, gzipped("by HTTP/2"))
		return
	}
	fmt.Fprint(w, r.RequestURI, " ", r.Host, " ", r.Header.Get("Referer"), " ", r.Header.Get("Cookie"))
}

func TestHTTP2Only(t *testing.T) {
	t.Parallel()
	base, asked := serveH2(t, page, "h2")
	host := strings.TrimPrefix(base, "https://")
	client := newClient(t, fetch.Options{})
	ex, err := client.Do(t.Context(), base+"/a//b%2f?c=é", http.Header{"Referer": {"http://from.example/"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ex.Close() })
	body := "/a//b%2f?c=%C3%A9 " + host + " http://from.example/ "
	got := block(t, ex)
	if !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\nContent-Length: ") ||
		!strings.HasSuffix(got, "\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"+body) {
		t.Errorf("block %q", got)
	}
	checkExchange(t, ex, got, body, body)
	if ex.Protocol != "h2" || ex.IP != "127.0.0.1" || ex.CertificateError == "" || ex.Truncated != "" ||
		!strings.HasPrefix(string(ex.Request), "GET /a//b%2f?c=%C3%A9 HTTP/1.1\r\nHost: "+host) {
		t.Errorf("%+v", ex)
	}
	if text, err := do(t, client, base+"/zipped").HTML(); string(text.HTML) != "by HTTP/2" || err != nil {
		t.Errorf("%q, %v", text.HTML, err)
	}
	if body, err := do(t, client, base+"/c").Body(0); !strings.HasSuffix(string(body), "a=1; b=2") || err != nil {
		t.Errorf("%q, %v: no cookies", body, err)
	}
	if got := asked(); strings.Contains(got, "HTTP/1") {
		t.Errorf("asked by %s", got)
	}
}

func TestAnswersThatRefuseHTTP1(t *testing.T) {
	t.Parallel()
	for _, status := range []int{426, 464, 505, 403} {
		base, asked := serveH2(t, func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor == 1 {
				w.WriteHeader(status)
				return
			}
			page(w, r)
		}, "h2", "http/1.1")
		client := newClient(t, fetch.Options{})
		want, protocols := 200, "HTTP/1.1 HTTP/2.0 HTTP/2.0"
		if status == 403 {
			want, protocols = status, "HTTP/1.1 HTTP/1.1"
		}
		for range 2 {
			if ex := do(t, client, base+"/"); ex.Status != want {
				t.Errorf("%d: status %d", status, ex.Status)
			}
		}
		if got := asked(); got != protocols {
			t.Errorf("%d: asked by %s", status, got)
		}
	}
	// Where there is no HTTP/2 either, the refusal is the answer.
	base, _ := serveH2(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(505) }, "http/1.1")
	if ex := do(t, newClient(t, fetch.Options{}), base); ex.Status != 505 || ex.Protocol != "" {
		t.Errorf("status %d by %s", ex.Status, ex.Protocol)
	}
}

// HTTP/2 has the bounds that HTTP/1.1 has.
func TestHTTP2IsBounded(t *testing.T) {
	t.Parallel()
	base, _ := serveH2(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/silent":
			<-r.Context().Done()
		case "/stalled":
			io.WriteString(w, "start")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/cut":
			io.WriteString(w, "start")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "/large":
			w.Header().Set("X", strings.Repeat("x", 300_000))
		default:
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("on and on ", 1000)); err != nil {
					return
				}
			}
		}
	}, "h2")
	dir := t.TempDir()
	client := newClient(t, fetch.Options{MaxBody: 100_000, MaxMemory: 1000, SpoolDir: dir, HeaderTimeout: 300 * time.Millisecond})
	for path, kind := range map[string]fetch.Kind{"/silent": fetch.KindTimeout, "/large": fetch.KindReset} {
		_, err := client.Do(t.Context(), base+path, nil)
		checkKind(t, err, kind)
	}
	for path, want := range map[string]string{
		"/stalled": fetch.TruncatedTime, "/cut": fetch.TruncatedDisconnect, "/endless": fetch.TruncatedLength,
	} {
		ex := do(t, client, base+path)
		if ex.Truncated != want || path == "/endless" && ex.Size-ex.HeaderSize != 100_000 ||
			path != "/endless" && !strings.HasSuffix(block(t, ex), "\r\n\r\nstart") {
			t.Errorf("%s: %d bytes, truncated %q", path, ex.Size, ex.Truncated)
		}
		if err := ex.Close(); err != nil {
			t.Error(err)
		}
	}
	slow := newClient(t, fetch.Options{SpoolDir: dir, SpeedLimit: 1000, SpeedTime: 50 * time.Millisecond})
	ex := do(t, slow, base+"/stalled")
	if ex.Truncated != fetch.TruncatedTime || !ex.TooSlow {
		t.Errorf("slower than the limit: truncated %q, too slow %v", ex.Truncated, ex.TooSlow)
	}
	if err := ex.Close(); err != nil {
		t.Error(err)
	}
	checkEmpty(t, dir)
}
