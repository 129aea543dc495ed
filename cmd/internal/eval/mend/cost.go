package mend

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// CostReport is what a page that was tried to mend cost: time in times that
// html.Parse takes for it, and candidates.
type CostReport struct {
	Pages       int     `json:"pages"`
	Median      float64 `json:"median_parses"`
	Worst       float64 `json:"worst_parses"`
	MedianTried int     `json:"median_tried"`
	WorstTried  int     `json:"worst_tried"`
}

// NewCostReport sums up costs.
func NewCostReport(costs []Cost) CostReport {
	if len(costs) == 0 {
		return CostReport{}
	}
	var parses []float64
	var tried []int
	for _, c := range costs {
		parses, tried = append(parses, c.Parses), append(tried, c.Tried)
	}
	slices.Sort(parses)
	slices.Sort(tried)
	return CostReport{
		Pages: len(costs), Median: math.Round(parses[len(parses)/2]*10) / 10, Worst: slices.Max(parses),
		MedianTried: tried[len(tried)/2], WorstTried: tried[len(tried)-1],
	}
}

// Print prints the costs in a line.
func (c CostReport) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\ncost of a page that was tried to mend (%d pages): "+
		"%.1f times html.Parse (worst %.0f), %d candidates (worst %d)\n",
		c.Pages, c.Median, c.Worst, c.MedianTried, c.WorstTried)
	return err
}
