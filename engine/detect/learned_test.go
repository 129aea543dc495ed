package detect

import (
	"testing"

	"github.com/awarc/awarc/kb"
)

// A pattern that was learned on a site is evidence there alone, and never makes
// one that an author wrote count less.
func TestLearnedPatternsApplyOnTheirSite(t *testing.T) {
	plain := load(t, `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="x"><detect><pattern>i</pattern></detect>
		<level id="topic" kind="terminal"><detect><pattern>b</pattern></detect></level></type></category></kb>`)
	at := kb.Place{Type: "x", Level: "topic", Part: kb.PartDetect}
	learned := func(expr, site string) kb.Entry {
		return kb.Entry{Place: at, Expr: expr, Provenance: kb.Provenance{Site: site}}
	}
	for _, c := range []struct {
		name    string
		entries []kb.Entry
		marks   string
		address string
		level   bool
	}{
		{"on its site", []kb.Entry{learned("s", "a.example")}, "i:x s:x", "a.example/t", true},
		{"elsewhere", []kb.Entry{learned("s", "a.example")}, "i:x s:x", "b.example/t", false},
		{"on the second of two sites", []kb.Entry{learned("s", "a.example"), learned("s", "b.example")}, "i:x s:x", "b.example/t", true},
		{"what an author wrote, elsewhere", []kb.Entry{learned("b", "a.example")}, "i:x b:x", "b.example/t", true},
	} {
		base, err := plain.With(c.entries...)
		if err != nil {
			t.Fatal(err)
		}
		f := New(base).Page(page(t, c.marks), Hints{Address: c.address, Full: true})
		if (f.Level() != nil) != c.level || f.Type == nil {
			t.Errorf("%s: type %v, level %v; want a level: %v", c.name, f.Type, f.Level(), c.level)
		}
		for _, e := range New(base).Explain(page(t, c.marks), f, 1) {
			if e.Levels[0].Fired != c.level {
				t.Errorf("%s: explained as fired: %v, want %v", c.name, e.Levels[0].Fired, c.level)
			}
		}
	}
}
