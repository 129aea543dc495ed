package engine_test

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
)

// A plugin that takes more than its budget of the time is named as slow, with the cost of a call;
// losses are counted.
func TestSlowPluginIsNamed(t *testing.T) {
	quick := engine.PluginReport{Calls: 100, Time: 1, Share: engine.PluginBudget}
	if text := quick.Text(); text != "100 calls, 1.0 s; 25.0 % of the last session" {
		t.Error(text)
	}
	slow := engine.PluginReport{Calls: 41, Errors: 1, Time: 3.28, Share: 0.86, LogDropped: 240,
		Kinds:   map[string]int64{"trap": 1, "disabled": 2},
		Example: "http://e.example/", Error: "score: trap"}
	const want = "41 calls, 3.3 s, 1 error (1 trap), such as on http://e.example/: score: trap; 2 disabled; " +
		"240 lines of its log dropped; " +
		"slow: it took 86 % of the last session, 80 ms a call"
	if text := slow.Text(); !strings.HasPrefix(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
}
