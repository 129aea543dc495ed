package adapt

import (
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/yfilter/xpath"
)

// nextRow leads from a row to the one that follows it.
var nextRow = &xpath.Path{Steps: []*xpath.PathStep{{Axis: "."},
	{Axis: "following-sibling", Test: "tr", Preds: []xpath.Node{xpath.Number("1")}}}}

// ends gives for some of the records of a set, in order, the number after what belongs
// to each: of rows of one table also the rows up to the next record, as templates of
// tables write a post in two or three. It is nil where records are no rows, each is one
// row, or the template is known.
func (s *session) ends(all, some []int) []int {
	if !s.unknown || len(all) < 2 {
		return nil
	}
	end := map[int]int{}
	more := 0
	for i, n := range all {
		if n < 0 || s.x.nodes[n].DataAtom != atom.Tr || s.x.parent[n] != s.x.parent[all[0]] {
			return nil
		}
		end[n] = s.x.end[n]
		if i+1 < len(all) {
			end[n] = all[i+1]
		} else if end[n] < s.x.end[s.x.parent[n]] {
			end[n] = s.x.end[end[n]] // as many rows as most have is not known: one
		}
		if end[n] > s.x.end[n] {
			more++
		}
	}
	if 2*more < len(all) {
		return nil
	}
	out := make([]int, len(some))
	for i, n := range some {
		out[i] = end[n]
	}
	return out
}

// end is the number after what belongs to a record.
func (sc *scope) end(x *index, i int) int {
	switch {
	case sc.records[i] < 0:
		return len(x.nodes)
	case sc.ends != nil:
		return sc.ends[i]
	}
	return x.end[sc.records[i]]
}
