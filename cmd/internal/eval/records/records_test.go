package records

import (
	"os"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/engine/read/records"
	"github.com/awarc/awarc/kb"
)

// TestFloor holds the reader to what it finds on labelled forum pages without the knowledge base.
func TestFloor(t *testing.T) {
	const dir = "../../../../../shared/forums"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no labelled pages beside the repository")
	}
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := Forums(dir, detect.New(base))
	if err != nil {
		t.Fatal(err)
	}
	builtIn := func(*Page) rank.Table { return records.Weights() }
	var sum, unknown, renamed Score
	types := map[kb.TypeID]*Score{}
	for _, r := range Measure(pages, builtIn) {
		sum.Add(r.Score)
		if !r.Known {
			unknown.Add(r.Score)
			continue
		}
		if types[r.Type] == nil {
			types[r.Type] = &Score{}
		}
		types[r.Type].Add(r.Score)
	}
	for _, r := range Measure(Renamed(pages), builtIn) {
		renamed.Add(r.Score)
	}
	for _, floor := range []struct {
		of                       string
		got                      Score
		recall, precision, users float64
	}{
		{"all", sum, 0.94, 0.94, 0.88},
		{"unknown software", unknown, 0.95, 0.94, 0.94},
		{"renamed classes", renamed, 0.94, 0.93, 0.75},
	} {
		if s := floor.got; ratio(s.Found, s.Posts) < floor.recall || ratio(s.Found, s.Extracted) < floor.precision ||
			ratio(s.Users, s.Posts) < floor.users {
			t.Errorf("%s: %+v", floor.of, s)
		}
	}
	for typ, s := range types {
		if ratio(s.Found, s.Posts) < 0.85 {
			t.Errorf("%s: %+v", typ, *s)
		}
	}
}
