package engine

import (
	"fmt"
	"testing"

	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
)

// TestPlacesMoveTogether: when a pattern is worth more or less than before, all its pending links move at once, but not for a difference
// below the slack.
func TestPlacesMoveTogether(t *testing.T) {
	var e earlyLinks
	why := ways.Note("/html/body/a /doc/#", "")
	for i := range 100 {
		key := fmt.Sprint("http://a.example/doc/", i)
		e.add("a.example", earlyLink{URL: frontier.URL{Key: key, Priority: 9, Why: why}})
	}
	estimate := func(level int) int {
		value := func(string) (ways.Value, bool) { return ways.Value{Level: level}, true }
		place := func(u frontier.URL, v ways.Value) frontier.URL { u.Priority = v.Level; return u }
		return len(e.raise("a.example", value, place))
	}
	if n := estimate(8) + len(e.lower("a.example", "", 0, 2)); n != 0 {
		t.Errorf("%d links move by one level, want 0", n)
	}
	if n := estimate(3); n != 0 {
		t.Errorf("%d links rise to a lower place, want 0", n)
	}
	lowered := e.lower("a.example", "", 0, 2)
	if len(lowered) != 100 || lowered[0].Priority != 3 || !lowered[0].Decisive {
		t.Errorf("%d links are lowered, want 100 to 3; the first: %+v", len(lowered), lowered[:1])
	}
	if n := len(e.lower("a.example", "", 0, 2)); n != 0 {
		t.Errorf("%d links are lowered twice", n)
	}
	if n := estimate(5); n != 100 {
		t.Errorf("%d links rise, want 100", n)
	}
}
