package extract

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// TestSoftHyphens: texts are without them, in whatever they stand; addresses and markup
// are as they were.
func TestSoftHyphens(t *testing.T) {
	const level = `<object class="sioc:Post" id="{url}"><field name="title">.//h1</field><field name="note">.//i/@title</field>
	<field name="words">.//i/text()</field>
		<field name="link" as="url">.//a/@href</field><field name="content" as="html">.//div</field></object>`
	base, err := kb.Load(kb.Source{Name: "s", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="c"><type id="t"><detect><pattern>` +
		`html</pattern></detect><level id="l" kind="terminal"><detect><pattern>html</pattern></detect>` + level +
		`</level></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader("<h1>Do&shy;nau</h1><i title='Dampf&shy;er'>Ka&shy;pitän</i><a href='/a&shy;b'>x</a><div>" +
		"ei&shy;ne <pre>Ta&shy;fel</pre></div>"))
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "http", Host: "h", Path: "/"}
	o := Run(Page{Doc: yfilter.Document(root, yfilter.Meta{URL: u}), URL: u, Type: base.Type("t"),
		Levels: base.Type("t").Levels}).Objects[0]
	for name, want := range map[string]string{
		"title": "Donau", "note": "Dampfer", "words": "Kapitän", "link": "http://h/a%C2%ADb", "content": "eine\nTafel",
		"content_html": "ei\u00adne <pre>Ta\u00adfel</pre>",
	} {
		if got := o.Value(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
