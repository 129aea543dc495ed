package extract

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestForums: lists name forums; the way down to a thread says what is in what.
func TestForums(t *testing.T) {
	levels := `<level id="topic" kind="terminal"><detect><pattern>h1</pattern></detect><follow to="forum">nav/a</follow>` +
		`<object class="sioc:Thread" id="{url}"><field name="title">h1</field></object></level>` +
		`<level id="forum" kind="intermediate"><detect><pattern>ul</pattern></detect><follow to="topic">p/a</follow><follow ` +
		`to="forum">ul//a</follow>` +
		`<follow to="forum" paging="yes">i/a</follow></level>`
	load := func(category string) *kb.Type {
		base, err := kb.Load(kb.Source{Name: "test.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="` + category +
			`"><type id="t"><detect><pattern>html</pattern></detect><urls><drop param="s"/><paging param="page"/></urls>` + levels +
			`</type></category></kb>`)})
		if err != nil {
			t.Fatal(err)
		}
		return base.Type("t")
	}
	board := load("forum")
	for _, c := range []struct {
		name, at, page, want string
		typ                  *kb.Type
		level                int
	}{
		{"a thread, its way above and below", "topic?id=5", `<nav><a href="/f?f=1&s=a">Boats</a> <a href="/f?f=2&s=a"><img></a>` +
			`</nav><h1>T</h1>` +
			`<nav><a href="/f?f=1">Boats</a> <a href="/f?f=2">Sails</a><a href="topic?id=5">T</a></nav>`,
			"Thread topic?id=5 title=T has_parent=http://h.example/f?f=2\nForum http://h.example/f?f=1 title=Boats\n" +
				"Forum http://h.example/f?f=2 has_parent http://h.example/f?f=1 title=Sails\n", board, 0},
		{"a thread that says nothing", "topic?id=5", `<h1>T</h1>`, "Thread topic?id=5 title=T\n", board, 0},
		{"a list, with the way to it", "/f?f=2&page=3", `<ul><a href="/f?f=1">Boats</a> <a href="/f?f=2">Sails</a></ul><i><a ` +
			`href="/f?f=2&page=2">` +
			`2</a></i><ul><a href="/f?f=7">Jibs</a><a href="http://elsewhere.example/f?f=1">Almanac</a></ul>`,
			"Forum http://h.example/f?f=1 title=Boats\nForum http://h.example/f?f=2 title=Sails\nForum http://h.example/f?f=7 " +
				"title=Jibs\n", board, 1},
		{"what is no board", "topic?id=5", `<nav><a href="/f?f=1">news</a></nav><h1>T</h1>`, "Thread topic?id=5 " +
			"title=T\n", load("social"), 0},
	} {
		at, _ := url.Parse("http://h.example/f/topic?id=5")
		at, _ = at.Parse(c.at)
		h := Run(Page{Doc: document(t, c.page, at), URL: at, Type: c.typ, Levels: c.typ.Levels[c.level:][:1]})
		if got := describe(Harvest{Objects: h.All()}); got != c.want {
			t.Errorf("%s gives\n%swant\n%s", c.name, got, c.want)
		}
	}
}
