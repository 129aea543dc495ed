package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"
)

// formsSite serves testdata/requisites.txtar on two hosts, which are names of one address, and remembers what it is asked for.
type formsSite struct {
	base, other string
	files       map[string]string

	mu    sync.Mutex
	asked map[string]bool // URLs
}

func serveForms(t *testing.T) *formsSite {
	t.Helper()
	data, err := os.ReadFile("testdata/requisites.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := &formsSite{files: map[string]string{}, asked: map[string]bool{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.base = server.URL
	s.other = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	for _, f := range txtar.Parse(data).Files {
		s.files["/"+f.Name] = strings.ReplaceAll(string(f.Data), "{other}", s.other)
	}
	return s
}

// pixel is a PNG image.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

var formTypes = map[string]string{
	".html": "text/html", ".xhtml": "application/xhtml+xml", ".css": "text/css", ".svg": "image/svg+xml", ".js": "text/javascript",
	".webmanifest": "application/manifest+json", ".rss": "application/rss+xml", ".atom": "application/atom+xml", ".png": "image/png",
	".gif": "image/png", ".ico": "image/png", ".vtt": "text/vtt", ".woff2": "font/woff2", ".ttf": "font/ttf", ".webm": "video/webm",
	".mp4": "video/mp4", ".ogg": "audio/ogg", ".mp3": "audio/mpeg",
}

func (s *formsSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked["http://"+r.Host+r.URL.Path] = true
	s.mu.Unlock()
	name := r.URL.Path
	if name == "/" {
		name = "/index.html"
	}
	text, has := s.files[name]
	if !has {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	if name == "/header.html" {
		h.Add("Link", `</n/header.css>; rel=stylesheet; title="a; b, c", </n/header-preload.png>; rel="preload"; as=image; `+
			`imagesrcset="/n/header-1.png 1x, /n/header-2.png 2x"`)
		h.Add("Link", `</n/header-icon.png>; rel="icon", <`+s.other+`/never/next.html>; rel=next`)
	}
	kind := formTypes[path.Ext(name)]
	h.Set("Content-Type", kind)
	h.Set("Access-Control-Allow-Origin", "*") // for fonts and modules
	if kind == "image/png" {
		image, _ := base64.StdEncoding.DecodeString(pixel)
		text = string(image)
	}
	_, _ = io.WriteString(w, text)
}

// requests gives what was asked for since the last call, as URLs, but for robots.txt.
func (s *formsSite) requests() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = map[string]bool{}
	maps.DeleteFunc(asked, func(u string, _ bool) bool { return strings.HasSuffix(u, "/robots.txt") })
	return asked
}

// crawl archives the site with what its pages need.
func (s *formsSite) crawl(t *testing.T, flags ...string) map[string]bool {
	t.Helper()
	dir, o := runCrawl(t, append(flags, "--requisites", "--allow-private", "127.0.0.1", s.base+"/")...)
	if o.status != exitDone {
		t.Fatalf("exit status %d\n%s", o.status, o.err)
	}
	if n := readReport(t, dir).Requisites; n == 0 || !strings.Contains(o.out, fmt.Sprintf("requisites %d images", n)) {
		t.Errorf("%d requisites, in the summary\n%s", n, o.out)
	}
	asked := s.requests()
	for _, e := range readLog(t, dir) {
		if u, err := url.Parse(e.URL); err == nil && asked["http://"+u.Host+u.Path] && e.Record == "" {
			t.Errorf("%s was asked for and not archived", e.URL)
		}
	}
	return asked
}

// TestRequisitesOfAllForms: all that pages need is archived wherever it is, whatever names it, and nothing that it leads to.
func TestRequisitesOfAllForms(t *testing.T) {
	s := serveForms(t)
	paths := map[string]bool{}
	for u := range s.crawl(t) {
		at, _ := url.Parse(u)
		paths[at.Path] = true
	}
	for name := range s.files {
		if strings.HasPrefix(name, "/n/") && !paths[name] {
			t.Errorf("%s is needed and was not asked for", name)
		}
	}
	for name := range paths {
		if strings.HasPrefix(name, "/never/") {
			t.Errorf("%s was asked for", name)
		}
	}
}

// pages are the addresses of the pages of the site.
func (s *formsSite) pages() (pages []string) {
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if strings.Count(name, "/") == 1 {
			pages = append(pages, s.base+strings.TrimSuffix(name, "index.html"))
		}
	}
	return pages
}

// mistaken reports whether a URL is one that wget takes wrongly: from CSS with escapes as they stand, what @namespace names, from style
// attributes with character references as they stand.
func mistaken(u string) bool {
	return strings.Contains(u, `\`) || strings.Contains(u, "/never/") || strings.Contains(u, "&amp;") || strings.Contains(u, "&quot;") ||
		strings.HasSuffix(u, "/&")
}

// TestRequisitesOfPeers: what wget -p loads of pages, and Chromium of pages whose scripts are empty, is archived.
func TestRequisitesOfPeers(t *testing.T) {
	s := serveForms(t)
	ours := s.crawl(t)
	for _, peer := range []struct {
		name string
		args []string
		long bool
	}{
		{name: "wget", args: []string{"-q", "-p", "-H", "-e", "robots=off", "-P", t.TempDir()}},
		{name: "chromium", args: []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
			"--disable-component-update", "--no-first-run", "--user-data-dir=" + t.TempDir(),
			"--virtual-time-budget=3000", "--dump-dom"}, long: true},
	} {
		t.Run(peer.name, func(t *testing.T) {
			if peer.long {
				long(t)
			}
			if _, err := exec.LookPath(peer.name); err != nil {
				t.Skipf("skipped: %s is not installed, see testdata/e2e/tools.sh", peer.name)
			}
			theirs := 0
			for _, page := range s.pages() {
				cmd := exec.CommandContext(t.Context(), peer.name, append(slices.Clone(peer.args), page)...)
				cmd.WaitDelay = time.Second
				if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 8 { // wget's for a status of 404
					t.Fatalf("%s %s: %v\n%s", peer.name, page, err, out)
				}
				asked := s.requests()
				theirs += len(asked)
				for u := range asked {
					if !ours[u] && !mistaken(u) {
						t.Errorf("%s loads %s for %s, which was not asked for", peer.name, u, page)
					}
				}
			}
			t.Logf("%s: %d requests for %d pages; ours: %d", peer.name, theirs, len(s.pages()), len(ours))
		})
	}
}

// savedWeb is a proxy of the whole web, which has the saved pages, and of anything else something of its kind.
type savedWeb struct {
	pages map[string]string // files by URL without scheme

	mu    sync.Mutex
	asked map[string]bool
}

// inlineScript is a script in a page, in which wget looks for elements.
var inlineScript = regexp.MustCompile(`(?is)(<script\b[^>]*>).*?(</script)`)

func (s *savedWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := r.URL.Host + r.URL.RequestURI()
	s.mu.Lock()
	s.asked[plainAddress(at)] = true
	s.mu.Unlock()
	h := w.Header()
	if file, has := s.pages[at]; has {
		h.Set("Content-Type", "text/html")
		page, err := os.ReadFile(file)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		page = bytes.ReplaceAll(page, []byte("https://"), []byte("http://")) // the proxy sees nothing of https
		_, _ = w.Write(inlineScript.ReplaceAll(page, []byte("$1$2")))
		return
	}
	switch kind := path.Ext(r.URL.Path); kind {
	case ".txt":
		http.NotFound(w, r)
	case ".css", ".js":
		h.Set("Content-Type", formTypes[kind])
	default:
		image, _ := base64.StdEncoding.DecodeString(pixel)
		h.Set("Content-Type", "image/png")
		_, _ = w.Write(image)
	}
}

// sidParam is a session id, which changes nothing.
var sidParam = regexp.MustCompile(`[?&](?:sid|s)=[0-9a-f]{32}`)

// plainAddress is an address as all programs write it: they escape differently, and awarc asks for one of several that are the same.
func plainAddress(at string) string {
	for range 2 {
		if plain, err := url.PathUnescape(at); err == nil {
			at = plain
		}
	}
	at = sidParam.ReplaceAllString(strings.ToLower(strings.ToValidUTF8(at, "?")), "")
	return strings.TrimSuffix(at, "?")
}

// TestRequisitesOfSavedPages: what wget -p loads of saved pages of real sites, without what is in scripts, is asked for.
func TestRequisitesOfSavedPages(t *testing.T) {
	long(t)
	if _, err := exec.LookPath("wget"); err != nil {
		t.Skip("skipped: wget is not installed, see testdata/e2e/tools.sh")
	}
	index, err := os.ReadFile("../../../shared/pages/index.tsv")
	if err != nil {
		t.Skip("skipped: the saved pages are not in ../shared/pages")
	}
	s := &savedWeb{pages: map[string]string{}, asked: map[string]bool{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	var seeds []string
	for line := range strings.Lines(string(index)) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		u, err := url.Parse(row[min(6, len(row)-1)])
		if len(row) < 8 || err != nil || u.Host == "" {
			continue
		}
		at := u.Host + u.RequestURI()
		if s.pages[at] == "" {
			seeds = append(seeds, "http://"+at)
		}
		s.pages[at] = filepath.Join("../../../shared/pages", row[7])
	}
	list := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(list, []byte(strings.Join(seeds, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	runCrawl(t, "--requisites", "--scope-type", "page", "--proxy", server.URL, "--seed-file", list, "--workers", "32")
	ours := s.asked
	s.asked = map[string]bool{}
	var peers errgroup.Group
	peers.SetLimit(8)
	for _, seed := range seeds {
		peers.Go(func() error {
			cmd := exec.CommandContext(t.Context(), "wget", "-q", "-p", "-H", "-e", "robots=off", "-e", "use_proxy=yes", "-e",
				"http_proxy="+server.URL, "-P", t.TempDir(), seed)
			_ = cmd.Run() // a status of 404 is an error
			return nil
		})
	}
	_ = peers.Wait() // nothing fails
	missing, wrong := 0, 0
	for _, u := range slices.Sorted(maps.Keys(s.asked)) {
		switch {
		case ours[u]:
		case mistaken(u):
			wrong++
		default:
			missing++
			t.Errorf("wget loads %s", u)
		}
	}
	t.Logf("%d pages: %d addresses of wget, %d of them no addresses; ours %d; %d missing", len(seeds), len(s.asked), wrong, len(ours),
		missing)
}
