package adapt

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// titledBoard writes a topic of eight posts of no known template, whose titles are written
// by a form.
func titledBoard(title func(i int) string) string {
	return topicOf(func(i int, name, text string) string {
		return fmt.Sprintf(`<div class="pp" id="p%d"><div class="hh">%s</div><div class="wh"><a class="nn" `+
			`href="memberlist.php?mode=viewprofile&u=%d">%s</a> <span class="dd">%d May 2019, 10:0%d</span></div><div class="xx">`+
			`%s</div></div>`,
			40+i, title(i), i+2, name, i+1, i, text)
	})
}

func TestTitlesOfPostsAnswerThatOfTheirPage(t *testing.T) {
	const is = "Which rope for a mooring?"
	re := func(i int) string {
		if i == 0 {
			return is
		}
		return "Re: " + is
	}
	for name, c := range map[string]struct {
		title func(i int) string
		want  []string // of the first and the others
	}{
		"with what answers put before it":   {re, []string{is, "Re: " + is}},
		"all answers":                       {func(int) string { return "Re: " + is }, []string{"Re: " + is, "Re: " + is}},
		"without the label that all have":   {func(i int) string { return "<b>Post subject:</b> " + re(i) }, []string{is, "Re: " + is}},
		"no other words that all have":      {func(int) string { return "Quote this post" }, []string{"", ""}},
		"no word of the page's title":       {func(int) string { return "Rope" }, []string{"", ""}},
		"no titles of something else again": {func(i int) string { return fmt.Sprintf("Rank %d of the fleet", i) }, []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			b := loadBuiltin(t)
			p, h := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", titledBoard(c.title))
			var got []string
			for _, o := range b.mend(p, h).Harvest.Objects {
				if o.Class == "sioc:Post" {
					got = append(got, o.Value("title"))
				}
			}
			if len(got) != 8 || got[0] != c.want[0] || slices.ContainsFunc(got[1:], func(v string) bool { return v != c.want[1] }) {
				t.Errorf("titles %q, want %q", got, c.want)
			}
		})
	}
}

func TestTitlesAreCutAsTheyAre(t *testing.T) {
	const page = `<html><head><title>Oars - Quayside</title></head><body><div><h3>%s</h3></div><div><h3>%s</h3></div></body></html>`
	b := loadBuiltin(t)
	for _, c := range []struct{ first, second, cut, want string }{
		{"Re: Oars", "Re: Oars", `:\s*(.+)$`, "Re: Oars"},
		{"Re: Oars", "Re: Oars", `^(?:Re: )?(.+)$`, "Oars"},
		{"Subject: Re: Oars", "Subject: Re: Oars", "", "Re: Oars"},
		{"Subject: Oars", "Subject: Re: Oars", `^(\w+)`, "Oars"},
		{"Posts: 31", "Posts: 32", `(\d+)`, "31"},
	} {
		p, _ := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", fmt.Sprintf(page, c.first, c.second))
		s := newSession(b.base, p, Options{Lexicon: b.lexicon})
		title := &candidate{}
		title.reading.Expr, _ = xpath.Parse("h3")
		if c.cut != "" {
			title.match = &kb.Regexp{Regexp: regexp.MustCompile(c.cut)}
		}
		spot := kb.Spot{Field: &kb.Field{Name: "title"}, Objects: []*kb.Object{{Class: "sioc:Post"}}}
		q := &ask{s: s, spot: spot, field: spot.Field, sc: &scope{records: s.x.tags["div"]}, tk: newTaken(2)}
		q.read(title)
		if title.values[0] != c.want {
			t.Errorf("%q cut by %q is %q, want %q", c.first, c.cut, title.values[0], c.want)
		}
	}
}

func TestTitlesOfAllPostsCountMore(t *testing.T) {
	b := loadBuiltin(t)
	page := `<html><head><title>Oars - Quayside</title></head><body>`
	for _, v := range []string{"Oars", "Top", "Re: Oars", "Top"} {
		page += `<div><b>Re: Oars</b> <i>` + v + `</i></div>`
	}
	p, _ := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", page)
	s := newSession(b.base, p, Options{Lexicon: b.lexicon})
	spot := kb.Spot{Field: &kb.Field{Name: "title"}, Objects: []*kb.Object{{Class: "sioc:Post"}}}
	q := &ask{s: s, spot: spot, field: spot.Field, sc: &scope{records: s.x.tags["div"]}, tk: newTaken(4)}
	var candidates []*candidate
	for _, expr := range []string{"i", "b"} {
		title := &candidate{}
		title.reading.Expr, _ = xpath.Parse(expr)
		candidates = append(candidates, title)
	}
	if out := q.decide(candidates); out.why != "" || out.best.reading.Expr.String() != "b" {
		t.Errorf("%v %s", out.best, out.why)
	}
}
