package extract

import (
	"fmt"
	"net/url"
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

// excess tells of links that lead to one page, to the page itself or, by their addresses, elsewhere than the action says.
func (x *explainer) excess(f *kb.Follow, links []Link) string {
	rules := &x.page.Type.URLs
	pages := map[string]bool{}
	var told []string
	itself, elsewhere, first := 0, 0, ""
	for _, l := range links {
		u, err := url.Parse(l.URL)
		if err != nil {
			continue
		}
		key := rules.Key(u)
		pages[key] = true
		if x.page.URL != nil && key == rules.Key(x.page.URL) {
			itself++
		}
		if of := rules.Level(u); of != nil && (of.Level != f.To || of.Part) {
			if elsewhere++; first == "" {
				first = l.URL + ", " + string(of.Level)
			}
			if of.Part && elsewhere == 1 {
				first += ", something on its page"
			}
		}
	}
	if len(pages) < len(links) {
		told = append(told, fmt.Sprintf("%d links are %d pages", len(links), len(pages)))
	}
	if itself > 0 {
		told = append(told, fmt.Sprintf("%d to the page itself", itself))
	}
	if elsewhere > 0 {
		told = append(told, fmt.Sprintf("%d by their addresses to another level, first %s", elsewhere, first))
	}
	return strings.Join(told, "; ")
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
