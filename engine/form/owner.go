package form

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/parse"
)

// orderMark names the attribute, and begins the comment, that carries the place of a tag in the text into the tree.
const orderMark = "awarc-order"

// maxTag bounds a tag, comment or text in bytes, beyond which no tags are marked.
const maxTag = 1 << 20

// parseOwners parses a page and gives the form that was open where the parser met a control. The tree alone does not show
// that: in tables and misnested markup, a form owns controls that do not stand in it, as "form element pointer" of the HTML
// standard has it. So tags are numbered before they are parsed, and afterwards followed in the order of the text.
func parseOwners(text []byte) (doc *html.Node, owners map[*html.Node]*html.Node) {
	marked, tags := markTags(text)
	doc = parse.HTML(marked).Root
	met := make([]*html.Node, tags)
	for n := doc; n != nil; n = following(n, n.DataAtom == atom.Template && n.Namespace == "") {
		if i, ok := takeMark(n); ok && i < tags {
			met[i] = n
		}
	}
	owners = map[*html.Node]*html.Node{}
	var open *html.Node
	for _, n := range met {
		switch {
		case n == nil: // ignored by the parser, or in a template
		case n.Type == html.CommentNode:
			open = nil
		case n.DataAtom == atom.Form:
			open = n
		case open != nil:
			owners[n] = open
		}
	}
	return doc, owners
}

// markTags numbers the tags of forms and controls. The end tags of forms leave nothing in a tree: comments stand for them.
func markTags(text []byte) (marked []byte, tags int) {
	var out bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(maxTag)
	read := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			out.Write(text[read:]) // what is too long, or an unfinished tag
			return out.Bytes(), tags
		}
		raw := bytes.Clone(z.Raw())
		read += len(raw)
		if kind == html.TextToken || kind == html.CommentToken || kind == html.DoctypeToken {
			out.Write(raw)
			continue
		}
		name, _ := z.TagName()
		of := atom.Lookup(name)
		switch {
		case kind == html.EndTagToken && of == atom.Form:
			out.WriteString("<!--" + orderMark + strconv.Itoa(tags) + "-->")
			out.Write(raw)
			tags++
		case kind != html.EndTagToken && (of == atom.Form || isSubmittable[of]):
			out.Write(raw[:1+len(name)])
			out.WriteString(" " + orderMark + "=" + strconv.Itoa(tags) + " ")
			out.Write(raw[1+len(name):])
			tags++
		default:
			if of == atom.Noscript {
				z.NextIsNotRawText() // scripts are not run
			}
			out.Write(raw)
		}
	}
}

// takeMark gives the number of a tag, and removes what marked it.
func takeMark(n *html.Node) (number int, marked bool) {
	if n.Type == html.CommentNode {
		text, is := strings.CutPrefix(n.Data, orderMark)
		number, err := strconv.Atoi(text)
		return number, is && err == nil && number >= 0
	}
	if n.Type != html.ElementNode || n.Namespace != "" {
		return 0, false
	}
	for i, a := range n.Attr {
		if a.Key == orderMark {
			n.Attr = append(n.Attr[:i:i], n.Attr[i+1:]...)
			number, err := strconv.Atoi(a.Val)
			return number, err == nil && number >= 0
		}
	}
	return 0, false
}
