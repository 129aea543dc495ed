package watch

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Options are set by the user.
type Options struct {
	Budget  float64            `json:"budget"`          // fetches a day
	Every   float64            `json:"every"`           // days between two sessions
	Sweep   float64            `json:"sweep,omitempty"` // days within which each page is fetched; 0 for no bound
	Signals bool               `json:"signals"`
	Weights map[string]float64 `json:"weights,omitempty"` // by level; 1 for others
}

// Schedule holds the state of all pages of a site. It is not safe for concurrent use.
type Schedule struct {
	Options
	Pages  map[string]*Page  // by key
	Groups map[string]*Group // by Page.Place

	Tokens float64 // fetches that the budget allows now
	At     float64 // time of the last plan

	Session        // the last one
	Behind  Behind // how far it is behind

	told    map[string]bool     // hosts with sources that reported a change
	objects map[string][]string // keys of the pages of an object, in the order of its parts
	unknown map[string]float64  // objects without a page, with the session in which a source listed them first
	gained  bool                // the pages with the highest gain were returned in this session
	done    map[string]bool     // returned or fetched in it
	polled  map[string][]string // sources that were fetched in it, and the objects that each reported as changed
	sole    map[string]string   // objects that one source reported in the last session, and this source
}

// Session counts the results of one session.
type Session struct {
	Started time.Time `json:"started"`
	Fetches int       `json:"fetches"`
	Changed int       `json:"changed"`
	Found   int       `json:"found"`
	Gone    int       `json:"gone"`
	News    []News    `json:"news,omitempty"` // examples
}

// News is a page that a session found new, changed or gone.
type News struct {
	URL  string `json:"url"`
	What string `json:"what"`
}

// mostNews bounds the examples of a session: arbitrary, a panel shows as many lines.
const mostNews = 20

func (s *Session) note(url, what string) {
	if len(s.News) < mostNews {
		s.News = append(s.News, News{url, what})
	}
}

// Behind is how far a watch is behind its schedule.
type Behind struct {
	Signalled int     `json:"signalled"`             // pages with a signal that the budget did not allow to fetch
	Oldest    float64 `json:"oldest_days,omitempty"` // age of the oldest of these signals
	Unswept   int     `json:"unswept"`               // pages that were not fetched within the bound
	Late      float64 `json:"late_days,omitempty"`   // by how much the latest of them is over it
	Polls     int     `json:"polls"`                 // sources that were due and not fetched
}

// NewSchedule makes a schedule without pages.
func NewSchedule(o Options) *Schedule {
	return &Schedule{Options: o, Pages: map[string]*Page{}, Groups: map[string]*Group{},
		objects: map[string][]string{}, told: map[string]bool{}, unknown: map[string]float64{},
		done: map[string]bool{}, polled: map[string][]string{}, sole: map[string]string{}}
}

// Add adds a page.
func (s *Schedule) Add(key string, p *Page) {
	s.Pages[key] = p
	if p.Object == "" {
		return
	}
	keys := s.objects[p.Object]
	at, _ := slices.BinarySearchFunc(keys, p.Part, func(k string, part int) int { return cmp.Compare(s.Pages[k].Part, part) })
	s.objects[p.Object] = slices.Insert(keys, at, key)
}

// move files a page under the place and the object of its last answer.
func (s *Schedule) move(key string, p *Page, v *Visit) {
	s.objects[p.Object] = slices.DeleteFunc(s.objects[p.Object], func(k string) bool { return k == key })
	p.Place, p.Object, p.Part = v.Place, v.Object, v.Part
	s.Add(key, p)
}

// group returns the group of a place, never nil.
func (s *Schedule) group(place string) *Group {
	g := s.Groups[place]
	if g == nil {
		g = &Group{Prior: Prior{newShape, newDays}}
		s.Groups[place] = g
	}
	return g
}

// Fit learns the priors of all groups.
func (s *Schedule) Fit() {
	members := map[string][]*Page{}
	for _, p := range s.Pages {
		members[p.Place] = append(members[p.Place], p)
	}
	for place, pages := range members {
		s.group(place).Prior = Fit(pages)
	}
	for place, g := range s.Groups {
		if host, _, _ := strings.Cut(place, " "); g.Told > 0 {
			s.told[host] = true
		}
	}
}

// Outlook returns the expected result of a fetch of a page.
func (s *Schedule) Outlook(p *Page, now float64) Outlook {
	g := s.group(p.Place)
	o := p.Outlook(g, now, s.Signals && s.told[hostOf(p)])
	_, level, _ := strings.Cut(p.Place, "/")
	if w, given := s.Weights[level]; given {
		o.Gain *= w
	}
	return o
}

// due is a page that may be fetched. Pages of a lower class come first.
type due struct {
	key   string
	class int
	gain  float64
}

const (
	classPoll = iota
	classSignal
	classSweep
	classGain
)

// Begin begins a session: the budget grows by the time since the last one.
func (s *Schedule) Begin(now float64) {
	if s.At > 0 {
		s.Tokens += s.Budget * max(0, now-s.At)
	} else {
		s.Tokens = s.Budget * s.Every
	}
	s.Tokens = min(s.Tokens, s.Budget*max(1, s.Every))
	s.At, s.Session = now, Session{}
	clear(s.done)
	clear(s.polled)
	s.Fit()
	s.gained = false
}

// Next returns the keys of the pages to fetch next in this session, the best first, within the budget,
// and each page once: first sources and signalled pages, and when no signal is left, once,
// the pages with the highest gain.
func (s *Schedule) Next(now float64) []string {
	if keys := s.best(now, classSweep); len(keys) > 0 || s.gained {
		return keys
	}
	s.gained = true
	return s.best(now, classGain)
}

// best returns the keys of the best pages up to a class, within the budget.
func (s *Schedule) best(now float64, last int) (keys []string) {
	var list []due
	for key, p := range s.Pages {
		if d := s.due(key, p, now); d.class <= last {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b due) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.gain, a.gain), strings.Compare(a.key, b.key))
	})
	s.Behind = Behind{}
	for i, d := range list {
		if float64(i)+1 > s.Tokens {
			s.fallBehind(list[i:], now)
			break
		}
		keys = append(keys, d.key)
		s.done[d.key] = true
	}
	return keys
}

// due returns how urgent a page is.
func (s *Schedule) due(key string, p *Page, now float64) due {
	none := due{key, classGain + 1, 0}
	wait := now - p.Last
	switch {
	case s.done[key], p.Fails > 0 && now-p.Tried < min(failedAgain, s.Every*math.Exp2(float64(p.Fails))),
		p.State == Gone && p.Signal == 0 && wait < goneAgain:
		return none
	}
	const early = 0.9 // of the interval: sessions begin a little sooner or later
	if s.Signals && p.Source && s.isRoot(key, p) && wait >= early*s.Every*math.Exp2(float64(p.Dull)) {
		return due{key, classPoll, -float64(p.Dull)}
	}
	o := s.Outlook(p, now)
	switch {
	case s.Signals && p.Signal > 0:
		return due{key, classSignal, o.Gain}
	case s.Sweep > 0 && wait >= early*s.Sweep:
		return due{key, classSweep, wait}
	case (p.List || p.Source && p.Dull > 0) && s.Signals && s.told[hostOf(p)] && wait < listAgain:
		return none
	case o.Covered && o.Changed < LeastChanged || o.Gain <= 0:
		return none
	}
	return due{key, classGain, o.Gain}
}

// hostOf returns the host of a page.
func hostOf(p *Page) string {
	host, _, _ := strings.Cut(p.Place, " ")
	return host
}

// isRoot reports whether no other source announces the changes of a page; one that lists it may show
// nothing that changes. Of a list with several pages, the first one stands for all.
func (s *Schedule) isRoot(key string, p *Page) bool {
	keys := s.objects[p.Object]
	return !p.Announced && (len(keys) == 0 || keys[0] == key)
}

// fallBehind counts the pages that the budget does not allow.
func (s *Schedule) fallBehind(left []due, now float64) {
	for _, d := range left {
		p := s.Pages[d.key]
		switch d.class {
		case classPoll:
			s.Behind.Polls++
		case classSignal:
			s.Behind.Signalled++
			s.Behind.Oldest = max(s.Behind.Oldest, now-p.Signal)
		}
		if late := now - max(p.Last, p.Tried) - s.Sweep; s.Sweep > 0 && late > 0 {
			s.Behind.Unswept++
			s.Behind.Late = max(s.Behind.Late, late)
		}
	}
}

// mostDull bounds how rarely a source is polled that is never the only one to report a change: at 128
// times the interval of the sessions.
const mostDull = 7

// End ends a session and returns the keys of the pages that it changed. A source is polled less often
// if cheaper sources report the same changes, in the same session or in the next one.
func (s *Schedule) End() (touched []string) {
	changed := map[string]bool{}
	rest := func(key string, dull int) {
		if p := s.Pages[key]; p.Dull != dull {
			p.Dull = dull
			changed[key] = true
		}
	}
	for _, source := range s.sole { // no other source reported it since
		rest(source, 0)
	}
	clear(s.sole)
	keys := slices.SortedFunc(maps.Keys(s.polled), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Pages[a].Size, s.Pages[b].Size), strings.Compare(a, b))
	})
	told := map[string]int{}
	for _, key := range keys {
		for _, object := range s.polled[key] {
			told[object]++
		}
	}
	shared := map[string]bool{}
	for _, key := range keys {
		p, sole, first := s.Pages[key], 0, 0
		for _, object := range s.polled[key] {
			if told[object] == 1 {
				s.sole[object] = key
				sole++
			} else if !shared[object] {
				shared[object] = true
				first++
			}
		}
		if first > 0 {
			rest(key, 0)
		} else if sole == 0 && s.isRoot(key, p) && s.otherNews(keys, key) {
			rest(key, min(p.Dull+1, mostDull))
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

// otherNews reports whether another one of some sources reported a change in this session.
func (s *Schedule) otherNews(keys []string, but string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return k != but && len(s.polled[k]) > 0 })
}

// Summary is the schedule in figures.
type Summary struct {
	Pages   int     `json:"pages"`
	Sources int     `json:"sources"`
	Fresh   float64 `json:"fresh"` // expected share of pages that did not change since the last fetch
	Gone    int     `json:"gone"`
	Walled  int     `json:"behind_login"`
	Failing int     `json:"failing"`
	Behind  Behind  `json:"behind"`

	Right  float64 `json:"signals_right"`
	Wrong  float64 `json:"signals_wrong"`
	Missed float64 `json:"changes_without_signal"`
}

// Summary summarises the schedule at time now.
func (s *Schedule) Summary(now float64) Summary {
	x := Summary{Pages: len(s.Pages), Behind: s.Behind}
	fresh := 0.0
	for _, p := range s.Pages {
		fresh += 1 - s.Outlook(p, now).Changed
		if p.Source {
			x.Sources++
		}
		switch p.State {
		case Gone:
			x.Gone++
		case Walled:
			x.Walled++
		case Failing:
			x.Failing++
		}
	}
	if len(s.Pages) > 0 {
		x.Fresh = fresh / float64(len(s.Pages))
	}
	for _, g := range s.Groups {
		x.Right, x.Wrong, x.Missed = x.Right+g.Right, x.Wrong+g.Wrong, x.Missed+g.Missed
	}
	return x
}
