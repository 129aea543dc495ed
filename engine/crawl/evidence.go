package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/frontier/cluster"
)

// mostEvidence bounds what a node tells of what it has not confirmed.
const mostEvidence = 200

// evidence is what nodes tell each other of what none of them has confirmed yet.
type evidence struct {
	mu    sync.Mutex
	told  string
	heard map[string]string // versions, by node
	base  string            // hash of the knowledge base in force when it was last compared
}

// shareEvidence goes on until ctx ends.
func (c *Crawl) shareEvidence(ctx context.Context) {
	if c.shared != nil && c.settings.Flags.adapts() {
		c.exchangeEvidence(ctx)
		every(ctx, sharingEvery, func() { c.exchangeEvidence(ctx) })
	}
}

// exchangeEvidence tells the other nodes what the pages of this one say, and hears what theirs do.
func (c *Crawl) exchangeEvidence(ctx context.Context) {
	e := &c.evidence
	e.mu.Lock()
	defer e.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, sharingTime)
	defer cancel()
	if err := c.tellEvidence(within); err != nil {
		return // or at the next exchange
	}
	versions, err := c.shared.Versions(within)
	if err != nil {
		return
	}
	hear := func(from string, said []adapt.Evidence) {
		if err := c.engine.Hear(ctx, from, said); err != nil && ctx.Err() == nil {
			c.note("pages that waited for what other nodes know: %v", err)
		}
	}
	for node, version := range versions {
		if node == c.settings.Node || e.heard[node] == version {
			continue
		}
		var said []adapt.Evidence
		text, err := c.shared.Document(within, node)
		if err == nil {
			err = json.Unmarshal(text, &said)
		}
		if err != nil {
			continue // likewise
		}
		if e.heard == nil {
			e.heard = map[string]string{}
		}
		e.heard[node] = version
		hear(node, said)
	}
	if hash := c.rules.get().Hash; hash != e.base {
		e.base = hash
		hear("", nil) // another node may have confirmed what pages wait for here
	}
}

func (c *Crawl) tellEvidence(ctx context.Context) error {
	all := c.engine.Evidence()
	text, err := json.Marshal(all[:min(len(all), mostEvidence)])
	if err != nil {
		return fmt.Errorf("what is to be confirmed: %w", err)
	}
	version := cluster.HashOf(text)
	if version == c.evidence.told {
		return nil
	}
	if err := c.shared.Publish(ctx, version, text); err != nil {
		return err
	}
	c.evidence.told = version
	return nil
}

// claim reports whether no other node has confirmed an entry before. If nobody says, it counts.
func (c *Crawl) claim(id string) bool {
	ctx, cancel := context.WithTimeout(c.stopping, sharingTime)
	defer cancel()
	first, err := c.shared.Claim(ctx, id)
	return first || err != nil
}
