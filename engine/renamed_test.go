package engine_test

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// TestAddressesThatADraftRenames: when a draft says that addresses of posts are addresses of a
// thread, the waiting ones are not requested, and the thread is requested once, though a page of it
// was fetched at the address of a post, which may be another page.
func TestAddressesThatADraftRenames(t *testing.T) {
	page := `<h1>One</h1><p id="pid11">first</p>` + links("/show?tid=1&pid=11", "/show?tid=1&action=last", "/show?tid=1&page=2")
	base := serve(t, site{
		"/":                       links("/show?tid=1&pid=21", "/show?tid=1&action=last", "/show?action=new&tid=1"),
		"/show?tid=1&pid=21":      `<h1>One</h1><p id="pid21">second</p>`,
		"/show?tid=1":             page,
		"/show?tid=1&page=2":      `<h1>One</h1><p id="pid21">second</p>`,
		"/show?tid=1&action=last": "-> /show?tid=1&pid=21",
		"/show?action=new&tid=1":  page,
	})
	w := newWorld(t)
	w.options.Drafted = func(*kb.Type) bool { return true }
	run := func(text string, pages int64) {
		b, err := kb.Load(kb.Source{Name: "board.xml", Data: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		w.options.Limits.Pages = pages
		e := w.open(base + "/")
		e.Use(detect.New(b))
		if _, err := e.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		w.frontier.Close()
	}
	run(lastPosts, 2)
	w.want("404 /robots.txt", "200 /", "200 /show?tid=1&pid=21")
	run(strings.Replace(lastPosts, "<urls>", `<urls><paging param="page"/>
		<prefer url="show?tid={a}"><from>show?pid={x}&amp;tid={a}</from><from>show?action=last&amp;tid={a}</from>
		<from>show?action=new&amp;tid={a}</from></prefer>`, 1), 0)
	w.want("404 /robots.txt", "200 /", "200 /show?tid=1&pid=21", "200 /show?tid=1", "200 /show?tid=1&page=2")
}
