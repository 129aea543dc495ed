package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The password of a seed opens its site, in the session that was given it and in later ones, and is in no file but the one that keeps it.
func TestSeedWithAPassword(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="members"`)
			http.Error(w, "members only", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<html><title>inside</title><a href="/a">a</a><a href="/b">b</a>`)
	}))
	seed := strings.Replace(base, "http://", "http://me:s3cret@", 1) + "/"
	dir, o := runCrawl(t, "--limit", "1", seed)
	o.want(t, exitLimit)
	again := awarc(t, "", "resume", "--limit", "0", dir)
	again.want(t, exitDone)
	if r := readReport(t, dir); r.Pages < 3 || !slices.Equal(r.Seeds, []string{base + "/"}) {
		t.Errorf("%d pages of the seeds %v", r.Pages, r.Seeds)
	}
	text := warcText(t, dir) + o.out + o.err + again.out + again.err
	if !strings.Contains(text, "awarc-authorization: Basic") {
		t.Error("no record says that a password was sent")
	}
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
	for _, leak := range []string{"s3cret", "bWU6czNjcmV0", "me@"} {
		if i := strings.Index(text, leak); i >= 0 {
			t.Errorf("%q is told: %q", leak, text[max(0, i-60):min(len(text), i+60)])
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "state/logins.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of passwords: %v, %v", info, err)
	}
	dry := awarc(t, "", "crawl", "--dry-run", seed)
	dry.want(t, exitDone)
	if strings.Contains(dry.out+dry.err, "s3cret") {
		t.Error("a dry run tells the password")
	}
}
