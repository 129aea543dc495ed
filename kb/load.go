package kb

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/infile"
	"github.com/beevik/etree"
)

// Namespace is the XML namespace of a knowledge base.
const Namespace = "urn:awarc:kb:1"

// maxSource bounds one source; a larger file is not a knowledge base.
const maxSource = 64 << 20

// largeSources is the size of sources, in bytes, from which on loading collects garbage whenever
// the memory in use has grown by largeGC percent, earlier than Go does. It is twice the size of the
// built-in sources.
const (
	largeSources = 1 << 20
	largeGC      = 25
)

// collecting serialises changes of the collector's setting: of two loads at once, the second would
// restore the setting of the first.
var collecting sync.Mutex

// Source is one XML document of a knowledge base.
type Source struct {
	Name string // as errors show it
	Data []byte
	// Pages holds the pages of its examples, under names from the same root as
	// Name; nil: they are files of the machine.
	Pages fs.FS
}

// Error is one thing wrong with a source.
type Error struct {
	Pos     Position
	Element string // path of the element, such as type[phpbb]/level[topic]/follow
	Msg     string // what was found and what was expected
}

// Error gives "file:line:column: element: message".
func (e *Error) Error() string {
	if e.Element == "" {
		return fmt.Sprintf("%s: %s", e.Pos, e.Msg)
	}
	return fmt.Sprintf("%s: <%s>: %s", e.Pos, e.Element, e.Msg)
}

// Errors are the things wrong with a knowledge base, in the order of the files,
// a thousand at most.
type Errors []*Error

const maxErrors = 1000

// Error gives one line for each error, ten at most.
func (e Errors) Error() string {
	const most = 10
	var lines []string
	for i, one := range e {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(e)-most))
			break
		}
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// ReadSources reads the XML files that paths name: a file as it is, of a folder
// all *.xml below it, in the order of their names. A path without any XML file
// is an error.
func ReadSources(paths ...string) ([]Source, error) {
	var sources []Source
	for _, p := range paths {
		files := []string{p}
		info, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("knowledge base %s: %w", p, err)
		}
		if info.IsDir() {
			if files, err = xmlFiles(os.DirFS(p), p); err != nil {
				return nil, fmt.Errorf("knowledge base %s: %w", p, err)
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("knowledge base %s: the folder has no .xml file", p)
			}
		}
		for _, f := range files {
			data, err := readBounded(f)
			if err != nil {
				return nil, fmt.Errorf("knowledge base %s: %w", f, err)
			}
			sources = append(sources, Source{Name: f, Data: data})
		}
	}
	return sources, nil
}

func xmlFiles(dir fs.FS, root string) ([]string, error) {
	var files []string
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".xml") && !strings.HasPrefix(d.Name(), ".") {
			files = append(files, filepath.Join(root, p))
		}
		return err
	})
	sort.Strings(files)
	return files, err
}

func readBounded(file string) ([]byte, error) { return infile.Read(file, maxSource) }

// Load builds a Base from sources. The error is of type [Errors] and lists all
// that is wrong; no Base is returned with it. The built-in sources alone are read
// once in a process, since a Base is never changed and crawls may share one.
func Load(sources ...Source) (*Base, error) {
	if slices.EqualFunc(sources, Builtin(), sameSource) {
		return builtinBase()
	}
	return load(sources)
}

var builtinBase = sync.OnceValues(func() (*Base, error) { return load(Builtin()) })

func sameSource(a, b Source) bool {
	return a.Name == b.Name && bytes.Equal(a.Data, b.Data)
}

func load(sources []Source) (*Base, error) {
	size := 0
	for _, s := range sources {
		size += len(s.Data)
	}
	if size > largeSources {
		collecting.Lock()
		defer collecting.Unlock()
		defer debug.SetGCPercent(debug.SetGCPercent(largeGC))
	}
	l := newLoader()
	l.forgets = true
	parsed := make(chan parsedSource, 1) // a second processor parses the next source
	go func() {
		defer close(parsed)
		for _, s := range sources {
			parsed <- parse(s)
		}
	}()
	for d := range parsed {
		l.source(d)
	}
	l.positions = nil
	l.resolve()
	if len(l.errs) > 0 {
		l.sortErrors(sources)
		return nil, l.errs
	}
	l.base.Hash = Hash(sources...)
	return l.base, nil
}

// Hash identifies the content of sources, as in the [Base] that they make, without loading them.
func Hash(sources ...Source) string {
	hash := sha256.New()
	for _, s := range sources {
		fmt.Fprintf(hash, "%d\n", len(s.Data))
		hash.Write(s.Data)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}

func newLoader() *loader {
	return &loader{base: &Base{byID: map[TypeID]*Type{}}, categories: map[CategoryID]*category{}, exprs: map[string]*Expr{}}
}

// category is what a <category> element gives to the types in it.
type category struct {
	id     CategoryID
	rank   int
	detect []Pattern
}

type loader struct {
	base       *Base
	categories map[CategoryID]*category
	overlays   []*Entry // of <learned> blocks
	errs       Errors

	file      string
	pages     fs.FS
	positions map[*etree.Element]Position
	inFile    map[TypeID]Position // types that the current source declares
	exprs     map[string]*Expr    // by source: a third of the built-in ones are written more than once
	forgets   bool                // elements are removed once they are read
}

// forget removes what is in an element that was read, and the positions: the elements of a source
// take ten times its size.
func (l *loader) forget(e *etree.Element) {
	if !l.forgets {
		return
	}
	for _, c := range e.ChildElements() {
		l.forget(c)
		delete(l.positions, c)
	}
	e.Child = nil
}

// fail records an error at an element.
func (l *loader) fail(e *etree.Element, format string, args ...any) {
	l.failAt(l.positions[e], elementPath(e), format, args...)
}

func (l *loader) failAt(pos Position, element, format string, args ...any) {
	if len(l.errs) < maxErrors {
		l.errs = append(l.errs, &Error{Pos: pos, Element: element, Msg: fmt.Sprintf(format, args...)})
	}
}

// failedIn reports whether an element whose path has this part was invalid: that a pattern is missing
// is not reported beside the reason.
func (l *loader) failedIn(part string) bool {
	return slices.ContainsFunc(l.errs, func(e *Error) bool { return strings.Contains("/"+e.Element+"/", part+"/") })
}

// sortErrors puts errors in the order of the sources: what spans elements is
// only found when all are read.
func (l *loader) sortErrors(sources []Source) {
	place := map[string]int{}
	for i, s := range sources {
		place[s.Name] = i
	}
	slices.SortStableFunc(l.errs, func(a, b *Error) int {
		return cmp.Or(place[a.Pos.File]-place[b.Pos.File], a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column)
	})
}

// elementPath names an element and those around it: type[phpbb]/level[topic].
func elementPath(e *etree.Element) string {
	var parts []string
	for ; e != nil && e.Tag != "" && e.Tag != "kb"; e = e.Parent() {
		name := e.Tag
		for _, key := range []string{"id", "name", "class"} {
			if v := e.SelectAttrValue(key, ""); v != "" {
				name += "[" + v + "]"
				break
			}
		}
		parts = append([]string{name}, parts...)
	}
	return strings.Join(parts, "/")
}

// parsedSource is a source as XML, with the position of each start tag in document order; or what is wrong with it.
type parsedSource struct {
	Source
	root   *etree.Element
	starts []Position
	err    *Error
}

func parse(s Source) parsedSource {
	text, _, err := decode(s)
	if err != nil {
		return parsedSource{Source: s, err: err}
	}
	starts, err := startPositions(s.Name, text)
	if err != nil {
		return parsedSource{Source: s, err: err}
	}
	wrong := &Error{Pos: Position{File: s.Name, Line: 1, Column: 1}}
	doc := etree.NewDocument()
	doc.ReadSettings.CharsetReader = anyCharset
	if err := doc.ReadFromBytes(text); err != nil {
		wrong.Msg = fmt.Sprintf("not well-formed XML: %v", err)
		return parsedSource{Source: s, err: wrong}
	}
	if doc.Root() == nil {
		wrong.Msg = "empty; expected a <kb> element"
		return parsedSource{Source: s, err: wrong}
	}
	return parsedSource{Source: s, root: doc.Root(), starts: starts}
}

// source reads one source and returns its root element, nil where it has none.
func (l *loader) source(d parsedSource) *etree.Element {
	l.file, l.pages, l.positions, l.inFile = d.Name, d.Pages, map[*etree.Element]Position{}, map[TypeID]Position{}
	if d.err != nil {
		l.errs = append(l.errs, d.err)
		return nil
	}
	root := d.root
	l.number(root, d.starts)
	if root.Tag != "kb" || root.SelectAttrValue("xmlns", "") != Namespace {
		l.fail(root, "the root element is <%s xmlns=%q>; expected <kb xmlns=%q>", root.Tag, root.SelectAttrValue("xmlns", ""), Namespace)
		return nil
	}
	l.allow(root, []string{"xmlns"}, []string{"category", "service"})
	for _, c := range root.SelectElements("category") {
		l.category(c)
	}
	for _, s := range root.SelectElements("service") {
		l.service(s)
	}
	return root
}

// number gives an element and all below it their positions, and returns the
// positions that are left.
func (l *loader) number(e *etree.Element, starts []Position) []Position {
	l.positions[e], starts = starts[0], starts[1:]
	for _, c := range e.ChildElements() {
		starts = l.number(c, starts)
	}
	return starts
}

// startPositions gives where each start tag of a source stands, in document
// order. etree does not keep positions, so a second pass of the tokenizer does.
func startPositions(file string, text []byte) ([]Position, *Error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = anyCharset
	out := make([]Position, 0, bytes.Count(text, []byte("</"))+bytes.Count(text, []byte("/>")))
	for depth := 0; ; {
		line, col := d.InputPos()
		fail := func(format string, args ...any) ([]Position, *Error) {
			return nil, &Error{Pos: Position{File: file, Line: line, Column: col}, Msg: fmt.Sprintf(format, args...)}
		}
		tok, err := d.Token()
		var syntax *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case errors.As(err, &syntax):
			line, col = d.InputPos()
			return fail("not well-formed XML: %s", syntax.Msg)
		case err != nil:
			return fail("not well-formed XML: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if depth == 0 && len(out) > 0 {
				return fail("not well-formed XML: a second root element <%s>", tok.Name.Local)
			}
			if name := repeatedName(tok.Attr); name != "" {
				return fail("not well-formed XML: <%s> has the attribute %s twice", tok.Name.Local, name)
			}
			if depth++; depth > 256 {
				return fail("elements are nested more than 256 deep")
			}
			out = append(out, Position{File: file, Line: line, Column: col})
		case xml.EndElement:
			depth--
		case xml.CharData:
			if text := bytes.TrimSpace(tok); depth == 0 && len(text) > 0 {
				return fail("not well-formed XML: text outside the root element")
			}
		}
	}
}

// repeatedName gives the name that two attributes share; "" where none do.
func repeatedName(attrs []xml.Attr) string {
	seen := map[xml.Name]bool{}
	for _, a := range attrs {
		if seen[a.Name] {
			return a.Name.Local
		}
		seen[a.Name] = true
	}
	return ""
}

// allow reports attributes and children that the element may not have, and
// text where none is expected.
func (l *loader) allow(e *etree.Element, attrs, children []string) {
	for _, a := range e.Attr {
		if !contains(attrs, a.Key) || a.Space != "" {
			l.fail(e, "unknown attribute %s; expected one of: %s", a.FullKey(), list(attrs))
		}
	}
	for _, c := range e.ChildElements() {
		if !contains(children, c.Tag) || c.Space != "" {
			l.fail(c, "unexpected in <%s>; expected one of: %s", e.Tag, list(children))
		}
	}
	if len(children) > 0 && !contains(children, "try") {
		if t := textOf(e); t != "" {
			l.fail(e, "has the text %.40q; expected only elements: %s", t, list(children))
		}
	}
}

// noText reports text in an element that says everything in attributes.
func (l *loader) noText(e *etree.Element) {
	if t := textOf(e); t != "" {
		l.fail(e, "has the text %.40q; expected only attributes", t)
	}
}

// textOf is the text in an element, before, between and after its children.
func textOf(e *etree.Element) string {
	var b strings.Builder
	for _, c := range e.Child {
		if t, ok := c.(*etree.CharData); ok {
			b.WriteString(t.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func list(names []string) string {
	if len(names) == 0 {
		return "(none)"
	}
	return strings.Join(names, ", ")
}
