package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// metaPending starts the names of settings that hold pages whose objects wait
// for a decision. They are written in the transaction that settles the page, and
// taken away in the one that counts its objects.
const metaPending = "pending page "

// pendingPage is a page that is to be read again from the archive.
type pendingPage struct {
	Record string    `json:"record"` // id of its response record
	File   string    `json:"file"`
	Offset int64     `json:"offset"`
	Time   time.Time `json:"time"` // when it was fetched
	URL    string    `json:"url"`
	Key    string    `json:"key"` // in the frontier
	Hops   int       `json:"hops"`
	Path   string    `json:"path,omitempty"`
	Type   string    `json:"type,omitempty"` // of the link that led to it
	Level  string    `json:"level,omitempty"`
	// Redirects is how many redirects led to the page in a row.
	Redirects int `json:"redirects,omitempty"`
	// Rendered reports that the page is read as its scripts left it.
	Rendered bool `json:"rendered,omitempty"`

	counted []string // what it lacked by rules that are no longer in force
}

func (p *pendingPage) setting() string { return metaPending + p.Record }

// remembered is the setting that holds the page.
func (p *pendingPage) remembered() map[string][]byte {
	data, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers
	}
	return map[string][]byte{p.setting(): data}
}

// lease is as much of the lease under which the page was fetched as reading needs.
func (p *pendingPage) lease() leased {
	u := frontier.URL{URL: p.URL, Key: p.Key, Hops: p.Hops, Path: p.Path, Type: p.Type, Level: p.Level, Redirects: p.Redirects}
	return leased{frontier.Lease{URL: u}, parseURL(p.URL)}
}

// readAgain reads pages from the archive by the rules in force, and adds what
// they hold. With ask the learner is asked first, and may let a page wait on.
func (e *Engine) readAgain(ctx context.Context, pages []*pendingPage, ask bool) error {
	for _, p := range pages {
		if ctx.Err() != nil {
			return errBrokenOff // the setting is there for the next session
		}
		r, err := e.reread(ctx, p, ask)
		l := lesson{page: p.lease().at, mended: r.mended}
		switch {
		case err == nil && r.mended != nil && r.mended.Pending:
			l.waits = p
		case err == nil:
			err = e.publish(p, &r)
		}
		if err := e.unreadable(p, err); err != nil {
			return err
		}
		if err := e.learn(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// errReread is in the chain of an error that is one page's.
var errReread = errors.New("reading a page again")

// unreadable forgets a page that cannot be read again, and returns other errors
// as they are.
func (e *Engine) unreadable(p *pendingPage, err error) error {
	if !errors.Is(err, errReread) {
		return err
	}
	e.warn("a page could not be read again from the archive; its objects are missing", "url", p.URL, "record", p.Record, "error",
		err.Error())
	return e.frontier.Amend(p.URL, frontier.Outcome{Meta: map[string][]byte{p.setting(): nil},
		Counters: map[string]int64{countFaults + "reread": 1}})
}

// reread takes a page from the archive through the steps of reading. Since its record is in memory as a whole, whatever its length,
// there must be room for a big page.
func (e *Engine) reread(ctx context.Context, p *pendingPage, ask bool) (r pageResult, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%w: panic: %v", errReread, x)
		}
	}()
	release, err := makeRoomFor(ctx, bigPage)
	if err != nil {
		return r, errBrokenOff
	}
	defer release()
	ex, err := e.answer(p)
	if err != nil {
		return r, err
	}
	defer ex.Close()
	r, err = e.readInRoom(ctx, p.lease(), ex, readSteps{adapt: ask})
	if err == nil && r.fault.kind != "" {
		return pageResult{}, fmt.Errorf("%w: %s", errReread, r.fault.why)
	}
	return r, err
}

// answer is the archived answer that a page is read from.
func (e *Engine) answer(p *pendingPage) (*fetch.Exchange, error) {
	block, id, err := e.archiver.Response(p.File, p.Offset, 2*fetch.MaxPage)
	if err == nil && id != p.Record {
		err = fmt.Errorf("byte %d of %s is the record %s, not %s", p.Offset, p.File, id, p.Record)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errReread, err)
	}
	ex, err := fetch.Stored(p.URL, block, p.Time)
	if err == nil && p.Rendered {
		var html []byte
		if html, err = e.archiver.Rendered(p.File, p.Offset, browser.MostHTML); err == nil {
			ex, err = fetch.Stored(p.URL, renderedBlock(ex.Header, html), p.Time)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errReread, err)
	}
	return ex, nil
}

// publish adds what a page holds, now that it is decided, to the graph, to the
// counts and to the frontier, and forgets that it waited.
func (e *Engine) publish(p *pendingPage, r *pageResult) error {
	l, harvest := r.labels(), &r.page.Harvest
	c := e.graphCapture(p.Record, p.URL, time.Time{}, l)
	c.Crawl = "" // this and the time were said when it was archived
	quads, err := encode(c, &r.page)
	if err != nil {
		e.warn("the objects of a page cannot be written as RDF", "url", p.URL, "error", err.Error())
	}
	fields := []archive.Field{{Name: "awarc-type", Value: l.typ}, {Name: "awarc-level", Value: l.level}, {Name: "awarc-kb", Value: l.kb}}
	for _, a := range l.adapted {
		fields = append(fields, archive.Field{Name: "awarc-adapted", Value: a})
	}
	added := archive.Amendment{Of: p.Record, URL: p.URL, Time: e.options.Now(), Metadata: fields, Quads: quads}
	if err := e.archiver.Amend(added); err != nil {
		return err
	}
	triples := bytes.Count(quads, []byte("\n"))
	counters := map[string]int64{countTriples: int64(triples), countReread: 1}
	addCounters(counters, pluginCounters(r.assessed))
	addCounters(counters, harvestCounters(harvest))
	takeBackMissing(counters, p.counted)
	addCounters(counters, r.mended.leftCounters())
	out := frontier.Outcome{
		Links: r.links, Exclude: r.exclusions(), Meta: with(map[string][]byte{p.setting(): nil}, r.settings), Counters: counters,
		Marks: objectMarks(harvest),
	}
	if t := r.page.Finding.Type; t != nil {
		out.Aliases = e.options.aliases(t, r.page.URL) // edited rules may give the page another key
	}
	if err := e.frontier.Amend(p.URL, out); err != nil {
		return fmt.Errorf("adding what %s holds: %w", p.URL, err)
	}
	e.tellExtracted(p.URL, harvest)
	e.tellAdapted(Adapted{Event: "reread", URL: p.URL, Record: p.Record, Objects: len(harvest.Objects), Triples: triples,
		Entries: l.adapted})
	return nil
}

// replay gives the pages that waited when the last session ended to the learner
// once more; without one they are read as they are.
func (e *Engine) replay(ctx context.Context) error {
	var pages []*pendingPage
	err := e.frontier.EachMeta(metaPending, func(key string, value []byte) error {
		p := new(pendingPage)
		if err := json.Unmarshal(value, p); err != nil {
			return fmt.Errorf("the setting %q: %w", key, err)
		}
		pages = append(pages, p)
		return nil
	})
	if err != nil {
		return fmt.Errorf("pages that wait for a decision: %w", err)
	}
	slices.SortFunc(pages, func(a, b *pendingPage) int { return a.Time.Compare(b.Time) })
	err = e.readAgain(ctx, pages, e.adapting.Learner != nil)
	if errors.Is(err, errBrokenOff) {
		return nil
	}
	return err
}
