package kb

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine/infile"
	"github.com/beevik/etree"
)

// Example is a page with what is known of it, run by `awarc kb test`. What it
// does not state is not checked.
type Example struct {
	// Page names the file of the page: from the folder of the XML file, or from
	// the one above it.
	Page    string
	URL     string
	Level   LevelID
	Variant string
	Objects int // -1 when not stated
	// Links is how many different pages the follow actions lead to, optional
	// ones too; -1 when not stated.
	Links int
	// Changes is how many changes of other pages the page reports; -1 when not stated.
	Changes int
	// Scripts says that a browser runs the scripts of the page and takes the steps of its level
	// first. Files that the page requests lie beside it.
	Scripts bool
	Leads   []Lead
	Values  []FieldValue
	Pos     Position

	pages fs.FS // where Page is looked for; nil: the files of the machine
}

// Lead is a link that the page must give.
type Lead struct {
	To  LevelID
	URL string // as on the page, or absolute
	Pos Position
}

// FieldValue is a value that an object of the page must have.
type FieldValue struct {
	Of   string // class of the object
	N    int    // which of them, from 1; 0: any
	Name string
	// Value is compared with spaces and line breaks folded; one that ends in
	// "…" says only how the field begins.
	Value string
	Pos   Position
}

func (l *loader) example(e *etree.Element) Example {
	l.allow(e, []string{"page", "url", "level", "variant", "objects", "links", "changes", "scripts"}, []string{"link", "field"})
	x := l.stated(e)
	x.Scripts = l.flag(e, "scripts")
	return x
}

// stated is what an example says of its page.
func (l *loader) stated(e *etree.Element) Example {
	x := Example{
		Page: e.SelectAttrValue("page", ""), URL: e.SelectAttrValue("url", ""), Level: LevelID(e.SelectAttrValue("level", "")),
		Variant: e.SelectAttrValue("variant", ""), Objects: -1, Links: -1, Changes: -1, Pos: l.positions[e], pages: l.pages,
	}
	if x.Page == "" {
		l.fail(e, "has no page=\"...\"; expected the file of the page")
	}
	if e.SelectAttr("objects") != nil {
		x.Objects = l.integer(e, "objects", 0, 1<<20)
	}
	if e.SelectAttr("links") != nil {
		x.Links = l.integer(e, "links", 0, 1<<20)
	}
	if e.SelectAttr("changes") != nil {
		x.Changes = l.integer(e, "changes", 0, 1<<20)
	}
	for _, k := range e.SelectElements("link") {
		l.allow(k, []string{"to", "url"}, nil)
		l.noText(k)
		lead := Lead{To: LevelID(k.SelectAttrValue("to", "")), URL: k.SelectAttrValue("url", ""), Pos: l.positions[k]}
		if lead.To == "" || lead.URL == "" {
			l.fail(k, "to=%q url=%q; expected the level and the address of a link on the page", lead.To, lead.URL)
		}
		x.Leads = append(x.Leads, lead)
	}
	for _, f := range e.SelectElements("field") {
		x.Values = append(x.Values, l.fieldValue(f))
	}
	return x
}

func (l *loader) fieldValue(e *etree.Element) FieldValue {
	l.allow(e, []string{"of", "n", "name"}, nil)
	v := FieldValue{Of: e.SelectAttrValue("of", ""), Name: e.SelectAttrValue("name", ""), Value: textOf(e), Pos: l.positions[e]}
	if !classForm.MatchString(v.Of) {
		l.fail(e, "of=%q; expected the class of the object, such as sioc:Post", v.Of)
	}
	if !idForm.MatchString(v.Name) {
		l.fail(e, "name=%q; expected the name of a field, such as creator", v.Name)
	}
	if e.SelectAttr("n") != nil {
		v.N = l.integer(e, "n", 1, 1<<20)
	}
	return v
}

// checkExamples checks what examples say of their type, once it is complete.
func (l *loader) checkExamples(t *Type) {
	where := "type[" + string(t.ID) + "]/example"
	for _, x := range t.Examples {
		levels := t.Level(x.Level)
		if x.Level != "" && len(levels) == 0 {
			l.failAt(x.Pos, where, "unknown level %q of %s; expected one of: %s", x.Level, t.ID, levelNames(t))
		}
		known := x.Variant == ""
		for _, v := range levels {
			known = known || v.Variant == x.Variant
		}
		if !known {
			l.failAt(x.Pos, where, "variant=%q is not a variant of the level %q", x.Variant, x.Level)
		}
		for _, k := range x.Leads {
			if k.To != "" && len(t.Level(k.To)) == 0 {
				l.failAt(k.Pos, where+"/link", "to=%q is not a level of %s; expected one of: %s", k.To, t.ID, levelNames(t))
			}
		}
	}
}

// maxExample bounds the page of an example, in bytes.
const maxExample = 64 << 20

// Read reads the page of the example.
func (x *Example) Read() ([]byte, error) { return x.read(x.Page) }

// Beside reads a file that lies beside the page.
func (x *Example) Beside(name string) ([]byte, error) {
	return x.read(path.Join(path.Dir(x.Page), path.Base(name)))
}

func (x *Example) read(page string) ([]byte, error) {
	if x.pages != nil {
		dir := path.Dir(x.Pos.File)
		data, err := fs.ReadFile(x.pages, path.Join(dir, page))
		if errors.Is(err, fs.ErrNotExist) {
			data, err = fs.ReadFile(x.pages, path.Join(path.Dir(dir), page))
		}
		return data, err
	}
	name := filepath.FromSlash(page)
	if filepath.IsAbs(name) {
		return readPage(name)
	}
	dir := filepath.Dir(x.Pos.File)
	if target, err := filepath.EvalSymlinks(x.Pos.File); err == nil {
		dir = filepath.Dir(target) // examples lie beside the file that a link names
	}
	data, err := readPage(filepath.Join(dir, name))
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	if above, err := readPage(filepath.Join(dir, "..", name)); err == nil {
		return above, nil
	}
	return nil, err // names the likelier place
}

func readPage(name string) ([]byte, error) { return infile.Read(name, maxExample) }

// Holds reports whether a field's value is the one that the example states.
func (v *FieldValue) Holds(value string) bool {
	want, got := strings.Join(strings.Fields(v.Value), " "), strings.Join(strings.Fields(value), " ")
	if begin, cut := strings.CutSuffix(want, "…"); cut {
		return strings.HasPrefix(got, strings.TrimSpace(begin))
	}
	return got == want
}
