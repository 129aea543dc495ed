package graph

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
)

// rfc3987 is the grammar of an IRI as RFC 3987 has it, rule by rule, and without private characters in queries.
var rfc3987 = func() *regexp.Regexp {
	const (
		ucschar = `\x{A0}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFEF}\x{10000}-\x{1FFFD}\x{20000}-\x{2FFFD}\x{30000}-\x{3FFFD}` +
			`\x{40000}-\x{4FFFD}\x{50000}-\x{5FFFD}\x{60000}-\x{6FFFD}\x{70000}-\x{7FFFD}\x{80000}-\x{8FFFD}\x{90000}-\x{9FFFD}` +
			`\x{A0000}-\x{AFFFD}\x{B0000}-\x{BFFFD}\x{C0000}-\x{CFFFD}\x{D0000}-\x{DFFFD}\x{E1000}-\x{EFFFD}`
		char      = `A-Za-z0-9\-._~` + ucschar + `!$&'()*+,;=` // iunreserved, sub-delims
		encoded   = `%[0-9A-Fa-f]{2}`
		userinfo  = `([` + char + `:]|` + encoded + `)*`
		name      = `([` + char + `]|` + encoded + `)*`
		h16       = `[0-9A-Fa-f]{1,4}`
		octet     = `([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])`
		ls32      = `(` + h16 + `:` + h16 + `|` + octet + `(\.` + octet + `){3})`
		future    = `v[0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+`
		pchar     = `([` + char + `:@]|` + encoded + `)`
		segments  = `(/` + pchar + `*)*`
		authority = `//(` + userinfo + `@)?(\[(IPV6|` + future + `)\]|` + name + `)(:[0-9]*)?`
		hierPart  = `(` + authority + segments + `|/(` + pchar + `+` + segments + `)?|` + pchar + `+` + segments + `|)`
		queryPart = `([` + char + `:@/?]|` + encoded + `)*`
	)
	var v6 []string // the nine forms of IPv6address
	v6 = append(v6, `(`+h16+`:){6}`+ls32)
	for left := range 6 {
		v6 = append(v6, fmt.Sprintf(`((%s:){0,%d}%s)?::(%s:){%d}%s`, h16, max(left-1, 0), h16, h16, 5-left, ls32))
	}
	v6 = append(v6, `((`+h16+`:){0,5}`+h16+`)?::`+h16, `((`+h16+`:){0,6}`+h16+`)?::`)
	return regexp.MustCompile(`^(?i:[a-z][a-z0-9+.\-]*:` + strings.Replace(hierPart, "IPV6", strings.Join(v6, "|"), 1) +
		`(\?` + queryPart + `)?(#` + queryPart + `)?)$`)
}()

// unseen are characters of the grammar that are no characters of an IRI: RFC 3987 forbids those that turn the direction, and nobody sees
// spaces.
const unseen = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e" +
	"\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// wellFormedTerm checks what a graph says against the grammars.
func wellFormedTerm(t *testing.T, v quad.Value) {
	t.Helper()
	switch v := v.(type) {
	case quad.IRI:
		if !rfc3987.MatchString(string(v)) || strings.ContainsAny(string(v), unseen) {
			t.Errorf("not an IRI of RFC 3987: %q", v)
		}
	case quad.TypedString:
		wellFormedTerm(t, v.Type)
	case quad.LangString:
		if !regexp.MustCompile(`^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$`).MatchString(v.Lang) {
			t.Errorf("not a language tag: %q", v.Lang)
		}
	case quad.BNode, nil:
		t.Errorf("%T: %v", v, v)
	}
}

func TestIRI(t *testing.T) {
	for address, want := range map[string]string{
		"http://e.example/?f[]=1":                      "http://e.example/?f%5B%5D=1",
		"http://e.example/%zz?%#%a":                    "http://e.example/%25zz?%25#%25a",
		"http://e.example/a b#c#d":                     "http://e.example/a%20b#c%23d",
		"http://e.example/\xff\u202e\ue000\U000e0001ü": "http://e.example/%FF%E2%80%AE%EE%80%80%F3%A0%80%81ü",
		"http://[::1]:80/[1]":                          "http://[::1]:80/%5B1%5D",
		"http://[fe80::1%25eth0]/":                     "http://%5Bfe80%3A%3A1%25eth0%5D/",
		"http://a@b@c:x/":                              "http://a%40b@c%3Ax/",
		"http://e.example/\u00a0\u3000\u2028":          "http://e.example/%C2%A0%E3%80%80%E2%80%A8",
		"HTTP://E.example:/":                           "HTTP://E.example:/",
		"urn:awarc:ns#a":                               "urn:awarc:ns#a",
		"javascript:alert('1')":                        "javascript:alert('1')",
		"_:b":                                          "",
		"/a":                                           "",
		"http:":                                        "",
		"http:///a":                                    "",
		"http://:80/":                                  "",
		"http://u@/":                                   "",
		"urn:x":                                        "",
		"urn:uuid:1":                                   "",
		"urn:ab:c?d":                                   "",
		"file:a":                                       "",
	} {
		if got := IRI(address); got != want {
			t.Errorf("IRI(%q) = %q, want %q", address, got, want)
		}
	}
}

func FuzzIRI(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("http://u:p@[1:2:3:4:5:6:7.8.9.10]:/%zz?[]%41#é#")
	f.Add("http://[v1.x]/")
	f.Fuzz(func(t *testing.T, s string) {
		got := IRI(s)
		if got == "" {
			if strings.HasPrefix(s, "http://e.") {
				t.Errorf("no IRI of %q", s)
			}
			return
		}
		wellFormedTerm(t, quad.IRI(got))
		if again := IRI(got); again != got {
			t.Errorf("IRI(%q) = %q, whose IRI is %q", s, got, again)
		}
		if rfc3987.MatchString(s) && !strings.ContainsAny(s, unseen) && got != s {
			t.Errorf("IRI(%q) = %q", s, got)
		}
	})
}

func TestTyped(t *testing.T) {
	for _, tc := range []struct {
		of         string
		good, poor string // separated by |
	}{
		{xsd + "integer", "1|-7|+007", "|a|1.0| 1"},
		{xsd + "nonNegativeInteger", "0|12", "-1"},
		{xsd + "positiveInteger", "010", "0"},
		{xsd + "byte", "-128", "128"},
		{xsd + "double", "1e5|INF|-INF|NaN|.5|5.", "+INF|e5|1e"},
		{xsd + "boolean", "true|0", "TRUE|yes"},
		{xsd + "date", "2026-02-28", "2026-02-30|0000-01-01"},
		{xsd + "dateTime", "2026-02-28T10:00:00Z", "2026-02-28T24:00:01Z|0000-01-01T00:00:00"},
		{xsd + "time", "10:00:00.5+14:00", "24:00:00|10:00:00+15:00"},
		{xsd + "gYear", "2026", "26|0000"},
		{xsd + "duration", "P1D|-PT5.5S|P1Y2M3DT4H5M6S", "P|PT|P1DT|1D"},
		{xsd + "hexBinary", "0aFF|", "0"},
		{xsd + "base64Binary", "YQ==", "Y|YQ=\n="},
		{xsd + "anyURI", "a b", ""},
		{xsd + "foo", "", "a"},
		{rdf + "langString", "", "a"},
		{rdf + "HTML", "<p>", ""},
		{"http://e.example/type", "anything", ""},
		{"no-iri", "", "a"},
	} {
		for _, s := range strings.Split(tc.good, "|") {
			if v, ok := typed(s, tc.of).(quad.TypedString); s != "" && (!ok || string(v.Type) != tc.of) {
				t.Errorf("typed(%q, %s) is plain", s, tc.of)
			}
		}
		for _, s := range strings.Split(tc.poor, "|") {
			if v, ok := typed(s, tc.of).(quad.TypedString); s != "" && ok {
				t.Errorf("typed(%q, %s) = %v", s, tc.of, v)
			}
		}
	}
}

func TestLanguageTag(t *testing.T) {
	for _, tag := range strings.Fields("de en-us zh-Hant-TW de-1996 sl-rozaj-biske qaa zh-yue x-private en-a-bb-x-c es-419 abcd abcdefgh") {
		if !languageTag.MatchString(tag) {
			t.Errorf("%s is none", tag)
		}
	}
	for _, tag := range strings.Fields("d abcdefghi de-a de- -de de_DE x de-x ab-abc-abd-abe-abf de-toolongsubtag 1a i-klingon") {
		if languageTag.MatchString(tag) {
			t.Errorf("%s is one", tag)
		}
	}
}

// hostile is what pages and plugins may say in the place of anything.
var hostile = []string{
	"a\"b\\c\nd\re\tf\x00\x01\x1f\x7f", "\xff\xfe", "\ufffe\U0001ffff\ufdd0", "\u202e\u0085\u2028", "<>{}|^`\\ ", "%zz", "%", "%a", "_:b0",
	"://", "//", "//[", "javascript:alert('1')", "http://[::1", "http://[::g]/", "http://a:b:c/", "ü\ue000\U000f0000\U000e0001",
	"?f[]=1", "http://e.example/?f[]=1#a#b", "http://e.example/%zz", "http://[fe80::1%eth0]/", "http:", "http:///", "http://:1/",
	"urn:", "urn:a:b", "urn:uuid:1", "file:x", "mailto:",
	"x:", "schema:", "#", "?", "de-a", "abcdefghi", "xsd:integer", "xsd:foo", "rdf:langString", "2026-02-30",
	"0000-01-01", "12:00", strings.Repeat("x", 1<<16),
}

// Second, third and fourth opinions on names, tags and literals, where they are installed.
func TestOthersReadHostileQuads(t *testing.T) {
	var all []byte
	for _, s := range hostile {
		c := Capture{ID: testID, URL: "http://e.example/" + s, Type: s, Crawl: s, Revises: s, WARCFile: s}
		b, err := Encode(c, []Object{{Class: "sioc:Post", ID: s, Parent: s, Rel: "reply_of", Fields: []Field{
			{Name: "content", Values: []string{s}}, {Name: "creator", Values: []string{s}}, {Name: "creator_url", Values: []string{s}},
			{Name: "x", Values: []string{s}, Kind: Link},
		}}})
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		all = append(all, b...)
		for _, other := range hostile {
			v := Value{Text: s, Datatype: other}
			found, err := EncodeFound(c, Addition{Page: 16 << 20, Plugin: Plugin{Name: s, Version: s, Hash: s}, Objects: []Found{{
				Class: s, ID: other, Fields: []FoundField{{Name: s, Value: v}, {Name: "x", Value: Value{Text: s, Lang: other}}}}}})
			if err != nil {
				t.Fatalf("%.60q: %.200v", s, err)
			}
			all = append(all, found.Quads...)
		}
	}
	file := filepath.Join(t.TempDir(), "hostile.nq")
	if err := os.WriteFile(file, all, 0o644); err != nil {
		t.Fatal(err)
	}
	const tools = "../../.cache/tools/"
	const jena, python = tools + "jena-fuseki-server-5.2.0.jar", tools + "pywb/bin/python"
	for _, reader := range []struct{ program, needs, from string }{
		{"rapper -q -i nquads -c " + file, "", "Debian package raptor2-utils"},
		{"java -cp " + jena + " riotcmd.riot --validate --strict " + file, jena, "make tools"},
		{python + " testdata/oxigraph.py " + file, python, "make tools"},
	} {
		args := strings.Fields(reader.program)
		name := filepath.Base(args[0])
		t.Run(name, func(t *testing.T) {
			_, err := exec.LookPath(args[0])
			if _, missing := os.Stat(reader.needs); err != nil || reader.needs != "" && missing != nil {
				t.Skipf("not installed (%s): its reading of the quads was not tested", reader.from)
			}
			out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
			if err != nil || len(bytes.TrimSpace(out)) > 0 {
				t.Errorf("%v\n%.4000s", err, out)
			}
		})
	}
}
