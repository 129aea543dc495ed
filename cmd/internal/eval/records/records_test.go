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
	var sum, unknown Score
	for _, r := range Measure(pages, func(*Page) rank.Table { return records.Weights() }) {
		sum.Add(r.Score)
		if !r.Known {
			unknown.Add(r.Score)
		}
	}
	for name, s := range map[string]Score{"all": sum, "unknown software": unknown} {
		if ratio(s.Found, s.Posts) < 0.93 || ratio(s.Found, s.Extracted) < 0.93 || ratio(s.Users, s.Posts) < 0.88 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
