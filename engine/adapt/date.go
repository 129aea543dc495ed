package adapt

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// usualCuts cut a date out of what all templates write before one: a name and a sign, a label, "on".
var usualCuts = []*kb.Regexp{
	{Regexp: regexp.MustCompile(`[»·|•–—]\s*([^»·|•–—]*\d[^»·|•–—]*)$`)},
	{Regexp: regexp.MustCompile(`^[^:\d]*:\s*(.+)$`)},
	{Regexp: regexp.MustCompile(`(?i)\bon\s+(.+)$`)},
	{Regexp: regexp.MustCompile(`^([^:]*\b(?:19|20)\d\d\b[^:]*\d:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?)`)}, // and when it was edited
}

// dateForms find a date in any text: they show where it begins and ends.
var dateForms = []*kb.Regexp{
	{Regexp: regexp.MustCompile(`(?:^|[^\d./-])((?:\d{4}[./-]\d\d?[./-]\d\d?|\d\d?[./-]\d\d?[./-]\d{4}|\d{4}年\d\d?月\d\d?日)` +
		clockBehind + `)`)},
	{Regexp: regexp.MustCompile(`(?:^|\s)((?:\d\d?(?:st|nd|rd|th|\.)?\s(?:de\s|of\s)?\pL{3,}\.?|\pL{3,}\.?\s\d\d?(?:st|nd|rd|th)?),?\s` +
		`(?:de\s)?(?:19|20)\d\d` + clockBehind + `)`)},
}

// clockBehind is a time of day behind a date, or nothing.
const clockBehind = `(?:(?:,|\sat|\s-|T)?\s*\d\d?:\d\d(?::\d\d)?(?:\s?[AaPp][Mm]\b)?)?`

// dateLike reports whether a text may be a date, by itself or cut as the type cuts dates. Each text is looked at once: many candidates meet
// it.
func (s *session) dateLike(text string) bool {
	if !strings.ContainsAny(text, "0123456789") {
		return false
	}
	is, known := s.liked[text]
	if !known {
		s.x.spend(likeWork)
		is = dates.Like(text) || s.dateCut(text, nil) != nil
		s.liked[text] = is
	}
	return is
}

// dateCut gives what cuts a date out of a text: of the expression that is there and those of the category the one that leaves most of it,
// with a year before one without; nil for a text that is a date by itself.
func (s *session) dateCut(text string, own *kb.Regexp) *kb.Regexp {
	text = strings.Join(strings.Fields(text), " ")
	best, most := own, -1
	look := func(m *kb.Regexp) {
		cut := strings.TrimSpace(m.Cut(text))
		if !dates.Like(cut) {
			return
		}
		n := len(cut)
		if dates.HasYear(cut) {
			n += dates.LongestLike
		}
		if n > most {
			best, most = m, n
		}
	}
	if own != nil {
		look(own)
	}
	switch {
	case dates.Like(text) && (most < 0 || most < dates.LongestLike && dates.HasYear(text)):
		return nil
	case len(text) > 2*dates.LongestLike || !strings.ContainsAny(text, "0123456789"):
		return own
	}
	for _, m := range slices.Concat(s.lex.cuts[s.category], usualCuts) {
		look(m)
	}
	return best
}

// dateAmong gives what cuts a date out of a text that says more: "Ada Posted on 2010.12.31 23:42 //"; nil where nothing but numbers and
// signs would be left.
func dateAmong(text string) *kb.Regexp {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	if text = strings.Join(strings.Fields(text), " "); len(text) > 2*dates.LongestLike {
		return nil
	}
	for _, m := range dateForms {
		if at := m.FindStringSubmatchIndex(text); at != nil && strings.ContainsFunc(text[:at[2]]+text[at[3]:], unicode.IsLetter) {
			return m
		}
	}
	return nil
}

// speaksOfDate reports whether an element has a date in its own text, by itself or among other words.
func (s *session) speaksOfDate(n int) bool { return s.raw(n, xpath.Test{Kind: xpath.Text}) != "" }

// timed reports whether each of some records holds a moment that is written for programs.
func (s *session) timed(sc *scope) bool {
	return !slices.ContainsFunc(sc.records, func(rec int) bool {
		return !slices.ContainsFunc(within(s.x.tags["time"], rec, s.x), func(n int) bool {
			v, _ := s.x.attr(n, "datetime")
			return dates.ForPrograms(v) && !s.innerOf(n, rec, sc.inner)
		})
	})
}

// before is the share of objects in which a date of a change is before the date of the object.
func (q *ask) before(c *candidate) float64 {
	return q.beside(c, "created", func(v, created string) bool {
		n := min(len(v), len(created))
		return v[:n] < created[:n]
	})
}

// vaguer is the share of objects whose own date has a time of day, and this one has none.
func (q *ask) vaguer(c *candidate) float64 {
	return q.beside(c, "created", func(v, created string) bool {
		return len(v) <= len("2006-01-02") && len(created) > len("2006-01-02")
	})
}

// beside is the share of objects with values of two fields in which something holds of both.
func (q *ask) beside(c *candidate, field string, holds func(v, other string) bool) float64 {
	n, all := 0, 0
	for i, other := range q.tk.values[field] {
		if c.values[i] != "" && other != "" && q.field.Name != field {
			all++
			n += boolInt(holds(c.values[i], other))
		}
	}
	return float64(n) / float64(max(1, all))
}

// personal reports whether values differ from author to author, and never among the objects of one:
// the day on which a member joined.
func (q *ask) personal(c *candidate) bool {
	of, again := map[string]string{}, 0
	for i, name := range q.tk.values["creator"] {
		v := c.values[i]
		if name == "" || v == "" {
			continue
		}
		if was, known := of[name]; known && was != v {
			return false
		} else if known {
			again++
		}
		of[name] = v
	}
	return again > 0 && len(of) > 1 && distinct(slices.Collect(maps.Values(of)))*float64(len(of)) > 1.5
}

// order tells how well dates rise or fall along a page: 1 for always, 0.5 for without order. Dates that are all the same have none.
func order(values []string) float64 {
	up, down, n := 0, 0, 0
	last := ""
	for _, v := range values {
		if v == "" {
			continue
		}
		if last != "" {
			k := min(len(last), len(v), len("2006-01-02T15:04:05"))
			n++
			switch {
			case v[:k] > last[:k]:
				up++
			case v[:k] < last[:k]:
				down++
			}
		}
		last = v
	}
	if n == 0 || up+down == 0 {
		return 0.5
	}
	return float64(n-min(up, down)) / float64(n)
}

// date reads a date. Where it is no more than a guess that there is one, it must look like it.
func (s *session) date(f *kb.Field, t *kb.Try, of kb.Value) string {
	text := strings.TrimSpace(cutBy(t.Match, of.Text()))
	undated := dates.Undated(text)
	if s.page.Captured.IsZero() && (undated || dates.Relative(text)) || s.guessing && (undated || !dates.Like(text)) {
		return ""
	}
	before := s.r.Steps()
	defer func() { s.x.spend(stepWork * (s.r.Steps() - before)) }()
	return s.r.Value(f, t, of.Node, of.Attr)
}

// ambiguous reports whether a candidate for a date selects several in some record: that of a last reply, and then that of the post. What is
// no date is not read as one.
func (s *session) ambiguous(c *candidate) bool {
	to := c.target()
	return slices.ContainsFunc(c.nodes, func(nodes []int) bool {
		return slices.ContainsFunc(nodes[:min(len(nodes), 3)], func(n int) bool {
			raw := s.raw(n, to)
			return raw != s.raw(nodes[0], to) && s.dateLike(raw)
		})
	})
}

// ofVisitors reports whether an element lies in what a template calls a comment, or in a form, or is that: its date and name are not those
// of the page. What holds most of the page may be called so for having comments.
func (s *session) ofVisitors(n int) bool {
	for ; n >= 0; n = s.x.parent[n] {
		if 2*s.x.length(n) > s.x.length(0) {
			return false
		}
		if s.x.nodes[n].DataAtom == atom.Form {
			return true
		}
		for _, name := range []string{"class", "id"} {
			v, _ := s.x.attr(n, name)
			words := strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) })
			if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "comment") }) {
				return true
			}
		}
	}
	return false
}
