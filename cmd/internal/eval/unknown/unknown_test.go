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
		s.fetched[first] = true
		for i := range 200 {
			at := s.page(fmt.Sprint("/", i))
			s.fetched[at] = true
			l := link{to: at}
			if told {
				l.words = []string{"reply"}
			}
			if i%4 == 3 {
				s.has[at], s.says[at] = []string{fmt.Sprint(i)}, []string{strings.Repeat(fmt.Sprint("text ", i, " "), 10)}
				if told {
					l.words = []string{"read"}
				}
			}
			s.links[first] = append(s.links[first], l)
		}
		s.links[first] = append(s.links[first], link{to: s.page("/elsewhere")})
		breadth, best := s.crawl("breadth", firstCome{}), s.crawl("anchors", newAnchors())
		if breadth.Requests != 201 || best.Requests != 201 || len(best.after) != 50 {
			t.Fatalf("%d and %d requests, %d contents; want all 201 pages and 50", breadth.Requests, best.Requests, len(best.after))
		}
		if last := best.after[49]; told && last > breadth.after[24] || !told && last < breadth.after[49] {
			t.Errorf("anchors tell: %v; the last content after %d requests, breadth first %d", told, last, breadth.after[49])
		}
	}
}
