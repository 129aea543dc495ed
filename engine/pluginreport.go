package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awarc/awarc/plugins"
)

// PluginReport counts the calls of a plugin, of all versions.
type PluginReport struct {
	Calls  int64   `json:"calls"`
	Errors int64   `json:"errors"` // calls without an answer, abstentions not counted
	Time   float64 `json:"time_s"`
	// Objects and Triples are what it said of pages; an object that is on several counts on each.
	Objects int64 `json:"objects,omitempty"`
	Triples int64 `json:"triples,omitempty"`
	// LogDropped counts the lines of its log over the quota of a call, and of the oldest log.
	LogDropped int64 `json:"log_dropped,omitempty"`
	// Share is the time of its calls, as a part of the last session: 0.5 is half of it, and above 1
	// pages were read in parallel.
	Share float64 `json:"share,omitempty"`
	// Kinds says how calls ended that gave no answer, and why there were none.
	Kinds map[string]int64 `json:"kinds,omitempty"`
	// Example is a page on which it failed, Error what it said.
	Example string `json:"example,omitempty"`
	Error   string `json:"error,omitempty"`
}

// unanswered counts the calls that gave no answer or were not made.
func (p *PluginReport) unanswered() int64 {
	return p.Errors + p.Kinds[string(plugins.KindDisabled)] + p.Kinds[string(plugins.KindInput)]
}

// PluginBudget is the part of a session from which on reports name a plugin as slow. With one host,
// whose next request waits for the scores of a page, it makes the crawl a third longer. The number
// is arbitrary.
const PluginBudget = 0.25

// Text returns the calls, failures, losses and time of a plugin in one line.
func (p *PluginReport) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %.1f s", Counted(p.Calls, "call|calls"), p.Time)
	var failed, other []string
	for _, kind := range slices.Sorted(maps.Keys(p.Kinds)) {
		text := fmt.Sprintf("%d %s", p.Kinds[kind], kind)
		if plugins.Kind(kind).IsError() {
			failed = append(failed, text)
		} else {
			other = append(other, text)
		}
	}
	if p.Errors > 0 {
		fmt.Fprintf(&b, ", %s (%s)", Counted(p.Errors, "error|errors"), strings.Join(failed, ", "))
		if p.Error != "" {
			fmt.Fprintf(&b, ", such as on %s: %s", p.Example, p.Error)
		}
	}
	for _, text := range other {
		b.WriteString("; " + text)
	}
	if p.LogDropped > 0 {
		fmt.Fprintf(&b, "; %s of its log dropped", Counted(p.LogDropped, "line|lines"))
	}
	switch {
	case p.Share > PluginBudget:
		fmt.Fprintf(&b, "; slow: it took %.0f %% of the last session, %.0f ms a call; above %.0f %% it is named", 100*p.Share,
			1000*p.Time/float64(max(p.Calls, 1)), 100*PluginBudget)
	case p.Share > 0:
		fmt.Fprintf(&b, "; %.1f %% of the last session", 100*p.Share)
	}
	return b.String()
}

func pluginReports(counters map[string]int64) map[string]PluginReport {
	all := map[string]PluginReport{}
	errs, took := family(counters, countPluginErrors), family(counters, countPluginTime)
	objects, triples := family(counters, countPluginObjects), family(counters, countPluginTriples)
	lost := family(counters, countPluginLost)
	for name, calls := range family(counters, countPluginCalls) {
		r := PluginReport{Calls: calls, Errors: errs[name], Time: float64(took[name]) / 1e6, Objects: objects[name],
			Triples: triples[name], LogDropped: lost[name]}
		for kind, n := range family(counters, countPluginKinds+name+"/") {
			if r.Kinds == nil {
				r.Kinds = map[string]int64{}
			}
			r.Kinds[kind] = n
		}
		all[name] = r
	}
	return all
}
