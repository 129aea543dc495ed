package parse

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// formatting are the elements that are opened again in blocks that follow.
var formatting = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true,
	atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// void are the elements without content.
var void = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Basefont: true, atom.Bgsound: true, atom.Br: true, atom.Col: true, atom.Embed: true,
	atom.Frame: true, atom.Hr: true, atom.Image: true, atom.Img: true, atom.Input: true, atom.Keygen: true, atom.Link: true,
	atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// appraisal adds up what html.Parse would make of a page.
type appraisal struct {
	open    []opened
	of      map[string]int // how many of a name are open
	foreign int            // <svg> and <math> that may be open
	live    int            // units that may be copied at each tag and text from here on
	copies  int
	units   int // nodes and attributes of the page itself
	root    int // attributes given to <html> and <body>, which are gone through for each of their tags
}

type opened struct {
	name   string
	weight int // of formatting, in units
}

// maxOpen bounds the tags that an appraisal keeps as open: many are never closed.
const maxOpen = 50_000

// appraise gives the end of what html.Parse can be given of a page; safe is false where
// it must not be given it at all.
func appraise(text []byte) (end int, safe bool) {
	t := newTokens(text)
	a := &appraisal{of: map[string]int{}}
	for t.next() {
		if !a.add(t) || t.shortened || a.copies > maxCopies || len(a.open) > maxOpen {
			return 0, false
		}
		if a.units > maxUnits || t.end > maxText {
			return t.from, true
		}
	}
	return len(text), true
}

// add adds a token; false where how it is to be read depends on the tree.
func (a *appraisal) add(t *tokens) bool {
	a.units += t.nodes()
	switch t.kind {
	case html.TextToken:
		a.copies += a.live
	case html.StartTagToken, html.SelfClosingTagToken:
		a.start(t)
		return !t.raw || a.foreign == 0 || a.passRaw(t)
	case html.EndTagToken:
		a.end(t.name)
	case html.CommentToken:
		return a.foreign == 0 || !bytes.HasPrefix(t.text[t.at:], []byte("<![CDATA["))
	}
	return true
}

// passRaw skips the content of an element that is text in HTML; within <svg> it is
// markup. False where that matters.
func (a *appraisal) passRaw(t *tokens) bool {
	if !t.next() || t.kind == html.TextToken && bytes.IndexByte(t.text[t.at:t.end], '<') >= 0 {
		return false
	}
	a.units += t.nodes()
	if t.kind == html.EndTagToken {
		a.end(t.name)
	} else {
		a.copies += a.live
	}
	return true
}

// start adds a start tag.
func (a *appraisal) start(t *tokens) {
	a.copies += a.live
	weight := 0
	if formatting[t.atom] {
		weight = 1 + t.given
		a.live += weight
		a.copies += min(a.live, adopted) // an <a> in another one closes it
	}
	switch {
	case t.atom == atom.Html || t.atom == atom.Body:
		if a.root += t.given; t.given > 0 {
			a.copies += a.root
		}
		return
	case void[t.atom], t.kind == html.SelfClosingTagToken && a.foreign > 0 && weight == 0:
		return
	case t.atom == atom.Svg || t.atom == atom.Math:
		a.foreign++
	}
	a.open = append(a.open, opened{t.name, weight})
	a.of[t.name]++
}

// adopted bounds the copies that the end of one formatting element makes.
const adopted = 32

// end adds an end tag. One that closes what was opened last certainly does so for
// html.Parse; formatting that is closed otherwise counts on.
func (a *appraisal) end(name string) {
	if a.of[name] == 0 {
		if formatting[atom.Lookup([]byte(name))] {
			a.copies += min(a.live, adopted)
		}
		return
	}
	last := len(a.open) - 1
	if o := a.open[last]; o.name == name {
		a.live -= o.weight
		if name == "svg" || name == "math" {
			a.foreign--
		}
		a.pop()
		return
	}
	a.copies += min(a.live, adopted)
	for a.open[len(a.open)-1].name != name {
		a.pop()
	}
	a.pop()
}

func (a *appraisal) pop() {
	last := len(a.open) - 1
	if name := a.open[last].name; a.of[name] > 1 {
		a.of[name]--
	} else {
		delete(a.of, name)
	}
	a.open = a.open[:last]
}
