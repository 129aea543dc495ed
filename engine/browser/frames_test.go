package browser

import (
	"strings"
	"testing"
)

// TestFramesCountOnce: a script that copies the mark of a frame does not multiply its content, and
// frames do not make a document longer than a document may be.
func TestFramesCountOnce(t *testing.T) {
	mark := func(id string) string { return "<!--" + frameMark + id + "-->" }
	inner := "<p>inner</p>"
	contents := map[string]string{"A1": mark("B2") + mark("A1"), "B2": inner}
	html, whole := withFrames("<p>x</p>"+strings.Repeat(mark("A1"), 3)+mark("C3"), contents)
	if want := "<p>x</p><div data-frame><div data-frame>" + inner + "</div></div>"; html != want || !whole {
		t.Errorf("%s, whole %t; want %s", html, whole, want)
	}
	long := strings.Repeat("x", MostHTML/2+1)
	if html, whole = withFrames(mark("A1")+mark("B2"), map[string]string{"A1": long, "B2": long}); whole || len(html) > MostHTML {
		t.Errorf("%d bytes, whole %t; want at most %d, not whole", len(html), whole, MostHTML)
	}
}
