// Package names finds the names of entities in texts, in any language.
package names

import (
	"slices"
	"strings"
)

// Names finds names in texts, in one walk however many names there are: the automaton of Aho and Corasick, over words.
type Names struct {
	words map[string]int32
	nodes []node
	next  map[edge]int32
}

// node is a state: the words of the beginning of a name.
type node struct {
	fail, shorter int32 // the longest other state that its last words are; the next of these that is a name
	length        int32 // words
	entities      []int // of which it is a name
	exact         string
}

// edge leads from a state by a word.
type edge struct{ node, word int32 }

// mostWords is how many words a name has at most.
const mostWords = 20

// New returns a finder without names.
func New() *Names {
	return &Names{words: map[string]int32{}, nodes: make([]node, 1), next: map[edge]int32{}}
}

// Add adds a name of an entity. Entities come one after the other; [Names.Link] follows the last one.
func (m *Names) Add(name string, entity int) {
	words := Split(name)
	if len(words) == 0 || len(words) > mostWords {
		return
	}
	at := int32(0)
	for _, w := range words {
		number, ok := m.words[w.Folded]
		if !ok {
			number = int32(len(m.words))
			m.words[w.Folded] = number
		}
		to, ok := m.next[edge{at, number}]
		if !ok {
			to = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{length: m.nodes[at].length + 1})
			m.next[edge{at, number}] = to
		}
		at = to
	}
	n := &m.nodes[at]
	if last := len(n.entities) - 1; last < 0 || n.entities[last] != entity { // entities come one after the other
		n.entities = append(n.entities, entity)
	}
	if name = strings.TrimSpace(name); len(words) == 1 && name == strings.ToUpper(name) && name != strings.ToLower(name) {
		n.exact = name
	} else {
		n.exact = ""
	}
}

// Link computes where to go on when a name does not. States are numbered as they were added, so states of fewer words may come later.
func (m *Names) Link() {
	children := make([][]edge, len(m.nodes)) // word, and the state that it leads to
	for e, to := range m.next {
		children[e.node] = append(children[e.node], edge{to, e.word})
	}
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, c := range children[at] {
			queue = append(queue, c.node)
			if at == 0 {
				continue
			}
			fail := m.step(m.nodes[at].fail, c.word)
			m.nodes[c.node].fail = fail
			if m.nodes[c.node].shorter = fail; len(m.nodes[fail].entities) == 0 {
				m.nodes[c.node].shorter = m.nodes[fail].shorter
			}
		}
	}
}

// step goes from a state by a word.
func (m *Names) step(at, word int32) int32 {
	for {
		if to, ok := m.next[edge{at, word}]; ok {
			return to
		}
		if at == 0 {
			return 0
		}
		at = m.nodes[at].fail
	}
}

// found is a name in a text, from one word to before another.
type found struct {
	from, to int
	node     int32
}

// Find returns the entities that a text names, each once, in the order in which it does.
func (m *Names) Find(text string, words []Word) (entities []int) {
	m.Each(text, words, func(e int) {
		if !slices.Contains(entities, e) {
			entities = append(entities, e)
		}
	})
	return entities
}

// Each calls fn for each entity that a text names, as often as it does. Of names that overlap, the one that begins first counts, of these
// the longest.
func (m *Names) Each(text string, words []Word, fn func(entity int)) {
	var all []found
	at := int32(0)
	for i, w := range words {
		number, ok := m.words[w.Folded]
		if !ok {
			at = 0
			continue
		}
		at = m.step(at, number)
		for n := at; n != 0; n = m.nodes[n].shorter {
			if x := &m.nodes[n]; len(x.entities) > 0 && (x.exact == "" || x.exact == text[w.Start:w.End]) {
				all = append(all, found{i + 1 - int(x.length), i + 1, n})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	behind := 0
	for _, f := range all {
		if f.from < behind {
			continue
		}
		behind = f.to
		for _, e := range m.nodes[f.node].entities {
			fn(e)
		}
	}
}
