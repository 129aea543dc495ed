package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// blocks are the elements that templates are built of. Running text is in others, or in them directly.
var blocks = []atom.Atom{atom.Div, atom.Section, atom.Article, atom.Main, atom.Table, atom.Aside, atom.Footer, atom.Header, atom.Tbody,
	atom.Tr, atom.Td}

// stacks reports whether a candidate for a content selects frames around it: hardly one has text of its own, and in some more than one
// block stands, the content and a signature say. Which of them is the content nobody knows.
func (s *session) stacks(c *candidate) bool {
	filled, framing, stacked := 0, 0, false
	for _, nodes := range c.nodes {
		all := s.lengths(nodes)
		if all == 0 {
			continue
		}
		longest := slices.MaxFunc(nodes, func(a, b int) int { return s.x.length(a) - s.x.length(b) })
		filled++
		if s.x.length(longest) < all && slices.Contains(blocks, s.x.nodes[longest].DataAtom) { // the blocks without their frame
			framing, stacked = framing+1, true
			continue
		}
		framed := s.framed(longest)
		for s.unknown && len(framed) == 1 && s.framed(framed[0]) != nil { // of a known template the innermost blocks are what people wrote
			framed = s.framed(framed[0])
		}
		if len(framed) > 0 {
			framing++
		}
		stacked = stacked || len(framed) > 1
	}
	return stacked && 5*framing >= 4*filled
}

// framed lists the blocks with text in an element that has hardly any text beside them; nil where it has.
func (s *session) framed(n int) (out []int) {
	const mostText = 0.9 // of a frame is in its blocks
	inBlocks := 0
	for m := n + 1; m < s.x.end[n]; m = s.x.end[m] {
		if l := s.x.length(m); l > 0 && slices.Contains(blocks, s.x.nodes[m].DataAtom) {
			out, inBlocks = append(out, m), inBlocks+l
		}
	}
	if float64(inBlocks) < mostText*float64(s.x.length(n)) {
		return nil
	}
	return out
}

// lengths is how much text a reader sees in some elements that do not lie in each other.
func (s *session) lengths(nodes []int) (sum int) {
	for _, n := range nodes {
		sum += s.x.length(n)
	}
	return sum
}

// doubles counts the objects that are there under their id already, and those that are there under another one, with all they say: two
// actions that find the same things.
func doubles(h extract.Harvest) (n int) {
	ids, said := map[string]bool{}, map[string]bool{}
	for _, o := range h.Objects {
		id, key, says := o.Class+" "+o.ID, o.Class, false
		for _, f := range o.Fields {
			v := strings.Join(f.Values, "\n")
			key += "\x00" + f.Name + "\x00" + v
			says = says || f.As == kb.HTML && v != ""
		}
		if ids[id] || says && said[key] {
			n++
		}
		ids[id], said[key] = true, true
	}
	return n
}
