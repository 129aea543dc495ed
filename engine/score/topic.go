package score

import (
	"cmp"
	"slices"
	"strings"
)

// Topic is what a crawl is about: a vector of stems, and phrases that count by
// themselves. It is immutable and safe for concurrent use; [Topic.Extend] makes
// another.
type Topic struct {
	name    string
	langs   []Lang
	terms   []Term // as the user gave them
	vector  Vector // of terms and texts, of length one
	phrases []Term // in lower case: entities and keywords of several words
	texts   []Vector
}

// TopicSpec is what a topic is made of.
type TopicSpec struct {
	Name string
	// Langs are the languages that keywords are stemmed by. Default:
	// the languages of the texts, or English.
	Langs []Lang
	// Keywords and Entities are words and names; several words count as
	// phrases too. Entities come with their other names. A weight of 0 is 1; a term
	// with a negative weight lowers the score of a page.
	Keywords, Entities []Term
	// Texts describe the topic: seed and reference pages.
	Texts []string
}

// keptTerms bounds the terms that a topic keeps of its texts, the heaviest first. A
// single word of a long text is no evidence of its subject. The value is arbitrary.
const keptTerms = 400

// NewTopic makes a topic. Section 5.1 of the paper adds up the term vectors of
// seed pages, here each of the same length; their sum and the vector of the
// keywords and entities of the definition weigh the same, so that neither a long page
// nor the pages of a whole crawl outweigh the words of the user.
func NewTopic(spec TopicSpec) *Topic {
	t := &Topic{name: spec.Name, langs: slices.Clone(spec.Langs)}
	for _, text := range spec.Texts {
		if lang := Detect(text); lang != "" && len(spec.Langs) == 0 && !slices.Contains(t.langs, lang) {
			t.langs = append(t.langs, lang)
		}
	}
	if len(t.langs) == 0 {
		t.langs = []Lang{"en"}
	}
	for _, text := range spec.Texts {
		t.texts = append(t.texts, Terms(text, t.langOf(text)))
	}
	for _, list := range [][]Term{spec.Keywords, spec.Entities} {
		for _, k := range list {
			if k.Weight == 0 {
				k.Weight = 1
			}
			t.terms = append(t.terms, k)
		}
	}
	t.build()
	return t
}

// langOf returns the language of a text, or else the first language of the topic.
func (t *Topic) langOf(text string) Lang { return cmp.Or(Detect(text), t.langs[0]) }

// stemming returns the language whose rules stem a page for the topic. It is the language of the
// topic if it has one, and otherwise that of the page, whose detection takes longer than all the
// rest.
func (t *Topic) stemming(p *Page) Lang {
	if len(t.langs) == 1 {
		return t.langs[0]
	}
	return p.language()
}

// build computes the vector and the phrases.
func (t *Topic) build() {
	words := map[string]float64{}
	t.phrases = nil
	for _, k := range t.terms {
		stems := map[string]bool{}
		for _, lang := range t.langs {
			for _, s := range Terms(k.Text, lang).terms {
				stems[s.Text] = true
			}
		}
		for s := range stems {
			words[s] += k.Weight
		}
		if p := strings.ToLower(strings.Join(strings.Fields(k.Text), " ")); strings.Contains(p, " ") {
			t.phrases = append(t.phrases, Term{p, k.Weight})
		}
	}
	var texts []Vector
	for _, v := range t.texts {
		texts = append(texts, v.Unit())
	}
	t.vector = heaviest(Sum(NewVector(words).Unit(), Sum(texts...).Unit()), keptTerms).Unit()
}

// heaviest keeps the n terms that weigh most, to either side.
func heaviest(v Vector, n int) Vector {
	if v.Len() <= n {
		return v
	}
	weights := map[string]float64{}
	for _, t := range v.Terms() {
		if len(weights) < n || t.Weight < 0 {
			weights[t.Text] = t.Weight
		}
	}
	return NewVector(weights)
}

// Extend returns the topic with further texts that describe it, such as the
// pages of a reference crawl.
func (t *Topic) Extend(texts ...string) *Topic {
	more := *t
	more.texts = slices.Clone(t.texts)
	for _, text := range texts {
		more.texts = append(more.texts, Terms(text, t.langOf(text)))
	}
	more.build()
	return &more
}

// Name is the topic's name.
func (t *Topic) Name() string { return t.name }

// Langs are the languages of the topic.
func (t *Topic) Langs() []Lang { return slices.Clone(t.langs) }

// Keywords are the words and names that the user gave, with their weights.
func (t *Topic) Keywords() []Term { return slices.Clone(t.terms) }

// Vector is the topic's vector.
func (t *Topic) Vector() Vector { return t.vector }

// Empty reports whether nothing is known of the topic.
func (t *Topic) Empty() bool { return t.vector.Len() == 0 }

// phraseShare is how much of the way to 1 (or to 0, for one of negative weight) a
// phrase takes a score.
const phraseShare = 0.25

// Similarity is how much a text is about the topic, from 0 to 1: the cosine of
// the vectors; each phrase of the topic that the text holds takes the score a
// quarter of the rest of the way up. A text of which the language is not known is
// taken to be in the topic's first.
func (t *Topic) Similarity(text string, lang Lang) float64 {
	lang = cmp.Or(lang, t.langs[0])
	s := max(0, Cosine(t.vector, Terms(text, lang)))
	if len(t.phrases) == 0 {
		return s
	}
	folded := strings.ToLower(strings.Join(strings.Fields(clip(text, maxText)), " "))
	for _, p := range t.phrases {
		switch {
		case !strings.Contains(folded, p.Text):
		case p.Weight > 0:
			s += (1 - s) * phraseShare
		default:
			s -= s * phraseShare
		}
	}
	return s
}
