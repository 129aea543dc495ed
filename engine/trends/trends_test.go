package trends

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/quads"
)

// open indexes posts, each a date and a text. What they name are capitalised words.
func open(t *testing.T, posts ...string) *quads.Reader {
	t.Helper()
	dir := t.TempDir()
	c := graph.Capture{ID: "urn:uuid:00000000-0000-4000-8000-000000000000", URL: "http://e.example/t"}
	var objects []graph.Object
	found := graph.Addition{Plugin: graph.Plugin{Name: "names", Version: "1", Hash: "00"}}
	for i, post := range posts {
		created, text, _ := strings.Cut(post, " ")
		id := fmt.Sprintf("http://e.example/t#%d", i)
		objects = append(objects, graph.Object{Class: "sioc:Post", ID: id, Fields: []graph.Field{
			{Name: "content", Values: []string{text}}, {Name: "created", Values: []string{created}}}})
		for word := range strings.FieldsSeq(text) {
			if word == strings.ToLower(word) {
				continue
			}
			entity := "urn:names:" + word
			found.Objects = append(found.Objects, graph.Found{Class: "schema:Thing", ID: entity, Fields: []graph.FoundField{
				{Name: "name", Value: graph.Value{Text: word}}}})
			found.Triples = append(found.Triples, graph.Triple{Subject: id, Predicate: "http://schema.org/mentions",
				Object: graph.Value{Text: entity, Kind: graph.Resource}})
		}
	}
	text, err := graph.Encode(c, objects)
	if err != nil {
		t.Fatal(err)
	}
	more, err := graph.EncodeFound(c, found)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "a.nq"), append(text, more.Quads...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "a.db")
	if _, err := quads.Build(t.Context(), index, []string{filepath.Join(dir, "a.nq")}, quads.Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := quads.Open(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

var posts = quads.Search{Class: []string{"sioc:Post"}}

func TestPeriods(t *testing.T) {
	r := open(t, "2020-12-31T23:59:59Z the clock of Ada", "2021-01-01 clock clock", "2021-01-03T10:00:00+02:00 of Ada and Ben",
		"2021-03-01 Ben", "soon Ada and the clock")
	for by, want := range map[string]string{
		"year":  "2020: 1 [1 1]; 2021: 3 [1 1]; undated: 1 [1 1]",
		"month": "2020-12: 1 [1 1]; 2021-01: 2 [1 1]; 2021-02: 0 [0 0]; 2021-03: 1 [0 0]; undated: 1 [1 1]",
		"week": "2020-W53: 3 [2 2]; 2021-W01: 0 [0 0]; 2021-W02: 0 [0 0]; 2021-W03: 0 [0 0]; 2021-W04: 0 [0 0]; 2021-W05: 0 [0 0]; " +
			"2021-W06: 0 [0 0]; 2021-W07: 0 [0 0]; 2021-W08: 0 [0 0]; 2021-W09: 1 [0 0]; undated: 1 [1 1]",
	} {
		table, err := ByDate(t.Context(), r, posts, []Series{{Name: "clock", Words: "clock"}, {Name: "Ada", Entity: "ada"}}, by)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		table.Undated.Name = "undated"
		for _, p := range append(table.Periods, *table.Undated) {
			got = append(got, fmt.Sprintf("%s: %d %v", p.Name, p.All, p.Counts))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("by %s:\n%s, want\n%s", by, text, want)
		}
		if table.Series[0].Total != 3 || table.Series[1].Total != 3 {
			t.Errorf("%+v", table.Series)
		}
	}
	top, err := r.Mentioned(t.Context(), 1)
	if err != nil || len(top) != 1 || top[0] != (quads.Counted{Value: "urn:names:Ada", Name: "Ada", Count: 3}) {
		t.Errorf("%+v (%v)", top, err)
	}
}

// A date that a page makes up does not fill the memory.
func TestTooManyPeriods(t *testing.T) {
	r := open(t, "0001-01-02 a", "9999-01-01 b")
	_, err := ByDate(t.Context(), r, posts, nil, "month")
	var many *PeriodsError
	if !errors.As(err, &many) || !strings.Contains(err.Error(), "from 0001-01-01 to 9999-01-01") {
		t.Error(err)
	}
	if table, err := ByDate(t.Context(), r, posts, nil, "year"); err != nil || len(table.Periods) != 9999 {
		t.Error(err)
	}
}

func TestNothing(t *testing.T) {
	table, err := ByDate(t.Context(), open(t), quads.Search{}, []Series{{Words: "x"}}, "day")
	if err != nil || len(table.Periods) != 0 || table.Undated != nil {
		t.Errorf("%+v (%v)", table, err)
	}
}
