package extract

import (
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// A page that is stopped by its work limit names the expression that took the work, and costs come in order.
func TestCutNamesTheExpression(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "dear.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="t">
<detect><pattern>html</pattern></detect><level id="topic" kind="terminal"><detect><pattern>p</pattern></detect>
<follow to="topic">a</follow>
<follow to="topic" paging="yes">a[preceding::b]</follow>
</level></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	typ := base.Type("t")
	at := &url.URL{Scheme: "http", Host: "h", Path: "/"}
	page := Page{Doc: document(t, "<p>"+strings.Repeat(`<a href="/x">x</a>`, 2000), at), URL: at, Type: typ, Levels: typ.Levels}
	if got := Run(page); got.Cut || got.CutBy != "" {
		t.Errorf("cut by %q", got.CutBy)
	}
	costs := Costs(page)
	if len(costs) != 2 || costs[0].Expr.Pos.Line != 4 || costs[0].Steps < 100*costs[1].Steps {
		t.Errorf("costs %+v", costs)
	}
	got := runWithin(page, kb.NewWork(100_000), nil)
	const want = "expression at dear.xml:4:1 took 9"
	if !got.Cut || !strings.HasPrefix(got.CutBy, want) || !strings.HasSuffix(got.CutBy, "a[preceding::b]") {
		t.Errorf("cut by %q, want %q", got.CutBy, want)
	}
}
