package score_test

import (
	"errors"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/score"
)

func TestStoredScoresComeBack(t *testing.T) {
	var kept []score.Name
	names := score.NewNames(nil, func(list []score.Name) error { kept = slices.Clone(list); return nil })
	a, err := score.NewAggregator(score.Weights{"b": 2.5, "c": 0})
	if err != nil {
		t.Fatal(err)
	}
	v := a.Combine(&score.Page{Links: make([]score.Link, 1)}, []score.Opinion{
		{Module: "a", Doc: 0.3}, {Module: "b", Source: "1.0.0 abc", Doc: score.None, Links: []float64{0.9}}, {Module: "c", Doc: 1},
	})
	b, err := score.Stored{Score: v.Links[0], Page: 0.25}.Encode(names)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 3+3*3+2*4 {
		t.Errorf("%d bytes for three parts", len(b))
	}
	got, err := score.DecodeStored(b, kept)
	if err != nil || got.Page != 0.25 || math.Abs(got.Score.Value-v.Links[0].Value) > 1e-4 || len(got.Score.Parts) != 3 {
		t.Fatalf("%+v, %v; want %+v", got, err, v.Links[0])
	}
	for i, p := range got.Score.Parts {
		if want := v.Links[0].Parts[i]; p != want {
			t.Errorf("part %+v, want %+v", p, want)
		}
	}
	// A later session goes on with the numbers; a version of a plugin has one of its own.
	later := score.NewNames(kept, func(list []score.Name) error { kept = slices.Clone(list); return nil })
	if _, err := (score.Stored{Score: score.Score{Parts: []score.Part{{Module: "b", Source: "1.1.0 def"}}}}).Encode(later); err != nil ||
		len(kept) != 4 {
		t.Errorf("%v, %v", kept, err)
	}
	if again, err := score.DecodeStored(b, kept); err != nil || !slices.Equal(again.Score.Parts, got.Score.Parts) {
		t.Errorf("%+v, %v", again, err)
	}
	full := errors.New("full")
	if _, err := (score.Stored{Score: score.Score{Parts: []score.Part{{Module: "new"}}}}).Encode(score.NewNames(nil,
		func([]score.Name) error { return full })); !errors.Is(err, full) {
		t.Errorf("a name that could not be kept: %v", err)
	}
}

// FuzzDecodeStored feeds damaged scores; none may make a score that is no score.
func FuzzDecodeStored(f *testing.F) {
	f.Add([]byte{1, 0, 0, 2, 9, 9, 0, 0, 128, 63})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{1, 16, 255, 0, 0, 0})                    // above 1
	f.Add([]byte{1, 0, 0, 2, 9, 9, 0, 0, 192, 255})       // a weight that is no number
	f.Add([]byte{1, 0, 0, 2, 9, 9, 0, 0, 128, 191, 0, 1}) // a weight below 0
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := score.DecodeStored(b, []score.Name{{Module: "a"}, {Module: "b", Source: "1"}})
		if err != nil {
			return
		}
		for _, v := range []float64{s.Page, s.Score.Value} {
			if score.Given(v) && !(v >= 0 && v <= 1) {
				t.Errorf("%v gives %g", b, v)
			}
		}
	})
}

// The pages of a whole crawl do not outweigh what the user said.
func TestManyTextsWeighAsMuchAsTheKeywords(t *testing.T) {
	texts := slices.Repeat([]string{"the cats and the dogs of the town"}, 300)
	topic := score.NewTopic(score.TopicSpec{Keywords: []score.Term{{Text: "storm", Weight: 1}}, Texts: texts})
	if s := topic.Similarity("a storm", "en"); s < 0.6 {
		t.Errorf("the keyword is worth %.2f beside 300 texts", s)
	}
	if s := topic.Similarity("cats and dogs", "en"); s < 0.5 {
		t.Errorf("the texts are worth %.2f", s)
	}
}

func TestLevelsThatLeadToMoreAreLifted(t *testing.T) {
	a, err := score.NewAggregator(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := score.NewLearner(a)
	if l.Lift("blog/post") != 1 {
		t.Error("a lift without experience")
	}
	for i := range 200 {
		good := float64(i % 2)
		l.Level([]string{"blog/archive", "blog/post"}[i%2], good)
		l.Harvest([]score.Part{{Module: "m", Score: good}}, good)
	}
	if post, archive, other := l.Lift("blog/post"), l.Lift("blog/archive"),
		l.Lift("forum/topic"); post < 1.5 || archive > 0.7 || other != 1 {
		t.Errorf("lifts %.2f, %.2f, %.2f", post, archive, other)
	}
	state, err := l.State()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := score.NewAggregator(nil)
	again := score.NewLearner(b)
	if err := again.Restore(state); err != nil || again.Pages() != l.Pages() || again.Lift("blog/post") != l.Lift("blog/post") ||
		b.Weights()["m"] != a.Weights()["m"] {
		t.Errorf("restored: %v, %v; want %v; %v", again.Lessons(), b.Weights(), a.Weights(), err)
	}
	if err := again.Restore([]byte("{")); err == nil {
		t.Error("a state that is cut short is taken")
	}
}

// The worked example of the documentation says something of everything.
func TestTheWorkedExample(t *testing.T) {
	f, err := os.Open("example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := score.ReadDefinition("example.yaml", f)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Seeds) != 2 || *d.Scope.MaxHops != 6 || len(d.Languages) != 2 || len(d.Keywords) != 3 || len(d.Entities) != 1 ||
		d.LearnsSeeds() || len(d.URLs) != 2 ||
		len(d.Blacklist) != 1 || d.Weights["text.anchor"] != 2 || d.Priority.Update != "avg" || !d.Priority.Learn {
		t.Errorf("%+v", d)
	}
	d.Ontology.File = "storm.ttl" // the example has none, so that it needs no other file
	if err := d.ReadOntology([]byte(`<http://storm> <http://www.w3.org/2004/02/skos/core#prefLabel> "storm" .`)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range d.Modules(d.Topic()) {
		for _, o := range m.Score(&score.Page{URL: &url.URL{Host: "a.example"},
			Title: strings.Repeat("The tropical storm brought a flood to the coast. ", 10),
			Links: []score.Link{link(t, "http://ads.example/2024/05/1", "flood", "a flood")}}) {
			names = append(names, o.Module)
		}
	}
	slices.Sort(names)
	want := slices.DeleteFunc(score.BuiltIn(), func(name string) bool { return name == score.ModuleContext }) // needs a crawl
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("modules %v, want %v", names, want)
	}
}
