package adapt

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
)

// What cannot be mended has a cause and a place; pages like it, which are not tried, have the same.
func TestWhatIsLeftHasACause(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{})
	bare := func(n string) (extract.Page, extract.Harvest) {
		return b.page(t, "phpbb", "http://board.example/viewtopic.php?t="+n,
			strings.Repeat(`<div class="post" id="p1"><p class="author"> </p></div>`, 3))
	}
	tried, untried := 0, 0
	for _, n := range []string{"1", "2", "3", "4"} {
		p, h := bare(n)
		r := l.Page(b.base, p, h)
		if len(r.Left) == 0 || r.Left[0].Cause == "" || r.Left[0].Place.Type != "phpbb" {
			t.Fatalf("page %s: %+v", n, r.Left)
		}
		if r.Attempted {
			tried++
		} else {
			untried++
		}
	}
	if tried == 0 || untried == 0 {
		t.Errorf("%d tried, %d not", tried, untried)
	}
}

// What a person rejected is found again and left, for that cause.
func TestWhatIsRejectedIsLeft(t *testing.T) {
	b := loadBuiltin(t)
	p, h := b.renamed(t, 1)
	a := Mend(b.base, p, h, Judge(p, h), Options{})
	base := *b.base
	for _, e := range a.Entries {
		e.Rejected = true
		base.Entries = append(base.Entries, e)
	}
	again := Mend(&base, p, h, Judge(p, h), Options{})
	if len(a.Entries) == 0 || len(again.Entries) > 0 || !slices.ContainsFunc(again.Left,
		func(l Left) bool { return l.Cause == Refused && l.Place == a.Entries[0].Place }) {
		t.Errorf("rejected %v, then mended %v, left %v", a.Entries, again.Entries, again.Left)
	}
}

// What too few pages showed is told at the end of a crawl, once, with a page.
func TestWhatIsNotConfirmedIsLeft(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{Options: Options{Weights: lenient()}})
	p, h := b.renamed(t, 1)
	l.Page(b.base, p, h)
	left := l.Finish()
	if len(left) != 1 || len(left[0].Left) == 0 {
		t.Fatalf("left: %+v", left)
	}
	got := left[0].Left[0]
	if got.Cause != FewPages || got.URL != p.URL.String() || got.Pages != 1 ||
		!strings.Contains(got.Detail, "1 of the 4 pages") {
		t.Errorf("left: %+v", got)
	}
	for _, d := range l.Finish() {
		if len(d.Left) > 0 {
			t.Errorf("told again: %v", d.Left)
		}
	}
}
