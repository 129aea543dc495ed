package crawl

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A first look says what a seed is, what robots.txt says of it, and leaves private addresses alone where it is told to.
func TestFirstLook(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /no\n")
		case "/gone":
			http.Redirect(w, r, "/", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<html><head><meta name=generator content="WordPress 6.4"></head><body class="home blog">`+
				`<a href=/one>one</a> <a href=/two>two</a></body></html>`)
		}
	}))
	defer server.Close()
	seeds := []string{server.URL + "/", server.URL + "/no", server.URL + "/gone"}
	looks, err := FirstLook(t.Context(), Options{Seeds: seeds})
	if err != nil || len(looks) != 3 {
		t.Fatalf("%v: %v", looks, err)
	}
	if l := looks[0]; l.Type != "wordpress" || l.Status != http.StatusOK || l.Fault != "" {
		t.Errorf("the page: %+v", l)
	}
	if l := looks[1]; !strings.Contains(l.Fault, "robots.txt") {
		t.Errorf("what is forbidden: %+v", l)
	}
	if l := looks[2]; l.Redirect != server.URL+"/" {
		t.Errorf("what is elsewhere: %+v", l)
	}
	looks, err = FirstLook(t.Context(), Options{Seeds: seeds[:1], Fetching: Fetching{PublicSeeds: true}})
	if err != nil || looks[0].Status != 0 || looks[0].Fault == "" {
		t.Errorf("a private address: %+v, %v", looks, err)
	}
}
