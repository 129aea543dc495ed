package extract

import (
	"net/url"
	"testing"
)

// A thread that is shown at the address of one of its posts, or as the one after
// another, is the thread and not another one.
func TestOneThreadAtManyAddresses(t *testing.T) {
	const urls = `<urls><paging param="start"/><drop param="f" with="t"/></urls>`
	typ := typeOf(t, urls, topic(`<object class="sioc:Thread" id="{url}"><field name="title" required="yes">h2</field><object `+
		`class="sioc:Post" id="topic?p={@id}#p{@id}" at="p"><field name="creator" required="yes">i</field></object></object>`))
	within := typeOf(t, urls, topic(`<object class="sioc:Thread" id="{url}"><field name="title">h2</field><object class="sioc:Post" `+
		`id="{outer}#p{@id}" at="p"/></object>`))
	const posts = `<p id=7><i>A</i></p><p id=8></p>`
	for _, c := range []struct{ name, query, page, want string }{
		{"by a post, canonical", "p=8", `<link rel=canonical href="topic?t=5&start=20"><h2>Oars</h2>` + posts, "?t=5"},
		{"by a post, link under the title", "p=8",
			`<b><a href="topic?p=7">Oars</a><a href="topic?f=1&t=5">Oars</a></b><h2>Oars</h2>` + posts, "?t=5"},
		{"by a post, nothing tells", "p=8", `<a href="topic?t=6">Ash</a><a href="http://other.example/topic?t=5">Oars</a><h2>Oars</h2>` +
			posts, "?p=8"},
		{"after another", "t=4&view=next", `<h2><a href="topic?t=5">Oars</a></h2>` + posts, "?t=5"},
		{"after another, a link elsewhere", "t=4&view=next", `<h2>Oars</h2><a href="topic?t=5">Oars</a>` + posts, "?t=4&view=next"},
		{"its own", "t=4", `<link rel=canonical href="topic?t=9"><h2><a href="topic?t=5">Oars</a></h2>` + posts, "?t=4"},
	} {
		at := &url.URL{Scheme: "http", Host: "h", Path: "/topic", RawQuery: c.query}
		h := Run(Page{Doc: document(t, c.page, at), URL: at, Type: typ, Levels: typ.Levels})
		if len(h.Objects) != 3 || h.Objects[0].ID != "http://h/topic"+c.want || h.Objects[1].Parent != h.Objects[0].ID || h.Objects[2].ID !=
			"http://h/topic?p=8#p8" || len(h.Misses) != 1 {
			t.Errorf("%s: %+v, %v", c.name, h.Objects, h.Misses)
		}
		h = Run(Page{Doc: document(t, `<link rel=canonical href="topic?t=9">`+posts, at), URL: at, Type: within, Levels: within.Levels})
		if got := h.Objects[0].ID; got != "http://h/topic?"+c.query {
			t.Errorf("posts that are named by their thread: it is %s at ?%s", got, c.query)
		}
	}
}
