package fit

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// bySure are the outcomes that have an answer, the surest first, each with the weight by which every site counts as one.
func bySure(outcomes []Outcome) (sorted []*Outcome, weights []float64) {
	of := map[string]int{}
	for i := range outcomes {
		if o := &outcomes[i]; o.Verdict.Best >= 0 {
			sorted = append(sorted, o)
			of[o.site()]++
		}
	}
	slices.SortStableFunc(sorted, func(a, b *Outcome) int { return cmp.Compare(b.Verdict.Sure, a.Verdict.Sure) })
	for _, o := range sorted {
		weights = append(weights, 1/float64(of[o.site()]))
	}
	return sorted, weights
}

// threshold is the least probability from which on at most a share of what is taken is wrong, sites counting alike; above 1 where there is
// none.
func threshold(outcomes []Outcome, most float64) float64 {
	sorted, weights := bySure(outcomes)
	sure, taken, wrong := 2.0, 0.0, 0.0
	for i, o := range sorted {
		taken += weights[i]
		if o.label() == Wrong {
			wrong += weights[i]
		}
		if last := i+1 == len(sorted) || sorted[i+1].Verdict.Sure < o.Verdict.Sure; last && wrong <= most*taken {
			sure = o.Verdict.Sure
		}
	}
	return sure
}

// Threshold is the least confidence from which at most a share of the answers are wrong, by what was
// learned from other sites.
func (k *Kind) Threshold(most float64) float64 { return threshold(k.BySite, most) }

// PrintReliability prints, by tenths of the probability of an answer, which share of the answers is right on sites and types that were
// left out, sites counting alike, and from which probability on at most a hundredth is wrong.
func PrintReliability(w io.Writer, kinds []*Kind) {
	fmt.Fprintln(w, "right of the answers, in percent, by tenths of their probability, and how many are taken if 1 % may be wrong")
	fmt.Fprintf(w, "%-17s", "")
	for tenth := range 10 {
		fmt.Fprintf(w, " %4s", fmt.Sprintf("0.%d", tenth))
	}
	fmt.Fprintf(w, " %6s %6s %6s\n", "from", "taken", "of")
	for _, k := range kinds {
		printReliability(w, fmt.Sprintf("%-8s site", k.Kind), k.BySite)
		printReliability(w, fmt.Sprintf("%-8s type", k.Kind), k.ByType)
	}
}

func printReliability(w io.Writer, of string, outcomes []Outcome) {
	var all, right [10]float64
	sorted, weights := bySure(outcomes)
	for i, o := range sorted {
		tenth := min(int(10*o.Verdict.Sure), 9)
		all[tenth] += weights[i]
		if o.label() != Wrong {
			right[tenth] += weights[i]
		}
	}
	fmt.Fprintf(w, "%-17s", of)
	for i := range all {
		if all[i] == 0 {
			fmt.Fprintf(w, " %4s", "-")
		} else {
			fmt.Fprintf(w, " %4.0f", 100*right[i]/all[i])
		}
	}
	sure, taken, answerable := threshold(outcomes, 0.01), 0, 0
	for _, o := range sorted {
		if o.answerable() {
			answerable++
		}
		if o.Verdict.Sure >= sure {
			taken++
		}
	}
	fmt.Fprintf(w, " %6.3f %6d %6d\n", sure, taken, answerable)
}
