package main

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
)

// The metadata of each capture says by what hops it was reached, and of what kind its links are, as that of Heritrix does.
func TestHopsFromSeed(t *testing.T) {
	t.Parallel()
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
		case "/":
			fmt.Fprint(w, `<html><title>a</title><a href="/moved">b</a><img src="/a.png">`)
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusMovedPermanently)
		case "/page":
			fmt.Fprint(w, `<html><title>b</title><link rel="stylesheet" href="/b.css">`)
		case "/b.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, `p { background: url(b.png) }`)
		default:
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, r.URL.Path)
		}
	}))
	dir, o := runCrawl(t, "--requisites", site+"/")
	o.want(t, exitDone)
	text := warcText(t, dir)
	for path, want := range map[string]string{
		"/": "", "/robots.txt": "P", "/moved": "L", "/page": "LR", "/a.png": "E", "/b.css": "LRE", "/b.png": "LREE",
	} {
		metadata := regexp.MustCompile(`WARC-Type: metadata\r?\n(?:[^\r\n]+\r?\n)*WARC-Target-URI: ` + regexp.QuoteMeta(site+path) +
			`\r?\n(?:[^\r\n]+\r?\n)*\r?\n(?:[^\r\n]+\r?\n)*hopsFromSeed: ` + want + `\r?\n`)
		if !metadata.MatchString(text) {
			t.Errorf("%s does not say that it was reached by %q", path, want)
		}
	}
	for _, link := range []string{"/moved L =NAVLINK_MISC", "/a.png E =EMBED_MISC", "/page R Location:", "/b.png E =EMBED_MISC"} {
		if !regexp.MustCompile(`outlink: ` + regexp.QuoteMeta(site+link) + `\r?\n`).MatchString(text) {
			t.Errorf("no outlink %s", link)
		}
	}
}
