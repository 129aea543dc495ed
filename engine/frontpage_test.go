package engine_test

import (
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// TestFrontPagesOfAnotherTemplate follows all links of a front page of a known level whose
// navigation actions find none, so that the crawl meets further pages, and the report says so.
// Other pages without such links lead nowhere.
func TestFrontPagesOfAnotherTemplate(t *testing.T) {
	text := func(links string) string { return `<p class="article">A text.</p>` + links }
	base := serve(t, site{
		"/":          "-> /w/Main",
		"/w/Main":    text(links("/w/Oak", "/w/Special")),
		"/w/Oak":     text(`<div id="links">` + links("/w/Elm") + `</div>` + links("/w/Login")),
		"/w/Elm":     text(links("/w/Ash")),
		"/w/Special": links("/w/History"),
	})
	b, err := kb.Load(kb.Source{Name: "wiki.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="wiki"><type id="wiki" name="Wiki">
		<detect><pattern>title[.='x']</pattern></detect>
		<level id="article" kind="terminal"><detect><pattern>p[.article]</pattern></detect>
		<follow to="article">div[@id='links']//a</follow></level></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	e := w.open(base + "/")
	e.Use(detect.New(b))
	if _, err := e.Run(t.Context(), t.Context()); err != nil {
		t.Fatal(err)
	}
	w.count("suspects/"+engine.SuspectFront+"/wiki/article", 1)
	w.frontier.Close()
	w.want("404 /robots.txt", "302 /", "200 /w/Main", "200 /w/Oak", "200 /w/Special", "200 /w/Elm")
}
