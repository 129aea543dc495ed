package cockpit

import (
	"bytes"
	"cmp"
	"context"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/onepage"
	"github.com/awarc/awarc/frontier"
)

const (
	eventEvery  = time.Second // how often what is watched is sent
	hostsShown  = 20
	levelsShown = 20
)

// liveView is a crawl at work.
type liveView struct {
	crawlView
	watched
	Stats  frontier.Stats
	Queues []frontier.Queue
	Long   []engine.Download // under way
	Nodes  []crawl.NodeState // of the crawl; none where it is of one machine
	Away   []string          // nodes of which not all is shown, and why
	Free   int64             // bytes of the disk
	Left   time.Duration
}

func (c *Cockpit) lookLive(name string) liveView {
	v := liveView{crawlView: c.look(name)}
	dir := c.Crawls.Folder(name)
	v.Free, _ = archive.FreeSpace(dir) // 0 where the system does not say
	s := c.Crawls.Session(name)
	if s == nil {
		all := func(*engine.Exchanged) bool { return true }
		v.Exchanges, _ = c.folders(context.Background(), name).Exchanges(lastExchanges, all) // a crawl may have none yet
		v.Failures = map[string][]engine.Exchanged{}
		for _, e := range v.Exchanges {
			if kept := v.Failures[e.Error]; e.Error != "" && len(kept) < errorExamples {
				v.Failures[e.Error] = append(kept, e)
			}
		}
		return v
	}
	v.watched, v.Stats, v.Queues, v.Long = s.Feed.watched(), s.Crawl.Stats(), s.Crawl.Queues(hostsShown), s.Crawl.Downloads()
	rate := v.perMinute()
	within, cancel := context.WithTimeout(context.Background(), eventEvery)
	defer cancel()
	v.Nodes, _ = s.Crawl.Nodes(within) // servers that are away tell of none
	for _, n := range v.Nodes {
		if !n.This {
			rate += n.Rate * time.Minute.Seconds()
		}
	}
	if rate > 0 {
		v.Left = time.Duration(float64(v.Stats.Pending+v.Stats.Leased) / rate * float64(time.Minute)).Round(time.Second)
	}
	c.watchNodes(&v)
	return v
}

// Archive is the size of the archives of all nodes.
func (v liveView) Archive() int64 {
	n := v.Report.WARCBytes
	for _, other := range v.Nodes {
		if !other.This {
			n += other.WARCBytes
		}
	}
	return n
}

// Rates is a chart of the rate over time; Made, Kinds and Steps are others.
func (v liveView) Rates() template.HTML {
	if v.Slot.IsZero() {
		return ""
	}
	var all []onepage.Bar
	for i, n := range v.Slots {
		at := v.Slot.Add(-time.Duration(rateSlots-1-i) * rateSlotLength)
		all = append(all, onepage.Bar{Label: at.UTC().Format(time.TimeOnly), N: n})
	}
	return chart(func(w *bytes.Buffer) error { return onepage.Columns(w, textRates, textTime, textRequests, all) })
}

// Made are the requests made beside all that a blind crawl would have made.
func (v liveView) Made() template.HTML {
	all := int(v.Report.Requests + v.Report.Saved)
	return chart(func(w *bytes.Buffer) error {
		return onepage.Bars(w, textSaved, textWho, textRequests, []onepage.Bar{
			{Label: textThisCrawl, N: int(v.Report.Requests), Part: int(v.Report.Requests), Text: inThousands(v.Report.Requests)},
			{Label: textBlindCrawl, N: all, Part: all, Text: inThousands(all)}})
	})
}

// Levels are the pages of each level.
func (v liveView) Levels() template.HTML {
	return counts(textPagesOf, textLevel, textPages, v.Report.Levels)
}

// Classes are the objects of each class.
func (v liveView) Classes() template.HTML {
	return counts(textObjects, textClass, textObjects, v.Report.Objects)
}

// StepTimes are the times of the steps of visits.
func (v liveView) StepTimes() template.HTML {
	ms := map[string]int64{}
	for step, s := range v.Report.Steps {
		ms[step] = int64(1000 * s)
	}
	return counts(textSteps, textStep, textMilliseconds, ms)
}

// counts is a chart of named numbers, the highest first.
func counts(caption, of, unit string, numbers map[string]int64) template.HTML {
	if len(numbers) == 0 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		return cmp.Or(cmp.Compare(numbers[b], numbers[a]), cmp.Compare(a, b))
	})
	var bars []onepage.Bar
	for _, name := range names[:min(len(names), levelsShown)] {
		n := numbers[name]
		bars = append(bars, onepage.Bar{Label: name, N: int(n), Part: int(n), Text: inThousands(n)})
	}
	return chart(func(w *bytes.Buffer) error { return onepage.Bars(w, caption, of, unit, bars) })
}

// chart is what onepage writes, which escapes what it is given.
func chart(write func(*bytes.Buffer) error) template.HTML {
	var out bytes.Buffer
	if write(&out) != nil { // a buffer takes all
		return ""
	}
	return template.HTML(out.String())
}

func (c *Cockpit) live(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if x := c.Crawls.Scheduled(name); x != nil {
		if wait := time.Until(x.At); x.Fault == "" { // then it has begun
			w.Header().Set("Refresh", strconv.Itoa(int(max(0, wait).Seconds())+2))
		}
		c.show(w, r, "scheduled", map[string]any{"State": stateScheduled, "At": x.At, "Fault": x.Fault,
			"Command": commandLine(name, x.Args)})
		return
	}
	c.show(w, r, "live", c.lookLive(name))
}

// liveParts are the parts of the live page that change.
var liveParts = []string{"state", "figures", "schedule", "queues", "exchanges", "objects", "charts"}

// shownParts are the parts as they were made last, for all who watch a crawl.
type shownParts struct {
	made   time.Time
	open   bool
	events []byte
}

// parts are the parts of a crawl's live page as events. They are made once a second, however many watch and whatever happens: watchers
// cost a crawl nothing that grows with its rate.
func (c *Cockpit) parts(name string) (shownParts, error) {
	c.showing.Lock()
	defer c.showing.Unlock()
	if last := c.shown[name]; time.Since(last.made) < eventEvery/2 {
		return last, nil
	}
	v := c.lookLive(name)
	now := shownParts{made: time.Now(), open: v.Open}
	for _, part := range liveParts {
		text, err := rendered("live", part, v)
		if err != nil {
			return now, err
		}
		now.events = append(now.events, event(part, text)...)
	}
	if c.shown[name] = now; !v.Open {
		delete(c.shown, name)
	}
	return now, nil
}

// events sends the parts of the live page that change, as server-sent events, until the watcher is gone or the session has ended.
func (c *Cockpit) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	tick := time.NewTicker(eventEvery)
	defer tick.Stop()
	for {
		now, err := c.parts(r.PathValue("name"))
		if err == nil {
			_ = out.SetWriteDeadline(time.Now().Add(10 * eventEvery)) // of who reads no more
			if !now.open {
				now.events = append(slices.Clone(now.events), event("ended", nil)...)
			}
			_, err = w.Write(now.events)
		}
		if err != nil || out.Flush() != nil || !now.open {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// event is one of a stream: lines of data behind its name.
func event(name string, data []byte) []byte {
	out := []byte("event: " + name + "\ndata: ")
	data = bytes.ReplaceAll(data, []byte("\r"), nil)
	return append(append(out, bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))...), "\n\n"...)
}
