package crawl

import (
	"context"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
)

// Dir is the folder of the crawl.
func (c *Crawl) Dir() string { return c.dir }

// Options returns the current options of the crawl.
func (c *Crawl) Options() Options { return c.settings.Flags }

// Inject takes URLs into the crawl; see [engine.Engine.Inject].
func (c *Crawl) Inject(ctx context.Context, list []engine.Injection) (engine.Injected, error) {
	return c.engine.Inject(ctx, list)
}

// Pause keeps the crawl from beginning URLs until it is called with false.
func (c *Crawl) Pause(paused bool) { c.frontier.Pause(paused) }

// Paused reports whether the crawl is paused.
func (c *Crawl) Paused() bool { return c.frontier.Paused() }

// Stats are the figures of the frontier.
func (c *Crawl) Stats() frontier.Stats { return c.frontier.Stats() }

// Queues are the hosts with most pending URLs, on all nodes, at most so many.
func (c *Crawl) Queues(most int) []frontier.Queue { return c.frontier.Queues(most) }

// Downloads are the long exchanges of this node that are under way.
func (c *Crawl) Downloads() []engine.Download { return c.engine.Downloads() }

// Counters returns the counters of the crawl, earlier sessions included.
func (c *Crawl) Counters() map[string]int64 { return c.frontier.Counters() }

// Objects calls fn for each object that was found, on any node, in no particular order, until fn returns an error, which it returns.
func (c *Crawl) Objects(fn func(class, id, title string) error) error {
	return c.frontier.EachMark(func(m frontier.Mark) error {
		if engine.IsTarget(m) {
			return nil
		}
		class, id, _ := strings.Cut(m.Key, " ")
		return fn(class, id, m.Title)
	})
}

// Saved is the number of distinct URLs that no action leads to: requests that a blind crawl would have made at least.
func (c *Crawl) Saved() int { return c.engine.Avoided().Count() }

// Rules are the rules for domains that are in force.
func (c *Crawl) Rules() map[string]DomainRule {
	out := make(map[string]DomainRule)
	for name, r := range c.frontier.Rules() {
		out[name] = DomainRule{Delay: (*WaitTime)(r.Delay), Budget: r.Budget, Priority: r.Priority, Off: r.Off}
	}
	return out
}

// SetRule replaces the rule for a domain; nil takes it away.
func (c *Crawl) SetRule(ctx context.Context, domain string, r *DomainRule) error {
	if r == nil {
		return c.frontier.SetRule(ctx, domain, nil)
	}
	rule := r.rule()
	return c.frontier.SetRule(ctx, domain, &rule)
}
