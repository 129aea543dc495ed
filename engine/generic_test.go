package engine_test

import (
	"path/filepath"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// TestGenericReadingOfSavedPages reads all saved pages as if no application were
// known: lists, front pages and profiles give no object, articles mostly do, and many
// topics give their posts.
func TestGenericReadingOfSavedPages(t *testing.T) {
	needPages(t)
	base, err := kb.Load(kb.Source{Name: "none.xml",
		Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="c"><type id="none"><detect><pattern>nothing</pattern></detect></type>` +
			`</category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	type count struct{ pages, read, posts int }
	levels := map[string]*count{}
	for i, want := range savedPages(t) {
		if i%2 == 1 && !long() {
			continue
		}
		p := inspectFile(t, d, filepath.Join(pagesDir, want.file))
		if p.Finding.Type != nil {
			t.Fatalf("%s: a type is %s", want.file, p.Finding.Type.ID)
		}
		c := levels[want.level]
		if c == nil {
			c = &count{}
			levels[want.level] = c
		}
		c.pages++
		if len(p.Harvest.Objects) > 0 {
			c.read++
			if p.Harvest.Objects[0].Class == "sioc:Thread" {
				c.posts++
			}
			switch want.level {
			case "index", "forum", "profile", "category":
				t.Errorf("%s is of the level %s, and read as %q", want.file, want.level, p.Harvest.Objects[0].Value("title"))
			}
		}
	}
	for level, c := range levels {
		t.Logf("%-8s %d of %d read, %d as discussions", level, c.read, c.pages, c.posts)
	}
	// A topic of one long post looks like an article; the news of one site are topics.
	if c := levels["topic"]; 5*(c.read-c.posts) > c.pages || 5*c.posts < 2*c.pages {
		t.Errorf("of %d topics %d are read as one text and %d as discussions", c.pages, c.read-c.posts, c.posts)
	}
	// Front pages are told by their address, which is not known here.
	if c := levels["home"]; 20*c.read > c.pages {
		t.Errorf("%d of %d front pages are read as one text", c.read, c.pages)
	}
	if c := levels["forum"]; c.pages < 75 {
		t.Errorf("only %d lists of topics were there to be wrong about", c.pages)
	}
}
