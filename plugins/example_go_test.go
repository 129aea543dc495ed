package plugins_test

import (
	"path/filepath"
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

var stormTopic = abi.Topic{Name: "storms", Terms: []abi.Term{{Text: "storm", Weight: 1}, {Text: "tropical storm", Weight: 2},
	{Text: "flood", Weight: 1}}}

func TestGoExample(t *testing.T) {
	if plugins.RaceDetector {
		t.Skip("make plain runs it without the race detector")
	}
	file := plugintest.Build(t, "examples/go-keywords")
	cache := filepath.Join(t.TempDir(), "cache") // compiled once

	// The scorer in the sandbox gives what its arithmetic gives here.
	t.Run("scores", func(t *testing.T) {
		set := plugintest.Wasm(t, file, plugins.Options{Topic: stormTopic, CacheDir: cache})
		m := match.New([]match.Term{{Text: "storm", Weight: 1}, {Text: "tropical storm", Weight: 2}, {Text: "flood", Weight: 1}})
		for _, page := range []*abi.ScoreRequest{stormPage(), {},
			{Title: "\xff storm", Parts: []abi.Part{{Text: strings.Repeat("日本語 storm ", 10_000)}}}} {
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
		if u := set.Report()["org.awarc.examples.go-keywords"]; u.Calls != 3 || u.Errors != 0 || u.Seconds <= 0 ||
			u.Kinds[plugins.KindOK] != 3 {
			t.Errorf("report: %+v", u)
		}
	})

	// Another topic reaches instances that are at work already.
	t.Run("changes of the topic", func(t *testing.T) {
		set := plugintest.Wasm(t, file, plugins.Options{CacheDir: cache})
		doc := func() float32 {
			t.Helper()
			r := set.Score(t.Context(), stormPage())[0]
			if r.Kind != plugins.KindOK {
				t.Fatal(r.Err)
			}
			return r.Response.Doc
		}
		none := doc()
		set.SetTopic(stormTopic)
		storms := doc()
		set.SetTopic(abi.Topic{})
		if again := doc(); none != 0 || storms < 0.2 || again != 0 {
			t.Errorf("without topic %v, with %v, without %v", none, storms, again)
		}
	})
}

// The plugins that are more than examples do their work in the sandbox.
func TestPluginsInGo(t *testing.T) {
	if plugins.RaceDetector {
		t.Skip("make plain runs it without the race detector")
	}
	t.Run("treasure-crawler", func(t *testing.T) {
		set := plugintest.Wasm(t, plugintest.Build(t, "examples/treasure-crawler"), plugins.Options{Topic: stormTopic})
		r := set.Score(t.Context(), stormPage())[0]
		if r.Kind != plugins.KindOK || r.Response.Doc < 0.5 || r.Response.Links[0] != 1 || r.Response.Links[1] != 0.01 {
			t.Errorf("%+v %v", r.Response, r.Err)
		}
	})
	t.Run("schema-org", func(t *testing.T) {
		set := plugintest.Wasm(t, plugintest.Build(t, "examples/schema-org"), plugins.Options{})
		r := set.Extract(t.Context(), &abi.ExtractRequest{URL: "http://example.org/",
			HTML: `<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Event", "name": "Fair"}</script>`})[0]
		if r.Kind != plugins.KindOK || len(r.Response.Objects) != 1 || r.Response.Objects[0].Type != "schema:Event" {
			t.Errorf("%+v %v", r.Response, r.Err)
		}
	})
}
