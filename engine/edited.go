package engine

import (
	"context"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Edited sums up what came of reading pages again after an edit of the knowledge base.
type Edited struct {
	Pages   int // that were read again
	Before  int // objects on them as they were fetched
	Objects int // by the rules in force
	Lost    int // pages on which there are fewer than before
	LostURL string
}

// Add adds what came of further pages.
func (s *Edited) Add(more Edited) {
	s.Pages, s.Before, s.Objects, s.Lost = s.Pages+more.Pages, s.Before+more.Before, s.Objects+more.Objects, s.Lost+more.Lost
	if s.LostURL == "" {
		s.LostURL = more.LostURL
	}
}

// HoldEnd keeps the crawl from ending until the function that it returns is called: pages are read again, and may lead on.
func (e *Engine) HoldEnd() (release func()) {
	e.adapting.edits.add(1)
	return sync.OnceFunc(func() { e.adapting.edits.add(-1) })
}

// holds counts who keeps a crawl from ending. More may come while somebody waits for those to go that are there.
type holds struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when there is none any more; nil where nobody waits
}

func (h *holds) add(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n += n; h.n == 0 && h.none != nil {
		close(h.none)
		h.none = nil
	}
}

func (h *holds) wait() {
	h.mu.Lock()
	if h.n == 0 {
		h.mu.Unlock()
		return
	}
	if h.none == nil {
		h.none = make(chan struct{})
	}
	none := h.none
	h.mu.Unlock()
	<-none
}

// visits counts those under way, in generations: who waits for those that had begun is not held up by those that begin.
type visits struct {
	mu  sync.Mutex
	now *sync.WaitGroup
}

func (v *visits) begin() (end func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.now == nil {
		v.now = new(sync.WaitGroup)
	}
	v.now.Add(1)
	return v.now.Done
}

// Settled waits until the visits in progress are over and in the log, or ctx ends, and returns the hash of the rules in force.
func (e *Engine) Settled(ctx context.Context) string {
	v := &e.adapting.visits
	v.mu.Lock()
	begun := v.now
	v.now = nil
	v.mu.Unlock()
	over := make(chan struct{})
	go func() {
		if begun != nil {
			begun.Wait()
		}
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
	return e.detector.Load().Base().Hash
}

// ReadEdited reads pages of the crawl's log again from the archive by the rules in force, without a request: their links are followed,
// and their objects are added under their capture. Other answers, copies of captures and pages that wait for adaptation
// are skipped. The error is context.Canceled where ctx or the crawl ends before all are read.
func (e *Engine) ReadEdited(ctx context.Context, pages []Exchanged) (sum Edited, err error) {
	for i := range pages {
		x := &pages[i]
		if x.Record == "" || x.Revisit != "" || x.Pending || x.Status/100 != 2 || !strings.Contains(x.MIME, "html") {
			continue
		}
		if ctx.Err() != nil || e.interrupted() {
			return sum, context.Canceled
		}
		p := e.archived(x)
		r, err := e.reread(ctx, p, false)
		if err == nil && (r.page.Finding.Type != nil || x.Type != "") {
			sum.Pages, sum.Before, sum.Objects = sum.Pages+1, sum.Before+x.Objects, sum.Objects+len(r.page.Harvest.Objects)
			if len(r.page.Harvest.Objects) < x.Objects {
				sum.Add(Edited{Lost: 1, LostURL: x.URL})
			}
			e.recount(p, x, &r)
			err = e.publish(p, &r)
		}
		if err := e.unreadable(p, err); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// metaMissing begins the settings that hold what a page lacked when it was last read again after an edit.
const metaMissing = "missing/"

// recount lets what a page lacked by the rules before an edit be taken back from the counts when it is published.
func (e *Engine) recount(p *pendingPage, x *Exchanged, r *pageResult) {
	p.counted = x.Missing
	if data := e.frontier.Meta(metaMissing + p.Record); len(data) > 0 {
		p.counted = strings.Split(string(data), "\n")
	}
	if now := missing(&r.page.Harvest); len(now)+len(p.counted) > 0 {
		r.settings = with(map[string][]byte{metaMissing + p.Record: []byte(strings.Join(now, "\n") + "\n")}, r.settings)
	}
}

// missing lists what a page lacks, as the log has it.
func missing(h *extract.Harvest) (list []string) {
	for _, m := range h.Misses {
		list = append(list, m.Object+" "+m.Field+" "+m.ID)
	}
	return list
}

// archived is a page of the log as one that is to be read again, with what the frontier knows of the link to it.
func (e *Engine) archived(x *Exchanged) *pendingPage {
	p := &pendingPage{Record: x.Record, File: x.File, Offset: x.Offset, Time: x.Time, Rendered: x.Rendered,
		URL: x.URL, Key: x.URL, Hops: x.Hops,
		Path: strings.Repeat("L", x.Hops), Level: x.Expected}
	at, keys := parseURL(x.URL), []string{x.URL}
	keys = append(keys, new(kb.URLRules).Key(at)) // of a page that no type described when it was linked
	if t := e.typ(kb.TypeID(x.Type)); t != nil {
		keys = append(keys, t.URLs.Key(at))
	}
	for _, key := range keys {
		known, ok := e.frontier.Lookup(key)
		if !ok || known.State != frontier.Fetched || known.URL.URL != x.URL {
			continue // the key may be that of another address of the page
		}
		p.Key, p.Hops, p.Path, p.Type, p.Level = known.Key, known.Hops, known.Path, known.Type, known.Level
		p.Redirects = known.Redirects
	}
	return p
}
