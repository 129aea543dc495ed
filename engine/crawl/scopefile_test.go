package crawl

import (
	"net/url"
	"regexp"
	"testing"

	"github.com/awarc/awarc/engine"
)

func FuzzScopeFile(f *testing.F) {
	for _, text := range []string{
		"- exclude: {path: /x/}\n- only:\n  - {lang: [de, en], size: under 10M}\n  - {not: {mime: video/*}}\n- also: {host: '*.example'}\n",
		"- exclude: {hops: over 3, depth: under 2, url: 'a|b'}\n", "[]", "- 1\n", "a: b\n", "- exclude: {url: '('}\n", "- only: [\n",
		"? - x\n",
	} {
		f.Add([]byte(text))
	}
	place := regexp.MustCompile(`^scope\.yaml:[0-9]+: `)
	at, err := url.Parse("http://a.example/x/y?z=1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := parseScope("scope.yaml", data)
		if err != nil {
			if !place.MatchString(err.Error()) {
				t.Fatalf("%q: an error without file and line: %v", data, err)
			}
			return
		}
		s, err := engine.NewScope(engine.ScopeRules{Type: engine.ScopeHost, MaxHops: -1, Rules: rules}, nil)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if why, in := s.Explain(at, 1, false); !in && len(why) == 0 {
			t.Fatalf("%q: out of scope without a reason", data)
		}
	})
}
