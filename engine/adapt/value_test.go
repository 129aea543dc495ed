package adapt

import (
	"slices"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// TestWorkFollowsThePage: a page is worth work in proportion to its elements.
func TestWorkFollowsThePage(t *testing.T) {
	for elements, want := range map[int]int{10: 2 * leastWork * parseWork, 1000: 2000 * parseWork} {
		if got := budget(elements, 2); got != want {
			t.Errorf("%d elements: %d visits, want %d", elements, got, want)
		}
	}
}

func TestSameMoments(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"2019-05-30T13:06:00", "2019-05-30T05:06:04Z", true},
		{"2019-05-31T01:06:00", "2019-05-30T17:06:04Z", true},
		{"2019-05-30T13:06:00", "2019-05-30", true},
		{"2019-05-30", "2019-05-31", false},
		{"2019-05-30T13:06:00", "2019-06-01T05:06:00", false},
		{"2019", "2019-05-30", false},
	} {
		if got := sameMoments([]string{c.a, ""}, []string{c.b, ""}); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
	if sameMoments([]string{""}, []string{"2019-05-30"}) {
		t.Error("nothing is the same as a date")
	}
}

func TestNamesWithLabels(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   bool
		cut    string // of the first
	}{
		{[]string{"By Maud Penn"}, true, "Maud Penn"},
		{[]string{"Joss says:", "Maud Penn says:"}, true, "Joss"},
		{[]string{"von: Ada"}, true, "Ada"},
		// what stands before is not known, so it stays, and the value is refused
		{[]string{"Sent Ada", "Sent Bo", "Sent Cy"}, true, "Sent Ada"},
		{[]string{"Ada Penn", "Bo Penn"}, false, "Ada Penn"},
		{[]string{"Ada", "Ada", "Ada"}, false, "Ada"},
		{[]string{"Bylaw Ed"}, false, "Bylaw Ed"},
	} {
		if got := labelled(c.values); got != c.want {
			t.Errorf("%q: labelled is %v", c.values, got)
		}
		if got := nameCut.Cut(c.values[0]); got != c.cut {
			t.Errorf("%q is cut to %q, want %q", c.values[0], got, c.cut)
		}
	}
}

// TestSentencesAreNoNames: what links to an author is not always called as the author is.
func TestSentencesAreNoNames(t *testing.T) {
	creator := &kb.Field{Name: "creator", As: kb.Text}
	for v, is := range map[string]bool{"View all of Ada's posts.": true, "Who wrote this and why?": true, "Ada Lovelace": false,
		"Dr. Ada B. Lovelace": false, "Ada L. Jr.": false} {
		if sentence(v) != is || implausible(creator, []string{v}) != is || nameLike(v) == 0 != is {
			t.Errorf("%q is a sentence: %v; implausible: %v; a name by %.1f", v, sentence(v), implausible(creator, []string{v}),
				nameLike(v))
		}
	}
}

// TestSentencesAreSilenced: what stands as a name in most posts and is a sentence is not stated, where one post is signed so it is.
func TestSentencesAreSilenced(t *testing.T) {
	b := loadBuiltin(t)
	body := template(t, "phpbb-prosilver-topic.html")
	_, h := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", body)
	names := func(h extract.Harvest) (out []string) {
		for _, o := range h.Objects {
			out = append(out, o.Value("creator"))
		}
		return out
	}
	posts := slices.IndexFunc(h.Objects, func(o extract.Object) bool { return o.Value("creator") != "" })
	if posts < 0 || len(h.Objects)-posts < 3 {
		t.Fatalf("too few posts: %q", names(h))
	}
	sign := func(one bool) extract.Harvest {
		h := h
		h.Objects = slices.Clone(h.Objects)
		for i := posts; i < len(h.Objects) && !(one && i > posts); i++ {
			o := &h.Objects[i]
			o.Fields = slices.Clone(o.Fields)
			for j := range o.Fields {
				if o.Fields[j].Name == "creator" {
					o.Fields[j].Values = []string{"View all of Ada's posts."}
				}
			}
		}
		return h
	}
	if all := sign(true); !slices.Equal(names(Silenced(all)), names(all)) {
		t.Errorf("one of several: %q, want %q", names(Silenced(all)), names(all))
	}
	all := sign(false)
	got := Silenced(all)
	signed := func(o extract.Object) bool { return o.Value("creator") != "" }
	if slices.ContainsFunc(got.Objects, signed) || len(got.Misses) == len(all.Misses) {
		t.Errorf("all of them: %q, misses %v", names(got), got.Misses)
	}
	if all.Objects[posts].Value("creator") == "" {
		t.Error("the harvest that was given is changed")
	}
}
