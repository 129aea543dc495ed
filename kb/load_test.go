package kb_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

const (
	open  = `<kb xmlns="urn:awarc:kb:1"><category id="c">`
	close = `</category></kb>`
	typ   = open + `<type id="t"><detect><pattern>p</pattern></detect>`
	level = typ + `<level id="l" kind="terminal"><detect><pattern>p</pattern></detect>`
	end   = `</level></type>` + close
)

func load(t testing.TB, sources ...string) *kb.Base {
	t.Helper()
	base, err := kb.Load(named(sources)...)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// named calls the sources a.xml, b.xml and so on.
func named(sources []string) []kb.Source {
	var all []kb.Source
	for i, s := range sources {
		all = append(all, kb.Source{Name: string(rune('a'+i)) + ".xml", Data: []byte(s)})
	}
	return all
}

// TestErrors: what is wrong is said with its place and what was expected.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"empty file", "", "a.xml:1:1: empty; expected a <kb> element"},
		{"only a comment", "<!-- kb -->", "a.xml:1:1: empty"},
		{"binary file", "\x89PNG\r\n\x1a\n\x00\x00", "a.xml:1:1: not well-formed XML: the byte 0x89 is not UTF-8; save the file as UTF-8"},
		{"UTF-16", "\xff\xfe<\x00k\x00b\x00", "a.xml:1:.*not well-formed XML"},
		{"another encoding", `<?xml version="1.0" encoding="latin1"?><kb/>`, "a.xml:1:40: the root element is <kb"},
		{"truncated file", "<kb xmlns=\"urn:awarc:kb:1\">\n<category id=\"c\"", "a.xml:2:17: not well-formed XML: unexpected EOF"},
		{"truncated between elements", "<kb xmlns=\"urn:awarc:kb:1\">\n<category id=\"c\">",
			"a.xml:2:18: not well-formed XML: unexpected EOF"},
		{"crossed tags", "<kb>\n<a></b>", "a.xml:2:8: not well-formed XML: element <a> closed by </b>"},
		{"an unknown entity", "<kb>&nbsp;</kb>", "a.xml:1:.*not well-formed XML: invalid character entity"},
		{"two roots", "<kb xmlns=\"urn:awarc:kb:1\"/>\n<kb/>", "a.xml:2:1: not well-formed XML: a second root element <kb>"},
		{"text after the root", "<kb xmlns=\"urn:awarc:kb:1\"/>\nmore", "a.xml:1:29: not well-formed XML: text outside"},
		{"an attribute twice", `<kb xmlns="urn:awarc:kb:1" xmlns="x"/>`,
			"a.xml:1:1: not well-formed XML: <kb> has the attribute xmlns twice"},
		{"nested without end", strings.Repeat("<a>", 300), "a.xml:1:769: elements are nested more than 256 deep"},
		{"wrong root", `<html/>`, `a.xml:1:1: <html>: the root element is <html xmlns="">; expected <kb xmlns="urn:awarc:kb:1">`},
		{"wrong namespace", `<kb xmlns="urn:awarc:kb:2"/>`, `a.xml:1:1: .*expected <kb xmlns="urn:awarc:kb:1">`},
		{"unknown element", open + "\n  <typ/>" + close,
			`a.xml:2:3: <category\[c\]/typ>: unexpected in <category>; expected one of: detect, type`},
		{"element of another namespace", open + `<x:type id="t"/>` + close, `a.xml:1:45: .*unexpected in <category>`},
		{"unknown attribute", open + `<type id="t" nam="x"/>` + close,
			`a.xml:1:45: <category\[c\]/type\[t\]>: unknown attribute nam; expected one of: id, name, site`},
		{"stray text", open + "\nwords" + close, `a.xml:1:28: .*has the text "words"; expected only elements: detect, type`},
		{"stray text after an element", typ + `</type>words` + close, `has the text "words"`},
		{"no id", open + `<type/>` + close, `id=""; expected lower-case letters`},
		{"bad id", open + `<type id="PhpBB"/>` + close, `id="PhpBB"; expected lower-case letters`},
		{"bad rank", `<kb xmlns="urn:awarc:kb:1"><category id="c" rank="0"/></kb>`, `rank="0"; expected a whole number from 1 to 100`},
		{"a strong category pattern", open + `<detect><pattern>p</pattern></detect>` + close,
			`a.xml:1:53: <category\[c\]/detect/pattern>: .*must be weak="yes"`},
		{"bad flag", open + `<type id="t"><detect><pattern weak="1">p</pattern></detect></type>` + close, `weak="1"; expected yes or no`},
		{"bad pattern", open + `<type id="t"><detect><pattern>div[@id=']</pattern></detect></type>` + close,
			`a.xml:1:66: <category\[c\]/type\[t\]/detect/pattern>: xpath: "div\[@id='\]": at byte \d+: want`},
		{"full XPath is no pattern", open + `<type id="t"><detect><pattern>ancestor::p</pattern></detect></type>` + close,
			`at byte 8: want`},
		{"no pattern", open + `<type id="t"/>` + close, `type\[t\]>: has no pattern of its own; expected <detect>, or site=`},
		{"a site with a scheme", open + `<type id="t" site="http://h/"/>` + close, `site="http://h/"; expected host/path without a scheme`},
		{"a type twice", typ + "</type>\n" + `<type id="t"/>` + close,
			`a.xml:2:1: .*the type t is declared twice; the first is at a.xml:1:45`},
		{"a level twice", level + `</level><level id="l" kind="terminal"><detect><pattern>p</pattern></detect>` + end,
			`the level l is declared twice; the first is at a.xml:1:95; give variants`},
		{"bad kind", typ + `<level id="l" kind="leaf"><detect><pattern>p</pattern></detect>` + end,
			`kind="leaf"; expected intermediate or terminal`},
		{"a level without patterns", typ + `<level id="l" kind="terminal">` + end,
			`level\[l\]>: has no pattern; expected <detect><pattern>`},
		{"objects on an intermediate level", typ +
			`<level id="l" kind="intermediate"><detect><pattern>p</pattern></detect><object class="sioc:Post" id="{url}"/>` + end,
			`an intermediate level has objects; expected kind="terminal"`},
		{"follow to an unknown level", level + `<follow to="topic">a</follow>` + end,
			`a.xml:1:162: <type\[t\]/level\[l\]/follow>: to="topic" is not a level of t; expected one of: l`},
		{"follow to a level of another type", level + `<follow to="other/topic">a</follow>` + end,
			`to="other/topic" is not a level of t; expected one of: l; it cannot name a level of another type: name`},
		{"follow to nothing", level + `<follow>a</follow>` + end, `has no to="..."`},
		{"an empty expression", level + `<follow to="l"> </follow>` + end, `an expression is empty; expected an XPath`},
		{"bad XPath", level + `<follow to="l">a[</follow>` + end,
			`a.xml:1:162: .*not an XPath 1.0 expression: xpath: "a\[": at byte 2: want a path`},
		{"a huge XPath", level + `<follow to="l">` + strings.Repeat("(", 20000) + `</follow>` + end,
			`at byte 16384: want at most 16384 bytes`},
		{"text beside tries", level + `<follow to="l">a<try>b</try></follow>` + end, `holds both text and <try> elements`},
		{"text behind tries", level + `<follow to="l"><try>b</try>a</follow>` + end, `holds both text and <try> elements`},
		{"bad class", level + `<object class="Post" id="{url}"/>` + end, `class="Post"; expected a prefixed RDF class such as sioc:Post`},
		{"missing at", level + `<object class="sioc:Thread" id="{url}"><object class="sioc:Post" id="x"/></object>` + end,
			`has no at="..."; expected the expression that selects its nodes`},
		{"no object id", level + `<object class="sioc:Post"/>` + end, `id: an id template is empty; expected for example`},
		{"an open brace", level + `<object class="sioc:Post" id="a{b"/>` + end, `id: a \{ without \} in "a\{b"`},
		{"a bad regexp in an id", level + `<object class="sioc:Post" id="{@id ~ (}"/>` + end, `missing closing \)`},
		{"ids in two places", level + `<object class="sioc:Post" id="a"><id>b</id></object>` + end, `has both id="..." and <id> elements`},
		{"bad rel", level + `<object class="sioc:Post" id="a" rel="child"/>` + end, `rel="child"; expected has_container or reply_of`},
		{"bad field name", level + `<object class="sioc:Post" id="a"><field>p</field></object>` + end,
			`name=""; expected the local name of an RDF property`},
		{"a field twice", level + `<object class="sioc:Post" id="a"><field name="title">p</field><field name="title">q</field></object>` +
			end, `the field title is declared twice; the first is at a.xml:1:195`},
		{"bad as", level + `<object class="sioc:Post" id="a"><field name="title" as="xml">p</field></object>` + end,
			`as="xml"; expected text, html, date, url or number`},
		{"bad order", level + `<object class="sioc:Post" id="a"><field name="created" as="date" order="dym">p</field></object>` + end,
			`order="dym"; expected dmy, mdy or ymd`},
		{"idle order", level + `<object class="sioc:Post" id="a"><field name="title" order="dmy">p</field></object>` + end,
			`order has no effect on as="text"`},
		{"idle match", level + `<object class="sioc:Post" id="a"><field name="title" as="html" match="x">p</field></object>` + end,
			`match has no effect on as="html"`},
		{"idle until", level + `<object class="sioc:Post" id="a"><field name="title" until="x">p</field></object>` + end,
			`until and <without> have no effect on as="text"`},
		{"bad match", level + `<object class="sioc:Post" id="a"><field name="title" match="(">p</field></object>` + end,
			`match: error parsing regexp: missing closing \)`},
		{"bad unless", level + `<object class="sioc:Post" id="a"><field name="title" unless="[">p</field></object>` + end,
			`not an XPath 1.0 expression: xpath: "\[": at byte 0: want`},
		{"bad without", level + `<object class="sioc:Post" id="a"><field name="title" as="html">p<without>[</without></field></object>` +
			end, `without>: not an XPath`},
		{"total of nothing", level + `<object class="sioc:Post" id="a"><total>p</total></object>` + end,
			`of=""; expected the class that is counted`},
		{"a parameter without a name", typ + `<urls><drop/></urls></type>` + close, `param=""; expected the name of a query parameter`},
		{"prefer without a form", typ + `<urls><prefer><from>a</from></prefer></urls></type>` + close,
			`has no url="..."; expected the preferred form`},
		{"an empty form", typ + `<urls><prefer url="a"><from/></prefer></urls></type>` + close, `is empty; expected a URL form`},
		{"a form with a part that nothing binds", typ +
			`<urls><prefer url="archives/{*}.html"><from>a/{*}.html</from></prefer></urls></type>` +
			close, `has \{\*\}, which <from>a/\{\*\}.html</from> does not bind`},
		{"a form with a name that one form does not bind", typ +
			`<urls><prefer url="a?t={t}"><from>b-{t}</from><from>c-{u}</from></prefer>` +
			`</urls></type>` + close, `has \{t\}, which <from>c-\{u\}</from> does not bind`},
		{"prefer without other forms", typ + `<urls><prefer url="a?t={t}"/></urls></type>` + close, `has no <from>`},
		{"paging without a number", typ + `<urls><paging path="/page"/></urls></type>` + close, `has no number`},
		{"an address of an unknown level", typ +
			`<urls><address level="nothing">a?t={t}</address></urls><level id="topic"/></type>` + close,
			`unknown level "nothing" of`},
		{"a form that is rewritten again", typ + `<urls><prefer url="a?t={t}"><from>b-{t}</from></prefer><prefer url="c?t={t}"><from>` +
			`a?t={t}</from></prefer></urls></type>` + close, `url="a\?t=\{t\}" is rewritten again to c\?t=1`},
		{"an example without a page", typ + `<example/></type>` + close, `has no page="..."; expected the file of the page`},
		{"an example of no level", typ + `<example page="p" level="x"/></type>` + close, `unknown level "x" of t`},
	} {
		base, err := kb.Load(named([]string{c.source})...)
		var errs kb.Errors
		if base != nil || !errors.As(err, &errs) {
			t.Errorf("%s: got %v, %v; want no base and Errors", c.name, base, err)
			continue
		}
		if ok, reErr := regexp.MatchString("(?m)"+c.want, err.Error()); !ok {
			t.Errorf("%s:\n got %v\nwant %s (%v)", c.name, err, c.want, reErr)
		}
		for _, e := range errs {
			if e.Pos.File != "a.xml" || e.Pos.Line == 0 || e.Pos.Column == 0 {
				t.Errorf("%s: no position: %v", c.name, e)
			}
		}
	}
}

// All errors of all sources come together, in their order, and there is no end
// to mistakes but one to their list.
func TestErrorsTogether(t *testing.T) {
	_, err := kb.Load(named([]string{level + `<follow to="x">a</follow>` + end, "<kb", typ + `<x/></type>` + close})...)
	var files []string
	var errs kb.Errors
	errors.As(err, &errs)
	for _, e := range errs {
		files = append(files, e.Pos.File)
	}
	if got := strings.Join(files, " "); got != "a.xml b.xml c.xml" {
		t.Errorf("errors in %s, want a.xml b.xml c.xml:\n%v", got, err)
	}
	_, err = kb.Load(named([]string{open + strings.Repeat("<x/>", 5000) + close})...)
	if errors.As(err, &errs); len(errs) != 1000 || !strings.HasSuffix(err.Error(), "\nand 990 more") || strings.Count(err.Error(), "\n") !=
		10 {
		t.Errorf("%d errors: %v", len(errs), err)
	}
}

func TestInheritance(t *testing.T) {
	base := load(t,
		`<?xml version="1.0"?><!-- c --><kb xmlns="urn:awarc:kb:1"><category id="c" name="C" rank="3"><detect>
		<pattern weak="yes">cat</pattern>
		</detect>
	<type id="t" name="T"><detect><pattern>t1</pattern><pattern weak="yes">t2<!-- c --></pattern></detect><urls><drop param="sid"/></urls>
		<level id="topic" kind="terminal"><detect><pattern>tt</pattern></detect></level>
		<level id="index" kind="intermediate"><detect><pattern>ti</pattern></detect><follow to="topic">a</follow></level>
		<type id="t.2"><detect><pattern>u1</pattern></detect><urls><drop param="x"/></urls>
			<level id="new" kind="terminal"><detect><pattern>un</pattern></detect><follow to="topic">a</follow></level>
			<level id="index" kind="intermediate"><detect><pattern>ui</pattern></detect></level>
			<type id="t.2.site" site="example.org/forum"/>
		</type></type></category></kb>`)
	show := func(id kb.TypeID) string {
		x := base.Type(id)
		var out []string
		for _, p := range x.Detect {
			out = append(out, p.Expr.String())
		}
		out = append(out, "|")
		for _, p := range x.Inherited {
			out = append(out, p.Expr.String())
		}
		out = append(out, "|")
		for _, v := range x.Levels {
			out = append(out, v.Name()+":"+v.Detect[0].Expr.String())
		}
		for _, d := range x.URLs.Drops {
			out = append(out, d.Param)
		}
		return strings.Join(out, " ")
	}
	for id, want := range map[kb.TypeID]string{
		"t":        "t1 t2 | cat | topic:tt index:ti sid",
		"t.2":      "u1 | cat t1 t2 | new:un topic:tt index:ui sid x",
		"t.2.site": "| cat t1 t2 u1 | new:un topic:tt index:ui sid x",
	} {
		if got := show(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
		if x := base.Type(id); x.Rank != 3 || x.Category != "c" {
			t.Errorf("%s: rank %d, category %s", id, x.Rank, x.Category)
		}
	}
	if base.Type("t.2.site").Parent.Parent != base.Type("t") || base.Type("t").Name != "T" || base.Type("none") != nil || len(base.IDs()) !=
		3 {
		t.Error("types are not linked as they were written")
	}
}

// A later source adds types, patterns and rules, and replaces levels by id and
// variant where they stand.
// TestInvalidPatternIsReportedOnce: an invalid pattern is not reported as a missing one too.
func TestInvalidPatternIsReportedOnce(t *testing.T) {
	const invalid = `<kb xmlns="urn:awarc:kb:1"><category id="c"><type id="t"><detect><pattern>ancestor::p</pattern></detect>` +
		`<level id="l" kind="terminal"><detect><pattern>h1[</pattern></detect></level></type></category></kb>`
	_, err := kb.Load(named([]string{invalid})...)
	if err == nil || strings.Contains(err.Error(), "has no pattern") || strings.Count(err.Error(), "want") != 2 {
		t.Errorf("two invalid patterns: %v", err)
	}
}

func TestLaterSource(t *testing.T) {
	lv := func(id, variant, pattern string) string {
		return `<level id="` + id + `" variant="` + variant + `" kind="terminal"><detect><pattern>` + pattern +
			`</pattern></detect></level>`
	}
	base := load(t, typ+lv("a", "", "old")+lv("a", "v", "old")+lv("b", "", "old")+`</type>`+close,
		open+`<type id="t" name="New"><detect><pattern>q</pattern></detect>`+lv("a", "v", "new")+lv("a", "w", "new")+lv("c", "", "new")+
			`</type><type id="u"><detect><pattern>u</pattern></detect></type>`+close)
	var got []string
	for _, v := range base.Type("t").Levels {
		got = append(got, v.Name()+":"+v.Detect[0].Expr.String())
	}
	if s := strings.Join(got, " "); s != "a(w):new c:new a:old a(v):new b:old" {
		t.Errorf("levels %s", s)
	}
	if x := base.Type("t"); x.Name != "New" || len(x.Detect) != 2 || len(x.Level("a")) != 3 || base.Type("u") == nil {
		t.Errorf("type %+v", x)
	}
	_, err := kb.Load(named([]string{typ + `</type>` + close, strings.ReplaceAll(typ+`</type>`+close, `"c"`, `"d"`)})...)
	if err == nil || !strings.Contains(err.Error(),
		"b.xml:1:45: <category[d]/type[t]>: the type t exists at a.xml:1:45 with another parent") {
		t.Errorf("another category: %v", err)
	}
}

func TestHash(t *testing.T) {
	a, b := typ+`</type>`+close, open+close
	hash := load(t, a, b).Hash
	if hash != load(t, a, b).Hash || !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(hash) {
		t.Errorf("hash %s is not that of the same sources", hash)
	}
	for name, other := range map[string]*kb.Base{"order": load(t, b, a), "content": load(t, a, b+" "), "fewer": load(t, a)} {
		if other.Hash == hash {
			t.Errorf("%s: the hash is the same", name)
		}
	}
}

func TestReadSources(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"b.xml": "B", "a.xml": "A", "sub/c.xml": "C", "notes.txt": "no", ".hidden.xml": "no"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := kb.ReadSources(dir, filepath.Join(dir, "notes.txt"))
	var got []string
	for _, s := range sources {
		rel, _ := filepath.Rel(dir, s.Name)
		got = append(got, filepath.ToSlash(rel)+"="+string(s.Data))
	}
	if want := "a.xml=A b.xml=B sub/c.xml=C notes.txt=no"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
	if _, err := kb.ReadSources(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no .xml file") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := kb.ReadSources(filepath.Join(dir, "none.xml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzLoad: no source makes Load or Lint panic; Load gives either a base or errors that
// say where.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(level + `<follow to="l"><try match="x">a[1]</try></follow><object class="sioc:Post" id="{url}#{@id ~ \d+}"><field ` +
		`name="title">.//p | q</field></object>` + end))
	f.Add([]byte(typ + `<urls><drop param="a*" with="b"/><paging path="/page/{n}/"/><prefer url="t?{a}"><from>{*}-{a}</from></prefer>` +
		`</urls></type>` + close))
	f.Add([]byte("\ufeff<kb/><!DOCTYPE x [<!ENTITY y 'z'>]>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		base, err := kb.Load(kb.Source{Name: "f.xml", Data: data})
		if err == nil {
			if base == nil || base.Hash == "" {
				t.Fatal("neither a base nor an error")
			}
			kb.Lint(base)
			return
		}
		var errs kb.Errors
		if !errors.As(err, &errs) || base != nil || len(errs) == 0 {
			t.Fatalf("got %v and %v", base, err)
		}
		for _, e := range errs {
			if e.Pos.Line == 0 || e.Pos.File == "" || e.Msg == "" {
				t.Errorf("no position: %v", e)
			}
		}
	})
}

// TestWithout takes types out, with what inherits from them.
func TestWithout(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	out := base.Types[0]
	for _, x := range base.Types {
		if x.Parent != nil {
			out = x.Parent
		}
	}
	less, err := base.Without(out.ID)
	if err != nil {
		t.Fatal(err)
	}
	if less.Type(out.ID) != nil || less.Hash == base.Hash || len(less.Types) >= len(base.Types) || base.Type(out.ID) == nil {
		t.Errorf("%s is still there, or gone from the base that it was taken from: %d of %d types", out.ID, len(less.Types),
			len(base.Types))
	}
	for _, x := range less.Types {
		if x.Parent != nil && less.Type(x.Parent.ID) == nil {
			t.Errorf("%s inherits from %s, which is gone", x.ID, x.Parent.ID)
		}
	}
	if _, err := base.Without("nosuch"); err == nil {
		t.Error("a type that does not exist was taken out")
	}
}
