package watch

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// Visit is the result of a fetch of a page.
type Visit struct {
	Key, URL string
	Place    string // see Page
	Object   string
	Part     int
	Now      float64
	Modified float64 // Last-Modified; 0 without one
	State    State
	// Unchanged is set if the server reports no change, or sent the same bytes.
	Unchanged bool
	At        Validators // of the answer, if it has a body
	Pieces    []uint32   // hashes of the pieces of its content, ascending
	Described bool       // actions of the knowledge base select its content
	Source    bool       // it shows that other pages changed
	List      bool       // it only leads to other pages
	Signals   []Signal
	Next      []string // keys of further pages of the same list
	Size      int64    // of the answer, in bytes
}

// Signal is the statement of a page that another one changed.
type Signal struct {
	Object  string  // key of the object that changed; all its pages have it
	Time    float64 // of the change, in days; 0 if the page shows none
	Exact   bool    // the time is not only a day
	Said    string  // the text of the page about it: time and counters; of a number, the parts that it counts
	Counted bool    // Count is a number of parts, such as posts
	Count   int
	// Newest is set if the rows of the list are in the order of the changes, the last change first.
	Newest bool
	// Unfollowed is set if the crawl does not follow the address, so that nothing new is fetched from it.
	Unfollowed bool
}

// said returns the statement by which two signals are compared.
func (g *Signal) said() string {
	if g.Counted {
		return fmt.Sprint(g.Count)
	}
	return g.Said
}

const (
	minute = 1.0 / 24 / 60
	// mostUnknown bounds the addresses that are remembered of which the crawl has no page.
	mostUnknown = 100_000
	// mostSeen bounds how many statements of sources are remembered for a page: arbitrary, most have
	// one or two sources with a time and a number.
	mostSeen = 8
	// mostNew bounds the pieces of a change that are looked for later: arbitrary.
	mostNew = 16
	// mostFails and goneAgain bound the waits before a page that failed, or is gone, is tried again.
	mostFails, failedAgain = 7, 30.0
	goneAgain              = 30.0
	// listAgain is when a list is fetched that no signal is about, if other sources report changes: the
	// content that it leads to is found by these.
	listAgain = 30.0
)

// Visited records the result of a fetch, and returns the keys of the pages that it changed.
func (s *Schedule) Visited(v Visit) (touched []string) {
	s.Tokens--
	s.Fetches++
	s.done[v.Key] = true
	p := s.Pages[v.Key]
	switch {
	case p == nil && v.State != Present:
		return nil
	case p == nil:
		p = &Page{URL: v.URL, Place: v.Place, Object: v.Object, Part: v.Part}
		p.Begin(v.Now, v.Modified)
		p.take(&v)
		s.Add(v.Key, p)
		s.Found++
		s.note(v.URL, "new")
	case v.State == Walled || v.State == Failing:
		p.State, p.Tried, p.Fails = v.State, v.Now, min(p.Fails+1, mostFails)
	case v.State == Gone:
		if p.State != Gone {
			s.Gone++
			s.note(p.URL, "gone")
			s.learn(p, true)
			p.Observe(v.Now, true, 0, p.Rate(s.group(p.Place).Prior))
		}
		p.State, p.Last, p.Signal, p.Fails = Gone, v.Now, 0, 0
	default:
		s.fetched(p, &v)
	}
	touched = append(touched, v.Key)
	if s.Signals && p.Source {
		touched = append(touched, s.signals(p, &v)...)
	}
	return touched
}

// fetched records an answer with content.
func (s *Schedule) fetched(p *Page, v *Visit) {
	known := len(p.Sketch) > 0 || v.Unchanged
	changed := !v.Unchanged && (!slices.Equal(p.Sketch, v.Pieces) || len(v.Pieces) == 0)
	exact := v.Modified > p.Last
	if p.State == Gone {
		known, changed = true, true
	}
	p.State, p.Fails = Present, 0
	if changed && len(p.Sketch) > 0 && !v.Described {
		p.lasting(v.Pieces)
	}
	switch {
	case known || exact:
		s.learn(p, changed)
		p.Observe(v.Now, changed, v.Modified, p.Rate(s.group(p.Place).Prior))
		if changed {
			s.Changed++
			s.note(p.URL, "changed")
		}
	default: // its content at the last fetch is not known, so the difference may be an advertisement
		p.Last, p.Signal = v.Now, 0
	}
	if !v.Unchanged {
		if p.Place != v.Place || p.Object != v.Object {
			s.move(v.Key, p, v)
		}
		p.take(v)
	}
}

// take keeps the values with which the next visit is compared.
func (p *Page) take(v *Visit) {
	p.Validators, p.Sketch, p.Source, p.List, p.Size = v.At, v.Pieces, v.Source, v.List, v.Size
}

// lasting learns which share of the content that a change brought is there at the next change.
func (p *Page) lasting(now []uint32) {
	has := func(list []uint32, h uint32) bool { _, found := slices.BinarySearch(list, h); return found }
	if len(p.New) > 0 {
		stayed := 0
		for _, h := range p.New {
			if has(now, h) {
				stayed++
			}
		}
		share := float64(stayed) / float64(len(p.New))
		if p.Persistent == 0 {
			p.Persistent = 1
		}
		const learned = 0.25 // weight of the last change: four changes replace what was learned before
		p.Persistent += learned * (max(share, leastWeight) - p.Persistent)
	}
	p.New = nil
	for _, h := range now {
		if !has(p.Sketch, h) && len(p.New) < mostNew {
			p.New = append(p.New, h)
		}
	}
}

// learn counts whether a fetch found a change, and whether a signal had announced it.
func (s *Schedule) learn(p *Page, changed bool) {
	g := s.group(p.Place)
	if host, _, _ := strings.Cut(p.Place, " "); s.told[host] || p.Signal > 0 {
		g.Learn(p.Signal > 0, changed)
	}
}

// signals compares the statements of a source with its earlier ones, and returns the keys of the pages
// whose signals changed.
func (s *Schedule) signals(source *Page, v *Visit) (touched []string) {
	news, last := s.polled[v.Key], false
	name := sourceName(source)
	ordered := slices.ContainsFunc(v.Signals, func(g Signal) bool { return g.Newest })
	for i := range v.Signals {
		g := &v.Signals[i]
		keys, told := s.signal(name, v.Key, g, v.Now)
		touched = append(touched, keys...)
		if told {
			news = append(news, g.Object)
		}
		if g.Newest == ordered { // the others, such as rows of further lists, may stand below the last change
			last = told
		}
	}
	s.polled[v.Key] = news
	if last && len(v.Signals) > 1 { // the list goes on with further changes
		for _, key := range v.Next[:min(1, len(v.Next))] {
			if p := s.Pages[key]; p != nil && p.Signal == 0 {
				p.Signal = v.Now
				touched = append(touched, key)
			}
		}
	}
	return touched
}

// late takes into account that a source lists a page that only another one reported in the session
// before: the other one is needed less.
func (s *Schedule) late(key string, g *Signal) (touched []string) {
	other := s.sole[g.Object]
	if other == "" || other == key {
		return nil
	}
	delete(s.sole, g.Object)
	if p := s.Pages[other]; p.Size > s.Pages[key].Size {
		p.Dull = min(p.Dull+1, mostDull)
		touched = []string{other}
	}
	return touched
}

func sourceName(p *Page) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.Object)) // it does not fail
	return fmt.Sprintf("%08x", h.Sum32())
}

// signal records one signal. told is set if it announces a change that is not archived.
func (s *Schedule) signal(name, source string, g *Signal, now float64) (touched []string, told bool) {
	keys := s.objects[g.Object]
	if len(keys) == 0 {
		at, seen := s.unknown[g.Object]
		if !seen && len(s.unknown) < mostUnknown {
			s.unknown[g.Object] = s.At
			at, seen = s.At, true
		}
		return nil, seen && at == s.At && !g.Unfollowed // a new page: its link is followed
	}
	first := s.Pages[keys[0]]
	mark := keys[len(keys)-1:] // new parts come last
	if first.Source || first.List {
		mark = keys[:1] // new rows come first
	}
	if s.Pages[source].Object == g.Object {
		return nil, false
	}
	if g.Counted {
		name += "#" + g.Said // a list shows a time and several numbers for one page
	}
	before, said := first.Seen[name], g.said()
	if before == said {
		return nil, false
	}
	if first.Seen == nil {
		first.Seen = map[string]string{}
	}
	for k := range maps.Keys(first.Seen) {
		if len(first.Seen) >= mostSeen && first.Seen[name] == "" {
			delete(first.Seen, k)
		}
	}
	first.Seen[name] = said
	touched = append(s.late(source, g), keys[0])
	slack := 1.0
	if g.Exact {
		slack = minute
	}
	newest := s.Pages[mark[0]]
	s.group(newest.Place).Told++
	s.told[hostOf(newest)] = true
	first.Announced = first.Announced || g.Time > 0 || before != ""
	if g.Time > 0 && g.Time+slack <= newest.Last || g.Time == 0 && before == "" {
		return touched, false
	}
	if shrunk := g.Counted && before > said && len(before) >= len(said) || g.Counted && len(before) > len(said); shrunk {
		mark = keys // a part was deleted: all later ones may have moved
	}
	at := now
	if g.Time > 0 && g.Time < now {
		at = g.Time
	}
	for _, key := range mark {
		if p := s.Pages[key]; p.Signal == 0 {
			p.Signal = at
			touched = append(touched, key)
		}
	}
	return touched, true
}
