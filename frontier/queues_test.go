package frontier

import (
	"fmt"
	"testing"
	"time"
)

// What waits is told by host, the longest queue first, with why.
func TestQueuesTellWhyTheyWait(t *testing.T) {
	f, err := Open(t.TempDir(), Options{Delay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var urls []URL
	for i := range 5 {
		urls = append(urls, URL{URL: fmt.Sprintf("http://a.example/%d", i)})
	}
	urls = append(urls, URL{URL: "http://b.example/"})
	if _, err := f.Add(t.Context(), urls); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want string) {
		t.Helper()
		got := ""
		for _, q := range f.Queues(10) {
			got += fmt.Sprintf("%s %d+%d %s;", q.Host, q.Pending, q.Leased, q.Wait)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	check("first", "a.example 5+0 ;b.example 1+0 ;")
	lease, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check("leased", "a.example 4+1 asked;b.example 0+1 asked;")
	for _, l := range []Lease{lease, other} {
		if err := f.Done(l, Outcome{State: Fetched}); err != nil {
			t.Fatal(err)
		}
	}
	check("answered", "a.example 4+0 polite;")
	if _, err := f.Add(t.Context(), []URL{{URL: "http://c.example/"}}); err != nil {
		t.Fatal(err)
	}
	if lease, err = f.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Done(lease, Outcome{State: Retry, RetryAfter: 3 * time.Hour}); err != nil {
		t.Fatal(err)
	}
	check("failed", "a.example 4+0 polite;c.example 1+0 backoff;")
	f.Pause(true)
	check("paused", "a.example 4+0 paused;c.example 1+0 paused;")
	if got := f.Queues(0); len(got) != 0 {
		t.Errorf("none were asked for: %v", got)
	}
}
