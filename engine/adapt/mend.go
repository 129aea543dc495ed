package adapt

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/adapt/rank"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Options bound the work of an adaptation. The zero value is useful.
type Options struct {
	// MaxWork bounds what is tried on a page, in times of parsing it; 0 means 50.
	MaxWork float64
	// Site is what learned entries apply to; empty means the page's host.
	Site string
	// Lexicon is that of the knowledge base; nil, or that of another base, makes one
	// for the page, which costs more than the page.
	Lexicon *Lexicon
	// Earlier gives the objects that an earlier crawl extracted from a URL: none where
	// it did not meet the URL, nil where it did not meet the site. They decide what a
	// mended action must yield, and only pages that had some are mended as pages of a
	// terminal level that is not detected: algorithm 1. Nil without an earlier crawl.
	Earlier func(*url.URL) []extract.Object
	// Weights decide between candidates; nil means [Weights].
	Weights rank.Table
	// Watch, where it is not nil, is told of each decision. It may be called from several goroutines.
	Watch func(Question)

	shared map[string]bool // titles that are of several pages of the level
}

// earlier are the objects of the earlier crawl for a page.
func (o Options) earlier(p extract.Page) []extract.Object {
	if o.Earlier == nil || p.URL == nil {
		return nil
	}
	return o.Earlier(p.URL)
}

// site is what entries learned on a page apply to.
func (o Options) site(p extract.Page) string {
	if o.Site != "" {
		return o.Site
	}
	return p.URL.Host
}

// Attempt is what became of mending one page.
type Attempt struct {
	// Harvest is that of the page with all entries applied, or as it was.
	Harvest extract.Harvest
	// Entries are the mended places, none where nothing was mended.
	Entries []kb.Entry
	// Faults are those that are left.
	Faults []Fault
	Tried  int     // candidates
	Work   float64 // done, in times of parsing the page: counted, not measured
	Worst  bool    // some change was beyond the best case
	Left   []Left  // what was not mended
}

// Mend tries to mend the faults of one page, its level too where they say that it is
// none or another. base knows what types of the same category look like.
func Mend(base *kb.Base, p extract.Page, h extract.Harvest, faults []Fault, o Options) Attempt {
	a := Attempt{Harvest: h, Faults: faults}
	if p.Type == nil || len(faults) == 0 {
		return a
	}
	if lost(h, faults) {
		bare, links := withoutLevel(p, h)
		if level := mendLevel(base, bare, links, o, h.Level != nil); level.Harvest.Level != nil || h.Level == nil || h.Level.Kind ==
			kb.Terminal {
			return level
		} else if faults = slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return f.Kind == NoLevel }); len(faults) == 0 {
			a.Tried, a.Work, a.Left = level.Tried, level.Work, level.Left
			return a
		}
	}
	s := newSession(base, p, o)
	s.readText(h)
	s.faulted, s.void = map[kb.Place]bool{}, map[kb.Place]bool{}
	for _, f := range faults {
		s.faulted[f.Place] = true
		s.void[f.Place] = f.Bad == f.Of && (f.Kind == NoField || f.Kind == Absent)
	}
	ways := []bool{false} // hasty or not
	objectless := func(f Fault) bool { return f.Kind == NoObject || bare(f) }
	if slices.ContainsFunc(faults, objectless) {
		ways = []bool{true, false}
	}
	for _, s.hasty = range ways {
		best, of, missing := s.variant(p, h, faults)
		a.Tried, a.Work, a.Left = s.tried, s.parses(), append(missing, s.stillRefused(nil)...)
		if best == nil {
			continue
		}
		a.Left = best.missing
		if a = s.apply(a, of, *best, o); len(a.Entries) > 0 && !slices.ContainsFunc(a.Faults, objectless) {
			return a
		}
	}
	return a
}

// variant plans the families of templates that a page may be of and gives the best
// plan; nil for none, and what was not found.
func (s *session) variant(p extract.Page, h extract.Harvest, faults []Fault) (best *plan, of *kb.Level, missing []Left) {
	for i, v := range variants(p, h) {
		s.protect(v)
		pl, ok := s.level(v)
		if s.hasty && len(pl.missing) > 0 {
			continue
		}
		nav := s.follows(v, faults)
		if ok && v.Kind == kb.Terminal { // the same template writes the way up
			more, _ := s.navigation(v, pl.records)
			nav.steps = append(nav.steps, slices.DeleteFunc(more.steps, func(st planned) bool {
				return slices.ContainsFunc(nav.steps, func(had planned) bool { return had.spot.Place == st.spot.Place })
			})...)
		}
		if v.Kind == kb.Terminal && (!s.hasty || len(pl.steps)+len(nav.steps) > 0) { // by itself it explains nothing that is missing
			nav.steps = append(nav.steps, s.furnish(v, pl.steps)...)
		}
		pl.steps, pl.score = append(pl.steps, nav.steps...), pl.score+nav.score
		if (!ok || len(pl.steps) == 0) && (len(nav.steps) == 0 || v.Kind == kb.Terminal && len(h.Objects) == 0) {
			// where it leads is not what a page is about
			missing = slices.Concat(missing, pl.missing, nav.missing)
			continue
		}
		if i == 0 && len(pl.missing) == 0 && len(h.Objects) > 0 {
			return &pl, v, missing // what is there shows which one it is
		}
		pl.score -= 0.3 * float64(i)
		if best == nil || pl.score > best.score {
			best, of = &pl, v
		}
	}
	return best, of, missing
}

// variants are the families of templates whose actions may be mended: the one
// that ran, and where it found nothing that it is about, or no content of it, the others too.
func variants(p extract.Page, h extract.Harvest) []*kb.Level {
	out := []*kb.Level{h.Level}
	for _, f := range Judge(p, h) {
		if f.Kind == NoObject || bare(f) || f.Kind == NoLink && h.Level.Kind == kb.Intermediate {
			for _, v := range p.Levels {
				if v != h.Level && v.Kind == h.Level.Kind {
					out = append(out, v)
				}
			}
			break
		}
	}
	return out[:min(len(out), 4)]
}

// bare reports whether none of the objects inside the page's has its content.
func bare(f Fault) bool {
	return f.Kind == NoField && f.Bad == f.Of && strings.HasSuffix(f.Place.Part, " content") && strings.Contains(f.Place.Part, "/")
}

// level plans all objects of a level.
func (s *session) level(v *kb.Level) (plan, bool) {
	spots := v.Spots()
	var all plan
	for _, o := range v.Objects {
		p, ok := s.object(v, spots, o, -1, true, true)
		if !ok {
			all.missing = append(all.missing, p.missing...)
			continue
		}
		all.steps = append(all.steps, p.steps...)
		all.missing = append(all.missing, p.missing...)
		all.score += p.score
		if all.records = p.records; len(p.inner) > 0 {
			all.records = p.inner
		}
	}
	return all, len(all.steps) > 0
}

// apply harvests the page with the planned entries and takes them where they
// make it better and nothing worse.
func (s *session) apply(a Attempt, v *kb.Level, pl plan, o Options) Attempt {
	site := o.site(s.page)
	mended := v
	var entries []kb.Entry
	worst := false
	for _, st := range pl.steps {
		expr, err := s.exact(st.by, pl.records)
		if err != nil {
			continue
		}
		e := kb.Entry{Place: st.spot.Place, Expr: expr.Source, Provenance: kb.Provenance{
			From: st.by.from, Cost: st.by.cost.Changes, Site: site, Pages: 1, Evidence: reasons(st),
			Confidence: math.Round(100*min(st.by.sure, 0.99)) / 100,
		}}
		if st.by.match != nil {
			e.Match = st.by.match.String()
		}
		if s.lex.base.Rejected(e) {
			s.refused = append(s.refused, s.left(e.Place, Refused, e.Expr))
			continue
		}
		t, err := e.TryOf(expr)
		if err != nil {
			continue
		}
		mended = mended.With(st.spot.Place, t)
		entries = append(entries, e)
		worst = worst || st.by.cost.Worst
	}
	a.Left = append(a.Left, s.stillRefused(entries)...)
	if len(entries) == 0 {
		return a
	}
	page := s.page
	page.Levels = []*kb.Level{mended}
	h := s.harvest(page)
	if !better(s.page, a.Harvest, h) {
		a.Left = append(a.Left, s.left(entries[0].Place, NotBetter, entries[0].Expr+" does not make the page better"))
		return a
	}
	a.Harvest, a.Entries, a.Faults = h, entries, Judge(page, h)
	a.Worst = worst
	return a
}

// better reports whether one harvest has what another has, and more. What was
// found before must still be there as it was, object by object, and nothing twice.
func better(p extract.Page, was, is extract.Harvest) bool {
	was = byActions(was)
	now, cut := map[string]*extract.Object{}, false
	for i := range is.Objects {
		now[is.Objects[i].Class+" "+is.Objects[i].ID] = &is.Objects[i]
	}
	for i := range was.Objects {
		o := &was.Objects[i]
		n := now[o.Class+" "+o.ID]
		switch {
		case n == nil && len(o.Fields) == 0:
			continue // a shell, which another variant names in another way
		case n == nil:
			return false
		}
		for _, f := range o.Fields {
			v, has := n.Values(f.Name)
			switch now, before := strings.Join(v, "\n"), strings.Join(f.Values, "\n"); {
			case has && now == before:
			case has && shortened(is, o.Class, before, now):
				cut = true
			default:
				return false
			}
		}
	}
	return (cut || weight(is) > weight(was)) && doubles(is) <= doubles(was)
}

// byActions is a harvest without what generic reading gave: it stands in for actions
// that find nothing, and gives way to those that do.
func byActions(h extract.Harvest) extract.Harvest {
	switch {
	case !h.Generic || len(h.Objects) == 0:
		return h
	case h.Level == nil:
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
	n := len(h.Objects)
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
