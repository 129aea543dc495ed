package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// blocks are the elements that templates are built of. Running text is in others,
// or in them directly.
var blocks = []atom.Atom{atom.Div, atom.Section, atom.Article, atom.Main, atom.Table, atom.Aside, atom.Footer, atom.Header, atom.Tbody,
	atom.Tr, atom.Td}

// stacks reports whether a candidate for a content selects frames around it: hardly
// one has text of its own, and in some more than one block stands, the content and
// a signature say. Which of them is the content nobody knows.
func (s *session) stacks(c *candidate) bool {
	const mostText = 0.9 // of a frame is in its blocks
	filled, framing, stacked := 0, 0, 0
	for _, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		n := slices.MaxFunc(nodes, func(a, b int) int { return s.x.length(a) - s.x.length(b) })
		if s.x.length(n) == 0 {
			continue
		}
		filled++
		if s.x.length(n) < s.lengths(nodes) && slices.Contains(blocks, s.x.nodes[n].DataAtom) {
			framing, stacked = framing+1, stacked+1 // the blocks without their frame
			continue
		}
		framed, texts := false, 1
		for texts == 1 { // a frame around a frame is one too
			inner, inBlocks := -1, 0
			texts = 0
			for m := n + 1; m < s.x.end[n]; m = s.x.end[m] {
				if l := s.x.length(m); l > 0 && slices.Contains(blocks, s.x.nodes[m].DataAtom) {
					texts++
					inner, inBlocks = m, inBlocks+l
				}
			}
			if float64(inBlocks) < mostText*float64(s.x.length(n)) {
				break
			}
			framed, n = true, inner
			if !s.unknown {
				break // the innermost blocks of a known template are what people wrote
			}
		}
		if framed {
			framing++
		}
		if framed && texts > 1 {
			stacked++
		}
	}
	return stacked > 0 && 5*framing >= 4*filled
}

// lengths is how much text a reader sees in some elements that do not lie in each other.
func (s *session) lengths(nodes []int) int {
	sum := 0
	for _, n := range nodes {
		sum += s.x.length(n)
	}
	return sum
}

// marked reports whether most elements of a list are, or hold, something that is
// named like one object of a class ("comment-author", not "comments-link").
func (s *session) marked(class string, list []int) bool {
	_, name, _ := strings.Cut(strings.ToLower(class), ":")
	hits := 0
	for _, n := range list {
		for m := n; m < s.x.end[n]; m++ {
			if s.namesOne(m, name) {
				hits++
				break
			}
		}
	}
	return 5*hits >= 4*len(list)
}

func (s *session) namesOne(n int, name string) bool {
	for _, a := range s.x.nodes[n].Attr {
		if a.Key != "class" && a.Key != "id" {
			continue
		}
		for _, token := range strings.Fields(strings.ToLower(a.Val)) {
			_, rest, found := strings.Cut(token, name)
			if found && !strings.HasPrefix(rest, "s") &&
				!slices.ContainsFunc(aboutMany, func(w string) bool { return strings.Contains(token, w) }) {
				return true
			}
		}
	}
	return false
}

// aboutMany are parts of names for what leads to objects, counts or takes them.
var aboutMany = []string{"link", "count", "form", "num", "respond", "icon"}

// doubles counts the objects that are there under their id already, and those that
// are there under another one, with all they say: two actions that find the same things.
func doubles(h extract.Harvest) int {
	seen := map[string]bool{}
	n := 0
	ids := map[string]bool{}
	for _, o := range h.Objects {
		if id := o.Class + " " + o.ID; ids[id] {
			n++
			continue
		} else {
			ids[id] = true
		}
		key, says := o.Class, false
		for _, f := range o.Fields {
			v := strings.Join(f.Values, "\n")
			key += "\x00" + f.Name + "\x00" + v
			says = says || f.As == kb.HTML && v != ""
		}
		if says && seen[key] {
			n++
		}
		seen[key] = true
	}
	return n
}
