package adapt

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// index is a page laid out for many questions: its elements in document order, numbered, so that what lies inside an element is a range of
// numbers, and lists of elements by tag and by the values of their attributes. It is made once for a page; every candidate is then
// evaluated on lists instead of the tree.
type index struct {
	nodes  []*html.Node
	number map[*html.Node]int
	end    []int // number after the last element inside
	parent []int // -1 for what is not inside an element
	text   []int // bytes of text a reader sees before the element
	run    []int // of it, in texts long enough to be running text
	after  []int // text up to the end of the element
	runEnd []int
	texts  int // bytes of text so far
	runs   int

	tags   map[string][]int            // "*" holds all
	values map[string]map[string][]int // attribute -> value -> elements

	work  int                   // done so far, in visits
	steps map[string][]int      // what a step selects by itself, by how it is written
	seen  map[int]relax.Element // as relaxations see them
}

// maxElements bounds the index: a page with more is not adapted to.
const maxElements = 200_000

// longText is how long a text must be to count as running text, in bytes.
const longText = 40

func newIndex(doc *html.Node) *index {
	x := &index{
		number: map[*html.Node]int{}, tags: map[string][]int{}, values: map[string]map[string][]int{},
		steps: map[string][]int{}, seen: map[int]relax.Element{},
	}
	x.lay(doc, -1, false)
	return x
}

// lay lays out a node and what is in it; unseen tells that a reader sees nothing of its text.
func (x *index) lay(n *html.Node, up int, unseen bool) {
	at := up
	if n.Type == html.ElementNode && len(x.nodes) < maxElements {
		at = x.add(n, up)
	}
	unseen = unseen || unread(n)
	if n.Type == html.TextNode && !unseen {
		t := len(strings.TrimSpace(n.Data))
		x.texts += t
		if t >= longText {
			x.runs += t
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		x.lay(c, at, unseen)
	}
	if at != up {
		x.end[at], x.after[at], x.runEnd[at] = len(x.nodes), x.texts, x.runs
	}
}

// unread reports whether a reader sees nothing of an element's text.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Select, atom.Textarea, atom.Input: // what a form holds is its own
		return true
	}
	return n.Type == html.ElementNode && n.DataAtom == 0 && (n.Data == "http" || n.Data == "url")
}

func (x *index) add(n *html.Node, up int) int {
	i := len(x.nodes)
	x.nodes = append(x.nodes, n)
	x.number[n] = i
	x.parent = append(x.parent, up)
	x.end, x.text, x.run = append(x.end, 0), append(x.text, x.texts), append(x.run, x.runs)
	x.after, x.runEnd = append(x.after, 0), append(x.runEnd, 0)
	x.tags[n.Data], x.tags["*"] = append(x.tags[n.Data], i), append(x.tags["*"], i)
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

// inside reports whether an element lies in another, or is it. Everything lies in the page, which is -1.
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

// holds reports whether an element fulfils a predicate; test is that of its step, which positions count by.
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

// compare reports whether an attribute fulfils a predicate; a literal between spaces is a token of it, as in [relax.Term].
func compare(p xpath.Pred, v string) bool {
	if p.Kind == xpath.Contains && strings.HasPrefix(p.Literal, " ") && strings.HasSuffix(p.Literal, " ") {
		v = " " + v + " "
	}
	return p.Compare(v)
}

// elementOf is the element that a value is, belongs to or lies in.
func elementOf(n *html.Node) *html.Node {
	if n != nil && n.Type == html.TextNode {
		return n.Parent
	}
	return n
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
func (x *index) step(s xpath.Step) []int {
	s.Axis = xpath.Descendant
	key := (&xpath.Expr{Steps: []xpath.Step{s}}).String()
	selected, known := x.steps[key]
	if !known {
		list := x.narrowest(s)
		x.spend((1 + len(s.Preds)) * (20 + len(list)))
		for _, n := range list {
			if fits(x.nodes[n], s.Test) && x.fulfils(n, s) {
				selected = append(selected, n)
			}
		}
		x.steps[key] = selected
	}
	return selected
}

// fulfils asks all predicates of a step. A position counts the elements that fulfil those before it.
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
	first, end := x.span(x.parent[n])
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
	best := x.tags["*"]
	if s.Test.Kind == xpath.Tag {
		best = x.tags[s.Test.Name]
	}
	for _, p := range s.Preds {
		if p.Value.Kind != xpath.Attr || p.Kind == xpath.Not || p.Positional() || len(best) < 16 {
			continue
		}
		var list []int
		x.spend(len(x.values[p.Value.Name]))
		for v, nodes := range x.values[p.Value.Name] {
			if compare(p, v) {
				list = append(list, nodes...)
			}
		}
		if len(list) < len(best) {
			best = list
		}
	}
	slices.Sort(best)
	return best
}

// selectIn gives the elements that an expression selects with ctx as its context node (-1 for the document), without its last step
// where that is an attribute or text.
func (x *index) selectIn(e *xpath.Expr, ctx int) []int { return slices.Collect(x.selecting(e, ctx)) }

// selecting yields what selectIn gives.
func (x *index) selecting(e *xpath.Expr, ctx int) iter.Seq[int] {
	return func(yield func(int) bool) {
		steps := elementSteps(e)
		if len(steps) == 0 {
			if ctx >= 0 {
				yield(ctx)
			}
			return
		}
		sels := make([][]int, len(steps))
		for i, s := range steps {
			sels[i] = x.step(s)
		}
		x.spend(10)
		for _, n := range within(sels[len(sels)-1], ctx, x) {
			x.spend(len(steps))
			if x.reaches(steps, sels, len(steps)-1, n, ctx) && !yield(n) {
				return
			}
		}
	}
}

// span is the range of what lies inside an element, or on the page, which is -1.
func (x *index) span(ctx int) (first, end int) {
	if ctx < 0 {
		return 0, len(x.nodes)
	}
	return ctx + 1, x.end[ctx]
}

// within cuts a list to what lies inside an element.
func within(list []int, ctx int, x *index) []int {
	first, end := x.span(ctx)
	from, _ := slices.BinarySearch(list, first)
	to, _ := slices.BinarySearch(list, end)
	return list[from:to]
}

// reaches reports whether the steps before step i can be laid on what is around n, which fulfils step i.
func (x *index) reaches(steps []xpath.Step, sels [][]int, i, n, ctx int) bool {
	up := x.parent[n]
	if i == 0 {
		return steps[0].Axis == xpath.Descendant || up == ctx
	}
	for ; up >= 0 && up != ctx; up = x.parent[up] {
		if _, found := slices.BinarySearch(sels[i-1], up); found && x.reaches(steps, sels, i-1, up, ctx) {
			return true
		}
		if steps[i].Axis == xpath.Child {
			return false
		}
	}
	return false
}

// elementSteps are the steps of an expression without the attribute or text that it ends in.
func elementSteps(e *xpath.Expr) []xpath.Step {
	if target(e) != (xpath.Test{}) {
		return e.Steps[:len(e.Steps)-1]
	}
	return e.Steps
}

// target is the attribute or text that an expression ends in, or zero.
func target(e *xpath.Expr) xpath.Test {
	if t := e.Steps[len(e.Steps)-1].Test; t.IsAttr() || t.Kind == xpath.Text {
		return t
	}
	return xpath.Test{}
}
