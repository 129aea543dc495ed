package main

import (
	"testing"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/extract"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

func TestExtractor(t *testing.T) {
	plugintest.Configure(t, plugintest.Topic("storm", "tropical storm"))
	r := plugintest.Extract(t, &extract.Page{URL: "http://example.org/", Title: "Weather", Lang: "en",
		Parts: []abi.Part{{Text: "Nothing."}, {Text: "A storm."}}})
	if len(r.Objects) != 1 || len(r.Objects[0].Fields) != 2 || r.Objects[0].Fields[1].Value.Str != "A storm." ||
		r.Objects[0].Fields[1].Span.Part != 1 {
		t.Errorf("got %+v", r)
	}
}
