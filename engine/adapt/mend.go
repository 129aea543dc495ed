package adapt

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// Options bound the work of an adaptation. The zero value is useful.
type Options struct {
	// MaxWork bounds what is tried on a page, in times of parsing it; 0 means 50.
	MaxWork float64
	// Site is what learned entries apply to; empty means the page's host.
	Site string
	// Lexicon is that of the knowledge base; nil, or that of another base, makes one for the page, which costs more than the page.
	Lexicon *Lexicon
	// Earlier gives the objects that an earlier crawl extracted from a URL: none where it did not meet the URL, nil where it did not meet
	// the site. They decide what a mended action must yield, and only pages that had some are mended as pages of a terminal level that is
	// not detected: algorithm 1. Nil without an earlier crawl.
	Earlier func(*url.URL) []extract.Object
	// Weights decide between candidates; nil means [Weights].
	Weights rank.Table
	// Watch, where it is not nil, is told of each decision. It may be called from several goroutines.
	Watch func(Question)

	shared  map[string]bool // titles that are of several pages of the level
	renames []rename        // that other pages of the site show
}

// earlier are the objects of the earlier crawl for a page.
func (o Options) earlier(p extract.Page) []extract.Object {
	if o.Earlier == nil || p.URL == nil {
		return nil
	}
	return o.Earlier(p.URL)
}

// site is what entries learned on a page apply to.
func (o Options) site(p extract.Page) string { return cmp.Or(o.Site, p.URL.Host) }

// Attempt is what became of mending one page.
type Attempt struct {
	// Harvest is that of the page with all entries applied, or as it was.
	Harvest extract.Harvest
	// Entries are the mended places, none where nothing was mended.
	Entries []kb.Entry
	Tried   int     // candidates
	Work    float64 // done, in times of parsing the page: counted, not measured
	Worst   bool    // some change was beyond the best case
	Left    []Left  // what was not mended
}

// Mend tries to mend the faults of one page, its level too where they say that it is none or another. base knows what types of the same
// category look like.
func Mend(base *kb.Base, p extract.Page, h extract.Harvest, faults []Fault, o Options) Attempt {
	if p.Type == nil || len(faults) == 0 {
		return Attempt{Harvest: h}
	}
	if lost(h, faults) {
		p, h = withoutLevel(p, h)
		return MendLevel(base, p, h, o)
	}
	s := newSession(base, p, o)
	h, carried := s.carry(h.Level, h, o.renames, o.site(p))
	if len(carried) > 0 {
		if faults = append(Judge(p, h), Changed(p, h, o.earlier(p))...); len(faults) == 0 {
			return Attempt{Harvest: h, Entries: carried, Tried: s.tried, Work: s.parses()}
		}
	}
	s.faulted, s.void = map[kb.Place]bool{}, map[kb.Place]bool{}
	for _, f := range faults {
		s.faulted[f.Place] = true
		s.void[f.Place] = f.Bad == f.Of && (f.Kind == NoField || f.Kind == Absent)
	}
	v := s.variant(h.Level, faults)
	pl := s.mended(v, h, faults)
	a := Attempt{Harvest: h, Entries: carried, Tried: s.tried, Work: s.parses(),
		Left: slices.Concat(pl.missing, pl.optional)}
	return s.apply(a, v, pl, o)
}

// variant chooses the variant of a level whose actions make most sense of a page without its
// objects: a looser pattern of another template may be all that still fires.
func (s *session) variant(v *kb.Level, faults []Fault) *kb.Level {
	if len(s.page.Type.Level(v.ID)) < 2 || !slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == NoObject }) {
		return v
	}
	s.page.Expected = v.ID
	best, _ := s.bestLevel(false)
	if best == nil || best.v == v {
		return v
	}
	clear(s.void)
	s.faulted = nil
	return best.v
}

// mended plans the objects of a page's level, and where it leads.
func (s *session) mended(v *kb.Level, h extract.Harvest, faults []Fault) plan {
	s.protect(v)
	pl := s.level(v)
	nav := s.follows(v, faults)
	if len(pl.steps) == 0 {
		pl.missing = append(pl.missing, nav.missing...)
		if v.Kind == kb.Terminal && len(h.Objects) == 0 {
			return pl // where it leads is not what a page is about
		}
	}
	steps := append(pl.steps, nav.steps...)
	if v.Kind == kb.Terminal {
		if len(pl.steps) > 0 { // the same template writes the way up
			more, _ := s.navigation(v, pl.records)
			steps = append(steps, slices.DeleteFunc(more.steps, func(st planned) bool {
				return slices.ContainsFunc(nav.steps, func(had planned) bool { return had.spot.Place == st.spot.Place })
			})...)
		}
		steps = append(steps, s.furnish(v, pl.steps)...)
	}
	pl.steps = steps
	return pl
}

// level plans all objects of a level.
func (s *session) level(v *kb.Level) (all plan) {
	spots := v.Spots()
	for _, o := range v.Objects {
		p, ok := s.object(spots, o, -1, true)
		all.missing, all.optional = append(all.missing, p.missing...), append(all.optional, p.optional...)
		if !ok {
			continue
		}
		all.steps = append(all.steps, p.steps...)
		if all.records = p.records; len(p.inner) > 0 {
			all.records = p.inner
		}
	}
	return all
}

// apply harvests the page with the planned entries and takes them where they make it better and nothing worse.
func (s *session) apply(a Attempt, v *kb.Level, pl plan, o Options) Attempt {
	var entries []kb.Entry
	worst, mended := false, v
	for _, st := range pl.steps {
		expr, err := st.by.compiled()
		if err != nil {
			continue
		}
		e := kb.Entry{Place: st.spot.Place, Expr: expr.Source, Provenance: kb.Provenance{
			From: st.by.from, Cost: st.by.cost.Changes, Site: o.site(s.page), Pages: 1, Evidence: reasons(st),
			Confidence: math.Round(100*min(st.by.sure, 0.99)) / 100,
		}}
		if st.by.match != nil {
			e.Match = st.by.match.String()
		}
		if s.lex.base.Rejected(e) {
			a.Left = append(a.Left, s.left(e.Place, Refused, e.Expr))
			continue
		}
		if t, err := e.TryOf(expr); err == nil {
			mended = mended.With(e.Place, t)
			entries = append(entries, e)
			worst = worst || st.by.cost.Worst
		}
	}
	if len(entries) == 0 {
		return a
	}
	h := s.on(mended)
	if why := harm(a.Harvest, h); why != "" || !gains(a.Harvest, h) {
		a.Left = append(a.Left, s.notBetter(a.Harvest, v, entries, why))
		return a
	}
	h, more := s.carry(mended, h, renamesOf(mended, entries), o.site(s.page))
	a.Harvest, a.Entries, a.Worst = h, slices.Concat(a.Entries, entries, more), worst
	return a
}

// withEntries returns a level with entries in it.
func withEntries(v *kb.Level, entries []kb.Entry) *kb.Level {
	for i := range entries {
		if t, err := entries[i].Try(); err == nil { // it was compiled before
			v = v.With(entries[i].Place, t)
		}
	}
	return v
}

// on harvests the page as one of a level.
func (s *session) on(v *kb.Level) extract.Harvest {
	page := s.page
	page.Levels = []*kb.Level{v}
	return s.harvest(page)
}

// notBetter says why the entries of a page are not used: they find nothing, or do harm. Of several,
// the one without which the others do no harm is named, else all of them. The others are not used
// without it: they are of one plan, which is wrong.
func (s *session) notBetter(was extract.Harvest, v *kb.Level, entries []kb.Entry, why string) Left {
	others := ""
	if n := len(entries) - 1; n > 0 {
		others = fmt.Sprintf(" with %d other changes of the page", n)
	}
	if why == "" {
		return s.left(entries[0].Place, NotBetter, entries[0].Expr+others+" finds nothing that was not found before")
	}
	culprit := slices.IndexFunc(entries, func(e kb.Entry) bool {
		rest := slices.DeleteFunc(slices.Clone(entries), func(k kb.Entry) bool { return k.ID() == e.ID() })
		return harm(was, s.on(withEntries(v, rest))) == ""
	})
	if culprit < 0 {
		return s.left(entries[0].Place, NotBetter, entries[0].Expr+others+" "+why)
	}
	e := entries[culprit]
	if others != "" {
		why += "; so the other changes of the page are not used either"
	}
	return s.left(e.Place, NotBetter, e.Expr+" "+why)
}

// harm describes the first value of the harvest was that the harvest is has lost, changed or given
// twice; "" for none.
func harm(was, is extract.Harvest) string {
	was = byActions(was)
	now := map[string]*extract.Object{}
	for i := range is.Objects {
		now[is.Objects[i].Class+" "+is.Objects[i].ID] = &is.Objects[i]
	}
	for _, o := range was.Objects {
		n := now[o.Class+" "+o.ID]
		if n == nil && len(o.Fields) > 0 { // a shell another variant may name in another way
			return fmt.Sprintf("loses the %s %s", o.Class, o.ID)
		}
		for _, f := range o.Fields {
			values, has := n.Values(f.Name)
			now, before := strings.Join(values, "\n"), strings.Join(f.Values, "\n")
			if (!has || now != before) && (!has || !shortened(is, o.Class, before, now)) {
				return fmt.Sprintf("changes the %s of the %s %s", f.Name, o.Class, o.ID)
			}
		}
	}
	if doubles(is) > doubles(was) {
		return "gives one value to several objects"
	}
	return ""
}

// gains reports whether the harvest is, which does no harm, has more values than the harvest was, or
// shorter contents.
func gains(was, is extract.Harvest) bool {
	was = byActions(was)
	if weight(is) > weight(was) {
		return true
	}
	now := map[string]*extract.Object{}
	for i := range is.Objects {
		now[is.Objects[i].Class+" "+is.Objects[i].ID] = &is.Objects[i]
	}
	for _, o := range was.Objects {
		for _, f := range o.Fields {
			if values, _ := now[o.Class+" "+o.ID].Values(f.Name); strings.Join(values, "\n") != strings.Join(f.Values, "\n") {
				return true
			}
		}
	}
	return false
}

// better reports whether the harvest is keeps all values of the harvest was, gives no object twice, and
// has more values.
func better(was, is extract.Harvest) bool { return harm(was, is) == "" && gains(was, is) }

// byActions is a harvest without what generic reading gave: it stands in for actions that find nothing, and gives way to those that do.
func byActions(h extract.Harvest) extract.Harvest {
	if !h.Generic || len(h.Objects) == 0 {
		return h
	}
	if h.Level == nil {
		h.Objects = nil
		return h
	}
	h.Objects = slices.Clone(h.Objects)
	h.Objects[0].Fields = slices.DeleteFunc(slices.Clone(h.Objects[0].Fields),
		func(f extract.Field) bool { return strings.HasPrefix(f.Name, "content") })
	return h
}

// weight counts what a harvest holds.
func weight(h extract.Harvest) int {
	n := len(h.Objects) + len(h.Totals)
	if h.Level != nil {
		n += len(h.Links)
	}
	for _, o := range h.Objects {
		n += len(o.Fields)
	}
	return n
}

// reasons says in words what spoke for a mended place.
func reasons(p planned) string {
	if len(p.by.why) == 0 {
		return fmt.Sprintf("cost %s", p.by.cost)
	}
	return strings.Join(p.by.why, ", ")
}

// lost reports whether the level of a page is none that its actions fit.
func lost(h extract.Harvest, faults []Fault) bool {
	return h.Level == nil || slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == NoLevel })
}

// withoutLevel is a page, and its harvest, as if its level had not been told. Links of a list stand until something better is known;
// what passed for an article has no objects.
func withoutLevel(p extract.Page, h extract.Harvest) (extract.Page, extract.Harvest) {
	if h.Level == nil {
		return p, h
	}
	p.Levels = nil
	if h.Level.Kind == kb.Intermediate {
		return p, extract.Harvest{Links: h.Links}
	}
	plain := p
	plain.Generic = false
	return p, extract.Run(plain)
}
