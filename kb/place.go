package kb

import (
	"fmt"
	"slices"
	"strings"
)

// Place names one spot of a knowledge base that holds expressions. It names it by
// value, so that it means the same spot after the sources were read again.
type Place struct {
	// Type is where the level is declared: subtypes inherit levels.
	Type    TypeID
	Level   LevelID
	Variant string
	// Part is the spot in the level: see [Level.Spots].
	Part string
}

// PartDetect is the part of a level's own patterns.
const PartDetect = "detect"

// Parts of learned steps. A level can have several of each, behind the steps of its authors.
const (
	PartClick  = "browse click"  // clicks on what the expression selects, until they show nothing new
	PartScroll = "browse scroll" // scrolls to the end of the page, likewise; the expression is not used
)

// withoutPart ends the part of what is cut out of a field.
const withoutPart = " without"

// Cuts reports whether what stands at a place is cut out of a field. Each such expression cuts what it
// selects, where of others the first that yields is used.
func (p Place) Cuts() bool { return strings.HasSuffix(p.Part, withoutPart) }

// String gives "phpbb topic(subsilver) sioc:Thread/sioc:Post creator".
func (p Place) String() string {
	level := Level{ID: p.Level, Variant: p.Variant}
	return string(p.Type) + " " + level.Name() + " " + p.Part
}

// Spot is a place with what a level holds there. Exactly one of Follow, Total,
// Field, Without and At is set, but for the place of the patterns, which has none.
type Spot struct {
	Place
	// Objects are the declarations around it, the outermost first; the last is the
	// one whose At, Field or Total it is.
	Objects []*Object
	Follow  *Follow
	At      bool // the nodes of the last of Objects
	Field   *Field
	Without *Field // whose parts that do not belong to it are selected
	Total   *Total
	Tries   []*Try // nil for the patterns
}

// Pos is where its action is written; unknown for the patterns.
func (s Spot) Pos() Position {
	switch {
	case s.Follow != nil:
		return s.Follow.Pos
	case s.Total != nil:
		return s.Total.Pos
	case s.Field != nil:
		return s.Field.Pos
	case s.Without != nil:
		return s.Without.Pos
	case len(s.Objects) > 0:
		return s.Objects[len(s.Objects)-1].Pos
	}
	return Position{}
}

// Spots gives the places of a level, in the order of the file: "detect"; "follow
// TO" and "follow TO paging"; for an object the path of classes that leads to
// it, as "sioc:Thread/sioc:Post", and after a space the name of a field, the name and
// "without" for what is cut out of it, or "total CLASS". The second of two that would have the same name ends in "[2]".
// An object that is the page itself has no nodes to select, so that its path
// alone is not a place.
func (l *Level) Spots() []Spot {
	s := spots{level: l, seen: map[string]int{}}
	s.add(Spot{}, PartDetect)
	for _, f := range l.Follow {
		s.add(Spot{Follow: f, Tries: f.Tries}, s.once(FollowPart(f.To, f.Paging)))
	}
	s.objects(l.Objects, nil, "")
	return s.list
}

// Written is where a place is written in the sources: its action, or else its level or type.
func (b *Base) Written(p Place) (at Position) {
	t := b.byID[p.Type]
	if t == nil {
		return at
	}
	at = t.Pos
	for _, l := range t.Level(p.Level) {
		if l.Variant != p.Variant {
			continue
		}
		at = l.Pos
		if s, ok := l.Spot(p); ok && s.Pos() != (Position{}) {
			return s.Pos()
		}
	}
	return at
}

// FollowPart is the [Place.Part] of the first action of a level that leads to another,
// or with paging to further pages of the same.
func FollowPart(to LevelID, paging bool) string {
	if paging {
		return "follow " + string(to) + " paging"
	}
	return "follow " + string(to)
}

type spots struct {
	level *Level
	list  []Spot
	seen  map[string]int
}

func (s *spots) add(spot Spot, part string) {
	spot.Place = Place{Type: s.level.Type, Level: s.level.ID, Variant: s.level.Variant, Part: part}
	s.list = append(s.list, spot)
}

// once numbers what has a name for the second time.
func (s *spots) once(name string) string {
	s.seen[name]++
	if n := s.seen[name]; n > 1 {
		return fmt.Sprintf("%s[%d]", name, n)
	}
	return name
}

func (s *spots) objects(list, outer []*Object, path string) {
	for _, o := range list {
		at := s.once(strings.TrimPrefix(path+"/"+o.Class, "/"))
		chain := append(slices.Clone(outer), o)
		if len(o.At) > 0 {
			s.add(Spot{Objects: chain, At: true, Tries: o.At}, at)
		}
		for _, f := range o.Fields {
			s.add(Spot{Objects: chain, Field: f, Tries: f.Tries}, at+" "+f.Name)
			if f.As == HTML {
				s.add(Spot{Objects: chain, Without: f, Tries: f.Without}, at+" "+f.Name+withoutPart)
			}
		}
		for _, t := range o.Totals {
			s.add(Spot{Objects: chain, Total: t, Tries: t.Tries}, s.once(at+" total "+t.Of))
		}
		s.objects(o.Objects, chain, at)
	}
}

// Spot returns the spot of a place; ok is false where the level has none of it.
func (l *Level) Spot(p Place) (spot Spot, ok bool) {
	for _, s := range l.Spots() {
		if s.Place == p {
			return s, true
		}
	}
	return Spot{}, false
}

// With returns the level with one more try at a place, after the existing
// ones. It shares what is unchanged with l, which stays as it is. A navigation
// action that the level does not have is added to it, and a step. Any other place that it does not
// have, or that of its patterns, changes nothing: l is returned.
func (l *Level) With(p Place, t *Try) *Level {
	s, ok := l.Spot(p)
	switch f := followOf(p.Part); {
	case ok && p.Part != PartDetect:
		return l.withTries(s, append(slices.Clone(s.Tries), t))
	case ok || l.Type != p.Type || l.ID != p.Level || l.Variant != p.Variant:
		return l
	case f != nil:
		c := *l
		f.Tries = []*Try{t}
		c.Follow = append(slices.Clone(l.Follow), f)
		return &c
	case isStep(p.Part):
		c := *l
		c.Browse = append(slices.Clone(l.Browse), learnedStep(p.Part, t))
		return &c
	}
	return l
}

func isStep(part string) bool { return part == PartClick || part == PartScroll }

func learnedStep(part string, t *Try) *Step {
	s := &Step{Do: Scroll, Pos: t.Expr.Pos}
	if part == PartClick {
		s.Do, s.At = Click, t.Expr
	}
	return &Step{Do: Repeat, Most: mostRounds, Steps: []*Step{s}, Pos: s.Pos, Learned: t.Learned}
}

// followOf gives the navigation action, without its tries, whose part [FollowPart] names; nil for other parts.
func followOf(part string) *Follow {
	to, ok := strings.CutPrefix(part, "follow ")
	to, paging := strings.CutSuffix(to, " paging")
	if !ok || to == "" || strings.ContainsAny(to, " [") {
		return nil
	}
	return &Follow{To: LevelID(to), Paging: paging}
}

// withTries returns the level with other tries at a spot of it.
func (l *Level) withTries(s Spot, tries []*Try) *Level {
	c := *l
	switch {
	case s.Follow != nil:
		f := *s.Follow
		f.Tries = tries
		c.Follow = replaced(l.Follow, s.Follow, &f)
		return &c
	case s.Field != nil:
		f := *s.Field
		f.Tries = tries
		c.Objects = withObject(l.Objects, s.Objects, func(o *Object) { o.Fields = replaced(o.Fields, s.Field, &f) })
	case s.Without != nil:
		f := *s.Without
		f.Without = tries
		c.Objects = withObject(l.Objects, s.Objects, func(o *Object) { o.Fields = replaced(o.Fields, s.Without, &f) })
	case s.Total != nil:
		f := *s.Total
		f.Tries = tries
		c.Objects = withObject(l.Objects, s.Objects, func(o *Object) { o.Totals = replaced(o.Totals, s.Total, &f) })
	default:
		c.Objects = withObject(l.Objects, s.Objects, func(o *Object) { o.At = tries })
	}
	return &c
}

// WithPattern returns the level with one more pattern.
func (l *Level) WithPattern(p Pattern) *Level {
	c := *l
	c.Detect = append(slices.Clone(l.Detect), p)
	return &c
}

// replaced returns a list with another element in place of one of it.
func replaced[T any](list []*T, old, now *T) []*T {
	out := slices.Clone(list)
	out[slices.Index(out, old)] = now
	return out
}

// withObject returns a list of objects in which the last of a chain was changed,
// and those around it were copied.
func withObject(list, chain []*Object, change func(*Object)) []*Object {
	o := *chain[0]
	if len(chain) == 1 {
		change(&o)
	} else {
		o.Objects = withObject(o.Objects, chain[1:], change)
	}
	return replaced(list, chain[0], &o)
}
