package adapt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// fewestMarks is how many marks must lie in ctx for the elements that hold one each to be told.
const fewestMarks = 2

// mark is how templates number things: an id or a name that is a word, or nothing, and a number.
type mark struct{ tag, attr, word string }

// numbered lists the elements inside ctx that are numbered, by their marks.
func (s *session) numbered(ctx int) (marks []mark, nodes map[mark][]int) {
	nodes = map[mark][]int{}
	first, end := s.x.span(ctx)
	for n := first; n < end; n++ {
		for _, name := range []string{"id", "name"} {
			v, _ := s.x.attr(n, name)
			word := strings.TrimRight(v, "0123456789")
			if word == v || strings.ContainsAny(word, "0123456789'\"") {
				continue
			}
			m := mark{s.x.nodes[n].Data, name, word}
			if nodes[m] == nil {
				marks = append(marks, m)
			}
			nodes[m] = append(nodes[m], n)
		}
	}
	return marks, nodes
}

// String writes a mark as the last step of an expression.
func (m mark) String() string {
	return fmt.Sprintf("%s[string-length(@%s) > %d][translate(@%[2]s, '0123456789', '')='%[4]s']", m.tag, m.attr, len(m.word), m.word)
}

// holders lists record sets that no condition of their own tells: tables and rows are often made alike whatever they hold. What tells
// them is the mark inside that names the object, an anchor with its number say. The record is the largest element around one mark and no
// other.
func (s *session) holders(o *kb.Object, ctx int, from string) (out []*recordSet) {
	marks, nodes := s.numbered(ctx)
	for _, m := range marks {
		if len(nodes[m]) < fewestMarks || len(nodes[m]) > maxRecords || s.spent() || !s.named(o, nodes[m], true) {
			continue
		}
		list := s.aroundEach(nodes[m], ctx)
		if list == nil {
			continue
		}
		s.tried++
		if e := s.holderExpr(m, nodes[m][0], list, ctx); e != nil {
			step := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: s.x.nodes[list[0]].Data}}
			c := proposal(relax.Reading{Expr: &xpath.Expr{Steps: []xpath.Step{step}}}, nil)
			c.expr, c.from = e.Tree, from
			out = append(out, &recordSet{candidate: *c, list: list})
		}
	}
	return out
}

// aroundEach gives for each mark the largest element inside ctx that holds it and no other; nil where these are not all of one kind, or
// are the marks themselves.
func (s *session) aroundEach(marks []int, ctx int) []int {
	list := make([]int, len(marks))
	for i, m := range marks {
		for up := m; up >= 0 && up != ctx; up = s.x.parent[up] {
			if i > 0 && s.x.inside(marks[i-1], up) || i+1 < len(marks) && s.x.inside(marks[i+1], up) {
				break
			}
			list[i] = up
		}
		if list[i] == m || s.x.nodes[list[i]].Data != s.x.nodes[list[0]].Data {
			return nil
		}
	}
	return list
}

// holderExpr writes the elements of a list by the way from them to their marks; nil where that does not select just them.
func (s *session) holderExpr(m mark, first int, list []int, ctx int) *kb.Expr {
	way := ""
	for up := s.x.parent[first]; up != list[0]; up = s.x.parent[up] {
		way = s.x.nodes[up].Data + "/" + way
	}
	e, err := kb.NewExpr(fmt.Sprintf("%s[%s%s]", s.x.nodes[list[0]].Data, way, m))
	if err != nil || !slices.Equal(s.selected(e, ctx), list) {
		return nil
	}
	return e
}

// selected gives the elements that an expression selects, in document order.
func (s *session) selected(e *kb.Expr, ctx int) []int {
	var out []int
	for _, v := range s.selectAll(e, ctx) {
		if n, ok := s.x.number[v.Node]; ok && v.Attr == "" {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
