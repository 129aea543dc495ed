package adapt

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Lexicon is what a knowledge base says about names: with which words templates mark an author or a date, and which conditions types of a
// category use. It is made once for a knowledge base, immutable and safe for concurrent use.
type Lexicon struct {
	base     *kb.Base
	readings map[*kb.Expr][]relax.Reading
	// words maps what an action is for ("creator", "sioc:Post", "follow topic") to the words that actions of that kind use, and how many
	// types use each.
	words map[string]map[string]int
	used  map[use]map[string]bool        // conditions
	cuts  map[kb.CategoryID][]*kb.Regexp // of dates: they outlive the places that they were written for
}

// use is what the types of a category use expressions for.
type use struct {
	category kb.CategoryID
	purpose  string
}

// NewLexicon reads a knowledge base.
func NewLexicon(base *kb.Base) *Lexicon {
	l := &Lexicon{base: base, readings: map[*kb.Expr][]relax.Reading{}, words: map[string]map[string]int{},
		used: map[use]map[string]bool{}, cuts: map[kb.CategoryID][]*kb.Regexp{}}
	for _, t := range base.Types {
		said := map[[2]string]bool{} // a type counts once for each word
		for _, v := range t.Levels {
			for _, s := range v.Spots() {
				if v.Type != t.ID || s.Without != nil {
					continue
				}
				for _, try := range s.Tries {
					l.learn(use{t.Category, purpose(s)}, try.Expr, said)
					if s.Field != nil && s.Field.As == kb.Date && try.Match != nil && !slices.ContainsFunc(l.cuts[t.Category],
						func(m *kb.Regexp) bool { return m.String() == try.Match.String() }) {
						l.cuts[t.Category] = append(l.cuts[t.Category], try.Match)
					}
				}
			}
		}
		for of := range said {
			if l.words[of[0]] == nil {
				l.words[of[0]] = map[string]int{}
			}
			l.words[of[0]][of[1]]++
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

// learn notes the conditions of an expression, and the words of its last step: what marks the node itself.
func (l *Lexicon) learn(of use, e *kb.Expr, said map[[2]string]bool) {
	if l.used[of] == nil {
		l.used[of] = map[string]bool{}
	}
	l.readings[e] = relax.Read(e.Tree)
	for _, r := range l.readings[e] {
		steps := elementSteps(r.Expr)
		for i, s := range steps {
			for _, p := range s.Preds {
				if p.Value.Kind != xpath.Attr || p.Literal == "" {
					continue
				}
				l.used[of][p.Value.Name+"="+p.Literal] = true
				for _, w := range relax.Words(p.Literal) {
					if i == len(steps)-1 && len(w) > 2 {
						said[[2]string{of.purpose, w}] = true
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
	used := l.used[use{c, purpose}]
	return func(p xpath.Pred) bool { return used[p.Value.Name+"="+p.Literal] }
}

// hint says how strongly the words of a name or value suggest a purpose rather than another, from 0 to 1.
func (l *Lexicon) hint(purpose, value string) float64 {
	best := 0.0
	for _, w := range relax.Words(value) {
		n, other := l.weight(purpose, w), 0
		for _, p := range rivals {
			if p != purpose && n > 0 {
				other = max(other, l.weight(p, w))
			}
		}
		best = max(best, float64(min(n, 4))/4*float64(n)/float64(max(1, n+other)))
	}
	return best
}

// rivals are purposes that share their places.
var rivals = []string{"creator", "created", "content", "title"}

// weight is in how many types a word marks a purpose; a word inside a longer one ("posttitle") counts too.
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
