// Package fit learns the weights of adaptation from pages with known truth.
package fit

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// Label is the true value of an answer.
type Label int

// Labels. Enough marks an answer without wrong values that yields less than another answer.
// Adaptation may accept it, but learning does not aim at it.
const (
	Wrong Label = iota
	Enough
	Right
)

// Example is a question with the true labels of its answers.
type Example struct {
	Kind   adapt.Kind `json:"kind"`
	Type   kb.TypeID  `json:"type"`
	Site   string     `json:"site"`
	File   string     `json:"file"`
	Place  string     `json:"place"`
	Judged bool       `json:"judged,omitempty"` // for evaluation only, not for learning
	rank.Question
	Labels []Label  `json:"labels"`
	Exprs  []string `json:"exprs"`
	Shown  []string `json:"shown"` // values of the answers, shortened
}

// Bounds on the agreement of an action with truth: the least share of agreeing values, the largest
// share of contradicting values (truth may have an error among many posts), and the least share of
// links that lead to the level.
const (
	leastAgree   = 0.5
	mostConflict = 0.02
	leastLead    = 0.99
)

// Examine labels the answers to a question about a page. known is false if truth does not cover the
// question.
//
// An answer for a field is right under three conditions: it agrees with at least half of the
// records that have a value in truth, contradicts hardly any record, and no other such answer
// agrees with more records. With fewer records it is Enough. A nearly right answer is Enough beside
// a right one; without a right one the question is not used. But a time in another zone is wrong if
// the true time is among the answers. An answer for links is right if nearly all its links lead to
// the level and it has the most links of the kind that the action selects.
func Examine(p *truth.Page, q adapt.Question) (x Example, known bool) {
	x = Example{Kind: q.Kind, Type: p.Type, Site: p.Site, File: p.File, Place: q.Place.Part, Question: q.Question, Exprs: q.Exprs}
	for _, v := range q.Values {
		x.Shown = append(x.Shown, shown(v))
	}
	var agree []int // by answer: number of agreeing records, or wrong, or nearly
	switch {
	case q.Kind == adapt.KindLinks && !leadsTo(p, q.Place):
		return x, false // truth lacks links that no action of the page selects
	case q.Kind == adapt.KindLinks:
		agree = linksAgree(p, q)
	case q.Kind == adapt.KindRecords:
		agree = recordsAgree(p, q)
	case strings.HasSuffix(q.Field, "_html"):
		return x, false
	default:
		if agree, known = valuesAgree(p, q); !known {
			return x, false
		}
	}
	most := wrong
	for _, n := range agree {
		most = max(most, n)
	}
	for _, n := range agree {
		switch {
		case n == wrong, n == nearly && most > nearly && q.Kind == adapt.KindDate:
			x.Labels = append(x.Labels, Wrong)
		case n < most:
			x.Labels = append(x.Labels, Enough)
		default:
			x.Labels = append(x.Labels, Right)
		}
	}
	return x, most != nearly
}

// Values in place of the number of agreeing records.
const (
	wrong  = -1
	nearly = 0
)

func valuesAgree(p *truth.Page, q adapt.Question) (agree []int, known bool) {
	want, known := mend.WantedOf(p.Objects, q.Class, q.Field)
	if !known || len(q.Values) > 0 && !want.AreObjects(q.IDs, len(q.Values[0])) {
		return nil, false // the records are not the objects, so their fields are undefined: the question was wrong
	}
	for _, values := range q.Values {
		a := want.Compare(q.IDs, values)
		least := max(1, int(math.Ceil(leastAgree*float64(a.Wanted))))
		switch {
		case float64(a.Conflict) > mostConflict*float64(a.Records) || a.Agree+a.Near < least:
			agree = append(agree, wrong)
		case a.Agree < least:
			agree = append(agree, nearly)
		default:
			agree = append(agree, a.Agree)
		}
	}
	return agree, true
}

// recordsAgree labels elements by the ids of the objects in them.
func recordsAgree(p *truth.Page, q adapt.Question) (agree []int) {
	for _, ids := range q.Values {
		if mend.RecordsOf(p.Objects, q.Class, ids) {
			agree = append(agree, 1)
		} else {
			agree = append(agree, wrong)
		}
	}
	return agree
}

// leadsTo reports whether the level of a page has an action at a place, in the whole knowledge
// base.
func leadsTo(p *truth.Page, at kb.Place) bool {
	return at.Level == p.Level.ID && slices.ContainsFunc(p.Level.Follow, func(f *kb.Follow) bool {
		part := kb.FollowPart(f.To, f.Paging)
		return at.Part == part || strings.HasPrefix(at.Part, part+"[")
	})
}

func linksAgree(p *truth.Page, q adapt.Question) (agree []int) {
	to := kb.LevelID(q.Field)
	want := mend.WantedLinksOf(p.Links, to, q.Place.Part == kb.FollowPart(to, true))
	for _, addresses := range q.Values {
		lead, about := want.Compare(addresses)
		if float64(lead) < leastLead*float64(len(addresses)) || about == 0 {
			about = wrong
		}
		agree = append(agree, about)
	}
	return agree
}

// shown returns the values of an answer for messages.
func shown(values []string) string {
	const most = 2
	var some []string
	n := 0
	for _, v := range values {
		if v = strings.TrimSpace(v); v == "" {
			continue
		}
		if n++; n <= most {
			some = append(some, corpus.Shorten(v))
		}
	}
	return fmt.Sprintf("%d of %d: %s", n, len(values), strings.Join(some, " | "))
}

// answerable reports whether any answer is right.
func (x *Example) answerable() bool { return slices.Contains(x.Labels, Right) }

// site returns a unique name of the site: two types may have a site of the same name.
func (x *Example) site() string { return string(x.Type) + " " + x.Site }

// Arrange sorts examples and drops duplicates.
func Arrange(examples []Example) []Example {
	lines := make(map[*Example]string, len(examples))
	list := make([]*Example, 0, len(examples))
	for i := range examples {
		line, err := json.Marshal(&examples[i])
		if err != nil {
			continue // not encodable, such as NaN: useless for learning
		}
		lines[&examples[i]] = string(line)
		list = append(list, &examples[i])
	}
	slices.SortFunc(list, func(a, b *Example) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.site(), b.site()), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Place, b.Place), cmp.Compare(lines[a], lines[b]))
	})
	list = slices.CompactFunc(list, func(a, b *Example) bool { return lines[a] == lines[b] })
	out := make([]Example, len(list))
	for i, x := range list {
		out[i] = *x
	}
	return out
}

// Write writes examples, one per line.
func Write(w io.Writer, examples []Example) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	for i := range examples {
		if err := e.Encode(&examples[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Read reads the output of [Write].
func Read(r io.Reader) ([]Example, error) {
	d := json.NewDecoder(bufio.NewReader(r))
	var out []Example
	for d.More() {
		var x Example
		if err := d.Decode(&x); err != nil {
			return nil, fmt.Errorf("question %d: %w", len(out)+1, err)
		}
		out = append(out, x)
	}
	return out, nil
}
