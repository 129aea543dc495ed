package adapt

import (
	"slices"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// contentPattern gives as the pattern of a level where the contents of the objects inside
// its own stand, of which a page of another level has none: what selects an object, and
// inside that its content. One name alone is too little ("content"); "" for none.
func contentPattern(steps []planned) string {
	var at []xpath.Step
	for _, st := range steps {
		f := st.spot.Field
		if len(st.spot.Objects) < 2 || st.by.reading.Expr == nil || st.by.reading.Before != nil || f != nil && f.As != kb.HTML {
			continue
		}
		is := elementSteps(st.by.reading.Expr)
		if f == nil {
			at = is
			continue
		}
		is = slices.Concat(at, is)
		named := 0
		for _, step := range is {
			if hasName(step) {
				named++
			}
		}
		if e := (&xpath.Expr{Steps: is}); named > 1 && writable(e) {
			return e.String()
		}
	}
	return ""
}
