package engine_test

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// lastPosts is a type as a crawl drafts it: its list follows all links of threads.
const lastPosts = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="board">
	<detect><pattern>body</pattern></detect>
	<urls><address level="thread">show?tid={a}</address></urls>
	<level id="thread" kind="terminal"><detect><pattern>h1</pattern></detect>
	<object class="sioc:Thread" id="{url}"><field name="title">h1</field>
	<object class="sioc:Post" at="//p" id="{url}#{@id}"><field name="content">.</field></object></object></level>
	<level id="list" kind="intermediate"><detect><pattern>a</pattern></detect><follow to="thread">a</follow></level>
	</type></category></kb>`

// TestPostsOfADraftAtManyAddresses counts each post once, though redirects, addresses of posts and
// addresses with a word lead to it, and after the pages are read again by an edited draft.
func TestPostsOfADraftAtManyAddresses(t *testing.T) {
	one := `<h1>One</h1><p id="pid11">first</p><p id="pid12">second</p>`
	base := serve(t, site{
		"/": links("/show?tid=1&action=last", "/show?tid=1&pid=11", "/show?tid=1&action=new", "/last/1", "/show?tid=1",
			"/show?tid=2&page=2"),
		"/last/1":                 "-> /post?of=1&number=12",
		"/post?of=1&number=12":    one,
		"/show?tid=1&action=last": "-> /show?tid=1&pid=12#pid12",
		"/show?tid=1&action=new":  one,
		"/show?tid=1&pid=11":      one,
		"/show?tid=1&pid=12":      one,
		"/show?tid=1":             one,
		"/show?tid=2&page=2":      `<h1>Two</h1><p id="pid21">third</p>`,
	})
	w := newWorld(t)
	w.archiver.blocks = map[int64][]byte{}
	w.options.Drafted = func(*kb.Type) bool { return true }
	load := func(text string) *detect.Detector {
		b, err := kb.Load(kb.Source{Name: "board.xml", Data: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return detect.New(b)
	}
	e := w.open(base + "/")
	e.Use(load(lastPosts))
	if reason, err := e.Run(t.Context(), t.Context()); err != nil || reason != engine.Drained {
		t.Fatalf("the crawl ended by %q, %v", reason, err)
	}
	const posts = 3 // the further page of the other thread is not left out
	w.count("objects/sioc:Post", posts)
	e.Use(load(strings.Replace(lastPosts, "<urls>", `<urls><drop param="of"/>`, 1))) // another key of a page
	if _, err := e.ReadEdited(t.Context(), w.log); err != nil {
		t.Fatal(err)
	}
	w.count("objects/sioc:Post", posts)
	w.count("adaptation/reread", 7)
}
