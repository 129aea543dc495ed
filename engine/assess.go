package engine

import (
	"context"
	"strings"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/frontier"
)

// refused settles a lease whose host is blacklisted; nil means that it may be fetched. A seed
// is the user's word.
func (e *Engine) refused(lease leased) *frontier.Outcome {
	if lease.Seed || !e.assessor.On() {
		return nil
	}
	by := e.assessor.BlacklistedBy(lease.at)
	if by == "" {
		return nil
	}
	counters := map[string]int64{countBlacklisted: 1}
	return &frontier.Outcome{State: frontier.Excluded, Reason: "host " + blacklisted + " by " + by, NoRequest: true, Counters: counters}
}

// isBlacklisted reports whether a URL was excluded since a plugin, a module or the user blacklisted it or its host.
func isBlacklisted(reason string) bool {
	return strings.HasPrefix(strings.TrimPrefix(reason, "host "), blacklisted)
}

// assess has modules and plugins assess a page and its links; extractors among the plugins are asked where extracted is set.
func (e *Engine) assess(
	ctx context.Context, lease leased, ex *fetch.Exchange, p *Page, links []assess.Link, extracted bool,
) *assess.Assessment {
	page := assess.Page{Page: p.extracted(), Objects: p.Harvest.Objects, Scheduled: lease.URL, Status: ex.Status, MIME: ex.MediaType()}
	page.Captured = ex.Start
	if extracted {
		page.HTML = func() string {
			body, err := ex.Body(fetch.MaxPage)
			if err != nil {
				return ""
			}
			return string(body)
		}
	}
	return e.assessor.Page(ctx, &page, links)
}

// exclusions are the links of an answer that are blacklisted.
func (r *pageResult) exclusions() (out []frontier.Exclusion) {
	if r.assessed == nil {
		return nil
	}
	for _, b := range r.assessed.Blacklisted {
		out = append(out, frontier.Exclusion{URL: b.URL, Reason: blacklisted + " by " + b.By, Counter: countBlacklisted})
	}
	return out
}

// pluginCounters are what the plugins of a page add to the durable counters.
func pluginCounters(a *assess.Assessment) map[string]int64 {
	counters := map[string]int64{}
	if a == nil {
		return counters
	}
	for name, c := range a.Calls {
		counters[countPluginCalls+name] += c.Made
		counters[countPluginErrors+name] += c.Failed
		counters[countPluginTime+name] += c.Took.Microseconds()
		counters[countPluginObjects+name] += c.Objects
		counters[countPluginTriples+name] += c.Triples
		counters[countPluginLost+name] += c.LogDropped
		for kind, n := range c.Kinds {
			counters[countPluginKinds+name+"/"+kind] += n
		}
	}
	return counters
}

// pluginFailures returns the settings that record the first failure of each plugin: the page and
// the error.
func (e *Engine) pluginFailures(v visited) map[string][]byte {
	settings := map[string][]byte{}
	if v.page.assessed == nil {
		return settings
	}
	for name, c := range v.page.assessed.Calls {
		if c.Failure == "" {
			continue
		}
		if _, known := e.exampled.LoadOrStore(countPluginErrors+name, true); !known {
			settings[metaExample+countPluginErrors+name] = []byte(v.lease.URL.URL + "\n" + c.Failure)
		}
	}
	return settings
}

// learnWorth tells the assessor what became of a link: what the page behind it is
// worth, nothing where there is none. It returns settings to go with the outcome.
func (e *Engine) learnWorth(v visited) map[string][]byte {
	worth := 0.0
	switch a := v.page.assessed; {
	case !e.assessor.Learns():
		return nil
	case a != nil:
		worth = a.Worth
	case v.ex.Status < 400:
		return nil // a redirect, or no page
	}
	return e.assessor.Learn(v.lease.URL, worth)
}

// learnLayers adds a page, or a file that is a target, to the examples of the context graph. It returns settings to go with the outcome.
func (e *Engine) learnLayers(v visited) map[string][]byte {
	a := v.page.assessed
	if v.robots || a == nil && len(v.page.targets) == 0 {
		return nil
	}
	worth := float64(min(1, len(v.page.targets)))
	if e.options.Targets == nil {
		worth = a.Worth
	}
	return e.assessor.LearnLayers(v.lease.URL, a, keysOf(v.page.links), worth)
}

// keysOf returns the keys of links to other pages.
func keysOf(links []frontier.URL) (keys []string) {
	for _, l := range links {
		if !IsRequisite(l.Level) {
			keys = append(keys, l.Key)
		}
	}
	return keys
}

// encodeFound writes what plugins found on a page, each whole or not at all, marks its objects, and counts it.
func (e *Engine) encodeFound(c graph.Capture, a *assess.Assessment) (all []byte, marks []frontier.Mark) {
	if a == nil {
		return nil, nil
	}
	for _, found := range a.Found {
		written, err := graph.EncodeFound(c, found)
		if err != nil {
			e.warn("the result of a plugin cannot be written as RDF", "plugin", found.Plugin.Name, "url", c.URL, "error", err.Error())
			continue
		}
		all = append(all, written.Quads...)
		if calls := a.Calls[found.Plugin.Name]; calls != nil {
			calls.Objects, calls.Triples = int64(len(found.Objects)), int64(written.Triples)
		}
		for i, o := range found.Objects {
			class := e.assessor.CountedAs(graph.Prefixed(o.Class))
			marks = append(marks, frontier.Mark{Key: class + " " + written.IDs[i], Counter: countObjects + class, Title: o.Title()})
		}
	}
	return all, marks
}

// Learned gives what was learned of weights; nil where nothing shall be.
func (e *Engine) Learned() *assess.Learned { return e.assessor.Learned() }
