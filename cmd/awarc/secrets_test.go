package main

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The password of a proxy is sent, in the session that was given it and in later ones, and is in no file but the one for the owner.
func TestProxyWithAPassword(t *testing.T) {
	t.Parallel()
	proxy := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "Basic bWU6czNjcmV0" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>through</title><a href="/a">a</a><a href="/b">b</a>`)
	}))
	through := strings.Replace(proxy, "http://", "http://me:s3cret@", 1)
	dir, o := runCrawl(t, "--limit", "1", "--proxy", through, "http://site.invalid/")
	o.want(t, exitLimit)
	again := awarc(t, "", "resume", "--limit", "0", dir)
	again.want(t, exitDone)
	if r := readReport(t, dir); r.Pages < 3 {
		t.Errorf("%d pages\n%s", r.Pages, again.err)
	}
	dry := awarc(t, "", "crawl", "--dry-run", "--format", "json", "--proxy", through, "http://site.invalid/")
	bad := awarc(t, "", "crawl", "--dry-run", "--proxy", "ftp://me:s3cret@host", "http://site.invalid/")
	seed := awarc(t, "", "crawl", "--dry-run", "ftp://me:s3cret@host/", "http://me:s3cret@ho st/%zz")
	text := warcText(t, dir) + o.out + o.err + again.out + again.err + dry.out + dry.err + bad.out + bad.err + seed.out + seed.err
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "state/logins.json") {
			return err
		}
		data, err := os.ReadFile(name)
		text += string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{"s3cret", "bWU6czNjcmV0"} {
		if i := strings.Index(text, leak); i >= 0 {
			t.Errorf("%q is told: %q", leak, text[max(0, i-60):min(len(text), i+60)])
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "state/logins.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of passwords: %v, %v", info, err)
	}
}
