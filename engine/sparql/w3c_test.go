package sparql

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/quads"
)

// Namespaces of the W3C's tests.
const (
	nsRDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsMF  = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	nsQT  = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	nsRS  = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
)

// w3cFolders are those of w3c/rdf-tests that are about queries. Left out are updates, protocols, services, which there are none of, and
// entailment, which is no part of SPARQL's simple entailment.
var w3cFolders = []string{"sparql10/*", "sparql11/aggregates", "sparql11/bind", "sparql11/bindings", "sparql11/cast", "sparql11/construct",
	"sparql11/csv-tsv-res", "sparql11/exists", "sparql11/functions", "sparql11/grouping", "sparql11/json-res", "sparql11/negation",
	"sparql11/project-expression", "sparql11/property-path", "sparql11/subquery", "sparql11/syntax-query"}

// TestW3C runs the tests of w3c/rdf-tests in the folder that AWARC_RDF_TESTS names, and prints a table of them.
func TestW3C(t *testing.T) {
	root := os.Getenv("AWARC_RDF_TESTS")
	if root == "" {
		t.Skip("AWARC_RDF_TESTS names no folder of w3c/rdf-tests")
	}
	if _, err := exec.LookPath("rapper"); err != nil {
		t.Skip("the tests are in Turtle and RDF/XML, which rapper (Debian package raptor2-utils) reads")
	}
	var all, passed int
	for _, pattern := range w3cFolders {
		folders, _ := filepath.Glob(filepath.Join(root, "sparql", filepath.FromSlash(pattern)))
		for _, folder := range folders {
			manifest := filepath.Join(folder, "manifest.ttl")
			if _, err := os.Stat(manifest); err != nil {
				continue
			}
			n, good := 0, 0
			for _, test := range w3cTests(t, manifest) {
				n++
				if err := test.run(t); err != nil {
					t.Logf("%s %s: %v", filepath.Base(folder), test.name, err)
				} else {
					good++
				}
			}
			name, _ := filepath.Rel(filepath.Join(root, "sparql"), folder)
			fmt.Printf("| %s | %d | %d |\n", filepath.ToSlash(name), good, n)
			all, passed = all+n, passed+good
		}
	}
	fmt.Printf("| all | %d | %d |\n", passed, all)
	if all < 500 || passed*100 < all*95 {
		t.Errorf("%d of %d tests pass", passed, all)
	}
}

// triples are those of a file, as rapper reads them, by subject and predicate. Terms are as in N-Triples.
type triples map[string]map[string][]string

func baseOf(file string) string {
	return "http://w3c.example/" + filepath.Base(filepath.Dir(filepath.Dir(file))) + "/" + filepath.Base(filepath.Dir(file)) + "/" +
		filepath.Base(file)
}

// ntriples converts a file of any syntax.
func ntriples(t *testing.T, file string) string {
	t.Helper()
	syntax := "turtle"
	if ext := filepath.Ext(file); ext == ".rdf" {
		syntax = "rdfxml"
	}
	c := exec.Command("rapper", "-q", "-i", syntax, "-o", "ntriples", "-I", baseOf(file), file, baseOf(file))
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v %s", file, err, said.Bytes())
	}
	return string(out)
}

var ntriple = regexp.MustCompile(`(?m)^(\S+) (\S+) (.*) \.$`)

func readTriples(t *testing.T, file string) triples {
	all := triples{}
	for _, m := range ntriple.FindAllStringSubmatch(ntriples(t, file), -1) {
		if all[m[1]] == nil {
			all[m[1]] = map[string][]string{}
		}
		all[m[1]][m[2]] = append(all[m[1]][m[2]], m[3])
	}
	return all
}

// get gives the first value of a property.
func (x triples) get(subject, property string) string {
	if values := x[subject]["<"+property+">"]; len(values) > 0 {
		return values[0]
	}
	return ""
}

func (x triples) list(head string) (items []string) {
	for head != "" && head != "<"+nsRDF+"nil>" {
		items = append(items, x.get(head, nsRDF+"first"))
		head = x.get(head, nsRDF+"rest")
	}
	return items
}

// w3cTest is one test of a manifest.
type w3cTest struct {
	name, kind    string
	query, result string // files
	data          []string
	graphs        []string
	lax           bool // solutions may be there as often as it likes
}

func w3cTests(t *testing.T, manifest string) (tests []w3cTest) {
	x := readTriples(t, manifest)
	file := func(iri string) string {
		if iri == "" {
			return ""
		}
		name, _ := url.PathUnescape(filepath.Base(strings.Trim(iri, "<>")))
		return filepath.Join(filepath.Dir(manifest), name)
	}
	for subject := range x {
		for _, test := range x.list(x.get(subject, nsMF+"entries")) {
			kind := strings.TrimPrefix(strings.Trim(x.get(test, nsRDF+"type"), "<>"), nsMF)
			w := w3cTest{name: test, kind: kind, result: file(x.get(test, nsMF+"result")),
				lax: x.get(test, nsMF+"resultCardinality") != ""}
			action := x.get(test, nsMF+"action")
			if w.query = file(x.get(action, nsQT+"query")); w.query == "" {
				w.query = file(action)
			}
			for _, d := range x[action]["<"+nsQT+"data>"] {
				w.data = append(w.data, file(d))
			}
			for _, g := range x[action]["<"+nsQT+"graphData>"] {
				if named := x.get(g, nsQT+"graph"); named != "" {
					g = named
				}
				w.graphs = append(w.graphs, file(g))
			}
			tests = append(tests, w)
		}
	}
	return tests
}

// run reports why a test fails.
func (w *w3cTest) run(t *testing.T) error {
	text, err := os.ReadFile(w.query)
	if err != nil {
		return err
	}
	query := "BASE <" + baseOf(w.query) + ">\n" + string(text)
	o := Options{Separate: true}
	var out bytes.Buffer
	switch {
	case strings.HasPrefix(w.kind, "PositiveSyntax"), strings.HasPrefix(w.kind, "NegativeSyntax"):
		var syntax *SyntaxError
		err := engine(t).Query(t.Context(), index(t, ""), query, Both, &out, o)
		if wrong := errors.As(err, &syntax); wrong != strings.HasPrefix(w.kind, "Negative") {
			return fmt.Errorf("%s: %v", w.kind, err)
		}
		return nil
	case w.kind != "QueryEvaluationTest" && w.kind != "CSVResultFormatTest":
		return fmt.Errorf("a test of an unknown kind, %s", w.kind)
	}
	format, ext := Both, filepath.Ext(w.result)
	if ext == ".csv" || ext == ".tsv" {
		format = Format(ext[1:])
	}
	if err := engine(t).Query(t.Context(), w.dataset(t, query), query, format, &out, o); err != nil {
		return err
	}
	want, err := os.ReadFile(w.result)
	if err != nil {
		return err
	}
	var got, wanted [][]string
	switch {
	case ext == ".csv" || ext == ".tsv":
		got, wanted = separated(out.Bytes(), ext), separated(want, ext)
	case bytes.HasPrefix(out.Bytes(), []byte("{")):
		got, err = fromJSON(out.Bytes())
		if err == nil {
			wanted, err = w.solutions(t, want)
		}
	default:
		got, wanted = fromTriples(out.String()), fromTriples(ntriples(t, w.result))
	}
	if w.lax {
		got, wanted = once(got), once(wanted)
	}
	if err == nil && !isomorphic(got, wanted) {
		err = fmt.Errorf("got\n%v\nwant\n%v", got, wanted)
	}
	return err
}

// from are the graphs that a query itself names as its data, where the manifest names none.
var from = regexp.MustCompile(`(?i)\bFROM\s+(NAMED\s+)?<([^>]*)>`)

// dataset loads the data of a test.
func (w *w3cTest) dataset(t *testing.T, query string) *quads.Reader {
	var b strings.Builder
	blanks := regexp.MustCompile(`_:`)
	add := func(file, graph string) {
		label := fmt.Sprintf("_:f%d", b.Len())
		for _, m := range ntriple.FindAllStringSubmatch(ntriples(t, file), -1) {
			object := m[3]
			if strings.HasPrefix(object, "_:") {
				object = blanks.ReplaceAllString(object, label)
			}
			fmt.Fprintln(&b, blanks.ReplaceAllString(m[1], label), m[2], object, graph, ".")
		}
	}
	for _, file := range w.data {
		add(file, "")
	}
	graphs := w.graphs
	for _, m := range from.FindAllStringSubmatch(query, -1) {
		if len(w.data) == 0 {
			graphs = append(graphs, filepath.Join(filepath.Dir(w.query), filepath.Base(m[2])))
		}
	}
	slices.Sort(graphs)
	for _, file := range slices.Compact(graphs) {
		add(file, "<"+baseOf(file)+">")
	}
	return index(t, b.String())
}

// term writes a term so that equal terms are equal texts.
func term(kind, value, datatype, language string) string {
	switch kind {
	case "uri":
		return "<" + value + ">"
	case "bnode":
		return "_:" + value
	}
	switch datatype {
	case "", xsd + "string":
		return fmt.Sprintf("%q@%s", value, strings.ToLower(language))
	case xsd + "integer", xsd + "decimal", xsd + "double", xsd + "float": // one value has several forms
		if n, ok := new(big.Float).SetString(value); ok {
			value = n.Text('g', 12)
		}
	case xsd + "dateTime":
		if whole, fraction, ok := strings.Cut(strings.TrimSuffix(value, "Z"), "."); ok && strings.HasSuffix(value, "Z") {
			value = strings.TrimSuffix(whole+"."+strings.TrimRight(fraction, "0"), ".") + "Z"
		}
	}
	return fmt.Sprintf("%q^^<%s>", value, datatype)
}

const xsd = "http://www.w3.org/2001/XMLSchema#"

type jsonTerm struct {
	Type, Value, Datatype string
	Lang                  string `json:"xml:lang"`
}

func fromJSON(text []byte) (rows [][]string, err error) {
	var x struct {
		Boolean *bool
		Results struct{ Bindings []map[string]jsonTerm }
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, err
	}
	if x.Boolean != nil {
		return [][]string{{fmt.Sprint(*x.Boolean)}}, nil
	}
	for _, b := range x.Results.Bindings {
		var row []string
		for _, name := range slices.Sorted(maps.Keys(b)) {
			row = append(row, "?"+name, term(b[name].Type, b[name].Value, b[name].Datatype, b[name].Lang))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// solutions reads the wanted solutions of a test.
func (w *w3cTest) solutions(t *testing.T, text []byte) ([][]string, error) {
	switch filepath.Ext(w.result) {
	case ".srj":
		return fromJSON(text)
	case ".srx":
		return fromXML(text)
	}
	x := readTriples(t, w.result)
	var rows [][]string
	for subject := range x {
		if answer := x.get(subject, nsRS+"boolean"); answer != "" {
			return [][]string{{fmt.Sprint(strings.HasPrefix(answer, `"true"`))}}, nil
		}
		for _, solution := range x[subject]["<"+nsRS+"solution>"] {
			bound := map[string]string{}
			for _, b := range x[solution]["<"+nsRS+"binding>"] {
				bound[strings.Trim(x.get(b, nsRS+"variable"), `"`)] = x.get(b, nsRS+"value")
			}
			var row []string
			for _, name := range slices.Sorted(maps.Keys(bound)) {
				row = append(row, "?"+name, fromNTriples(bound[name]))
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

var literal = regexp.MustCompile(`(?s)^"(.*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?$`)

// fromNTriples writes a term of N-Triples as term does.
func fromNTriples(text string) string {
	m := literal.FindStringSubmatch(text)
	if m == nil {
		return unescape(text)
	}
	return term("literal", unescape(m[1]), m[3], m[2])
}

var escaped = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)`)

func unescape(text string) string {
	return escaped.ReplaceAllStringFunc(text, func(e string) string {
		switch e[1] {
		case 'u', 'U':
			var r rune
			_, _ = fmt.Sscanf(e[2:], "%x", &r)
			return string(r)
		case 't', 'n', 'r', 'b', 'f':
			return map[byte]string{'t': "\t", 'n': "\n", 'r': "\r", 'b': "\b", 'f': "\f"}[e[1]]
		}
		return e[1:]
	})
}

func fromTriples(text string) (rows [][]string) {
	for _, m := range ntriple.FindAllStringSubmatch(text, -1) {
		row := []string{m[1], m[2], fromNTriples(m[3])}
		if !slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(r, row) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

func fromXML(text []byte) (rows [][]string, err error) {
	var x struct {
		Boolean string `xml:"boolean"`
		Results []struct {
			Bindings []struct {
				Name    string  `xml:"name,attr"`
				URI     *string `xml:"uri"`
				Blank   *string `xml:"bnode"`
				Literal *struct {
					Text     string `xml:",chardata"`
					Lang     string `xml:"lang,attr"`
					Datatype string `xml:"datatype,attr"`
				} `xml:"literal"`
			} `xml:"binding"`
		} `xml:"results>result"`
	}
	if err := xml.NewDecoder(bytes.NewReader(text)).Decode(&x); err != nil {
		return nil, err
	}
	if x.Boolean != "" {
		return [][]string{{strings.TrimSpace(x.Boolean)}}, nil
	}
	for _, r := range x.Results {
		bound := map[string]string{}
		for _, b := range r.Bindings {
			switch {
			case b.URI != nil:
				bound[b.Name] = term("uri", *b.URI, "", "")
			case b.Blank != nil:
				bound[b.Name] = term("bnode", *b.Blank, "", "")
			case b.Literal != nil:
				bound[b.Name] = term("literal", b.Literal.Text, b.Literal.Datatype, b.Literal.Lang)
			}
		}
		var row []string
		for _, name := range slices.Sorted(maps.Keys(bound)) {
			row = append(row, "?"+name, bound[name])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func once(rows [][]string) [][]string {
	slices.SortFunc(rows, slices.Compare)
	return slices.CompactFunc(rows, slices.Equal)
}

// separated reads CSV or TSV; numbers of TSV may be written in several ways.
func separated(text []byte, ext string) (rows [][]string) {
	if ext == ".tsv" {
		for line := range strings.Lines(string(text)) {
			rows = append(rows, strings.Split(strings.TrimRight(line, "\r\n"), "\t"))
		}
	} else {
		rows, _ = csv.NewReader(bytes.NewReader(text)).ReadAll() // of which fewer differ
	}
	for _, row := range rows {
		for i, cell := range row {
			if n, ok := new(big.Float).SetString(cell); ok {
				row[i] = n.Text('g', 12)
			}
		}
	}
	return rows
}

// isomorphic reports whether two lists of rows are equal but for their order and the labels of blank nodes.
func isomorphic(got, want [][]string) bool {
	if len(got) != len(want) {
		return false
	}
	// Rows with fewer blank nodes, and rarer ones, first.
	slices.SortFunc(want, func(a, b []string) int {
		return strings.Count(fmt.Sprint(a), "_:") - strings.Count(fmt.Sprint(b), "_:")
	})
	return match(got, want, make([]bool, len(got)), map[string]string{}, map[string]string{})
}

func match(got, want [][]string, used []bool, to, back map[string]string) bool {
	if len(want) == 0 {
		return true
	}
	for i, row := range got {
		if used[i] {
			continue
		}
		added, ok := unify(row, want[0], to, back)
		if ok {
			used[i] = true
			if match(got, want[1:], used, to, back) {
				return true
			}
			used[i] = false
		}
		for _, label := range added {
			delete(back, to[label])
			delete(to, label)
		}
	}
	return false
}

func unify(got, want []string, to, back map[string]string) (added []string, ok bool) {
	if len(got) != len(want) {
		return nil, false
	}
	for i := range got {
		g, w := got[i], want[i]
		if !strings.HasPrefix(g, "_:") || !strings.HasPrefix(w, "_:") {
			if g != w {
				return added, false
			}
			continue
		}
		is, known := to[g]
		if !known && back[w] == "" {
			to[g], back[w], added = w, g, append(added, g)
		} else if is != w {
			return added, false
		}
	}
	return added, true
}
