package extract

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// noneOf tells what an expression selects that gives nothing, and what was asked of it: `10 nodes, first "Reply": no date`.
func (x *explainer) noneOf(t *Trial, asked string) string {
	nodes := "a node"
	if n := len(t.Found); n > 1 {
		nodes = fmt.Sprintf("%d nodes, first", n)
	}
	v := t.Found[0]
	text := shortened(fold(x.shown(v)))
	if text == "" && v.Node != nil {
		return fmt.Sprintf("%s %s, which has no text: no %s", nodes, yfilter.Path(v.Node, v.Attr), asked)
	}
	return fmt.Sprintf("%s %q: no %s", nodes, text, asked)
}

// mostShown is how many runes of a value an explanation shows.
const mostShown = 60

func shortened(s string) string {
	if r := []rune(strings.TrimSpace(s)); len(r) > mostShown {
		return string(r[:mostShown]) + "…"
	}
	return strings.TrimSpace(s)
}

// askedAs names what the value of a field is to be.
func askedAs(as kb.As) string {
	switch as {
	case kb.Date:
		return "date"
	case kb.URL:
		return "address"
	case kb.Number:
		return "number"
	default:
		return "text"
	}
}

// unnamed notes a node of which no template builds an id.
func (a *Action) unnamed(o *kb.Object, n *html.Node) {
	if a.Unnamed != "" {
		return
	}
	templates := make([]string, len(o.ID))
	for i, t := range o.ID {
		templates[i] = t.Source
	}
	a.Unnamed = fmt.Sprintf("no id for %s by %s", yfilter.Path(n, ""), strings.Join(templates, ", "))
}
