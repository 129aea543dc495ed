package extract

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// TestWhyAnExpressionGivesNothing: the first step or condition that nothing fulfils is named, with what there was before it.
func TestWhyAnExpressionGivesNothing(t *testing.T) {
	doc, err := html.Parse(strings.NewReader(`<div class="post"><p class="who">Ada</p></div><div class="post"><p>Bo</p></div>`))
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"span":                              "there is no span",
		"div[@class='post']/p[@class='by']": "div[@class='post']/p selects 2, div[@class='post']/p[@class='by'] none",
		"div[@class='post']//b":             "div[@class='post'] selects 2, div[@class='post']//b none",
		"p/@title":                          "p selects 2, p/@title none",
	} {
		e, err := kb.NewExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		x := &explainer{run: &run{work: kb.NewWork(maxWork)}}
		if got := x.why(&Trial{Expr: e, scope: doc}, "date"); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// TestLinksThatAreTooMany: links to one page, to the page itself and to another level are told.
func TestLinksThatAreTooMany(t *testing.T) {
	typ := typeOf(t, `<urls><address level="topic">t/{t}</address><address level="topic" part="yes">p/{p}</address></urls>`,
		topic(`<follow to="topic">a</follow>`))
	page := `<a href="/t/1">1</a><a href="/t/2">2</a><a href="/t/2#x">2</a><a href="/p/9">9</a>`
	at := &url.URL{Scheme: "http", Host: "h.example", Path: "/t/1"}
	for _, a := range Explain(Page{Doc: document(t, page, nil), URL: at, Type: typ}, typ.Levels[0]) {
		const want = "4 links are 3 pages; 1 to the page itself; 1 by their addresses to another level, " +
			"first http://h.example/p/9, topic, something on its page"
		if a.Kind == "follow" && a.Excess != want {
			t.Errorf("%q, want %q", a.Excess, want)
		}
	}
}

// TestWhyAValueIsNotWhatWasAsked: what an expression selects is shown, with what it should be; so is a node that has no id.
func TestWhyAValueIsNotWhatWasAsked(t *testing.T) {
	typ := typeOf(t, "", topic(`<follow to="topic">b</follow><object class="sioc:Thread" id="{url}"><object class="sioc:Post" at="div" `+
		`id="#{@id}"><field name="created" as="date">p</field><field name="creator">i</field></object></object>`))
	page := `<div id="1"><p>Reply to this</p><i></i></div><div><p>x</p></div><b>next</b>`
	var got []string
	at := &url.URL{Scheme: "http", Host: "h.example"}
	for _, a := range Explain(Page{Doc: document(t, page, nil), URL: at, Type: typ}, typ.Levels[0]) {
		if a.Unnamed != "" {
			got = append(got, a.Unnamed)
		}
		for _, trial := range a.Trials {
			if trial.Why != "" {
				got = append(got, trial.Why)
			}
		}
	}
	want := []string{`no id for html/body/div[2] by #{@id}`, `a node "Reply to this": no date`,
		`a node html/body/div[1]/i, which has no text: no text`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
