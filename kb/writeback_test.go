package kb

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var learnedDay = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// inserted matches an entry with the line break and indentation before it.
var inserted = regexp.MustCompile(`\r?\n[ \t]*<(?:try|at|pattern|without)[^<>]* learned="[^<>]*>[^<>]*</(?:try|at|pattern|without)>|` +
	`\r?\n[ \t]*<(?:try|at|pattern|without) learned="[^<>]*>[^<>]*</(?:try|at|pattern|without)>`)

// Into every place of every built-in file, and of one with hard cases, an entry
// can be written; what was there stays to the byte, and the file says what it said
// and the entries. The short form takes every fourth place.
func TestInsertBesideKeepsEveryByte(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	const hard = "<?xml version=\"1.0\"?>\n<kb xmlns='urn:awarc:kb:1'><!-- é < > -->\n" +
		"<category id='forum'><type id='t'><detect><pattern>i</pattern></detect>\n" +
		"\t<level id='topic' kind='terminal'><detect><pattern>b</pattern></detect>\n\t\t<follow to='topic'\n" +
		"\t\t\tpaging='yes'><![CDATA[a[@class='x']]]></follow><follow to='topic'><try>a</try> <try>b</try><!-- c --></follow>\n" +
		"\t\t<object class='sioc:Thread' id='{url}'>\n\t\t\t<field name='title' match='(.+)'>\n\t\t\t\th1\n\t\t\t</field>\n" +
		"\t\t\t<object class='sioc:Post' at='p[@a=\"]>\"]' id='{url}#{@id}'><!-- first --><field " +
		"name='creator'><without>i</without>b</field></object>\n\t\t</object></level></type></category></kb>"
	hardCases := strings.Replace(hard, "<field name='creator'>", "<field name='creator' as='html'>", 1)
	sources := append(Builtin(), Source{Name: "hard", Data: []byte(hardCases)})
	for _, s := range sources[len(sources)-3:] {
		sources = append(sources, Source{Name: s.Name + " with CRLF", Data: bytes.ReplaceAll(s.Data, []byte("\n"), []byte("\r\n"))})
	}
	places, written := 0, 0
	for _, s := range sources {
		before, err := Load(s)
		if err != nil {
			t.Fatal(err)
		}
		data := s.Data
		var want []Entry
		for _, typ := range before.Types {
			for _, l := range typ.Levels {
				if l.Type != typ.ID {
					continue
				}
				for i, spot := range l.Spots() {
					if places++; !Long() && s.Name != "hard" && places%4 != 0 {
						continue
					}
					e := Entry{Place: spot.Place, Expr: fmt.Sprintf("p[@class='a<b&%d']", i),
						Provenance: Provenance{Learned: learnedDay, From: `a[@b="c"]`, Cost: i, Site: "a.example", Pages: 4,
							Confidence: 0.5, Evidence: "so & so"}}
					if spot.Field != nil && spot.Field.As != HTML && i%2 == 0 { // the others take over no match of their field
						e.Match = "(x)"
					}
					if data, err = insertBeside(data, &e); err != nil {
						t.Fatalf("%s: %s: %v", s.Name, e.Place, err)
					}
					want = append(want, e)
				}
			}
		}
		if got := inserted.ReplaceAll(data, nil); !bytes.Equal(got, s.Data) {
			t.Fatalf("%s: what was there has changed: %s", s.Name, firstDifference(got, s.Data))
		}
		if crlf := bytes.Count(data, []byte("\r\n")); crlf > 0 && crlf != bytes.Count(data, []byte("\n")) {
			t.Errorf("%s: line breaks of two kinds", s.Name)
		}
		after, err := Load(Source{Name: s.Name, Data: data})
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if len(after.Entries) != len(want) {
			t.Errorf("%s: %d entries, want %d", s.Name, len(after.Entries), len(want))
		}
		for i := range want {
			e := want[i]
			at := slices.IndexFunc(after.Entries, func(k Entry) bool { return k.ID() == e.ID() })
			if at < 0 {
				t.Errorf("%s: %s is not there", s.Name, e.Place)
				continue
			}
			got := after.Entries[at]
			if e.Pos = got.Pos; got != e || got.Pos.Line == 0 {
				t.Errorf("%s: read back is\n%+v, want\n%+v", s.Name, got, e)
			}
			written++
		}
		sameActions(t, before, after, want)
	}
	if places < 900 || written < places/4 {
		t.Errorf("only %d entries were written at %d places", written, places)
	}
}

// sameActions checks that what authors wrote comes first and unchanged, with the entries behind it.
func sameActions(t *testing.T, before, after *Base, entries []Entry) {
	t.Helper()
	learned := map[Place]int{}
	for _, e := range entries {
		learned[e.Place]++
	}
	for _, typ := range before.Types {
		for i, l := range typ.Levels {
			now := after.Type(typ.ID).Levels[i].Spots()
			for j, s := range l.Spots() {
				for k, try := range s.Tries {
					if got := now[j].Tries[k]; got.Learned != nil || got.Expr.Source != try.Expr.Source || source(got.Match) !=
						source(try.Match) {
						t.Errorf("%s: try %d was %s, is %s", s.Place, k, try.Expr, got.Expr)
					}
				}
				if s.Part != PartDetect && len(now[j].Tries) != len(s.Tries)+learned[s.Place] {
					t.Errorf("%s: %d tries, want %d and %d learned ones", s.Place, len(now[j].Tries), len(s.Tries), learned[s.Place])
				}
			}
		}
	}
}

func firstDifference(a, b []byte) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("at byte %d: %.60q, was %.60q", i, a[i:min(len(a), i+60)], b[i:min(len(b), i+60)])
		}
	}
	return fmt.Sprintf("%d bytes, were %d", len(a), len(b))
}

func TestSetAttr(t *testing.T) {
	for _, c := range []struct{ tag, name, value, want string }{
		{`<try a="1">`, "b", "2", `<try a="1" b="2">`},
		{"<try a = '1 b=\"x\"'\n  b='2' >", "b", "3", "<try a = '1 b=\"x\"' b=\"3\" >"},
		{`<try a="1" b="2"/>`, "a", remove, `<try b="2"/>`},
		{`<try a="1"/>`, "b", `<">`, `<try a="1" b="&lt;&quot;&gt;"/>`},
		{`<try>`, "b", "2", `<try b="2">`},
		{`<try a="b=1">`, "b", remove, `<try a="b=1">`},
	} {
		if got := setAttr([]byte(c.tag), attribute{c.name, c.value}); string(got) != c.want {
			t.Errorf("%s with %s=%q is %s, want %s", c.tag, c.name, c.value, got, c.want)
		}
	}
}
