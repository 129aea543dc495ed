package adapt

import (
	"slices"
	"testing"

	"github.com/awarc/awarc/engine/extract"
)

// Links to further pages that have no name, beside others that have none, are told by their
// addresses; those that print a page, or lead to the next topic, are none of them.
func TestFurtherPagesByTheirAddresses(t *testing.T) {
	b := loadBoard(t)
	body := edit(t, newTopic(""), "<h2>", `<p><a href="#" onclick="jump()">Go to page</a> <b>1</b>, <a href="show.php?t=7&amp;start=4">`+
		`2</a>, <a href="show.php?t=7&amp;start=8">3</a> <a href="show.php?t=7&amp;view=print">Print</a> <a `+
		`href="show.php?t=7&amp;view=next">Next topic</a></p><h2>`)
	if got, want := b.leads(t, "http://board.example/show.php?t=7", body, "topic"),
		[]string{"show.php?t=7&start=4", "show.php?t=7&start=8"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// So is a link that prints a further page, which the first has not.
	s := newSession(b.base, pageOf(t, b, body), Options{Lexicon: b.lexicon})
	list := s.pagesByAddress()
	if len(list) != 1 {
		t.Fatalf("%d candidates", len(list))
	}
	second := newSession(b.base, pageOf(t, b, edit(t, body, "view=print", "start=8&amp;view=print")), Options{Lexicon: b.lexicon})
	if got := second.leads(list[0]).urls; len(got) != 2 {
		t.Errorf("on the next page %s selects %v", list[0].expr, got)
	}
}

func pageOf(t *testing.T, b builtin, body string) extract.Page {
	t.Helper()
	p, _ := b.page(t, "board", "http://board.example/show.php?t=7", body)
	return p
}
