package fetch

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// A condition is asked where the earlier answer is the one that this request would get, and where its validator says enough.
func TestConditions(t *testing.T) {
	var asked http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header
		if r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
		}
	}))
	defer server.Close()
	c, err := New(Options{SpoolDir: t.TempDir(), UserAgent: "test/1"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const date, before, same = "Tue, 24 Nov 2026 10:00:00 GMT", "Tue, 24 Nov 2026 09:00:00 GMT", "Tue, 24 Nov 2026 10:00:00 GMT"
	request := "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: test/1\r\nAccept-Language: en\r\n\r\n"
	encoded := "GET / HTTP/1.1\r\nUser-Agent: test/1\r\nAccept-Encoding: " + acceptEncoding + "\r\n\r\n"
	for name, x := range map[string]struct {
		etag, modified, vary, request string
		header                        http.Header
		wantMatch, wantSince          string
	}{
		"both":                        {etag: `"1"`, modified: before, wantMatch: `"1"`, wantSince: before},
		"weak":                        {etag: `W/"1"`, wantMatch: `W/"1"`},
		"only a date":                 {modified: before, wantSince: before},
		"no validator":                {},
		"changed in the same second":  {modified: same},
		"tagged in the same second":   {etag: `"1"`, modified: same, wantMatch: `"1"`, wantSince: same},
		"tag without quotes":          {etag: "1", modified: before, wantSince: before},
		"tag that breaks the request": {etag: "\"1\r\nX: y\""},
		"no date":                     {modified: "yesterday"},
		"varies with what is equal":   {etag: `"1"`, vary: "Accept-Encoding, user-agent", request: encoded, wantMatch: `"1"`},
		"varies with what is not":     {etag: `"1"`, vary: "accept-language", request: request},
		"varies with what both lack":  {etag: `"1"`, vary: "Cookie", request: request, wantMatch: `"1"`},
		"varies with a cookie":        {etag: `"1"`, vary: "Cookie", request: request, header: http.Header{"Cookie": {"a=b"}}},
		"varies with everything":      {etag: `"1"`, vary: "Accept, *", request: request},
		"of an unknown request":       {etag: `"1"`, vary: "User-Agent"},
		"by somebody":                 {etag: `"1"`, header: http.Header{"Authorization": {"Basic x"}}},
	} {
		ctx := WithCondition(t.Context(), Condition{ETag: x.etag, LastModified: x.modified, Request: []byte(x.request),
			Header: http.Header{"Date": {date}, "Vary": {x.vary}}})
		ex, err := c.Do(ctx, server.URL+"/", x.header)
		if err != nil {
			t.Fatal(err)
		}
		if asked.Get("If-None-Match") != x.wantMatch || asked.Get("If-Modified-Since") != x.wantSince ||
			ex.NotModified() != (x.wantMatch+x.wantSince != "") {
			t.Errorf("%s: asked %q, %q, status %d", name, asked.Get("If-None-Match"), asked.Get("If-Modified-Since"), ex.Status)
		}
		_ = ex.Close()
	}
}

// An answer from an archive is read from memory or, if it is long, from a file.
func TestClientStored(t *testing.T) {
	dir := t.TempDir()
	c, err := New(Options{SpoolDir: dir, MaxMemory: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, body := range []string{"short", strings.Repeat("long ", 1000)} {
		ex, err := c.Stored("http://a.example/", strings.NewReader("HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"+body), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ex.Body(0); err != nil || string(got) != body || ex.Status != 200 || ex.MediaType() != "text/css" {
			t.Errorf("%d bytes of %d, %v", len(got), len(body), err)
		}
		if err := ex.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Stored("http://a.example/", strings.NewReader("no HTTP"), time.Time{}); err == nil {
		t.Error("what is no HTTP is read")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
