package cockpit

import (
	"context"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// mostExamples bounds those that are run for a page.
const mostExamples = 100

// exampleRun is an example as it was run.
type exampleRun = engine.ExampleResult

// runExamples runs the examples of types, as "awarc kb test" does.
func runExamples(ctx context.Context, base *kb.Base, wanted func(*kb.Type) bool) (out []exampleRun) {
	d := detect.New(base)
	for _, t := range base.Types {
		if !wanted(t) {
			continue
		}
		for i := range t.Examples {
			if ctx.Err() != nil || len(out) == mostExamples {
				return out
			}
			r, err := engine.RunExample(d, t, &t.Examples[i])
			if err != nil {
				r.Failures = append(r.Failures, engine.Failure{Pos: r.Example.Pos, Msg: err.Error()})
			}
			r.Page.Doc = nil // it is large, and not shown
			out = append(out, r)
		}
	}
	return out
}
