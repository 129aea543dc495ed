package mirrors

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestNamesAreReplacedOnAllPages: one class has one other name everywhere, numbers stay, and what
// a page shows too.
func TestNamesAreReplacedOnAllPages(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "http://"+r.Host+"/1", http.StatusFound)
		case "/text":
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, `class="post"`)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			n := r.URL.Path[1:]
			io.WriteString(w, `<body><div class="post big post-1`+n+`" id="p1`+n+`"><a href="http://`+r.Host+`/2">Ada</a></div></body>`)
		}
	}))
	defer behind.Close()
	site := new(renamedSite)
	var err error
	if site.behind, err = url.Parse(behind.URL); err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(site)
	defer front.Close()
	get := func(path string) string {
		r, err := http.NewRequest(http.MethodGet, front.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Header.Get("Location") + string(body)
	}
	if page := get("/1"); !strings.Contains(page, `class="post big post-11" id="p11"`) || !strings.Contains(page, front.URL+"/2") {
		t.Errorf("as it is: %s", page)
	}
	all := renaming{of: 1, ids: true, seed: 1}
	site.renaming.Store(&all)
	post, big := all.replaced("post"), all.replaced("big")
	if post == "post" || big == "big" {
		t.Fatalf("%q, %q: all names shall be replaced", post, big)
	}
	for n, path := range map[string]string{"11": "/1", "12": "/2"} {
		numbered, id := all.replaced("post-"+n), all.replaced("p"+n)
		if !strings.HasSuffix(numbered, "-"+n) || !strings.HasSuffix(id, "-"+n) || id == "p"+n {
			t.Errorf("%q, %q: the number shall stand by itself", numbered, id)
		}
		want := `class="` + post + " " + big + " " + numbered + `" id="` + id + `"`
		if page := get(path); !strings.Contains(page, want) || !strings.Contains(page, ">Ada</a>") {
			t.Errorf("%s has no %s: %s", path, want, page)
		}
	}
	if moved := get("/moved"); !strings.HasPrefix(moved, front.URL+"/1") {
		t.Errorf("a redirect leads to %s", moved)
	}
	if text := get("/text"); text != `class="post"` {
		t.Errorf("a text became %s", text)
	}
	if n := site.requests.Load(); n != 5 {
		t.Errorf("%d requests counted, want 5", n)
	}
}
