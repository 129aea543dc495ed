package detect

import (
	"fmt"
	"testing"

	"golang.org/x/net/html"
)

// TestSyntheticTypesAreLikeTheirModels: as many patterns of the same shapes, each
// different, the same every time; and the pages of the models are still theirs.
func TestSyntheticTypesAreLikeTheirModels(t *testing.T) {
	base := load(t, world)
	own := page(t, "b:alpha1 b:alpha2 i:a1 p:topic2")
	pages := []*html.Node{own}
	large := Synthetic(base, pages, 2000, 7)
	if len(large.Types) != 2000 || len(Synthetic(base, pages, 3, 7).Types) != 3 {
		t.Fatalf("%d types", len(large.Types))
	}
	again := Synthetic(base, pages, 500, 7)
	for i, a := range again.Types {
		b := large.Types[i]
		if a.ID != b.ID || fmt.Sprint(len(a.Detect), len(a.Levels)) != fmt.Sprint(len(b.Detect), len(b.Levels)) {
			t.Fatalf("type %d is %s, then %s", i, a.ID, b.ID)
		}
		for k := range a.Detect {
			if a.Detect[k].Expr.String() != b.Detect[k].Expr.String() {
				t.Fatalf("%s: %s, then %s", a.ID, a.Detect[k].Expr, b.Detect[k].Expr)
			}
		}
	}
	n := len(base.Types)
	model, copied := base.Types[0], large.Types[n] // the first type with patterns is the first
	for k := range model.Detect {
		if model.Detect[k].Expr.String() == copied.Detect[k].Expr.String() || model.Detect[k].Weak != copied.Detect[k].Weak {
			t.Errorf("%s is copied as %s", model.Detect[k].Expr, copied.Detect[k].Expr)
		}
	}
	d, small := New(large), New(base)
	if d.Patterns() < 1000*small.Patterns()/n/4 {
		t.Errorf("%d patterns of 2,000 types, %d of %d", d.Patterns(), small.Patterns(), n)
	}
	f, want := d.Page(own, Hints{Full: true}), small.Page(own, Hints{Full: true})
	if f.Type == nil || f.Type.ID != want.Type.ID || f.Level().Name() != want.Level().Name() {
		t.Errorf("the page is of %+v, without synthetic types of %s", f.Type, want.Type.ID)
	}
}
