package engine

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/trap"
	"github.com/awarc/awarc/frontier"
)

// countTraps begins the names of the counters of traps: kind and place follow.
const countTraps = "traps/"

// TrapReport is a place without end, and what was not asked for because of it.
type TrapReport struct {
	Kind  string `json:"kind"`  // such as "calendar" or "session id"
	Where string `json:"where"` // host, and folder or parameter
	Links int64  `json:"links"` // that were not followed
}

// trapReports reads the counters of traps.
func trapReports(counters map[string]int64) []TrapReport {
	found := []TrapReport{}
	for name, n := range counters {
		if v, ok := trapOf(name); ok {
			found = append(found, TrapReport{v.Kind, v.Where, n})
		}
	}
	slices.SortFunc(found, func(a, b TrapReport) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Where, b.Where))
	})
	return found
}

func trapOf(counter string) (trap.Verdict, bool) {
	name, ok := strings.CutPrefix(counter, countTraps)
	kind, where, _ := strings.Cut(name, " @ ")
	return trap.Verdict{Kind: kind, Where: where}, ok
}

// restoreTraps takes over what earlier sessions called a trap.
func (e *Engine) restoreTraps(counters map[string]int64) {
	for name := range counters {
		if v, ok := trapOf(name); ok {
			e.traps.Restore(v)
		}
	}
}

// trapCounter names the counter of a trap.
func trapCounter(v trap.Verdict) string {
	const most = 500 // bytes of a place; the frontier bounds names of counters
	return countTraps + v.Kind + " @ " + v.Where[:min(len(v.Where), most)]
}

// parentOf is the page that a URL was found on, nil for a seed.
func parentOf(lease frontier.Lease) *url.URL {
	if lease.Via == "" {
		return nil
	}
	return parseURL(lease.Via)
}

// trapped excludes a URL that was found to belong to a trap since it was scheduled. URLs
// that an action of the knowledge base promised are content.
func (e *Engine) trapped(lease frontier.Lease) *frontier.Outcome {
	if lease.Level != "" || lease.Seed {
		return nil
	}
	v := e.traps.Refuses(parseURL(lease.URL.URL), parentOf(lease), false)
	if v.Kind == "" {
		return nil
	}
	return &frontier.Outcome{State: frontier.Excluded, NoRequest: true, Reason: "trap: " + v.Kind + " of " + v.Where, Counters: map[string]int64{trapCounter(v): 1}}
}

// watchTraps looks at a page of which the knowledge base does not say what it is. A page
// that is a copy of others leads nowhere.
func (e *Engine) watchTraps(r *reading, lease frontier.Lease, base *url.URL) {
	if r.page.Harvest.Level == nil && lease.Level == "" && !r.again {
		r.copyOf = e.traps.Page(r.page.Doc, base, parentOf(lease))
	}
}

// intoTrap tells whether a link is not followed because it leads into a trap, and counts it.
func (e *Engine) intoTrap(r *reading, u, base *url.URL, promised bool) bool {
	v := trap.Verdict{Kind: trap.Shape(u), Where: u.Host}
	if v.Kind == "" {
		v = r.copyOf
	}
	if v.Kind == "" && !promised {
		v = e.traps.Refuses(u, base, true)
	}
	if v.Kind == "" {
		return false
	}
	if r.traps == nil {
		r.traps = make(map[trap.Verdict]int64)
	}
	r.traps[v]++
	return true
}
