package engine

import (
	"time"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Explanation tells why a page was found to be what it is, and what each action
// of its level gives.
type Explanation struct {
	Types   []detect.TypeEvidence // the best first
	Level   *kb.Level             // whose actions these are; nil: none
	Actions []extract.Action
}

// explainedTypes bounds the types of an explanation.
const explainedTypes = 3

// Explain looks at an inspected page again, closely. Types of also are told of
// whatever the page shows of them.
func Explain(d *detect.Detector, p Page, captured time.Time, also ...*kb.Type) Explanation {
	x := Explanation{Types: d.Explain(p.Doc, p.Finding, explainedTypes, also...), Level: p.Harvest.Level}
	if x.Level != nil {
		x.Actions = extract.Explain(extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Captured: captured, Type: p.Finding.Type,
			Levels: p.Finding.Levels}, x.Level)
	}
	return x
}
