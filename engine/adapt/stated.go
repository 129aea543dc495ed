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

// What a page states of itself, for search engines and for others that link to it, no
// template changes: whoever wrote the post, and when, is known before anything on the
// page is looked at. A candidate that agrees is more than likely; and where the
// statement stands is a candidate itself.

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

// agrees reports whether a value is one that the page states; known is false where it
// states none.
func (s *session) agrees(f *kb.Field, value string) (is, known bool) {
	list := s.statesOf(f)
	for _, v := range list {
		if v.Value == "" {
			continue
		}
		known = true
		switch {
		case f.As == kb.Date:
			is = is || sameMoments([]string{value}, []string{s.moment(f, v.Value)})
		case f.Name == "title":
			stated, t := plainTitle(html.UnescapeString(v.Value)), plainTitle(value)
			is = is || t != "" && (t == stated || len(t) > 3 && 3*len(t) > len(stated) && strings.Contains(stated, t))
		default:
			is = is || plainTitle(html.UnescapeString(v.Value)) == plainTitle(value)
		}
	}
	return is, known
}

// moment reads a time that is written for programs; "" for others.
func (s *session) moment(f *kb.Field, raw string) string {
	if raw = strings.TrimSpace(raw); !dates.ForPrograms(raw) {
		return ""
	}
	return s.date(f, &kb.Try{}, &html.Node{Type: html.TextNode, Data: raw}, "", raw)
}

// zoned is a time with its zone.
var zoned = regexp.MustCompile(`\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$`)

// mostStated bounds the statements of one field that are tried.
const mostStated = 6

// stated proposes the places where the page states a field.
func (s *session) stated(spot kb.Spot, sc *scope) []*candidate {
	switch {
	case !article(spot, sc) || spot.Field.Name == "title": // what titles leave out is asked for with the other candidates
		return nil
	case spot.Field.Many:
		return s.tagged(spot)
	}
	var out []*candidate
	seen := map[string]bool{}
	list := s.statesOf(spot.Field)
	for _, v := range list[:min(len(list), mostStated)] {
		is, match := placeOf(v)
		if is == nil || seen[is.String()] {
			continue
		}
		seen[is.String()] = true
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
		out = append(out, c)
	}
	return out
}

// shorter reports whether a stated title leaves out what the title of the window adds: the
// name of the site, mostly.
func (s *session) shorter(title string) bool {
	t := plainTitle(title)
	return len(t) > 2 && len(t) < len(s.title) && strings.Contains(s.title, t)
}

// placeOf writes where something is stated as an expression, with what cuts it out of
// JSON-LD; nil where only what a template writes tells the place.
func placeOf(v extract.Stated) (place *xpath.Expr, match *kb.Regexp) {
	if v.Key != "" {
		text := ""
		if v.Node.FirstChild != nil {
			text = strings.Join(strings.Fields(v.Node.FirstChild.Data), " ")
		}
		form := `"%s"\s*:\s*"([^"\\]+)"`
		if v.Key == "author" {
			form = `"%s"\s*:\s*\[?\s*\{[^{}]*?"name"\s*:\s*"([^"\\]+)"`
		}
		re := regexp.MustCompile(fmt.Sprintf(form, v.Key))
		if m := re.FindStringSubmatch(text); m == nil || m[1] != v.Value {
			return nil, nil
		}
		return having("script", "type", "application/ld+json"), &kb.Regexp{Regexp: re}
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

// ownArticle reports whether an object is the one text of a page whose level is known, though
// not by its template.
func (s *session) ownArticle(v *kb.Level, spot kb.Spot, sc *scope) bool {
	return s.own.level == v.ID && article(spot, sc)
}

// ofArticle gives the level of a type whose pages are one dated text each; "" where none
// or several are.
func ofArticle(t *kb.Type) kb.LevelID {
	var id kb.LevelID
	for _, v := range t.Levels {
		if v.Kind != kb.Terminal || len(v.Objects) != 1 || essential(v.Objects[0]) {
			continue
		}
		if !slices.ContainsFunc(v.Objects[0].Fields, func(f *kb.Field) bool { return f.Name == "created" && f.Required }) {
			continue
		}
		if id != "" && id != v.ID {
			return ""
		}
		id = v.ID
	}
	return id
}

// statedPattern writes as a pattern of a level where the page states when it was
// published; "" where it does not in its head.
func (s *session) statedPattern() string {
	for _, v := range s.statement().Created {
		if v.Key != "" || v.Node.DataAtom != atom.Meta {
			continue
		}
		is, _ := placeOf(v)
		if is == nil || len(is.Steps) < 2 {
			continue
		}
		if e := (&xpath.Expr{Steps: is.Steps[:1]}); writable(e) {
			return e.String()
		}
	}
	return ""
}

// bulk is the element with the main text of the page as generic reading finds it; -1 for
// none.
func (s *session) bulk() int {
	if !s.bulkKnown {
		s.bulkKnown = true
		s.bulkAt = -1
		s.x.spend(4 * len(s.x.nodes))
		if n, ok := s.x.number[extract.MainText(s.page)]; ok {
			s.bulkAt = n
		}
	}
	return s.bulkAt
}

// astray reports whether a candidate for the text of the page has nothing in common with its
// main text: the words about cookies, say.
func (s *session) astray(c *candidate) bool {
	n := s.bulk()
	return n >= 0 && !slices.ContainsFunc(c.nodes[0], func(m int) bool { return s.x.inside(m, n) || s.x.inside(n, m) })
}

// holdsText reports whether what could be the one object inside the page's holds the text of
// the page: it is no comment on it.
func (s *session) holdsText(spot kb.Spot, nodes []int) bool {
	return len(nodes) == 1 && len(spot.Objects) > 1 && !essential(spot.Objects[0]) && s.bulk() >= 0 && s.x.inside(s.bulk(), nodes[0])
}

// readText notes where the main text of the page is, if generic reading gave its object
// the content that no action found. It stands where nothing better is found, and the rest
// of the object lies beside it.
func (s *session) readText(h extract.Harvest) {
	if !h.Generic || h.Level == nil {
		return
	}
	s.mainText = s.bulk()
}

// revised marks dates of a change in names that templates give.
var revised = regexp.MustCompile(`(?i)updat|modif|edit|revis`)

// unseen reports whether an element is for programs alone.
func (s *session) unseen(n int) bool {
	return unread(s.x.nodes[n]) || s.x.nodes[n].DataAtom == atom.Meta
}

// contradicted reports whether readers are shown another moment than the page states, which
// is off by the offset of the site: programs that write the hour of Greenwich with that
// offset are many.
func (s *session) contradicted(f *kb.Field, c *candidate) bool {
	if f.As != kb.Date || len(c.nodes[0]) == 0 || !s.unseen(c.nodes[0][0]) {
		return false
	}
	stated, err := time.Parse(time.RFC3339, c.values[0])
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.x.tags["time"], func(n int) bool {
		raw, _ := s.x.attr(n, "datetime")
		shown, err := time.Parse(time.RFC3339, strings.TrimSpace(raw))
		if err != nil {
			return false
		}
		apart := shown.Sub(stated).Abs()
		for _, t := range []time.Time{stated, shown} {
			_, offset := t.Zone()
			if off := (time.Duration(offset) * time.Second).Abs(); off > 0 && (apart-off).Abs() < time.Minute {
				return true
			}
		}
		return false
	})
}
