package watching

import (
	"slices"
	"sort"

	"github.com/awarc/awarc/engine/watch"
)

// Policy is the schedule of awarc watch under simulation.
type Policy struct {
	Budget  float64 // fetches a day
	Every   float64 // days between sessions
	Signals bool    // a list of recent changes is polled
	// Dates means that the server sends Last-Modified.
	Dates bool
}

// Simulate runs the schedule over a window and returns its fetches and polls.
func (w *Window) Simulate(p Policy) (fetches map[string][]float64, polls float64) {
	fetches = map[string][]float64{}
	last := func(page string, now float64) float64 { // change at or before now
		in := w.Changes[page]
		if i := sort.SearchFloat64s(in, now); i > 0 {
			return in[i-1]
		}
		before := w.Before[page]
		return before[len(before)-1]
	}
	names, pages, group := map[*watch.Page]string{}, []*watch.Page{}, new(watch.Group)
	for _, name := range w.Pages {
		x := &watch.Page{URL: name}
		modified := 0.0
		if p.Dates {
			modified = last(name, w.Start)
		}
		x.Begin(w.Start, modified)
		names[x], pages = name, append(pages, x)
	}
	tokens := 0.0
	type due struct {
		page *watch.Page
		watch.Outlook
	}
	for now := w.Start + p.Every; now < w.End; now += p.Every {
		tokens = min(tokens+p.Budget*p.Every, p.Budget*max(1, p.Every))
		group.Prior = watch.Fit(pages)
		if p.Signals {
			polls, tokens = polls+1, tokens-1
			for x, name := range names {
				if last(name, now) > x.Last && x.Signal == 0 {
					x.Signal = now
				}
			}
		}
		var list []due
		for _, x := range pages {
			o := x.Outlook(group, now, p.Signals)
			if !o.Covered || o.Changed >= watch.LeastChanged {
				list = append(list, due{x, o})
			}
		}
		slices.SortFunc(list, func(a, b due) int {
			switch {
			case a.Gain > b.Gain:
				return -1
			case a.Gain < b.Gain:
				return 1
			}
			return 0
		})
		for _, d := range list {
			if tokens < 1 {
				break
			}
			tokens--
			x, name := d.page, names[d.page]
			fetches[name] = append(fetches[name], now)
			at := last(name, now)
			changed, signalled := at > x.Last, x.Signal > 0
			modified := 0.0
			if p.Dates {
				modified = at
			}
			group.Learn(signalled, changed)
			x.Observe(now, changed, modified, x.Rate(group.Prior))
		}
	}
	return fetches, polls
}
