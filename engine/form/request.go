package form

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/awarc/awarc/engine/extract"
)

// Request is what submitting a form sends.
type Request struct {
	Method string // GET or POST
	URL    string
	Type   string // of the body, as the field Content-Type has it; empty without one
	Body   []byte
}

// entry is one name with its value.
type entry struct {
	name, value string
	file        bool // the value is the name of no file
}

// The encodings of a form.
const (
	urlencoded = "application/x-www-form-urlencoded"
	multipart  = "multipart/form-data"
	plain      = "text/plain"
)

// Submit makes the request that pressing a button sends. Nil presses the button that Fill pressed, or else the default one, as
// Enter does; a default button that is disabled is taken as enabled by scripts once the fields are filled in.
func (f *Form) Submit(by *Control) (Request, error) {
	if by == nil {
		by = f.pressed
	}
	if by == nil {
		if by = f.Default(); by != nil {
			by.disabled = false
		}
	}
	return f.submit(by)
}

// submit makes the request of a submitter; nil for none.
func (f *Form) submit(by *Control) (Request, error) {
	action, method, encoding := attribute(f.node, "action"), keyword(f.node, "method"), keyword(f.node, "enctype")
	if by != nil {
		for _, of := range []struct {
			name string
			to   *string
		}{{"formaction", &action}, {"formmethod", &method}, {"formenctype", &encoding}} {
			if value, has := lookAttribute(by.node, of.name); has {
				if *of.to = value; of.name != "formaction" {
					*of.to = strings.ToLower(value)
				}
			}
		}
	}
	if method == "dialog" {
		return Request{}, errors.New("the form only closes a dialog and needs scripts")
	}
	to, err := f.page.action(action)
	if err != nil {
		return Request{}, err
	}
	name := f.charset()
	write := extract.Encoder(name)
	if write == nil {
		write = func(s string) string { return s }
	}
	entries := f.entries(by, name)
	if method != "post" {
		to, _, _ = strings.Cut(to, "?")
		return Request{Method: http.MethodGet, URL: to + "?" + urlEncode(entries, write)}, nil
	}
	r := Request{Method: http.MethodPost, URL: to}
	switch encoding {
	case multipart:
		boundary := "----awarc" + rand.Text()
		r.Type, r.Body = multipart+"; boundary="+boundary, multipartEncode(entries, write, boundary)
	case plain:
		r.Type, r.Body = plain, plainEncode(entries, write)
	default:
		r.Type, r.Body = urlencoded, []byte(urlEncode(entries, write))
	}
	return r, nil
}

// action is the address that a form is sent to, without a fragment.
func (p *Page) action(action string) (string, error) {
	action = strings.Trim(action, asciiSpace)
	before, _, _ := strings.Cut(action, "#")
	to := ""
	switch {
	case action == "":
		at := *p.links.URL
		at.User, at.Fragment, at.RawFragment = nil, "", ""
		to = at.String()
	case before == "":
		to = p.links.Base()
	default:
		to = p.links.Resolve(before)
	}
	if to == "" {
		return "", fmt.Errorf("the form's action %.200q is not a web address; it needs scripts", action)
	}
	return to, nil
}

// charset is the encoding of a form's names and values: the first of accept-charset that is one, or that of the page.
func (f *Form) charset() string {
	for _, label := range strings.FieldsFunc(attribute(f.node, "accept-charset"), func(r rune) bool {
		return strings.ContainsRune(asciiSpace+",", r)
	}) {
		if enc, name := charset.Lookup(label); enc != nil {
			return outputEncoding(name)
		}
	}
	return outputEncoding(f.page.charset)
}

// outputEncoding is the encoding that text of a page in an encoding is sent in.
func outputEncoding(name string) string {
	if name == "" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return "utf-8"
	}
	return name
}

// encodingNames are those that have small letters in the Encoding Standard; the others are in capitals.
var encodingNames = map[string]string{
	"big5": "Big5", "shift_jis": "Shift_JIS", "gb18030": "gb18030", "macintosh": "macintosh", "x-mac-cyrillic": "x-mac-cyrillic",
	"x-user-defined": "x-user-defined",
}

// encodingName is the name of an encoding as browsers write it.
func encodingName(name string) string {
	switch written, small := encodingNames[name]; {
	case small:
		return written
	case strings.HasPrefix(name, "windows-"):
		return name
	case strings.HasSuffix(name, "-i"):
		return strings.ToUpper(strings.TrimSuffix(name, "-i")) + "-I"
	}
	return strings.ToUpper(name)
}

// entries constructs the entry list of a form.
func (f *Form) entries(by *Control, encoding string) (list []entry) {
	for _, c := range f.Controls {
		list = append(list, c.entries(by, encoding)...)
	}
	return append(list, f.added...)
}

// entries are what a control sends; by is the submitter.
func (c *Control) entries(by *Control, encoding string) (list []entry) {
	switch {
	case c.disabled, c.isButton() && c != by, (c.Kind == "checkbox" || c.Kind == "radio") && !c.checked, c.inDatalist():
		return nil
	case c.Kind == "image":
		prefix := ""
		if c.Name != "" {
			prefix = c.Name + "."
		}
		return []entry{{name: prefix + "x", value: "0"}, {name: prefix + "y", value: "0"}}
	case c.Name == "":
		return nil
	}
	switch c.Kind {
	case "select":
		for _, o := range c.options {
			if o.selected && !o.disabled {
				list = append(list, entry{name: c.Name, value: o.value})
			}
		}
	case "checkbox", "radio":
		list = append(list, entry{name: c.Name, value: c.boxValue()})
	case "file":
		list = append(list, entry{name: c.Name, file: true})
	default:
		value := c.value
		if c.Kind == "hidden" && strings.EqualFold(c.Name, "_charset_") {
			value = encodingName(encoding)
		}
		list = append(list, entry{name: c.Name, value: value})
	}
	if name := attribute(c.node, "dirname"); name != "" && c.hasDirection() {
		list = append(list, entry{name: name, value: c.direction()})
	}
	return list
}

// inDatalist reports whether a control only suggests values for another.
func (c *Control) inDatalist() bool { return ancestor(c.node, atom.Datalist) != nil }

// hasDirection reports whether dirname applies to a control.
func (c *Control) hasDirection() bool {
	return slices.Contains([]string{"hidden", "text", "search", "tel", "url", "email", "password", "submit", "textarea"}, c.Kind)
}

// newlines makes line breaks those of the network.
func newlines(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	return strings.ReplaceAll(s, "\n", "\r\n")
}

func urlEncode(entries []entry, write func(string) string) string {
	var b strings.Builder
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('&')
		}
		escapeForm(&b, write(newlines(e.name)))
		b.WriteByte('=')
		escapeForm(&b, write(newlines(e.value)))
	}
	return b.String()
}

// escapeForm writes bytes by the percent-encode set of application/x-www-form-urlencoded.
func escapeForm(b *strings.Builder, s string) {
	b.WriteString(formEscapes.Replace(url.QueryEscape(s)))
}

// formEscapes are what that set escapes otherwise than url.QueryEscape does.
var formEscapes = strings.NewReplacer("~", "%7E", "%2A", "*")

var multipartName = strings.NewReplacer("\r\n", "%0D%0A", `"`, "%22")

func multipartEncode(entries []entry, write func(string) string, boundary string) []byte {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, multipartName.Replace(write(newlines(e.name))))
		if e.file {
			b.WriteString("; filename=\"\"\r\nContent-Type: application/octet-stream")
		}
		b.WriteString("\r\n\r\n" + write(newlines(e.value)) + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return []byte(b.String())
}

func plainEncode(entries []entry, write func(string) string) []byte {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(write(newlines(e.name)) + "=" + write(newlines(e.value)) + "\r\n")
	}
	return []byte(b.String())
}
