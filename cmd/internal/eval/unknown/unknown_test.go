package unknown

import (
	"fmt"
	"strings"
	"testing"
)

// TestAnchorsTellWhatIsProductive: where the words of links tell what is behind them, best-first by anchor text has all contents before
// breadth first has half of them; where they tell nothing it has them no sooner.
func TestAnchorsTellWhatIsProductive(t *testing.T) {
	for _, told := range []bool{true, false} {
		s := &site{number: map[string]int{}}
		first := s.page("/")
		s.pages[first].fetched = true
		for i := range 200 {
			at := s.page(fmt.Sprint("/", i))
			s.pages[at].fetched = true
			l := link{to: at}
			if told {
				l.words = []string{"reply"}
			}
			if i%4 == 3 {
				s.pages[at].has, s.pages[at].says = []string{fmt.Sprint(i)}, []string{strings.Repeat(fmt.Sprint("text ", i, " "), 10)}
				if told {
					l.words = []string{"read"}
				}
			}
			s.pages[first].links = append(s.pages[first].links, l)
		}
		elsewhere := link{to: s.page("/elsewhere")}
		s.pages[first].links = append(s.pages[first].links, elsewhere)
		breadth, best := simulation{site: s}.crawl("breadth", firstCome{}), simulation{site: s}.crawl("anchors", newAnchors())
		if breadth.Requests != 201 || best.Requests != 201 || len(best.after) != 50 {
			t.Fatalf("%d and %d requests, %d contents; want all 201 pages and 50", breadth.Requests, best.Requests, len(best.after))
		}
		if last := best.after[49]; told && last > breadth.after[24] || !told && last < breadth.after[49] {
			t.Errorf("anchors tell: %v; the last content after %d requests, breadth first %d", told, last, breadth.after[49])
		}
	}
}
