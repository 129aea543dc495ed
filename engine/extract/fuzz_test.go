package extract

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// FuzzRun: no page and no level that loads makes Run panic, and what it yields
// is within bounds and absolute.
func FuzzRun(f *testing.F) {
	f.Add(`<h1>a</h1><div id=1><b>x</b></div>`, `div[@id]`, `.//b | text()`, `#{@id ~ \d+}`, "div", "__")
	f.Add(`<table><tr><td>a<td>b`, `(.//td)[2]`, `following-sibling::*[1]`, `{url}#{string-length(.)}`, "ancestor::table", "")
	f.Add(`<a href="//x">1,2</a><time datetime=2015-05-12>`, `.`, `substring(., 2) + 1`, `{a/@href}`, "..", "b")
	f.Add(strings.Repeat("<div>", 400), `div//div[1]`, `preceding::*`, `{parent}/{outer}`, "//div", "")
	f.Fuzz(func(t *testing.T, page, at, field, id, without, until string) {
		if len(page) > 5000 || len(at)+len(field)+len(without) > 300 {
			return
		}
		esc := func(s string) string { return strings.ReplaceAll(html.EscapeString(s), "\x00", "") }
		var fields string
		for _, as := range []string{"text", "date", "url", "number"} {
			fields += `<field name="f` + as + `" as="` + as + `" many="yes">` + esc(field) + `</field>`
		}
		fields += `<field name="content" as="html" until="` + esc(until) + `">` + esc(field) + `<without>` + esc(without) +
			`</without></field>`
		level := `<follow to="l">` + esc(field) + `</follow><object class="sioc:Thread" id="{url}"><object class="sioc:Post" id="` +
			esc(id) + `" at="` + esc(at) + `" nests="yes">` + fields + `</object></object>`
		base, err := kb.Load(kb.Source{Name: "f", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="c"><type id="t"><detect>` +
			`<pattern>html</pattern></detect><level id="l" kind="terminal"><detect><pattern>html</pattern></detect>` + level +
			`</level></type></category></kb>`)})
		if err != nil {
			return
		}
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return
		}
		address := &url.URL{Scheme: "http", Host: "h", Path: "/"}
		typ := base.Type("t")
		h := Run(Page{Doc: yfilter.Document(root, yfilter.Meta{URL: address}), URL: address, Captured: time.Unix(1e9, 0), Type: typ,
			Levels: typ.Levels})
		if len(h.Objects) > maxObjects || len(h.Links) > maxLinks {
			t.Errorf("%d objects, %d links", len(h.Objects), len(h.Links))
		}
		for _, o := range h.Objects {
			if u, err := url.Parse(o.ID); err == nil && u.Scheme != "http" && u.Scheme != "https" {
				t.Errorf("the id %q is not absolute", o.ID)
			}
			for _, v := range o.Fields {
				if len(v.Values) == 0 {
					t.Errorf("the field %s is there without a value", v.Name)
				}
			}
		}
	})
}
