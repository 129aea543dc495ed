package engine

import (
	"time"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Explanation gives the reasons for the type and level of a page, and the results of each action
// of its level.
type Explanation struct {
	Types   []detect.TypeEvidence // the best first
	Level   *kb.Level             // whose actions these are; nil: none
	Actions []extract.Action
}

// explainedTypes bounds the types of an explanation.
const explainedTypes = 3

// Explain evaluates an inspected page again in detail. The types of also are
// always included.
func Explain(d *detect.Detector, p Page, captured time.Time, also ...*kb.Type) Explanation {
	x := Explanation{Types: d.Explain(p.Doc, p.Finding, explainedTypes, also...), Level: p.Harvest.Level}
	if x.Level != nil {
		x.Actions = extract.Explain(extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Captured: captured, Type: p.Finding.Type,
			Levels: p.Finding.Levels}, x.Level)
	}
	return x
}
