package parse

import (
	"iter"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	flatPart = 4096 // elements of one part of Flat
	flatText = 1024 // bytes of the text of one element, more or less
)

// Flat reads what is behind the end of a tree: in parts, each a document with some of its
// elements side by side. They are those with attributes, since what leads somewhere has one,
// with their names, attributes and, for links and style sheets, their texts. A part is not
// kept: the whole takes no more memory than its longest tag.
func Flat(text []byte) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		t := newTokens(text)
		doc, n := &html.Node{Type: html.DocumentNode}, 0
		var last *html.Node // whose text is read
		size := 0
		for t.next() {
			switch t.kind {
			case html.TextToken:
				if last != nil && size < flatText {
					s := string(t.z.Text())
					if size += len(s); last.DataAtom == atom.A && len(s) > flatText {
						s = s[:flatText]
					}
					last.AppendChild(&html.Node{Type: html.TextNode, Data: s})
				}
			case html.EndTagToken:
				if last != nil && last.DataAtom == t.atom {
					last = nil
				}
			case html.StartTagToken, html.SelfClosingTagToken:
				if t.atom == atom.A {
					last = nil
				}
				attrs := t.attrs()
				if len(attrs) == 0 && t.atom != atom.Style {
					continue
				}
				if n++; n > flatPart {
					if !yield(doc) {
						return
					}
					doc, n, last = &html.Node{Type: html.DocumentNode}, 1, nil
				}
				e := &html.Node{Type: html.ElementNode, DataAtom: t.atom, Data: t.name, Attr: attrs}
				doc.AppendChild(e)
				if t.atom == atom.A || t.atom == atom.Style {
					last, size = e, 0
				}
			}
		}
		yield(doc)
	}
}
