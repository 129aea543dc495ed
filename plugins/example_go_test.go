package plugins_test

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/match"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

// stormPage has one link about the topic and one that is not.
func stormPage() *abi.ScoreRequest {
	return &abi.ScoreRequest{
		URL: "http://example.org/storm", Title: "Storm warning", HTTPStatus: 200, ContentType: "text/html",
		Parts: []abi.Part{{Text: "A tropical storm nears the coast."}, {Kind: abi.List, Text: "Rain, wind, flood."}},
		Links: []abi.Link{
			{URL: "http://example.org/flood", Anchor: "Flood map", Context: "See the flood map of the coast"},
			{URL: "http://example.org/shop", Anchor: "Shop", Context: "Umbrellas"},
		},
	}
}

var stormTopic = abi.Topic{Name: "storms", Terms: []abi.Term{{Text: "storm", Weight: 1}, {Text: "tropical storm", Weight: 2}, {Text: "flood", Weight: 1}}}

// The example scorer in the sandbox gives what its arithmetic gives here.
func TestGoExampleScores(t *testing.T) {
	file := plugintest.Build(t, "examples/go-keywords")
	set := plugintest.Wasm(t, file, plugins.Options{Topic: stormTopic})
	m := match.New([]match.Term{{Text: "storm", Weight: 1}, {Text: "tropical storm", Weight: 2}, {Text: "flood", Weight: 1}})
	for _, page := range []*abi.ScoreRequest{stormPage(), {}, {Title: "\xff storm", Parts: []abi.Part{{Text: strings.Repeat("日本語 storm ", 2_000)}}}} {
		r := set.Score(t.Context(), page)[0]
		if r.Kind != plugins.KindOK {
			t.Fatal(r.Err)
		}
		if want := m.Density(page.Title, 3, page.Text(), 1); r.Response.Doc != want {
			t.Errorf("doc %v, want %v", r.Response.Doc, want)
		}
		for i, l := range page.Links {
			if want := m.Density(l.Anchor, 2, l.Context, 1); r.Response.Links[i] != want {
				t.Errorf("link %d: %v, want %v", i, r.Response.Links[i], want)
			}
		}
		if r.Plugin.Name != "org.awarc.examples.go-keywords" || len(r.Plugin.Hash) != 64 || r.Fuel <= 0 {
			t.Errorf("result of %+v used %d units", r.Plugin, r.Fuel)
		}
	}
	if u := set.Report()["org.awarc.examples.go-keywords"]; u.Calls != 3 || u.Errors != 0 || u.Seconds <= 0 || u.Kinds[plugins.KindOK] != 3 {
		t.Errorf("report: %+v", u)
	}
}

// Another topic reaches instances that are at work already.
func TestTopicChangesWhileRunning(t *testing.T) {
	set := plugintest.Wasm(t, plugintest.Build(t, "examples/go-keywords"), plugins.Options{})
	page := stormPage()
	if r := set.Score(t.Context(), page)[0]; r.Kind != plugins.KindOK || r.Response.Doc != 0 {
		t.Fatalf("without a topic: %+v, %v", r.Response, r.Err)
	}
	set.SetTopic(stormTopic)
	if r := set.Score(t.Context(), page)[0]; r.Kind != plugins.KindOK || r.Response.Doc < 0.2 {
		t.Errorf("with the topic: %+v, %v", r.Response, r.Err)
	}
	set.SetTopic(abi.Topic{})
	if r := set.Score(t.Context(), page)[0]; r.Kind != plugins.KindOK || r.Response.Doc != 0 {
		t.Errorf("without it again: %+v, %v", r.Response, r.Err)
	}
}
