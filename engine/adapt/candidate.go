package adapt

import (
	"errors"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// scope is where the expressions of an action look: the nodes of its objects, and for each what lies inside it but belongs to others.
type scope struct {
	// records are the objects' nodes as numbers of the index; -1 is the page.
	records []int
	// inner are the nodes of objects inside them, sorted.
	inner []int
	// ends are the numbers after what belongs to them; nil where that is what lies in them.
	ends []int
}

// candidate is one expression that could take the place of a failed one.
type candidate struct {
	reading relax.Reading
	try     *kb.Try    // the whole expression, where it is none of a reading
	expr    xpath.Node // as it is written
	match   *kb.Regexp
	from    string // the expression that it is a relaxation of
	cost    relax.Cost
	// holding is how many conditions hold of an expression that is cut to its last step.
	holding int
	// proposed tells that it was read off the page and is no relaxation.
	proposed bool
	stated   bool // it is where the page states the value for programs
	agreed   bool // the page states its value, wherever it stands
	early    int  // of a date: the higher, the sooner it is read

	nodes  [][]int  // selected, by record
	values []string // by record, "" for none

	earlier float64 // see [general]
	denied  bool
	measured
	verdict
}

// measured is what of the text of its objects a content is: see [ask.measure].
type measured struct {
	share, padding, refrain float64
	mere                    bool
}

// verdict is what was made of a candidate.
type verdict struct {
	vector []float64 // of features: see [evidenceOf]
	score  float64   // in logits, before it is decided
	sure   float64   // how likely it, or what is like it, is right, where it was decided
	why    []string  // what spoke for it
}

// proposal is an expression that was read off the page. It costs what the nearest relaxation to the same does and one change more, in the
// worst case; nearest may be nil.
func proposal(r relax.Reading, nearest *candidate) *candidate {
	c := &candidate{proposed: true, reading: r, expr: r.Tree(), cost: relax.Cost{Worst: true, Changes: 3}}
	if nearest != nil {
		c.from, c.match, c.cost = nearest.from, nearest.match, nearest.cost
		c.cost.Worst, c.cost.Changes = true, c.cost.Changes+1
	}
	return c
}

// trial is a proposal that is no reading.
func trial(e *kb.Expr, match *kb.Regexp, changes int) *candidate {
	return &candidate{proposed: true, try: &kb.Try{Expr: e, Match: match}, expr: e.Tree, match: match,
		cost: relax.Cost{Worst: true, Changes: changes}}
}

// compiled is the expression, ready to run.
func (c *candidate) compiled() (*kb.Expr, error) {
	switch {
	case c.expr == nil:
		return nil, errors.New("a candidate without an expression")
	case c.try != nil && c.try.Expr.Tree == c.expr:
		return c.try.Expr, nil
	}
	return kb.ExprOf(c.expr)
}

// filled counts the records with a value.
func (c *candidate) filled() int {
	n := 0
	for _, v := range c.values {
		if v != "" {
			n++
		}
	}
	return n
}

// written is the expression as text; "" where there is none.
func (c *candidate) written() string {
	if c.expr == nil {
		return ""
	}
	return c.expr.String()
}

// target is the attribute or text that a candidate ends in, or zero.
func (c *candidate) target() xpath.Test {
	if c.reading.Expr == nil {
		return xpath.Test{}
	}
	return target(c.reading.Expr)
}

// coverage is in which share of the records the candidate gives a value.
func (c *candidate) coverage() float64 {
	return float64(c.filled()) / float64(max(1, len(c.values)))
}

// group is elements that a template makes alike: one tag with one condition, its own or that of its parent.
type group struct {
	tag   string
	cond  xpath.Pred // zero for none
	outer xpath.Pred // of the parent, where the element itself has nothing
	nodes []int
	in    int // number of records with one
	last  int // record seen last
}

// child stands for the parent of what lies directly in its context.
var child = xpath.Pred{Kind: xpath.Last}

type groupKey struct {
	tag         string
	cond, outer xpath.Pred
}

// maxGroups bounds the groups of one scope.
const maxGroups = 1500

// groups gathers the elements of some contexts by what they have in common, in document order of their first ones.
func (s *session) groups(contexts []int, inner []int) []*group {
	byKey := map[groupKey]*group{}
	var out []*group
	for i, ctx := range contexts {
		first, end := s.x.span(ctx)
		s.x.spend(4 * (end - first))
		for n := first; n < end; n++ {
			if next := skip(s.x, n, ctx, inner); next > n {
				n = next - 1
				continue
			}
			for _, k := range s.keys(n, ctx) {
				g := byKey[k]
				if g == nil {
					if len(out) >= maxGroups {
						continue
					}
					g = &group{tag: k.tag, cond: k.cond, outer: k.outer, last: -1}
					byKey[k] = g
					out = append(out, g)
				}
				g.nodes = append(g.nodes, n)
				if g.last != i {
					g.last, g.in = i, g.in+1
				}
			}
		}
	}
	return out
}

// skip gives the number after an inner object that starts at n, or n.
func skip(x *index, n, ctx int, inner []int) int {
	if i, found := slices.BinarySearch(inner, n); found && inner[i] != ctx {
		return x.end[n]
	}
	return n
}

// keys are the groups that an element belongs to. ctx is where expressions start.
func (s *session) keys(n, ctx int) []groupKey {
	tag := s.x.nodes[n].Data
	conds := s.x.conditions(n)
	keys := make([]groupKey, 0, len(conds)+1)
	for _, c := range conds {
		keys = append(keys, groupKey{tag: tag, cond: c})
	}
	if len(conds) > 0 {
		return keys
	}
	k := groupKey{tag: tag}
	switch up := s.x.parent[n]; {
	case up < 0:
	case up == ctx:
		k.outer = child
	case len(s.x.conditions(up)) > 0:
		k.outer = s.x.conditions(up)[0]
	default:
		k.outer = xpath.Pred{Kind: xpath.Exists, Value: xpath.Test{Kind: xpath.Tag, Name: s.x.nodes[up].Data}}
	}
	keys = append(keys, k)
	if _, named := s.x.attr(n, "class"); !named && slices.Contains(blocks, s.x.nodes[n].DataAtom) {
		k.cond = unnamed
		keys = append(keys, k)
	}
	return keys
}

// unnamed is asked of blocks without a name: others of the tag beside them may have one.
var unnamed = xpath.Pred{Kind: xpath.Not, Inner: &xpath.Pred{Kind: xpath.Exists, Value: xpath.Test{Kind: xpath.Attr, Name: "class"}}}

// expr writes a group as an expression of its own.
func (g *group) expr() *xpath.Expr {
	step := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: g.tag}}
	if g.cond != (xpath.Pred{}) {
		step.Preds = []xpath.Pred{g.cond}
	}
	if g.outer == (xpath.Pred{}) {
		return &xpath.Expr{Steps: []xpath.Step{step}}
	}
	step.Axis = xpath.Child
	if g.outer == child {
		return &xpath.Expr{Steps: []xpath.Step{step}}
	}
	up := xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: []xpath.Pred{g.outer}}
	if g.outer.Kind == xpath.Exists && g.outer.Value.Kind == xpath.Tag {
		up = xpath.Step{Test: g.outer.Value}
	}
	return &xpath.Expr{Steps: []xpath.Step{up, step}}
}

// source is one expression that relaxations start from.
type source struct {
	reading relax.Reading
	from    string
	match   *kb.Regexp
}

// sources reads the tries of a spot.
func (s *session) sources(spot kb.Spot) []source {
	var out []source
	for _, t := range spot.Tries {
		for _, r := range s.lex.read(t.Expr) {
			out = append(out, source{r, t.Expr.Source, t.Match})
		}
	}
	return out
}

// context is the element in which a reading of a record starts: the record or, behind a path, the row after it.
func (x *index) context(rec int, before *xpath.Path) (ctx int, ok bool) {
	if before == nil {
		return rec, true
	}
	for n := x.end[rec]; n < len(x.nodes) && x.parent[n] == x.parent[rec]; n = x.end[n] {
		if x.nodes[n].DataAtom == atom.Tr {
			return n, true
		}
	}
	return 0, false
}

func (s *session) node(n int) *html.Node {
	if n < 0 {
		return s.page.Doc
	}
	return s.x.nodes[n]
}

// selects evaluates a candidate in each record.
func (s *session) selects(c *candidate, sc *scope) [][]int {
	s.tried++
	out := make([][]int, len(sc.records))
	for i, rec := range sc.records {
		if c.try != nil {
			out[i] = s.numbers(s.found(c.try.Expr, rec, sc))
			continue
		}
		var list []int
		if ctx, ok := s.x.context(rec, c.reading.Before); ok {
			list = slices.DeleteFunc(s.x.selectIn(c.reading.Expr, ctx), func(n int) bool { return s.innerOf(n, rec, sc.inner) })
		}
		out[i] = pick(list, c.reading.Pick)
	}
	return out
}

// innerOf reports whether a node lies in an object inside a record.
func (s *session) innerOf(n, record int, inner []int) bool {
	for m := n; m >= 0 && m != record; m = s.x.parent[m] {
		if _, found := slices.BinarySearch(inner, m); found {
			return true
		}
	}
	return false
}

func pick(list []int, position xpath.Pred) []int {
	switch {
	case position == (xpath.Pred{}) || len(list) == 0:
		return list
	case position.Kind == xpath.Last:
		return list[len(list)-1:]
	case position.N > len(list):
		return nil
	}
	return list[position.N-1 : position.N]
}

// relaxed gives the cheapest relaxation of a source that selects a node, as a candidate without values; nil where there is none. ctx is
// where it starts.
func (s *session) relaxed(src source, n, ctx int, to xpath.Test, known func(xpath.Pred) bool) *candidate {
	path := s.x.path(n, ctx)
	if len(path) == 0 {
		return nil
	}
	s.x.spend(matchWork * len(path) * len(src.reading.Expr.Steps))
	r, ok := relax.Nearest(src.reading.Expr, s.protected(src), path, to, known)
	if !ok {
		return nil
	}
	reading := src.reading
	reading.Expr = r.Expr
	return &candidate{reading: reading, expr: reading.Tree(), match: src.match, from: src.from, cost: r.Cost}
}

// protected counts the steps in front that are a detection pattern that fired.
func (s *session) protected(src source) int {
	if src.reading.Before != nil {
		return 0
	}
	steps := src.reading.Expr.Steps
	for _, p := range s.fired {
		if len(p) < len(steps) && (&xpath.Expr{Steps: p}).String() == (&xpath.Expr{Steps: steps[:len(p)]}).String() {
			return len(p)
		}
	}
	return 0
}
