package adapt

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// renamed gives the n-th page of a topic of a board with another template.
func (b builtin) renamed(t *testing.T, n int) (extract.Page, extract.Harvest) {
	t.Helper()
	body := edit(t, template(t, "phpbb-prosilver-topic.html"), `class="content"`, `class="k4"`)
	return b.page(t, "phpbb", fmt.Sprintf("http://board.example/viewtopic.php?t=%d", n), body)
}

// What a page suggests is believed when three further pages agree; until then
// nothing of it is published.
func TestLearnerConfirms(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{})
	for n := 1; n <= 4; n++ {
		p, h := b.renamed(t, n)
		r := l.Page(b.base, p, h)
		_, whole := b.page(t, "phpbb", p.URL.String(), template(t, "phpbb-prosilver-topic.html"))
		switch {
		case n < 4 && (!r.Pending || r.Provisional == nil || len(r.Confirmed) > 0 || !slices.Equal(fieldsOf(r.Harvest), fieldsOf(h))):
			t.Errorf("page %d: pending %v, confirmed %v", n, r.Pending, r.Confirmed)
		case n < 4 && !slices.Equal(fieldsOf(*r.Provisional), fieldsOf(whole)):
			t.Errorf("page %d: for now %v", n, fieldsOf(*r.Provisional))
		case n == 4 && (r.Pending || len(r.Confirmed) == 0 || !slices.Equal(fieldsOf(r.Harvest), fieldsOf(whole))):
			t.Errorf("page 4: pending %v, confirmed %v, %v", r.Pending, r.Confirmed, fieldsOf(r.Harvest))
		case n > 1 && r.Tried > 0:
			t.Errorf("page %d tried %d candidates though the first had shown one", n, r.Tried)
		}
		for _, e := range r.Confirmed {
			if e.Pages != 4 || e.Site != "board.example" || e.Confidence < 0.9 || e.From == "" || e.Evidence == "" {
				t.Errorf("provenance %+v", e.Provenance)
			}
			if _, err := b.base.With(e); err != nil {
				t.Error(err)
			}
		}
	}
	if left := l.Finish(); len(left) > 0 {
		t.Errorf("all was decided, but %v is left", left)
	}
}

// lenient are weights by which contents are published that one page shows.
func lenient() rank.Table {
	weights := maps.Clone(Weights())
	m := weights[string(KindContent)]
	m.Unconfirmed = 0
	weights[string(KindContent)] = m
	return weights
}

// At the end of a crawl what too few pages showed is offered by its confidence, which must be higher for what is often mistaken.
func TestFinish(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{Options: Options{Weights: lenient()}})
	p, h := b.renamed(t, 1)
	r := l.Page(b.base, p, h)
	left := l.Finish()
	if len(left) != 1 || left[0].Key != r.Key || len(left[0].Entries) == 0 {
		t.Fatalf("left %+v of %s", left, r.Key)
	}
	base, err := b.base.With(left[0].Entries...)
	if err != nil {
		t.Fatal(err)
	}
	p.Levels = base.Type("phpbb").Level("topic")
	if got := fieldsOf(extract.Run(p)); len(got) <= len(fieldsOf(h)) {
		t.Errorf("with what was offered: %v", got)
	}
	strict := New(LearnerOptions{})
	strict.Page(b.base, p, h)
	for _, d := range strict.Finish() {
		if len(d.Entries) > 0 || !slices.ContainsFunc(d.Left, func(l Left) bool { return l.Cause == NotSure }) {
			t.Errorf("a content that one page shows is offered, or why not is not told: %+v", d)
		}
	}
	sure := New(LearnerOptions{Publish: 1})
	sure.Page(b.base, p, h)
	for _, d := range sure.Finish() {
		if len(d.Entries) > 0 {
			t.Errorf("nothing is certain, but %v is offered", d.Entries)
		}
	}
}

// A page that cannot be mended is given up within the bound, and its siblings are
// tried a few times only.
func TestGivingUp(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{Options: Options{MaxWork: 3}})
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, "<p class=c%d>nothing %d</p>", i, i)
	}
	attempted, failed := 0, 0
	for n := range 30 {
		p, h := b.page(t, "phpbb", fmt.Sprintf("http://board.example/viewtopic.php?t=%d", n),
			`<body id="phpbb" class="section-viewtopic"><div class="postbody"></div>`+rows.String())
		r := l.Page(b.base, p, h)
		if r.Work > 5 { // what is begun is finished
			t.Errorf("page %d cost %.1f parses, the bound is 3", n, r.Work)
		}
		if r.Attempted {
			attempted++
		}
		if r.Failed {
			failed++
		}
	}
	if attempted == 0 || attempted > 4 || failed != attempted {
		t.Errorf("%d of 30 siblings were tried, %d failed", attempted, failed)
	}
}

// A learned entry whose place fails again and again is dropped, once.
func TestLearnerDropsWhatFails(t *testing.T) {
	b := loadBuiltin(t)
	p, h := b.renamed(t, 1)
	l := New(LearnerOptions{Options: Options{Weights: lenient()}})
	l.Page(b.base, p, h)
	entries := l.Finish()[0].Entries
	base, err := b.base.With(entries...)
	if err != nil {
		t.Fatal(err)
	}
	p.Levels = base.Type("phpbb").Level("topic")
	h = extract.Run(p)
	if len(h.Learned) == 0 {
		t.Fatal("no learned entry was used")
	}
	e := h.Learned[0]
	bad := []Fault{{Kind: Implausible, Place: e.Place}}
	var dropped []string
	for _, faults := range [][]Fault{bad, bad, nil, bad, bad, bad, bad} {
		for _, d := range l.watch(h, faults) {
			dropped = append(dropped, d.ID())
		}
	}
	if !slices.Equal(dropped, []string{e.ID()}) {
		t.Errorf("dropped %v, want %s once", dropped, e.ID())
	}
}

// TestConcurrentPages shares a learner.
func TestConcurrentPages(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{})
	var wg sync.WaitGroup
	for n := range 6 {
		p, h := b.renamed(t, n)
		wg.Go(func() { l.Page(b.base, p, h) })
	}
	wg.Wait()
	l.Finish()
}

// TestAnEmptyListIsNoChangeOfTheTemplate: on a forum whose list is empty nothing is
// mended once another forum of the site has shown that the action works, and what
// was tried before is given up at the end.
func TestAnEmptyListIsNoChangeOfTheTemplate(t *testing.T) {
	b := loadBuiltin(t)
	full := template(t, "phpbb-prosilver-forum.html")
	empty := strings.ReplaceAll(full, "topictitle", "announcement")
	const address = "http://forum.test/viewforum.php?f="
	for _, order := range []string{"full first", "empty first"} {
		t.Run(order, func(t *testing.T) {
			l := New(LearnerOptions{Confirm: 1})
			read := func(at, body string) Result {
				p, h := b.page(t, "phpbb", at, body)
				return l.Page(b.base, p, h)
			}
			if order == "full first" {
				read(address+"1", full)
			}
			for i := range 3 {
				r := read(fmt.Sprint(address, i+2), empty)
				if order == "full first" && (r.Attempted || len(r.Confirmed) > 0) {
					t.Errorf("an empty list was mended: %+v", r.Confirmed)
				}
			}
			if order == "empty first" {
				read(address+"1", full)
			}
			for _, d := range l.Finish() {
				for _, e := range d.Entries {
					if strings.Contains(e.Place.String(), "follow") {
						t.Errorf("at the end there is %s: %s", e.Place, e.Expr)
					}
				}
			}
		})
	}
}

// A trail of links back up is there on every page of a board: where the list itself
// is lost, its mended links are followed before they are confirmed, since nothing
// else would confirm them. Where part of the list is found, they can wait.
func TestATrailLeadsNowhere(t *testing.T) {
	b := loadBuiltin(t)
	whole := template(t, "phpbb-prosilver-forum.html")
	row := regexp.MustCompile(`(?s)<li class="row bg1"><dl class="row-item">.*?</li>\n`).FindString(whole)
	var rows strings.Builder
	for i, title := range []string{"Which rope for a mooring?", "A mast that bends too far", "Where to winter on the coast",
		"Leaks at the keel bolts", "Second-hand sails, a warning"} {
		fmt.Fprintf(&rows, `<li class="row bg1"><dl class="row-item"><dt><div class="list-inner"><a href="./viewtopic.php?t=%d" `+
			`class="subject-link">%s</a></div></dt></dl></li>`, 20+i, title)
	}
	lost := edit(t, strings.Replace(whole, row, rows.String(), 1), `topictitle`, `subject-link`, `forumtitle`, `board-link`)
	p, h := b.page(t, "phpbb", "http://forum.test/viewforum.php?f=1", lost)
	if len(h.Links) == 0 || leadsOn(p.Type, h) {
		t.Fatalf("the page should have a trail and nothing more: %v", h.Links)
	}
	r := New(LearnerOptions{}).Page(b.base, p, h)
	if r.Provisional == nil || !leadsOn(p.Type, *r.Provisional) || leadsOn(p.Type, r.Harvest) {
		t.Errorf("of a list under another name: %+v", r.Provisional)
	}
	for typ, want := range map[kb.TypeID]map[kb.LevelID]int{
		"phpbb": {"topic": 0, "forum": 1, "index": 2}, "wordpress": {"post": 0, "archive": 1, "home": 1}, // a front may be a page or a list
	} {
		for id, d := range want {
			if got := depth(b.base.Type(typ), id); got != d {
				t.Errorf("%s %s is %d links from content, want %d", typ, id, got, d)
			}
		}
	}
}

// Mended paging is followed at once, also where the list leads on: that it leads to
// further pages of the same is told by its addresses, and the pages that would
// confirm it are behind it.
func TestMendedPagingIsFollowedAtOnce(t *testing.T) {
	b := loadBuiltin(t)
	p, h := b.page(t, "phpbb", "http://forum.test/viewforum.php?f=2",
		edit(t, template(t, "phpbb-prosilver-forum.html"), `"pagination"><a href="./viewforum`, `"sheets"><a href="./viewforum`))
	if !leadsOn(p.Type, h) || slices.ContainsFunc(h.Links, func(l extract.Link) bool { return l.Paging }) {
		t.Fatalf("the page should lead on and have no paging: %v", h.Links)
	}
	r := New(LearnerOptions{}).Page(b.base, p, h)
	if r.Provisional == nil || !slices.ContainsFunc(r.Provisional.Links,
		func(l extract.Link) bool { return l.Paging && strings.Contains(l.URL, "start=50") }) {
		t.Errorf("of paging under another name: %+v", r.Provisional)
	}
	if r.Provisional != nil && len(r.Provisional.Links) != len(h.Links)+1 {
		t.Errorf("%d links became %v", len(h.Links), r.Provisional.Links)
	}
}
