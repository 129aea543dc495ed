package adapt

import (
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// change is a guess at what one element of a template became: its tag, or what an
// expression asks of it, is another now. It holds in all expressions of a level at
// once: a record, what it is named by and its fields may all name the element, which
// relaxing one of them cannot mend.
type change struct {
	from, to relax.Term
	cost     relax.Cost
	done     map[*kb.Try]*rewritten
}

// rewritten is a try under a change.
type rewritten struct {
	try  *kb.Try
	from string
}

// rewrite gives the tries of a place that a change concerns, as they are under it.
func (c *change) rewrite(s *session, tries []*kb.Try) []rewritten {
	var out []rewritten
	for _, t := range tries {
		r, known := c.done[t]
		if !known {
			if tree, ok := c.substitute(s, t.Expr); ok {
				s.x.spend(exprWork)
				if e, err := kb.ExprOf(tree); err == nil {
					r = &rewritten{&kb.Try{Expr: e, Match: t.Match}, t.Expr.Source}
				}
			}
			c.done[t] = r
		}
		if r != nil {
			out = append(out, *r)
		}
	}
	return out
}

// substitute writes an expression for the changed template. One may ask for the name as
// a token of the class, another as a part of it, a third for the element whatever its tag.
func (c *change) substitute(s *session, e *kb.Expr) (tree xpath.Node, ok bool) {
	tree = e.Tree
	for _, alternatives := range s.lex.steps(e) {
		for _, step := range alternatives {
			for _, p := range step.Preds {
				from := termOf(step, p)
				if from.Pred.Value != c.from.Pred.Value || strings.TrimSpace(from.Pred.Literal) != strings.TrimSpace(c.from.Pred.Literal) ||
					from.Tag != c.from.Tag && from.Tag != "*" && c.from.Tag != "*" {
					continue
				}
				to := c.to
				if c.to.Tag == c.from.Tag || from.Tag == "*" {
					to.Tag = from.Tag
				}
				if to.Pred == c.from.Pred {
					to.Pred = from.Pred
				}
				if is, concerned := relax.Substitute(tree, from, to); concerned {
					tree, ok = is, true
				}
			}
		}
	}
	return tree, ok
}

// termOf is what a step asks for by one of its predicates.
func termOf(step xpath.Step, p xpath.Pred) relax.Term {
	t := relax.Term{Tag: step.Test.Name, Pred: p}
	if step.Test.Kind == xpath.AnyTag {
		t.Tag = "*"
	}
	return t
}

// maxChanges bounds the guesses about one place.
const maxChanges = 12

// changes guesses what became of the elements that expressions ask for and the page
// does not have, the likeliest first: what is named alike, and of what is not, what is
// there as often as is expected (0 where that is not known). An expression that misses two
// elements is one of another theme.
func (s *session) changes(exprs []*kb.Expr, purpose string, expected int) []*change {
	var out []*change
	type terms struct{ from, to relax.Term }
	seen := map[terms]bool{}
	for _, e := range exprs {
		var missing [][]xpath.Step
		for _, alternatives := range s.lex.steps(e) {
			if !slices.ContainsFunc(alternatives, func(step xpath.Step) bool { return len(s.x.step(step).list) > 0 }) {
				missing = append(missing, alternatives)
			}
		}
		if len(missing) == 0 {
			out = append(out, s.wrapped(e)...)
			continue
		}
		if slices.ContainsFunc(missing[1:], func(m []xpath.Step) bool { return !slices.EqualFunc(m, missing[0], sameStep) }) {
			continue
		}
		for _, step := range missing[0] {
			for _, c := range s.became(step, purpose) {
				if seen[terms{c.from, c.to}] {
					continue
				}
				seen[terms{c.from, c.to}] = true
				if expected > 0 {
					n := len(s.x.step(c.to.Step()).list)
					d := *c
					d.cost.Distance += farCount * max(n-expected, expected-n) / max(n, expected)
					c = &d
				}
				out = append(out, c)
			}
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].cost.Compare(out[b].cost) < 0 })
	return out[:min(len(out), maxChanges)]
}

// exprsOf are the expressions of a spot.
func exprsOf(spot kb.Spot) []*kb.Expr {
	var out []*kb.Expr
	for _, t := range spot.Tries {
		out = append(out, t.Expr)
	}
	return out
}

// wrapped guesses that one of the elements that an expression asks for got a wrapper,
// where each is there and the expression finds nothing.
func (s *session) wrapped(e *kb.Expr) []*change {
	var out []*change
	for _, alternatives := range s.lex.steps(e) {
		from := termOf(alternatives[0], alternatives[0].Preds[0])
		around, inside := from, from
		around.Around, inside.Inside = true, true
		for _, to := range []relax.Term{around, inside} {
			if _, ok := relax.Substitute(e.Tree, from, to); ok {
				out = append(out, &change{from, to, from.Cost(to, nil), map[*kb.Try]*rewritten{}})
			}
		}
	}
	return out
}

// unlike is how far the new name of an element may be of which only its name is
// known.
const unlike = 50

// sameName is how far a name is that another attribute has now.
const sameName = 5

// farCount is the distance of what is there never so often as is expected.
const farCount = 60

func sameStep(a, b xpath.Step) bool { return a.Test == b.Test && slices.Equal(a.Preds, b.Preds) }

// became guesses what a step would ask for that no element of the page fulfils:
// for one of its conditions another, or none, or for its tag another. What other
// expressions of the type ask for is something else.
func (s *session) became(step xpath.Step, purpose string) []*change {
	key := purpose + " " + (&xpath.Expr{Steps: []xpath.Step{step}}).String()
	if out, known := s.guessed[key]; known {
		return out
	}
	tag := step.Test.Name
	if step.Test.Kind == xpath.AnyTag {
		tag = "*"
	}
	known := s.lex.known(s.category, purpose)
	var out []*change
	seen := map[relax.Term]bool{}
	add := func(from, to relax.Term) {
		if !seen[to] {
			seen[to] = true
			s.x.spend(nameWork)
			c := &change{from, to, from.Cost(to, known), map[*kb.Try]*rewritten{}}
			if strings.TrimSpace(to.Pred.Literal) == strings.TrimSpace(from.Pred.Literal) && to.Pred.Value != from.Pred.Value {
				c.cost.Distance = sameName
			}
			if tag == "*" && len(step.Preds) == 1 && c.cost.Distance > unlike {
				return // any element under any name
			}
			out = append(out, c)
		}
	}
	for i, p := range step.Preds {
		from := relax.Term{Tag: tag, Pred: p}
		name := strings.TrimSpace(p.Literal)
		rest := s.x.step(xpath.Step{Test: step.Test, Preds: slices.Delete(slices.Clone(step.Preds), i, i+1)}).list
		s.x.spend(4 * len(rest))
		for _, n := range rest {
			for _, q := range s.x.conditions(n) {
				// A name that became an id is numbered where it is there more than once.
				if q.Value.Name == "id" && p.Value.Name != "id" && strings.HasPrefix(q.Literal, name) &&
					strings.TrimRight(q.Literal, "-_") == name {
					add(from, relax.Term{Tag: tag, Pred: xpath.Pred{Kind: xpath.StartsWith, Value: q.Value, Literal: name}})
				}
				same := strings.TrimRight(q.Literal, "-_") == strings.TrimRight(name, "-_")
				if same || q.Value == p.Value && !s.lex.asks(s.page.Type, q.Literal) {
					add(from, relax.Term{Tag: tag, Pred: q})
				}
			}
			if _, has := s.x.attr(n, p.Value.Name); !has && (tag != "*" || len(step.Preds) > 1) {
				add(from, relax.Term{Tag: tag})
			}
		}
		if tag == "*" {
			continue
		}
		for _, n := range s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: step.Preds}).list {
			add(from, relax.Term{Tag: s.x.nodes[n].Data, Pred: p})
		}
		if len(step.Preds) == 1 {
			for _, to := range s.renamed(tag, p) {
				add(from, to)
			}
		}
	}
	s.guessed[key] = out
	return out
}

// renamed lists what could be an element of which the name and the tag changed
// together: what has a name of the same attribute that shares a word with its own.
func (s *session) renamed(tag string, p xpath.Pred) []relax.Term {
	words := relax.Words(p.Literal)
	var out []relax.Term
	seen := map[relax.Term]bool{}
	list := s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: []xpath.Pred{{Kind: xpath.Exists, Value: p.Value}}}).list
	s.x.spend(4 * len(list))
	for _, n := range list {
		if s.x.nodes[n].Data == tag {
			continue
		}
		for _, q := range s.x.conditions(n) {
			to := relax.Term{Tag: s.x.nodes[n].Data, Pred: q}
			if q.Value != p.Value || seen[to] || s.lex.asks(s.page.Type, q.Literal) {
				continue
			}
			seen[to] = true
			if slices.ContainsFunc(relax.Words(q.Literal), func(w string) bool { return len(w) > 2 && slices.Contains(words, w) }) {
				out = append(out, to)
			}
		}
	}
	return out
}

// changedSets lists what could be the nodes of an object inside ctx if one
// element of the template changed.
func (s *session) changedSets(spot kb.Spot, ctx int) []*recordSet {
	o := spot.Objects[len(spot.Objects)-1]
	var out []*recordSet
	seen := map[string]bool{}
	for _, c := range s.changes(exprsOf(spot), purpose(spot), s.expected(o, ctx)) {
		for _, r := range c.rewrite(s, spot.Tries) {
			if s.spent() {
				return out
			}
			s.tried++
			list := s.nodesOf([]*kb.Try{r.try}, ctx)
			if len(list) == 0 || len(list) > maxRecords || seen[listKey(list)] || !o.Nests && s.nested(list) || !s.named(o, list, true) ||
				s.holdsText(spot, list) {
				continue
			}
			if len(list) == 1 && c.to.Pred == (xpath.Pred{}) {
				continue // with a condition less, one element is more often a frame around the records
			}
			seen[listKey(list)] = true
			set := &recordSet{list: list, change: c}
			set.expr, set.from, set.cost = r.try.Expr.Tree, r.from, c.cost
			set.score = 1.5 - 0.45*float64(c.cost.Changes) - 0.002*float64(c.cost.Distance)
			out = append(out, set)
		}
	}
	return out
}

// nested reports whether an element of a list lies in the one before it.
func (s *session) nested(list []int) bool {
	for i, n := range list[:max(0, len(list)-1)] {
		if list[i+1] < s.x.end[n] {
			return true
		}
	}
	return false
}

// expected is how many objects what still works of their fields lets expect; 0
// where nothing does.
func (s *session) expected(o *kb.Object, ctx int) int {
	best, count := 0, map[int]int{}
	for _, lists := range s.anchors(o, ctx) {
		n := len(lists[0])
		if count[n]++; best == 0 || count[n] > count[best] {
			best = n
		}
	}
	return best
}

// changeSure is how sure by itself a field is that a change of its object's template explains, too: further pages tell more.
const changeSure = 0.39

// underChange evaluates what a field's actions give under a change; nil where it
// does not concern them, or they give too little.
func (s *session) underChange(c *change, spot kb.Spot, sc *scope, tk *taken) *candidate {
	q := &ask{s: s, spot: spot, field: spot.Field, sc: sc, tk: tk, early: true}
	var best *candidate
	for _, r := range c.rewrite(s, spot.Tries) {
		got := s.working(spot.Field, []*kb.Try{r.try}, sc)
		if got.coverage() >= 0.5 && (best == nil || got.coverage() > best.coverage()) {
			got.try, got.expr, got.from, got.match, got.cost, got.sure = r.try, r.try.Expr.Tree, r.from, r.try.Match, c.cost, changeSure
			if !q.credible(got) {
				continue
			}
			got.why = append(got.why, "the same change of the template")
			best = got
		}
	}
	return best
}

// changed lists candidates for a field that stand for one change of the template:
// its expressions, whole, with what the element became.
func (s *session) changed(spot kb.Spot, sc *scope) []*candidate {
	var out []*candidate
	for _, c := range s.changes(exprsOf(spot), purpose(spot), len(sc.records)) {
		for _, r := range c.rewrite(s, spot.Tries) {
			holding := len(s.lex.steps(r.try.Expr))
			switch {
			case c.to.Pred == c.from.Pred && s.x.wholly(c.to): // the name is there, on another tag
			case c.to.Pred != (xpath.Pred{}):
				holding--
			case holding == 0:
				continue // a bare tag says nothing
			}
			out = append(out, &candidate{try: r.try, expr: r.try.Expr.Tree, match: r.try.Match, from: r.from, cost: c.cost,
				holding: holding})
		}
	}
	return out
}

// changedPattern gives the pattern of a level that fires on the page if one
// element of the template changed, with what it was; ok is false for none.
func (s *session) changedPattern(v *kb.Level) (is, was string, cost relax.Cost, ok bool) {
	var exprs []*kb.Expr
	for _, p := range v.Detect {
		if p.Weak || p.Learned != nil || ofURL(p.Expr) {
			continue
		}
		if e, err := kb.ExprOf(p.Expr.Tree()); err == nil {
			exprs = append(exprs, e)
		}
	}
	for _, c := range s.changes(exprs, kb.PartDetect, 0) {
		for _, e := range exprs {
			tree, concerned := relax.Substitute(e.Tree, c.from, c.to)
			p, ok := xpath.Fragment(tree)
			if concerned && ok && asks(p) && len(s.x.selectIn(p, -1)) > 0 {
				return p.String(), e.Source, c.cost, true
			}
		}
	}
	return "", "", relax.Cost{}, false
}

// elementOf is the element that a value is, belongs to or lies in.
func elementOf(n *html.Node) *html.Node {
	if n != nil && n.Type == html.TextNode {
		return n.Parent
	}
	return n
}
