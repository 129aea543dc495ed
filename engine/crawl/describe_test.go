package crawl

import (
	"strings"
	"testing"
)

// What the archive says of its settings names no secret and nothing that was not said.
func TestSettingsInTheArchive(t *testing.T) {
	s := Settings{Flags: Options{
		Fetching: Fetching{Proxy: "http://me:secret@proxy.example:3128"},
		Scoring:  Scoring{Plugin: []string{"/p/x.wasm"}, PluginConfig: map[string]string{"x": `{"key":"secret"}`}},
		Reach:    Reach{Requisites: true},
	}}
	text := string(s.public().brief())
	for _, want := range []string{`"Proxy":"http://proxy.example:3128"`, `"Requisites":true`, `"/p/x.wasm"`} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %s: %s", want, text)
		}
	}
	for _, not := range []string{"secret", "Sitemaps", "Blind", "null"} {
		if strings.Contains(text, not) {
			t.Errorf("it says %s: %s", not, text)
		}
	}
	if s.Flags.Proxy == "http://proxy.example:3128" || s.Flags.PluginConfig == nil {
		t.Error("the settings themselves were changed")
	}
}
