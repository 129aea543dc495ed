package adapt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// leads mends a page of no level and gives where it leads then.
func (b builtin) leads(t *testing.T, at, body string, to kb.LevelID) []string {
	t.Helper()
	p, h := b.page(t, "board", at, body)
	if h.Level != nil {
		t.Fatal("the level is detected: the test shows nothing")
	}
	return slices.Compact(linksTo(MendLevel(b.base, p, h, Options{Lexicon: b.lexicon}).Harvest, to))
}

// Of the links to further pages those are taken that name most.
func TestAllFurtherPages(t *testing.T) {
	b := loadBoard(t)
	body := edit(t, newTopic(""), "<h2>", `<p class="page"><a href="show.php?t=7&amp;start=4">Next</a></p><div class="all"><a `+
		`href="show.php?t=7&amp;start=4">2</a> <a href="show.php?t=7&amp;start=8">3</a> <a href="show.php?t=7&amp;start=96">25</a></div>`+
		`<h2>`)
	want := []string{"show.php?t=7&start=4", "show.php?t=7&start=8", "show.php?t=7&start=96"}
	if got := b.leads(t, "http://board.example/show.php?t=7", body, "topic"); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A copy of a page leads to the host that it was copied from.
func TestCopiesLeadHome(t *testing.T) {
	b := loadBoard(t)
	body := strings.ReplaceAll(newTopic(""), `href="`, `href="http://board.example/`)
	if got := b.leads(t, "http://mirror/show.php?t=7", body, "list"); !slices.Equal(got, []string{"list.php?f=2"}) {
		t.Errorf("%v", got)
	}
}

// What lists lead to is on a list of lists in more places than one, and its pattern is
// what was found where its own links are gone.
func TestListsOfLists(t *testing.T) {
	b := loadBoard(t)
	var rows strings.Builder
	for i := range 6 {
		fmt.Fprintf(&rows, `<dt><a class="name" href="list.php?f=%d">List of things %d</a></dt><dd>in it: <a class="more" `+
			`href="list.php?f=%d">More of %[2]d</a>, last <a href="show.php?p=%[4]d">Yes</a></dd>`, 10+i, i, 30+i, 70+i)
	}
	more := `<a class="more" href="help.php">What lists are</a>`
	for i := range 6 {
		more += fmt.Sprintf(` <a class="more" href="list.php?f=%d">And more of %d</a>`, 50+i, i)
	}
	p, h := b.page(t, "board", "http://board.example/", `<html><body id="b"><dl>`+rows.String()+`</dl>`+more+`</body></html>`)
	a := MendLevel(b.base, p, h, Options{Lexicon: b.lexicon})
	if got := linksTo(a.Harvest, "list"); len(got) != 18 || slices.Contains(got, "help.php") {
		t.Errorf("%d lists: %v", len(got), got)
	}
	for _, e := range a.Entries {
		if e.Part == kb.PartDetect {
			return
		}
	}
	t.Errorf("no pattern: %v", a.Entries)
}

// The folder of a form without what it names is a page of its own.
func TestFoldersWithoutAName(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "board.xml",
		Data: []byte(strings.NewReplacer("show.php?t={t}", "topics/{t}", "list.php?f={f}", "Lists-{f}").Replace(board))})
	if err != nil {
		t.Fatal(err)
	}
	b := loadBoard(t)
	b.base, b.lexicon = base, NewLexicon(base)
	p, _ := b.page(t, "board", "http://board.example/Lists-2",
		`<html><body id="b"><a href="/topics/">All</a><a href="/topics/7">Rope for a mooring</a><a href="/Lists-3">Sails</a></body></html>`)
	p.Type = base.Type("board")
	s := newSession(base, p, Options{Lexicon: b.lexicon})
	for to, want := range map[kb.LevelID]string{"topic": "a[contains(@href, 'topics/')]",
		"list": "a[contains(@href, 'Lists-')]"} {
		if got := s.route(t, "list", to, false).byAddress(&group{tag: "a"}); len(got) != 1 || got[0].expr.String() != want {
			t.Errorf("%s: %v, want %s", to, got, want)
		}
	}
}

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
	list := s.route(t, "topic", "topic", true).byAddress(&group{tag: "a"})
	if len(list) != 1 {
		t.Fatalf("%d candidates", len(list))
	}
	second := newSession(b.base, pageOf(t, b, edit(t, body, "view=print", "start=8&amp;view=print")), Options{Lexicon: b.lexicon})
	if got := second.route(t, "topic", "topic", true).column(list[0]).links; len(got) != 2 {
		t.Errorf("on the next page %s selects %v", list[0].expr, got)
	}
}

func pageOf(t *testing.T, b builtin, body string) extract.Page {
	t.Helper()
	p, _ := b.page(t, "board", "http://board.example/show.php?t=7", body)
	return p
}

// route asks the page for a navigation action of a level.
func (s *session) route(t *testing.T, level, to kb.LevelID, paging bool) *route {
	t.Helper()
	for _, v := range s.page.Type.Level(level) {
		for _, r := range s.routes(v) {
			if f := r.spot.Follow; f.To == to && f.Paging == paging {
				r.look()
				return r
			}
		}
	}
	t.Fatalf("no way from %s to %s", level, to)
	return nil
}
