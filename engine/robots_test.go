package engine

import (
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

func TestRobotsOfHTTPAndHTTPSAreTwo(t *testing.T) {
	note := []byte(nil)
	for _, scheme := range []string{"http", "https"} {
		if RobotsOf(note, mustURL(t, scheme+"://a.example/")) != nil {
			t.Errorf("%s is known before it was asked for", scheme)
		}
		note = withRobots(note, scheme, fetch.ParseRobots(200, []byte("User-agent: *\nDisallow: /"+scheme+"\n"), time.Now()))
	}
	note = withRobots(note, "http", fetch.ParseRobots(200, []byte("User-agent: *\nDisallow: /new\n"), time.Now()))
	for u, want := range map[string]bool{
		"http://a.example/http": true, "http://a.example/https": true, "http://a.example/new": false,
		"https://a.example/https": false, "https://a.example/new": true,
	} {
		if got := RobotsOf(note, mustURL(t, u)).Allowed("awarc", u); got != want {
			t.Errorf("%s allowed: %v, want %v", u, got, want)
		}
	}
	for _, bad := range []string{"x", "http 10\nshort", "http -1\n", "http 99999999999999999999\n", "\n\n", "http 3\nabc"} {
		if RobotsOf([]byte(bad), mustURL(t, "http://a.example/")) != nil {
			t.Errorf("the note %q means something", bad)
		}
	}
}
