package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The archive says what names were resolved to, and of each URL that gave no answer why.
func TestLookupsAndFailuresAreArchived(t *testing.T) {
	t.Parallel()
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<html><title>a</title><a href="/gone">gone</a>`)
		case "/gone":
			panic(http.ErrAbortHandler)
		default:
			http.NotFound(w, r)
		}
	}))
	site = strings.Replace(site, "127.0.0.1", "localhost", 1)
	dir, o := runCrawl(t, "--max-tries", "1", site+"/")
	o.want(t, exitWithFaults)
	text := warcText(t, dir)
	for want, n := range map[string]int{
		"WARC-Target-URI: dns:localhost\n": 1, "\nlocalhost.\tIN\tA\t127.0.0.1\n": 1, "\nfetchError: ": 2,
		"\nfetchTries: 1\n": 1, "\nfetchTries: 2\n": 1, // the second at the end of the crawl
	} {
		if have := strings.Count(text, want); have != n {
			t.Errorf("%q is there %d times, want %d", want, have, n)
		}
	}
	checkArchive(t, dir)
}
