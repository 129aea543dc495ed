// Package watching measures how well policies of fetching again keep up with recorded changes.
package watching

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const day = 86400.0

// History is when pages changed: page to ascending times, in days since 1970. The first is when the
// page appeared.
type History map[string][]float64

// ReadHistory reads rows of page, tab and Unix time.
func ReadHistory(r io.Reader) (History, error) {
	h := History{}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		page, at, _ := strings.Cut(in.Text(), "\t")
		t, err := strconv.ParseInt(strings.TrimSpace(at), 10, 64)
		if page == "" || err != nil {
			return nil, fmt.Errorf("line %d: %q: expected a page, a tab and a Unix time in seconds", n, in.Text())
		}
		h[page] = append(h[page], float64(t)/day)
	}
	for _, times := range h {
		slices.Sort(times)
	}
	return h, in.Err()
}

// Window is a part of a history: the pages that exist at its start, and their changes in it.
type Window struct {
	Start, End float64
	Pages      []string
	Changes    map[string][]float64
	Before     map[string][]float64
}

// Window cuts a window out of the history.
func (h History) Window(start, end float64) Window {
	w := Window{Start: start, End: end, Changes: map[string][]float64{}, Before: map[string][]float64{}}
	for page, times := range h {
		if times[0] >= start {
			continue
		}
		w.Pages = append(w.Pages, page)
		for _, t := range times {
			switch {
			case t < start:
				w.Before[page] = append(w.Before[page], t)
			case t < end:
				w.Changes[page] = append(w.Changes[page], t)
			}
		}
	}
	slices.Sort(w.Pages)
	return w
}

// Score is how well a policy kept up.
type Score struct {
	Policy   string  `json:"policy"`
	Captured float64 `json:"captured"`    // share of changes that a fetch saw before the next one
	Mean     float64 `json:"mean_days"`   // from a change to the next fetch
	Median   float64 `json:"median_days"` // likewise
	Stale    float64 `json:"stale"`       // share of page-days with an outdated copy
	Fetches  float64 `json:"fetches_a_day"`
}

// Score evaluates fetches: page to ascending times.
func (w *Window) Score(policy string, fetches map[string][]float64, others float64) Score {
	var delays []float64
	captured, fetched, stale := 0, 0, 0.0
	for _, page := range w.Pages {
		changes, fs, until := w.Changes[page], fetches[page], w.Start
		fetched += len(fs)
		for i, c := range changes {
			j, _ := slices.BinarySearch(fs, c)
			seen, next := w.End, w.End
			if j < len(fs) {
				seen = fs[j]
			}
			if i+1 < len(changes) {
				next = changes[i+1]
			}
			if j < len(fs) && seen < next {
				captured++
			}
			delays = append(delays, seen-c)
			stale += max(0, seen-max(c, until))
			until = max(until, seen)
		}
	}
	s := Score{Policy: policy, Captured: 1, Fetches: (float64(fetched) + others) / (w.End - w.Start)}
	if len(delays) > 0 {
		slices.Sort(delays)
		sum := 0.0
		for _, d := range delays {
			sum += d
		}
		s.Captured, s.Mean = float64(captured)/float64(len(delays)), sum/float64(len(delays))
		s.Median = (delays[(len(delays)-1)/2] + delays[len(delays)/2]) / 2
	}
	s.Stale = stale / (float64(len(w.Pages)) * (w.End - w.Start))
	return s
}

// TrueRates are the days with changes a day in the years before the window, slightly smoothed. The
// baselines use these rates.
func (w *Window) TrueRates(days float64) []float64 {
	rates := make([]float64, len(w.Pages))
	for i, page := range w.Pages {
		before := w.Before[page]
		begin := max(w.Start-days, before[0])
		active := map[int]bool{}
		for _, t := range before {
			if t >= begin {
				active[int(t)] = true
			}
		}
		rates[i] = (float64(len(active)) + 0.1) / (w.Start - begin + 30)
	}
	return rates
}

// Periodic returns fetches at even distances; page i of n begins at a fraction of its period that
// does not depend on the policy.
func (w *Window) Periodic(rates []float64) map[string][]float64 {
	out := map[string][]float64{}
	for i, page := range w.Pages {
		if rates[i] <= 1e-9 {
			continue
		}
		_, phase := math.Modf(float64(i+1) * math.Phi)
		for t := w.Start + phase/rates[i]; t < w.End; t += 1 / rates[i] {
			out[page] = append(out[page], t)
		}
	}
	return out
}
