package adapt

import (
	"fmt"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// oneTemplate knows one template of a board, whose posts are rows of a table.
const oneTemplate = `<kb xmlns="urn:awarc:kb:1"><category id="forum" name="Forum" rank="1"><type id="board" name="Board">
<detect><pattern>span[@class='name']/a[@name]</pattern></detect>
<urls><address level="topic">{*}-t{t}.html</address></urls>
<level id="topic" variant="rows" kind="terminal"><detect><pattern>span[@class='name']/a[@name]</pattern></detect>
<object class="sioc:Thread" id="{url}"><field name="title" required="yes">a[@class='maintitle']</field>
<object class="sioc:Post" id="{url}#{@id ~ \d+}" at="tr[td/span[@class='name']]">
<field name="creator" required="yes">span[@class='name'][a/@name]</field>
<field name="created" as="date" required="yes">span[@class='postdetails']</field>
<field name="content" as="html" required="yes">td[@class='postbody']</field></object></object></level></type></category></kb>`

// Where neither a fixed part of its address nor a pattern that was there tells what a page is, its contents do.
func TestContentsTellTheirLevel(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "board.xml", Data: []byte(oneTemplate)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base, detect.New(base), NewLexicon(base)}
	p, h := b.page(t, "board", "https://quayside.example/ropes-t7.html", topicOf(func(i int, name, text string) string {
		return fmt.Sprintf(`<div class="pp" id="p%d"><p class="wh"><a href="member%d.html">%s</a> » %d May 2019, 10:0%d</p><div `+
			`class="body"><div class="xx">%s</div></div></div>`, 40+i, 2+i, name, i+1, i, text)
	}))
	a := b.mend(p, h)
	if len(a.Entries) == 0 || a.Entries[0].Part != kb.PartDetect {
		t.Fatalf("no pattern among %v: %s", a.Entries, a.Left)
	}
	e, err := kb.NewExpr(a.Entries[0].Expr)
	if err != nil || len(e.Select(p.Doc, nil)) != 8 {
		t.Errorf("%s does not select the contents of the posts (%v)", a.Entries[0].Expr, err)
	}
}

func TestOneNameTellsNoLevel(t *testing.T) {
	post := []*kb.Object{{Class: "sioc:Thread"}, {Class: "sioc:Post"}}
	step := func(f *kb.Field, expr string) planned {
		c := &candidate{}
		c.reading.Expr, _ = xpath.Parse(expr)
		return planned{spot: kb.Spot{Objects: post, Field: f}, by: c}
	}
	content := &kb.Field{Name: "content", As: kb.HTML}
	for _, c := range []struct{ at, content, want string }{
		{"div[@class='post']", "div[@class='content']", "div[@class='post']//div[@class='content']"},
		{"div[@class='post']", "p", ""},
		{"li", "div[@class='content']", ""},
	} {
		if got := contentPattern([]planned{step(nil, c.at), step(&kb.Field{Name: "creator"}, "b[@class='nn']"),
			step(content, c.content)}); got != c.want {
			t.Errorf("%s in %s gives %q, want %q", c.content, c.at, got, c.want)
		}
	}
}
