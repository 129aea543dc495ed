package mend

import (
	"slices"
	"testing"

	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

func TestCutKnowledgeBase(t *testing.T) {
	sources := kb.Builtin()
	base, err := kb.Load(sources...)
	if err != nil {
		t.Fatal(err)
	}
	whole := detect.New(base)
	pages, err := truth.Examples(whole, base.Type("phpbb"))
	if err != nil {
		t.Fatal(err)
	}
	of := func(site string) []*truth.Page {
		return slices.DeleteFunc(slices.Clone(pages), func(p *truth.Page) bool { return p.Site != site })
	}
	cut, err := CutToPages(sources, whole, "phpbb", of("example-prosilver"))
	if err != nil {
		t.Fatal(err)
	}
	less, err := kb.Load(cut...)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range less.Type("phpbb").Levels {
		if v.Variant != "prosilver" {
			t.Errorf("it knows %s", v.Name())
		}
	}
	if all, left := tries(base.Type("phpbb")), tries(less.Type("phpbb")); left == 0 || left >= all {
		t.Errorf("%d of %d expressions are left", left, all)
	}
	if len(less.Type("phpbb").Detect) != len(base.Type("phpbb").Detect) || tries(less.Type("vbulletin")) != tries(base.Type("vbulletin")) {
		t.Error("more than the levels of the type was cut")
	}
	d := detect.New(less)
	inspect := func(p *truth.Page) engine.Page {
		got, err := engine.Inspect(d, p.Answer, engine.Hints{Force: p.Type})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, p := range of("example-prosilver") {
		if got := inspect(p); !SameObjects(got.Harvest.Objects, p.Objects) || len(got.Harvest.Links) != len(p.Links) {
			t.Errorf("%s: the theme that it knows is read differently", p.File)
		}
	}
	for _, p := range of("example-subsilver") {
		if got := inspect(p); got.Harvest.Level != nil || len(got.Harvest.Objects) > 0 && !got.Harvest.Generic {
			t.Errorf("%s: a theme that it does not know is read by actions", p.File)
		}
	}
}

func tries(t *kb.Type) int {
	n := 0
	for _, v := range t.Levels {
		for _, s := range v.Spots() {
			n += len(s.Tries)
		}
	}
	return n
}
