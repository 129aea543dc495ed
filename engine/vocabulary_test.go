package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/kb"
)

// Slips in the names of classes and fields are found; fields of the author's own, and forms such as creator_url, are none.
func TestVocabularyProblems(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "f.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="a">
<detect><pattern>p</pattern></detect><level id="topic" kind="terminal"><detect><pattern>i</pattern></detect>
<object class="sioc:Thred" id="{url}">
<field name="titel">h1</field>
<field name="likes">b</field><field name="creator_url" as="url">a</field><field name="content">p</field>
<total of="sioc:Pots">u</total>
</object></level></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range engine.Problems(base) {
		if strings.HasSuffix(p.Rule, "-unknown") {
			got = append(got, fmt.Sprintf("%d %s %s: %s", p.Pos.Line, p.Severity, p.Rule, p.Hint))
		}
	}
	want := []string{"3 error class-unknown: name a class of that list; its objects would be lost",
		"4 warning field-unknown: write title if that is meant",
		"6 error class-unknown: name a class of that list; its objects would be lost"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
