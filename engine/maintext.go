package engine

import (
	"slices"
	"strconv"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/read/text"
	"github.com/awarc/awarc/kb"
)

// TextClass is the class of the main text of a page. A page with content in its objects has none.
const TextClass = "awarc:PageText"

// ReadText sets the main text of a page, empty if an object has content.
func (p *Page) ReadText() {
	p.Text = text.Text{}
	if p.Doc == nil || slices.ContainsFunc(p.Harvest.Objects, func(o extract.Object) bool { return o.Value("content") != "" }) {
		return
	}
	if p.Harvest.Text != nil {
		p.Text = *p.Harvest.Text
	} else {
		p.Text = text.Of(p.Doc)
	}
}

// readText sets the main text of a page. A page that waits for adaptation has none yet, and in a watch
// one that is only compared with earlier captures.
func (p *Page) readText(waits, watch bool) {
	if !waits {
		p.ReadText()
	} else if watch {
		read := *p
		read.ReadText()
		p.watched = read.Text.Text
	}
}

// Objects are the objects of the page, its forums, and its main text as an object if it has one.
func (p *Page) Objects() []extract.Object {
	objects := p.Harvest.All()
	if o, ok := p.textObject(); ok {
		objects = append(objects, o)
	}
	return objects
}

// textObject is the main text as an object of its own, which claims nothing about the kind of page.
func (p *Page) textObject() (o extract.Object, ok bool) {
	if p.Text.Text == "" {
		return o, false
	}
	id := extract.Resolve(p.URL, p.URL.String())
	if t := p.Finding.Type; t != nil {
		id = t.URLs.ObjectKey(p.URL)
	}
	if id == "" {
		return o, false
	}
	return extract.Object{Class: TextClass, ID: id + "#awarc-text", Fields: []extract.Field{
		{Name: "content", As: kb.Text, Values: []string{p.Text.Text}},
		{Name: "confidence", As: kb.Number, Values: []string{strconv.FormatFloat(p.Text.Confidence, 'f', 2, 64)}},
	}}, true
}

// isList reports whether the page is a list of a known type.
func (p *Page) isList() bool {
	v := p.Harvest.Level
	return v != nil && v.Kind == kb.Intermediate && len(p.Harvest.Links) > 0
}
