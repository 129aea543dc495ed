package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/rank"
)

// decisionJSON is what adaptation decided of one action, and by what.
type decisionJSON struct {
	Action string       `json:"action"`
	Kind   adapt.Kind   `json:"kind"`
	Taken  bool         `json:"taken"`
	Sure   float64      `json:"sure"`   // that the likeliest answer is right
	Needed float64      `json:"needed"` // to be taken
	None   partsJSON    `json:"none"`   // what speaks for no answer
	Best   answerJSON   `json:"best"`
	Next   []answerJSON `json:"next"` // the likeliest other answer, if there is one
	Others int          `json:"others"`
}

// answerJSON is one answer with what speaks for it and against it.
type answerJSON struct {
	Expr     string    `json:"expr"`
	P        float64   `json:"probability"`
	Value    string    `json:"value"` // the first
	Evidence partsJSON `json:"evidence"`
}

// partsJSON are features, the weightiest first.
type partsJSON []partJSON

type partJSON struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Logits  float64 `json:"logits"`
}

func newPartsJSON(parts []rank.Part) partsJSON {
	out := partsJSON{}
	for _, p := range parts {
		out = append(out, partJSON{p.Name, p.Value, p.Logits})
	}
	return out
}

// newDecisionJSON tells a decision that had an answer.
func newDecisionJSON(q adapt.Question) decisionJSON {
	m := adapt.Weights()[string(q.Kind)]
	answer := func(i int) answerJSON {
		return answerJSON{q.Exprs[i], q.Verdict.P[i], cmp.Or(q.Values[i]...), newPartsJSON(m.Parts(q.Names, q.Answers[i]))}
	}
	d := decisionJSON{Action: q.Place.String(), Kind: q.Kind, Taken: q.Taken, Sure: q.Verdict.Sure, Needed: m.Sure,
		None: newPartsJSON(m.Parts(q.Names, q.None)), Best: answer(q.Verdict.Best), Next: []answerJSON{}, Others: len(q.Answers) - 1}
	if q.Verdict.Next >= 0 {
		d.Next = append(d.Next, answer(q.Verdict.Next))
	}
	return d
}

// show prints a decision for people.
func (d decisionJSON) show(w io.Writer) {
	said := "taken"
	if !d.Taken {
		said = fmt.Sprintf("rejected: %.2f is needed", d.Needed)
	}
	fmt.Fprintf(w, "  decided: %s: %.2f for the best of %d candidates, %s\n    none: %s\n", d.Action, d.Sure, d.Others+1, said, d.None)
	d.Best.show(w, "best")
	for _, a := range d.Next {
		a.show(w, "next")
	}
}

func (a answerJSON) show(w io.Writer, rank string) {
	fmt.Fprintf(w, "    %s: %.2f %s = %s\n      %s\n", rank, a.P, a.Expr, shorten(a.Value), a.Evidence)
}

// String lists the features with what they add, "like 1.00 +4.20".
func (list partsJSON) String() string {
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprintf("%s %.2f %+.2f", p.Feature, p.Value, p.Logits))
	}
	return strings.Join(out, ", ")
}
