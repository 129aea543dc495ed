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

// Settings say where questions are collected.
type Settings struct {
	NewSites bool // that a knowledge base of one theme does not know
	Parts    int  // so many parts of the sites of a type, each left out of the knowledge base; 0: none
	Rounds   int  // of edits of templates
}

// Collect watches what is decided.
func Collect(ctx context.Context, e mend.Eval, s Settings) ([]Example, error) {
	var out []Example
	e.Notes = io.Discard
	e.Watch = func(p *truth.Page, q adapt.Question) {
		if x, known := Examine(p, q); known {
			out = append(out, x)
		}
	}
	if s.NewSites {
		if _, err := newsites.Measure(ctx, &e, false); err != nil {
			return nil, err
		}
	}
	if s.Parts > 0 {
		if _, err := newsites.LeaveOut(ctx, &e, s.Parts); err != nil {
			return nil, err
		}
	}
	if s.Rounds > 0 {
		if _, err := mutations.Measure(ctx, &e, s.Rounds); err != nil {
			return nil, err
		}
	}
	return Arrange(out), nil
}
