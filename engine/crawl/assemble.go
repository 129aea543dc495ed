package crawl

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// assemble puts the engine together. A robots.txt that could not be had before robotsSince is requested
// again.
func (c *Crawl) assemble(robotsSince time.Time) error {
	flags := c.settings.Flags
	seeds, err := parseSeeds(c.settings.Seeds)
	if err != nil {
		return err
	}
	if c.scopeData, err = readScope(flags.Scope); err != nil {
		return complain("%s: %v", option("Scope"), err)
	}
	if c.scope, err = flags.scope(seeds, c.scopeData); err != nil {
		return err
	}
	o := engine.Options{
		Scope: c.scope, Workers: flags.Workers, Blind: flags.Blind, Agent: fetch.ProductToken(flags.agent()),
		Persistence: engine.Persistence{MaxTries: flags.MaxTries, Patience: max(flags.Patience, time.Nanosecond),
			RetryDelay: max(flags.RetryDelay, time.Nanosecond)},
		NoTraps: flags.NoTraps, Records: engine.Records{CrawlID: c.settings.CrawlID, Pages: flags.PageRecords},
		Reading:     filepath.Join(c.dir, "state", "begun"),
		Conditional: c.conditional(), RobotsSince: robotsSince, Limits: c.limits(),
		Scoring: flags.scoring(c.topic, c.settings.Seeds),
	}
	if flags.IgnoreRobots {
		o.Agent = ""
	}
	if o.Rendering, err = c.rendering(); err != nil {
		return err
	}
	if o.Watching, err = c.watch.options(); err != nil {
		return err
	}
	if o.Reach, err = flags.reach(); err != nil {
		return err
	}
	o.Drafted = c.drafter()
	if o.Services, err = flags.services(c.rules.get()); err != nil {
		return err
	}
	if err := c.openScoring(&o, seeds); err != nil {
		return err
	}
	if flags.adapts() {
		if o.Adaptation, err = c.adaptation(); err != nil {
			return err
		}
	}
	if o.Force = kb.TypeID(flags.Type); o.Force != "" && c.rules.get().Type(o.Force) == nil {
		return complain("%s %q is not in the knowledge base; see awarc kb list", option("Type"), flags.Type)
	}
	events := engine.Events{
		Exchanged: c.exchanged,
		Extracted: c.events.Extracted,
		Warned:    c.events.Warned,
		Adapted:   c.logAdapted,
		Drained:   c.drained,
	}
	if err := c.openEngine(o, events); err != nil {
		return err
	}
	if err := errors.Join(c.openAvoided(), c.openTexts()); err != nil {
		return err
	}
	if flags.Campaign != nil {
		return c.engine.Ask(context.Background())
	}
	return c.engine.Seed(context.Background(), seeds)
}

// openEngine makes the engine of a crawl of one machine or of several.
func (c *Crawl) openEngine(o engine.Options, events engine.Events) (err error) {
	var queue engine.Frontier = c.frontier
	if c.member != nil {
		queue = c.member
	}
	var fetcher engine.Fetcher = c.fetcher
	if c.shared != nil {
		fetcher = certain{c.fetcher, c.shared}
	}
	c.engine, err = engine.New(o, detect.New(c.rules.get()), queue, c.asMember(fetcher), c.archive, events)
	return err
}
