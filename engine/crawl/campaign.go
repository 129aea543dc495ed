package crawl

import (
	"net/http"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/api"
	"github.com/awarc/awarc/kb"
)

// campaign complains about a campaign, and gives its seeds, which are the services that it asks, and its scope.
func (o *Options) campaign(c *complaints) (seeds []string) {
	if o.Campaign == nil {
		return nil
	}
	base, err := o.loadKB()
	if err != nil {
		return nil // checkKB complains about it
	}
	queries, err := o.Campaign.Queries(base)
	if err != nil {
		c.add(complain("%s: %v", option("Campaign"), err))
		return nil
	}
	for _, q := range queries {
		seeds = append(seeds, q.Base.String())
	}
	o.ScopeType = string(engine.ScopeHost)
	if o.Campaign.Follow == "any" {
		o.ScopeType = string(engine.ScopeAny)
	}
	return seeds
}

// tokenTimeout bounds the request for a token.
const tokenTimeout = time.Minute

// services are the APIs that the crawl asks.
func (o Options) services(base *kb.Base) (s engine.Services, err error) {
	if s.Complete = o.APISources; o.Campaign == nil {
		return s, nil
	}
	if s.Queries, err = o.Campaign.Queries(base); err != nil {
		return s, complain("%s: %v", option("Campaign"), err)
	}
	s.Interval, s.Until = time.Duration(o.Campaign.Interval), o.Campaign.To.Time
	s.Follow = o.Campaign.Follow == "host" || o.Campaign.Follow == "any"
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // with what is secret
	s.Secrets = &api.Secrets{Client: &http.Client{Timeout: tokenTimeout, CheckRedirect: stay}}
	return s, nil
}
