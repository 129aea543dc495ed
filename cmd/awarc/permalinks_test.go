package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/pack"
	"github.com/awarc/awarc/testsites"
)

// TestCitedPostsAreInPackedPermalinks: addresses of single posts that the pages of a site link to, and
// that the crawl rightly did not request, lead to the place that shows the post, in records that name
// awarc as their author.
func TestCitedPostsAreInPackedPermalinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cms, template, cited string }{
		{"phpbb", "prosilver", `/viewtopic\.php\?p=(\d+)$`},
		{"vbulletin", "3.8", `/showthread\.php\?p=(\d+)$`},
	} {
		site, err := testsites.New(c.cms, c.template, testsites.Options{Seed: 9, Posts: 40})
		if err != nil {
			t.Fatal(err)
		}
		dir, o := runCrawl(t, serve(t, site)+"/")
		o.want(t, exitDone)
		file := filepath.Join(t.TempDir(), "x.wacz")
		o = awarc(t, "", "pack", "--permalinks", "--format", "json", "-o", file, dir)
		o.want(t, exitDone)
		var result pack.Result
		if err := json.Unmarshal([]byte(o.out), &result); err != nil || result.Permalinks == 0 {
			t.Errorf("%s: %d permalinks, %v", c.cms, result.Permalinks, err)
			continue
		}
		if !strings.Contains(o.err, "replay lacks them") {
			t.Errorf("%s: pack does not say that styles are missing: %s", c.cms, o.err)
		}
		records := generatedRecords(t, file)
		cited := regexp.MustCompile(c.cited)
		posts := 0
		for address, block := range records {
			m := cited.FindStringSubmatch(address)
			if m == nil {
				continue
			}
			posts++
			leads := regexp.MustCompile(`url=http[^"]*#(p|post)` + m[1] + `"`).MatchString(block)
			if !leads || !strings.Contains(block, "awarc generated this page") {
				t.Errorf("%s leads elsewhere:\n%s", address, block)
			}
		}
		if posts == 0 {
			t.Errorf("%s: no post among %d permalinks", c.cms, len(records))
		}
	}
}

// TestCitedPostsReplay: a click on the address of one post leads to its place in our replay, and the
// address itself to the page that shows the post.
func TestCitedPostsReplay(t *testing.T) {
	t.Parallel()
	at := serve(t, board(t, 40))
	p := startCockpit(t)
	p.crawled("board", at+"/")
	cited := at + "/viewtopic.php?p=3"
	shown := p.fetched("/crawls/board/replay?url=" + url.QueryEscape(cited))
	frame := regexp.MustCompile(`src="?(http[^" >]*|/replay/[^" >]*)`).FindStringSubmatch(shown)
	if frame == nil || !strings.Contains(frame[1], "viewtopic.php%3Ft=") {
		t.Fatalf("the page that shows the post is not replayed: %v\n%s", frame, shown)
	}
	of := strings.TrimSuffix(html.UnescapeString(frame[1]), regexp.MustCompile(`[^/]*$`).FindString(html.UnescapeString(frame[1])))
	if strings.HasPrefix(of, "/") {
		of = p.base + of
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(of + url.PathEscape(cited))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if to := answer.Header.Get("Location"); answer.StatusCode != http.StatusFound || !strings.HasSuffix(to, "#p3") {
		t.Errorf("a click leads to %d %q", answer.StatusCode, to)
	}
}

// generatedRecords are the resource records of the permalinks in a WACZ file, by address.
func generatedRecords(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string]string{}
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "archive/awarc-permalinks-") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(unpacked)
		if err != nil {
			t.Fatal(err)
		}
		for part := range bytes.SplitSeq(data, []byte("WARC/1.1\r\n")) {
			head, block, _ := strings.Cut(string(part), "\r\n\r\n")
			if m := regexp.MustCompile(`WARC-Target-URI: (\S+)`).FindStringSubmatch(head); m != nil &&
				strings.Contains(head, "WARC-Type: resource") {
				all[strings.Trim(m[1], "<>")] = block
			}
		}
	}
	return all
}
