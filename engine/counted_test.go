package engine

import "testing"

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 pages that are new", 1: "1 page that is new", 21: "21 pages that are new"} {
		if got := Counted(n, "page|pages that is|are new"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
