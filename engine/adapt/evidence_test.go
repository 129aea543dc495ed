package adapt

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// threePosts writes records of no known template.
const threePosts = `<html><head><title>Which oars? - Quayside</title></head><body><a href="/">Quayside</a>
<div class="r" id="p41"><img src="1.png" alt="Ada's picture"><a class="n" href="/member/ada">Ada</a>
Joined: <i class="j">3 May 2010</i>
<a class="d" href="#p41">5 May 2019, 10:01</a><h3 class="t">Which oars?</h3>
<p class="x">Spruce is light, <b>and ash is strong.</b> The blade is thin.</p>
<a class="q" href="#reply">Reply</a> <u>Which oars? Quayside</u></div>
<div class="r" id="p42"><img src="2.png" alt="Bob's picture"><a class="n" href="/member/bob">Bob</a>
Joined: <i class="j">4 May 2010</i>
<a class="d" href="#p42">6 May 2019, 10:02</a><h3 class="t">Re: Which oars?</h3>
<p class="x">Ash bends, <b>and does not break.</b> The grip is thick.</p>
<a class="q" href="#reply">Reply</a> <u>Which oars? Quayside</u></div>
<div class="r" id="p43"><img src="1.png" alt="Ada's picture"><a class="n" href="/member/ada">Ada</a>
Joined: <i class="j">3 May 2010</i>
<a class="d" href="#p43">7 May 2019, 10:03</a><h3 class="t">Re: Which oars?</h3>
<p class="x">Then take both, <b>one of each.</b> The sea is wide.</p>
<a class="q" href="#reply">Reply</a> <u>Which oars? Quayside</u></div></body></html>`

// vectors asks for a field of the records and gives the features of each answer, by its expression.
func vectors(t *testing.T, name string, exprs ...string) map[string]map[string]float64 {
	b := loadBuiltin(t)
	p, _ := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", threePosts)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	out := map[string]map[string]float64{}
	s.watch = func(q Question) {
		for i, v := range q.Answers {
			has := map[string]float64{}
			for k, x := range v {
				has[q.Names[k]] = x
			}
			out[q.Exprs[i]] = has
		}
		if want := []string{"p41", "p42", "p43"}; len(q.IDs) != 3 || !strings.HasSuffix(q.IDs[0], want[0]) {
			t.Errorf("records %q, want %q", q.IDs, want)
		}
	}
	topic := p.Type.Levels[slices.IndexFunc(p.Type.Levels, func(v *kb.Level) bool { return v.ID == "topic" })]
	post := topic.Objects[0].Objects[0]
	field := post.Fields[slices.IndexFunc(post.Fields, func(f *kb.Field) bool { return f.Name == name })]
	spot := kb.Spot{Field: field, Objects: []*kb.Object{topic.Objects[0], post}}
	q := &ask{s: s, spot: spot, field: field, sc: &scope{records: s.x.tags["div"]}, tk: newTaken(3)}
	var candidates []*candidate
	for _, expr := range exprs {
		c := &candidate{}
		var err error
		if c.reading.Expr, err = xpath.Parse(expr); err != nil {
			t.Fatal(err)
		}
		c.expr = c.reading.Tree()
		candidates = append(candidates, c)
	}
	q.decide(candidates)
	return out
}

func TestEvidence(t *testing.T) {
	for _, c := range []struct {
		field string
		want  map[string]map[string]float64 // by expression and feature
	}{
		{"created", map[string]map[string]float64{
			"a": {"label": 0, "first": 0, "clock": 1, "order": 1},
			"i": {"label": 1, "first": 1, "clock": 0, "disorder": 1},
		}},
		{"creator", map[string]map[string]float64{
			"a":                      {"slug": 1, "profile": 1, "only": 1, "like": 1, "heading": 0, "repeated": 1. / 3},
			"h3":                     {"slug": 0, "profile": 0, "heading": 1},
			"a[@class='q']":          {"here": 1, "constant": 1, "partial": 0},
			"a[@href='/member/ada']": {"here": 0, "partial": 1},
		}},
		{"content", map[string]map[string]float64{
			"p": {"shell": 0, "several": 0, "linky": 0},
			"b": {"pieces": 0, "padded": 0},
		}},
		{"title", map[string]map[string]float64{
			"h3": {"alike": 1. / 3, "answers": 1, "heading": 1, "some": 0},
			"i":  {"alike": 0, "answers": 0, "heading": 0, "branded": 0},
			"u":  {"branded": 1},
		}},
	} {
		got := vectors(t, c.field, slices.Sorted(maps.Keys(c.want))...)
		for expr, features := range c.want {
			for name, want := range features {
				if x, there := got[expr][name]; !there || x < want-0.01 || x > want+0.01 {
					t.Errorf("%s: %s of %s is %.2f (there: %v), want %.2f", c.field, name, expr, x, there, want)
				}
			}
		}
	}
}

// A form of the same moment for which the author of the expressions asks after another one is told.
func TestLaterForms(t *testing.T) {
	b := loadBuiltin(t)
	p, _ := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", threePosts)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	first, then := &kb.Expr{Source: "first"}, &kb.Expr{Source: "then"}
	q := &ask{s: s, field: &kb.Field{As: kb.Date}, spot: kb.Spot{Tries: []*kb.Try{{Expr: first}, {Expr: then}}}}
	c := &candidate{from: "first", values: []string{"2019-05-05T10:01:00"}}
	d := &candidate{from: "then", values: []string{"2019-05-05T08:01:00Z"}}
	other := &candidate{from: "then", values: []string{"2011-01-01T08:01:00Z"}}
	q.answers = []*candidate{c, d, other}
	for _, x := range []struct {
		of   *candidate
		want float64
	}{{c, 0}, {d, 1}, {other, 0}} {
		if got := compared[0].of(q, x.of); got != x.want {
			t.Errorf("%s: %s of %v is %v, want %v", compared[0].name, x.of.from, x.of.values, got, x.want)
		}
	}
}

// A link that does something on its page, or leads to it, leads nowhere else; what a copy of a site keeps of a query is no part of
// its front page.
func TestWhereLinksLead(t *testing.T) {
	b := loadBuiltin(t)
	for href, want := range map[string]struct{ nowhere, home bool }{
		"#reply":                      {nowhere: true},
		"javascript:void(0)":          {nowhere: true},
		"/ice/?replytocom=7#respond":  {nowhere: true},
		"index.html%3Freplytocom=7":   {nowhere: true},
		"/snow/":                      {},
		"https://other.example/ice/":  {},
		"/":                           {home: true},
		"/index.php":                  {home: true},
		"/index.php%3Ftopic=7.0.html": {},
		"/index.php?topic=7.0":        {},
	} {
		p, _ := b.page(t, "wordpress", "https://quay.example/ice/", `<html><body><a href="`+href+`">Ada</a></body></html>`)
		s := newSession(b.base, p, Options{Lexicon: b.lexicon})
		n := s.x.tags["a"][0]
		if nowhere, home := s.leadsNowhere(n), s.homeward(n); nowhere != want.nowhere || home != want.home {
			t.Errorf("%s: leads nowhere: %v, home: %v; want %+v", href, nowhere, home, want)
		}
	}
}

// A field with many values has all of them.
func TestManyValuesAreRead(t *testing.T) {
	b := loadBuiltin(t)
	p, _ := b.page(t, "wordpress", "https://quay.example/ice/", `<html><body><i>Ice</i> <i>Snow</i></body></html>`)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	e, err := kb.NewExpr("i")
	if err != nil {
		t.Fatal(err)
	}
	for many, want := range map[bool]string{true: "Ice\nSnow", false: "Ice"} {
		c := s.working(&kb.Field{Name: "topic", As: kb.Text, Many: many}, []*kb.Try{{Expr: e}}, &scope{records: []int{-1}})
		if c.values[0] != want {
			t.Errorf("many %v: %q, want %q", many, c.values[0], want)
		}
	}
}

// Objects of which other fields are found are likely to have the one that is asked for.
func TestCompany(t *testing.T) {
	tk := newTaken(2)
	for _, n := range []int{3, 4} {
		tk.add(&kb.Field{}, &candidate{nodes: [][]int{{n}, {n + 10}}})
	}
	if got := tk.company(); got != 2 {
		t.Errorf("%v fields, want 2", got)
	}
}

// TestDatesOfAnotherKind distinguishes dates of changes from dates of members.
func TestDatesOfAnotherKind(t *testing.T) {
	created := []string{"2021-03-01T10:00:00", "2021-03-01T11:00:00", "2021-03-02T09:30:00", "2021-03-02T10:30:00"}
	for name, c := range map[string]struct {
		values                   []string
		before, vaguer, personal bool
	}{
		"joined": {[]string{"2019-05-01", "2019-07-02", "2019-05-01", "2019-07-02"}, true, true, true},
		"edited": {[]string{"", "2021-03-01T11:20:00", "2021-03-04T10:00:00", ""}, false, false, false},
		"replied": {[]string{"2021-03-03T08:00:00", "2021-03-03T09:00:00", "2021-03-03T10:00:00", "2021-03-04T11:00:00"},
			false, false, false},
	} {
		tk := newTaken(len(created))
		tk.values["created"], tk.values["creator"] = created, []string{"Ada", "Bo", "Ada", "Bo"}
		q := &ask{field: &kb.Field{Name: "modified", As: kb.Date}, tk: tk}
		of := &candidate{values: c.values}
		if got := q.before(of) > 0.5; got != c.before {
			t.Errorf("%s: before %v", name, got)
		}
		if got := q.vaguer(of) > 0.5; got != c.vaguer {
			t.Errorf("%s: vaguer %v", name, got)
		}
		if got := q.personal(of); got != c.personal {
			t.Errorf("%s: personal %v", name, got)
		}
	}
}

// What is around all that a reader is shown holds the page's own address, and is no content.
func TestNoContentIsBeyondTheBody(t *testing.T) {
	b := loadBuiltin(t)
	p, _ := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", threePosts)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	for tag, want := range map[string]bool{"html": true, "body": false, "head": false, "p": false} {
		if got := s.beyondBody(s.x.tags[tag][0]); got != want {
			t.Errorf("%s: %v, want %v", tag, got, want)
		}
	}
}

// TestWeightsAreOfFeatures: the table names features that there are, and each is explained.
func TestWeightsAreOfFeatures(t *testing.T) {
	for kind, m := range Weights() {
		if m.Sure < 0.5 || m.Sure >= 1 {
			t.Errorf("%s is sure at %v", kind, m.Sure)
		}
		for name := range m.Weights {
			if Doc(Kind(kind), name) == "" {
				t.Errorf("%s has a weight for %q, which is no feature", kind, name)
			}
		}
	}
	for kind, names := range namesOf {
		seen := map[string]bool{}
		for _, n := range names {
			if seen[n] {
				t.Errorf("%s has two features %q", kind, n)
			}
			seen[n] = true
		}
	}
}

// TestItemsOfMenus: what lies in a nav element is of a menu however deep, as the block editor nests it; a list is one by its near names.
func TestItemsOfMenus(t *testing.T) {
	b := loadBuiltin(t)
	deep := strings.Repeat("<div>", 8)
	p, _ := b.page(t, "wordpress", "https://quayside.example/", `<html><body><nav>`+deep+`<ul><li><a id="a">About</a></li></ul></nav><ul>`+
		`<li class="menu-item"><a id="b">About</a></li><li><a id="c">Ada</a></li><li class="menu-item">`+deep+`<a id="d">Ada</a></li></ul>`)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	got := map[string]bool{}
	for _, n := range s.x.tags["a"] {
		id, _ := s.x.attr(n, "id")
		got[id] = s.inMenu(n)
	}
	if want := map[string]bool{"a": true, "b": true, "c": false, "d": false}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRecordsThatHoldWhatStillWorks: elements with one each of what an action still finds, and none outside, hold it wholly; so do not a
// frame around several, or some of them. How little sure a field is counts for the worst.
func TestRecordsThatHoldWhatStillWorks(t *testing.T) {
	b := loadBuiltin(t)
	p, _ := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", threePosts)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	anchors := [][][]int{{s.x.tags["h3"]}, {s.x.tags["b"], s.x.tags["i"]}, nil}
	for _, c := range []struct {
		nodes []int
		want  float64
	}{{s.x.tags["div"], 2}, {s.x.tags["body"], 2. / 3}, {s.x.tags["div"][:1], 2. / 3}, {s.x.tags["h3"], 1}} {
		if got := s.x.held(anchors, c.nodes); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%d elements: %.2f, want %.2f", len(c.nodes), got, c.want)
		}
	}
	pl := &plan{records: s.x.tags["div"], set: &recordSet{list: s.x.tags["div"], held: 1}}
	for _, sure := range []float64{0.9, 0.6, 0.8} {
		pl.finds(&kb.Field{}, &candidate{}, sure)
	}
	topic := p.Type.Levels[slices.IndexFunc(p.Type.Levels, func(v *kb.Level) bool { return v.ID == "topic" })].Objects[0]
	q := &recordsAsk{s: s, object: topic.Objects[0], spot: kb.Spot{Objects: []*kb.Object{topic, topic.Objects[0]}}, best: pl}
	vector := aboutRecords.of(q, pl)
	for name, want := range map[string]float64{"anchors": 0.5, "doubt": 0.4, "single": 0} {
		if got := vector[slices.Index(namesOf[KindRecords], name)]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %.2f, want %.2f", name, got, want)
		}
	}
	pl.records, q.spot.Objects = pl.records[:1], q.spot.Objects[:1]
	if got := aboutRecords.of(q, pl)[slices.Index(namesOf[KindRecords], "single")]; got != 0 {
		t.Errorf("the page's own object is one: single is %.2f", got)
	}
}
