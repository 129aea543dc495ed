package detect

import (
	"slices"
	"sync/atomic"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// New compiles all patterns of a knowledge base. Its time grows with the number
// of patterns alone, however often they are used.
func New(base *kb.Base) *Detector {
	d := &Detector{
		base: base, index: make(map[*kb.Type]int, len(base.Types)), refined: make([]bool, len(base.Types)),
		inheritor: map[int32][]int32{},
	}
	b := yfilter.NewBuilder()
	for i, t := range base.Types {
		d.index[t] = i
		d.topRank = max(d.topRank, t.Rank)
		if t.Site != "" {
			d.sites = append(d.sites, i)
		}
		for _, p := range t.Detect {
			d.add(b, p, use{typ: int32(i), level: -1, weak: p.Weak})
		}
		for _, p := range t.Inherited {
			d.inherit(b, p.Expr, int32(i))
		}
		for j, v := range t.Levels {
			for _, p := range v.Detect {
				d.add(b, p, use{typ: int32(i), level: int32(j), weak: p.Weak})
			}
		}
		for up := t.Parent; up != nil && len(t.Detect) > 0; up = up.Parent {
			d.refined[d.index[up]] = true
		}
	}
	d.nfa = b.Build()
	d.written = make([]atomic.Pointer[string], len(d.exprs))
	d.tallies.New = func() any { return newTally(d) }
	return d
}

// use is one place where the knowledge base uses a pattern.
type use struct {
	typ   int32
	level int32 // index in the type's Levels, -1 for the type itself
	prev  int32 // another use of the pattern, of a type that is not later, or -1
	weak  bool
	// learned is set where the pattern counts on some sites only.
	learned []*kb.Entry
}

// appliesAt reports whether a pattern counts on the page of an address.
func (u use) appliesAt(address string) bool {
	return u.learned == nil || slices.ContainsFunc(u.learned, func(e *kb.Entry) bool { return e.AppliesAt(address) })
}

// pattern returns the number of an expression.
func (d *Detector) pattern(b *yfilter.Builder, x *xpath.Expr) int32 {
	id, added := b.AddOnce(x)
	if added {
		d.exprs, d.last = append(d.exprs, x), append(d.last, -1)
	}
	return int32(id)
}

// add adds a use of a pattern. A pattern that is stated twice, as when a later
// source repeats it, is one piece of evidence: the stronger, and on all sites if
// one of them is.
func (d *Detector) add(b *yfilter.Builder, p kb.Pattern, u use) {
	id := d.pattern(b, p.Expr)
	if p.Learned != nil && !p.Learned.Everywhere() {
		u.learned = []*kb.Entry{p.Learned}
	}
	if known := d.use(id, u.typ, u.level); known != nil {
		known.weak = known.weak && u.weak
		if u.learned == nil || known.learned == nil {
			known.learned = nil
		} else {
			known.learned = append(known.learned, u.learned...)
		}
		return
	}
	u.prev = d.last[id]
	d.last[id] = int32(len(d.uses))
	d.uses = append(d.uses, u)
}

// use returns the use of a pattern for the latest type and a level, or nil.
func (d *Detector) use(id, typ, level int32) *use {
	for at := d.last[id]; at >= 0 && d.uses[at].typ == typ; at = d.uses[at].prev {
		if u := &d.uses[at]; u.level == level {
			return u
		}
	}
	return nil
}

// inherit notes that a type inherits a pattern, unless it states it itself,
// which is stronger. Types come in rising order.
func (d *Detector) inherit(b *yfilter.Builder, x *xpath.Expr, typ int32) {
	id := d.pattern(b, x)
	list := d.inheritor[id]
	if d.use(id, typ, -1) == nil && (len(list) == 0 || list[len(list)-1] != typ) {
		d.inheritor[id] = append(list, typ)
	}
}
