package extract_test

import (
	"reflect"
	"testing"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/extract"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

func TestResult(t *testing.T) {
	extract.OnPage(func(p *extract.Page, out *extract.Result) error {
		if p.Title == "" {
			return extract.NoOpinion
		}
		out.Object("schema:Event", "http://x/1").Text("name", p.Title, "en").At(extract.Span{End: 3}).
			IRI("url", p.URL).Time("start", "2026-11-21T10:00:00Z").Int("n", -5).Float("f", 0.5).Bool("b", false)
		out.Triple(extract.Triple{Subject: "http://x/1", Predicate: "http://p", Object: "o", ObjectKind: extract.Literal})
		return nil
	})
	page := &extract.Page{URL: "http://x/", Title: "Fair", Parts: []abi.Part{{Text: "Fair"}}}
	want := &abi.ExtractResponse{
		Objects: []abi.Object{{Type: "schema:Event", ID: "http://x/1", Confidence: 1, Fields: []abi.Field{
			{Name: "name", Value: abi.Value{Kind: abi.TextKind, Str: "Fair"}, Lang: "en", Span: &abi.Span{End: 3}},
			{Name: "url", Value: abi.Value{Kind: abi.IRIKind, Str: "http://x/"}},
			{Name: "start", Value: abi.Value{Kind: abi.TimeKind, Str: "2026-11-21T10:00:00Z"}},
			{Name: "n", Value: abi.Value{Kind: abi.IntKind, Int: -5}},
			{Name: "f", Value: abi.Value{Kind: abi.FloatKind, Float: 0.5}},
			{Name: "b", Value: abi.Value{Kind: abi.BoolKind}},
		}}},
		Triples: []abi.Triple{{Subject: "http://x/1", Predicate: "http://p", Object: "o", ObjectKind: abi.LiteralNode}},
	}
	for range 2 { // the buffers of the first page are those of the second
		if got := plugintest.Extract(t, page); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
	if got := plugintest.Extract(t, &extract.Page{}); got != nil {
		t.Errorf("no opinion became %+v", got)
	}
}
