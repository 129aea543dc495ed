package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/awarc/awarc/testsites"
)

// renamed serves a site as a theme of its own would: class names and ids in its
// pages are others.
func renamed(h http.Handler, names ...string) http.Handler {
	var pairs []string
	for i := 0; i < len(names); i += 2 {
		for _, form := range []string{`"%s"`, `"%s `, ` %s"`, ` %s `} {
			pairs = append(pairs, strings.Replace(form, "%s", names[i], 1), strings.Replace(form, "%s", names[i+1], 1))
		}
	}
	rename := strings.NewReplacer(pairs...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		body := rec.Body.Bytes()
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
			body = []byte(rename.Replace(rename.Replace(string(body))))
		}
		for name, values := range rec.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(rec.Code)
		_, _ = bytes.NewReader(body).WriteTo(w)
	})
}

// A theme of phpBB that the knowledge base does not know: posts, their authors,
// dates and texts, and the links to topics have other names.
var phpbbTheme = []string{"postbody", "entry-main", "author", "written-by", "username", "member-name", "content", "entry-text"}

func themed(t *testing.T, posts int) (*testsites.Site, string) {
	t.Helper()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: posts})
	if err != nil {
		t.Fatal(err)
	}
	return site, serve(t, renamed(site, phpbbTheme...))
}

func TestCrawlAdaptsToARenamedTheme(t *testing.T) {
	site, base := themed(t, 150)
	dir, o := crawl(t, base+"/")
	o.want(t, exitDone, "")
	compareObjects(t, readGraph(t, dir), site.Truth(base))
	r := readReport(t, dir)
	t.Logf("%+v %v", r.Adaptation, r.Objects)
	t.Logf("%s", o.err)
}
