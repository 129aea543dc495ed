package graph_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
	"github.com/cayleygraph/quad/nquads"

	"github.com/awarc/awarc/engine/graph"
)

var foundCapture = graph.Capture{ID: "urn:uuid:00000000-0000-4000-8000-000000000001", URL: "http://example.org/page#top"}

// inPlugin is the graph of what the plugin of the tests says.
const inPlugin = "urn:awarc:said:00000000-0000-4000-8000-000000000001:org.example.events"

// statements reads the quads of a graph as another program would.
func statements(t *testing.T, quads []byte, in quad.IRI) []string {
	t.Helper()
	r := nquads.NewReader(bytes.NewReader(quads), true)
	var all []string
	for {
		q, err := r.ReadQuad()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, quads)
		}
		if q.Label == in {
			all = append(all, fmt.Sprint(q.Subject, " ", q.Predicate, " ", q.Object))
		}
	}
}

func TestWhatPluginsFind(t *testing.T) {
	a := graph.Addition{
		Plugin: graph.Plugin{Name: "org.example.events", Version: "1.0.0", Hash: "abc"},
		Objects: []graph.Found{{Class: "schema:Event", Fields: []graph.FoundField{
			{Name: "name", Value: graph.Value{Text: "Sturm", Lang: "de"}},
			{Name: "sioc:num_views", Value: graph.Value{Text: "7", Datatype: "xsd:integer"}},
			{Name: "http://example.org/ns#x", Value: graph.Value{Text: "_:there", Kind: graph.Resource}},
		}}, {Class: "http://example.org/ns#Thing", ID: "ex:1", Fields: []graph.FoundField{{Name: "title", Value: graph.Value{Text: "T"}}}}},
		Triples: []graph.Triple{{Subject: "_:there", Predicate: "schema:name", Object: graph.Value{Text: "There"}}},
	}
	found, err := graph.EncodeFound(foundCapture, a)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"http://example.org/page#org.example.events-object-1", "ex:1"}; !slices.Equal(found.IDs, want) {
		t.Errorf("ids %q", found.IDs)
	}
	got := strings.Join(statements(t, found.Quads, inPlugin), "\n")
	for _, want := range []string{
		`<http://example.org/page#org.example.events-object-1> <http://schema.org/name> "Sturm"@de`,
		`<http://example.org/page#org.example.events-object-1> <http://rdfs.org/sioc/ns#num_views> ` +
			`"7"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		`<http://example.org/page#org.example.events-object-1> <http://example.org/ns#x> ` +
			`<http://example.org/page#org.example.events-node-there>`,
		`<ex:1> <http://purl.org/dc/terms/title> "T"`,
		`<http://example.org/page#org.example.events-node-there> <http://schema.org/name> "There"`,
		`<ex:1> <urn:awarc:ns#extractedBy> <urn:awarc:plugin:abc>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("nobody says %s:\n%s", want, got)
		}
	}
	for name, want := range map[string]string{"schema:Event": "schema:Event", "http://schema.org/Event": "schema:Event",
		"http://example.org/x": "http://example.org/x", "unknown:X": "unknown:X"} {
		if got := graph.Prefixed(name); got != want {
			t.Errorf("%s is counted as %s", name, got)
		}
	}
	if len(found.Remarks) > 0 || found.Triples != len(statements(t, found.Quads, inPlugin)) {
		t.Errorf("%d statements, remarks %q", found.Triples, found.Remarks)
	}
	if meta := statements(t, found.Quads, graph.Meta); !slices.Contains(meta,
		"<"+inPlugin+"> <http://www.w3.org/ns/prov#wasDerivedFrom> <"+foundCapture.ID+">") {
		t.Errorf("nobody says of which capture the graph is: %q", meta)
	}
	// A long name that is said again and again is no way to fill a disk.
	big := graph.Found{Class: "schema:Event", ID: "http://example.org/" + strings.Repeat("x", 1<<20)}
	for i := range 100 {
		big.Fields = append(big.Fields, graph.FoundField{Name: "name", Value: graph.Value{Text: fmt.Sprint(i)}})
	}
	if _, err := graph.EncodeFound(foundCapture, graph.Addition{Objects: []graph.Found{big}}); !errors.Is(err, graph.ErrTooMuch) {
		t.Errorf("too much is %v", err)
	}
}

func TestWhatPluginsMayNotSay(t *testing.T) {
	literal := graph.Value{Text: "x"}
	for _, c := range []struct{ subject, predicate, datatype, want string }{
		{"urn:uuid:00000000-0000-4000-8000-000000000002", "dcterms:source", "", "ignored"}, // of another capture
		{"URN:awarc:plugin:abc", "schema:name", "", "ignored"},
		{"urn:awarc:entity:Storm", "schema:name", "", ""},
		{"http://example.org/", "http:", "", "ignored"},
		{"http://example.org/a b", "schema:name", "", "normalised"},
		{"http://example.org/", "schema:name", "xsd:integer", "normalised"}, // "x" is none
	} {
		literal.Datatype = c.datatype
		found, err := graph.EncodeFound(foundCapture, graph.Addition{Plugin: graph.Plugin{Name: "org.example.events", Hash: "abc"},
			Triples: []graph.Triple{{Subject: c.subject, Predicate: c.predicate, Object: literal}}})
		if err != nil {
			t.Fatal(err)
		}
		remarks := strings.Join(found.Remarks, "\n")
		if !strings.Contains(remarks, c.want) || c.want == "" && remarks != "" {
			t.Errorf("%+v: remarks %q", c, remarks)
		}
		if all := strings.Join(statements(t, found.Quads, inPlugin), "\n"); strings.Contains(all, `"x"`) == (c.want == "ignored") {
			t.Errorf("%+v: %s", c, all)
		}
	}
}

// FuzzFound writes whatever strings; each line stays a quad in one of the two graphs.
func FuzzFound(f *testing.F) {
	f.Add("schema:Event", "http://example.org/> <x", "na me", "a\"\n\x00", "de", "xsd:date")
	f.Add("_:x", "_:y z", ":", "\xff", "", "")
	f.Fuzz(func(t *testing.T, class, id, name, text, lang, datatype string) {
		if class == "" || name == "" { // the host of plugins lets none pass
			return
		}
		v, in := graph.Value{Text: text, Lang: lang, Datatype: datatype}, graph.Said(foundCapture.ID, name)
		found, err := graph.EncodeFound(foundCapture, graph.Addition{
			Plugin:  graph.Plugin{Name: name, Hash: "abc"},
			Objects: []graph.Found{{Class: class, ID: id, Fields: []graph.FoundField{{Name: name, Value: v}}}},
			Triples: []graph.Triple{{Subject: "_:" + id, Predicate: name, Object: graph.Value{Text: "_:" + text, Kind: graph.Resource}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(found.Quads)) {
			if !strings.HasSuffix(line, "<"+in+"> .\n") && !strings.HasSuffix(line, "<"+graph.Meta+"> .\n") {
				t.Errorf("a line in no graph of ours: %q", line)
			}
		}
		statements(t, found.Quads, quad.IRI(in))
	})
}
