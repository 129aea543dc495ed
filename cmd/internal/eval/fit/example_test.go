package fit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

func post(id, creator, created string) extract.Object {
	o := extract.Object{Class: "sioc:Post", ID: id}
	if creator != "" {
		o.Fields = append(o.Fields, extract.Field{Name: "creator", As: kb.Text, Values: []string{creator}})
	}
	if created != "" {
		o.Fields = append(o.Fields, extract.Field{Name: "created", As: kb.Date, Values: []string{created}})
	}
	return o
}

func TestExamine(t *testing.T) {
	p := &truth.Page{Type: "phpbb", Site: "a", File: "f", Objects: []extract.Object{
		{Class: "sioc:Thread", ID: "t"},
		post("1", "Ann Lee", "2020-01-02T10:11:00"), post("2", "Bo", "2020-01-02T10:12:00"), post("3", "", "2020-01-03T09:00:00"),
		post("4", "Ann Lee", ""), post("5", "Cy", "2020-01-05"),
	}}
	linked := &truth.Page{Objects: []extract.Object{post("http://a/6#6", "Ed", ""), post("http://a/7#7", "Flo", "")}}
	for _, c := range []struct {
		name, class, field string
		ids                []string
		values             [][]string
		want               []Label
	}{
		{"in order", "sioc:Post", "creator", nil, [][]string{
			{"Ann  Lee", "bo", "", "Ann Lee", "Cy"}, {"Ann Lee", "Bo", "Guest", "Ann Lee", "Cy"},
			{"Ann Lee", "", "", "", ""}, {"Bo", "Ann Lee", "", "Cy", "Ann Lee"}}, []Label{Right, Wrong, Wrong, Wrong}},
		{"by id", "sioc:Post", "creator", []string{"5", "2"}, [][]string{{"Cy", "Bo"}, {"Bo", "Cy"}, {"", "Bo"}},
			[]Label{Right, Wrong, Enough}},
		{"a record that is none", "sioc:Post", "creator", []string{"2", "x", "5"}, [][]string{{"Bo", "", "Cy"}, {"Bo", "Ad", "Cy"}}, nil},
		{"more in order", "sioc:Post", "creator", nil, [][]string{{"Ann Lee", "Bo", "", "Ann Lee", "Cy", "Guest"},
			{"Ann Lee", "Bo", "", "Di", "Cy", "Guest"}}, nil},
		{"by anchor", "sioc:Post", "creator", []string{"http://a/?p=1#6", "http://a/?p=2#7"}, [][]string{{"Ed", "Flo"}, {"Flo", "Ed"}},
			[]Label{Right, Wrong}},
		{"some in order", "sioc:Post", "creator", []string{"x", "y"}, [][]string{
			{"Bo", "Cy"}, {"Cy", "Bo"}, {"Ann Lee", "Ann Lee"}, {"Bo", "Di"}}, nil},
		{"dates", "sioc:Post", "created", nil, [][]string{
			{"2020-01-02T10:11:33", "2020-01-02T10:12:01", "2020-01-03", "", "2020-01-05T01:00:00"},
			{"2020-01-02T10:12:33", "2020-01-02T10:12:01", "2020-01-03", "", "2020-01-05"}}, []Label{Right, Wrong}},
		{"dates by another clock", "sioc:Post", "created", []string{"1", "2"}, [][]string{
			{"2020-01-02T08:11:00Z", "2020-01-02T08:12:00Z"}, {"2020-01-02T10:11:00", "2020-01-02T10:12:00"},
			{"2020-01-02T10:21:00", "2020-01-02T10:22:00"}}, []Label{Enough, Right, Wrong}},
		{"dates by another clock alone", "sioc:Post", "created", []string{"1", "2"}, [][]string{
			{"2020-01-02T08:11:00Z", "2020-01-02T08:12:00Z"}, {"2020-01-02T10:21:00", "2020-01-02T10:22:00"}}, nil},
		{"what no object has", "sioc:Post", "title", nil, [][]string{{"x", "", "", "", ""}}, []Label{Wrong}},
	} {
		q := adapt.Question{Kind: adapt.KindName, Class: c.class, Field: c.field, IDs: c.ids, Values: c.values}
		of := p
		if c.name == "by anchor" {
			of = linked
		}
		got, known := Examine(of, q)
		if known != (c.want != nil) || known && !slices.Equal(got.Labels, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got.Labels, known, c.want)
		}
	}
	for _, q := range []adapt.Question{{Class: "sioc:UserAccount", Field: "name"}, {Class: "sioc:Post", Field: "content_html"}} {
		if x, known := Examine(p, q); known {
			t.Errorf("truth says nothing of %s %s: %+v", q.Class, q.Field, x)
		}
	}
}

// TestExamineLess tells what is right from what is not wrong.
func TestExamineLess(t *testing.T) {
	p := &truth.Page{}
	var all, most []string
	for range 20 {
		p.Objects = append(p.Objects, post("", "Ann", ""))
		all, most = append(all, "Ann"), append(most, "Ann")
	}
	most[3] = ""
	slip := slices.Clone(all)
	slip[7] = "Bo"
	q := adapt.Question{Kind: adapt.KindName, Class: "sioc:Post", Field: "creator", Values: [][]string{most, all, slip}}
	if got, _ := Examine(p, q); !slices.Equal(got.Labels, []Label{Enough, Right, Wrong}) {
		t.Errorf("%v", got.Labels)
	}
}

// TestExamineNearly tells a text with a button in it from one that is another.
func TestExamineNearly(t *testing.T) {
	text := func(i int) string {
		return strings.Repeat(fmt.Sprint("All that was said in ", i, ". "), 12) + strings.Repeat(fmt.Sprint("And ", i*i, " more. "), 9)
	}
	p := &truth.Page{}
	var all, most, other []string
	for i := range 6 {
		o := post("", "", "")
		o.Fields = append(o.Fields, extract.Field{Name: "content", As: kb.HTML, Values: []string{text(i)}})
		p.Objects = append(p.Objects, o)
		all, most, other = append(all, text(i)), append(most, text(i)), append(other, text(i))
	}
	most[3] = strings.Replace(most[3], "more.", "more. Read on!", 1)
	other[4] = "What another one said. " + strings.Repeat("Something else. ", 30)
	q := adapt.Question{Kind: adapt.KindContent, Class: "sioc:Post", Field: "content", Values: [][]string{most, other, nil}}
	q.Values[2] = slices.Repeat([]string{most[3]}, 6)
	if got, _ := Examine(p, q); !slices.Equal(got.Labels, []Label{Right, Wrong, Wrong}) {
		t.Errorf("%v", got.Labels)
	}
	if got, _ := Examine(p, adapt.Question{Class: "sioc:Post", Field: "content", Values: [][]string{most, all}}); got.Labels[0] != Enough {
		t.Errorf("%v", got.Labels)
	}
}

func TestExamineLinks(t *testing.T) {
	p := &truth.Page{Level: &kb.Level{ID: "forum", Follow: []*kb.Follow{
		{To: "topic"}, {To: "forum"}, {To: "forum", Paging: true}, {To: "profile", Optional: true}}}, Links: []extract.Link{
		{URL: "http://a/t1", To: "topic"}, {URL: "http://a/t2", To: "topic"}, {URL: "http://a/f?p=2", To: "forum", Paging: true},
		{URL: "http://a/f2", To: "forum"}, {URL: "http://a/t3", To: "topic", Optional: true}, {URL: "http://a/about"},
	}}
	for _, c := range []struct {
		part   string
		to     string
		values [][]string
		want   []Label
	}{
		{"follow topic", "topic", [][]string{
			{"http://a/t1", "http://a/t2#new"}, {"http://a/t1"}, {"http://a/t1", "http://a/t2", "http://a/about"},
			{"http://a/t1", "http://a/t2", "http://a/t3"}, {"http://a/t3"}}, []Label{Right, Enough, Wrong, Right, Wrong}},
		{"follow forum paging", "forum", [][]string{{"http://a/f2"}, {"http://a/f?p=2"}}, []Label{Wrong, Right}},
		{"follow forum", "forum", [][]string{{"http://a/f2"}, {"http://a/f?p=2"}}, []Label{Right, Wrong}},
		{"follow profile", "profile", [][]string{{"http://a/f2"}}, []Label{Wrong}},
	} {
		q := adapt.Question{Kind: adapt.KindLinks, Place: kb.Place{Level: "forum", Part: c.part}, Field: c.to, Values: c.values}
		if got, known := Examine(p, q); !known || !slices.Equal(got.Labels, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.part, got.Labels, known, c.want)
		}
		for _, at := range []kb.Place{{Level: "index", Part: c.part}, {Level: "forum", Part: "follow index"}} {
			q.Place = at
			if _, known := Examine(p, q); known {
				t.Errorf("truth tells nothing of %v", at)
			}
		}
	}
}

// TestExamineRecords tells elements that are the objects of a class from others by their ids.
func TestExamineRecords(t *testing.T) {
	p := &truth.Page{}
	var all, others []string
	for i := range 10 {
		p.Objects = append(p.Objects, post(fmt.Sprintf("http://a/t#p%d", i), "Ada", ""))
		all, others = append(all, fmt.Sprintf("http://b/?p=%d#p%[1]d", i)), append(others, fmt.Sprint("http://b/#q", i))
	}
	q := adapt.Question{Kind: adapt.KindRecords, Class: "sioc:Post", Values: [][]string{all, others[:9], all[:8], all[:9], nil, others}}
	x, known := Examine(p, q)
	if want := []Label{Right, Wrong, Wrong, Right, Wrong, Right}; !known || !slices.Equal(x.Labels, want) {
		t.Errorf("%v, want %v", x.Labels, want)
	}
	if x, _ = Examine(&truth.Page{}, q); x.Labels[0] != Wrong {
		t.Error("a page without posts has some")
	}
}
