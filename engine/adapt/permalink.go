package adapt

import (
	"regexp"
	"strings"
)

// permalinked gives the address of the links to numbered places that are on the page
// itself, as posts have them: "show.php?p=41#p41" on a page with an element that is called
// "p41". None where they are of several levels. Which thing of its level the page shows
// they tell where they all name one.
func (s *session) permalinked() address {
	var own address
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		at, place, _ := strings.Cut(href, "#")
		if !numberedPlace.MatchString(place) || len(s.x.values["id"][place])+len(s.x.values["name"][place]) == 0 {
			continue
		}
		switch a := s.addressed(s.r.Link(at)); {
		case a.level == "":
		case own.level == "":
			own = a
		case own.level != a.level:
			return address{}
		case own.key != a.key:
			own.key, own.whole = "", false
		}
	}
	return own
}

// numberedPlace is the name of a place on a page that no other page has.
var numberedPlace = regexp.MustCompile(`^[A-Za-z_-]*\d+$`)
