package adapt

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Lexicon is what a knowledge base says about names: with which words templates
// mark an author or a date, and which conditions types of a category use. It is
// made once for a knowledge base, immutable and safe for concurrent use.
type Lexicon struct {
	base     *kb.Base
	readings map[*kb.Expr][]relax.Reading
	// words maps what an action is for ("creator", "sioc:Post", "follow topic") to
	// the words that actions of that kind use, and how many types use each.
	words map[string]map[string]int
	// used holds, for each category and purpose, the conditions in use.
	used map[kb.CategoryID]map[string]map[string]bool
	// asked holds, for each type, what its expressions compare attributes with.
	asked    map[kb.TypeID]map[string]bool
	cuts     map[kb.CategoryID][]*kb.Regexp // of dates
	compared map[*kb.Expr][][]xpath.Step
}

// NewLexicon reads a knowledge base.
func NewLexicon(base *kb.Base) *Lexicon {
	l := &Lexicon{
		base: base, readings: map[*kb.Expr][]relax.Reading{}, words: map[string]map[string]int{},
		used: map[kb.CategoryID]map[string]map[string]bool{}, asked: map[kb.TypeID]map[string]bool{},
		cuts: map[kb.CategoryID][]*kb.Regexp{}, compared: map[*kb.Expr][][]xpath.Step{},
	}
	for _, t := range base.Types {
		if _, known := l.cuts[t.Category]; !known {
			l.cuts[t.Category] = dateCuts(base.Types, t.Category)
		}
		said := map[string]map[string]bool{} // a type counts once for each word
		l.asked[t.ID] = map[string]bool{}
		for _, v := range t.Levels {
			l.note(t.ID, v)
			if v.Type != t.ID {
				continue
			}
			for _, s := range v.Spots() {
				if s.Without != nil {
					continue
				}
				for _, try := range s.Tries {
					l.learn(t.Category, purpose(s), try.Expr, said)
				}
			}
		}
		for p, words := range said {
			if l.words[p] == nil {
				l.words[p] = map[string]int{}
			}
			for w := range words {
				l.words[p][w]++
			}
		}
	}
	return l
}

// purpose names what the actions of a spot are for, across types.
func purpose(s kb.Spot) string {
	switch {
	case s.Follow != nil && s.Follow.Paging:
		return "paging"
	case s.Follow != nil:
		return "follow " + string(s.Follow.To)
	case s.Field != nil:
		return s.Field.Name
	case s.At:
		return s.Objects[len(s.Objects)-1].Class
	}
	return s.Part
}

// learn notes the last step of an expression: what marks the node itself.
func (l *Lexicon) learn(c kb.CategoryID, purpose string, e *kb.Expr, said map[string]map[string]bool) {
	readings := relax.Read(e.Tree)
	l.readings[e] = readings
	if said[purpose] == nil {
		said[purpose] = map[string]bool{}
	}
	if l.used[c] == nil {
		l.used[c] = map[string]map[string]bool{}
	}
	if l.used[c][purpose] == nil {
		l.used[c][purpose] = map[string]bool{}
	}
	for _, r := range readings {
		steps := elementSteps(r.Expr)
		for i, s := range steps {
			for _, p := range s.Preds {
				if p.Value.Kind != xpath.Attr || p.Literal == "" {
					continue
				}
				l.used[c][purpose][p.Value.Name+"="+p.Literal] = true
				if i == len(steps)-1 {
					for _, w := range relax.Words(p.Literal) {
						if len(w) > 2 {
							said[purpose][w] = true
						}
					}
				}
			}
		}
	}
}

// read gives the readings of an expression.
func (l *Lexicon) read(e *kb.Expr) []relax.Reading {
	if r, known := l.readings[e]; known {
		return r
	}
	return relax.Read(e.Tree) // learned since
}

// known tells relaxations which conditions sibling types use for a purpose.
func (l *Lexicon) known(c kb.CategoryID, purpose string) func(xpath.Pred) bool {
	used := l.used[c][purpose]
	return func(p xpath.Pred) bool { return used[p.Value.Name+"="+p.Literal] }
}

// hint says how strongly the words of a name or value suggest a purpose rather
// than another, from 0 to 1.
func (l *Lexicon) hint(purpose, value string) float64 {
	best := 0.0
	words := relax.Words(value)
	for _, w := range words {
		n := l.weight(purpose, w)
		if n == 0 {
			continue
		}
		other := 0
		for _, p := range rivals {
			if p != purpose {
				other = max(other, l.weight(p, w))
			}
		}
		h := float64(min(n, 4)) / 4
		if other > 0 {
			h *= float64(n) / float64(n+other)
		}
		best = max(best, h)
	}
	return best
}

// rivals are purposes that share their places.
var rivals = []string{"creator", "created", "content", "title"}

// weight is in how many types a word marks a purpose; a word inside a longer one
// ("posttitle") counts too.
func (l *Lexicon) weight(purpose, word string) int {
	words := l.words[purpose]
	if n := words[word]; n > 0 {
		return n
	}
	best := 0
	if len(word) > 5 {
		for w, n := range words {
			if len(w) > 3 && strings.Contains(word, w) {
				best = max(best, (n+1)/2)
			}
		}
	}
	return best
}

// note notes what the expressions of a level compare attributes with.
func (l *Lexicon) note(t kb.TypeID, v *kb.Level) {
	for _, p := range v.Detect {
		for _, s := range p.Expr.Steps {
			for _, q := range s.Preds {
				l.asked[t][q.Literal] = true
			}
		}
	}
	for _, s := range v.Spots() {
		if s.Without != nil {
			continue
		}
		for _, try := range s.Tries {
			if try.Learned != nil {
				continue
			}
			l.compared[try.Expr] = relax.Steps(try.Expr.Tree)
			for _, alternatives := range l.compared[try.Expr] {
				for _, step := range alternatives {
					for _, q := range step.Preds {
						l.asked[t][strings.TrimSpace(q.Literal)] = true
					}
				}
			}
		}
	}
}

// steps gives what the steps of an expression compare attributes with.
func (l *Lexicon) steps(e *kb.Expr) [][]xpath.Step {
	if s, known := l.compared[e]; known {
		return s
	}
	return relax.Steps(e.Tree) // learned since, or a pattern
}

// asks reports whether an expression of a type compares something with a literal.
func (l *Lexicon) asks(t *kb.Type, literal string) bool { return l.asked[t.ID][literal] }

// conditionsOf gathers the conditions that the base's category uses for a
// purpose, sorted.
func (l *Lexicon) conditionsOf(c kb.CategoryID, purpose string) []string {
	var out []string
	for k := range l.used[c][purpose] {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
