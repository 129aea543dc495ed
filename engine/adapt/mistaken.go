package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// fullText is how long a text must be to be one that somebody wrote, in bytes.
const fullText = 80

// mistaken finds that a page told as one of lists holds the texts of what the lists
// lead to: the posts of a topic whose pattern broke, and a box of similar topics
// beside them. It asks for levels only that are nothing without the objects inside their
// own, since a blog's lists hold its posts; and for those whose objects are lost, since
// an author may have told a list by a pattern in spite of the posts in it.
func (j *judge) mistaken() {
	if !written(j.p.Doc) {
		return
	}
	for _, v := range j.p.Type.Levels {
		if j.holds(v) {
			j.faults = append(j.faults, Fault{Kind: NoLevel, Place: kb.Place{Type: v.Type, Level: v.ID, Variant: v.Variant, Part: kb.PartDetect}, Detail: "a list with the texts of another level"})
			return
		}
	}
}

// holds tells whether a page holds the texts of a level's objects, and not the
// objects.
func (j *judge) holds(v *kb.Level) bool {
	if v.Kind != kb.Terminal {
		return false
	}
	for _, o := range v.Objects {
		in := essentialObject(o)
		if in == nil {
			continue
		}
		yields := func(tries []*kb.Try, enough func(*html.Node) bool) bool {
			return slices.ContainsFunc(tries, func(t *kb.Try) bool {
				return t.AppliesTo(j.p.URL) && slices.ContainsFunc(t.Expr.Select(j.p.Doc, nil), func(x kb.Value) bool { return x.Node != nil && enough(x.Node) })
			})
		}
		for _, f := range in.Fields {
			if f.As == kb.HTML && yields(f.Tries, written) {
				return !yields(in.At, func(*html.Node) bool { return true })
			}
		}
	}
	return false
}

// written tells whether somebody wrote a text below a node: one that is long and no
// link.
func written(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && len(c.Data) >= fullText && len(strings.TrimSpace(c.Data)) >= fullText || c.Type == html.ElementNode && c.DataAtom != atom.A && !unread(c) && written(c) {
			return true
		}
	}
	return false
}

// lost tells whether the level of a page is none that its actions fit.
func lost(h extract.Harvest, faults []Fault) bool {
	return h.Level == nil || slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == NoLevel })
}

// withoutLevel is a page, and its harvest, as if its level had not been told.
func withoutLevel(p extract.Page, h extract.Harvest) (extract.Page, extract.Harvest) {
	p.Levels = nil
	return p, extract.Harvest{Links: h.Links}
}
