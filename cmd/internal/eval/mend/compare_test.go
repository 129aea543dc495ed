package mend

import (
	"slices"
	"testing"

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
	known := map[Field]bool{{"sioc:Post", "creator"}: true, {"sioc:Post", "content"}: true}
	replied := []extract.Object{post("2", "Reply", "two")}
	for _, c := range []struct {
		name           string
		plain, adapted []extract.Object
		want           Count
	}{
		{"nothing to mend", truth, truth, Count{Fields: 6}},
		{"all found", nil, truth, Count{6, 6, 6, 0, 0}},
		{"one of three objects is found", nil, truth[1:2], Count{6, 6, 2, 0, 0}},
		{"a wrong value", nil, []extract.Object{truth[0], post("2", "Reply", "two"), truth[2]}, Count{6, 6, 5, 1, 0}},
		{"the same wrong value as before", replied, replied, Count{6, 5, 0, 0, 0}},
		{"an object too many", truth, append(slices.Clone(truth), post("9", "Ad", "buy")), Count{6, 0, 0, 2, 0}},
		{"a value is lost", truth, truth[:2], Count{6, 0, 0, 0, 2}},
		{"other spaces and cases", nil, []extract.Object{post("1", "ADA", "o n\ne")}, Count{6, 6, 2, 0, 0}},
	} {
		if got, flaws := CompareHarvests(truth, c.plain, c.adapted, known); got != c.want {
			t.Errorf("%s: %+v, want %+v; %v", c.name, got, c.want, flaws)
		}
	}
	if got, _ := CompareHarvests(truth, nil, nil, map[Field]bool{{"sioc:Post", "creator"}: true}); got.Fields != 3 {
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
	want := Count{3, 2, 1, 1, 1}
	if got, _ := CompareLinks(truth, plain, adapted); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
