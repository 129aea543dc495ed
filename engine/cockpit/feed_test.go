package cockpit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/extract"
)

// A feed keeps the last exchanges, the last first, and some of each kind of failure.
func TestFeedKeepsTheLast(t *testing.T) {
	t.Parallel()
	var f Feed
	for i := range 3 * lastExchanges / 2 {
		e := engine.Exchanged{URL: fmt.Sprint("http://e.example/", i)}
		if i%10 == 0 {
			e.Error = "timeout"
		}
		f.Exchanged(e)
	}
	for i := range 2 * errorKinds {
		f.Exchanged(engine.Exchanged{URL: "http://e.example/x", Error: fmt.Sprint("kind ", i)})
	}
	f.Noted("one")
	f.Noted("two")
	w := f.watched()
	if len(w.Exchanges) != lastExchanges || w.Exchanges[0].Error != fmt.Sprint("kind ", 2*errorKinds-1) {
		t.Errorf("%d exchanges, first %+v", len(w.Exchanges), w.Exchanges[0])
	}
	if got := w.Failures["timeout"]; len(got) != errorExamples || got[errorExamples-1].URL != "http://e.example/140" {
		t.Errorf("examples: %+v", got)
	}
	if len(w.Failures) != errorKinds || w.Notes[0].Text != "two" {
		t.Errorf("%d kinds, notes %v", len(w.Failures), w.Notes)
	}
	n := 0
	for _, k := range w.Slots {
		n += k
	}
	if n != 3*lastExchanges/2+2*errorKinds {
		t.Errorf("%d exchanges in the slots", n)
	}
	f.Extracted("http://e.example/2", make([]extract.Object, 2*lastObjects))
	f.Extracted("http://e.example/3", []extract.Object{{ID: "http://e.example/3", Class: "sioc:Thread",
		Fields: []extract.Field{{Name: "title", Values: []string{"Hello"}}}}})
	if w := f.watched(); len(w.Last) != lastObjects || w.Last[0].Title != "Hello" || w.Last[0].Class != "sioc:Thread" {
		t.Errorf("objects: %+v", w.Last)
	}
	if got := begins(strings.Repeat("ä", 2*titleLength)); got != strings.Repeat("ä", titleLength)+"…" {
		t.Errorf("begins %q", got)
	}
	f.advance(time.Now().Add(2 * rateSlots * rateSlotLength))
	if w := f.watched(); w.perMinute() != 0 {
		t.Errorf("long ago, and still %v a minute", w.perMinute())
	}
}

// BenchmarkFeed is what a crawl pays for each exchange.
func BenchmarkFeed(b *testing.B) {
	var f Feed
	e := engine.Exchanged{Time: time.Now(), URL: "http://e.example/", Status: 200}
	for b.Loop() {
		f.Exchanged(e)
	}
}

// BenchmarkLivePage is what the parts of a live page cost, once a second.
func BenchmarkLivePage(b *testing.B) {
	v := liveView{crawlView: crawlView{Name: "x", State: stateRunning, Open: true, Report: &engine.Report{}}}
	var f Feed
	for i := range lastExchanges {
		f.Exchanged(engine.Exchanged{Time: time.Now(), URL: fmt.Sprint("http://e.example/topic/", i), Status: 200, Type: "phpbb",
			Level: "topic"})
	}
	v.watched = f.watched()
	for b.Loop() {
		for _, part := range liveParts {
			if _, err := rendered("live", part, v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
