package adapt

import (
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/yfilter/xpath"
)

// nextRow leads from a row to the one that follows it.
var nextRow = &xpath.Path{Steps: []*xpath.PathStep{{Axis: "."},
	{Axis: "following-sibling", Test: "tr", Preds: []xpath.Node{xpath.Number("1")}}}}

// ends gives for each record of a set the number after what belongs to it: of rows of one table also the rows up to the next record, as
// templates of tables write a post in two or three. It is nil where records are no rows, each is one row, or the template is known.
func (s *session) ends(records []int) []int {
	if !s.unknown || len(records) < 2 {
		return nil
	}
	ends, more := make([]int, len(records)), 0
	for i, n := range records {
		if n < 0 || s.x.nodes[n].DataAtom != atom.Tr || s.x.parent[n] != s.x.parent[records[0]] {
			return nil
		}
		ends[i] = s.x.end[n]
		if i+1 < len(records) {
			ends[i] = records[i+1]
		} else if ends[i] < s.x.end[s.x.parent[n]] {
			ends[i] = s.x.end[ends[i]] // as many rows as most have is not known: one
		}
		if ends[i] > s.x.end[n] {
			more++
		}
	}
	if 2*more < len(records) {
		return nil
	}
	return ends
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
