package kb

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Severity is the severity of a problem.
type Severity string

// An error is certainly a mistake, a warning probably.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is something in a knowledge base that loads but will not do what its
// author may expect.
type Problem struct {
	Pos      Position
	Severity Severity
	// Rule is the name of what was broken, such as "weak-pair"; kb/README.md
	// explains each.
	Rule  string
	Where string // the element, as in Error
	Msg   string // what was found
	Hint  string // what to do
}

// Lint looks for problems. It reads no pages: problems that only pages show, such as
// actions that no example covers, is the engine's; such problems can be given as
// more, to be put in order with the rest. The order is that of the sources.
func Lint(b *Base, more ...Problem) []Problem {
	l := &linter{base: b, problems: more, seen: map[string]bool{}, files: map[string]int{}}
	for _, t := range b.Types {
		if _, known := l.files[t.Pos.File]; !known {
			l.files[t.Pos.File] = len(l.files)
		}
		where := "type[" + string(t.ID) + "]"
		l.patterns(where+"/detect", t.Detect, t.Inherited)
		for _, p := range t.Detect {
			l.anywhere(where, p)
		}
		if evidence(t.Detect)+evidence(t.Inherited) < 2 && t.Site == "" {
			l.errorf(t.Pos, "type-never", where, "make the pattern strong, or add another",
				"has only one weak pattern: no page can match")
		}
		l.levels(t, where)
		l.navigation(t, where)
		l.urlRules(t, where)
		l.sameKeys(t, where)
		l.paged(t, where)
		if len(t.Examples) == 0 {
			l.warn(t.Pos, "type-untested", where, "save a page of each level and add <example page=\"...\" level=\"...\"/>",
				"has no example")
		}
	}
	l.services()
	l.strays()
	l.apart()
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(l.files[a.Pos.File]-l.files[b.Pos.File], a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column)
	})
	return l.problems
}

type linter struct {
	base     *Base
	problems []Problem
	seen     map[string]bool // problems, so that what subtypes inherit is told once
	files    map[string]int  // in the order of the sources
}

func (l *linter) errorf(pos Position, rule, where, hint, format string, args ...any) {
	l.add(Problem{pos, SeverityError, rule, where, fmt.Sprintf(format, args...), hint})
}

func (l *linter) warn(pos Position, rule, where, hint, format string, args ...any) {
	l.add(Problem{pos, SeverityWarning, rule, where, fmt.Sprintf(format, args...), hint})
}

func (l *linter) add(p Problem) {
	if key := p.Pos.String() + p.Rule + p.Msg; !l.seen[key] {
		l.seen[key] = true
		l.problems = append(l.problems, p)
	}
}

// evidence counts what patterns can bring together: a strong one is worth two.
func evidence(patterns []Pattern) int {
	n := 0
	for _, p := range patterns {
		if n++; !p.Weak {
			n++
		}
	}
	return n
}

// patterns looks at those of one type or level among each other.
func (l *linter) patterns(where string, own, inherited []Pattern) {
	where += "/pattern"
	for i, p := range own {
		l.css(p.Pos, where, p.Expr.String())
		l.headerCase(p.Pos, where, p.Expr)
		if s := p.Expr.Steps[0]; s.Axis == xpath.Child && s.Test.Kind == xpath.Tag && s.Test.Name != "page" {
			l.nowhere(p.Pos, where, p.Expr.String())
		}
		if j := repeats(own[:i], p); j >= 0 {
			if own[j].Pos.File == p.Pos.File {
				l.warn(p.Pos, "pattern-repeated", where, "delete one of them", "%s is already at %s", p.Expr, own[j].Pos)
			}
			continue // a later source may say again what an earlier one says
		}
		for j, q := range own {
			if i != j && implies(p.Expr, q.Expr) && p.Expr.String() != q.Expr.String() && !(j > i && implies(q.Expr, p.Expr)) {
				l.implied(where, p, q)
			}
		}
		for _, q := range inherited {
			if p.Weak && q.Weak && (implies(p.Expr, q.Expr) || implies(q.Expr, p.Expr)) {
				l.implied(where, p, q)
			}
		}
	}
}

// repeats gives the pattern that is the same expression, or -1.
func repeats(list []Pattern, p Pattern) int {
	return slices.IndexFunc(list, func(q Pattern) bool { return q.Expr.String() == p.Expr.String() })
}

// implied tells of a pattern p that never matches without q.
func (l *linter) implied(where string, p, q Pattern) {
	switch {
	case p.Weak && q.Weak:
		l.warn(p.Pos, "weak-pair", where, "make the narrower one strong if it suffices alone; else exclude it from the other with "+
			"[not(...)], or delete one",
			"%s and %s (%s) match the same thing, which counts twice: two weak patterns suffice", p.Expr, q.Expr, q.Pos)
	case !q.Weak:
		l.warn(p.Pos, "pattern-implied", where, "delete it",
			"%s only matches where the strong pattern %s (%s) does", p.Expr, q.Expr, q.Pos)
	}
}

// levels looks at those that a type declares itself, against all that come
// before them.
func (l *linter) levels(t *Type, where string) {
	for i, v := range t.Levels {
		at := where + "/level[" + v.Name() + "]"
		if v.Type == t.ID {
			l.patterns(at+"/detect", everywhere(v.Detect), nil)
			if evidence(v.Detect) < 2 {
				l.errorf(v.Pos, "level-never", at, "make the pattern strong, or add another",
					"has only one weak pattern: no page can match")
			}
			for _, o := range v.Objects {
				l.object(at, o, true)
			}
			l.totals(at, v.Totals, true)
			l.browse(at+"/browse", v)
			for _, c := range v.Changes {
				where := at + "/changes[" + string(c.To) + "]"
				l.tries(where+"/time", c.Times, c.Pos)
				l.tries(where+"/count", c.Counts, c.Pos)
				l.some(c.Pos, where, c.At, c.Link)
				l.fromPage(c.Pos, where, c.At)
				if t.Level(c.To) == nil {
					l.errorf(c.Pos, "changes-nowhere", where, "name a level of this type", "to=%q: %s has no such level", c.To, t.ID)
				}
			}
		}
		l.order(t, i, at)
	}
}

// order tells of a level, or a pattern of it, that always comes second: the
// first level in the file that fires is the page's.
func (l *linter) order(t *Type, i int, where string) {
	v := t.Levels[i]
	free, weak := 0, 0
	var late []Problem
	for _, p := range everywhere(v.Detect) {
		first := earlier(t.Levels[:i], v.ID, p)
		switch {
		case first != nil:
			late = append(late, Problem{p.Pos, SeverityWarning, "pattern-late", where + "/detect/pattern",
				fmt.Sprintf("%s only matches where the level %s comes first (%s)", p.Expr, first.Name(), first.Pos),
				"put the level before that one, or delete the pattern"})
		case p.Weak:
			weak++
		default:
			free++
		}
	}
	if free == 0 && weak < 2 && len(late) > 0 {
		l.errorf(v.Pos, "level-dead", where, "put it before them, or give it a pattern of its own",
			"never matches: an earlier level matches the same pages")
		return
	}
	for _, p := range late {
		l.add(p)
	}
}

// earlier gives the first of some levels that fires wherever a pattern does.
func earlier(levels []*Level, but LevelID, p Pattern) *Level {
	for _, u := range levels {
		if u.ID == but {
			continue
		}
		for _, q := range everywhere(u.Detect) {
			if !q.Weak && implies(p.Expr, q.Expr) {
				return u
			}
		}
	}
	return nil
}

// object looks at an object; page reports whether it is declared for the page, not in another object with nodes of its own.
func (l *linter) object(where string, o *Object, page bool) {
	where += "/object[" + o.Class + "]"
	l.tries(where+"/at", o.At, o.Pos)
	if page {
		l.fromPage(o.Pos, where+"/at", exprs(o.At)...)
	}
	page = page && len(o.At) == 0
	for _, f := range o.Fields {
		at := where + "/field[" + f.Name + "]"
		l.tries(at, f.Tries, f.Pos)
		l.tries(at+"/without", f.Without, f.Pos)
		l.some(f.Pos, at, f.Unless)
		if page {
			l.fromPage(f.Pos, at, append(exprs(f.Tries), f.Unless)...)
		}
	}
	for _, t := range slices.Concat(o.ID, o.Parent) {
		for _, part := range t.parts {
			l.some(o.Pos, where+"/id", part.expr)
			if page {
				l.fromPage(o.Pos, where+"/id", part.expr)
			}
		}
	}
	l.totals(where, o.Totals, page)
	for _, inner := range o.Objects {
		l.object(where, inner, page)
	}
}

func (l *linter) totals(where string, totals []*Total, page bool) {
	for _, t := range totals {
		at := where + "/total[" + t.Of + "]"
		l.tries(at, t.Tries, t.Pos)
		l.some(t.Pos, at, t.At, t.Link)
		switch {
		case page && t.At != nil:
			l.fromPage(t.Pos, at, t.At)
		case page:
			l.fromPage(t.Pos, at, exprs(t.Tries)...)
		}
	}
}

// exprs are the expressions of tries.
func exprs(tries []*Try) []*Expr {
	all := make([]*Expr, len(tries))
	for i, t := range tries {
		all[i] = t.Expr
	}
	return all
}

// tries tells of one that cannot yield where one before it did not.
func (l *linter) tries(where string, tries []*Try, pos Position) {
	for i, p := range tries {
		l.expr(cmp.Or(p.Expr.Pos, pos), where, p.Expr)
		for _, q := range tries[:i] {
			switch {
			case source(p.Match) != source(q.Match) || limited(q.Learned) && (p.Learned == nil || p.Learned.Site != q.Learned.Site):
				continue
			case p.Expr.Source == q.Expr.Source:
				l.warn(cmp.Or(p.Expr.Pos, pos), "try-repeated", where, "delete one of them", "%s is already at %s", p.Expr, q.Expr.Pos)
			case p.Expr.Fragment != nil && q.Expr.Fragment != nil && selects(p.Expr.Fragment, q.Expr.Fragment):
				l.warn(cmp.Or(p.Expr.Pos, pos), "try-dead", where, "put the narrower one first, or delete it",
					"%s selects only nodes that %s (%s) selects before it", p.Expr, q.Expr, q.Expr.Pos)
			default:
				continue
			}
			break
		}
	}
}

// limited reports whether what was learned applies on some sites only.
func limited(e *Entry) bool { return e != nil && !e.Everywhere() }

// everywhere leaves out the patterns that apply on some sites only: they prove
// nothing of the others.
func everywhere(patterns []Pattern) []Pattern {
	return slices.DeleteFunc(slices.Clone(patterns), func(p Pattern) bool { return limited(p.Learned) })
}

// strays tells of learned entries for places that are not there, as after an edit.
func (l *linter) strays() {
	for i := range l.base.Entries {
		e := &l.base.Entries[i]
		if !l.base.Has(e.Place) {
			l.warn(e.Pos, "learned-nowhere", "type["+string(e.Type)+"]/learned", "delete it, or name the current place of the action",
				"is for %s, which does not exist", e.Place)
		}
	}
}

func source(r *Regexp) string {
	if r == nil {
		return ""
	}
	return r.String()
}

// below reports whether t is a subtype of outer, at any depth.
func below(t, outer *Type) bool {
	for t = t.Parent; t != nil; t = t.Parent {
		if t == outer {
			return true
		}
	}
	return false
}

// browse warns of steps without a use.
func (l *linter) browse(where string, v *Level) {
	for i, s := range v.Browse {
		if next := v.Browse[i+1:]; (s.Do == Fill || s.Do == Choose && len(s.Values) > 0) && len(next) == 0 {
			l.warn(s.Pos, "step-idle", where, "submit the form, or click on its button", "%s: nothing happens after it", s)
		}
	}
	if len(v.Browse) > 0 && len(v.Follow) == 0 && len(v.Objects) == 0 {
		l.warn(v.Browse[0].Pos, "browse-idle", where, "add <follow> or <object> for what the steps show",
			"the level reads nothing, so its steps have no effect")
	}
}
