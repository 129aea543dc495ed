// Package replay makes pages of an archive that a browser can show without asking anybody but the archive: addresses lead to it, and what
// could run, or leave the frame, is gone. It is one wall of two: what serves the pages forbids the same by a policy.
package replay

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Options are the options of a page.
type Options struct {
	Base *url.URL // address of the page, or of the style
	// Link returns the address in the archive of an absolute one; page is set for a page, and not for a part of one.
	Link func(abs *url.URL, page bool) string
	// Marks are the classes of elements that are to be seen: see MarkStyle.
	Marks map[*html.Node]string
	// Pick, if it is not nil, returns the address that a click on a text opens, by the text's index in the page: see
	// [Text]. Links are inactive then.
	Pick func(place int) string
}

// pickable are texts of the body of a page that are not blank, in their order.
func pickable(doc *html.Node) iter.Seq2[int, *html.Node] {
	return func(yield func(int, *html.Node) bool) {
		place := 0
		for n := range doc.Descendants() {
			if n.Type != html.TextNode || n.Parent.Namespace != "" || !inBody(n) || strings.TrimSpace(n.Data) == "" {
				continue
			}
			if !yield(place, n) {
				return
			}
			place++
		}
	}
}

// plain are elements whose texts take no elements.
var plain = map[atom.Atom]bool{atom.Style: true, atom.Script: true, atom.Title: true, atom.Textarea: true, atom.Option: true,
	atom.Select: true, atom.Optgroup: true, atom.Button: true, atom.Noscript: true, atom.Template: true}

// inBody reports whether a text is shown in the body, and not in what takes no elements.
func inBody(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Body {
			return true
		}
		if plain[p.DataAtom] {
			return false
		}
	}
	return false
}

// Text gives the text of a page that has a place, nil for none.
func Text(doc *html.Node, place int) *html.Node {
	for i, n := range pickable(doc) {
		if i == place {
			return n
		}
	}
	return nil
}

// MarkStyle is the style of marked elements: "old" and "new" mark the results of two expressions.
const MarkStyle = `.awarc-old{outline:3px dashed #b42318!important;outline-offset:1px}` +
	`.awarc-new{outline:3px solid #1a7f37!important;outline-offset:1px}` +
	`.awarc-old.awarc-new{outline:4px double #0a58ca!important}#` + FirstMark + `{scroll-margin-top:6rem}`

// dropped are elements that could run, or show what is not in the archive, and are not shown.
var dropped = map[string]bool{"script": true, "object": true, "embed": true, "applet": true, "base": true, "template": true,
	"portal": true, "animate": true, "set": true}

// Page gives a copy of a page, which is not changed: a document, or its html element.
func Page(doc *html.Node, o Options) *html.Node {
	o.Base = baseOf(doc, o.Base)
	p := &rewriter{Options: o}
	if o.Pick != nil {
		p.places = map[*html.Node]int{}
		for i, n := range pickable(doc) {
			p.places[n] = i
		}
	}
	out := &html.Node{Type: html.DocumentNode}
	out.AppendChild(&html.Node{Type: html.DoctypeNode, Data: "html"})
	if n := p.node(doc); n != nil {
		out.AppendChild(n)
		p.children(n, doc)
	} else {
		p.children(out, doc)
	}
	if len(o.Marks) > 0 {
		mark(out)
	}
	return out
}

// FirstMark is the id of the first element that is marked and has no other.
const FirstMark = "awarc-mark"

type rewriter struct {
	Options
	marked bool // an element has the id FirstMark
	places map[*html.Node]int
}

// children copies what is below a node.
func (p *rewriter) children(to, from *html.Node) {
	for c := from.FirstChild; c != nil; c = c.NextSibling {
		if n := p.node(c); n != nil {
			to.AppendChild(n)
			p.children(n, c)
			p.style(n)
		}
	}
}

// node copies a node without what is below it; nil for one that goes, with all below it.
func (p *rewriter) node(from *html.Node) *html.Node {
	switch from.Type {
	case html.TextNode:
		return p.text(from)
	case html.ElementNode:
	default:
		return nil // comments are nobody's business, a doctype is there
	}
	if dropped[strings.ToLower(from.Data)] || from.DataAtom == atom.Meta && hasAttr(from, "http-equiv") ||
		from.DataAtom == atom.Link && !p.shown(from) {
		return nil
	}
	n := &html.Node{Type: html.ElementNode, DataAtom: from.DataAtom, Data: from.Data, Namespace: from.Namespace}
	switch {
	case from.DataAtom == atom.Noscript: // there are no scripts
		n.DataAtom, n.Data = atom.Div, "div"
	case from.DataAtom == atom.A && p.Pick != nil: // a link holds no link
		n.DataAtom, n.Data = atom.Span, "span"
	}
	for _, a := range from.Attr {
		if v, keep := p.attr(from, a); keep {
			n.Attr = append(n.Attr, html.Attribute{Namespace: a.Namespace, Key: a.Key, Val: v})
		}
	}
	if class := p.Marks[from]; class != "" {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "class" })
		n.Attr = append(n.Attr, html.Attribute{Key: "class", Val: strings.TrimSpace(attrOf(from, "class") + " " + class)})
		if !p.marked && !hasAttr(from, "id") {
			n.Attr = append(n.Attr, html.Attribute{Key: "id", Val: FirstMark})
			p.marked = true
		}
	}
	return n
}

// text copies a text, as a link where it can be picked.
func (p *rewriter) text(from *html.Node) *html.Node {
	text := &html.Node{Type: html.TextNode, Data: from.Data}
	place, ok := p.places[from]
	if !ok {
		return text
	}
	link := &html.Node{Type: html.ElementNode, DataAtom: atom.A, Data: "a", Attr: []html.Attribute{{Key: "href", Val: p.Pick(place)},
		{Key: "target", Val: "_top"}, {Key: "style", Val: "color:inherit;text-decoration:none;cursor:crosshair"}}}
	link.AppendChild(text)
	return link
}

// shown reports whether a link element is needed to show the page.
func (*rewriter) shown(n *html.Node) bool {
	rel := strings.Fields(strings.ToLower(attrOf(n, "rel")))
	return slices.Contains(rel, "stylesheet") || slices.Contains(rel, "icon")
}

// attr is an attribute's value in the copy; keep is false for one that goes.
func (p *rewriter) attr(n *html.Node, a html.Attribute) (value string, keep bool) {
	switch key := strings.ToLower(a.Key); key {
	case "src", "poster", "background", "data":
		return p.link(a.Val, n.DataAtom == atom.Iframe || n.DataAtom == atom.Frame), true
	case "href":
		isPage := n.DataAtom == atom.A || n.DataAtom == atom.Area
		if isPage && strings.HasPrefix(strings.TrimSpace(a.Val), "#") {
			return a.Val, p.Pick == nil
		}
		return p.link(a.Val, isPage), !isPage || p.Pick == nil
	case "srcset":
		return p.srcset(a.Val), true
	case "style":
		return string(style([]byte(a.Val), p.Options, true)), true
	case "action", "formaction", "srcdoc", "ping", "target", "integrity", "crossorigin", "nonce", "manifest", "http-equiv", "download",
		"sandbox", "allow", "csp":
		return "", false
	default:
		return a.Val, !strings.HasPrefix(key, "on")
	}
}

// link is the archive's address of what an attribute names. What is there already, as data, stays.
func (p *rewriter) link(text string, page bool) string { return p.Options.link(text, page) }

func (o *Options) link(text string, page bool) string {
	text = strings.TrimSpace(text)
	if !page && len(text) > 5 && strings.EqualFold(text[:5], "data:") {
		return text
	}
	u, err := o.Base.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "about:blank"
	}
	at := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	to := o.Link(u, page)
	if at != "" {
		to += "#" + url.PathEscape(at)
	}
	return to
}

// srcset is a list of addresses, each with a width or a density behind it.
func (p *rewriter) srcset(text string) string {
	var out []string
	for text = strings.TrimLeft(text, " \t\r\n\f,"); text != ""; text = strings.TrimLeft(text, " \t\r\n\f,") {
		end := strings.IndexAny(text, " \t\r\n\f")
		if end < 0 {
			end = len(text)
		}
		address, rest := text[:end], text[end:]
		condition := ""
		if trimmed := strings.TrimRight(address, ","); trimmed == address {
			condition, rest, _ = strings.Cut(rest, ",")
		} else {
			address = trimmed
		}
		out = append(out, strings.TrimSpace(p.link(address, false)+" "+strings.TrimSpace(condition)))
		text = rest
	}
	return strings.Join(out, ", ")
}

// style rewrites the text of a style element.
func (p *rewriter) style(n *html.Node) {
	if n.DataAtom != atom.Style {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		// An end tag in it would end it: there is none in what was parsed, and none is made.
		c.Data = strings.ReplaceAll(string(style([]byte(c.Data), p.Options, false)), "</", `<\/`)
	}
}

// baseOf is what addresses of a page are relative to.
func baseOf(doc *html.Node, base *url.URL) *url.URL {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Base && hasAttr(n, "href") {
			if u, err := base.Parse(strings.TrimSpace(attrOf(n, "href"))); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				return u
			}
			break
		}
	}
	return base
}

// mark gives a page the style of marks.
func mark(out *html.Node) {
	sheet := &html.Node{Type: html.ElementNode, Data: "style", DataAtom: atom.Style}
	sheet.AppendChild(&html.Node{Type: html.TextNode, Data: MarkStyle})
	for n := range out.Descendants() {
		if n.DataAtom == atom.Head {
			n.AppendChild(sheet)
			return
		}
	}
	out.AppendChild(sheet)
}

func hasAttr(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return strings.EqualFold(a.Key, key) })
}

func attrOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if strings.EqualFold(a.Key, key) {
			return a.Val
		}
	}
	return ""
}
