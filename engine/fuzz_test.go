package engine_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// FuzzInspect: whatever a server sends as HTML is read by the built-in knowledge base
// without a panic, and what is found leads somewhere.
func FuzzInspect(f *testing.F) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		f.Fatal(err)
	}
	d := detect.New(base)
	types := base.Types
	f.Add([]byte(`<body id="phpbb"><div class="post" id="p1"><div class="postbody"><a href="./viewtopic.php?p=1#p1">x</a></div></div>`),
		"/viewtopic.php?t=1", byte(1))
	f.Add([]byte("<p><font size=1><table><b><tr>x<svg><title><a href=//h><frameset><noframes><template><select>"), "/", byte(0))
	f.Add([]byte(strings.Repeat("<div><b>", 600)+"<a href=/x>y"), "/a/b?c=d", byte(2))
	f.Fuzz(func(t *testing.T, page []byte, path string, force byte) {
		u, err := url.Parse("http://h.example/" + strings.TrimPrefix(path, "/"))
		if err != nil || len(page) > 20_000 {
			return
		}
		var h engine.Hints
		if i := int(force); i < len(types) {
			h.Force = types[i].ID
		}
		p, err := engine.Inspect(d, engine.Answer{URL: u, Status: http.StatusOK, HTML: page}, h)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Harvest.Links {
			if !strings.HasPrefix(l.URL, "http://") && !strings.HasPrefix(l.URL, "https://") {
				t.Errorf("a link to %q", l.URL)
			}
		}
	})
}
