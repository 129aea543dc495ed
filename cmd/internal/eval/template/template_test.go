package template

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestEditsOfTemplates holds each kind of edit to a page that shows what it does.
func TestEditsOfTemplates(t *testing.T) {
	const page = `<html><head></head><body><div class="post big" id="post_17"><h3 class="who">Ada</h3><p class="text">One</p></div>` +
		`<div class="post" id="post_18"><h3 class="who">Bob</h3><p class="text">Two</p></div></body></html>`
	post := Element{tag: "div", attr: "class", token: "post"}
	who := Element{tag: "h3", attr: "class", token: "who"}
	for _, c := range []struct {
		edit Edit
		has  []string
	}{
		{Edit{Kind: renameClass, of: post, name: "entry"}, []string{`class="entry big" id="post_17"`, `class="entry" id="post_18"`}},
		{Edit{Kind: renameID, of: Element{tag: "div", attr: "id", token: "post_"}, name: "msg-"}, []string{`id="msg-17"`, `id="msg-18"`}},
		{Edit{Kind: classToID, of: who}, []string{`<h3 class="" id="who">Ada`, `<h3 class="" id="who-2">Bob`}},
		{Edit{Kind: changeTag, of: who, name: "h4"}, []string{`<h4 class="who">Ada</h4>`, `<h4 class="who">Bob</h4>`}},
		{Edit{Kind: addWrapper, of: who, name: "w"}, []string{`<div class="w"><h3 class="who">Ada</h3></div>`}},
		{Edit{Kind: addWrapper, of: who, name: "w", deep: true}, []string{`<h3 class="who"><div class="w">Ada</div></h3>`}},
		{Edit{Kind: removeWrapper, of: post}, []string{`<body><h3 class="who">Ada</h3><p class="text">One</p><h3`}},
		{Edit{Kind: reorderFields, of: who}, []string{
			`<p class="text">One</p><h3 class="who">Ada</h3>`, `<p class="text">Two</p><h3 class="who">Bob</h3>`,
		}},
		{Edit{Kind: reorderFields, of: post}, []string{`Ada`, `Bob`}}, // records keep their order
		{Edit{Kind: dropAttribute, of: post, name: "class"}, []string{`<div id="post_17">`, `<div id="post_18">`}},
	} {
		got, ok := Mutation{c.edit}.Apply([]byte(page))
		if !ok {
			t.Errorf("%s: refused", c.edit)
		}
		at := 0
		for _, want := range c.has {
			i := strings.Index(string(got[at:]), want)
			if i < 0 {
				t.Errorf("%s: %s\nlacks %s", c.edit, got, want)
				break
			}
			at += i
		}
	}
	// A p that holds a div is two elements to any browser.
	nested := []byte(`<html><head></head><body><div class="post"><div>x</div></div></body></html>`)
	if got, ok := (Mutation{{Kind: changeTag, of: post, name: "p"}}).Apply(nested); ok {
		t.Errorf("a page that no browser reads so: %s", got)
	}
}

func TestEditsOfOneElementAreDifferent(t *testing.T) {
	all := Target{Element: Element{tag: "div", attr: "class", token: "post-body"}, wraps: true, attrs: []string{"class", "itemprop"}}
	seen := map[string]bool{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, n := range []int{1, 2, 3} {
			m := all.Edits(r, n)
			if len(m) != n {
				t.Fatalf("%d edits, want %d: %v", len(m), n, m)
			}
			for i, e := range m {
				seen[e.Kind] = true
				if (e.Kind == renameClass || e.Kind == changeTag) && (e.name == "" || e.name == all.token) {
					t.Errorf("%s renames to nothing new", e)
				}
				for _, other := range m[:i] {
					if other.Kind == e.Kind && other.name == e.name || e.Kind == renameClass && other.Kind == classToID {
						t.Errorf("%s undoes %s", e, other)
					}
				}
			}
		}
	}
	if len(seen) != len(Kinds)-1 { // no id to rename
		t.Errorf("only %v were drawn", seen)
	}
	if m := (Target{Element: Element{tag: "tr", under: &all.Element}}).Edits(rand.New(rand.NewPCG(1, 1)), 2); m != nil {
		t.Errorf("a bare row of a table can be edited: %v", m)
	}
}

// TestCutKnowledgeBase cuts phpBB to the pages of one family of templates.
// TestTargetsAreElementsOfTheTemplate: what only some objects have is none.
func TestTargetsAreElementsOfTheTemplate(t *testing.T) {
	root, err := Parse([]byte(`<ol><li class="comment odd" id="c-1"><li class="comment even by-ada" id="c-2"></ol>`))
	if err != nil {
		t.Fatal(err)
	}
	f := &targetFinder{at: map[Element]int{}}
	f.named(Element{tag: "li", attr: "class", token: "comment"}.nodes(root))
	var got []string
	for _, x := range f.list {
		got = append(got, x.String())
	}
	if !slices.Equal(got, []string{"li.comment", "li#c-"}) || !f.list[1].named {
		t.Errorf("targets %v", got)
	}
}
