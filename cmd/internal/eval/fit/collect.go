package fit

import (
	"context"
	"io"

	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/mutations"
	"github.com/awarc/awarc/cmd/internal/eval/newsites"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/adapt"
)

// Collect watches what is decided on new sites, on pages with edited templates, so many rounds of them, or both.
func Collect(ctx context.Context, e mend.Eval, newSites bool, rounds int) ([]Example, error) {
	var out []Example
	e.Notes = io.Discard
	e.Watch = func(p *truth.Page, q adapt.Question) {
		if x, known := Examine(p, q); known {
			out = append(out, x)
		}
	}
	if newSites {
		if _, err := newsites.Measure(ctx, &e, false); err != nil {
			return nil, err
		}
	}
	if rounds > 0 {
		if _, err := mutations.Measure(ctx, &e, rounds); err != nil {
			return nil, err
		}
	}
	return Arrange(out), nil
}
