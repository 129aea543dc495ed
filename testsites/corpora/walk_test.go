package corpora

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"testing"
)

var hrefs = regexp.MustCompile(`(?i)<a[^>]* href="([^"]*)"`)

// walk follows all links but those beyond an open end, and returns the status of each
// address by its key.
func walk(t *testing.T, h http.Handler) map[string]int {
	t.Helper()
	reached := make(map[string]int)
	todo := []string{"/"}
	for len(todo) > 0 && len(reached) < 2000 {
		address := todo[0]
		todo = todo[1:]
		base, err := url.Parse(address)
		if err != nil {
			t.Fatalf("%q: %v", address, err)
		}
		if _, known := reached[keyOf(base)]; known {
			continue
		}
		w := get(h, address)
		reached[keyOf(base)] = w.Code
		beyond := regexp.MustCompile(`Results \d+ to`).MatchString(w.Body.String())
		if beyond {
			continue
		}
		for _, m := range hrefs.FindAllStringSubmatch(w.Body.String(), -1) {
			u, err := base.Parse(html.UnescapeString(m[1]))
			if err != nil {
				t.Fatalf("%q: %v", m[1], err)
			}
			todo = append(todo, u.RequestURI())
		}
	}
	return reached
}
