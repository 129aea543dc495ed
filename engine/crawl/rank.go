package crawl

import (
	"net/url"
	"path/filepath"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/rankmass"
	"github.com/awarc/awarc/kb"
)

// rankFile keeps the link graph of a crawl with [Limits.RankMass], below its folder.
const rankFile = "state/rankmass"

// openScoring opens the scorers of the crawl, and the rank that earlier sessions covered.
func (c *Crawl) openScoring(o *engine.Options, seeds []*url.URL) (err error) {
	flags := c.settings.Flags
	o.Scoring.Plugins = c.plugins
	if o.Scoring.Layers, err = keptContext(c.dir, flags); err != nil || flags.RankMass == 0 {
		return err
	}
	var keys []string
	for _, u := range seeds {
		keys = append(keys, (&kb.URLRules{}).Key(u))
	}
	c.rank, err = rankmass.Open(filepath.Join(c.dir, rankFile), keys, flags.RankMass)
	o.Limits.Rank, o.Limits.RankShare = c.rank, flags.RankMass
	return err
}
