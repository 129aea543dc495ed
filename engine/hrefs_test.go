package engine

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// TestHrefs: what is requested for an address of a page is what a browser requests, as node's URL has it (testdata/hrefs).
func TestHrefs(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/hrefs/hrefs.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Base  string
		Hrefs [][2]string
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	base, rules := parseURL(table.Base), new(kb.URLRules)
	for _, row := range table.Hrefs {
		got := extract.Resolve(base, row[0])
		if got != "" {
			got = rules.Fetchable(parseURL(got)).String()
		}
		if got != row[1] {
			t.Errorf("%q: %q, a browser requests %q", row[0], got, row[1])
		}
	}
	if len(table.Hrefs) < 200 {
		t.Errorf("%d addresses", len(table.Hrefs))
	}
}

// Ways of writing one address that servers take for one are one page, so that each is requested once.
func TestKeysOfOneAddress(t *testing.T) {
	t.Parallel()
	rules := new(kb.URLRules)
	for _, same := range [][2]string{
		{"http://h.example/a|b[1]", "http://h.example/a%7Cb%5B1%5D"}, {"http://h.example/a?", "http://h.example/a"},
		{"http://h.example/a?b&&a", "http://h.example/a?a&b"}, {"http://h.example/a|b?x#y", "http://h.example/a|b?x"},
	} {
		if a, b := rules.Key(parseURL(same[0])), rules.Key(parseURL(same[1])); a != b {
			t.Errorf("%q has the key %q, %q has %q", same[0], a, same[1], b)
		}
	}
	if a, b := rules.Key(parseURL("http://h.example/%zz")), rules.Key(parseURL("http://h.example/%25zz")); a == b {
		t.Errorf("a stray percent sign is taken for an escaped one: %q", a)
	}
}
