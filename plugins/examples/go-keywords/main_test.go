package main

import (
	"testing"

	"github.com/awarc/awarc/plugins/sdk/plugintest"
	"github.com/awarc/awarc/plugins/sdk/score"
)

func TestScorer(t *testing.T) {
	plugintest.Configure(t, plugintest.Topic("storm", "tropical storm"))
	r := plugintest.Score(t, &score.Page{Title: "Storm warning", Links: []score.Link{{Anchor: "tropical storm"}, {Anchor: "shop"}}})
	if r.Doc < 0.3 || r.Links[0] < 0.3 || r.Links[1] != 0 {
		t.Errorf("got %+v", r)
	}
}
