package crawl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// TestFocusIsExplained: a URL says that the context graph had no opinion on it, and that a stop by rank may leave it.
func TestFocusIsExplained(t *testing.T) {
	s := &Settings{}
	pending, fetched := frontier.Entry{State: frontier.Pending}, frontier.Entry{State: frontier.Fetched}
	without, with := &Score{}, &Score{Parts: []score.Part{{Module: score.ModuleContext}}}
	if why := s.whyFocus(pending, without); why != nil {
		t.Errorf("a crawl without a focus explains %q", why)
	}
	s.Flags.Context, s.Flags.RankMass = ContextSelf, 0.95
	why := strings.Join(s.whyFocus(pending, without), "\n")
	if !strings.Contains(why, "no opinion") || !strings.Contains(why, "95 % of the page rank") {
		t.Errorf("a pending URL: %q", why)
	}
	if why := s.whyFocus(fetched, with); why != nil {
		t.Errorf("a fetched URL with a layer: %q", why)
	}
}

// TestOntologyIsExplained: a link that the ontology scored says what each concept is worth, and by
// which relations.
func TestOntologyIsExplained(t *testing.T) {
	const skos = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/> .
		:pottery skos:prefLabel "Pottery"@en, "Keramik"@de ; skos:narrower :bowl ; skos:related :kiln .
		:bowl skos:prefLabel "bowl"@en . :kiln skos:prefLabel "kiln"@en .`
	dir := t.TempDir()
	kept := topic{File: "topic.yaml", Ontology: []byte(skos),
		Definition: "ontology: {file: p.ttl, concepts: [keramik], relations: {narrower: 0.9, related: 0.3}}"}
	data, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "state"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, topicFile), data, 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Settings{}
	s.Flags.Topic = "topic.yaml"
	why := strings.Join(s.whyOntology(dir, &Score{Parts: []score.Part{{Module: score.ModuleConcepts}}}), "\n")
	if !strings.Contains(why, "Pottery 1.00, bowl 0.90, kiln 0.30") || !strings.Contains(why, "narrower 0.9, broader 0, related 0.3") {
		t.Errorf("the explanation is %q", why)
	}
	if why := s.whyOntology(dir, &Score{Parts: []score.Part{{Module: score.ModuleContext}}}); why != nil {
		t.Errorf("a link without a score of the ontology is explained by %q", why)
	}
}
