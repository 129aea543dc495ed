package engine

import (
	"context"
	"fmt"
	"net/url"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// Injection is one URL that another program has found, in the JSON of section 5 of
// the ARCOMEM report D5.2: with a score, or on the blacklist.
type Injection struct {
	URL string `json:"url"`
	// Score is from 0 to 1 and replaces the URL's priority; nil with
	// Blacklisted.
	Score *float64 `json:"score,omitempty"`
	// Blacklisted keeps the URL out for good.
	Blacklisted bool `json:"blacklisted,omitempty"`
}

// Injected counts the outcomes of injections.
type Injected struct {
	Added       int       `json:"added"`       // were unknown and are scheduled now
	Known       int       `json:"known"`       // were known: those still scheduled have their new priority
	Blacklisted int       `json:"blacklisted"` // will never be fetched; those fetched before are not counted
	Refused     []Refusal `json:"refused"`
}

// Refusal says why a URL was not taken.
type Refusal struct {
	URL string `json:"url"`
	Why string `json:"why"`
}

// blacklisted is the reason that entries of blacklisted URLs carry.
const blacklisted = "blacklisted"

// Inject takes URLs into a crawl, running or not. They must be in its scope, as if a
// seed named them. When it returns without an error, the outcome is durable.
func (e *Engine) Inject(ctx context.Context, list []Injection) (Injected, error) {
	out := Injected{Refused: []Refusal{}}
	var add, exclude []frontier.URL
	for _, i := range list {
		u, why := e.injected(i)
		switch {
		case why != "":
			out.Refused = append(out.Refused, Refusal{u.URL, why})
		case i.Blacklisted:
			exclude = append(exclude, u)
		default:
			add = append(add, u)
		}
	}
	var err error
	if len(exclude) > 0 {
		if out.Blacklisted, err = e.frontier.Exclude(ctx, exclude, blacklisted); err != nil {
			return out, fmt.Errorf("blacklisting %d URLs: %w", len(exclude), err)
		}
		if err := e.frontier.Amend("", frontier.Outcome{Counters: map[string]int64{countBlacklisted: int64(out.Blacklisted)}}); err != nil {
			return out, fmt.Errorf("counting blacklisted URLs: %w", err)
		}
	}
	if out.Added, err = e.frontier.Add(ctx, add); err != nil {
		return out, fmt.Errorf("injecting %d URLs: %w", len(add), err)
	}
	out.Known = len(add) - out.Added
	return out, nil
}

// injected checks one injection; why is empty if it can be taken.
func (e *Engine) injected(i Injection) (u frontier.URL, why string) {
	parsed, err := url.Parse(i.URL)
	if shown, had := fetch.WithoutPassword(i.URL); had {
		return frontier.URL{URL: shown}, "the URL has a user or a password; only seeds of a new crawl may have one"
	}
	u.URL = i.URL
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return u, "not an absolute http or https URL"
	}
	at := parseURL(parsed.String())
	rules := e.follower.rules(at, nil)
	u = frontier.URL{URL: rules.Fetchable(at).String(), Key: rules.Key(at), Decisive: true}
	switch {
	case i.Blacklisted && i.Score != nil:
		return u, "both score and blacklisted; expected one of them"
	case i.Blacklisted:
		return u, ""
	case i.Score == nil:
		return u, "neither a score nor blacklisted; expected one of them"
	case !(*i.Score >= 0 && *i.Score <= 1):
		return u, fmt.Sprintf("score %g; expected 0 to 1", *i.Score)
	}
	u.Priority = int(*i.Score * prioritySeed)
	return u, e.options.Scope.Reason(at, 0)
}

// Stop ends the crawl as if the caller's graceful context had ended.
func (e *Engine) Stop() { e.End(Interrupted) }
