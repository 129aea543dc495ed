package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/reextract"
)

// page is a page of a site that several programs archive.
type page struct {
	url, mime string
	body      []byte
}

func (p page) digest() string {
	sum := sha1.Sum(p.body)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// message is the answer with a status line and further lines of its head.
func (p page) message(status string, lines ...string) []byte {
	head := append([]string{status, "Content-Type: " + p.mime}, lines...)
	return append([]byte(strings.Join(head, "\r\n")+"\r\n\r\n"), p.body...)
}

// pagesOf fetches the pages that a crawl archived.
func pagesOf(t *testing.T, dir string) (pages []page) {
	t.Helper()
	files, err := reextract.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = archive.Answers(archive.Reading{Files: files, Most: 1 << 20, Bad: func(b *archive.BadRecord) { t.Error(b) },
		Each: func(x *archive.Answer) error {
			if strings.Contains(x.URL, "%") {
				return nil // programs write escapes in the case that they like
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, x.URL, nil)
			if err != nil {
				return err
			}
			resp, err := http.DefaultTransport.RoundTrip(req) // which does not follow redirects
			if err != nil {
				return err
			}
			defer func() { _ = resp.Body.Close() }()
			if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			pages = append(pages, page{x.URL, resp.Header.Get("Content-Type"), body})
			return err
		}})
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	return pages
}

// writer makes the records of one program.
type writer struct {
	version, end string // of lines
	n            int
}

// record makes a record of type and URL with further fields.
func (w *writer) record(typ, url, contentType string, block []byte, fields ...string) []byte {
	w.n++
	head := []string{w.version, "WARC-Type: " + typ, fmt.Sprintf("WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>", w.n)}
	if url != "" {
		head = append(head, "WARC-Target-URI: "+url)
	}
	head = append(append(head, fields...), "Content-Type: "+contentType, fmt.Sprintf("Content-Length: %d", len(block)))
	all := strings.Join(head, w.end) + w.end + w.end
	return slices.Concat([]byte(all), block, []byte(w.end+w.end))
}

const (
	warcFields = "application/warc-fields"
	httpAnswer = "application/http; msgtype=response"
	atSecond   = "WARC-Date: 2026-11-20T10:00:00Z"
)

// gzipMembers compresses each record by itself.
func gzipMembers(records ...[]byte) []byte {
	var b bytes.Buffer
	for _, r := range records {
		z := gzip.NewWriter(&b)
		_, _ = z.Write(r) // a buffer does not fail
		_ = z.Close()
	}
	return b.Bytes()
}

// responses archives pages with one response record each.
func responses(version, end, date string, pages []page) (records [][]byte) {
	w := &writer{version: version, end: end}
	records = append(records, w.record("warcinfo", "", warcFields, []byte("software: x\r\n"), date))
	for _, p := range pages {
		records = append(records, w.record("response", p.url, httpAnswer, p.message("HTTP/1.1 200 OK"), date))
	}
	return records
}

// heritrix archives as Heritrix 3 does: requests, metadata and lookups beside responses, and files that
// are rotated. Each other page was archived twice, and its revisit is in the file before its original;
// one page was not modified later.
func heritrix(pages []page) map[string][]byte {
	w := &writer{version: "WARC/1.0", end: "\r\n"}
	first := [][]byte{w.record("warcinfo", "", warcFields, []byte("software: Heritrix/3.4.0\r\n"), atSecond),
		w.record("response", "dns:127.0.0.1", "text/dns", []byte("20261120100000\n127.0.0.1. 60 IN A 127.0.0.1\n"), atSecond)}
	second := [][]byte{w.record("warcinfo", "", warcFields, []byte("software: Heritrix/3.4.0\r\n"), atSecond)}
	const profile = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
	for i, p := range pages {
		refers := []string{"WARC-Date: 2026-11-20T11:00:00Z", "WARC-Refers-To-Target-URI: " + p.url,
			"WARC-Refers-To-Date: 2026-11-20T10:00:00Z", "WARC-Payload-Digest: " + p.digest()}
		if i%2 == 0 {
			block := page{mime: p.mime}.message("HTTP/1.1 200 OK")
			first = append(first, w.record("revisit", p.url, httpAnswer, block, append(refers, profile+"identical-payload-digest",
				"WARC-Truncated: length")...))
		}
		if i == 1 {
			first = append(first, w.record("revisit", p.url, httpAnswer, []byte("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n"),
				append(refers[:3:3], profile+"server-not-modified", "WARC-Etag: \"1\"")...))
		}
		id := fmt.Sprintf("WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-%012d>", w.n+1)
		second = append(second, w.record("response", p.url, httpAnswer, p.message("HTTP/1.1 200 OK"), atSecond,
			"WARC-Payload-Digest: "+p.digest(), "WARC-IP-Address: 127.0.0.1"),
			w.record("request", p.url, "application/http; msgtype=request", []byte("GET / HTTP/1.0\r\nHost: h\r\n\r\n"), atSecond, id),
			w.record("metadata", p.url, warcFields, []byte("fetchTimeMs: 3\r\ncharsetForLinkExtraction: UTF-8\r\n"), atSecond, id))
	}
	return map[string][]byte{"WEB-20261120100000-00000.warc.gz": gzipMembers(first...),
		"WEB-20261120110000-00001.warc.gz": gzipMembers(second...)}
}

// browsertrix archives as Browsertrix does: what came by HTTP/2 and compressed is stored decoded below
// a head of HTTP/1.1, and with each page there are records of its text and pictures, all in a WACZ file.
func browsertrix(t *testing.T, pages []page) map[string][]byte {
	t.Helper()
	w := &writer{version: "WARC/1.1", end: "\r\n"}
	date := "WARC-Date: 2026-11-20T10:00:00.123Z"
	info := "software: Browsertrix-Crawler 1.5.0\r\nformat: WARC File Format 1.1\r\n"
	records := [][]byte{w.record("warcinfo", "", warcFields, []byte(info), date)}
	for i, p := range pages {
		kept := []string{"x-orig-content-encoding: br", "x-orig-transfer-encoding: chunked", fmt.Sprintf("content-length: %d", len(p.body))}
		if i%2 == 0 { // an earlier version
			kept = []string{"content-encoding: br", "transfer-encoding: chunked", "x-orig-content-length: 7"}
		}
		records = append(records, w.record("response", p.url, httpAnswer, p.message("HTTP/1.1 200", kept...), date, "WARC-Protocol: h2",
			"WARC-Page-ID: 0b9ea4f8-0000-4000-8000-000000000000", `WARC-JSON-Metadata: {"ipType":"Public","cert":{"issuer":"x"}}`,
			"WARC-Payload-Digest: "+p.digest()),
			w.record("request", p.url, "application/http; msgtype=request", []byte("GET / HTTP/1.1\r\nhost: h\r\n\r\n"), date),
			w.record("resource", "urn:pageinfo:"+p.url, "application/json", []byte(`{"urls":{}}`), date),
			w.record("resource", "urn:text:"+p.url, "text/plain", []byte("text"), date),
			w.record("resource", "urn:thumbnail:"+p.url, "image/jpeg", []byte("\xff\xd8"), date),
			w.record("resource", "urn:view:"+p.url, "image/png", []byte("\x89PNG"), date))
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.CreateHeader(&zip.FileHeader{Name: "archive/rec-0.warc.gz", Method: zip.Store})
	if err == nil {
		_, err = f.Write(gzipMembers(records...))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"crawl.wacz": b.Bytes()}
}

// resources archives pages as files, at addresses that to makes of theirs.
func resources(pages []page, to func(url string) string) map[string][]byte {
	w := &writer{version: "WARC/1.0", end: "\r\n"}
	records := [][]byte{w.record("warcinfo", "", warcFields, []byte("software: warcit 0.4.0\r\n"), atSecond)}
	for _, p := range pages {
		records = append(records, w.record("resource", to(p.url), p.mime, p.body, atSecond, "WARC-Creation-Date: 2026-11-27T10:00:00Z",
			"WARC-Payload-Digest: "+p.digest(), "WARC-Block-Digest: "+p.digest()))
	}
	return map[string][]byte{"pages.warc.gz": gzipMembers(records...)}
}

// archivedAs are the conventions of programs and versions that were written by hand after their documentation.
func archivedAs(t *testing.T, pages []page) map[string]map[string][]byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	one := bytes.Join(responses("WARC/1.0", "\r\n", atSecond, pages), nil)
	return map[string]map[string][]byte{
		"WARC/0.18 with LF": {"a.warc": bytes.Join(responses("WARC/0.18", "\n", atSecond, pages), nil)},
		"WARC/1.0":          {"a.warc": one},
		"WARC/1.1": {"a.warc.gz": gzipMembers(responses("WARC/1.1", "\r\n", "WARC-Date: 2026-11-20T10:00:00.123456Z",
			pages)...)},
		"one member":  {"a.warc.gz": gzipMembers(one)},
		"zstd":        {"a.warc.zst": encoder.EncodeAll(one, nil)},
		"Heritrix":    heritrix(pages),
		"Browsertrix": browsertrix(t, pages),
		"warcit":      resources(pages, func(url string) string { return url }),
	}
}

// archivedBy archives pages with a program of others into a folder.
func archivedBy(t *testing.T, pages []page) map[string]string {
	t.Helper()
	folders := map[string]string{}
	run := func(dir, program string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v: %s", program, args, err, out)
		}
	}
	var list strings.Builder
	for _, p := range pages {
		fmt.Fprintln(&list, p.url)
	}
	urls := filepath.Join(t.TempDir(), "urls")
	if err := os.WriteFile(urls, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("wget"); err != nil {
		t.Log("wget is not installed, see testdata/e2e/tools.sh")
	} else {
		fetch := []string{"-q", "-i", urls, "-O", "/dev/null", "-e", "robots=off"}
		for what, flags := range map[string][]string{"wget": {"--warc-file=a", "--warc-cdx"},
			"wget without compression": {"--warc-file=a", "--no-warc-compression"},
			"wget in several files":    {"--warc-file=a", "--warc-max-size=20k"},
			"wget without digests":     {"--warc-file=a", "--no-warc-digests"}} {
			folders[what] = t.TempDir()
			run(folders[what], "wget", slices.Concat(fetch, flags)...)
		}
		folders["wget with revisits"] = t.TempDir()
		run(folders["wget with revisits"], "wget", slices.Concat(fetch, []string{"--warc-file=z", "--warc-cdx"})...)
		run(folders["wget with revisits"], "wget", slices.Concat(fetch, []string{"--warc-file=a", "--warc-dedup=z.cdx"})...)
	}
	python, err := filepath.Abs("../../.cache/tools/pywb/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		t.Log("warcio is not installed, see testdata/e2e/tools.sh")
		return folders
	}
	const capture = `import sys
from warcio.capture_http import capture_http
import requests
with capture_http(sys.argv[1], warc_version=sys.argv[2]):
    for url in open(sys.argv[3]).read().split():
        requests.get(url)
`
	for what, version := range map[string]string{"warcio 1.0": "WARC/1.0", "warcio 1.1": "WARC/1.1"} {
		folders[what] = t.TempDir()
		run(folders[what], python, "-c", capture, "a.warc.gz", version, urls)
	}
	folders["warcio recompress"] = t.TempDir()
	plain := filepath.Join(t.TempDir(), "plain.warc.gz")
	if err := os.WriteFile(plain, gzipMembers(bytes.Join(responses("WARC/1.0", "\r\n", atSecond, pages), nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	run(folders["warcio recompress"], filepath.Join(filepath.Dir(python), "warcio"), "recompress", plain, "a.warc.gz")
	return folders
}

// The same pages give the same statements, whoever archived them and however: by extract, by verify
// without damage, after recover, which leaves the files as they are, and as the archive that revisits
// refer to.
func TestArchivesOfOtherProgramsSayTheSame(t *testing.T) {
	t.Parallel()
	dir, o := runCrawl(t, serve(t, blog(t, 20))+"/")
	o.want(t, exitDone)
	pages := pagesOf(t, dir)
	folders := archivedBy(t, pages)
	live := maps.Clone(folders)
	for what, files := range archivedAs(t, pages) {
		folders[what] = t.TempDir()
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(folders[what], name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	says := statedIn(t, extractAgain(t, exitDone, folders["WARC/1.1"], "--out", filepath.Join(t.TempDir(), "graph")).Graph)
	same := func(what string, x archiveJSON) {
		t.Helper()
		if have := statedIn(t, x.Graph); len(says) < 50 || !slices.Equal(have, says) {
			t.Errorf("%s: %d statements, want the same %d; the first that differs: %s; %+v", what, len(have), len(says),
				firstDifference(have, says), x.Result)
		}
	}
	revisits, bare := revisitsOf(t, pages, true), revisitsOf(t, pages, false)
	for what, folder := range folders {
		out := func(name string) string { return filepath.Join(t.TempDir(), name) }
		same(what, extractAgain(t, exitDone, folder, "--out", out("graph")))
		awarc(t, "", "warc", "verify", folder).want(t, exitDone)
		from := revisits
		if live[what] != "" {
			from = bare // its pages may differ in a byte, as sites count visits
		}
		x := extractAgain(t, exitDone, from, "--previous", folder, "--out", out("graph"))
		same("revisits of "+what, x)
		files, err := archive.Below(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, ".wacz") {
				continue
			}
			if o := awarc(t, "", "warc", "recover", name); o.status != exitDone || !strings.Contains(o.out, ": intact, ") {
				t.Errorf("%s: recover says %s%s", what, o.out, o.err)
			}
		}
	}
}

// A crawl does not archive again what GNU wget has by its index.
func TestDedupeByTheIndexOfWget(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("wget"); err != nil {
		t.Skip("skipped: wget is not installed, see testdata/e2e/tools.sh")
	}
	site := serve(t, tagged(blog(t, 10))) + "/" // without chunks, which wget takes for part of a payload
	theirs := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "wget", "-q", "-r", "-l", "9", "--delete-after", "-e", "robots=off", "--warc-file=a",
		"--warc-cdx", site)
	cmd.Dir = theirs
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 8 { // wget's for a status of 404
		t.Fatalf("%v: %s", err, out)
	}
	dir, o := runCrawl(t, "--dedupe", filepath.Join(theirs, "a.cdx"), site)
	o.want(t, exitDone)
	r := readReport(t, dir)
	if r.Elsewhere < r.Pages/2 {
		t.Errorf("%d of %d pages refer to the archive of wget", r.Elsewhere, r.Pages)
	}
	x := extractAgain(t, exitDone, dir, "--previous", theirs, "--out", filepath.Join(dir, "again"))
	if x.Objects["sioct:BlogPost"] != int(r.Objects["sioct:BlogPost"]) || x.Pages != int(r.Pages) {
		t.Errorf("%+v, want %v of %d pages", x.Result, r.Objects, r.Pages)
	}
}

// revisitsOf archives pages as revisits alone, as another crawl a day later, which may name their payloads.
func revisitsOf(t *testing.T, pages []page, digests bool) string {
	t.Helper()
	w := &writer{version: "WARC/1.1", end: "\r\n", n: 1 << 20}
	var records [][]byte
	for _, p := range pages {
		fields := []string{"WARC-Date: 2026-11-28T10:00:00Z", "WARC-Refers-To-Target-URI: " + p.url,
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"}
		if digests {
			fields = append(fields, "WARC-Payload-Digest: "+p.digest())
		}
		records = append(records, w.record("revisit", p.url, httpAnswer, page{mime: p.mime}.message("HTTP/1.1 200 OK"), fields...))
	}
	name := filepath.Join(t.TempDir(), "revisits.warc.gz")
	if err := os.WriteFile(name, gzipMembers(records...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Pages that were files give as many objects, at addresses of files.
func TestFilesInAnArchive(t *testing.T) {
	site := serve(t, blog(t, 20))
	dir, o := runCrawl(t, site+"/")
	o.want(t, exitDone)
	pages := pagesOf(t, dir)
	folder := t.TempDir()
	for name, data := range resources(pages, func(url string) string { return "file:///home/site" + strings.TrimPrefix(url, site) }) {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	posts := 0
	for _, p := range pages {
		if strings.Contains(string(p.body), "single-post") {
			posts++
		}
	}
	x := extractAgain(t, exitDone, folder, "--out", filepath.Join(t.TempDir(), "graph"))
	if x.Objects["sioct:BlogPost"] == 0 || x.Objects["sioct:BlogPost"] < posts || x.Pages != len(pages) {
		t.Errorf("%v of %d pages, want %d posts of %d pages", x.Objects, x.Pages, posts, len(pages))
	}
	if all := strings.Join(statedIn(t, x.Graph), "\n"); !strings.Contains(all, "<file:///home/site/") {
		t.Errorf("no statement about a file in %d bytes", len(all))
	}
}
