package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// index is a page laid out for many questions: its elements in document order,
// numbered, so that what lies inside an element is a range of numbers, and lists
// of elements by tag and by the values of their attributes. It is made once for
// a page; every candidate is then evaluated on lists instead of the tree.
type index struct {
	nodes  []*html.Node
	number map[*html.Node]int
	end    []int // number after the last element inside
	parent []int // -1 for what is not inside an element
	text   []int // bytes of text a reader sees before the element
	run    []int // of it, in texts long enough to be running text
	after  []int // text up to the end of the element
	runEnd []int

	tags   map[string][]int
	values map[string]map[string][]int // attribute -> value -> elements

	work  int // done so far, in visits
	steps map[string]*selection
	conds map[int][]xpath.Pred
	seen  map[int]relax.Element // as relaxations see them
}

// selection is the elements that a step selects by itself.
type selection struct {
	list []int
	has  []uint64
}

func (s *selection) contains(n int) bool { return s.has[n/64]>>(n%64)&1 != 0 }

// maxElements bounds the index: a page with more is not adapted to.
const maxElements = 200_000

// longText is how long a text must be to count as running text, in bytes.
const longText = 40

func newIndex(doc *html.Node) *index {
	x := &index{
		number: map[*html.Node]int{}, tags: map[string][]int{}, values: map[string]map[string][]int{},
		steps: map[string]*selection{}, conds: map[int][]xpath.Pred{}, seen: map[int]relax.Element{},
	}
	var text, run int
	up := -1
	silent := 0
	for n := doc; n != nil; {
		if n.Type == html.ElementNode && len(x.nodes) < maxElements {
			up = x.add(n, up, text, run)
		}
		if unread(n) {
			silent++
		}
		if n.Type == html.TextNode && silent == 0 {
			if t := len(strings.TrimSpace(n.Data)); t > 0 {
				text += t
				if t >= longText {
					run += t
				}
			}
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != nil {
			if unread(n) {
				silent--
			}
			if up >= 0 && x.nodes[up] == n {
				x.end[up], x.after[up], x.runEnd[up] = len(x.nodes), text, run
				up = x.parent[up]
			}
			if n == doc {
				n = nil
			} else if n.NextSibling != nil {
				n = n.NextSibling
				break
			} else {
				n = n.Parent
			}
		}
	}
	return x
}

// unread reports whether a reader sees nothing of an element's text.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Select, atom.Textarea, atom.Input: // what a form holds is its own
		return true
	}
	return n.Type == html.ElementNode && n.DataAtom == 0 && (n.Data == "http" || n.Data == "url")
}

func (x *index) add(n *html.Node, up, text, run int) int {
	i := len(x.nodes)
	x.nodes = append(x.nodes, n)
	x.number[n] = i
	x.parent = append(x.parent, up)
	x.end, x.text, x.run = append(x.end, i+1), append(x.text, text), append(x.run, run)
	x.after, x.runEnd = append(x.after, text), append(x.runEnd, run)
	x.tags[n.Data] = append(x.tags[n.Data], i)
	for _, a := range n.Attr {
		if a.Namespace != "" {
			continue
		}
		byValue := x.values[a.Key]
		if byValue == nil {
			byValue = map[string][]int{}
			x.values[a.Key] = byValue
		}
		byValue[a.Val] = append(byValue[a.Val], i)
	}
	return i
}

// length is how much text a reader sees in an element, in bytes.
func (x *index) length(n int) int { return x.after[n] - x.text[n] }

// running is how much of it is running text.
func (x *index) running(n int) int { return x.runEnd[n] - x.run[n] }

// inside reports whether an element lies in another, or is it. Everything lies in the
// page, which is -1.
func (x *index) inside(n, outer int) bool {
	return outer < 0 || outer <= n && n < x.end[outer]
}

func (x *index) attr(n int, name string) (string, bool) {
	for _, a := range x.nodes[n].Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// holds reports whether an element fulfils a predicate; test is that of its step,
// which positions count by.
func (x *index) holds(n int, p xpath.Pred, test xpath.Test) bool {
	switch p.Kind {
	case xpath.Not:
		return !x.holds(n, *p.Inner, test)
	case xpath.Position, xpath.Last:
		return x.positionAmong(n, xpath.Step{Test: test, Preds: []xpath.Pred{p}}, 0)
	}
	switch p.Value.Kind {
	case xpath.Attr:
		v, ok := x.attr(n, p.Value.Name)
		return ok && compare(p, v)
	case xpath.Self:
		return p.Compare(x.read(x.nodes[n]))
	}
	for c := x.nodes[n].FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && p.Value.Kind == xpath.Text && p.Compare(c.Data) ||
			c.Type == html.ElementNode && p.Value.Kind == xpath.Tag && c.Data == p.Value.Name &&
				(p.Kind == xpath.Exists || p.Compare(x.read(c))) {
			return true
		}
	}
	return false
}

// compare reports whether an attribute fulfils a predicate; a literal between spaces is
// a token of it, as in [relax.Term].
func compare(p xpath.Pred, v string) bool {
	if p.Kind == xpath.Contains && strings.HasPrefix(p.Literal, " ") && strings.HasSuffix(p.Literal, " ") {
		v = " " + v + " "
	}
	return p.Compare(v)
}

func textContent(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && b.Len() < 1<<12 {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func fits(n *html.Node, test xpath.Test) bool {
	return n.Type == html.ElementNode && (test.Kind == xpath.AnyTag || test.Kind == xpath.Tag && n.Data == test.Name)
}

// step selects the elements that fulfil a step by itself.
func (x *index) step(s xpath.Step) *selection {
	s.Axis = xpath.Descendant
	key := (&xpath.Expr{Steps: []xpath.Step{s}}).String()
	if sel := x.steps[key]; sel != nil {
		return sel
	}
	sel := &selection{has: make([]uint64, len(x.nodes)/64+1)}
	list := x.narrowest(s)
	x.spend((1 + len(s.Preds)) * (20 + len(list)))
	for _, n := range list {
		if fits(x.nodes[n], s.Test) && x.fulfils(n, s) {
			sel.list = append(sel.list, n)
			sel.has[n/64] |= 1 << (n % 64)
		}
	}
	x.steps[key] = sel
	return sel
}

// fulfils asks all predicates of a step. A position counts the elements that fulfil
// those before it.
func (x *index) fulfils(n int, s xpath.Step) bool {
	for i, p := range s.Preds {
		if p.Positional() && !x.positionAmong(n, s, i) || !p.Positional() && !x.holds(n, p, s.Test) {
			return false
		}
	}
	return true
}

func (x *index) positionAmong(n int, s xpath.Step, at int) bool {
	before := xpath.Step{Test: s.Test, Preds: s.Preds[:at]}
	position, more := 1, false
	up := x.parent[n]
	first, end := 0, len(x.nodes)
	if up >= 0 {
		first, end = up+1, x.end[up]
	}
	for m := first; m < end; m = x.end[m] {
		if m != n && fits(x.nodes[m], s.Test) && x.fulfils(m, before) {
			if m < n {
				position++
			} else {
				more = true
			}
		}
	}
	if s.Preds[at].Kind == xpath.Last {
		return !more
	}
	return position == s.Preds[at].N
}

// narrowest gives a short list of elements among which those of a step are.
func (x *index) narrowest(s xpath.Step) []int {
	var best []int
	found := false
	if s.Test.Kind == xpath.Tag {
		best, found = x.tags[s.Test.Name], true
	}
	for _, p := range s.Preds {
		if p.Value.Kind != xpath.Attr || p.Kind == xpath.Not || p.Positional() || found && len(best) < 16 {
			continue
		}
		var list []int
		x.spend(len(x.values[p.Value.Name]))
		for v, nodes := range x.values[p.Value.Name] {
			if compare(p, v) {
				list = append(list, nodes...)
			}
		}
		if !found || len(list) < len(best) {
			best, found = list, true
		}
	}
	if !found {
		best = make([]int, len(x.nodes))
		for i := range best {
			best[i] = i
		}
		return best
	}
	if !slices.IsSorted(best) {
		slices.Sort(best)
	}
	return best
}

// selectIn gives the elements that an expression selects with ctx as its context
// node (-1 for the document), without its last step where that is an attribute
// or text.
func (x *index) selectIn(e *xpath.Expr, ctx int) []int {
	var out []int
	x.selecting(e, ctx, func(n int) bool {
		out = append(out, n)
		return true
	})
	return out
}

// firstIn gives the first of the elements of selectIn; ok is false for none.
func (x *index) firstIn(e *xpath.Expr, ctx int) (first int, ok bool) {
	x.selecting(e, ctx, func(n int) bool {
		first, ok = n, true
		return false
	})
	return first, ok
}

// selecting yields what selectIn gives until yield ends it.
func (x *index) selecting(e *xpath.Expr, ctx int, yield func(int) bool) {
	steps := elementSteps(e)
	if len(steps) == 0 {
		if ctx >= 0 {
			yield(ctx)
		}
		return
	}
	sels := make([]*selection, len(steps))
	for i, s := range steps {
		sels[i] = x.step(s)
	}
	x.spend(10)
	for _, n := range within(sels[len(sels)-1].list, ctx, x) {
		x.spend(len(steps))
		if x.reaches(steps, sels, len(steps)-1, n, ctx) && !yield(n) {
			return
		}
	}
}

// within cuts a list to what lies inside an element.
func within(list []int, ctx int, x *index) []int {
	if ctx < 0 {
		return list
	}
	from, _ := slices.BinarySearch(list, ctx+1)
	to, _ := slices.BinarySearch(list, x.end[ctx])
	return list[from:to]
}

// reaches reports whether the steps before step i can be laid on what is around n,
// which fulfils step i.
func (x *index) reaches(steps []xpath.Step, sels []*selection, i, n, ctx int) bool {
	up := x.parent[n]
	if i == 0 {
		return steps[0].Axis == xpath.Descendant || up == ctx
	}
	for ; up >= 0 && up != ctx; up = x.parent[up] {
		if sels[i-1].contains(up) && x.reaches(steps, sels, i-1, up, ctx) {
			return true
		}
		if steps[i].Axis == xpath.Child {
			return false
		}
	}
	return false
}

func elementSteps(e *xpath.Expr) []xpath.Step {
	steps := e.Steps
	if t := steps[len(steps)-1].Test; t.IsAttr() || t.Kind == xpath.Text {
		steps = steps[:len(steps)-1]
	}
	return steps
}

// target is the attribute or text that an expression ends in, or zero.
func target(e *xpath.Expr) xpath.Test {
	if t := e.Steps[len(e.Steps)-1].Test; t.IsAttr() || t.Kind == xpath.Text {
		return t
	}
	return xpath.Test{}
}
