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
// with one window are of one topic, whatever their addresses. A person may write all pages, the site may not.
func TestWhatEachPageSaysIsOfTheTemplate(t *testing.T) {
	alike := func(title string) func(int) string { return func(int) string { return title } }
	for _, c := range []struct {
		field   string
		said    []string
		window  func(n int) string
		trusted bool
	}{
		{"title", []string{"Quay side"}, strconv.Itoa, true},
		{"title", []string{"Quay side", "Quay side"}, strconv.Itoa, false},
		{"title", []string{"Quay side", "Quay side"}, alike("Quay side"), false},
		{"title", []string{"Oars", "Oars"}, alike("Oars - Boats"), true},
		{"title", []string{"Oars", "Oars", "Tar"}, strconv.Itoa, true},
		{"title", []string{"Oars", "Tar", "Anchors"}, strconv.Itoa, true},
		{"creator", []string{"Ida", "Ida", "Ida"}, strconv.Itoa, true},
		{"creator", []string{"Boats", "Boats"}, func(n int) string { return fmt.Sprint(n, " - Boats") }, false},
		{"creator of a post", []string{"Boats", "Boats"}, func(n int) string { return fmt.Sprint(n, " - Boats") }, false},
		{"created", []string{"2011-05-03", "2011-05-03"}, strconv.Itoa, true},
		{"created", []string{"2011-05-03", "2011-05-03", "2011-05-03"}, strconv.Itoa, false},
		{"created", []string{"2011-05-03", "2011-05-03", "2011-05-03", "2011-05-04"}, strconv.Itoa, true},
		{"content", []string{"All rights reserved.", "All rights reserved."}, strconv.Itoa, false},
	} {
		k := newLessons()
		part := "sioc:Thread "
		field, post := strings.CutSuffix(c.field, " of a post")
		if post {
			part = "sioc:Forum/sioc:Thread "
		}
		l := &lesson{entry: kb.Entry{Place: kb.Place{Part: part + field}}}
		for n, value := range c.said {
			thread := extract.Object{Class: "sioc:Thread", ID: fmt.Sprint("http://board.example/", n),
				Fields: []extract.Field{{Name: field, Values: []string{value}}}}
			h := extract.Harvest{Objects: []extract.Object{thread}}
			k.hear(l, h, c.window(n))
			if c.field == "title" {
				k.hear(l, h, "page 2") // a further page of the topic
			}
		}
		if l.trusted() != c.trusted {
			t.Errorf("%s %q: trusted is %v", c.field, c.said, l.trusted())
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
