package assess

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// settings are those of a frontier in memory.
type settings map[string][]byte

func (s settings) Meta(key string) []byte { return s[key] }

func (s settings) PutMeta(key string, value []byte) error {
	s[key] = value
	return nil
}

func (s settings) EachMeta(prefix string, fn func(key string, value []byte) error) error {
	for key, value := range s {
		if strings.HasPrefix(key, prefix) {
			if err := fn(key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func open(t *testing.T, o Options, s Settings) *Assessor {
	t.Helper()
	a, err := Open(o, s, func(msg string, args ...any) { t.Log(msg, args) })
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func link(t *testing.T, address, anchor string) Link {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return Link{URL: frontier.URL{URL: address, Key: address, Priority: 100}, Found: extract.Link{URL: address, Text: anchor}, At: u,
		Known: score.None}
}

func page(t *testing.T, text string) *Page {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return &Page{Page: extract.Page{Doc: doc, URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/"}}, Status: 200, MIME: "text/html"}
}

// Links get priorities by what the modules say of them, each its own; those to a blacklisted host
// are kept out and take no other's place.
func TestLinksAreAssessed(t *testing.T) {
	topic := score.NewTopic(score.TopicSpec{Keywords: []score.Term{{Text: "sailing", Weight: 1}}})
	a := open(t, Options{Definition: &score.Definition{Blacklist: []string{"spam.example"}}, Topic: topic}, settings{})
	links := []Link{link(t, "http://h.example/cooking", "cooking"), link(t, "http://spam.example/", "sailing"),
		link(t, "http://h.example/sailing", "sailing")}
	got := a.Page(context.Background(), page(t, "<p>Of boats and pans."), links)
	if len(got.Blacklisted) != 1 || got.Blacklisted[0].URL.URL != "http://spam.example/" || got.Blacklisted[0].By != score.ModuleBlacklist {
		t.Errorf("blacklisted are %v", got.Blacklisted)
	}
	if len(got.Links) != 2 || got.Links[0].URL != links[0].URL.URL || got.Links[1].URL != links[2].URL.URL {
		t.Fatalf("links are %v", got.Links)
	}
	if cooking, sailing := got.Links[0], got.Links[1]; sailing.Priority <= cooking.Priority || sailing.Why == "" {
		t.Errorf("priorities are %d for cooking and %d (%q) for sailing", cooking.Priority, sailing.Priority, sailing.Why)
	}
	if links[2].Priority != 100 {
		t.Error("the links that were given have changed")
	}
}

// A page whose objects nobody has an opinion of is worth something, one without objects nothing.
func TestWorthWithoutOpinions(t *testing.T) {
	a := open(t, Options{Definition: &score.Definition{}}, settings{})
	p := page(t, "<p>Text.")
	if got := a.Page(context.Background(), p, nil).Worth; got != 0 {
		t.Errorf("a page without objects is worth %v", got)
	}
	p.Objects = []extract.Object{{Class: "sioc:Post"}}
	if got := a.Page(context.Background(), p, nil).Worth; got != 1 {
		t.Errorf("a page with an object is worth %v", got)
	}
}

// Hosts that plugins blacklisted stay so in the next session.
func TestBlacklistedHostsAreRemembered(t *testing.T) {
	s := settings{}
	first := open(t, Options{Definition: &score.Definition{}, MayBlacklistHosts: []string{"filter"}}, s)
	found := &Assessment{Settings: map[string][]byte{}}
	if !first.blacklistHost(found, "spam.example", "filter", "filter@1") {
		t.Error("who may keep a host out does not")
	}
	for key, value := range found.Settings {
		s[key] = value
	}
	next := open(t, Options{Definition: &score.Definition{}}, s)
	if by := next.BlacklistedBy(&url.URL{Scheme: "http", Host: "SPAM.example"}); by != "filter@1" {
		t.Errorf("it is blacklisted by %q", by)
	}
}

// Without a definition and plugins nothing is assessed.
func TestZeroOptionsAssessNothing(t *testing.T) {
	if a := open(t, Options{}, settings{}); a.On() || a.Learns() || a.Learned() != nil || a.BlacklistedBy(&url.URL{Host: "h.example"}) !=
		"" {
		t.Error("something is assessed")
	}
}

// TestExamplesOfTheContextGraphAreKept: the next session has each example of a session that was killed, also of files, before any training.
func TestExamplesOfTheContextGraphAreKept(t *testing.T) {
	kept := settings{}
	a := open(t, Options{Layers: layers.New(2)}, kept)
	for i := range 20 {
		file, list := fmt.Sprint("http://a.example/file/", i), fmt.Sprint("http://a.example/list/", i)
		for key, value := range a.LearnLayers(frontier.URL{Key: list}, &Assessment{}, []string{file}, 0) {
			kept[key] = value
		}
		for key, value := range a.LearnLayers(frontier.URL{Key: file}, nil, nil, 1) {
			kept[key] = value
		}
	}
	next := layers.New(2)
	open(t, Options{Layers: next}, kept)
	if sizes := next.Train(); !slices.Equal(sizes, []int{20, 20, 0, 0}) {
		t.Errorf("the next session has layers of %v examples, want 20 files and 20 lists", sizes)
	}
}
