package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

func post(id, creator, content string) extract.Object {
	return extract.Object{Class: "sioc:Post", ID: id, Fields: []extract.Field{
		{Name: "creator", As: kb.Text, Values: []string{creator}},
		{Name: "content", As: kb.HTML, Values: []string{content}},
		{Name: "content_html", As: kb.HTML, Values: []string{"<p>" + content}},
	}}
}

func TestHarvestsAreComparedFieldByField(t *testing.T) {
	truth := []extract.Object{post("1", "Ada", "one"), post("2", "Bob", "two"), post("3", "Cyd", "three")}
	known := map[fieldOf]bool{{"sioc:Post", "creator"}: true, {"sioc:Post", "content"}: true}
	for _, c := range []struct {
		name           string
		plain, adapted []extract.Object
		want           mendCount
	}{
		{"nothing to mend", truth, truth, mendCount{Fields: 6}},
		{"all found", nil, truth, mendCount{6, 6, 6, 0, 0}},
		{"one of three objects is found", nil, truth[1:2], mendCount{6, 6, 2, 0, 0}},
		{"a wrong value", nil, []extract.Object{truth[0], post("2", "Reply", "two"), truth[2]}, mendCount{6, 6, 5, 1, 0}},
		{"the same wrong value as before", []extract.Object{post("2", "Reply", "two")}, []extract.Object{post("2", "Reply", "two")}, mendCount{6, 5, 0, 0, 0}},
		{"an object too many", truth, append(slices.Clone(truth), post("9", "Ad", "buy")), mendCount{6, 0, 0, 2, 0}},
		{"a value is lost", truth, truth[:2], mendCount{6, 0, 0, 0, 2}},
		{"other spaces and cases", nil, []extract.Object{post("1", "ADA", "o n\ne")}, mendCount{6, 6, 2, 0, 0}},
	} {
		if got, flaws := compareHarvests(truth, c.plain, c.adapted, known); got != c.want {
			t.Errorf("%s: %+v, want %+v; %v", c.name, got, c.want, flaws)
		}
	}
	if got, _ := compareHarvests(truth, nil, nil, map[fieldOf]bool{{"sioc:Post", "creator"}: true}); got.Fields != 3 {
		t.Errorf("%d fields counted; the knowledge base asks for one of each post", got.Fields)
	}
	a, b := seenField{"created", "2019-05-04t10:00:00z", true}, seenObject{fields: []seenField{{"created", "2019-05-04", true}}}
	if !b.holds(a) || b.holds(seenField{"created", "2019-05-05t10:00:00", true}) {
		t.Error("a day agrees with a moment of it, and with no other day")
	}
	c := seenObject{fields: []seenField{{"created", "2019-05-04t12:00:30+02:00", true}}}
	if !c.holds(a) || c.holds(seenField{"created", "2019-05-04t12:00:00z", true}) {
		t.Error("times with zones agree where they are one moment")
	}
}

func TestLinksAreComparedByWhereTheyLead(t *testing.T) {
	link := func(u string, to kb.LevelID) extract.Link { return extract.Link{URL: u, To: to} }
	truth := []extract.Link{link("a", "topic"), link("b", "topic"), link("c", "forum"), {URL: "d", To: "profile", Optional: true}}
	plain := []extract.Link{link("a", "topic"), {URL: "x"}}
	adapted := []extract.Link{link("b", "topic"), link("c", "topic")}
	if got, want := compareLinks(truth, plain, adapted), (mendCount{3, 2, 1, 1, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestEditsOfTemplates holds each kind of edit to a page that shows what it does.
func TestEditsOfTemplates(t *testing.T) {
	const page = `<html><head></head><body><div class="post big" id="post_17"><h3 class="who">Ada</h3><p class="text">One</p></div>` +
		`<div class="post" id="post_18"><h3 class="who">Bob</h3><p class="text">Two</p></div></body></html>`
	post := templateElement{tag: "div", attr: "class", token: "post"}
	who := templateElement{tag: "h3", attr: "class", token: "who"}
	for _, c := range []struct {
		edit edit
		has  []string
	}{
		{edit{kind: renameClass, of: post, name: "entry"}, []string{`class="entry big" id="post_17"`, `class="entry" id="post_18"`}},
		{edit{kind: renameID, of: templateElement{tag: "div", attr: "id", token: "post_"}, name: "msg-"}, []string{`id="msg-17"`, `id="msg-18"`}},
		{edit{kind: classToID, of: who}, []string{`<h3 class="" id="who">Ada`, `<h3 class="" id="who-2">Bob`}},
		{edit{kind: changeTag, of: who, name: "h4"}, []string{`<h4 class="who">Ada</h4>`, `<h4 class="who">Bob</h4>`}},
		{edit{kind: addWrapper, of: who, name: "w"}, []string{`<div class="w"><h3 class="who">Ada</h3></div>`}},
		{edit{kind: addWrapper, of: who, name: "w", deep: true}, []string{`<h3 class="who"><div class="w">Ada</div></h3>`}},
		{edit{kind: removeWrapper, of: post}, []string{`<body><h3 class="who">Ada</h3><p class="text">One</p><h3`}},
		{edit{kind: reorderFields, of: who}, []string{`<p class="text">One</p><h3 class="who">Ada</h3>`, `<p class="text">Two</p><h3 class="who">Bob</h3>`}},
		{edit{kind: reorderFields, of: post}, []string{`Ada`, `Bob`}}, // records keep their order
		{edit{kind: dropAttribute, of: post, name: "class"}, []string{`<div id="post_17">`, `<div id="post_18">`}},
	} {
		got, ok := mutation{c.edit}.apply([]byte(page))
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
	if got, ok := (mutation{{kind: changeTag, of: post, name: "p"}}).apply([]byte(`<html><head></head><body><div class="post"><div>x</div></div></body></html>`)); ok {
		t.Errorf("a page that no browser reads so: %s", got)
	}
}

func TestEditsOfOneElementAreDifferent(t *testing.T) {
	all := target{templateElement: templateElement{tag: "div", attr: "class", token: "post-body"}, wraps: true, attrs: []string{"class", "itemprop"}}
	seen := map[string]bool{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, n := range []int{1, 2, 3} {
			m := all.edits(r, n)
			if len(m) != n {
				t.Fatalf("%d edits, want %d: %v", len(m), n, m)
			}
			for i, e := range m {
				seen[e.kind] = true
				if (e.kind == renameClass || e.kind == changeTag) && (e.name == "" || e.name == all.token) {
					t.Errorf("%s renames to nothing new", e)
				}
				for _, other := range m[:i] {
					if other.kind == e.kind && other.name == e.name || e.kind == renameClass && other.kind == classToID {
						t.Errorf("%s undoes %s", e, other)
					}
				}
			}
		}
	}
	if len(seen) != len(editKinds)-1 { // no id to rename
		t.Errorf("only %v were drawn", seen)
	}
	if m := (target{templateElement: templateElement{tag: "tr", under: &all.templateElement}}).edits(rand.New(rand.NewPCG(1, 1)), 2); m != nil {
		t.Errorf("a bare row of a table can be edited: %v", m)
	}
}

// TestCutKnowledgeBase cuts phpBB to the pages of one family of templates.
func TestCutKnowledgeBase(t *testing.T) {
	sources := kb.Builtin()
	base, err := kb.Load(sources...)
	if err != nil {
		t.Fatal(err)
	}
	whole := detect.New(base)
	pages, err := exampleTruths(whole, base.Type("phpbb"))
	if err != nil {
		t.Fatal(err)
	}
	of := func(site string) []*truePage {
		return slices.DeleteFunc(slices.Clone(pages), func(p *truePage) bool { return p.site != site })
	}
	cut, err := cutToPages(sources, whole, "phpbb", of("example-prosilver"))
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
	inspect := func(p *truePage) engine.Page {
		got, err := engine.Inspect(d, p.answer, engine.Hints{Force: p.typ})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, p := range of("example-prosilver") {
		if got := inspect(p); !sameObjects(got.Harvest.Objects, p.objects) || len(got.Harvest.Links) != len(p.links) {
			t.Errorf("%s: the theme that it knows is read differently", p.file)
		}
	}
	for _, p := range of("example-subsilver") {
		if got := inspect(p); len(got.Harvest.Objects) > 0 {
			t.Errorf("%s: a theme that it does not know is read", p.file)
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

// TestEvalAdaptation runs the command on a corpus of its own.
func TestEvalAdaptation(t *testing.T) {
	heavy(t)
	pages, truth := corpus(t, `{"pages": []}`, "phpbb post-list phpbb-prosilver-topic.html", "vbulletin post-list vbulletin-4-topic.html", "smf post-list smf-1.1-topic.html")
	// Sites are folders below the type's.
	index := "cms\tversion_or_theme\tlevel\trepo\tpath\tcommit\turl\tfile\n"
	for _, p := range []string{"phpbb/phpbb-prosilver-topic.html", "vbulletin/vbulletin-4-topic.html", "smf/smf-1.1-topic.html"} {
		data, err := readFile(pages + "/" + p)
		if err != nil {
			t.Fatal(err)
		}
		cms, file, _ := strings.Cut(p, "/")
		save(t, pages+"/"+cms+"/some.site/"+file, string(data))
		index += fmt.Sprintf("%s\t\tpost-list\t\t\t\t\t%s/some.site/%s\n", cms, cms, file)
	}
	save(t, pages+"/index.tsv", index)
	measure := func(only string, more ...string) (got adaptationReport) {
		var out, errs bytes.Buffer
		args := []string{"eval", "adaptation", "--pages", pages, "--truth", truth, "--type", "vbulletin", "--only", only, "--format", "json"}
		args = append(args, more...)
		if status := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); status != exitDone {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := measure("new-sites,mutations")
	if len(got.NewSites) != 3 || len(got.Mutations) != len(mutated) || got.Cost.Pages == 0 {
		t.Fatalf("%+v", got)
	}
	for _, r := range got.NewSites {
		if r.Theme == "4" && (r.Pages == 0 || r.Missed == 0) {
			t.Errorf("nothing was missed by a knowledge base that knows one version: %+v", r)
		}
		if r.Literal != nil {
			t.Errorf("algorithm 2 of the paper was run unasked: %+v", r)
		}
	}
	if r := measure("new-sites", "--literal").NewSites[2]; r.Literal == nil || r.Literal.Missed != r.Missed {
		t.Errorf("algorithm 2 of the paper: %+v", r)
	}
	for _, m := range got.Mutations[:len(mutated)-1] {
		if m.Pages == 0 || m.Missed == 0 {
			t.Errorf("aimed edits broke nothing: %+v", m)
		}
	}
	if got.Deleted.Pages == 0 || got.Deleted.Relearned > 0 {
		t.Errorf("deleted: %+v", got.Deleted)
	}
	if again := measure("mutations"); !slices.Equal(again.Mutations, got.Mutations) {
		t.Errorf("the same seed gives other figures: %+v, %+v", again.Mutations, got.Mutations)
	}
}

// TestTargetsAreElementsOfTheTemplate: what only some objects have is none.
func TestTargetsAreElementsOfTheTemplate(t *testing.T) {
	root, err := parsePage([]byte(`<ol><li class="comment odd" id="c-1"><li class="comment even by-ada" id="c-2"></ol>`))
	if err != nil {
		t.Fatal(err)
	}
	f := &targetFinder{at: map[templateElement]int{}}
	f.named(templateElement{tag: "li", attr: "class", token: "comment"}.nodes(root))
	var got []string
	for _, x := range f.list {
		got = append(got, x.String())
	}
	if !slices.Equal(got, []string{"li.comment", "li#c-"}) || !f.list[1].named {
		t.Errorf("targets %v", got)
	}
}
