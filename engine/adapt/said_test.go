package adapt

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// What is the title of page after page is the name of the site; of two topics that share one, others tell. Pages
// with one window are of one topic, whatever their addresses.
func TestNameOfTheSiteIsNoTitle(t *testing.T) {
	for _, c := range []struct {
		called  []string
		window  func(n int) string
		trusted bool
	}{
		{[]string{"Quay side"}, strconv.Itoa, true},
		{[]string{"Quay side", "Quay side"}, strconv.Itoa, false},
		{[]string{"Quay side", "Quay side"}, func(int) string { return "Quay side" }, false},
		{[]string{"Oars", "Oars"}, func(int) string { return "Oars - Boats" }, true},
		{[]string{"Oars", "Oars", "Tar"}, strconv.Itoa, true},
		{[]string{"Oars", "Tar", "Anchors"}, strconv.Itoa, true},
	} {
		var all titles
		l := &lesson{entry: kb.Entry{Place: kb.Place{Part: "sioc:Thread title"}}}
		for n, title := range c.called {
			thread := extract.Object{Class: "sioc:Thread", ID: fmt.Sprint("http://board.example/", n),
				Fields: []extract.Field{{Name: "title", Values: []string{title}}}}
			h := extract.Harvest{Objects: []extract.Object{thread}}
			l.hear(&all, h, c.window(n))
			l.hear(&all, h, "page 2") // a further page of the topic
		}
		if l.trusted() != c.trusted {
			t.Errorf("%q: trusted is %v", c.called, l.trusted())
		}
	}
}

// A title that pages share, or that is the name of the host, is not proposed.
func TestTitlesOfOthersAreNotProposed(t *testing.T) {
	b := loadBuiltin(t)
	body := edit(t, template(t, "phpbb-prosilver-topic.html"), `<h2 class="topic-title">(.*?)</h2>`, `<div class="topic-title">$1</div>`)
	for _, c := range []struct {
		host, shared string
		proposed     bool
	}{
		{"board.example", "", true},
		{"board.example", "whichropeforamooring", false},
		{"www.which-rope-for-a.mooring", "", false},
	} {
		p, broken := b.page(t, "phpbb", "http://"+c.host+"/viewtopic.php?t=7", body)
		a := Mend(b.base, p, broken, Judge(p, broken), Options{Lexicon: b.lexicon, shared: map[string]bool{c.shared: true}})
		if got := strings.HasPrefix(fieldsOf(a.Harvest)[0], "sioc:Thread 1 title = Which rope"); got != c.proposed {
			t.Errorf("%+v: %v", c, fieldsOf(a.Harvest))
		}
	}
}
