package relax

import (
	"cmp"
	"fmt"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Cost orders relaxations. The zero Cost is that of the original expression.
type Cost struct {
	// Worst is set if some step was changed more than once, the worst case of
	// section 6.2; the best case comes first.
	Worst bool
	// Changes counts the changes of all steps.
	Changes int
	// Distance sums how unlike the originals the replacements are, in hundredths:
	// 0 for what sibling types use, up to 100 for a name with nothing in common.
	Distance int
}

// Compare orders costs: negative where c comes first. It is a strict order.
func (c Cost) Compare(d Cost) int {
	return cmp.Or(flag(c.Worst)-flag(d.Worst), c.Changes-d.Changes, c.Distance-d.Distance)
}

// add is the cost of two groups of changes to different steps.
func (c Cost) add(d Cost) Cost {
	return Cost{Worst: c.Worst || d.Worst, Changes: c.Changes + d.Changes, Distance: c.Distance + d.Distance}
}

// String gives "2 changes, distance 130, worst case".
func (c Cost) String() string {
	s := fmt.Sprintf("%d changes, distance %d", c.Changes, c.Distance)
	if c.Worst {
		s += ", worst case"
	}
	return s
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Relaxation is an expression with what it costs.
type Relaxation struct {
	Expr *xpath.Expr
	Cost Cost
}

// Compare orders relaxations of one expression by cost, equal costs by
// their text.
func (r Relaxation) Compare(s Relaxation) int {
	return cmp.Or(r.Cost.Compare(s.Cost), cmp.Compare(r.Expr.String(), s.Expr.String()))
}
