package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/pack"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
)

// openPacked reads a WACZ file, and holds each of its files to the size and digest that are said of it.
func openPacked(t *testing.T, name string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if strings.HasSuffix(f.Name, ".gz") != (f.Method == zip.Store) && f.Name != "indexes/index.idx" {
			t.Errorf("%s is packed by method %d", f.Name, f.Method)
		}
		files[f.Name] = data
	}
	digest := func(name string) string {
		sum := sha256.Sum256(files[name])
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	var about struct {
		Version   string `json:"wacz_version"`
		Resources []struct {
			Path, Hash string
			Bytes      int
		}
	}
	if err := json.Unmarshal(files["datapackage.json"], &about); err != nil || about.Version != "1.1.1" {
		t.Fatalf("datapackage.json: %v, version %q", err, about.Version)
	}
	if len(about.Resources) != len(files)-2 {
		t.Errorf("%d resources of %d files", len(about.Resources), len(files))
	}
	for _, r := range about.Resources {
		if r.Hash != digest(r.Path) || r.Bytes != len(files[r.Path]) {
			t.Errorf("%s has %d bytes and is %s; it is said to have %d and to be %s", r.Path, len(files[r.Path]), digest(r.Path), r.Bytes,
				r.Hash)
		}
	}
	if !bytes.Contains(files["datapackage-digest.json"], []byte(digest("datapackage.json"))) {
		t.Error("the digest of datapackage.json is wrong")
	}
	return files
}

type packedPage struct {
	URL, Title, Text, Type string
	Time                   time.Time `json:"ts"`
	Seed                   bool
}

func packedPages(t *testing.T, list []byte) (pages []packedPage) {
	t.Helper()
	for i, line := range bytes.Split(bytes.TrimSpace(list), []byte("\n")) {
		var p packedPage
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if i > 0 { // the first is a heading
			pages = append(pages, p)
		}
	}
	return pages
}

func TestACrawlIsPacked(t *testing.T) {
	t.Parallel()
	blog, err := testsites.New("wordpress", "twentyten", testsites.Options{Seed: 3, Posts: 40})
	if err != nil {
		t.Fatal(err)
	}
	dir, o := runCrawl(t, serve(t, board(t, 40))+"/", serve(t, blog)+"/")
	o.want(t, exitDone)
	file := filepath.Join(t.TempDir(), "x.wacz")
	o = awarc(t, "", "pack", dir, "-o", file, "--format", "json")
	o.want(t, exitDone)
	var result pack.Result
	if err := json.Unmarshal([]byte(o.out), &result); err != nil {
		t.Fatal(err)
	}
	files := openPacked(t, file)
	report := readReport(t, dir)
	pages := packedPages(t, files["pages/pages.jsonl"])
	if result.Pages != len(pages) || len(pages) != int(report.Pages) || files["pages/extraPages.jsonl"] != nil {
		t.Errorf("%+v: %d pages, the crawl has %d", result, len(pages), report.Pages)
	}
	for _, p := range pages {
		if p.Title == "" || p.Text == "" || p.Type == "" || p.Time.IsZero() {
			t.Errorf("%s has title %q, type %q, time %v and %d bytes of text", p.URL, p.Title, p.Type, p.Time, len(p.Text))
		}
	}
	for _, name := range []string{"kb/phpbb.xml", "logs/crawl.jsonl", "logs/report.jsonl"} {
		if len(files[name]) == 0 {
			t.Errorf("%s is missing", name)
		}
	}
	for _, folder := range []string{"archive", "graph"} {
		found, _ := filepath.Glob(filepath.Join(dir, folder, "*.gz"))
		for _, f := range found {
			if want, err := os.ReadFile(f); err != nil || !bytes.Equal(files[folder+"/"+filepath.Base(f)], want) {
				t.Errorf("%s is not in it as it is (%v)", f, err)
			}
		}
	}
	comparePackedIndex(t, files, filepath.Join(dir, "archive", "index.cdxj"))

	folder := t.TempDir()
	again := filepath.Join(folder, filepath.Base(dir)+".wacz")
	awarc(t, "", "pack", dir, "-o", folder).want(t, exitDone)
	first, _ := os.ReadFile(file)
	second, _ := os.ReadFile(again)
	if !bytes.Equal(first, second) {
		t.Error("the same crawl gives other bytes")
	}
	awarc(t, "", "pack", filepath.Join(dir, "log")).want(t, exitUsage, "holds no crawl")
	if err := os.WriteFile(filepath.Join(dir, "archive", "y.warc.gz.open"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "pack", dir, "-o", again).want(t, exitFailed, "is not finished")
	if kept, _ := os.ReadFile(again); !bytes.Equal(kept, first) {
		t.Error("the file that was there is not there any more")
	}
}

// TestSeedsAreThePagesOfALargeCrawl: its other pages are extra pages; where a seed redirects counts as the seed, and a viewer begins there.
func TestSeedsAreThePagesOfALargeCrawl(t *testing.T) {
	t.Parallel()
	site := http.NewServeMux()
	site.Handle("/{$}", http.RedirectHandler("/start?now", http.StatusFound))
	for _, path := range []string{"/start", "/a", "/b"} {
		site.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `<title>%s</title><a href="/a">a</a> <a href="/b">b</a>`, path)
		})
	}
	root := serve(t, site)
	dir, o := runCrawl(t, root+"/")
	o.want(t, exitDone)
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.wacz")
	if _, err := pack.Run(t.Context(), pack.Options{Dirs: []string{dir}, File: file, Seeds: []string{root + "/"}, Split: true,
		Detector: detect.New(base)}); err != nil {
		t.Fatal(err)
	}
	files := openPacked(t, file)
	pages, extra := packedPages(t, files["pages/pages.jsonl"]), packedPages(t, files["pages/extraPages.jsonl"])
	if len(pages) != 1 || pages[0].URL != root+"/start?now" || !pages[0].Seed || len(extra) != 2 || extra[0].Seed {
		t.Errorf("pages %+v, extra pages %+v", pages, extra)
	}
	ctx, cancel := context.WithCancel(t.Context())
	empty := t.TempDir()
	if _, err := pack.Run(ctx, pack.Options{Dirs: []string{dir}, File: filepath.Join(empty, "x.wacz"), Detector: detect.New(base),
		Progress: func(what, _ string, _ int64) {
			if what == "listing pages" {
				cancel()
			}
		}}); err == nil {
		t.Error("broken off, it gives no error")
	}
	if left, _ := filepath.Glob(filepath.Join(empty, "*")); len(left) > 0 {
		t.Errorf("broken off, it leaves %v", left)
	}
	var about struct{ MainPageURL, MainPageDate string }
	if err := json.Unmarshal(files["datapackage.json"], &about); err != nil || about.MainPageURL != root+"/start?now" ||
		about.MainPageDate == "" {
		t.Errorf("%v, begins at %+v", err, about)
	}
}

// TestARecrawlIsPackedWhole: what its revisits refer to in the earlier crawl is packed, too; where that is gone, it is said.
func TestARecrawlIsPackedWhole(t *testing.T) {
	t.Parallel()
	base := serve(t, tagged(blog(t, 30)))
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	second, o := runCrawl(t, "--previous", first, base+"/")
	o.want(t, exitDone)
	packed := func(status int, args ...string) (result pack.Result, o outcome, files map[string][]byte) {
		file := filepath.Join(t.TempDir(), "x.wacz")
		o = awarc(t, "", append([]string{"pack", second, "-o", file, "--format", "json"}, args...)...)
		o.want(t, status)
		if err := json.Unmarshal([]byte(o.out), &result); err != nil {
			t.Fatal(err)
		}
		return result, o, openPacked(t, file)
	}
	whole := func(args ...string) {
		t.Helper()
		result, _, files := packed(exitDone, args...)
		if result.Originals == 0 || result.Elsewhere != 0 || result.Pages != int(readReport(t, second).Pages) ||
			result.WithText != result.Pages || len(files["archive/originals.warc.gz"]) == 0 {
			t.Errorf("%+v", result)
		}
		z, err := gzip.NewReader(bytes.NewReader(files["indexes/index.cdx.gz"]))
		if err != nil {
			t.Fatal(err)
		}
		index, err := io.ReadAll(z)
		if n := bytes.Count(index, []byte(`"filename":"originals.warc.gz"`)); err != nil || n != result.Originals {
			t.Errorf("%v: %d of %d originals are in the index", err, n, result.Originals)
		}
	}
	whole()
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(first, moved); err != nil {
		t.Fatal(err)
	}
	result, o, _ := packed(exitWithFaults)
	if result.Originals != 0 || result.Elsewhere == 0 || !strings.Contains(o.err, "name its folder with --previous") {
		t.Errorf("%+v, and it says %s", result, o.err)
	}
	whole("--previous", moved)
}

// comparePackedIndex reads the index by its blocks: at each place that the index of the index names is what it says.
func comparePackedIndex(t *testing.T, files map[string][]byte, index string) {
	t.Helper()
	want, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	lines := bufio.NewScanner(bytes.NewReader(files["indexes/index.idx"]))
	for n := 0; lines.Scan(); n++ {
		key, data, _ := strings.Cut(lines.Text(), " {")
		if n == 0 {
			continue // what the file is
		}
		var at struct{ Offset, Length int }
		if err := json.Unmarshal([]byte("{"+data), &at); err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(files["indexes/index.cdx.gz"][at.Offset : at.Offset+at.Length]))
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(z)
		if err != nil || !bytes.HasPrefix(block, []byte(key+" {")) {
			t.Errorf("the block of %q begins with %.60q (%v)", key, block, err)
		}
		all = append(all, block...)
	}
	if !bytes.Equal(all, want) {
		t.Errorf("the index has %d bytes, want the %d of %s", len(all), len(want), index)
	}
}
