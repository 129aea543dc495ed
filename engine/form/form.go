// Package form finds the forms of a page and submits them as browsers do: by the section "Form control infrastructure" of the
// HTML standard. [Page] has the form owners, [Form.Fill] enters values, and [Form.Submit] makes the request.
//
// Where Chromium and the standard differ, Chromium decides: sites are tested with browsers. testdata/forms.txtar has forms with
// the requests that Chromium sends for them; the tests compare both.
//
// Scripts are not run. Forms that only scripts send are errors.
package form

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
)

// Page is a page with its forms.
type Page struct {
	// Forms are the forms of the document, in its order.
	Forms []*Form
	// Orphans are the controls that belong to no form: nothing sends them but scripts.
	Orphans []*Control

	links   extract.Page
	charset string // of the page, as the Encoding Standard names it
}

// Form is a form with the controls that it owns, in the order of the document.
type Form struct {
	Controls []*Control

	page    *Page
	node    *html.Node
	pressed *Control // by Fill
	added   []entry  // likewise, for names that no control has
}

// Read finds the forms of a page: its text in UTF-8, the charset that it was in, and its address.
func Read(text []byte, charset string, at *url.URL) *Page {
	doc, owners := parseOwners(text)
	p := &Page{links: extract.Page{URL: at, Doc: doc, Charset: charset}, charset: charset}
	forms, ids := map[*html.Node]*Form{}, map[string]*html.Node{}
	var controls []*html.Node
	for n := range elements(doc) {
		if id := attribute(n, "id"); id != "" && ids[id] == nil {
			ids[id] = n
		}
		switch {
		case n.Namespace != "":
		case n.DataAtom == atom.Form:
			f := &Form{page: p, node: n}
			forms[n] = f
			p.Forms = append(p.Forms, f)
		case submittable(n):
			controls = append(controls, n)
		}
	}
	for _, n := range controls {
		c := newControl(n)
		if f := forms[ownerOf(n, owners[n], ids)]; f != nil {
			f.Controls = append(f.Controls, c)
		} else {
			p.Orphans = append(p.Orphans, c)
		}
	}
	for _, f := range p.Forms {
		f.checkOneRadio()
	}
	return p
}

// ownerOf is the form that a control belongs to: the one that its form attribute names, or the one that the parser had open, or
// the one that it stands in.
func ownerOf(n, open *html.Node, ids map[string]*html.Node) *html.Node {
	if id, has := lookAttribute(n, "form"); has {
		return ids[id]
	}
	if open != nil {
		return open
	}
	return ancestor(n, atom.Form)
}

// checkOneRadio leaves one radio button checked in each group: the last.
func (f *Form) checkOneRadio() {
	checked := map[string]bool{}
	for _, c := range slices.Backward(f.Controls) {
		if c.Kind == "radio" && c.Name != "" && c.checked {
			c.checked = !checked[c.Name]
			checked[c.Name] = true
		}
	}
}

// Doc is the document of the page. It is not to be changed.
func (p *Page) Doc() *html.Node { return p.links.Doc }

// At gives the form that a node is, has as a control, or lies in, and the control, if it is one.
// Nil: no form.
func (p *Page) At(n *html.Node) (*Form, *Control) {
	around := ancestor(n, atom.Form)
	for _, f := range p.Forms {
		for _, c := range f.Controls {
			if c.node == n {
				return f, c
			}
		}
	}
	for _, f := range p.Forms {
		if f.node == n || f.node == around {
			return f, nil
		}
	}
	return nil, nil
}

// Options are the values of a list's options.
func (c *Control) Options() (values []string) {
	for _, o := range c.options {
		values = append(values, o.value)
	}
	return values
}

// Control gives the first control with a name; nil for none.
func (f *Form) Control(name string) *Control {
	i := slices.IndexFunc(f.Controls, func(c *Control) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return f.Controls[i]
}

// Passwords counts the fields that ask for a password.
func (f *Form) Passwords() (n int) {
	for _, c := range f.Controls {
		if c.Kind == "password" {
			n++
		}
	}
	return n
}

// Default is the button that a form is submitted by when the user presses Enter in a field: its first submit button, nil for none.
func (f *Form) Default() *Control {
	i := slices.IndexFunc(f.Controls, (*Control).submits)
	if i < 0 {
		return nil
	}
	return f.Controls[i]
}

// elements gives the elements of a document. The contents of templates are not part of it.
func elements(doc *html.Node) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := doc; n != nil; n = following(n, n.DataAtom == atom.Template && n.Namespace == "") {
			if n.Type == html.ElementNode && !yield(n) {
				return
			}
		}
	}
}

// following is the next node in the order of the document, without those inside n where they are skipped.
func following(n *html.Node, skip bool) *html.Node {
	if n.FirstChild != nil && !skip {
		return n.FirstChild
	}
	for ; n != nil; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

func ancestor(n *html.Node, of atom.Atom) *html.Node {
	for a := range n.Ancestors() {
		if a.DataAtom == of && a.Namespace == "" {
			return a
		}
	}
	return nil
}

func lookAttribute(n *html.Node, name string) (value string, has bool) {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func attribute(n *html.Node, name string) string {
	value, _ := lookAttribute(n, name)
	return value
}

func has(n *html.Node, name string) bool {
	_, has := lookAttribute(n, name)
	return has
}

// keyword is the value of an attribute whose values are compared without case.
func keyword(n *html.Node, name string) string { return strings.ToLower(attribute(n, name)) }
