package adapt

import (
	"fmt"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// TestFuller replaces adapted objects by those of the record reader where these have clearly more
// fields, and never by objects that actions found.
func TestFuller(t *testing.T) {
	posts := func(confidence float64, n int, fields ...string) (h extract.Harvest) {
		for i := range n {
			o := extract.Object{Class: "sioc:Post", ID: fmt.Sprint(i), Confidence: confidence}
			for _, name := range fields {
				o.Fields = append(o.Fields, extract.Field{Name: name, Values: []string{"x"}})
			}
			h.Objects = append(h.Objects, o)
		}
		return h
	}
	some := posts(0, 10, "content", "creator", "created")
	some.Objects = append(some.Objects[1:], posts(0, 1, "creator").Objects...)
	list := posts(0, 1, "content")
	list.Level = &kb.Level{Kind: kb.Intermediate}
	for name, c := range map[string]struct {
		adapted, read extract.Harvest
		want          int // fields
	}{
		"the reader has more posts":   {posts(0, 2, "content"), posts(0.9, 10, "content", "creator"), 20},
		"it has hardly more":          {posts(0, 10, "content"), posts(0.9, 11, "content"), 10},
		"actions found the others":    {posts(0, 2, "content"), posts(0, 10, "content"), 2},
		"adaptation found a list":     {list, posts(0.9, 10, "content"), 1},
		"it has a field of one post":  {some, posts(0.9, 10, "content", "creator"), 29},
		"the reader has fewer fields": {posts(0, 10, "content", "creator"), posts(0.9, 10, "content"), 20},
	} {
		if got := fuller(c.adapted, c.read); got.Known() != c.want {
			t.Errorf("%s: %d fields, want %d", name, got.Known(), c.want)
		}
	}
}
