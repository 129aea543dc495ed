package adapt

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestThePageAsItsOwnRecord: the object of a page, which is no element of it, is compared
// with others: profiles of two families of templates are.
func TestThePageAsItsOwnRecord(t *testing.T) {
	root, err := html.Parse(strings.NewReader("<p>a<p>b"))
	if err != nil {
		t.Fatal(err)
	}
	s := &session{x: newIndex(root)}
	for _, c := range []struct {
		list, of []int
		same     bool
	}{
		{[]int{-1}, []int{-1}, true}, {[]int{2}, []int{-1}, true}, {[]int{-1}, []int{2}, true}, {[]int{-1}, []int{2, 3}, false},
	} {
		if got := s.same(c.list, c.of); got != c.same {
			t.Errorf("same(%v, %v) is %v", c.list, c.of, got)
		}
	}
}
