package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// fullText is how long a text must be to be one that somebody wrote, in bytes.
const fullText = 80

// mistaken finds that a page told as one of lists holds the texts of what the lists
// lead to: the posts of a topic whose pattern broke, and a box of similar topics
// beside them. It asks for levels only that are nothing without the objects inside their
// own, since a blog's lists hold its posts; and not for those that an author excluded by
// a pattern in spite of the posts.
func (j *judge) mistaken() {
	if !written(j.p.Doc) {
		return
	}
	for _, v := range j.p.Type.Levels {
		if j.holds(v) {
			j.fault(NoLevel, v, kb.PartDetect, "a list with the texts of another level")
			return
		}
	}
}

// holds reports whether a page holds the texts of a level's objects.
func (j *judge) holds(v *kb.Level) bool {
	if v.Kind != kb.Terminal || j.excluded(v) {
		return false
	}
	for _, o := range v.Objects {
		in := essentialObject(o)
		if in == nil {
			continue
		}
		for _, f := range in.Fields {
			if f.As == kb.HTML && slices.ContainsFunc(f.Tries, j.yields) {
				return true
			}
		}
	}
	return false
}

// yields reports whether an action selects a text that somebody wrote.
func (j *judge) yields(t *kb.Try) bool {
	return t.AppliesTo(j.p.URL) && slices.ContainsFunc(t.Expr.Select(j.p.Doc, nil),
		func(v kb.Value) bool { return v.Node != nil && written(v.Node) })
}

// excluded reports whether a page has an element that would fulfil a pattern of a level
// but for what the pattern denies.
func (j *judge) excluded(v *kb.Level) bool {
	for _, p := range v.Detect {
		for _, step := range p.Expr.Steps {
			is := func(q xpath.Pred) bool { return q.Kind != xpath.Not }
			if !slices.ContainsFunc(step.Preds, func(q xpath.Pred) bool { return !is(q) }) {
				continue
			}
			bare := step
			bare.Axis = xpath.Descendant
			bare.Preds = slices.DeleteFunc(slices.Clone(step.Preds), func(q xpath.Pred) bool { return !is(q) })
			if j.count(bare) > j.count(xpath.Step{Test: step.Test, Preds: step.Preds}) {
				return true
			}
		}
	}
	return false
}

// count counts the elements of the page that fulfil a step.
func (j *judge) count(step xpath.Step) int {
	e, err := kb.ExprOf((&xpath.Expr{Steps: []xpath.Step{step}}).Tree())
	if err != nil {
		return 0
	}
	return len(e.Select(j.p.Doc, nil))
}

// written reports whether somebody wrote a text below a node: one that is long and no
// link.
func written(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && len(c.Data) >= fullText && len(strings.TrimSpace(c.Data)) >= fullText || c.Type == html.ElementNode &&
			c.DataAtom != atom.A && !unread(c) && written(c) {
			return true
		}
	}
	return false
}

// lost reports whether the level of a page is none that its actions fit.
func lost(h extract.Harvest, faults []Fault) bool {
	return h.Level == nil || slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == NoLevel })
}

// withoutLevel is a page, and its harvest, as if its level had not been told. Links of a list
// stand until something better is known; what passed for an article has no objects.
func withoutLevel(p extract.Page, h extract.Harvest) (extract.Page, extract.Harvest) {
	p.Levels = nil
	if h.Level != nil && h.Level.Kind == kb.Terminal {
		plain := p
		plain.Generic = false
		return p, extract.Run(plain)
	}
	return p, extract.Harvest{Links: h.Links}
}
