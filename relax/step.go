package relax

import (
	"cmp"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
)

// What a change adds to the distance where no two names are compared.
const (
	farLoosened = 20  // an axis: the names all stay
	farAttr     = 30  // an attribute of another name
	farRemoved  = 110 // a predicate: further than any value in its place
	farStep     = 80  // a step
	farKnown    = 10  // a value that sibling types use, at most
	farTag      = 50
	nearTag     = 20 // tags that templates exchange
)

// kin are tags that templates exchange freely; those of one group are near.
var kin = map[string]int{
	"div": 1, "article": 1, "section": 1, "li": 1, "main": 1, "aside": 1, "header": 1, "footer": 1, "td": 1, "tr": 1, "tbody": 1,
	"table": 1, "dd": 1, "dl": 1,
	"span": 2, "b": 2, "strong": 2, "em": 2, "i": 2, "a": 2, "small": 2, "cite": 2, "time": 2, "abbr": 2, "font": 2,
	"h1": 3, "h2": 3, "h3": 3, "h4": 3, "h5": 3, "h6": 3,
	"ul": 4, "ol": 4,
}

func tagDistance(a, b string) int {
	ka, kb := kin[a], kin[b]
	if ka != 0 && kb != 0 && (ka == kb || ka+kb <= 3) { // blocks and inline elements, too
		return nearTag
	}
	return farTag
}

// choice is one way to treat one part of a step.
type choice struct {
	changes, distance int
	apply             func(*xpath.Step)
}

func keep(*xpath.Step) {}

// replaced gives what it costs to ask for q instead of p; ok is false where both
// are the same.
func replaced(p, q xpath.Pred, known func(xpath.Pred) bool) (changes, far int, ok bool) {
	if p.Value != q.Value {
		changes, far = 1, farAttr
	}
	if p.Literal != q.Literal {
		d := distance(p.Literal, q.Literal)
		if known != nil && known(q) {
			d = min(d, farKnown)
		}
		changes, far = changes+1, far+d
	}
	if changes == 0 && p.Kind != q.Kind {
		changes = 1
	}
	return changes, far, changes > 0
}

// asksAttribute reports whether a predicate compares an attribute with a string.
func asksAttribute(p xpath.Pred) bool {
	return p.Value.Kind == xpath.Attr && (p.Kind == xpath.Equals || p.Kind == xpath.Contains || p.Kind == xpath.StartsWith)
}

// testChoices are the ways to treat a step's node test.
func testChoices(s xpath.Step, v Vocabulary) []choice {
	out := []choice{{apply: keep}}
	names := v.Tags
	if s.Test.Kind == xpath.Attr {
		names = v.Attrs
	} else if s.Test.Kind != xpath.Tag {
		return out
	}
	for _, name := range names {
		if name == s.Test.Name {
			continue
		}
		far := tagDistance(s.Test.Name, name)
		if s.Test.Kind == xpath.Attr {
			far = distance(s.Test.Name, name)
		}
		out = append(out, choice{1, far, func(to *xpath.Step) { to.Test.Name = name }})
	}
	return out
}

// predChoices are the ways to treat one predicate.
func predChoices(p xpath.Pred, v Vocabulary) []choice {
	add := func(q xpath.Pred) func(*xpath.Step) {
		return func(to *xpath.Step) { to.Preds = append(to.Preds, q) }
	}
	out := []choice{{apply: add(p)}, {1, farRemoved, keep}}
	if !asksAttribute(p) {
		return out
	}
	for _, q := range v.Conditions {
		if changes, far, ok := replaced(p, q, v.Known); ok {
			out = append(out, choice{changes, far, add(q)})
		}
	}
	return out
}

// bent is one relaxation of one step; removed tells that nothing is left of it.
type bent struct {
	step    xpath.Step
	removed bool
	cost    Cost
}

// bends lists the relaxations of one step in rising cost, as far as asked.
type bends struct {
	parts     [][]choice
	axis      xpath.Axis
	test      xpath.Test
	removable bool
	holds     func(xpath.Step) bool

	list  []bent
	seen  map[string]bool
	next  int // number of changes that comes next
	limit int // most changes
}

// newBends prepares the relaxations of a step. A protected step has one.
func newBends(s xpath.Step, protected, removable, loosens bool, v Vocabulary) *bends {
	b := &bends{axis: s.Axis, test: s.Test, removable: removable && !protected, holds: v.Holds, seen: map[string]bool{}}
	if protected {
		b.list, b.next = []bent{{step: s}}, 1
		return b
	}
	b.parts = append(b.parts, testChoices(s, v))
	for _, p := range s.Preds {
		b.parts = append(b.parts, predChoices(p, v))
	}
	if loosens && s.Axis == xpath.Child && !s.Test.IsAttr() {
		b.parts = append(b.parts, []choice{{apply: keep}, {1, farLoosened, func(to *xpath.Step) { to.Axis = xpath.Descendant }}})
	}
	for _, p := range b.parts {
		most := 0
		for _, c := range p {
			most = max(most, c.changes)
		}
		b.limit += most
	}
	if b.removable {
		b.limit = max(b.limit, 1)
	}
	return b
}

// maxBends bounds the relaxations of one step.
const maxBends = 20_000

// at returns the relaxation with a number, nil where there are not so many.
func (b *bends) at(i int) *bent {
	for i >= len(b.list) && b.next <= b.limit && len(b.list) < maxBends {
		b.extend(b.next)
		b.next++
	}
	if i < len(b.list) {
		return &b.list[i]
	}
	return nil
}

// extend appends the relaxations with exactly so many changes.
func (b *bends) extend(changes int) {
	from := len(b.list)
	if b.removable && changes == 1 {
		b.list = append(b.list, bent{removed: true, cost: Cost{Changes: 1, Distance: farStep}})
	}
	b.combine(0, changes, 0, xpath.Step{Axis: b.axis, Test: b.test})
	added := b.list[from:]
	for i := range added {
		added[i].cost.Worst, added[i].cost.Changes = changes > 1, changes
	}
	slices.SortStableFunc(added, func(x, y bent) int {
		return cmp.Or(x.cost.Compare(y.cost), flag(x.removed)-flag(y.removed))
	})
}

// combine tries each choice of each part from the given one on. Choices that
// nothing fulfils are left as soon as that is known.
func (b *bends) combine(part, changes, far int, s xpath.Step) {
	if len(b.list) >= maxBends {
		return
	}
	if part == len(b.parts) {
		if changes == 0 {
			if key := (&xpath.Expr{Steps: []xpath.Step{s}}).String(); !b.seen[key] {
				b.seen[key] = true
				b.list = append(b.list, bent{step: s, cost: Cost{Distance: far}})
			}
		}
		return
	}
	for _, c := range b.parts[part] {
		if c.changes > changes {
			continue
		}
		to := s
		to.Preds = slices.Clone(s.Preds)
		c.apply(&to)
		// The original itself is offered even where nothing fulfils it.
		if c.changes > 0 && b.holds != nil && !b.holds(to) {
			continue
		}
		b.combine(part+1, changes-c.changes, far+c.distance, to)
	}
}
