// Package fit learns the weights by which adaptation decides from pages whose truth is known.
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

// Label is what truth says of an answer.
type Label int

// Labels. An answer that gives nothing wrong, but less than another one, may be taken and is not what is learned.
const (
	Wrong Label = iota
	Enough
	Right
)

// Example is a question with what truth says of its answers.
type Example struct {
	Kind   adapt.Kind `json:"kind"`
	Type   kb.TypeID  `json:"type"`
	Site   string     `json:"site"`
	File   string     `json:"file"`
	Place  string     `json:"place"`
	Judged bool       `json:"judged,omitempty"` // nothing is learned from it
	rank.Question
	Labels []Label  `json:"labels"`
	Exprs  []string `json:"exprs"`
	Shown  []string `json:"shown"` // what answers give, shortened
}

// What part of an action's values must agree with truth, and what part may contradict it: truth may have a slip where a topic has
// many posts. Of links nearly all must lead to the level.
const (
	leastAgree   = 0.5
	mostConflict = 0.02
	leastLead    = 0.99
)

// Examine labels a question about a page; known is false where truth says nothing of what it asks for.
//
// An answer is right where half of the records that have a value in truth have the same, hardly any has another one, and no such
// answer agrees in more records: one that gives less than there is gives nothing wrong. What is nearly right is neither to be
// learned nor to be shunned, and where nothing is right beside it truth cannot tell; but a moment by another clock is wrong where the
// one of truth is among the answers. Of links it is right where nearly all lead to the level and most of those that the action is
// about are among them.
func Examine(p *truth.Page, q adapt.Question) (x Example, known bool) {
	x = Example{Kind: q.Kind, Type: p.Type, Site: p.Site, File: p.File, Place: q.Place.Part, Question: q.Question, Exprs: q.Exprs}
	for _, v := range q.Values {
		x.Shown = append(x.Shown, shown(v))
	}
	var agree []int // of each answer, or one of wrong and nearly
	switch {
	case q.Kind == adapt.KindLinks && !leadsTo(p, q.Place):
		return x, false // what no action looked for, on the page that it is, truth does not tell
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

// What stands for the number of records that agree.
const (
	wrong  = -1
	nearly = 0
)

func valuesAgree(p *truth.Page, q adapt.Question) (agree []int, known bool) {
	want, known := mend.WantedOf(p.Objects, q.Class, q.Field)
	if !known || len(q.Values) > 0 && !want.AreObjects(q.IDs, len(q.Values[0])) {
		return nil, false // which field it is of what is no object nobody can tell: the question was wrong
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

// recordsAgree labels elements by the ids of the objects that they would be.
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

// leadsTo reports whether the level of a page, as the whole knowledge base has it, has an action of a place.
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

// shown is what an answer gives, for people.
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

// answerable reports whether some answer is right.
func (x *Example) answerable() bool { return slices.Contains(x.Labels, Right) }

// site names the site: two types may have one of the same name.
func (x *Example) site() string { return string(x.Type) + " " + x.Site }

// Arrange sorts examples, and leaves out those that say the same of a page again.
func Arrange(examples []Example) []Example {
	lines := make(map[*Example]string, len(examples))
	list := make([]*Example, 0, len(examples))
	for i := range examples {
		line, err := json.Marshal(&examples[i])
		if err != nil {
			continue // a number that is none: nothing is learned from it
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

// Write writes examples, one a line.
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

// Read reads what [Write] wrote.
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
