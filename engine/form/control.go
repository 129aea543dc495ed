package form

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Control is what a form sends a value of, or is sent by.
type Control struct {
	Name string
	// Kind is the type of an input element, "textarea", "select", or of a button element "submit", "reset" or "button".
	Kind string
	// Autocomplete are the tokens of the attribute, in lower case.
	Autocomplete []string

	node     *html.Node
	value    string
	disabled bool
	checked  bool
	options  []option // of a select element
}

// option is one of a select element.
type option struct {
	value, label       string
	selected, disabled bool
}

var isSubmittable = map[atom.Atom]bool{atom.Input: true, atom.Button: true, atom.Select: true, atom.Textarea: true}

func submittable(n *html.Node) bool { return isSubmittable[n.DataAtom] && n.Namespace == "" }

// inputTypes are those of the standard; any other is text.
var inputTypes = map[string]bool{
	"hidden": true, "text": true, "search": true, "tel": true, "url": true, "email": true, "password": true, "date": true, "month": true,
	"week": true, "time": true, "datetime-local": true, "number": true, "range": true, "color": true, "checkbox": true, "radio": true,
	"file": true, "submit": true, "image": true, "reset": true, "button": true,
}

func newControl(n *html.Node) *Control {
	c := &Control{
		Name: attribute(n, "name"), Kind: kindOf(n), Autocomplete: strings.Fields(keyword(n, "autocomplete")),
		node: n, disabled: isDisabled(n), checked: has(n, "checked"),
	}
	switch c.Kind {
	case "select":
		c.options = optionsOf(n)
	case "textarea":
		c.value = text(n)
	default:
		value, given := lookAttribute(n, "value")
		if c.value = sanitized(c, value); !given && c.Kind == "submit" && n.DataAtom == atom.Input {
			c.value = "Submit" // what is written on the button, in English
		}
	}
	return c
}

func kindOf(n *html.Node) string {
	kind := keyword(n, "type")
	switch n.DataAtom {
	case atom.Input:
		if !inputTypes[kind] {
			return "text"
		}
		return kind
	case atom.Button:
		if kind == "reset" || kind == "button" || kind != "submit" && (has(n, "command") || has(n, "commandfor")) {
			return "button"
		}
		return "submit"
	}
	return n.Data
}

// submits reports whether a control is a submit button.
func (c *Control) submits() bool { return c.Kind == "submit" || c.Kind == "image" }

func (c *Control) isButton() bool { return c.submits() || c.Kind == "reset" || c.Kind == "button" }

// IsText reports whether the control takes a line of text, such as a user's name.
func (c *Control) IsText() bool {
	return c.Kind == "text" || c.Kind == "email" || c.Kind == "tel" || c.Kind == "search" || c.Kind == "url" || c.Kind == "number"
}

// Value is what the control holds: of a select element, the first option that is selected.
func (c *Control) Value() string {
	for _, o := range c.options {
		if o.selected {
			return o.value
		}
	}
	return c.value
}

// isDisabled reports whether a control, or a fieldset around it, is disabled. The first legend of a fieldset stays enabled.
func isDisabled(n *html.Node) bool {
	if has(n, "disabled") {
		return true
	}
	child := n
	for a := range n.Ancestors() {
		if a.DataAtom == atom.Fieldset && a.Namespace == "" && has(a, "disabled") && child != firstLegend(a) {
			return true
		}
		child = a
	}
	return false
}

func firstLegend(fieldset *html.Node) *html.Node {
	for n := range fieldset.ChildNodes() {
		if n.DataAtom == atom.Legend && n.Namespace == "" {
			return n
		}
	}
	return nil
}

// optionsOf gives the options of a select element. Of one that shows a single option, one is selected.
func optionsOf(n *html.Node) (options []option) {
	for o := range n.Descendants() {
		if o.DataAtom != atom.Option || o.Namespace != "" {
			continue
		}
		label := strings.Join(strings.Fields(text(o)), " ")
		value, given := lookAttribute(o, "value")
		if !given {
			value = label
		}
		group := ancestor(o, atom.Optgroup)
		options = append(options, option{
			value: value, label: label, selected: has(o, "selected"), disabled: has(o, "disabled") || group != nil &&
				has(group, "disabled"),
		})
	}
	if has(n, "multiple") {
		return options
	}
	last := -1
	for i := range options {
		if options[i].selected {
			last = i
		}
		options[i].selected = false
	}
	if last < 0 && displaySize(n) == 1 {
		last = slices.IndexFunc(options, func(o option) bool { return !o.disabled })
	}
	if last >= 0 {
		options[last].selected = true
	}
	return options
}

// text is the text of an element, without that of scripts in it.
func text(n *html.Node) string {
	var b strings.Builder
	for t := range n.Descendants() {
		if t.Type == html.TextNode && t.Parent.DataAtom != atom.Script {
			b.WriteString(t.Data)
		}
	}
	return b.String()
}

// Fill enters a value into the controls with a name, as a user does: it checks boxes, selects options and presses buttons. A name
// that no control has is sent besides, as scripts do.
func (f *Form) Fill(name, value string) {
	filled, boxes := false, 0
	for _, c := range f.Controls {
		if c.Name == name && c.Kind == "checkbox" {
			boxes++
		}
	}
	for _, c := range f.Controls {
		if c.Name != name {
			continue
		}
		switch c.Kind {
		case "checkbox":
			c.checked = c.boxValue() == value || boxes == 1 && value != ""
		case "radio":
			c.checked = c.boxValue() == value
		case "select":
			c.choose(value)
		case "submit", "image":
			if f.pressed == nil || c.value == value {
				f.pressed = c
			}
		default:
			if filled {
				continue
			}
			c.value = sanitized(c, value)
		}
		c.disabled = false // scripts enable what the user is to fill in
		filled = true
	}
	if !filled {
		f.added = append(f.added, entry{name: name, value: value})
	}
}

// choose selects the option with a value or label.
func (c *Control) choose(value string) {
	for _, by := range []func(o option) bool{
		func(o option) bool { return o.value == value }, func(o option) bool { return o.label == value },
	} {
		if at := slices.IndexFunc(c.options, by); at >= 0 {
			for i := range c.options {
				c.options[i].selected = i == at
			}
			return
		}
	}
}

// boxValue is what a checkbox or radio button sends.
func (c *Control) boxValue() string {
	if value, has := lookAttribute(c.node, "value"); has {
		return value
	}
	return "on"
}
