package adapt

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestDatesByTheirLabel has two dates in each post, in elements of one class: that of the post, and the day on which
// its author joined. That of the last change stands in one post only.
func TestDatesByTheirLabel(t *testing.T) {
	b := loadBuiltin(t)
	body := edit(t, template(t, "phpbb-subsilver-topic.html"), `<b>Uwe</b></span>`,
		`<b>Uwe</b></span><br /><span class="postdetails"><br />Joined: 06 Feb 2004</span>`,
		`Last edited by Ina on`, `Changed:`)
	p, _ := b.page(t, "phpbb", "http://board.example/viewtopic.php?t=7", body)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	sc := &scope{}
	for n, node := range s.x.nodes {
		if node.Data == "tr" && strings.Contains(textContent(node), "Joined:") {
			sc.records = append(sc.records, n)
		}
	}
	field := &kb.Field{Name: "created", As: kb.Date}
	var got []string
	for _, c := range s.labelled(sc) {
		c.nodes = s.selectsBy(c.try, sc)
		s.values(field, c, sc)
		got = append(got, c.written()+" "+strings.Join(c.values, " "))
	}
	want := []string{
		".//text()[starts-with(normalize-space(.), 'Joined:')] 2004-02-05 2004-02-06",
		".//text()[starts-with(normalize-space(.), 'Posted:')] 2005-03-01T17:30:00 2005-03-02T07:10:00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
