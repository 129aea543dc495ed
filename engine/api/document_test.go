package api

import (
	"os"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// The campaign that docs/apis.md shows can be run.
func TestDocumentedCampaign(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/apis.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if code, ok := strings.CutPrefix(line, "    "); ok && (len(lines) > 0 || strings.HasPrefix(code, "name: ")) {
			lines = append(lines, code)
		} else if len(lines) > 0 {
			break
		}
	}
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCampaign("docs/apis.md", []byte(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	queries, err := c.Queries(base)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[*Source]bool{}
	for _, q := range queries {
		sources[q.Source] = true
	}
	if len(sources) != len(c.Sources) || len(sources) < 3 {
		t.Errorf("queries of %d sources, of %d", len(sources), len(c.Sources))
	}
}
