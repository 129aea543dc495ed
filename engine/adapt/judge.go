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
	FewObjects  FaultKind = "few objects" // fewer than the page itself claims
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

// Judge lists what cannot be right in a harvest of a page. A page without a type
// has no faults: nothing is known of it.
func Judge(p extract.Page, h extract.Harvest) []Fault {
	v := h.Level
	switch {
	case p.Type == nil || h.Cut:
		return nil
	case v == nil:
		return []Fault{{Kind: NoLevel, Place: kb.Place{Type: p.Type.ID, Part: kb.PartDetect}}}
	}
	j := judge{p: p, h: h, spots: v.Spots()}
	j.paging()
	if v.Kind == kb.Intermediate {
		j.unfollowed()
		j.links()
		j.mistaken()
	} else {
		j.terminal()
	}
	return j.faults
}

// terminal judges a page of a terminal level.
func (j *judge) terminal() {
	if len(j.h.Level.Objects) == 0 {
		j.shell()
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

func (j *judge) of(class string) []extract.Object {
	var out []extract.Object
	for _, o := range j.h.Objects {
		if o.Class == class {
			out = append(out, o)
		}
	}
	return out
}

// shell finds that a variant without objects ran (the frame that a script fills)
// where others of the level have some.
func (j *judge) shell() {
	for _, v := range j.p.Levels {
		for _, s := range v.Spots() {
			if s.At {
				j.faults = append(j.faults, Fault{Kind: NoObject, Place: s.Place, Detail: "only a variant without objects fits"})
				return
			}
		}
	}
}

// objects finds objects that are not there at all, or fewer than the page claims.
func (j *judge) objects(s kb.Spot) {
	o := s.Objects[len(s.Objects)-1]
	n := len(j.of(o.Class))
	needed := len(s.Objects) == 1 || essential(s.Objects[len(s.Objects)-2])
	if n == 0 && needed {
		j.faults = append(j.faults, Fault{Kind: NoObject, Place: s.Place})
		return
	}
	if n == 0 {
		if marks := j.marks(o); marks > 0 {
			j.faults = append(j.faults, Fault{Kind: NoObject, Place: s.Place, Bad: marks, Of: marks, Detail: "the page has marks of some"})
		}
		return
	}
	for _, t := range j.h.Totals {
		if t.Of == o.Class && 2*n < t.Count && !j.paged() {
			j.faults = append(j.faults, Fault{Kind: FewObjects, Place: s.Place, Bad: t.Count - n, Of: t.Count,
				Detail: "the page counts more"})
			return
		}
	}
}

// paged reports whether an action leads to further pages.
func (j *judge) paged() bool {
	return slices.ContainsFunc(j.h.Links, func(l extract.Link) bool { return l.Paging })
}

// marks counts what looks like objects of a kind that a page need not have (comments): elements with text outside links that are named
// like them. One that has a number in its id is enough; of others there must be several.
func (j *judge) marks(o *kb.Object) int {
	const (
		fewest   = 3
		someText = 40 // bytes
	)
	_, name, _ := strings.Cut(strings.ToLower(o.Class), ":")
	classes, ids := 0, 0
	for n := range j.p.Doc.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom == atom.Body || n.DataAtom == atom.Form || n.DataAtom == atom.A {
			continue
		}
		for _, a := range n.Attr {
			if a.Key != "class" && a.Key != "id" || strings.Contains(a.Val, "form") {
				continue
			}
			_, rest, found := strings.Cut(strings.ToLower(a.Val), name)
			if !found || a.Key == "id" && !strings.ContainsAny(rest, "0123456789") || unlinked(n) <= someText {
				continue
			}
			if classes++; a.Key == "id" {
				ids++
			}
			break
		}
	}
	if ids == 0 && classes < fewest {
		return 0
	}
	return max(ids, classes)
}

// unlinked counts the bytes of an element's text that are in no link.
func unlinked(n *html.Node) int {
	switch {
	case n.Type == html.TextNode:
		return len(strings.TrimSpace(n.Data))
	case n.DataAtom == atom.A || unread(n):
		return 0
	}
	all := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		all += unlinked(c)
	}
	return all
}

// field finds a field that most objects should have and do not, or that cannot be
// right in most.
func (j *judge) field(s kb.Spot) {
	o := s.Objects[len(s.Objects)-1]
	objects := j.of(o.Class)
	missing, odd := 0, 0
	for _, one := range objects {
		values, has := one.Values(s.Field.Name)
		switch {
		case !has:
			missing++
		case implausible(s.Field, values):
			odd++
		}
	}
	fault := Fault{Place: s.Place, Of: len(objects)}
	switch {
	case s.Field.Required && 2*missing > len(objects):
		fault.Kind, fault.Bad = NoField, missing
	case 2*odd > len(objects):
		fault.Kind, fault.Bad = Implausible, odd
	case missing > 0 && missing == len(objects) && !s.Field.Required:
		fault.Kind, fault.Bad = Absent, missing
	default:
		return
	}
	j.faults = append(j.faults, fault)
}

// implausible reports whether values cannot be those of a field.
func implausible(f *kb.Field, values []string) bool {
	if f.Name != "creator" && f.Name != "name" || f.As != kb.Text {
		return false
	}
	for _, v := range values {
		if utf8.RuneCountInString(v) > 2*maxName || strings.Count(v, "\n") > 1 || sentence(v) {
			return true
		}
	}
	return false
}

// links finds navigation actions of an intermediate level that lead nowhere: those
// to content, and any where nothing else leads on.
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

// paging finds links to further pages of the same that no action follows. It asks
// the addresses, which no template changes.
func (j *judge) paging() {
	if j.paged() {
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
