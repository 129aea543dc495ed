package plugins_test

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

// Everything that a request and a configuration may have reaches a plugin in C, Rust and
// AssemblyScript, and everything that a response may have comes back: testdata/echo
// answers with what it was told. `make plugins` builds the files.
func TestEcho(t *testing.T) {
	topic := abi.Topic{Name: "Stürme", Lang: "de", Params: map[string]string{"a": "1", "b": ""},
		SeedURLs: []string{"http://a/", "http://b/"},
		Terms:    []abi.Term{{Text: "storm", Weight: -1.5, Flags: abi.TermNegative | abi.TermPhrase}, {}}}
	page := abi.ExtractRequest{URL: "http://example.org/ä", Title: "Titel", Lang: "de", ContentType: "text/html", HTML: "<p>日本語",
		CaptureUnix: math.MaxInt64,
		Parts:       []abi.Part{{Text: strings.Repeat("x", 300)}, {Kind: abi.Code, Text: "日本"}, {}},
		Links:       []abi.Link{{URL: "http://l/1", Anchor: "eins", Context: "um eins", Flags: 15}, {URL: "http://l/2"}}}
	text := func(name, s, lang string) abi.Field {
		return abi.Field{Name: name, Value: abi.Value{Kind: abi.TextKind, Str: s}, Lang: lang}
	}
	whole := func(name string, n int64) abi.Field {
		return abi.Field{Name: name, Value: abi.Value{Kind: abi.IntKind, Int: n}}
	}
	iri := func(name, s string) abi.Field {
		return abi.Field{Name: name, Value: abi.Value{Kind: abi.IRIKind, Str: s}}
	}
	first := abi.Object{Type: "schema:Page", ID: page.URL, Confidence: 1,
		Fields: []abi.Field{text("title", "Titel", "de"), text("html", page.HTML, ""), text("mime", "text/html", ""),
			whole("captured", -math.MaxInt64)}}
	for i, p := range page.Parts {
		f := text("part", p.Text, "")
		f.Span = &abi.Span{Part: uint32(i), End: uint32(len(p.Text))}
		first.Fields = append(first.Fields, f, whole("kind", int64(p.Kind)))
	}
	want := abi.ExtractResponse{Objects: []abi.Object{first}}
	for _, l := range page.Links {
		want.Objects = append(want.Objects, abi.Object{Type: "schema:Link", Confidence: 0.5,
			Fields: []abi.Field{iri("url", l.URL), text("anchor", l.Anchor, ""), text("context", l.Context, ""),
				whole("flags", int64(l.Flags))}})
	}
	weight := func(v float64) abi.Field {
		return abi.Field{Name: "weight", Value: abi.Value{Kind: abi.FloatKind, Float: v}}
	}
	want.Objects = append(want.Objects, abi.Object{Type: "schema:Config", Confidence: 1, Fields: []abi.Field{
		text("raw", `{"own": "ü"}`, ""), text("crawl", "crawl 1", ""), whole("seed", math.MaxInt64),
		{Name: "deterministic", Value: abi.Value{Kind: abi.BoolKind, Bool: true}},
		text("name", "Stürme", "de"), text("term", "storm", ""), weight(-1.5), whole("flags", 3), text("term", "", ""), weight(0),
		whole("flags", 0),
		iri("start", "http://a/"), iri("start", "http://b/"), text("key", "a", ""), text("value", "1", ""), text("key", "b", ""),
		text("value", "", ""),
		{Name: "time", Value: abi.Value{Kind: abi.TimeKind, Str: "2026-11-21T10:00:00Z"}}}})
	want.Triples = []abi.Triple{
		{Subject: "http://s/", Predicate: "http://p/", Object: "http://o/", Confidence: 1},
		{Subject: "_:s", Predicate: "http://p/", Object: "text", ObjectKind: abi.LiteralNode, Lang: "de", Confidence: 1},
		{Subject: "_:s", Predicate: "http://p/", Object: "1", ObjectKind: abi.LiteralNode, Datatype: "http://www.w3.org/2001/XMLSchema#int",
			Confidence: 1},
		{Subject: "http://s/", Predicate: "http://p/", Object: "_:o", ObjectKind: abi.BlankNode, Confidence: 1},
	}
	files, err := filepath.Glob("testdata/echo/*.wasm")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d of 3 built plugins: run make plugins: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var logs []string
			set := plugintest.Wasm(t, file, plugins.Options{Topic: topic, Config: map[string]string{"org.awarc.test.echo": `{"own": "ü"}`},
				CrawlID: "crawl 1", Seed: math.MaxInt64, Deterministic: true,
				Events: plugins.Events{Log: func(_ plugins.Identity, l plugins.Level,
					line string) {
					logs = append(logs, l.String()+" "+line)
				}}})
			e := set.Extract(t.Context(), &page)[0]
			if e.Kind != plugins.KindOK {
				t.Fatal(e.Err)
			}
			if !reflect.DeepEqual(*e.Response, want) {
				t.Errorf("got\n%+v\nwant\n%+v", *e.Response, want)
			}
			logs = nil

			score := func(p abi.ScoreRequest) plugins.Score { return set.Score(t.Context(), &p)[0] }
			r := score(abi.ScoreRequest{Depth: 7, HTTPStatus: 404, ContentType: "text/plain", ParentScore: 0.25, Truncated: true,
				Links: make([]abi.Link, 4)})
			scores := abi.ScoreResponse{Doc: 0.25, Reason: "text/plain", DocFlags: abi.BlacklistURL | abi.NoOpinion,
				Links:     []float32{1, 0, 0, 0},
				LinkFlags: []abi.ScoreFlag{0, abi.NoOpinion | abi.BlacklistURL, abi.NoOpinion | abi.BlacklistHost, abi.NoOpinion}}
			if r.Kind != plugins.KindOK || !reflect.DeepEqual(*r.Response, scores) {
				t.Errorf("got %+v %v, want %+v", r.Response, r.Err, scores)
			}
			if len(logs) != 1 || logs[0] != "warn a score is not in 0 to 1" {
				t.Errorf("logs %q", logs)
			}
			if r := score(abi.ScoreRequest{ParentScore: 0.5}); r.Kind != plugins.KindOK || r.Response.Doc != 0.5 || len(r.Response.Links) !=
				0 {
				t.Errorf("a page without links: %+v %v", r.Response, r.Err)
			}
			if r := score(abi.ScoreRequest{Title: "fail"}); r.Kind != plugins.KindPlugin || r.Err.Message != "because" {
				t.Errorf("an error: %s %v", r.Kind, r.Err)
			}
			if r := score(abi.ScoreRequest{Title: "none"}); r.Kind != plugins.KindNone {
				t.Errorf("no opinion: %s %v", r.Kind, r.Err)
			}
		})
	}
}
