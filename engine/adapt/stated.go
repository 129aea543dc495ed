package adapt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// What a page states of itself, for search engines and for others that link to it, no template changes: whoever wrote the post, and when,
// is known before anything on the page is looked at. A candidate that agrees is more than likely; and where the statement stands is a
// candidate itself.

// statement reads what the page states, once.
func (s *session) statement() *extract.Statement {
	if s.states == nil {
		s.x.spend(2 * len(s.x.nodes))
		st := extract.ReadStatement(s.page.Doc)
		s.states = &st
	}
	return s.states
}

// article reports whether an object is one text that is the page.
func article(spot kb.Spot, sc *scope) bool {
	return page(sc) && len(spot.Objects) == 1 && !essential(spot.Objects[0])
}

// statesOf lists what the page states of a field.
func (s *session) statesOf(f *kb.Field) []extract.Stated {
	st := s.statement()
	switch {
	case f.Many:
	case f.Name == "title":
		return st.Titles
	case f.Name == "creator":
		return st.Creators
	case f.Name == "created" && f.As == kb.Date:
		return st.Created
	}
	return nil
}

// agrees reports whether a value is one that the page states; known is false where it states none.
func (s *session) agrees(f *kb.Field, value string) (is, known bool) {
	got := plainTitle(value)
	for _, v := range s.statesOf(f) {
		stated := plainTitle(html.UnescapeString(v.Value))
		known = known || v.Value != ""
		switch {
		case f.As == kb.Date:
			is = is || sameMoments([]string{value}, []string{s.moment(f, v.Value)})
		case f.Name == "title": // or a part of it
			is = is || got != "" && (got == stated || len(got) > 3 && 3*len(got) > len(stated) && strings.Contains(stated, got))
		default:
			is = is || v.Value != "" && got == stated
		}
	}
	return is, known
}

// moment reads a time that is written for programs; "" for others.
func (s *session) moment(f *kb.Field, raw string) string {
	if raw = strings.TrimSpace(raw); !dates.ForPrograms(raw) {
		return ""
	}
	return s.date(f, &kb.Try{}, kb.ValueAt(&html.Node{Type: html.TextNode, Data: raw}, "", nil))
}

// zoned is a time with its zone.
var zoned = regexp.MustCompile(`\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$`)

// stated proposes the places where the page states a field.
func (s *session) stated(spot kb.Spot, sc *scope) []*candidate {
	switch {
	case !article(spot, sc) || spot.Field.Name == "title": // what titles leave out is asked for with the other candidates
		return nil
	case spot.Field.Many:
		return s.tagged(spot)
	}
	out := gathered{seen: map[string]bool{}}
	for _, v := range s.statesOf(spot.Field) {
		is, match := placeOf(v)
		if is == nil {
			continue
		}
		s.x.spend(exprWork)
		e, err := kb.ExprOf(is.Tree())
		if err != nil {
			continue
		}
		c := trial(e, match, 3)
		if c.stated = true; len(spot.Tries) > 0 {
			c.from = spot.Tries[0].Expr.Source
		}
		if dates.ForPrograms(v.Value) {
			c.early = exact
		}
		out.add(c)
	}
	return out.list
}

// placeOf writes where something is stated as an expression, with what cuts it out of JSON-LD; nil where only what a template writes tells
// the place.
func placeOf(v extract.Stated) (place *xpath.Expr, match *kb.Regexp) {
	if v.Key != "" {
		form := `"%s"\s*:\s*"([^"\\]+)"`
		if v.Key == "author" {
			form = `"%s"\s*:\s*\[?\s*\{[^{}]*?"name"\s*:\s*"([^"\\]+)"`
		}
		re := regexp.MustCompile(fmt.Sprintf(form, v.Key))
		if match = (&kb.Regexp{Regexp: re}); v.Node.FirstChild == nil || cutBy(match, v.Node.FirstChild.Data) != v.Value {
			return nil, nil
		}
		return having("script", "type", "application/ld+json"), match
	}
	for _, a := range v.Node.Attr {
		named := a.Key == "itemprop" || a.Key == "rel" || v.Node.DataAtom == atom.Meta && (a.Key == "property" || a.Key == "name")
		if !named || a.Namespace != "" {
			continue
		}
		e := having(v.Node.Data, a.Key, a.Val)
		if v.Attr != "" {
			e.Steps = append(e.Steps, xpath.Step{Axis: xpath.Child, Test: xpath.Test{Kind: xpath.Attr, Name: v.Attr}})
		}
		return e, nil
	}
	return nil, nil
}

// having selects the elements of a tag whose attribute has a value.
func having(tag, attr, value string) *xpath.Expr {
	is := xpath.Pred{Kind: xpath.Equals, Value: xpath.Test{Kind: xpath.Attr, Name: attr}, Literal: value}
	return &xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.Tag, Name: tag}, Preds: []xpath.Pred{is}}}}
}

// ofArticle gives the level of a type whose pages are one dated text each; "" where none or several are.
func ofArticle(t *kb.Type) (id kb.LevelID) {
	dated := func(f *kb.Field) bool { return f.Name == "created" && f.Required }
	for _, v := range t.Levels {
		if v.Kind != kb.Terminal || len(v.Objects) != 1 || essential(v.Objects[0]) || !slices.ContainsFunc(v.Objects[0].Fields, dated) {
			continue
		}
		if id != "" && id != v.ID {
			return ""
		}
		id = v.ID
	}
	return id
}

// statedPattern writes as a pattern of a level where the page states when it was published; "" where it does not in its head.
func (s *session) statedPattern() string {
	for _, v := range s.statement().Created {
		if is, _ := placeOf(v); is != nil && v.Node.DataAtom == atom.Meta {
			if e := (&xpath.Expr{Steps: is.Steps[:1]}); writable(e) {
				return e.String()
			}
		}
	}
	return ""
}

// bulk is the element with the main text of the page as generic reading finds it; -1 for none.
func (s *session) bulk() int {
	if !s.bulkKnown {
		s.x.spend(4 * len(s.x.nodes))
		n, ok := s.x.number[extract.MainText(s.page)]
		if s.bulkAt, s.bulkKnown = n, true; !ok {
			s.bulkAt = -1
		}
	}
	return s.bulkAt
}

// astray reports whether a candidate for the text of the page has nothing in common with its main text: the words about cookies, say.
func (s *session) astray(c *candidate) bool {
	n := s.bulk()
	return n >= 0 && !slices.ContainsFunc(c.nodes[0], func(m int) bool { return s.x.inside(m, n) || s.x.inside(n, m) })
}

// revised marks dates of a change in names that templates give.
var revised = regexp.MustCompile(`(?i)updat|modif|edit|revis`)

// unseen reports whether an element is for programs alone.
func (s *session) unseen(n int) bool {
	return unread(s.x.nodes[n]) || s.x.nodes[n].DataAtom == atom.Meta
}

// contradicted reports whether readers are shown another moment than the page states, which is off by the offset of the site: programs
// that write the hour of Greenwich with that offset are many.
func (s *session) contradicted(f *kb.Field, c *candidate) bool {
	stated, err := time.Parse(time.RFC3339, c.values[0])
	if err != nil || f.As != kb.Date || len(c.nodes[0]) == 0 || !s.unseen(c.nodes[0][0]) {
		return false
	}
	return slices.ContainsFunc(s.x.tags["time"], func(n int) bool {
		raw, _ := s.x.attr(n, "datetime")
		shown, err := time.Parse(time.RFC3339, strings.TrimSpace(raw))
		apart := shown.Sub(stated).Abs()
		return err == nil && slices.ContainsFunc([]time.Time{stated, shown}, func(t time.Time) bool {
			_, offset := t.Zone()
			off := (time.Duration(offset) * time.Second).Abs()
			return off > 0 && (apart-off).Abs() < time.Minute
		})
	})
}
