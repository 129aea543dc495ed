package adapt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// FaultKind says what cannot be right in a harvest.
type FaultKind string

// The kinds of faults.
const (
	NoLevel     FaultKind = "no level"    // the type is known, the level is not
	NoObject    FaultKind = "no object"   // a terminal level without what it describes
	NoField     FaultKind = "no field"    // a required field is missing
	Absent      FaultKind = "absent"      // no object has a field that it may have: weak by itself
	Implausible FaultKind = "implausible" // a value that cannot be what the field is
	NoLink      FaultKind = "no link"     // an intermediate level that leads nowhere
)

// Fault is one thing that cannot be right.
type Fault struct {
	Kind  FaultKind
	Place kb.Place // of the action that failed
	// Bad of Of objects are concerned; both are 0 for faults of the page.
	Bad, Of int
	Detail  string // for people
}

// String gives "no field: phpbb topic(prosilver) sioc:Thread/sioc:Post creator (10 of 10)".
func (f Fault) String() string {
	s := string(f.Kind) + ": " + f.Place.String()
	if f.Of > 0 {
		s += fmt.Sprintf(" (%d of %d)", f.Bad, f.Of)
	}
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	return s
}

// Judge lists what cannot be right in a harvest of a page. A page without a type has no faults: nothing is known of it.
func Judge(p extract.Page, h extract.Harvest) []Fault {
	v := h.Level
	switch {
	case p.Type == nil || h.Cut:
		return nil
	case v == nil:
		return []Fault{{Kind: NoLevel, Place: kb.Place{Type: p.Type.ID, Part: kb.PartDetect}}}
	}
	j := judge{p: p, h: h, spots: v.Spots()}
	if j.elsewhere() {
		return j.faults
	}
	j.paging()
	if v.Kind == kb.Intermediate {
		j.links()
		j.mistaken()
		return j.faults
	}
	j.listed()
	for _, s := range j.spots {
		switch {
		case s.At:
			j.objects(s)
		case s.Field != nil:
			j.field(s)
		case s.Without != nil:
			j.furniture(s)
		}
	}
	return j.faults
}

type judge struct {
	p      extract.Page
	h      extract.Harvest
	spots  []kb.Spot
	faults []Fault
}

// fault notes a fault of a part of a level.
func (j *judge) fault(kind FaultKind, v *kb.Level, part, detail string) {
	j.faults = append(j.faults, Fault{Kind: kind, Place: placeOn(v, part), Detail: detail})
}

// placeOn is the place of a part of a level.
func placeOn(v *kb.Level, part string) kb.Place {
	return kb.Place{Type: v.Type, Level: v.ID, Variant: v.Variant, Part: part}
}

// objects finds that objects are not there: those without which the page is nothing, and others of which the page has marks.
func (j *judge) objects(s kb.Spot) {
	in := len(s.Objects) - 1
	if count(j.h, s.Objects[in].Class) > 0 {
		return
	}
	if in == 0 || essential(s.Objects[in-1]) {
		j.faults = append(j.faults, Fault{Kind: NoObject, Place: s.Place})
	} else if n := j.marks(s.Objects[in]); n > 0 {
		j.faults = append(j.faults, Fault{Kind: NoObject, Place: s.Place, Bad: n, Of: n, Detail: "the page has marks of some"})
	}
}

// marks counts elements with a text, outside links, that have the name and the number of objects that a page need not have in their ids
// ("comment-17").
func (j *judge) marks(o *kb.Object) (n int) {
	const someText = 40 // bytes
	_, name, _ := strings.Cut(strings.ToLower(o.Class), ":")
	for e := range j.p.Doc.Descendants() {
		for _, a := range e.Attr {
			_, rest, found := strings.Cut(strings.ToLower(a.Val), name)
			if found && a.Key == "id" && strings.ContainsAny(rest, "0123456789") && !strings.Contains(a.Val, "form") &&
				unlinked(e, someText) > someText {
				n++
			}
		}
	}
	return n
}

// unlinked counts the bytes of an element's text that are in no link, until there are enough.
func unlinked(n *html.Node, enough int) (all int) {
	switch {
	case n.Type == html.TextNode:
		return len(strings.TrimSpace(n.Data))
	case n.DataAtom == atom.A || unread(n):
		return 0
	}
	for c := n.FirstChild; c != nil && all <= enough; c = c.NextSibling {
		all += unlinked(c, enough-all)
	}
	return all
}

// field finds a field that most objects should have and do not, or that cannot be right in most.
func (j *judge) field(s kb.Spot) {
	all, missing, odd := tallied(j.h, s)
	fault := Fault{Place: s.Place, Of: all}
	switch {
	case s.Field.Required && 2*missing > all:
		fault.Kind, fault.Bad = NoField, missing
	case 2*odd > all:
		fault.Kind, fault.Bad = Implausible, odd
	case missing > 0 && missing == all:
		fault.Kind, fault.Bad = Absent, missing
	default:
		return
	}
	j.faults = append(j.faults, fault)
}

// tallied counts the objects that should have a field, those that have none, and those in which it cannot be right.
func tallied(h extract.Harvest, s kb.Spot) (all, missing, odd int) {
	for i := range h.Objects {
		o := &h.Objects[i]
		if o.Class != s.Objects[len(s.Objects)-1].Class {
			continue
		}
		all++
		if values, has := o.Values(s.Field.Name); !has {
			missing++
		} else if implausible(s.Field, values) {
			odd++
		}
	}
	return all, missing, odd
}

// Silenced is a harvest without the fields that cannot be right in most objects: an archive may lack a name, it must not state that a
// sentence is one. They are missed instead.
func Silenced(h extract.Harvest) extract.Harvest {
	if h.Level == nil {
		return h
	}
	for _, s := range h.Level.Spots() {
		if s.Field == nil || !named(s.Field) {
			continue
		}
		if all, _, odd := tallied(h, s); 2*odd <= all {
			continue
		}
		class := s.Objects[len(s.Objects)-1].Class
		h.Objects = slices.Clone(h.Objects)
		for i := range h.Objects {
			o := &h.Objects[i]
			if values, has := o.Values(s.Field.Name); o.Class != class || !has || !implausible(s.Field, values) {
				continue
			}
			o.Fields = slices.DeleteFunc(slices.Clone(o.Fields), func(f extract.Field) bool { return f.Name == s.Field.Name })
			h.Misses = append(slices.Clip(h.Misses), extract.Miss{Object: o.Class, Field: s.Field.Name, ID: o.ID})
		}
	}
	return h
}

// implausible reports whether values cannot be those of a field.
func implausible(f *kb.Field, values []string) bool {
	return named(f) && f.As == kb.Text && slices.ContainsFunc(values, func(v string) bool {
		return utf8.RuneCountInString(v) > 2*maxName || strings.Count(v, "\n") > 1 || sentence(v)
	})
}

// links finds navigation actions of an intermediate level that lead nowhere: those to content, and any where nothing else leads on.
func (j *judge) links() {
	leads := map[string]bool{}
	for _, l := range j.h.Links {
		leads[l.Action] = true
	}
	on := leadsOn(j.p.Type, j.h)
	for _, s := range j.spots {
		f := s.Follow
		if f == nil || f.Paging || f.Optional || f.To == j.h.Level.ID || leads[f.Name(j.h.Level)] {
			continue
		}
		if down(j.p.Type, j.h.Level.ID, f.To) && (!on || depth(j.p.Type, f.To) == 0) {
			j.faults = append(j.faults, Fault{Kind: NoLink, Place: s.Place})
		}
	}
	for _, to := range contents(j.p.Type, j.h.Level) {
		j.fault(NoLink, j.h.Level, kb.FollowPart(to, false), "")
	}
}

// paging finds links to further pages of the same that no action follows. It asks the addresses, which no template changes.
func (j *judge) paging() {
	if slices.ContainsFunc(j.h.Links, func(l extract.Link) bool { return l.Paging }) {
		return
	}
	part := kb.FollowPart(j.h.Level.ID, true)
	if i := slices.IndexFunc(j.spots, func(s kb.Spot) bool { return s.Follow != nil && s.Follow.Paging }); i >= 0 {
		part = j.spots[i].Part
	}
	if slices.ContainsFunc(extract.AllLinks(j.p), func(l extract.Link) bool { return further(j.p, l.URL) }) {
		j.fault(NoLink, j.h.Level, part, "there are further pages")
	}
}
