package records

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/read/page"
)

// TestLead finds the question above answers that are a group of their own, and nothing where two
// texts stand above them.
func TestLead(t *testing.T) {
	post := func(class, who, when, text string) string {
		return fmt.Sprintf(`<div class="%s"><a class="who" href="/user/%s">%[2]s</a> <i class="when">%s</i>`+
			`<div class="text">%s<br>Yours <em>truly</em></div></div>`, class, who, when, text)
	}
	question := post("question", "ines", "2014-03-02 18:05", "The third plank of my dinghy split while I bent it over the frames.")
	answers := post("answer", "bertil", "2014-03-02 20:41", "Half an hour in the steam box is short for oak of that thickness.") +
		post("answer", "okon", "2014-03-04 22:30", "Green wood bends better than dry wood in any case, I would say.") +
		post("answer", "ines", "2014-03-05 06:55", "I had counted the minutes from lighting the stove, not from the steam.")
	for _, c := range []struct {
		above, want string
	}{{question, "ines 2014-03-02 18:05"}, {question + question, ""},
		{`<div class="text">What all answers say in a few words.</div>`, ""}} {
		doc, err := html.Parse(strings.NewReader("<body>" + c.above + "<hr>" + answers))
		if err != nil {
			t.Fatal(err)
		}
		p := page.New(doc, "en", time.Time{})
		g := &group{}
		for i, n := range p.Nodes {
			if n.Mark == "div.answer" {
				g.records = append(g.records, record{first: i, end: n.End})
			}
		}
		g.settle(p)
		r := readGroup(newReading(p, g, newNames(p)), Weights(), nil)
		if r == nil || r.author == nil || r.date == nil {
			t.Fatal("the answers are not read")
		}
		got := ""
		if rec, ok := r.lead(); ok {
			got = p.Text(rec.Author) + " " + p.Text(rec.Date)
		}
		if got != c.want {
			t.Errorf("above %q: %q, want %q", c.above, got, c.want)
		}
	}
}
