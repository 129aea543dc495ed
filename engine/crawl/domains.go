package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/frontier"
)

// DomainRule is a rule for a domain as files and programs write it; see [frontier.Rule].
type DomainRule struct {
	Delay    *WaitTime `yaml:"delay" json:"delay,omitempty"` // such as "2s"
	Budget   int       `yaml:"budget" json:"budget,omitempty"`
	Priority int       `yaml:"priority" json:"priority,omitempty"`
	Off      bool      `yaml:"off" json:"off,omitempty"`
}

// WaitTime is a duration that text has as Go writes it.
type WaitTime time.Duration

// UnmarshalText reads "1m30s".
func (d *WaitTime) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = WaitTime(parsed)
	return err
}

// MarshalText writes "1m30s".
func (d WaitTime) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d DomainRule) rule() frontier.Rule {
	return frontier.Rule{Delay: (*time.Duration)(d.Delay), Budget: d.Budget, Priority: d.Priority, Off: d.Off}
}

// maxDomains bounds a file of rules, in bytes.
const maxDomains = 1 << 20

// readDomains reads a file of rules by domain.
func readDomains(file string) (map[string]frontier.Rule, error) {
	data, err := infile.Read(file, maxDomains)
	if err != nil {
		return nil, err
	}
	if bytes.ContainsAny(data, "&*") {
		return nil, fmt.Errorf("%s: anchors and aliases (& and *) are not supported; repeat the values", file)
	}
	var read map[string]DomainRule
	decoder := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict(), yaml.DisallowUnknownField())
	if err := decoder.Decode(&read); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	rules := make(map[string]frontier.Rule)
	for _, name := range slices.Sorted(maps.Keys(read)) {
		r := read[name].rule()
		if r.Budget < 0 || r.Delay != nil && *r.Delay < 0 {
			return nil, fmt.Errorf("%s: %s: a negative budget or delay", file, name)
		}
		rules[name] = r
	}
	return rules, nil
}

// applyDomains makes the rules of the file those of the frontier. Rules that it does
// not name stay, unless an earlier version of it named them.
func (c *Crawl) applyDomains(ctx context.Context) error {
	file := c.settings.Flags.Domains
	if file == "" {
		return nil
	}
	rules, err := readDomains(file)
	if err != nil {
		return complain("%s: %v", option("Domains"), err)
	}
	set := make(map[string]*frontier.Rule)
	for name := range c.domains {
		set[name] = nil
	}
	for name, r := range rules {
		set[name] = &r
	}
	joins := c.domains == nil && c.shared != nil && len(c.frontier.Rules()) > 0 // the crawl has rules, whatever the file says meanwhile
	if !joins {
		if err := c.frontier.SetRules(ctx, set); err != nil {
			return complain("%s: %v", option("Domains"), err)
		}
	}
	c.domains = rules
	return nil
}

// watchDomains takes edits of the file of rules over until ctx ends. A file that
// cannot be read changes nothing.
func (c *Crawl) watchDomains(ctx context.Context) {
	file := c.settings.Flags.Domains
	last, _ := infile.Read(file, maxDomains) // what was applied at the start
	watchFile(ctx, file, last, func([]byte) {
		if err := c.applyDomains(ctx); err != nil {
			c.note("%v; the old rules stay in use", err)
			return
		}
		c.note("%d rules for domains read from %s", len(c.domains), file)
		c.publishEdits()
	})
}
