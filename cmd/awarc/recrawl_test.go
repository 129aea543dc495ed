package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/testsites"
)

// tagged serves a site with entity tags, as a cache in front of it does, and answers conditions.
func tagged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		if rec.Code != http.StatusOK {
			w.WriteHeader(rec.Code)
			_, _ = w.Write(rec.Body.Bytes())
			return
		}
		w.Header().Set("Vary", "Accept-Encoding")
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(rec.Body.Bytes())))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(rec.Body.Bytes()))
	})
}

// blog is a WordPress of so many posts.
func blog(t *testing.T, posts int) *testsites.Site {
	t.Helper()
	site, err := testsites.New("wordpress", "twentytwentyone", testsites.Options{Seed: 5, Posts: posts})
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// stated is what the pages of a crawl say, each once, whatever the captures are called.
func stated(t *testing.T, dir string) []string {
	t.Helper()
	return statedIn(t, filepath.Join(dir, "graph"))
}

// statedIn is stated of the folder of a graph.
func statedIn(t *testing.T, graph string) []string {
	t.Helper()
	var all []string
	files, _ := filepath.Glob(filepath.Join(graph, "*.nq.gz"))
	for _, file := range files {
		for _, line := range readLines(t, file) {
			said, of, found := strings.Cut(line, " <urn:uuid:")
			if found && strings.HasSuffix(of, "> .") && !strings.HasPrefix(line, "<urn:uuid:") {
				all = append(all, said)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sameObjects compares what two crawls found.
func sameObjects(t *testing.T, first, second string) {
	t.Helper()
	a, b := stated(t, first), stated(t, second)
	if len(a) < 50 || !slices.Equal(a, b) {
		t.Errorf("the first crawl states %d things, the second %d", len(a), len(b))
	}
	if x, y := readReport(t, first), readReport(t, second); fmt.Sprint(x.Objects, x.Levels, x.Pages, x.Links) !=
		fmt.Sprint(y.Objects, y.Levels, y.Pages, y.Links) {
		t.Errorf("the report of the first crawl has\n%v %v %d %+v, of the second\n%v %v %d %+v", x.Objects, x.Levels, x.Pages, x.Links,
			y.Objects, y.Levels, y.Pages, y.Links)
	}
}

// A recrawl of a site that answers conditions archives nothing twice, goes through all of it, and so do those that follow.
func TestRecrawlOfWhatIsNotModified(t *testing.T) {
	t.Parallel()
	base := serve(t, tagged(blog(t, 30)))
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	whole := readReport(t, first)
	previous := first
	for range 2 {
		dir, o := runCrawl(t, "--previous", previous, base+"/")
		if o.want(t, exitDone); !strings.Contains(o.out, "with the payload in other archives") {
			t.Errorf("the summary does not say that replay needs another archive:\n%s", o.out)
		}
		checkArchive(t, dir)
		sameObjects(t, first, dir)
		r := readReport(t, dir)
		if r.Statuses["304"] < r.Pages || r.Elsewhere < r.Pages || r.Revisits < r.Elsewhere || r.Requests != whole.Requests {
			t.Errorf("of %d pages %d are not modified; %d revisits, %d elsewhere", r.Pages, r.Statuses["304"], r.Revisits, r.Elsewhere)
		}
		if 3*r.BytesIn > whole.BytesIn || r.WARCBytes > whole.WARCBytes {
			t.Errorf("the recrawl received %d bytes and wrote %d, the first crawl %d and %d", r.BytesIn, r.WARCBytes, whole.BytesIn,
				whole.WARCBytes)
		}
		previous = dir
	}
}

// A server that says nothing of modification answers whole pages, which are revisits of the earlier crawl as long as they are equal.
func TestRecrawlOfEqualPages(t *testing.T) {
	t.Parallel()
	site := blog(t, 20)
	var changed sync.Map
	base := serve(t, rewritten(site, func(page []byte) []byte {
		if text, ok := changed.Load("text"); ok && bytes.Contains(page, []byte("<h1")) && len(page)%7 == 0 {
			return append(page, text.(string)...)
		}
		return page
	}))
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	whole := readReport(t, first)
	dir, o := runCrawl(t, "--previous", first, base+"/")
	o.want(t, exitDone)
	checkArchive(t, dir)
	sameObjects(t, first, dir)
	equal := readReport(t, dir)
	if r := equal; r.Elsewhere < whole.Pages || 2*r.WARCBytes > whole.WARCBytes || len(r.Statuses) != len(whole.Statuses) {
		t.Errorf("%d of %d pages are revisits of the earlier crawl, %d bytes of WARC after %d", r.Elsewhere, r.Pages, r.WARCBytes,
			whole.WARCBytes)
	}
	changed.Store("text", "<p>Changed.")
	third, o := runCrawl(t, "--previous", dir, base+"/")
	o.want(t, exitDone)
	r := readReport(t, third)
	if r.Elsewhere == 0 || r.Elsewhere >= equal.Elsewhere {
		t.Errorf("after a change %d records refer to the earlier crawl's earlier crawl", r.Elsewhere)
	}
	whole2, o := runCrawl(t, "--no-dedupe", "--previous", dir, base+"/")
	o.want(t, exitDone)
	if r := readReport(t, whole2); r.Revisits != 0 {
		t.Errorf("%d revisits that nobody wants", r.Revisits)
	}
	// An index without its archive is enough to know what was archived.
	index := filepath.Join(t.TempDir(), "index.cdxj")
	data, err := os.ReadFile(filepath.Join(first, "archive", "index.cdxj"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, data, 0o644); err != nil {
		t.Fatal(err)
	}
	changed.Delete("text")
	fourth, o := runCrawl(t, "--dedupe", index, base+"/")
	o.want(t, exitDone)
	if r := readReport(t, fourth); r.Elsewhere < whole.Pages {
		t.Errorf("%d of %d pages are revisits of an index", r.Elsewhere, r.Pages)
	}
}

// A recrawl that is killed again and again goes on with what the earlier crawl has, and ends whole.
func TestKilledRecrawl(t *testing.T) {
	t.Parallel()
	site := tagged(blog(t, 40))
	requests := make(chan string, 100_000)
	g := newGate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r.URL.Path
		site.ServeHTTP(w, r)
	}), -1)
	base := serve(t, g)
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	all := len(requests)
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--warc-size", "12K", "--out", dir, "--previous", first, base + "/"}
	for range 4 {
		if !g.kill(t, all/6, args...) {
			t.Fatal("the crawl ended before it was killed")
		}
		args = []string{"resume", dir}
	}
	if out, err := command(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("the last resume: %v\n%s", err, out)
	}
	checkArchive(t, dir)
	sameObjects(t, first, dir)
	if r := readReport(t, dir); r.Elsewhere < r.Pages || r.Outcomes == nil || r.Outcomes.Lost > 0 {
		t.Errorf("%d of %d pages refer to the earlier crawl, outcomes %+v", r.Elsewhere, r.Pages, r.Outcomes)
	}
}

// Where a body of the earlier crawl is damaged or gone the page is fetched and archived whole, and that is said.
func TestRecrawlOfADamagedCrawl(t *testing.T) {
	t.Parallel()
	base := serve(t, tagged(blog(t, 10)))
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	files, _ := filepath.Glob(filepath.Join(first, "archive", "*.warc.gz"))
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	copy(data[len(data)/2:], make([]byte, len(data)/4))
	if err := os.WriteFile(files[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	dir, o := runCrawl(t, "--previous", first, base+"/")
	o.want(t, exitDone, "", "a record of the earlier crawl is unreadable")
	checkArchive(t, dir)
	sameObjects(t, first, dir)
	r := readReport(t, dir)
	if n := r.Statuses["304"]; n == 0 || n >= r.Pages {
		t.Errorf("%d of %d pages are not modified", n, r.Pages)
	}
	a, err := archive.Open(dir, archive.Options{Earlier: []string{first}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, e := range readLog(t, dir) {
		if e.Status != http.StatusOK && e.Status != http.StatusNotModified {
			continue
		}
		block, _, err := a.Response(e.File, e.Offset, 1<<20)
		if err != nil {
			t.Fatalf("%s: %v", e.URL, err)
		}
		ex, err := fetch.Stored(e.URL, block, e.Time)
		if err != nil || ex.Status != http.StatusOK {
			t.Errorf("%s: what is read of it has status %d, %v", e.URL, ex.Status, err)
		}
	}
	if _, o := runCrawl(t, "--previous", t.TempDir(), base+"/"); o.status != exitUsage {
		t.Errorf("a folder that is no crawl is taken for an earlier one: %+v", o)
	}
}

// Nobody asks for what is not modified under a cookie: another may have been shown another page.
func TestNoConditionsWithCookies(t *testing.T) {
	t.Parallel()
	base := serve(t, tagged(blog(t, 5)))
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	cookies := filepath.Join(t.TempDir(), "cookies.txt")
	if err := os.WriteFile(cookies, []byte("# Netscape HTTP Cookie File\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, o := runCrawl(t, "--previous", first, "--cookies", cookies, base+"/")
	o.want(t, exitDone)
	sameObjects(t, first, dir)
	if r := readReport(t, dir); r.Statuses["304"] != 0 || r.Elsewhere < r.Pages {
		t.Errorf("statuses %v, %d records refer to the earlier crawl", r.Statuses, r.Elsewhere)
	}
}

// What a recrawl refers to is found when its archive is read again, where it was or is now; without it the records are named.
func TestReadingARecrawlAgain(t *testing.T) {
	t.Parallel()
	base := serve(t, tagged(blog(t, 20)))
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	second, o := runCrawl(t, "--previous", first, base+"/")
	o.want(t, exitDone)
	third, o := runCrawl(t, "--previous", second, base+"/")
	o.want(t, exitDone)
	whole := readReport(t, third)
	again := func(name string, status int, args ...string) archiveJSON {
		t.Helper()
		return extractAgain(t, status, append([]string{third, "--out", filepath.Join(third, name)}, args...)...)
	}
	if x := again("again", exitDone); x.Pages != int(whole.Pages) || x.Skipped != 0 {
		t.Errorf("%d of %d pages are read again, %d skipped", x.Pages, whole.Pages, x.Skipped)
	}
	if want, have := sortedQuads(t, third, "graph"), sortedQuads(t, third, "again"); !slices.Equal(have, want) {
		t.Errorf("%d statements, want the same %d; the first that differs: %s", len(have), len(want), firstDifference(have, want))
	}
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(first, moved); err != nil {
		t.Fatal(err)
	}
	if x := again("without", exitWithFaults); x.Pages >= int(whole.Pages) || x.Skipped < int(whole.Elsewhere) {
		t.Errorf("without the first crawl %d pages are read, %d records skipped", x.Pages, x.Skipped)
	}
	awarc(t, "", "extract", "--crawl", third, "--out", filepath.Join(third, "more")).want(t, exitWithFaults,
		"of another archive: name that with --previous")
	if x := again("moved", exitDone, "--previous", moved); x.Pages != int(whole.Pages) {
		t.Errorf("%d of %d pages are read with the first crawl elsewhere", x.Pages, whole.Pages)
	}
	awarc(t, "", "extract", "--crawl", third, "--previous", first).want(t, exitUsage, "--previous")

	// The next crawl says that the first is not where it was, and finds it where it is named.
	fourth, o := runCrawl(t, "--previous", third, base+"/")
	if o.want(t, exitDone, first+", to which the earlier crawl refers, is missing"); readReport(t, fourth).Elsewhere >= whole.Elsewhere {
		t.Errorf("%d records refer to archives that are gone", readReport(t, fourth).Elsewhere)
	}
	fifth, o := runCrawl(t, "--previous", third, "--dedupe", moved, base+"/")
	if o.want(t, exitDone); readReport(t, fifth).Elsewhere != whole.Elsewhere {
		t.Errorf("%d of %d records refer to what was moved", readReport(t, fifth).Elsewhere, whole.Elsewhere)
	}
}

// Pages of an unknown theme that are not modified wait like others for what is learned, and are read again from the earlier archive.
func TestRecrawlOfAnUnknownTheme(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: 150})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, tagged(renamed(site, phpbbTheme...)))
	first, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	dir, o := runCrawl(t, "--previous", first, base+"/")
	o.want(t, exitDone)
	compareObjects(t, readGraph(t, dir), site.Truth(base))
	checkArchive(t, dir)
	r := readReport(t, dir)
	if r.Adaptation.Reread == 0 || r.Statuses["304"] < r.Pages || r.Errors["reread"] != 0 {
		t.Errorf("%d pages were read again, statuses %v, errors %v", r.Adaptation.Reread, r.Statuses, r.Errors)
	}
	// What waits is archived whole where only an index has it.
	dir, o = runCrawl(t, "--dedupe", filepath.Join(first, "archive", "index.cdxj"), base+"/")
	o.want(t, exitDone)
	compareObjects(t, readGraph(t, dir), site.Truth(base))
	if r := readReport(t, dir); r.Elsewhere == 0 || r.Adaptation.Reread == 0 || r.Errors["reread"] != 0 {
		t.Errorf("%d pages were read again, %d records refer elsewhere, errors %v", r.Adaptation.Reread, r.Elsewhere, r.Errors)
	}
}
