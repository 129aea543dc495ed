package adapt

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// maxConds bounds what is asked of one element.
const maxConds = 16

// conditions lists what can be asked of an element that also holds of its like: tokens of its class, its id without the number, what
// names its role.
func conditions(n *html.Node) []xpath.Pred {
	var out []xpath.Pred
	add := func(kind xpath.PredKind, name, literal string) {
		if len(out) < maxConds && literal != "" && len(literal) <= 60 {
			out = append(out, xpath.Pred{Kind: kind, Value: xpath.Test{Kind: xpath.Attr, Name: name}, Literal: literal})
		}
	}
	for _, a := range n.Attr {
		if a.Namespace != "" || !askable(a.Key) {
			continue
		}
		switch a.Key {
		case "class":
			for _, t := range strings.Fields(a.Val) {
				stableForm(t, func(kind xpath.PredKind, s string) {
					if kind == xpath.Equals || !strings.HasPrefix(a.Val, t) {
						kind = xpath.Contains
					}
					add(kind, a.Key, s)
				})
			}
		case "href":
			add(xpath.Contains, a.Key, script(a.Val))
		default:
			stableForm(a.Val, func(kind xpath.PredKind, s string) { add(kind, a.Key, s) })
		}
	}
	return out
}

// stableForm gives the condition for a value or token without what changes from one of its like to the next: its number.
func stableForm(v string, add func(xpath.PredKind, string)) {
	digit := strings.IndexFunc(v, unicode.IsDigit)
	switch {
	case random(v): // of this page, or of this build of the site
	case digit < 0 || strings.Count(v, " ") > 3 || digit > 0 && len(v)-digit == 1 && v[digit-1] != '-' && v[digit-1] != '_':
		add(xpath.Equals, v) // "bg2", "col1" are names
	case digit > 0:
		add(xpath.StartsWith, v[:digit])
	}
}

// random reports whether a name is none that a person chose: long, and of capitals without words between them.
func random(name string) bool {
	const shortest, word = 12, 3 // letters of a name, and of one of its words in the mean
	if len(name) < shortest || strings.ContainsAny(name, " -_") {
		return false
	}
	words, upper := 1, false
	for i, r := range name {
		if up := unicode.IsUpper(r) || unicode.IsDigit(r); up && i > 0 {
			words++
			upper = upper || unicode.IsUpper(r)
		}
	}
	return upper && len(name) < word*words
}

// script gives the name of the file in an address: "showthread.php".
func script(href string) string {
	path, _, _ := strings.Cut(href, "?")
	path, _, _ = strings.Cut(path, "#")
	name := path[strings.LastIndexByte(path, '/')+1:]
	if !strings.Contains(name, ".") || strings.ContainsFunc(name, unicode.IsDigit) {
		return ""
	}
	return name
}

// askable reports whether expressions may ask for an attribute: one that the template sets, not the content.
func askable(name string) bool {
	switch name {
	case "class", "id", "itemprop", "itemtype", "rel", "role", "property", "name", "type", "href", "align", "valign", "width", "bgcolor":
		return true
	}
	return strings.HasPrefix(name, "data-")
}

// path gives the elements from just below ctx down to n, as relaxations see them.
func (x *index) path(n, ctx int) []relax.Element {
	var out []relax.Element
	for m := n; m >= 0 && m != ctx; m = x.parent[m] {
		out = append(out, x.element(m))
	}
	slices.Reverse(out)
	return out
}

// element gives one element as relaxations see it.
func (x *index) element(n int) relax.Element {
	e, known := x.seen[n]
	if !known {
		test := xpath.Test{Kind: xpath.Tag, Name: x.nodes[n].Data}
		e = relax.Element{Tag: test.Name, Conditions: conditions(x.nodes[n]), Bent: map[*xpath.Step]relax.Bent{},
			Holds: func(p xpath.Pred) bool { return x.holds(n, p, test) }}
		x.seen[n] = e
	}
	return e
}

// conditions are those of an element by its number.
func (x *index) conditions(n int) []xpath.Pred { return x.element(n).Conditions }
