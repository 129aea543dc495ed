package engine_test

import (
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/kb"
)

// The recorded answers of the built-in services are read as they say, and each operation has one.
func TestRecordedAnswersOfServices(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	var coverage engine.Coverage
	for _, s := range base.Services {
		for i := range s.Examples {
			x := &s.Examples[i]
			r, err := engine.RunRecorded(s, x)
			if err != nil {
				t.Errorf("%s: %v", x.Pos, err)
			}
			for _, f := range r.Failures {
				t.Errorf("%s: %s", f.Pos, f.Msg)
			}
			coverage.Add(&r)
		}
	}
	for _, p := range coverage.Problems(&kb.Base{Services: base.Services}) {
		t.Errorf("%s: %s: %s", p.Pos, p.Where, p.Msg)
	}
	if len(base.Services) < 13 {
		t.Errorf("%d services", len(base.Services))
	}
}

// What an example says and an answer does not hold is told, each with its place.
func TestRecordedAnswersThatAreNotAsTheySay(t *testing.T) {
	load := func(change string) *kb.Service {
		t.Helper()
		base, err := kb.Load(kb.Source{Name: "services/x.xml", Pages: kb.Builtin()[0].Pages, Data: []byte(`<kb xmlns="urn:awarc:kb:1">
 <service id="x" base="v1/">
 <operation id="list" path="list" items="answer/item"><paging link="yes"/>
  <object class="sioc:Post" at="answer/item" id="{./html_url}"><field name="title" required="yes">./title</field></object>
 </operation>
 <example page="testdata/services/github-issues.http" url="https://api.example/v1/list" operation="list" ` + change + `/>
</service></kb>`)})
		if err != nil {
			t.Fatal(err)
		}
		return base.Services[0]
	}
	for change, want := range map[string]string{
		`objects="1" next="https://api.github.com/repositories/1/issues?state=all&amp;page=2"`: "",
		`objects="2"`: "1 objects; expected 2",
		`next="none"`: "it leads to the next page https://api.github.com/repositories/1/issues?state=all&page=2; expected none",
		`next="https://x.org/"`: "it leads to the next page https://api.github.com/repositories/1/issues?state=all&page=2; " +
			"expected https://x.org/",
		`calls="1"`: "0 further requests; expected 1",
	} {
		s := load(change)
		r, err := engine.RunRecorded(s, &s.Examples[0])
		got := ""
		if len(r.Failures) > 0 {
			got = r.Failures[0].Msg
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", change, got, err, want)
		}
	}
}
