package adapt

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// scope is where the expressions of an action look: the nodes of its objects, and
// for each what lies inside it but belongs to others.
type scope struct {
	// records are the objects' nodes as numbers of the index; -1 is the page.
	records []int
	// inner are the nodes of objects inside them, sorted.
	inner []int
	// ends are the numbers after what belongs to them; nil where that is what lies in
	// them.
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
	// holding is how many conditions of the expression hold beside the changed one.
	holding int
	// proposed tells that it was read off the page and is no relaxation.
	proposed bool
	stated   bool // it is where the page states the value for programs
	agreed   bool // the page states its value, wherever it stands
	early    int  // of a date: the higher, the sooner it is read

	nodes  [][]int  // selected, by record
	values []string // by record, "" for none

	earlier, beside float64 // see [general], [nearby]
	denied, apart   bool
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

// proposal is an expression that was read off the page. It costs what the nearest relaxation to the same does and one change
// more, in the worst case; nearest may be nil.
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

// group is elements that a template makes alike: one tag with one condition, its
// own or that of its parent.
type group struct {
	tag   string
	cond  xpath.Pred // zero for none
	outer xpath.Pred // of the parent, where the element itself has nothing
	nodes []int
	in    int // number of records with one
	last  int // record seen last
}

// anyTag is the tag of a group whose elements have several.
const anyTag = "*"

// child stands for the parent of what lies directly in its context.
var child = xpath.Pred{Kind: xpath.Last}

type groupKey struct {
	tag         string
	cond, outer xpath.Pred
}

// maxGroups bounds the groups of one scope.
const maxGroups = 1500

// groups gathers the elements of some contexts by what they have in common, in
// document order of their first ones.
func (s *session) groups(contexts []int, inner []int) []*group {
	byKey := map[groupKey]*group{}
	var out []*group
	for i, ctx := range contexts {
		first, end := 0, len(s.x.nodes)
		if ctx >= 0 {
			first, end = ctx+1, s.x.end[ctx]
		}
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
	if len(conds) == 0 {
		k := groupKey{tag: tag}
		if up := s.x.parent[n]; up >= 0 && up == ctx {
			k.outer = child
		} else if up >= 0 {
			if outer := s.x.conditions(up); len(outer) > 0 {
				k.outer = outer[0]
			} else {
				k.outer = xpath.Pred{Kind: xpath.Exists, Value: xpath.Test{Kind: xpath.Tag, Name: s.x.nodes[up].Data}}
			}
		}
		keys = append(keys, k)
		if _, named := s.x.attr(n, "class"); !named && slices.Contains(blocks, s.x.nodes[n].DataAtom) {
			k.cond = unnamed
			keys = append(keys, k)
		}
	}
	return keys
}

// unnamed is asked of blocks without a name: others of the tag beside them may have one.
var unnamed = xpath.Pred{Kind: xpath.Not, Inner: &xpath.Pred{Kind: xpath.Exists, Value: xpath.Test{Kind: xpath.Attr, Name: "class"}}}

// expr writes a group as an expression of its own.
func (g *group) expr() *xpath.Expr {
	step := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: g.tag}}
	if g.tag == anyTag {
		step.Test = xpath.Test{Kind: xpath.AnyTag}
	}
	if g.cond != (xpath.Pred{}) {
		step.Preds = []xpath.Pred{g.cond}
	}
	switch g.outer {
	case xpath.Pred{}:
		return &xpath.Expr{Steps: []xpath.Step{step}}
	case child:
		step.Axis = xpath.Child
		return &xpath.Expr{Steps: []xpath.Step{step}}
	}
	up := xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: []xpath.Pred{g.outer}}
	if g.outer.Kind == xpath.Exists && g.outer.Value.Kind == xpath.Tag {
		up = xpath.Step{Test: g.outer.Value}
	}
	step.Axis = xpath.Child
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

// contexts gives for each record the nodes that a path in front of an expression
// leads to: the record itself where there is none.
func (s *session) contexts(records []int, before *xpath.Path) [][]int {
	out := make([][]int, len(records))
	var e *kb.Expr
	if before != nil {
		var err error
		if e, err = kb.ExprOf(before); err != nil {
			return out
		}
	}
	for i, rec := range records {
		if e == nil {
			out[i] = []int{rec}
			continue
		}
		for _, v := range s.selectAll(e, rec) {
			if n, ok := s.x.number[v.Node]; ok && v.Attr == "" {
				out[i] = append(out[i], n)
			}
		}
	}
	return out
}

func (s *session) node(n int) *html.Node {
	if n < 0 {
		return s.page.Doc
	}
	return s.x.nodes[n]
}

// selectsBy evaluates a whole expression in each record.
func (s *session) selectsBy(t *kb.Try, sc *scope) [][]int {
	s.tried++
	out := make([][]int, len(sc.records))
	for i, rec := range sc.records {
		for _, v := range s.selectAll(t.Expr, rec) {
			if n, ok := s.x.number[elementOf(v.Node)]; ok && !s.innerOf(n, rec, sc.inner) {
				out[i] = append(out[i], n)
			}
		}
	}
	return out
}

// selects evaluates a reading, or a relaxation of it, in each record.
func (s *session) selects(r relax.Reading, sc *scope) [][]int {
	s.tried++
	out := make([][]int, len(sc.records))
	for i, contexts := range s.cachedContexts(sc, r.Before) {
		var list []int
		for _, ctx := range contexts {
			for _, n := range s.x.selectIn(r.Expr, ctx) {
				if !s.innerOf(n, sc.records[i], sc.inner) {
					list = append(list, n)
				}
			}
		}
		out[i] = pick(list, r.Pick)
	}
	return out
}

func (s *session) cachedContexts(sc *scope, before *xpath.Path) [][]int {
	key := contextKey{scope: sc}
	if before != nil {
		key.before = before.String()
	}
	c, known := s.ctx[key]
	if !known {
		c = s.contexts(sc.records, before)
		s.ctx[key] = c
	}
	return c
}

type contextKey struct {
	scope  *scope
	before string
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

// common are the conditions that hold of nearly all elements of a group.
func (s *session) common(g *group) []xpath.Pred {
	const sample = 8
	step := max(1, len(g.nodes)/sample)
	var out []xpath.Pred
	for _, p := range s.x.conditions(g.nodes[0]) {
		held, of := 0, 0
		for i := 0; i < len(g.nodes); i += step {
			of++
			if s.x.holds(g.nodes[i], p, xpath.Test{Kind: xpath.Tag, Name: g.tag}) {
				held++
			}
		}
		if 10*held >= 9*of {
			out = append(out, p)
		}
	}
	return out
}

// relaxed gives the cheapest relaxation of a source that selects a node of a
// group, as a candidate without values; nil where there is none. ctx is where it
// starts. What is asked of the node itself holds of the group.
func (s *session) relaxed(src source, g *group, n, ctx int, to xpath.Test, known func(xpath.Pred) bool) *candidate {
	path := s.x.path(n, ctx)
	if len(path) == 0 {
		return nil
	}
	if s.commonOf != g {
		s.commonOf, s.commonConds = g, s.common(g)
	}
	if s.x.nodes[n].Data == g.tag {
		path[len(path)-1].Conditions, path[len(path)-1].Bent = s.commonConds, nil // others than those of the element
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
		if len(p) >= len(steps) {
			continue
		}
		same := true
		for i := range p {
			same = same && (&xpath.Expr{Steps: p[i : i+1]}).String() == (&xpath.Expr{Steps: steps[i : i+1]}).String()
		}
		if same {
			return len(p)
		}
	}
	return 0
}
