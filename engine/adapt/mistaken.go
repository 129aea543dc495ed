package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// fullText is how long a text must be to be one that somebody wrote, in bytes.
const fullText = 80

// mistaken finds that a page told as one of lists holds the texts of what the lists lead to: the posts of a topic whose pattern broke, and
// a box of similar topics beside them.
func (j *judge) mistaken() {
	for _, v := range j.p.Type.Levels {
		if v.Kind == kb.Terminal && slices.ContainsFunc(v.Objects, j.holds) {
			j.fault(NoLevel, v, kb.PartDetect, "a list with the texts of another level")
			return
		}
	}
}

// holds reports whether a page holds a text of an object that is nothing without those inside it: a blog's lists hold its posts.
func (j *judge) holds(o *kb.Object) bool {
	in := essentialObject(o)
	return in != nil && slices.ContainsFunc(in.Fields, func(f *kb.Field) bool {
		return f.As == kb.HTML && slices.ContainsFunc(f.Tries, func(t *kb.Try) bool {
			return t.AppliesTo(j.p.URL) && slices.ContainsFunc(t.Expr.Select(j.p.Doc, nil),
				func(v kb.Value) bool { return v.Node != nil && written(v.Node) })
		})
	})
}

// written reports whether somebody wrote a text below a node: one that is long and no link.
func written(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && len(strings.TrimSpace(c.Data)) >= fullText:
			return true
		case c.Type == html.ElementNode && c.DataAtom != atom.A && !unread(c) && written(c):
			return true
		}
	}
	return false
}
