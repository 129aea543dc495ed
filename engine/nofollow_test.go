package engine_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/archive"
)

// TestNofollow: what a page asks of robots is in its metadata; noindex keeps nothing from being archived or followed, nofollow its links,
// unless it is to be ignored, and never what shows the page.
func TestNofollow(t *testing.T) {
	t.Parallel()
	pages := site{
		"/":         links("/noindex", "/meta", "/header", "/other"),
		"/noindex":  `<meta name=robots content=noindex>` + links("/1"),
		"/meta":     links("/2") + `<img src="/i.txt">`,
		"/header":   links("/3"),
		"/other":    links("/4"),
		"/1":        "",
		"/2":        "",
		"/3":        "",
		"/4":        "",
		"/i.txt":    "shown",
		"/excluded": "",
	}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/header":
			w.Header().Set("X-Robots-Tag", "noarchive, nofollow")
		case "/other":
			w.Header().Set("X-Robots-Tag", "otherbot: nofollow")
		case "/meta":
			w.Header().Set("Content-Type", "text/html")
			head := "<head><meta name=robots content='noindex, NOFOLLOW'><link rel=icon href='data:,'></head>"
			_, _ = w.Write([]byte(head + pages["/meta"]))
			return
		}
		pages.ServeHTTP(w, r)
	}))
	for _, follow := range []bool{false, true} {
		w := newWorld(t)
		w.options.Requisites, w.options.Follow = true, follow
		w.crawl(base + "/")
		asked := w.asked()
		for path, want := range map[string]bool{"/1": true, "/2": follow, "/3": follow, "/4": true, "/i.txt": true} {
			if slices.Contains(asked, "200 "+path) != want {
				t.Errorf("follow %t: %s was asked for: %t", follow, path, !want)
			}
		}
		if !follow {
			w.count("scope/nofollow of the page", 2)
		}
		for _, c := range w.archiver.captures {
			i := slices.IndexFunc(c.Metadata, func(f archive.Field) bool { return f.Name == "awarc-robots" })
			got := ""
			if i >= 0 {
				got = c.Metadata[i].Value
			}
			want := map[string]string{"/meta": "noindex, nofollow", "/header": "noarchive, nofollow"}[strings.TrimPrefix(c.URL, base)]
			if got != want {
				t.Errorf("%s: robots %q, want %q", c.URL, got, want)
			}
		}
	}
	w := newWorld(t)
	w.crawl(base + "/meta")
	w.want("404 /robots.txt", "200 /meta")
	if len(w.warnings) != 1 || !strings.Contains(w.warnings[0], "--nofollow ignore") {
		t.Errorf("warnings: %q", w.warnings)
	}
}
