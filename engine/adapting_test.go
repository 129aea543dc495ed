package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

const boards = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="board"><detect><pattern>i</pattern></detect>
	<level id="topic" kind="terminal"><detect><pattern>b</pattern></detect><object class="sioc:Thread" id="{url}">
	<field name="title">h1</field></object></level></type></category></kb>`

// adaptingEngine is as much of an engine as adaptation needs.
func adaptingEngine(t *testing.T) *Engine {
	t.Helper()
	base, err := kb.Load(kb.Source{Name: "boards.xml", Data: []byte(boards)})
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{}
	e.use(detect.New(base))
	return e
}

func titleEntry(expr string) kb.Entry {
	return kb.Entry{Place: kb.Place{Type: "board", Level: "topic", Part: "sioc:Thread title"}, Expr: expr,
		Provenance: kb.Provenance{Site: "h.example"}}
}

func titlesOf(e *Engine) (out []string) {
	for _, try := range e.detector.Load().Base().Type("board").Levels[0].Objects[0].Fields[0].Tries {
		out = append(out, try.Expr.Source)
	}
	return out
}

// A page that was read before its key was decided, and settled after, does not
// wait for a decision that will not come.
func TestNoPageWaitsForWhatIsDecided(t *testing.T) {
	e := adaptingEngine(t)
	early, late := &pendingPage{Record: "early"}, &pendingPage{Record: "late"}
	if !e.wait("k", early, 0) {
		t.Fatal("a page does not wait for an open key")
	}
	if got := e.decide("k", []kb.Entry{titleEntry("h2")}); !slices.Equal(got, []*pendingPage{early}) {
		t.Errorf("%d pages waited, want 1", len(got))
	}
	if e.wait("k", late, 0) {
		t.Error("a page that was read before the decision waits on")
	}
	if !e.wait("k", late, 1) {
		t.Error("a page that was read after the decision does not wait for the next")
	}
	if got := e.decide("other", nil); len(got) != 0 {
		t.Errorf("%d pages waited for another key", len(got))
	}
}

// What was learned is in force at once, and stays so whatever the sources say,
// until it is rejected there, dropped or forgotten.
func TestWhatIsLearnedStaysInForce(t *testing.T) {
	e := adaptingEngine(t)
	plain := e.detector.Load()
	entry := titleEntry("h2")
	want := func(what string, titles ...string) {
		t.Helper()
		if got := titlesOf(e); !slices.Equal(got, titles) {
			t.Errorf("%s: the titles are %v, want %v", what, got, titles)
		}
	}
	e.decide("k", []kb.Entry{entry})
	want("learned", "h1", "h2")
	e.Use(plain)
	want("with sources that do not have it", "h1", "h2")
	rejecting, err := kb.Load(kb.Source{Name: "boards.xml", Data: []byte(boards)},
		kb.Source{Name: "no.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="board"><learned>
		<try level="topic" part="sioc:Thread title" learned="2026-11-21" rejected="2026-11-22">h2</try></learned></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	e.Use(detect.New(rejecting))
	want("rejected", "h1")
	e.Use(plain)
	want("rejected no more", "h1", "h2")
	e.drop("http://h.example/", []kb.Entry{entry})
	want("dropped", "h1")
	e.Forget(entry.ID())
	e.Use(plain)
	want("forgotten", "h1")
}

// What a page suggests is followed, not published.
func TestProvisionalLinksAreFollowed(t *testing.T) {
	own := []extract.Link{{URL: "http://h.example/a"}}
	var m *mended
	if got := m.leads(own); len(got) != 1 {
		t.Errorf("%d links where the learner was not asked, want 1", len(got))
	}
	m = new(mended)
	if got := m.leads(own); len(got) != 1 {
		t.Errorf("%d links, want 1", len(got))
	}
	m.Provisional = &extract.Harvest{Links: make([]extract.Link, 2*maxProvisional)}
	if got := m.leads(own); len(got) != maxProvisional+1 || len(own) != 1 {
		t.Errorf("%d links, want %d", len(got), maxProvisional+1)
	}
}

// A link judges the action that selected it, also on a page of no level, which leads
// to all that it names; not where an action that is no guess selects it too.
func TestLinksOfAPageOfNoLevelAreTried(t *testing.T) {
	const at = "http://h.example/a"
	entry := kb.Entry{Place: kb.Place{Type: "board", Level: "list", Part: kb.FollowPart("topic", false)}, Expr: "a"}
	link := extract.Link{URL: at, To: "topic"}
	for _, c := range []struct {
		had   extract.Link
		tried bool
	}{{extract.Link{URL: at}, true}, {link, false}} {
		e := adaptingEngine(t)
		m := new(mended)
		m.Provisional = &extract.Harvest{Links: []extract.Link{link}, Learned: []*kb.Entry{&entry}}
		e.try(m, []extract.Link{c.had}, "k", link)
		if got := e.adapting.trials["k"].entry == entry.ID(); got != c.tried {
			t.Errorf("a link to %q before: tried %v, want %v", c.had.To, got, c.tried)
		}
	}
}

// TestDescribedEntries: the log names the expression that was relaxed, or that there is none.
func TestDescribedEntries(t *testing.T) {
	e := kb.Entry{Place: kb.Place{Type: "phpbb", Level: "index", Part: "follow forum"}}
	e.Expr, e.From, e.Cost, e.Site, e.Pages, e.Confidence = "p/a", "h2/a", 2, "a.example", 4, 0.99
	const want = " phpbb index follow forum: p/a (for h2/a; cost 2, a.example, 4 pages, confidence 0.99)"
	if got := describeEntry(&e); !strings.HasSuffix(got, want) {
		t.Error(got)
	}
	e.From = ""
	if got := describeEntry(&e); !strings.Contains(got, ": p/a (read off the pages; cost 2,") {
		t.Error(got)
	}
}
