package yfilter

import (
	"hash/maphash"

	"github.com/awarc/awarc/yfilter/xpath"
)

// valueOf names a value that is asked for behind several guards on the same nodes,
// so that it is read once for all of them: the texts of a page, or an attribute of
// the elements that pass the test of a first step.
type valueOf struct {
	test *guard // nil for texts
	name int32  // of an attribute, 0 for the point itself
}

// arrange gives matchers to the values that are compared with many literals.
func (a *NFA) arrange(made []*guard) {
	seed := maphash.MakeSeed()
	together := map[valueOf][]*valueAsks{}
	var order []valueOf
	for _, st := range []*steps{a.start.child, a.start.desc} {
		if st == nil {
			continue
		}
		for _, t := range st.all {
			t.guard.unconditional(func(v *valueAsks, name int32) {
				if len(v.few) == 0 {
					return
				}
				of := valueOf{t.guard, name}
				if name == 0 && !t.test.IsAttr() {
					of = valueOf{}
				}
				if together[of] == nil {
					order = append(order, of)
				}
				together[of] = append(together[of], v)
			})
		}
	}
	for _, of := range order {
		a.share(seed, together[of])
	}
	for _, g := range made {
		if g.asks == nil {
			continue
		}
		g.asks.values(func(v *valueAsks, _ int32) {
			if v.matcher == nil && len(v.few) > fewAsks {
				v.matcher, v.few = newMatcher(seed, v.few), nil
			}
		})
		g.asks.attrs.arrange()
	}
}

// unconditional calls f for each value that is asked for on every node that passes
// the test that g stands for, or on all but those that a not() excludes.
func (g *guard) unconditional(f func(v *valueAsks, name int32)) {
	if g.asks == nil {
		return
	}
	g.asks.values(f)
	for _, c := range g.asks.checks {
		if c.to.pred.Kind == xpath.Not {
			c.to.unconditional(f)
		}
	}
}

// share gives a matcher to values that are read together.
func (a *NFA) share(seed maphash.Seed, values []*valueAsks) {
	var all []*guard
	for _, v := range values {
		all = append(all, v.few...)
	}
	if len(all) <= fewAsks {
		return
	}
	number := 0
	if len(values) > 1 {
		a.shared++
		number = a.shared
	}
	m := newMatcher(seed, all)
	for _, v := range values {
		v.matcher, v.few, v.shared = m, nil, number
	}
}
