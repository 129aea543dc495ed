package main

import (
	"fmt"
	"io"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// explainJSON is why a page is what it is.
type explainJSON struct {
	Types   []typeEvidenceJSON `json:"types"`
	Actions []actionJSON       `json:"actions"`
}

type typeEvidenceJSON struct {
	Type     kb.TypeID           `json:"type"`
	Accepted bool                `json:"accepted"`
	Patterns []evidenceJSON      `json:"patterns"`
	Levels   []levelEvidenceJSON `json:"levels"`
}

type levelEvidenceJSON struct {
	Level    kb.LevelID     `json:"level"`
	Variant  string         `json:"variant,omitempty"`
	Fired    bool           `json:"fired"`
	Patterns []evidenceJSON `json:"patterns"`
}

type evidenceJSON struct {
	Pattern   string `json:"pattern"`
	Weak      bool   `json:"weak"`
	Inherited bool   `json:"inherited,omitempty"`
	Count     int    `json:"count"`
	Node      string `json:"node,omitempty"` // path of the first
	File      string `json:"file"`
	Line      int    `json:"line"`
}

type actionJSON struct {
	Kind     string      `json:"kind"`
	Name     string      `json:"name"`
	Required bool        `json:"required,omitempty"`
	Optional bool        `json:"optional,omitempty"`
	Count    int         `json:"count"`
	Of       int         `json:"of,omitempty"`
	Unnamed  string      `json:"unnamed,omitempty"` // a node without an id
	Excess   string      `json:"excess,omitempty"`  // links that are too many
	Tries    []trialJSON `json:"tries"`
	File     string      `json:"file"`
	Line     int         `json:"line"`
}

type trialJSON struct {
	Expr  string `json:"expr"`
	Count int    `json:"count"`
	Used  bool   `json:"used"`
	Node  string `json:"node,omitempty"`
	Why   string `json:"why,omitempty"` // it gives nothing
}

func newExplainJSON(x engine.Explanation) explainJSON {
	out := explainJSON{Types: []typeEvidenceJSON{}, Actions: []actionJSON{}}
	for _, e := range x.Types {
		t := typeEvidenceJSON{Type: e.Type.ID, Accepted: e.Accepted, Patterns: newEvidenceJSON(e.Patterns), Levels: []levelEvidenceJSON{}}
		for _, l := range e.Levels {
			t.Levels = append(t.Levels, levelEvidenceJSON{l.Level.ID, l.Level.Variant, l.Fired, newEvidenceJSON(l.Patterns)})
		}
		out.Types = append(out.Types, t)
	}
	for _, a := range x.Actions {
		j := actionJSON{a.Kind, a.Name, a.Required, a.Optional, a.Count, a.Of, a.Unnamed, a.Excess, []trialJSON{}, a.Pos.File, a.Pos.Line}
		for _, t := range a.Trials {
			j.Tries = append(j.Tries, trialJSON{t.Expr.Source, t.Count, t.Used, t.Path, t.Why})
		}
		out.Actions = append(out.Actions, j)
	}
	return out
}

func newEvidenceJSON(list []detect.Evidence) []evidenceJSON {
	out := []evidenceJSON{}
	for _, e := range list {
		out = append(out, evidenceJSON{e.Pattern.Expr.String(), e.Pattern.Weak, e.Inherited, e.Count, e.Path, e.Pattern.Pos.File,
			e.Pattern.Pos.Line})
	}
	return out
}

// showExplanation prints one line for each pattern, action and try: "+" for
// what fired or yielded, "-" for what did not, ">" for a try that was used.
func showExplanation(w io.Writer, x engine.Explanation, indent string) {
	for _, e := range x.Types {
		verdict := "no match"
		if e.Accepted {
			verdict = "matches"
		}
		fmt.Fprintf(w, "%stype %s (%s): %s\n", indent, e.Type.ID, e.Type.Pos, verdict)
		showEvidence(w, e.Patterns, indent+"  ")
		for _, l := range e.Levels {
			verdict := "no match"
			if l.Fired {
				verdict = "matches"
			}
			fmt.Fprintf(w, "%s  level %s (%s): %s\n", indent, l.Level.Name(), l.Level.Pos, verdict)
			showEvidence(w, l.Patterns, indent+"    ")
		}
	}
	if x.Level == nil {
		return
	}
	fmt.Fprintf(w, "%sactions of %s/%s (%s)\n", indent, x.Level.Type, x.Level.Name(), x.Level.Pos)
	for _, a := range x.Actions {
		showAction(w, a, indent+"  ")
	}
}

func showEvidence(w io.Writer, list []detect.Evidence, indent string) {
	for _, e := range list {
		mark, where, how := "-", "", "strong"
		if e.Count > 0 {
			mark, where = "+", fmt.Sprintf(": %s at %s", times(e.Count), e.Path)
		}
		if e.Pattern.Weak {
			how = "weak"
		}
		if e.Inherited {
			how += ", inherited"
		}
		fmt.Fprintf(w, "%s%s %s (%s, line %d)%s\n", indent, mark, e.Pattern.Expr, how, e.Pattern.Pos.Line, where)
	}
}

func showAction(w io.Writer, a extract.Action, indent string) {
	mark, result := "-", fmt.Sprint(a.Count)
	if a.Count > 0 {
		mark = "+"
	}
	if a.Kind == "field" || a.Kind == "total" {
		result = fmt.Sprintf("%d of %d", a.Count, a.Of)
	}
	note := ""
	if a.Required && a.Count < a.Of {
		note = ", required"
	}
	fmt.Fprintf(w, "%s%s %s %s (line %d%s): %s\n", indent, mark, a.Kind, a.Name, a.Pos.Line, note, result)
	for _, note := range []string{a.Unnamed, a.Excess} {
		if note != "" {
			fmt.Fprintf(w, "%s    %s\n", indent, note)
		}
	}
	for _, t := range a.Trials {
		mark, where := "-", ""
		if t.Count > 0 {
			mark = "+"
			where = ": " + times(t.Count)
			if t.Path != "" {
				where += " at " + t.Path
			}
		}
		if t.Used {
			mark = ">"
		}
		if t.Why != "" {
			where = ": " + t.Why
		}
		fmt.Fprintf(w, "%s    %s %s%s\n", indent, mark, t.Expr, where)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times, first", n)
}
