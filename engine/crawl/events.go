package crawl

import (
	"log/slog"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/extract"
)

// Events are callbacks; nil ones are left out. They are called from several goroutines, and the crawl waits for them.
type Events struct {
	// Started comes before the first request of a session that has anything to fetch. An error ends the session.
	Started func() error
	// Exchanged comes after each exchange, which is in the log by then.
	Exchanged func(engine.Exchanged)
	// Extracted comes with the objects of an address, as [engine.Events] has it.
	Extracted func(url string, objects []extract.Object)
	// Warned reports an event of one URL, and Noted an event of the whole crawl: format and args are as in
	// [Sprintf], which inserts a program's names of options.
	Warned func(slog.Record)
	Noted  func(format string, args ...any)
}

// filled gives events of which none is nil.
func (e Events) filled() Events {
	if e.Started == nil {
		e.Started = func() error { return nil }
	}
	if e.Exchanged == nil {
		e.Exchanged = func(engine.Exchanged) {}
	}
	if e.Extracted == nil {
		e.Extracted = func(string, []extract.Object) {}
	}
	if e.Warned == nil {
		e.Warned = func(slog.Record) {}
	}
	if e.Noted == nil {
		e.Noted = func(string, ...any) {}
	}
	return e
}

func (c *Crawl) note(format string, args ...any) { c.events.Noted(format, args...) }
