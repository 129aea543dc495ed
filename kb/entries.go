package kb

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/beevik/etree"
)

// provenanceAttrs are the attributes of a learned try or pattern.
var provenanceAttrs = []string{"learned", "from", "cost", "site", "pages", "confidence", "evidence", "accepted", "rejected", "why"}

// with returns a list of names with those of what was learned.
func withProvenance(names ...string) []string { return append(names, provenanceAttrs...) }

// dayForm is how days are written in a source.
const dayForm = "2006-01-02"

var shareForm = regexp.MustCompile(`^(0(\.[0-9]+)?|1(\.0+)?)$`)

// maxCost and maxPages bound what a source may claim.
const (
	maxCost  = 1 << 20
	maxPages = 1 << 30
)

// entry reads the provenance of an element; nil for what an author wrote. The
// place and the expression are the caller's to add.
func (l *loader) entry(e *etree.Element) *Entry {
	if e.SelectAttr("learned") == nil {
		for _, a := range e.Attr {
			if contains(provenanceAttrs, a.Key) && a.Space == "" {
				l.fail(e, "%s=%q without learned=\"DAY\"; expected both or none", a.Key, a.Value)
				break
			}
		}
		return nil
	}
	x := &Entry{Pos: l.positions[e]}
	x.Learned = l.day(e, "learned")
	x.From, x.Site, x.Evidence = e.SelectAttrValue("from", ""), e.SelectAttrValue("site", ""), e.SelectAttrValue("evidence", "")
	x.Why = e.SelectAttrValue("why", "")
	if e.SelectAttr("cost") != nil {
		x.Cost = l.integer(e, "cost", 0, maxCost)
	}
	if e.SelectAttr("pages") != nil {
		x.Pages = l.integer(e, "pages", 0, maxPages)
	}
	if v := e.SelectAttrValue("confidence", "0"); shareForm.MatchString(v) {
		x.Confidence, _ = strconv.ParseFloat(v, 64) // it has the form of a number
	} else {
		l.fail(e, "confidence=%q; expected a number from 0 to 1, such as 0.97", v)
	}
	x.Accepted = e.SelectAttr("accepted") != nil && !l.day(e, "accepted").IsZero()
	x.Rejected = e.SelectAttr("rejected") != nil && !l.day(e, "rejected").IsZero()
	return x
}

func (l *loader) day(e *etree.Element, name string) time.Time {
	v := e.SelectAttrValue(name, "")
	t, err := time.Parse(dayForm, v)
	if err != nil {
		l.fail(e, "%s=%q; expected a day, such as 2026-11-21", name, v)
	}
	return t
}

// overlay reads a <learned> block: what was learned for levels that other
// sources describe. It is put in its place when all sources are read.
func (l *loader) overlay(e *etree.Element, t TypeID) {
	l.allow(e, nil, []string{"pattern", "try"})
	if text := textOf(e); text != "" {
		l.fail(e, "has the text %.40q; expected only elements: pattern, try", text)
	}
	for _, c := range e.ChildElements() {
		place := Place{Type: t, Level: LevelID(c.SelectAttrValue("level", "")), Variant: c.SelectAttrValue("variant", "")}
		x := l.entry(c)
		switch {
		case x == nil:
			l.fail(c, "has no learned=\"DAY\"; expected a learned entry (authors write into the level itself)")
			continue
		case place.Level == "":
			l.fail(c, "has no level=\"...\"; expected the id of the level that it belongs to")
			continue
		case c.Tag == "pattern":
			l.allow(c, withProvenance("level", "variant", "weak"), nil)
			place.Part, x.Weak = PartDetect, l.flag(c, "weak")
		case c.Tag == "try":
			l.allow(c, withProvenance("level", "variant", "part", "match"), nil)
			if place.Part = c.SelectAttrValue("part", ""); place.Part == "" || place.Part == PartDetect {
				l.fail(c, "part=%q; expected the spot in the level, such as \"sioc:Thread/sioc:Post creator\"", place.Part)
				continue
			}
			x.Match = c.SelectAttrValue("match", "")
		default:
			continue
		}
		x.Place, x.Expr = place, textOf(c)
		if err := x.check(); err != nil {
			l.fail(c, "%v", err)
			continue
		}
		l.overlays = append(l.overlays, x)
	}
}

// check compiles what an entry says.
func (e *Entry) check() error {
	if e.Part == PartDetect {
		_, err := e.Pattern()
		return err
	}
	t, err := e.Try()
	if err == nil && e.Part == PartClick && !t.Expr.selectsElements() {
		return fmt.Errorf("%s selects no element; expected one that can be clicked", e.Expr)
	}
	return err
}

// settleEntries puts what overlays hold in its place, tells each learned try
// which place it is at, and takes what is rejected out of force. It comes before
// levels are inherited.
func (l *loader) settleEntries() {
	if len(l.errs) > 0 {
		return // there will be no base
	}
	for _, t := range l.base.Types {
		for _, v := range t.Levels {
			l.inPlace(v)
		}
	}
	rejected := map[string]bool{}
	for i := range l.base.Entries {
		rejected[l.base.Entries[i].ID()] = l.base.Entries[i].Rejected
	}
	for _, x := range l.overlays {
		l.base.Entries = append(l.base.Entries, *x)
		if x.Rejected {
			rejected[x.ID()] = true
		}
	}
	for i, x := range l.overlays {
		t := l.base.byID[x.Type]
		if repeated(l.base.Entries[:len(l.base.Entries)-len(l.overlays)+i], x) {
			continue
		}
		if i := slices.IndexFunc(t.Levels, func(v *Level) bool { return v.ID == x.Level && v.Variant == x.Variant }); i >= 0 {
			if v, err := x.on(t.Levels[i]); err == nil && !x.Rejected { // it was checked
				t.Levels[i] = v
			}
		}
	}
	for _, t := range l.base.Types {
		for i, v := range t.Levels {
			t.Levels[i] = v.without(func(e *Entry) bool { return rejected[e.ID()] })
		}
	}
}

// repeated reports whether an entry stands already among others, for its site.
func repeated(entries []Entry, x *Entry) bool {
	return slices.ContainsFunc(entries, func(k Entry) bool {
		return k.ID() == x.ID() && !k.Rejected && (k.Everywhere() || k.Site == x.Site)
	})
}

// inPlace tells what was learned in a level where it stands, and puts it behind
// what an author wrote: an action that works is never replaced.
func (l *loader) inPlace(v *Level) {
	known := func(e *Entry, p Place, expr, match string) {
		e.Place, e.Expr, e.Match = p, expr, match
		l.base.Entries = append(l.base.Entries, *e)
	}
	for _, s := range v.Spots() {
		if s.Part == PartDetect {
			for _, p := range v.Detect {
				if p.Learned != nil {
					p.Learned.Weak = p.Weak
					known(p.Learned, s.Place, p.Expr.String(), "")
				}
			}
			continue
		}
		for _, t := range s.Tries {
			if t != nil && t.Learned != nil {
				known(t.Learned, s.Place, t.Expr.Source, source(t.Match))
			}
		}
		s.set(slices.SortedStableFunc(slices.Values(s.Tries), func(a, b *Try) int { return rankOf(a) - rankOf(b) }))
	}
}

func rankOf(t *Try) int {
	if t != nil && t.Learned != nil {
		return 1
	}
	return 0
}

// without returns the level without some learned tries and patterns, l itself
// where it has none of them.
func (l *Level) without(what func(*Entry) bool) *Level {
	out := func(e *Entry) bool { return e != nil && what(e) }
	if slices.ContainsFunc(l.Detect, func(p Pattern) bool { return out(p.Learned) }) {
		c := *l
		c.Detect = slices.DeleteFunc(slices.Clone(l.Detect), func(p Pattern) bool { return out(p.Learned) })
		l = &c
	}
	if slices.ContainsFunc(l.Browse, func(s *Step) bool { return out(s.Learned) }) {
		c := *l
		c.Browse = slices.DeleteFunc(slices.Clone(l.Browse), func(s *Step) bool { return out(s.Learned) })
		l = &c
	}
	for i := range l.Spots() {
		s := l.Spots()[i] // of the level as it is by now
		if slices.ContainsFunc(s.Tries, func(t *Try) bool { return out(t.Learned) }) {
			l = l.withTries(s, slices.DeleteFunc(slices.Clone(s.Tries), func(t *Try) bool { return out(t.Learned) }))
		}
	}
	return l
}

// set gives a spot of a level that nothing shares yet other tries.
func (s *Spot) set(tries []*Try) {
	switch {
	case s.Follow != nil:
		s.Follow.Tries = tries
	case s.Field != nil:
		s.Field.Tries = tries
	case s.Without != nil:
		s.Without.Without = tries
	case s.Total != nil:
		s.Total.Tries = tries
	case s.At:
		s.Objects[len(s.Objects)-1].At = tries
	}
}
