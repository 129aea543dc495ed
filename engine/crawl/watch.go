package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/watch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Names of the settings of a watch in the frontier.
const (
	metaWatch      = "watch"
	metaWatchPage  = "watch page "
	metaWatchGroup = "watch group "
)

// WatchOptions are the settings of a watch. Zero values keep the values of the last session.
type WatchOptions struct {
	Budget    float64 // fetches a day
	Every     time.Duration
	Sweep     time.Duration
	NoSignals bool
	Until     time.Time // zero: for ever
	Weights   map[string]float64
}

// watching is the state of a watch: the schedule, and the settings that are stored.
type watching struct {
	stopping context.Context // of Run: it ends when the crawl is stopped or abandoned
	mu       sync.Mutex      // guards all below
	schedule *watch.Schedule
	state    watchState
	until    time.Time
	clock    *Clock
	wake     chan struct{} // ends the wait for the next session
	running  bool          // a session, not the wait between two
	began    time.Time     // the session, or else the process, by the clock of the system
}

// watchState is stored under metaWatch.
type watchState struct {
	watch.Options
	Started  time.Time `json:"started"`
	Sessions int       `json:"sessions"`
	Last     time.Time `json:"last"` // session
	Next     time.Time `json:"next"`
	Tokens   float64   `json:"tokens"`
	Open     bool      `json:"open"` // a session started and did not end

	// Totals over all sessions.
	Fetches int64        `json:"fetches"`
	Changed int64        `json:"changed"`
	Found   int64        `json:"found"`
	Behind  watch.Behind `json:"behind"`

	Recent []watch.Session `json:"recent,omitempty"` // the last ones, the newest first
}

// mostRecent bounds the sessions that are kept in the state: arbitrary, a week of sessions a day.
const mostRecent = 7

// Watch makes a resumed crawl a watch: Run then begins a session each so often, until a time or until
// it is stopped.
func (c *Crawl) Watch(o WatchOptions) error {
	clock, err := OpenClock()
	if err != nil {
		return err
	}
	w := &watching{clock: clock, until: o.Until, wake: make(chan struct{}, 1), began: time.Now()}
	now := clock.Now()
	w.state = watchState{Options: watch.Options{Budget: defaultBudget, Every: inDays(defaultEvery)}, Started: now.UTC()}
	if data := c.frontier.Meta(metaWatch); data != nil {
		if err := json.Unmarshal(data, &w.state); err != nil {
			return fmt.Errorf("the state of the watch: %w", err)
		}
	}
	o.apply(&w.state.Options)
	w.schedule = watch.NewSchedule(w.state.Options)
	w.schedule.Tokens = w.state.Tokens
	if !w.state.Last.IsZero() {
		w.schedule.At = toDays(w.state.Last)
	}
	if err := c.loadWatch(w); err != nil {
		return err
	}
	c.watch = w
	return c.assemble(time.Time{})
}

// options returns the settings for the engine; the watch may be nil.
func (w *watching) options() (engine.Watching, error) {
	if w != nil {
		return engine.Watching{Watch: w, Clock: w.clock.At, Speed: w.clock.Speed()}, nil
	}
	clock, err := OpenClock()
	if err != nil {
		return engine.Watching{}, err
	}
	return engine.Watching{Clock: clock.At}, nil
}

const (
	defaultBudget = 500.0
	defaultEvery  = 6 * time.Hour
)

func (o *WatchOptions) apply(to *watch.Options) {
	if o.Budget > 0 {
		to.Budget = o.Budget
	}
	if o.Every > 0 {
		to.Every = inDays(o.Every)
	}
	if o.Sweep > 0 {
		to.Sweep = inDays(o.Sweep)
	}
	if o.Weights != nil {
		to.Weights = o.Weights
	}
	to.Signals = !o.NoSignals
}

func inDays(d time.Duration) float64 { return d.Hours() / 24 }

func toDays(t time.Time) float64 { return float64(t.UnixMilli()) / 86_400_000 }

func fromDays(d float64) time.Time { return time.UnixMilli(int64(d * 86_400_000)).UTC() }

// loadWatch reads the schedule from the frontier, and takes up what was crawled without one.
func (c *Crawl) loadWatch(w *watching) error {
	if err := loadSchedule(c.frontier, w.schedule); err != nil {
		return err
	}
	return c.takeUp(w)
}

// loadSchedule reads the stored schedule.
func loadSchedule(f queue, s *watch.Schedule) error {
	err := f.EachMeta(metaWatchPage, func(name string, data []byte) error {
		p := new(watch.Page)
		if json.Unmarshal(data, p) == nil { // a page that cannot be read is taken up anew
			s.Add(strings.TrimPrefix(name, metaWatchPage), p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer s.Fit() // a session that was killed goes on without beginning again
	return f.EachMeta(metaWatchGroup, func(name string, data []byte) error {
		g := new(watch.Group)
		if json.Unmarshal(data, g) == nil {
			s.Groups[strings.TrimPrefix(name, metaWatchGroup)] = g
		}
		return nil
	})
}

// takeUp adds the pages of the crawl that have no schedule yet: with the place of their captures by
// the log, and the date of their last change by the archive or a sitemap.
func (c *Crawl) takeUp(w *watching) error {
	fresh := map[string]frontier.Entry{} // by URL
	first := w.state.Sessions == 0       // the crawl may have fetched feeds as requisites of its pages
	err := c.frontier.Each(frontier.Fetched, func(e frontier.Entry) error {
		status, _ := engine.Archived(e)
		if w.schedule.Pages[e.Key] == nil && (status == 200 || status == 304) && (first || !engine.IsRequisite(e.Level)) {
			fresh[e.URL.URL] = e
		}
		return nil
	})
	if err != nil || len(fresh) == 0 {
		return err
	}
	lines, err := c.lastLines(slices.Collect(maps.Values(fresh)))
	if err != nil {
		return err
	}
	base, now := c.rules.get(), w.clock.Now()
	settings := map[string][]byte{}
	for address, e := range fresh {
		if line := lines[address]; engine.IsRequisite(e.Level) && (line == nil || !engine.ListsChanges(nil, "", line.MIME)) {
			delete(fresh, address)
			continue
		}
		p := c.pageOf(base, address, e, lines[address], now)
		w.schedule.Add(e.Key, p)
		if err := keepPage(settings, e.Key, p); err != nil {
			return err
		}
		if len(settings) >= lostAtOnce {
			if err := c.frontier.Amend("", frontier.Outcome{Meta: settings}); err != nil {
				return err
			}
			settings = map[string][]byte{}
		}
	}
	c.note("%s taken into the schedule", engine.Counted(len(fresh), "page|pages is|are"))
	return c.frontier.Amend("", frontier.Outcome{Meta: settings})
}

// pageOf is the schedule's page of a URL that was crawled.
func (c *Crawl) pageOf(base *kb.Base, address string, e frontier.Entry, line *engine.Exchanged, now time.Time) *watch.Page {
	u, err := url.Parse(address)
	if err != nil {
		return &watch.Page{URL: address, Last: toDays(now)}
	}
	if line == nil {
		line = new(engine.Exchanged)
	}
	host, _ := frontier.HostOf(address) // it was fetched
	rules := new(kb.URLRules)
	t := base.Type(kb.TypeID(line.Type))
	p := &watch.Page{URL: address, Place: host}
	if t != nil {
		rules = &t.URLs
		p.Place = host + " " + line.Type + "/" + line.Level
	}
	p.Object, p.Part = rules.ObjectKey(u), rules.Part(u)
	p.Source = engine.ListsChanges(t, kb.LevelID(line.Level), line.MIME) || e.Level == engine.LevelSitemap || e.Seed ||
		t != nil && engine.IsList(t, kb.LevelID(line.Level)) // until it is read again
	last := e.Settled
	if !line.Time.IsZero() {
		last = line.Time // of the crawl's clock
	}
	if last.After(now) { // a test's clock is behind
		last = now
	}
	modified := float64(e.Modified) / 86_400
	if line.Record != "" && line.Revisit == "" && !p.Source && !e.Seed {
		p.File, p.Offset = line.File, line.Offset // others are read again, since they lead to signals
		if own, err := c.archive.Own(p.File, p.Offset, address); err == nil && own != nil {
			p.Digest = own.PayloadDigest()
			if at := engine.LastModified(own); !at.IsZero() {
				modified = toDays(at)
			}
		}
	}
	p.Begin(toDays(last), modified)
	return p
}

func keepPage(settings map[string][]byte, key string, p *watch.Page) error {
	data, err := json.Marshal(p)
	if err == nil {
		settings[metaWatchPage+key] = data
	}
	return err
}

// Captured implements [engine.Watcher].
func (w *watching) Captured(key string) (watch.Validators, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.schedule.Pages[key]
	if p == nil {
		return watch.Validators{}, false
	}
	return p.Validators, true
}

// Signals implements [engine.Watcher].
func (w *watching) Signals() bool { return w.schedule.Signals }

// Visited implements [engine.Watcher].
func (w *watching) Visited(v watch.Visit) map[string][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Fetches++
	settings := map[string][]byte{}
	for _, key := range w.schedule.Visited(v) {
		_ = keepPage(settings, key, w.schedule.Pages[key]) // plain data is always written
	}
	if p := w.schedule.Pages[v.Key]; p != nil {
		if data, err := json.Marshal(w.schedule.Groups[p.Place]); err == nil && w.schedule.Groups[p.Place] != nil {
			settings[metaWatchGroup+p.Place] = data
		}
	}
	return settings
}

// sessions runs when no URL is pending: it makes signalled pages pending, or ends the session and
// waits for the next one. It returns without pending pages when the watch is over.
func (w *watching) sessions(c *Crawl) {
	for w.stopping.Err() == nil {
		if !w.running {
			if !w.wait() {
				return
			}
			w.begin(c)
		}
		w.mu.Lock()
		keys := w.schedule.Next(toDays(w.clock.Now()))
		w.mu.Unlock()
		switch {
		case len(keys) == 0:
			w.end(c)
		case w.request(c, keys) > 0:
			return
		}
	}
}

// request makes pages pending.
func (w *watching) request(c *Crawl, keys []string) (pending int) {
	for some := range slices.Chunk(keys, lostAtOnce) {
		var entries []frontier.Requeue
		for _, key := range some {
			entries = append(entries, frontier.Requeue{Key: key})
		}
		n, err := c.frontier.Again(w.stopping, entries, "the watch fetches it again")
		if err != nil && w.stopping.Err() == nil {
			c.note("the watch could not schedule %d pages, which wait for the next session: %v", len(entries), err)
		}
		pending += n
	}
	return pending
}

// Began implements [engine.Watcher].
func (w *watching) Began() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.began
}

// begin begins a session.
func (w *watching) begin(c *Crawl) {
	now := w.clock.Now()
	w.mu.Lock()
	w.running, w.state.Open, w.began = true, true, time.Now()
	w.state.Sessions++
	w.state.Last = now.UTC()
	w.state.Next = now.Add(fromDaysDuration(w.schedule.Every)).UTC()
	w.schedule.Begin(toDays(now))
	w.mu.Unlock()
}

func fromDaysDuration(d float64) time.Duration { return time.Duration(d * 24 * float64(time.Hour)) }

// end ends a session: it finishes the files and counts the results.
func (w *watching) end(c *Crawl) {
	w.mu.Lock()
	settings := map[string][]byte{}
	for _, key := range w.schedule.End() {
		_ = keepPage(settings, key, w.schedule.Pages[key]) // plain data is always written
	}
	s := w.schedule
	w.running, w.state.Open = false, false
	s.Session.Started = w.state.Last
	w.state.Recent = slices.Insert(w.state.Recent, 0, s.Session)
	w.state.Recent = w.state.Recent[:min(len(w.state.Recent), mostRecent)]
	w.state.Changed += int64(s.Changed)
	w.state.Found += int64(s.Found)
	w.state.Behind = s.Behind
	behind := s.Behind
	settings[metaWatch] = w.data()
	w.mu.Unlock()
	if err := c.archive.Rotate(); err != nil {
		c.note("the files of the session could not be finished: %v", err)
	}
	if err := c.frontier.Amend("", frontier.Outcome{Meta: settings}); err != nil {
		c.note("the schedule could not be stored: %v", err)
	}
	if behind.Signalled+behind.Unswept+behind.Polls > 0 {
		c.note("%s", engine.BehindText(behind))
	}
}

// data is the state of the watch as it is stored.
func (w *watching) data() []byte {
	w.state.Options, w.state.Tokens = w.schedule.Options, w.schedule.Tokens
	data, _ := json.Marshal(w.state) // plain data
	return data
}

// wait waits for the next session; false if there is none.
func (w *watching) wait() bool {
	for {
		w.mu.Lock()
		next, until := w.state.Next, w.until
		w.mu.Unlock()
		now := w.clock.Now()
		over := !until.IsZero() && !until.After(next)
		if over {
			next = until
		}
		if !now.Before(next) {
			return !over
		}
		if !w.clock.Wait(w.stopping, next, w.wake) {
			return false
		}
	}
}

// WatchReport is a watch as reports show it; nil for a crawl that is none.
func (c *Crawl) WatchReport() *engine.WatchReport {
	w := c.watch
	if w == nil {
		return storedWatch(c.frontier)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state
	s.Options = w.schedule.Options
	return s.report(w.schedule.Summary(toDays(w.clock.Now())))
}

func (s *watchState) report(x watch.Summary) *engine.WatchReport {
	return &engine.WatchReport{Budget: s.Budget, Every: fromDaysDuration(s.Every).String(), SweepDays: s.Sweep, Signals: s.Signals,
		Started: s.Started, Sessions: s.Sessions, Last: s.Last, Next: s.Next, Fetches: s.Fetches, Changed: s.Changed, Found: s.Found,
		Recent: slices.Clone(s.Recent), Summary: x}
}

// storedWatch reads the report of a watch that does not run from the frontier.
func storedWatch(f queue) *engine.WatchReport {
	data := f.Meta(metaWatch)
	if data == nil {
		return nil
	}
	var s watchState
	if json.Unmarshal(data, &s) != nil {
		return nil
	}
	all := watch.NewSchedule(s.Options)
	_ = loadSchedule(f, all) // what cannot be read is not counted
	all.Behind = s.Behind
	return s.report(all.Summary(toDays(s.Last)))
}

// ReadBudget reads a number of requests a day from "500/day", "20/hour" or "3000/week"; 0 for "".
func ReadBudget(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, unit, _ := strings.Cut(text, "/")
	per, known := map[string]float64{"": 1, "d": 1, "day": 1, "h": 24, "hour": 24, "w": 1.0 / 7, "week": 1.0 / 7}[strings.TrimSpace(unit)]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !known || !(n > 0 && n <= 1e9) {
		return 0, fmt.Errorf("%s: expected a number of requests with a unit, such as 500/day or 20/hour", text)
	}
	return n * per, nil
}

// ReadInterval reads a duration that may be in days, such as 90d; 0 for "".
func ReadInterval(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n > 0 && n < 36500 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s: expected a duration, such as 6h, 90m or 30d", text)
	}
	return d, nil
}

// SetWatch changes the budget of a running watch, or its interval; 0 keeps one.
func (c *Crawl) SetWatch(budget float64, every time.Duration) error {
	if c.watch == nil {
		return complain("this crawl is not a watch; start one with awarc watch %s", c.dir)
	}
	if budget < 0 || every < 0 {
		return complain("a negative budget or interval")
	}
	w := c.watch
	w.mu.Lock()
	o := WatchOptions{Budget: budget, Every: every, NoSignals: !w.schedule.Signals}
	o.apply(&w.schedule.Options)
	if every > 0 && !w.state.Last.IsZero() {
		w.state.Next = w.state.Last.Add(every)
	}
	data := w.data()
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return c.frontier.PutMeta(metaWatch, data)
}

// explainWatch describes the state of a page in the schedule.
func explainWatch(f queue, key string) (why []string) {
	data := f.Meta(metaWatchPage + key)
	if data == nil {
		return nil
	}
	p := new(watch.Page)
	var s watchState
	if json.Unmarshal(data, p) != nil || json.Unmarshal(f.Meta(metaWatch), &s) != nil {
		return nil
	}
	all := watch.NewSchedule(s.Options)
	_ = loadSchedule(f, all) // what cannot be read is left out
	g := all.Groups[p.Place]
	day := func(d float64) string { return fromDays(d).Format("2006-01-02 15:04 UTC") }
	why = append(why, fmt.Sprintf("watched: last fetched %s, expected to change every %.1f days", day(p.Last), 1/p.Rate(g.Prior)))
	if p.Changed > 0 {
		why = append(why, "last known change "+day(p.Changed))
	}
	switch {
	case p.State != watch.Present:
		why = append(why, map[watch.State]string{watch.Gone: "the site deleted it (404 or 410); earlier captures stay in the archive",
			watch.Walled:  "the site shows a login page in its place; earlier captures stay in the archive",
			watch.Failing: "its last fetches failed; it is tried again"}[p.State])
	case p.Signal > 0:
		why = append(why, "a signal announced a change "+day(p.Signal)+"; it is fetched next")
	case p.Source && p.Announced:
		why = append(why, "it lists changes of other pages; another list announces its own, so it is fetched after a signal")
	case p.Source:
		why = append(why, "it lists changes of other pages and is polled in each session, or less often if other lists are faster")
	}
	o := all.Outlook(p, toDays(s.Last))
	why = append(why, fmt.Sprintf("probability of a change since then %.0f %%", 100*o.Changed))
	if o.Covered {
		why = append(why, fmt.Sprintf("signals announce its changes: %.0f %% of them, and %.0f %% of the signals are right", 100*g.Recall(),
			100*g.Precision()))
	}
	return why
}
