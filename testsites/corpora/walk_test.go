package corpora

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"testing"
)

var (
	hrefs  = regexp.MustCompile(`(?i)<a(?:rea)?[^>]* href="([^"]*)"`)
	beyond = regexp.MustCompile(`Results \d+ to \d+ of`)
)

// walk follows all links but those beyond an open end, and returns the status of each
// address by its key. It ends after so many, or where enough, if there is one, says so.
func walk(t *testing.T, h http.Handler, most int, enough func(address string) bool) map[string]int {
	t.Helper()
	reached := make(map[string]int)
	todo := []string{"/"}
	for len(todo) > 0 && len(reached) < most {
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
		if enough != nil && enough(keyOf(base)) {
			break
		}
		if beyond.MatchString(w.Body.String()) {
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
