package mend

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/template"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Literally is algorithm 2 of the paper as it stands there, to compare with: the
// relaxations of each action that yields nothing are tried in order, and the first
// that matches anything is used from then on. Where no level is detected, the
// patterns of the levels are relaxed in the same way (section 6.2). Actions outside
// the paper's language cannot be relaxed.
func Literally(s Site) Mended {
	m := Mended{}
	base := s.detector.Base()
	for i, p := range s.pages {
		l := literal{page: p, site: p.URL.Host}
		if len(m.Entries) > 0 { // what earlier pages taught
			f := s.detector.Page(p.Doc, detect.Hints{Address: p.URL.Host + p.URL.Path, Force: p.Type})
			l.page.Type, l.page.Levels = f.Type, f.Levels
		}
		if len(l.page.Levels) == 0 {
			l.level()
		}
		h := s.Plain[i]
		if len(l.page.Levels) > 0 {
			for range maxLiteralRounds { // objects first, then what is in them
				h = extract.Run(l.page)
				if !l.mend(h.Level) {
					break
				}
			}
		}
		m.Harvests = append(m.Harvests, h)
		m.Entries = append(m.Entries, l.entries...)
		if len(l.entries) > 0 {
			if next, err := base.With(m.Entries...); err == nil {
				s.detector = detect.New(next)
			}
		}
	}
	return m
}

const (
	maxLiteralRounds = 4
	maxLiteralTries  = 100 // relaxations of one expression
)

// literal is the literal algorithm on one page.
type literal struct {
	page    extract.Page
	site    string
	entries []kb.Entry
	words   *relax.Vocabulary
}

// level relaxes the patterns of all levels until one fires.
func (l *literal) level() {
	for _, v := range l.page.Type.Levels {
		for _, p := range v.Detect {
			if e := l.first(p.Expr, []*html.Node{l.page.Doc}); e != nil {
				l.entries = append(l.entries, l.entry(kb.Place{Type: v.Type, Level: v.ID, Variant: v.Variant, Part: kb.PartDetect}, e))
				l.page.Levels = []*kb.Level{v}
				return
			}
		}
	}
}

// mend relaxes the first action of a level that yields nothing; false where none
// is left that can be.
func (l *literal) mend(v *kb.Level) bool {
	for _, s := range v.Spots() {
		if s.Tries == nil || s.Total != nil || s.Without != nil ||
			slices.ContainsFunc(l.entries, func(e kb.Entry) bool { return e.Place == s.Place }) {
			continue
		}
		scopes := l.scopes(s)
		if len(scopes) == 0 || slices.ContainsFunc(s.Tries, func(t *kb.Try) bool { return yields(t.Expr, scopes) }) {
			continue
		}
		for _, t := range s.Tries {
			if t.Expr.Fragment == nil {
				continue
			}
			expr := l.first(t.Expr.Fragment, scopes)
			if expr == nil {
				continue
			}
			e := l.entry(s.Place, expr)
			try, err := e.TryOf(expr)
			if err != nil {
				continue
			}
			l.entries = append(l.entries, e)
			levels := slices.Clone(l.page.Levels)
			for i := range levels {
				if levels[i] == v {
					levels[i] = v.With(s.Place, try)
				}
			}
			l.page.Levels = levels
			return true
		}
	}
	return false
}

func (l *literal) entry(p kb.Place, expr *kb.Expr) kb.Entry {
	return kb.Entry{Place: p, Expr: expr.Source, Provenance: kb.Provenance{Site: l.site}}
}

// scopes are the nodes in which the actions of a spot look.
func (l *literal) scopes(s kb.Spot) []*html.Node {
	scopes := []*html.Node{l.page.Doc}
	chain := s.Objects
	if s.At {
		chain = chain[:len(chain)-1]
	}
	for _, o := range chain {
		if len(o.At) == 0 {
			continue
		}
		var inner []*html.Node
		for _, n := range scopes {
			for _, t := range o.At {
				values := t.Expr.Select(n, nil)
				for _, v := range values {
					if v.Node != nil && v.Node.Type == html.ElementNode {
						inner = append(inner, v.Node)
					}
				}
				if len(values) > 0 {
					break
				}
			}
		}
		scopes = inner
	}
	return scopes
}

// first is the first relaxation that matches something; nil for none.
func (l *literal) first(e *xpath.Expr, scopes []*html.Node) *kb.Expr {
	n := 0
	for r := range relax.Seq(e, 0, l.vocabulary()) {
		if n++; n > maxLiteralTries {
			break
		}
		if x, err := kb.ExprOf(r.Expr.Tree()); err == nil && yields(x, scopes) {
			return x
		}
	}
	return nil
}

func yields(x *kb.Expr, scopes []*html.Node) bool {
	return slices.ContainsFunc(scopes, func(n *html.Node) bool { return len(x.Select(n, nil)) > 0 })
}

// vocabulary is what the page holds.
func (l *literal) vocabulary() relax.Vocabulary {
	if l.words != nil {
		return *l.words
	}
	tags, attrs, conditions := map[string]bool{}, map[string]bool{}, map[string]xpath.Pred{}
	ask := func(kind xpath.PredKind, name, value string) {
		p := xpath.Pred{Kind: kind, Value: xpath.Test{Kind: xpath.Attr, Name: name}, Literal: value}
		conditions[p.String()] = p
	}
	for n := range l.page.Doc.Descendants() {
		if n.Type != html.ElementNode || template.InsideHead(n) {
			continue
		}
		tags[n.Data] = true
		for _, a := range n.Attr {
			attrs[a.Key] = true
			switch {
			case a.Key == "class":
				for _, c := range strings.Fields(a.Val) {
					ask(xpath.Contains, a.Key, c)
				}
			case a.Key == "id" || a.Key == "itemprop" || a.Key == "rel" || a.Key == "role":
				ask(xpath.Equals, a.Key, a.Val)
			}
		}
	}
	holds := map[string]bool{}
	v := relax.Vocabulary{Tags: slices.Sorted(maps.Keys(tags)), Attrs: slices.Sorted(maps.Keys(attrs))}
	for _, key := range slices.Sorted(maps.Keys(conditions)) {
		v.Conditions = append(v.Conditions, conditions[key])
	}
	v.Holds = func(s xpath.Step) bool {
		s.Axis = xpath.Descendant
		e := &xpath.Expr{Steps: []xpath.Step{s}}
		key := e.String()
		known, asked := holds[key]
		if !asked {
			x, err := kb.ExprOf(e.Tree())
			known = err == nil && yields(x, []*html.Node{l.page.Doc})
			holds[key] = known
		}
		return known
	}
	l.words = &v
	return v
}
