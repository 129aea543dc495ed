package detect

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Synthetic returns a knowledge base of n types for measuring how detection
// scales, as in figure 3 of the paper: the types of base, and copies of them in
// turn until there are n. The same seed gives the same types, and fewer types
// are the first of more.
//
// A copy has the patterns of its model, strong and weak ones, of its levels and
// inherited ones, and each differs from the model's in one literal. The literal
// is one that nearly matches: the model's, or a value that such an element has on
// one of the pages, with another beginning, middle or end. So a copy shares what
// real types share, is looked at as far as they are, and is found on few pages.
//
// The result serves New only: types cannot be looked up by id.
func Synthetic(base *kb.Base, pages []*html.Node, n int, seed uint64) *kb.Base {
	m := &mimic{rng: rand.New(rand.NewPCG(seed, 1)), values: map[string][]string{}}
	for _, p := range pages {
		m.read(p)
	}
	var models []*kb.Type
	for _, t := range base.Types {
		if len(t.Detect) > 0 {
			models = append(models, t)
		}
	}
	out := &kb.Base{Types: append([]*kb.Type{}, base.Types[:min(n, len(base.Types))]...)}
	for i := 0; len(out.Types) < n && len(models) > 0; i++ {
		out.Types = append(out.Types, m.copy(models[i%len(models)], i))
	}
	return out
}

// mimic makes things that look like others.
type mimic struct {
	rng    *rand.Rand
	values map[string][]string // by where they stand: see read
}

// maxValues bounds the values kept for each place.
const maxValues = 500

// read collects attribute values and short texts of a page under "tag@name",
// "*@name", "tag." and "*.".
func (m *mimic) read(root *html.Node) {
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			for _, a := range n.Attr {
				m.keep(n.Data+"@"+a.Key, a.Val)
				m.keep("*@"+a.Key, a.Val)
			}
		case html.TextNode:
			if text := strings.TrimSpace(n.Data); n.Parent != nil {
				m.keep(n.Parent.Data+".", text)
				m.keep("*.", text)
			}
		}
	}
}

func (m *mimic) keep(place, value string) {
	if len(value) < 4 || len(value) > 400 || len(m.values[place]) >= maxValues {
		return
	}
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' { // nothing that must not be cut anywhere
			return
		}
	}
	m.values[place] = append(m.values[place], value)
}

func (m *mimic) copy(model *kb.Type, i int) *kb.Type {
	t := &kb.Type{
		ID: kb.TypeID(fmt.Sprintf("%s-%d", model.ID, i)), Category: model.Category, Rank: model.Rank,
		Detect: m.patterns(model.Detect), Inherited: model.Inherited,
	}
	for _, l := range model.Levels {
		t.Levels = append(t.Levels, &kb.Level{Type: t.ID, ID: l.ID, Variant: l.Variant, Kind: l.Kind, Detect: m.patterns(l.Detect)})
	}
	return t
}

func (m *mimic) patterns(model []kb.Pattern) []kb.Pattern {
	list := make([]kb.Pattern, len(model))
	for i, p := range model {
		list[i] = kb.Pattern{Expr: m.expr(p.Expr), Weak: p.Weak}
	}
	return list
}

// expr returns a copy that differs in one literal of a predicate that must hold,
// or in a name where there is none.
func (m *mimic) expr(model *xpath.Expr) *xpath.Expr {
	e := &xpath.Expr{Steps: append([]xpath.Step(nil), model.Steps...)}
	type at struct{ step, pred int }
	var literals, names []at
	for i := range e.Steps {
		e.Steps[i].Preds = append([]xpath.Pred(nil), e.Steps[i].Preds...)
		for k, p := range e.Steps[i].Preds {
			switch {
			case p.Kind == xpath.Exists && p.Value.Name != "":
				names = append(names, at{i, k})
			case p.Literal != "":
				literals = append(literals, at{i, k})
			}
		}
	}
	switch {
	case len(literals) > 0:
		c := literals[m.rng.IntN(len(literals))]
		p := &e.Steps[c.step].Preds[c.pred]
		p.Literal = m.literal(e.Steps[c.step].Test, p)
	case len(names) > 0:
		c := names[m.rng.IntN(len(names))]
		v := &e.Steps[c.step].Preds[c.pred].Value
		v.Name += "-" + m.word()
	default:
		last := &e.Steps[len(e.Steps)-1].Test
		last.Kind, last.Name = xpath.Tag, last.Name+"x-"+m.word()
	}
	return e
}

// literal returns one that nearly matches.
func (m *mimic) literal(test xpath.Test, p *xpath.Pred) string {
	place := "*"
	if test.Kind == xpath.Tag {
		place = test.Name
	}
	if p.Value.Kind == xpath.Attr {
		place += "@" + p.Value.Name
	} else {
		place += "."
	}
	s := p.Literal
	if found := m.values[place]; len(found) > 0 && m.rng.IntN(2) == 0 {
		s = found[m.rng.IntN(len(found))]
	}
	if n := 5 + m.rng.IntN(20); p.Kind != xpath.Equals && len(s) > n {
		from := 0
		if p.Kind == xpath.Contains {
			from = m.rng.IntN(len(s) - n + 1)
		}
		s = s[from : from+n]
	}
	cut := min(len(s), m.rng.IntN(4))
	switch m.rng.IntN(4) {
	case 0:
		return m.word() + s[cut:]
	case 1:
		mid := len(s) / 2
		return s[:mid] + m.word() + s[mid:]
	default: // versions and variants differ in the end more often
		return s[:len(s)-cut] + m.word()
	}
}

// word returns a few letters and digits.
func (m *mimic) word() string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"
	w := make([]byte, 3+m.rng.IntN(3))
	for i := range w {
		w[i] = letters[m.rng.IntN(len(letters))]
	}
	return string(w)
}
