package fit

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/newsites"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// count sums up outcomes.
type count struct {
	questions, answerable, best, taken, right, wrong int // best: the most probable answer is right, accepted or not
	loss, weight                                     float64
}

func (c *count) add(o *Outcome) {
	c.questions++
	if o.answerable() {
		c.answerable++
	}
	if o.label() != Wrong {
		c.best++
	}
	if o.taken {
		c.taken++
		if o.label() == Wrong {
			c.wrong++
		} else {
			c.right++
		}
	}
	c.loss += o.weight * o.Loss
	c.weight += o.weight
}

func (c count) String() string {
	return fmt.Sprintf("%6d %6d %6d %5d %6.3f", c.best, c.taken, c.right, c.wrong, c.loss/max(c.weight, math.SmallestNonzeroFloat64))
}

// byType counts outcomes by type; "" is all.
func byType(outcomes []Outcome) map[string]*count {
	out := map[string]*count{"": {}}
	for i := range outcomes {
		o := &outcomes[i]
		c := out[string(o.Type)]
		if c == nil {
			c = &count{}
			out[string(o.Type)] = c
		}
		c.add(o)
		out[""].add(o)
	}
	return out
}

// Print prints the learned models and their quality, by kind.
func Print(w io.Writer, kinds []*Kind) {
	columns := "%6s %6s %6s %5s %6s"
	heads := []any{"best", "taken", "right", "wrong", "loss"}
	for _, k := range kinds {
		fmt.Fprintf(w, "%s: %d sites, penalty %g, sure %.2f\n%-14s %9s %10s | %-33s | %-33s | %-33s\n",
			k.Kind, len(k.sites), k.L2, k.Model.Sure, "", "", "", "the table as it is", "without the site", "without the type")
		fmt.Fprintf(w, "%-14s %9s %10s | "+columns+" | "+columns+" | "+columns+"\n",
			append([]any{"type", "questions", "answerable"}, slices.Concat(heads, heads, heads)...)...)
		present, site, typ := byType(k.Present), byType(k.BySite), byType(k.ByType)
		for _, t := range slices.Sorted(maps.Keys(present)) {
			c := present[t]
			fmt.Fprintf(w, "%-14s %9d %10d | %v | %v | %v\n", cmp.Or(t, "all"), c.questions, c.answerable, c, site[t], typ[t])
		}
		fmt.Fprintln(w)
	}
}

// PrintFeatures prints the weight and use of each feature, and the useless features of each kind.
func PrintFeatures(w io.Writer, kinds []*Kind) {
	const nothing = 1e-4
	for _, k := range kinds {
		fmt.Fprintf(w, "%s: by how much the loss on other sites grows without a feature\n", k.Kind)
		var idle []string
		features := slices.Clone(k.Features)
		slices.SortStableFunc(features, func(a, b Feature) int { return cmp.Compare(b.Worth, a.Worth) })
		for _, f := range features {
			fmt.Fprintf(w, "%-16s weight %7.2f worth %8.4f\n", f.Name, f.Weight, f.Worth)
			if f.Worth < nothing {
				idle = append(idle, f.Name)
			}
		}
		if len(idle) > 0 {
			fmt.Fprintf(w, "no use: %s\n", strings.Join(idle, ", "))
		}
		fmt.Fprintln(w)
	}
}

// mostErrors bounds the printed errors of a sort.
const mostErrors = 25

// PrintJudged prints the results for the questions that are for evaluation only.
func PrintJudged(w io.Writer, examples []Example, present rank.Table, kinds []*Kind) {
	for _, k := range kinds {
		var was, is []Outcome
		for i := range examples {
			if x := &examples[i]; x.Judged && x.Kind == k.Kind {
				was, is = append(was, judge(x, 1, present[string(k.Kind)])), append(is, judge(x, 1, k.Model))
			}
		}
		take(was, present[string(k.Kind)].Sure)
		take(is, k.Model.Sure)
		fmt.Fprintf(w, "%s, judged: best, taken, right, wrong, loss by the table as it is, and as learned\n", k.Kind)
		before, after := byType(was), byType(is)
		for _, t := range slices.Sorted(maps.Keys(before)) {
			c := before[t]
			fmt.Fprintf(w, "%-14s %9d %10d | %v | %v\n", cmp.Or(t, "all"), c.questions, c.answerable, c, after[t])
		}
		fmt.Fprintln(w)
	}
}

// PrintTotals prints the recovered and the wrong values of each type, in percent of the missed
// values.
func PrintTotals(w io.Writer, rows []newsites.Row) {
	var types []kb.TypeID
	fields, links := map[kb.TypeID]*mend.Count{}, map[kb.TypeID]*mend.Count{}
	for _, r := range rows {
		for _, t := range []kb.TypeID{r.Type, ""} {
			if fields[t] == nil {
				fields[t], links[t] = &mend.Count{}, &mend.Count{}
			}
			fields[t].Add(r.Count)
			links[t].Add(r.Links)
		}
		if !slices.Contains(types, r.Type) {
			types = append(types, r.Type)
		}
	}
	line := func(c *mend.Count) string {
		percent := func(n int) float64 { return 100 * float64(n) / float64(max(c.Missed, 1)) }
		return fmt.Sprintf("%7d %10d %5.1f%% %6d %5.1f%%", c.Missed, c.Recovered, percent(c.Recovered), c.Wrong, percent(c.Wrong))
	}
	fmt.Fprintf(w, "\n%-12s %7s %10s %6s %6s %6s | links: the same\n", "fields", "missed", "recovered", "", "wrong", "")
	for _, t := range append(types, "") {
		if fields[t] != nil {
			fmt.Fprintf(w, "%-12s %s | %s\n", cmp.Or(t, "all"), line(fields[t]), line(links[t]))
		}
	}
}

// PrintErrors prints the errors of each kind: first the wrong answers, the most probable first,
// then the questions with a right answer that was not accepted, the largest loss first.
func PrintErrors(w io.Writer, kinds []*Kind) {
	for _, k := range kinds {
		k.printErrors(w)
	}
}

func (k *Kind) printErrors(w io.Writer) {
	var wrong, missed []*Outcome
	for i := range k.BySite {
		switch o := &k.BySite[i]; {
		case o.taken && o.label() == Wrong:
			wrong = append(wrong, o)
		case !o.taken && o.answerable():
			missed = append(missed, o)
		}
	}
	slices.SortStableFunc(wrong, func(a, b *Outcome) int { return cmp.Compare(b.Verdict.Sure, a.Verdict.Sure) })
	slices.SortStableFunc(missed, func(a, b *Outcome) int { return cmp.Compare(b.Loss, a.Loss) })
	for _, o := range wrong[:min(len(wrong), mostErrors)] {
		o.print(w, "wrong", k.sites[o.site()])
	}
	for _, o := range missed[:min(len(missed), mostErrors)] {
		o.print(w, "not taken", k.sites[o.site()])
	}
}

// print prints an outcome with the features that favoured the best answer over the right one.
func (o *Outcome) print(w io.Writer, what string, m rank.Model) {
	fmt.Fprintf(w, "%s: %s: %s: %s, sure %.3f, none %.3f\n", o.File, o.Place, what, o.Kind, o.Verdict.Sure, o.Verdict.None)
	best, right := o.Verdict.Best, -1
	for i, l := range o.Labels {
		if l == Right && (right < 0 || o.Verdict.P[i] > o.Verdict.P[right]) {
			right = i
		}
	}
	instead := o.None
	fmt.Fprintf(w, "  best  %.3f %s: %s\n", o.Verdict.P[best], o.Exprs[best], o.Shown[best])
	switch {
	case best == right:
		instead = make([]float64, len(o.Names))
	case right >= 0:
		fmt.Fprintf(w, "  right %.3f %s: %s\n", o.Verdict.P[right], o.Exprs[right], o.Shown[right])
		instead = o.Answers[right]
	default:
		fmt.Fprintf(w, "  right %.3f none of %d\n", o.Verdict.None, len(o.Answers))
	}
	differs := make([]float64, len(o.Names))
	for i := range o.Names {
		differs[i] = at(o.Answers[best], i) - at(instead, i)
	}
	const most = 8
	parts := m.Parts(o.Names, differs)
	for i, p := range parts[:min(len(parts), most)] {
		sep := ", "
		if i == 0 {
			sep = "  "
		}
		fmt.Fprintf(w, "%s%s %+.2f (%+.2f)", sep, p.Name, p.Value, p.Logits)
	}
	fmt.Fprintln(w)
}

// at returns a feature, 0 if there are no features.
func at(features []float64, i int) float64 {
	if i < len(features) {
		return features[i]
	}
	return 0
}
