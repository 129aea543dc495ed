package adapt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// harbour names one element, info, in fields, totals and links of several levels.
const harbour = `<kb xmlns="urn:awarc:kb:1"><category id="forum" name="Forum"><type id="harbour">
<detect><pattern>body[@id='t']</pattern><pattern>body[@id='u']</pattern></detect>
<urls><address level="topic">t.php?t={t}</address><address level="profile">u.php?u={u}</address></urls>
<level id="topic" kind="terminal"><detect><pattern>body[@id='t']</pattern></detect>
 <object class="sioc:Thread" id="{url}"><field name="title" required="yes">h1</field>
  <total of="sioc:Post">p[@class='info']/b</total>
  <object class="sioc:Post" at="div[@class='post']" id="{outer}#p{@id ~ \d+}">
   <field name="creator" required="yes">p[@class='info']/i</field>
   <field name="content" as="html" required="yes">div[@class='text']</field>
  </object></object></level>
<level id="profile" kind="terminal"><detect><pattern>body[@id='u']</pattern></detect>
 <object class="sioc:UserAccount" id="{url}"><field name="name" required="yes">p[@class='info']/i</field></object></level>
</type></category></kb>`

// TestRenameRepairsAllThatNamesIt repairs, from one field, the total of the same level, and the field
// of another level without a search; a total that the new name does not give stays as it is.
func TestRenameRepairsAllThatNamesIt(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "harbour.xml", Data: []byte(harbour)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base, detect.New(base), NewLexicon(base)}
	topic := func(total string) string {
		var all strings.Builder
		for i, p := range posts {
			fmt.Fprintf(&all, `<div class="post" id="p%d"><p class="infobox"><i>%s</i></p><div class="text">%s</div></div>`,
				i+1, p.who, p.text)
		}
		return `<html><body id="t"><h1>Rope</h1><p class="infobox">` + total + `</p>` + all.String() + `</body></html>`
	}
	for total, want := range map[string]int{"<b>4</b>": 1, "<u>4</u>": 0} {
		l := New(LearnerOptions{})
		p, h := b.page(t, "harbour", "http://h.example/t.php?t=7", topic(total))
		r := l.Page(b.base, p, h)
		if r.Provisional == nil || len(r.Provisional.Totals) != want || r.Provisional.Known() != 8 {
			t.Fatalf("%s: %d totals expected: %+v", total, want, r)
		}
		p, h = b.page(t, "harbour", "http://h.example/u.php?u=3", `<html><body id="u"><p class="infobox"><i>Ada</i></p></body></html>`)
		r = l.Page(b.base, p, h)
		if r.Provisional == nil || len(r.Provisional.Learned) != 1 ||
			!strings.HasPrefix(r.Provisional.Learned[0].Evidence, "another action") {
			t.Errorf("the other level is not repaired by the rename: %+v", r)
		}
	}
}
