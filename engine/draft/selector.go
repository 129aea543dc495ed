package draft

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/read/page"
)

// selector tells elements by their name and a class, by how their ids begin or by what an attribute of the template says, and by what they
// are in.
type selector struct {
	inside string // name and class of an element around it, "name.class" or "name"; "" for any
	name   string
	class  string // "" for any
	id     string // what is before the number that an id ends with: "post_" of post_12; "" for any
	attr   string // an attribute and its value: "itemprop=text"; "" for any
	own    own    // which text of the element itself is meant, beside the elements in it
}

// own is a text of an element itself, which no element of its own holds.
type own uint8

const (
	whole     own = iota // all that the element says
	firstText            // the first text of its own
	lastText             // the last
)

// of is the expression of a text of the element that a path leads to.
func (o own) of(path string) string {
	return path + [...]string{"", "/text()[normalize-space()][1]", "/text()[normalize-space()][last()]"}[o]
}

// text is that text of an element which has others in it, "" for none.
func (o own) text(n *html.Node) (text string) {
	mixed := false
	for c := range n.ChildNodes() {
		switch said := strings.Join(strings.Fields(c.Data), " "); {
		case c.Type == html.ElementNode:
			mixed = true
		case c.Type == html.TextNode && said != "" && (o == lastText || text == ""):
			text = said
		}
	}
	if !mixed {
		return ""
	}
	return text
}

// text is the text that the selector means of an element.
func (s selector) text(n *html.Node) string {
	if s.own == whole {
		return textOf(n)
	}
	return s.own.text(n)
}

// fits reports whether an element is one that the selector tells, within top.
func (s selector) fits(n, top *html.Node) bool {
	if !s.isLike(n) {
		return false
	}
	if s.inside == "" {
		return true
	}
	name, class, _ := strings.Cut(s.inside, ".")
	for around := n.Parent; around != nil && around != top; around = around.Parent {
		if (selector{name: name, class: class}).isLike(around) {
			return true
		}
	}
	return false
}

func (s selector) isLike(n *html.Node) bool {
	return n.Type == html.ElementNode && n.Data == s.name && (s.class == "" || slices.Contains(classes(n), s.class)) &&
		(s.id == "" || numbered(n) == s.id) && (s.attr == "" || hasAttr(n, s.attr))
}

// first is the first element below a node that the selector tells, nil for none.
func (s selector) first(top *html.Node) *html.Node {
	for n := range top.Descendants() {
		if s.fits(n, top) {
			return n
		}
	}
	return nil
}

// step is the selector as an expression of what is told, without what it is in.
func (s selector) step() string {
	if s.id != "" {
		return fmt.Sprintf("%s[starts-with(@id, '%s')][translate(substring(@id, %d), '0123456789', '')='']", s.name, s.id, len(s.id)+1)
	}
	if s.attr != "" {
		return s.name + saying(s.attr)
	}
	if s.class == "" {
		return s.name
	}
	return s.name + "[." + s.class + "]"
}

// path is the selector as an expression of an object or a field.
func (s selector) path() string {
	if s.inside == "" {
		return s.step()
	}
	name, class, _ := strings.Cut(s.inside, ".")
	return selector{name: name, class: class}.step() + "//" + s.step()
}

// firstPath is path for the first of those that it finds.
func (s selector) firstPath() string { return s.own.of("(.//" + s.path() + ")[1]") }

// pattern is the selector as a pattern of detection.
func (s selector) pattern() string {
	p := s.step()
	if s.id != "" {
		p = s.name + "[starts-with(@id, '" + s.id + "')]"
	}
	if s.inside != "" {
		name, class, _ := strings.Cut(s.inside, ".")
		p = selector{name: name, class: class}.step() + "//" + p
	}
	return p
}

// marks are the selectors that tell an element by what it says of itself.
func marks(n *html.Node) (all []selector) {
	for _, c := range classes(n) {
		all = append(all, selector{name: n.Data, class: c})
	}
	if id := numbered(n); id != "" {
		all = append(all, selector{name: n.Data, id: id})
	}
	for _, a := range n.Attr {
		if a.Namespace == "" && ofTemplate(a.Key) && a.Val != "" && isName(strings.ReplaceAll(a.Val, "/", "")) {
			all = append(all, selector{name: n.Data, attr: a.Key + "=" + a.Val})
		}
	}
	return all
}

// selectors are those that tell an element, within top: by its own marks, by the nearest class around it, or by a parent without one.
func selectors(n, top *html.Node) (all []selector) {
	all = marks(n)
	for around := n.Parent; around != nil && around != top && around.Type == html.ElementNode; around = around.Parent {
		if in := classes(around); len(in) > 0 && around.DataAtom != atom.Body {
			inside := around.Data + "." + in[0]
			all = append(all, selector{inside: inside, name: n.Data})
			for _, c := range classes(n) {
				all = append(all, selector{inside: inside, name: n.Data, class: c})
			}
			break
		}
	}
	if in := n.Parent; in != nil && in != top && in.Type == html.ElementNode && len(classes(in)) == 0 {
		all = append(all, selector{inside: in.Data, name: n.Data})
	}
	if len(all) == 0 || n.DataAtom == atom.Time {
		all = append(all, selector{name: n.Data})
	}
	return all
}

// classes are the classes of an element that may be its template's: those with digits are of one thing.
func classes(n *html.Node) []string {
	return slices.DeleteFunc(strings.Fields(page.Attr(n, "class")), func(c string) bool {
		return !isName(c) || c[0] == '-'
	})
}

// isName reports whether a text has letters, - and _ alone.
func isName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' || r > unicode.MaxASCII })
}

// ofTemplate reports whether an attribute is one by which templates say what an element is: of microdata, or for scripts.
func ofTemplate(name string) bool {
	return name == "itemprop" || name == "component" || strings.HasPrefix(name, "data-")
}

// hasAttr reports whether an element has an attribute of a value, "name=value".
func hasAttr(n *html.Node, pair string) bool {
	name, value, _ := strings.Cut(pair, "=")
	return page.Attr(n, name) == value
}

// saying is the predicate of that.
func saying(pair string) string {
	name, value, _ := strings.Cut(pair, "=")
	return "[@" + name + "='" + value + "']"
}

// numbered is what is before the number that the id of an element ends with, "" for none.
func numbered(n *html.Node) string {
	id := page.Attr(n, "id")
	before := strings.TrimRight(id, "0123456789")
	if before == id || !isName(before) {
		return ""
	}
	return before
}

// textOf is the text of a node, spaces folded.
func textOf(n *html.Node) string {
	var b strings.Builder
	var add func(n *html.Node)
	add = func(n *html.Node) {
		switch {
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style:
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		default:
			for c := range n.ChildNodes() {
				add(c)
			}
			b.WriteByte(' ')
		}
	}
	add(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

func inside(n, top *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == top {
			return true
		}
	}
	return false
}

// bodyOf is the body of a page, nil for none.
func bodyOf(doc *html.Node) *html.Node {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Body {
			return n
		}
	}
	return nil
}
