package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/parse"
	"github.com/awarc/awarc/kb"
)

// Bounds of an answer. Real ones stay far below.
const (
	maxDepth = 200
	maxNodes = 2_000_000
)

// Tree makes a tree of a body of JSON: an element for each value, named by its member, in an array "item"; the root element, "answer", is
// the value itself. Characters of a name that an expression could not have become '_'. null becomes nothing. Markup is parsed, and times
// are written in a readable form if the operation declares them.
func Tree(body []byte, values kb.Values) (*html.Node, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	b := &builder{d: d, values: values}
	root := element("answer")
	if err := b.value(root, "answer", 0); err != nil {
		return nil, fmt.Errorf("invalid JSON in the response: byte %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("invalid JSON in the response: byte %d: expected the end", d.InputOffset())
	}
	if values.JSONAPI {
		b.relate(root)
	}
	return root, nil
}

type builder struct {
	d      *json.Decoder
	values kb.Values
	nodes  int
}

func element(name string) *html.Node { return &html.Node{Type: html.ElementNode, Data: name} }

// value reads the next value into an element; name is that of its member.
func (b *builder) value(into *html.Node, name string, depth int) error {
	if b.nodes++; b.nodes > maxNodes || depth > maxDepth {
		return fmt.Errorf("more than %d values, or nested more than %d deep", maxNodes, maxDepth)
	}
	t, err := b.d.Token()
	if err != nil {
		return ended(err)
	}
	switch t := t.(type) {
	case json.Delim:
		return b.members(into, t == '{', name, depth)
	case string:
		b.text(into, name, t)
	case json.Number:
		b.text(into, name, t.String())
	case bool:
		addText(into, strconv.FormatBool(t))
	}
	return nil
}

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// members reads what is in an object or array, up to its end.
func (b *builder) members(into *html.Node, object bool, name string, depth int) error {
	for b.d.More() {
		key, child := name, element("item")
		if object {
			t, err := b.d.Token()
			if err != nil {
				return ended(err)
			}
			key = t.(string) // the decoder sees to that
			child.Data = nameOf(key)
		}
		if err := b.value(child, key, depth+1); err != nil {
			return err
		}
		into.AppendChild(child)
	}
	_, err := b.d.Token()
	return ended(err)
}

// nameOf is a member's name as that of an element.
func nameOf(key string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, key)
	if name == "" || name[0] >= '0' && name[0] <= '9' || name[0] == '-' {
		name = "_" + name
	}
	return name
}

func addText(into *html.Node, s string) {
	if s != "" {
		into.AppendChild(&html.Node{Type: html.TextNode, Data: s})
	}
}

// text adds a text or number as its name says that it is to be read.
func (b *builder) text(into *html.Node, name, s string) {
	switch {
	case slices.Contains(b.values.Markup, name) && strings.TrimSpace(s) != "":
		addMarkup(into, s)
	case slices.Contains(b.values.Epoch, name):
		addText(into, epoch(s))
	case slices.Contains(b.values.UTC, name):
		if len(s) >= len(time.DateTime) && !strings.ContainsAny(s[len(time.DateOnly):], "Z+-") {
			s += "Z"
		}
		addText(into, s)
	default:
		addText(into, s)
	}
}

// epoch gives a Unix time as a date; what is none stays as it is.
func epoch(s string) string {
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil || seconds <= 0 || seconds > 1<<40 {
		return s
	}
	return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
}

// addMarkup adds the body of a piece of HTML.
func addMarkup(into *html.Node, s string) {
	root := parse.HTML([]byte(s)).Root
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "body" {
			continue
		}
		for c := n.FirstChild; c != nil; {
			next := c.NextSibling
			n.RemoveChild(c)
			into.AppendChild(c)
			c = next
		}
		return
	}
	addText(into, s)
}

// relate puts a copy of the attributes of what a relationship refers to into it, as far as the answer has them (JSON:API 1.1, 7.2.2.2).
func (b *builder) relate(root *html.Node) {
	attributes := map[string]*html.Node{}
	var references []*html.Node
	for n := range root.Descendants() {
		kind, id := valueOf(n, "type"), valueOf(n, "id")
		switch found := child(n, "attributes"); {
		case kind == "" || id == "":
		case found != nil:
			attributes[kind+" "+id] = found
		case n.Data == "data" && n.Parent.Parent != nil && n.Parent.Parent.Data == "relationships":
			references = append(references, n)
		}
	}
	for _, n := range references {
		if found := attributes[valueOf(n, "type")+" "+valueOf(n, "id")]; found != nil {
			n.AppendChild(b.copy(found))
		}
	}
}

// copy copies a tree; what goes beyond the bound of an answer is left out.
func (b *builder) copy(n *html.Node) *html.Node {
	out := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Attr: n.Attr}
	for c := range n.ChildNodes() {
		if b.nodes++; b.nodes <= maxNodes {
			out.AppendChild(b.copy(c))
		}
	}
	return out
}

// child is the first child of that name, nil for none.
func child(n *html.Node, name string) *html.Node {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && c.Data == name {
			return c
		}
	}
	return nil
}

// valueOf is the value of a member, "" without.
func valueOf(n *html.Node, name string) string {
	if c := child(n, name); c != nil && c.FirstChild != nil && c.FirstChild.Type == html.TextNode {
		return c.FirstChild.Data
	}
	return ""
}
