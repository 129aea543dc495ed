package kb

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// implies reports whether q matches on every page on which p does. It compares
// how the two are written and errs towards no: a yes is certain.
func implies(p, q *xpath.Expr) bool {
	return embeds(flat(p), flat(q), false)
}

// selects reports whether q selects every node that p does, from any context.
func selects(p, q *xpath.Expr) bool { return embeds(p.Steps, q.Steps, true) }

// embeds reports whether each step of q finds its place in p, in order, so that
// what p finds fulfils q. With toEnd the last steps must fall together.
func embeds(p, q []xpath.Step, toEnd bool) bool {
	placed := make([]bool, len(p)+1) // [j+1]: the steps of q so far end at p[j]
	placed[0] = true
	for _, step := range q {
		next := make([]bool, len(p)+1)
		before := false // some place left of the last one
		for j, at := range p {
			before = before || placed[j]
			fits := before
			if step.Axis == xpath.Child {
				fits = placed[j] && at.Axis == xpath.Child
			}
			next[j+1] = fits && stepImplies(at, step)
		}
		placed = next
	}
	if toEnd {
		return placed[len(p)]
	}
	return slices.Contains(placed, true)
}

// flat writes a last step to an attribute as a predicate of the step before:
// a/@href is there exactly where a[@href] is.
func flat(e *xpath.Expr) []xpath.Step {
	n := len(e.Steps) - 1
	if n < 1 || e.Steps[n].Axis != xpath.Child || !e.Steps[n].Test.IsAttr() || len(e.Steps[n].Preds) > 0 {
		return e.Steps
	}
	steps := slices.Clone(e.Steps[:n])
	steps[n-1].Preds = append(slices.Clone(steps[n-1].Preds), xpath.Pred{Kind: xpath.Exists, Value: e.Steps[n].Test})
	return steps
}

func stepImplies(p, q xpath.Step) bool {
	if !testImplies(p.Test, q.Test) {
		return false
	}
	if slices.ContainsFunc(q.Preds, xpath.Pred.Positional) {
		// A position counts what the test and the predicates before it leave.
		return p.Test == q.Test && slices.EqualFunc(p.Preds, q.Preds, func(a, b xpath.Pred) bool { return a.String() == b.String() })
	}
	for _, want := range q.Preds {
		if !slices.ContainsFunc(p.Preds, func(have xpath.Pred) bool { return predImplies(have, want) }) {
			return false
		}
	}
	return true
}

func testImplies(p, q xpath.Test) bool {
	switch q.Kind {
	case xpath.AnyTag:
		return p.Kind == xpath.Tag || p.Kind == xpath.AnyTag
	case xpath.AnyAttr:
		return p.IsAttr()
	}
	return p == q
}

func predImplies(p, q xpath.Pred) bool {
	switch {
	case p.Positional() || q.Positional():
		return false
	case p.Kind == xpath.Not && q.Kind == xpath.Not:
		return predImplies(*q.Inner, *p.Inner)
	case q.Kind == xpath.Not:
		return p.Kind == xpath.Equals && p.Value == q.Inner.Value && single(p.Value) && refutes(p.Literal, *q.Inner)
	case p.Kind == xpath.Not:
		return false
	case q.Kind == xpath.Exists:
		return testImplies(p.Value, q.Value) && (p.Literal != "" || p.Kind == xpath.Exists || p.Kind == xpath.Equals)
	case p.Value != q.Value || p.Kind == xpath.Exists:
		return false
	}
	// contains and starts-with look at the first node, "=" at any.
	same := p.Kind != xpath.Equals || single(p.Value)
	switch q.Kind {
	case xpath.Equals:
		return p.Kind == xpath.Equals && p.Literal == q.Literal
	case xpath.StartsWith:
		return same && p.Kind != xpath.Contains && p.Kind != xpath.Token && strings.HasPrefix(p.Literal, q.Literal)
	case xpath.Token:
		return p.Kind == xpath.Equals && q.Compare(p.Literal) || p.Kind == xpath.Token && p.Literal == q.Literal
	default: // Contains
		return same && strings.Contains(p.Literal, q.Literal)
	}
}

// single reports whether a node has one such value at most.
func single(t xpath.Test) bool { return t.Kind == xpath.Attr || t.Kind == xpath.Self }

// refutes reports whether a value of exactly this text fails the condition.
func refutes(text string, c xpath.Pred) bool {
	switch c.Kind {
	case xpath.Equals:
		return text != c.Literal
	case xpath.Contains:
		return !strings.Contains(text, c.Literal)
	case xpath.StartsWith:
		return !strings.HasPrefix(text, c.Literal)
	case xpath.Token:
		return !c.Compare(text)
	}
	return false
}
