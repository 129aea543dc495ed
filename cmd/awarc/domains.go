package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/frontier"
)

// domainRule is a rule for a domain as files and the API have it.
type domainRule struct {
	Delay    *waitTime `yaml:"delay" json:"delay,omitempty"` // such as "2s"
	Budget   int       `yaml:"budget" json:"budget,omitempty"`
	Priority int       `yaml:"priority" json:"priority,omitempty"`
	Off      bool      `yaml:"off" json:"off,omitempty"`
}

// waitTime is a duration, written as Go writes it.
type waitTime time.Duration

// UnmarshalText reads "1m30s".
func (d *waitTime) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = waitTime(parsed)
	return err
}

// MarshalText writes "1m30s".
func (d waitTime) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d domainRule) rule() frontier.Rule {
	return frontier.Rule{Delay: (*time.Duration)(d.Delay), Budget: d.Budget, Priority: d.Priority, Off: d.Off}
}

func domainsOf(rules map[string]frontier.Rule) map[string]domainRule {
	out := make(map[string]domainRule)
	for name, r := range rules {
		out[name] = domainRule{Delay: (*waitTime)(r.Delay), Budget: r.Budget, Priority: r.Priority, Off: r.Off}
	}
	return out
}

// maxDomains bounds a file of rules, in bytes.
const maxDomains = 1 << 20

// readDomains reads a file of rules by domain.
func readDomains(file string) (map[string]frontier.Rule, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDomains+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxDomains {
		return nil, fmt.Errorf("%s: larger than %d bytes", file, maxDomains)
	}
	if bytes.ContainsAny(data, "&*") {
		return nil, fmt.Errorf("%s: it holds anchors or aliases (& or *); expected values as they are", file)
	}
	var read map[string]domainRule
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict(), yaml.DisallowUnknownField()).Decode(&read); err != nil && !errors.Is(err, io.EOF) {
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
func (x *session) applyDomains(ctx context.Context) error {
	file := x.settings.Flags.Domains
	if file == "" {
		return nil
	}
	rules, err := readDomains(file)
	if err != nil {
		return usageError("--domains: %v", err)
	}
	for name := range x.domains {
		if _, named := rules[name]; !named {
			if err := x.frontier.SetRule(ctx, name, nil); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		r := rules[name]
		if err := x.frontier.SetRule(ctx, name, &r); err != nil {
			return usageError("--domains: %v", err)
		}
	}
	x.domains = rules
	return nil
}

// watchDomains takes edits of the file of rules over until ctx ends. A file that
// cannot be read changes nothing.
func (x *session) watchDomains(ctx context.Context) {
	file := x.settings.Flags.Domains
	last, _ := os.ReadFile(file) // what was applied at the start
	watchFile(ctx, file, last, func([]byte) {
		if err := x.applyDomains(ctx); err != nil {
			x.progress.note(err.Error() + "; the old rules stay")
			return
		}
		x.progress.note(fmt.Sprintf("%d rules for domains taken over from %s", len(x.domains), file))
	})
}
