package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
	"github.com/awarc/awarc/plugins/sdk/score"
)

// examplePages: the front page leads to the weather section, that to a page of the topic.
const examplePages = `{"topics": ["551"], "watch": %d, "pages": [
	{"url": "http://e/", "mh": "Coast News", "links": [
		{"sh": "Sections", "text": "Weather: forecasts, rain and wind for all the coast", "to": ["http://e/weather"]},
		{"sh": "Sections", "text": "Sport: football and tennis results", "to": ["http://e/sport"]}]},
	{"url": "http://e/weather", "mh": "Weather of the week", "links": [
		{"ish": "Reports", "text": "Report on the hurricane and what it left", "to": ["http://e/storm", "http://e/unknown"]}]},
	{"url": "http://e/sport", "mh": "Sport", "links": []},
	{"url": "http://e/storm", "mh": "The hurricane", "target": true, "links": []}]}`

func configure(t *testing.T, watch int) {
	t.Helper()
	plugintest.Configure(t, &abi.ConfigureRequest{Config: fmt.Sprintf(examplePages, watch)})
}

func link(url, anchor, context string) score.Link {
	return score.Link{URL: url, Anchor: anchor, Context: context}
}

func TestPriorityIsOneOverTheDistance(t *testing.T) {
	configure(t, -1)
	if n := len(c.graph.nodes); n != 2 {
		t.Fatalf("the graph has %d nodes, want the two from which the topic can be reached", n)
	}
	heading := func(s string) abi.Part { return abi.Part{Kind: abi.Heading, Text: s} }
	for _, x := range []struct {
		name string
		page *score.Page
		want float32
	}{
		{"as on the front page: two pages away", &score.Page{Parts: []abi.Part{heading("Coast News")},
			Links: []score.Link{link("http://x/w", "Weather", "Weather: rain and wind")}}, 0.5},
		{"as in the section: one page away", &score.Page{Parts: []abi.Part{heading("Weather of the month"), heading("Reports"),
			{Text: "Report on the cyclone"}}, Links: []score.Link{link("http://x/c", "Report on the cyclone", "Report on the cyclone")}},
			1},
		{"of the topic, in no such place: 1 / (levels + 1)",
			&score.Page{Title: "Miscellany", Links: []score.Link{link("http://x/g", "glaciers", "glaciers")}}, float32(1) / 3},
		{"of another topic", &score.Page{Parts: []abi.Part{heading("Weather of the month")},
			Links: []score.Link{link("http://x/f", "Football", "Report on football and tennis")}}, 0.01},
		{"of no topic", &score.Page{Links: []score.Link{link("http://x/i", "Imprint", "")}}, 0.01},
	} {
		if got := plugintest.Score(t, x.page).Links[0]; got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}

func TestFocus(t *testing.T) {
	table := newTable(deweyTable)
	for text, want := range map[string][]string{
		"The tropical storm brought rains and flooding winds": {"551"},
		"Birdwatching: owls, sparrows and their nests":        {"598"},
		"clothing":            {"155", "391", "646", "746"}, // one dot each
		"dresses, clothing":   {"391"},
		"election law court":  {"340"},
		"nothing of the kind": nil,
	} {
		var d dots
		table.plot(&d, words(text), false)
		if got := d.focus(); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	// What stands in the anchor weighs 1.4.
	var d dots
	table.plot(&d, words("football"), false)
	table.plot(&d, words("volcano"), true)
	if got := d.focus(); !slices.Equal(got, []string{"551"}) {
		t.Errorf("the anchor does not decide: %v", got)
	}
}

func TestDocumentsAndTopics(t *testing.T) {
	configure(t, -1)
	if doc := plugintest.Score(t, &score.Page{Parts: []abi.Part{{Text: "storm storm storm football"}}}).Doc; doc != 0.75 {
		t.Errorf("doc %v, want the share of the topic", doc)
	}
	// Without numbers the terms of the crawl's topic tell them.
	plugintest.Configure(t, plugintest.Topic("owls", "sparrow"))
	if !slices.Equal(c.Topics, []string{"598"}) {
		t.Errorf("topics %v", c.Topics)
	}
	plugintest.Configure(t, plugintest.Topic("gibberish"))
	if r := plugintest.Score(t, &score.Page{Title: "storm"}); r != nil {
		t.Errorf("a topic that the table does not have: %+v", r)
	}
	for _, bad := range []string{"{", `{"topics": ["weather"]}`, `{"threshold": 2}`} {
		if _, err := newCrawler(bad, &score.Topic{}); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// The watchdog learns where links to pages of the topic stand, and forgets what does not
// come up again.
func TestWatchdog(t *testing.T) {
	configure(t, 2)
	from := func(url string) *score.Page {
		return &score.Page{URL: url, Title: "Miscellany", Links: []score.Link{link("http://x/glacier", "glaciers of the north", "")}}
	}
	third := float32(1) / 3
	if got := plugintest.Score(t, from("http://x/1")).Links[0]; got != third {
		t.Fatalf("before: %v", got)
	}
	plugintest.Score(t, &score.Page{URL: "http://x/glacier", Title: "Glacier and tide"}) // of the topic; the watchdog looks
	if got := plugintest.Score(t, from("http://x/2")).Links[0]; got != 1 {
		t.Errorf("after the destination was of the topic: %v", got)
	}
	for i := range 6 {
		plugintest.Score(t, &score.Page{URL: fmt.Sprint("http://x/other", i), Title: "Football"})
	}
	if got := plugintest.Score(t, from("http://x/3")).Links[0]; got != third {
		t.Errorf("a node that nothing was similar to stays: %v", got)
	}
	for i := range 3 * maxWaiting { // bounded, whatever the crawl
		c.dog.seen(fmt.Sprint(i), texts{})
	}
	if len(c.dog.waiting) > maxWaiting || len(c.dog.order) != len(c.dog.waiting) {
		t.Errorf("%d links wait", len(c.dog.waiting))
	}
}

func TestStem(t *testing.T) {
	for w, want := range map[string]string{"storms": "storm", "classes": "class", "cities": "city", "flooding": "flood", "flooded": "flood",
		"running": "run", "bus": "bus", "press": "press", "sing": "sing", "telling": "tell"} {
		if got := stem(w); got != want {
			t.Errorf("%s: %s, want %s", w, got, want)
		}
	}
	if got := words("Tropical-storm, „Überflutung“"); strings.Join(got, "|") != "tropical|storm|überflutung" {
		t.Errorf("%q", got)
	}
}
