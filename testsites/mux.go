package testsites

import (
	"net/http"
	"sort"
	"strings"
)

// Mux serves several sites on one host, each under its own [Options.Prefix]. The longest prefix that fits answers; a
// path that fits none is not found, and "/" is a small page with links to the sites when no site has the empty prefix.
func Mux(sites ...*Site) http.Handler {
	m := &mux{sites: append([]*Site{}, sites...)}
	sort.SliceStable(m.sites, func(i, j int) bool { return len(m.sites[i].o.Prefix) > len(m.sites[j].o.Prefix) })
	return m
}

type mux struct {
	sites []*Site // longest prefix first
}

func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, s := range m.sites {
		rest, ok := strings.CutPrefix(r.URL.Path, s.o.Prefix)
		if ok && (rest == "" || rest[0] == '/') {
			s.ServeHTTP(w, r)
			return
		}
	}
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	page := "<!DOCTYPE html><html><head><title>Welcome</title></head><body><ul>"
	for _, s := range m.sites {
		page += `<li><a href="` + s.o.Prefix + `/">` + escape(s.cms) + "</a></li>"
	}
	(&request{Request: r, w: w}).text(http.StatusOK, "text/html; charset=UTF-8", page+"</ul></body></html>")
}
