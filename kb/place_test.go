package kb_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/awarc/awarc/kb"
)

func builtinBase(t *testing.T) *kb.Base {
	t.Helper()
	b, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every spot of every built-in level can be named, and With changes that spot
// alone, in a copy.
func TestWithChangesOneSpot(t *testing.T) {
	try := &kb.Try{Expr: mustExpr(t, "p[@class='learned']"), Learned: &kb.Entry{}}
	levels := 0
	for _, typ := range builtinBase(t).Types {
		for _, l := range typ.Levels {
			levels++
			before := l.Spots()
			places := map[kb.Place]bool{}
			for i, s := range before {
				if places[s.Place] {
					t.Errorf("%s names two spots", s.Place)
				}
				places[s.Place] = true
				if s.Part == kb.PartDetect {
					continue
				}
				tries := slices.Clone(s.Tries)
				c := l.With(s.Place, try)
				after := c.Spots()
				if c == l || len(after) != len(before) {
					t.Fatalf("%s: With gave %d spots of %d", s.Place, len(after), len(before))
				}
				for j := range after {
					want := before[j].Tries
					if i == j {
						want = append(slices.Clone(want), try)
					}
					if after[j].Place != before[j].Place || !slices.Equal(after[j].Tries, want) {
						t.Errorf("With %s: the spot %s has %d tries, want %d", s.Place, after[j].Place, len(after[j].Tries), len(want))
					}
				}
				if now, _ := l.Spot(s.Place); !slices.Equal(now.Tries, tries) {
					t.Errorf("With %s changed the level it was asked of", s.Place)
				}
			}
		}
	}
	if levels < 50 {
		t.Fatalf("only %d levels were tried", levels)
	}
}

func TestWithElsewhereChangesNothing(t *testing.T) {
	l := builtinBase(t).Type("phpbb").Levels[0]
	elsewhere := kb.Place{Type: l.Type, Level: l.ID, Variant: l.Variant, Part: "sioc:Post taste"}
	if l.With(elsewhere, &kb.Try{}) != l || l.With(kb.Place{Type: l.Type, Level: l.ID, Variant: l.Variant, Part: kb.PartDetect},
		&kb.Try{}) != l {
		t.Error("a try was added at a place that the level does not have")
	}
}

func TestPlacesRead(t *testing.T) {
	b := load(t, slipway)
	var got []string
	for _, s := range b.Type("slipway").Level("topic")[0].Spots() {
		got = append(got, s.String())
	}
	want := []string{"slipway topic detect", "slipway topic follow topic paging", "slipway topic follow topic paging[2]",
		"slipway topic sioc:Thread title", "slipway topic sioc:Thread total sioc:Post", "slipway topic sioc:Thread/sioc:Post",
		"slipway topic sioc:Thread/sioc:Post creator", "slipway topic sioc:Thread/sioc:Post[2]",
		"slipway topic sioc:Thread/sioc:Post[2] creator"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("places are\n%q, want\n%q", got, want)
	}
}

// A subtype has what was learned for the level that it inherits; one with a level
// of its own has not.
func TestBaseWith(t *testing.T) {
	b := load(t, `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="a"><detect><pattern>i</pattern></detect>
		<level id="topic" kind="terminal"><detect><pattern>b</pattern></detect><object class="sioc:Thread" id="{url}">
		<field name="title">h1</field></object></level>
		<type id="heir"><detect><pattern>u</pattern></detect></type>
		<type id="own"><detect><pattern>s</pattern></detect>
			<level id="topic" kind="terminal"><detect><pattern>b</pattern></detect><object class="sioc:Thread" id="{url}">
			<field name="title">h2</field></object></level></type>
		</type></category></kb>`)
	e := kb.Entry{Place: kb.Place{Type: "a", Level: "topic", Part: "sioc:Thread title"}, Expr: "h3",
		Provenance: kb.Provenance{Site: "x.example"}}
	p := kb.Entry{Place: kb.Place{Type: "a", Level: "topic", Part: kb.PartDetect}, Expr: "b[@id]",
		Provenance: kb.Provenance{Site: "x.example"}}
	c, err := b.With(e, p)
	if err != nil {
		t.Fatal(err)
	}
	tries := func(b *kb.Base, id kb.TypeID) int { return len(b.Type(id).Levels[0].Objects[0].Fields[0].Tries) }
	patterns := func(b *kb.Base, id kb.TypeID) int { return len(b.Type(id).Levels[0].Detect) }
	for id, want := range map[kb.TypeID]int{"a": 2, "heir": 2, "own": 1} {
		if tries(c, id) != want || patterns(c, id) != want || tries(b, id) != 1 {
			t.Errorf("%s has %d tries and %d patterns, want %d (%d before)", id, tries(c, id), patterns(c, id), want, tries(b, id))
		}
	}
	if c.Hash == b.Hash || c.Type("heir").Parent != c.Type("a") {
		t.Error("the new base has the hash of the old one, or its types point into it")
	}
	e.Rejected = true
	if d, err := c.With(e); err != nil || tries(d, "a") != 1 || tries(d, "heir") != 1 || tries(c, "heir") != 2 || patterns(d, "heir") !=
		2 || d.Hash == c.Hash {
		t.Errorf("rejected, %v tries of the heir are left, error %v", tries(d, "heir"), err)
	}
	if same, err := b.With(kb.Entry{Place: e.Place, Expr: "h4", Rejected: true}); err != nil || same != b {
		t.Errorf("a rejected entry gave another base, error %v", err)
	}
	if _, err := b.With(kb.Entry{Place: e.Place, Expr: "h3["}); err == nil {
		t.Error("an entry that is no expression was taken")
	}
}

func TestWhereAnEntryApplies(t *testing.T) {
	for _, c := range []struct {
		p       kb.Provenance
		address string
		want    bool
	}{
		{kb.Provenance{Site: "a.example"}, "a.example/t/1", true},
		{kb.Provenance{Site: "a.example"}, "b.example/t/1", false},
		{kb.Provenance{Site: "a.example/forum"}, "a.example/forum/t/1", true},
		{kb.Provenance{Site: "a.example/forum"}, "a.example/forums/t/1", false},
		{kb.Provenance{Site: "a.example b.example"}, "b.example/", true},
		{kb.Provenance{Site: "a.example b.example"}, "d.example/", false},
		{kb.Provenance{Site: "a.example b.example c.example"}, "d.example/", true},
		{kb.Provenance{Site: "a.example", Accepted: true}, "b.example/", true},
		{kb.Provenance{}, "b.example/", true},
	} {
		if got := c.p.AppliesAt(c.address); got != c.want {
			t.Errorf("%+v at %s: %v, want %v", c.p, c.address, got, c.want)
		}
	}
}

const slipway = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="slipway"><detect><pattern>i</pattern></detect>
	<level id="topic" kind="terminal"><detect><pattern>b</pattern></detect>
		<follow to="topic" paging="yes">a</follow><follow to="topic" paging="yes">b</follow>
		<object class="sioc:Thread" id="{url}"><field name="title">h1</field><total of="sioc:Post">p</total>
			<object class="sioc:Post" at="div" id="{url}#{@id}"><field name="creator">u</field></object>
			<object class="sioc:Post" at="li" id="{url}#{@id}"><field name="creator">u</field></object>
		</object></level></type></category></kb>`

func mustExpr(t *testing.T, source string) *kb.Expr {
	t.Helper()
	x, err := kb.NewExpr(source)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A navigation action that a level does not have is added to it; nothing else is.
func TestNavigationIsAdded(t *testing.T) {
	l := &kb.Level{Type: "board", ID: "topic"}
	try := &kb.Try{}
	for part, want := range map[string]int{"follow list": 1, "follow topic paging": 1, "follow list[2]": 0, "follow ": 0, "sioc:Post": 0} {
		place := kb.Place{Type: "board", Level: "topic", Part: part}
		now := l.With(place, try)
		if len(now.Follow) != want {
			t.Errorf("%q: %d actions, want %d", part, len(now.Follow), want)
		}
		if _, ok := now.Spot(place); ok != (want == 1) || len(l.Follow) > 0 {
			t.Errorf("%q: its place is there: %v", part, ok)
		}
	}
	if now := l.With(kb.Place{Type: "board", Level: "list", Part: "follow list"}, try); now != l {
		t.Error("an action of another level is added")
	}
}
