package engine_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/testsites"
)

// mapped serves answers, each a media type and a body after a space, {base} in it being the server.
type mapped map[string]string

func (m mapped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mime, body, has := strings.Cut(m[r.URL.RequestURI()], " ")
	if !has {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime)
	fmt.Fprint(w, strings.ReplaceAll(body, "{base}", "http://"+r.Host))
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, text)
	z.Close()
	return b.String()
}

// TestSitemaps has pages that only sitemaps name: in a file of gzip, in a list, in a feed.
func TestSitemaps(t *testing.T) {
	t.Parallel()
	base := serve(t, mapped{
		"/robots.txt": "text/plain Sitemap: /maps/index.xml\nSitemap: http://elsewhere.example/s.xml\nSitemap: /maps/list.txt\n" +
			"Sitemap: /maps/feed\nSitemap: /nothing.xml\n",
		"/maps/index.xml": "application/xml <sitemapindex><sitemap><loc>{base}/maps/1.xml.gz</loc></sitemap>" +
			"<sitemap><loc>http://elsewhere.example/t.xml</loc></sitemap></sitemapindex>",
		"/maps/1.xml.gz": "application/x-gzip " + zipped(`<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>/packed</loc>`+
			`<lastmod>2024-05-17</lastmod><xhtml:link rel="alternate" hreflang="de" href="/german"/></url>`+
			`<url><loc>http://elsewhere.example/p</loc></url></urlset>`),
		"/maps/list.txt": "text/plain {base}/listed\n{base}/listed\n",
		"/maps/feed": "text/xml <rss version='2.0'><channel><item><description><![CDATA[<a href='/told'>x</a>]]></description>" +
			"</item></channel></rss>",
		"/nothing.xml": "text/html <a href=/no>there is no such page</a>",
		"/sitemap.xml": "text/xml <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>" +
			"<url><loc>/plain</loc></url></urlset>",
		"/": "text/html <p>", "/packed": "text/html <p>", "/german": "text/html <p>", "/listed": "text/html <a href='/on'>",
		"/told": "text/html <p>", "/plain": "text/html <p>", "/on": "text/html <p>",
	})
	maps := []string{"200 /maps/index.xml", "200 /maps/list.txt", "200 /maps/feed", "200 /nothing.xml", "200 /maps/1.xml.gz"}
	pages := []string{"200 /listed", "200 /told", "200 /packed", "200 /german", "200 /on"}
	for _, test := range []struct {
		name  string
		use   engine.SitemapUse
		rules engine.ScopeRules
		want  []string
	}{
		{"named", engine.NamedSitemaps, engine.ScopeRules{}, slices.Concat([]string{"200 /robots.txt", "200 /"}, maps, pages)},
		{"none", engine.NoSitemaps, engine.ScopeRules{}, []string{"200 /robots.txt", "200 /"}},
		{"no page but the seed", engine.NamedSitemaps, engine.ScopeRules{Type: engine.ScopePage}, []string{"200 /robots.txt", "200 /"}},
		{"no hop", engine.NamedSitemaps, engine.ScopeRules{Exclude: []string{"."}}, nil},
		{"one hop", engine.NamedSitemaps, engine.ScopeRules{MaxHops: 1},
			slices.Concat([]string{"200 /robots.txt", "200 /"}, maps, pages[:4])},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.options.Sitemaps = test.use
			if test.rules.Type != "" {
				w.rules.Type = test.rules.Type
			}
			if test.rules.MaxHops != 0 {
				w.rules.MaxHops = test.rules.MaxHops
			}
			if test.want == nil {
				w.rules.MaxHops, test.want = 0, []string{"200 /robots.txt", "200 /"}
			}
			w.crawl(base + "/")
			w.want(test.want...)
			if test.use == engine.NamedSitemaps && w.rules.MaxHops < 0 && w.rules.Type == engine.ScopeHost {
				if got := w.state(base + "/packed").Modified; got != 1715904000 {
					t.Errorf("the frontier has %d as the time of the last change", got)
				}
				for _, c := range w.archiver.captures {
					has := slices.ContainsFunc(c.Metadata, func(f archive.Field) bool {
						return f.Name == "awarc-lastmod" && f.Value == "2024-05-17T00:00:00Z"
					})
					if has != (c.URL == base+"/packed") {
						t.Errorf("metadata of %s: %v", c.URL, c.Metadata)
					}
				}
			}
		})
	}
	t.Run("asked for", func(t *testing.T) {
		w := newWorld(t)
		w.options.Sitemaps = engine.AllSitemaps
		w.crawl(base + "/")
		asked := w.asked()
		if !slices.Contains(asked, "200 /sitemap.xml") || !slices.Contains(asked, "200 /plain") {
			t.Errorf("asked for %v", asked)
		}
	})
	t.Run("asked for without robots.txt, in a folder", func(t *testing.T) {
		w := newWorld(t)
		w.options.Sitemaps, w.options.Agent, w.rules.Type = engine.AllSitemaps, "", engine.ScopePrefix
		w.crawl(base + "/maps/none")
		w.want("404 /maps/none", "200 /sitemap.xml")
	})
}

// TestHostileSitemaps: indexes that name themselves and ever other ones, a bomb, and what is no sitemap end soon.
func TestHostileSitemaps(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	t.Parallel()
	bomb := zipped("<urlset>" + strings.Repeat("<url>", 20<<20))
	asked := 0
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/robots.txt":
			fmt.Fprint(w, "Sitemap: /index/1.xml\nSitemap: /self.xml\nSitemap: /bomb.xml.gz\nSitemap: /robots.txt\nSitemap: ftp://x/\n")
		case path == "/self.xml":
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprint(w, "<sitemapindex><sitemap><loc>/self.xml</loc></sitemap><sitemap><loc>/</loc></sitemap>")
		case strings.HasPrefix(path, "/index/"):
			asked++
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprintf(w, "<sitemapindex><sitemap><loc>%sx</loc></sitemap></sitemapindex>", path)
		case path == "/bomb.xml.gz":
			w.Header().Set("Content-Type", "application/gzip")
			fmt.Fprint(w, bomb)
		case path == "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>")
		default:
			http.NotFound(w, r)
		}
	}))
	w := newWorld(t)
	w.crawl(base + "/")
	if asked != 3 {
		t.Errorf("%d indexes that name ever other ones were asked for", asked)
	}
	if len(w.log) > 9 {
		t.Errorf("asked for %v", w.asked())
	}
}

// TestSitemapsOfAKnownApplication: of a site that the knowledge base knows those addresses of a sitemap are followed that are of its
// content, whatever else is there; a blind crawl follows all.
func TestSitemapsOfAKnownApplication(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	t.Parallel()
	board, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 40})
	if err != nil {
		t.Fatal(err)
	}
	var urls strings.Builder
	for n := range 50_000 {
		fmt.Fprintf(&urls, "<url><loc>/memberlist.php?mode=group&amp;g=%d</loc></url>", n)
	}
	urls.WriteString("<url><loc>/viewtopic.php?t=99999</loc></url><url><loc>/viewtopic.php?p=99999</loc></url>")
	extra := mapped{
		"/robots.txt":     "text/plain Sitemap: /sitemap.xml.gz\n",
		"/sitemap.xml.gz": "application/gzip " + zipped("<urlset>"+urls.String()+"</urlset>"),
	}
	crawl := func(h http.Handler, limit int64) *world {
		w := newWorld(t)
		w.options.Blind, w.options.Limits.Pages = limit > 0, limit
		w.crawl(serve(t, h) + "/")
		return w
	}
	both := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if extra[r.URL.Path] != "" {
			extra.ServeHTTP(w, r)
			return
		}
		board.ServeHTTP(w, r)
	})
	without, with := crawl(board, 0), crawl(both, 0)
	if more := len(with.log) - len(without.log); more != 2 { // the sitemap, and the topic that is only there
		t.Errorf("%d requests without a sitemap and %d with it", len(without.log), len(with.log))
	}
	if !slices.Contains(with.asked(), "404 /viewtopic.php?t=99999") {
		t.Error("a topic that only the sitemap names was not asked for")
	}
	if blind := crawl(both, 5); blind.frontier.Stats().Pending < 50_000 {
		t.Errorf("a blind crawl has %d URLs of the sitemap", blind.frontier.Stats().Pending)
	}
}

// TestSitemapOfMoreThanOneApplication: an address is held to the application that is known around it.
func TestSitemapOfMoreThanOneApplication(t *testing.T) {
	t.Parallel()
	board, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 20, Prefix: "/forum"})
	if err != nil {
		t.Fatal(err)
	}
	extra := mapped{
		"/robots.txt": "text/plain Sitemap: /sitemap.xml\n",
		"/sitemap.xml": "text/xml <urlset><url><loc>/forum/memberlist.php?mode=group&amp;g=1</loc></url><url><loc>/about</loc></url>" +
			"<url><loc>/forum/viewtopic.php?t=99999</loc></url></urlset>",
		"/about": "text/html <p>",
	}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if extra[r.URL.Path] != "" {
			extra.ServeHTTP(w, r)
			return
		}
		board.ServeHTTP(w, r)
	}))
	w := newWorld(t)
	w.crawl(base + "/forum/")
	asked := w.asked()
	for path, want := range map[string]bool{"200 /about": true, "404 /forum/viewtopic.php?t=99999": true} {
		if slices.Contains(asked, path) != want {
			t.Errorf("%s: %t, want %t", path, !want, want)
		}
	}
	if slices.ContainsFunc(asked, func(s string) bool { return strings.Contains(s, "mode=group") }) {
		t.Error("a group of the board was asked for")
	}
}

// TestPackedSitemaps: the bytes of a sitemap tell how often it is packed, not its name, media type or coding.
func TestPackedSitemaps(t *testing.T) {
	t.Parallel()
	text := func(name string) string { return "<urlset><url><loc>/" + name + "</loc></url></urlset>" }
	answers := map[string]struct{ mime, coding, body string }{
		"packed.xml.gz": {"application/x-gzip", "", zipped(text("packed"))},
		"once.xml.gz":   {"application/x-gzip", "x-gzip", zipped(text("once"))},
		"twice.xml.gz":  {"application/xml", "gzip", zipped(zipped(text("twice")))},
		"plain.xml.gz":  {"application/x-gzip", "", text("plain")},
		"page.xml.gz":   {"text/html", "", zipped(text("page"))},
		"unnamed":       {"application/octet-stream", "", zipped(text("unnamed"))},
		"untrue.xml":    {"text/xml", "br", text("untrue")},
		"list.txt":      {"text/html", "", "http://{host}/list\r\n"},
		"list.txt.gz":   {"binary/octet-stream", "", ""},
		"layers.xml.gz": {"application/gzip", "gzip", zipped(zipped(zipped(zipped(text("layers")))))},
		"many.xml.gz":   {"application/gzip", "", zipped(zipped(zipped(zipped(zipped(text("many"))))))},
		"nothing.xml":   {"text/html", "", "<a href=/no>there is no such page</a>"},
		"cut.xml":       {"text/xml", "", text("cut")[:40]},
	}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case ok:
			w.Header().Set("Content-Type", a.mime)
			if a.coding != "" {
				w.Header().Set("Content-Encoding", a.coding)
			}
			if r.URL.Path == "/list.txt.gz" {
				a.body = zipped("\ufeffhttp://" + r.Host + "/zlist\n")
			}
			fmt.Fprint(w, strings.ReplaceAll(a.body, "{host}", r.Host))
		case r.URL.Path == "/robots.txt":
			for name := range answers {
				fmt.Fprintf(w, "Sitemap: /%s\n", name)
			}
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>")
		}
	}))
	w := newWorld(t)
	w.crawl(base + "/")
	asked := w.asked()
	for _, name := range []string{"packed", "once", "twice", "plain", "page", "unnamed", "untrue", "list", "zlist", "layers"} {
		if !slices.Contains(asked, "200 /"+name) {
			t.Errorf("/%s was not fetched", name)
		}
	}
	for _, name := range []string{"many", "no"} {
		if slices.Contains(asked, "200 /"+name) {
			t.Errorf("/%s was fetched", name)
		}
	}
	if n := w.frontier.Counters()["faults/page_cut"]; n != 1 {
		t.Errorf("%d sitemaps are counted as cut, want 1", n)
	}
}
