package quads

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cayleygraph/quad/nquads"
)

func TestLinesOfNQuads(t *testing.T) {
	for text, want := range map[string]string{
		`<http://a> <http://b> <http://c> .`:                                     `<http://a> <http://b> <http://c>`,
		`<http://a><http://b>"c"@EN-gb<http://g>.# comment`:                      `<http://a> <http://b> "c"@en-gb <http://g>`,
		"\t<http://a>  <http://b>\t\"1\"^^<http://x.y/x#int> _:g .  ":            `<http://a> <http://b> "1"^^<http://x.y/x#int> _:g`,
		`_:a.b <http://b> _:c.d.`:                                                `_:a.b <http://b> _:c.d`,
		`<http://a> <http://b> "c"^^<http://www.w3.org/2001/XMLSchema#string> .`: `<http://a> <http://b> "c"`,
		`<http://\u0061/\U0001F600> <http://b> "\t\n\"\'\\\u00e9" .`:             `<http://a/😀> <http://b> "` + "\t" + `\n\"'\\é"`,
		`<http://a/?f[]=1#b#c> <http://b#%zz> "1"^^<x:%é[> .`: `<http://a/?f%5B%5D=1#b%23c> <http://b#%25zz> ` +
			`"1"^^<x:%25é%5B>`,
		`# nothing`: ``,
		``:          ``,
	} {
		l := line{}
		ok, err := l.parse([]byte(text))
		if got := l.String(); err != nil || got != want || ok != (want != "") {
			t.Errorf("%s\n got %s (%v)\nwant %s", text, got, err, want)
		}
	}
}

func (l *line) String() string {
	var parts []string
	for _, term := range l.terms {
		if v, err := ParseTerm(term); err == nil {
			parts = append(parts, v.String())
		}
	}
	return strings.Join(parts, " ")
}

func TestLinesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		`<http://a> <http://b> <http://c>`:                  "33: expected an IRI or a blank node as the graph, or a full stop",
		`<http://a> <http://b> .`:                           "23: expected an IRI, a blank node or a literal as the object",
		`"a" <http://b> <http://c> .`:                       "1: expected an IRI or a blank node as the subject",
		`<http://a> _:b <http://c> .`:                       "12: expected an IRI as the predicate",
		`<http://a> <http://b> <c> .`:                       "23: expected an absolute IRI",
		`<http://a> <http://b> <http://c d> .`:              "32: expected > at the end of the IRI",
		`<http://a> <http://b> <http://c\u0020> .`:          "38: expected an IRI without such a character",
		`<http://a> <http://b> "c .`:                        "27: expected a quotation mark at the end of the literal",
		`<http://a> <http://b> "c\x" .`:                     `25: expected an escape such as \n or \u00E9`,
		`<http://a> <http://b> "c\uD800" .`:                 `25: expected an escape such as \n or \u00E9`,
		`<http://a> <http://b> "c"@en_gb .`:                 "30: expected a colon after the underscore of a blank node",
		`<http://a> <http://b> "c"@1 .`:                     "27: expected a language tag",
		`<http://a> <http://b> "c"@en- .`:                   "27: expected a language tag",
		`<http://a> <http://b> "c"^^c .`:                    "28: expected the IRI of a datatype",
		`<http://a> <http://b> "c" "d" .`:                   "27: expected an IRI or a blank node as the graph, or a full stop",
		`<http://a> <http://b> _: .`:                        "25: expected the label of a blank node",
		`<http://a> <http://b> <http://c> . <http://d>`:     "36: expected the end of the line or a comment after the full stop",
		"<http://a> <http://b> \"\xff\" .":                  "24: bytes that are not UTF-8",
		`<http://a> <http://b> <http://c> <http://d> <e> .`: "45: expected a full stop at the end of the statement",
	} {
		l := line{}
		ok, err := l.parse([]byte(text))
		var e *syntaxError
		if !errors.As(err, &e) || fmt.Sprintf("%d: %v", e.column, e) != want || ok {
			t.Errorf("%s\n got %+v\nwant %s", text, err, want)
		}
	}
}

// What another reader of N-Quads takes and gives, ours does, but for IRIs and language tags that are none.
func FuzzLine(f *testing.F) {
	f.Add(`<http://a> <http://b> "c\u00e9\n"@en <http://g> .`)
	f.Add(`_:a <http://b> "1"^^<http://www.w3.org/x#int> .`)
	f.Add(`<http://a> <http://b> "\\\"" . # x`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r\n\x00") {
			return
		}
		l := line{}
		ok, err := l.parse([]byte(text))
		if err != nil || !ok {
			return
		}
		again := line{}
		if _, err := again.parse([]byte(l.String() + " .")); err != nil || again.String() != l.String() {
			t.Fatalf("%q is written as\n%s, which is read as\n%s (%v)", text, l.String(), again.String(), err)
		}
		q, err := nquads.NewReader(strings.NewReader(l.String()+" .\n"), false).ReadQuad()
		if err != nil && err != io.EOF {
			return // stricter, or looser, about labels and escapes
		}
		if v, _ := ParseTerm(l.terms[object]); v.Kind == kindString && q.Object != nil && strings.TrimSpace(q.Object.String()) == "" {
			return
		}
	})
}

var syntaxTest = regexp.MustCompile(`(?s)rdft:TestN(?:Quads|Triples)(Positive|Negative)Syntax\s.*?mf:action\s+<([^>]*)>`)

// The W3C's tests of N-Quads and N-Triples, in the folder of w3c/rdf-tests that AWARC_RDF_TESTS names.
func TestW3CSyntax(t *testing.T) {
	root := os.Getenv("AWARC_RDF_TESTS")
	if root == "" {
		t.Skip("AWARC_RDF_TESTS names no folder of w3c/rdf-tests")
	}
	tests := 0
	for _, folder := range []string{"rdf-n-quads", "rdf-n-triples"} {
		folder = filepath.Join(root, "rdf", "rdf11", folder)
		manifest, err := os.ReadFile(filepath.Join(folder, "manifest.ttl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range syntaxTest.FindAllStringSubmatch(string(manifest), -1) {
			tests++
			text, err := os.ReadFile(filepath.Join(folder, m[2]))
			if err != nil {
				t.Fatal(err)
			}
			err = nil
			for text := range strings.Lines(string(text)) {
				l := line{}
				_, e := l.parse([]byte(strings.TrimRight(text, "\r\n")))
				err = errors.Join(err, e)
			}
			if (err == nil) != (m[1] == "Positive") {
				t.Errorf("%s is %s: %v", m[2], m[1], err)
			}
		}
	}
	if tests < 150 {
		t.Errorf("only %d tests were found", tests)
	}
}
