package engine

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/awarc/awarc/engine/extract"
)

// ScopeType says how far from a seed a crawl goes.
type ScopeType string

// The scope types, named as Browsertrix names them.
const (
	ScopePage   ScopeType = "page"   // the seeds alone
	ScopePrefix ScopeType = "prefix" // the folder of a seed and what is below
	ScopeHost   ScopeType = "host"   // the host and port of a seed
	ScopeDomain ScopeType = "domain" // the registered domain of a seed
	ScopeAny    ScopeType = "any"    // everything
)

// Scope decides which URLs belong to a crawl. It is judged once for a URL, when
// it would be added to the frontier. It is safe for concurrent use.
type Scope struct {
	kind             ScopeType
	include, exclude []*regexp.Regexp
	maxHops          int // negative: no bound

	mu    sync.RWMutex
	seeds []*url.URL
	hosts map[string]bool // or domains
}

// ScopeRules are the user's rules. A URL is in scope when its place fits the
// type, at least one Include matches it (where there are any), no Exclude does,
// and it is at most MaxHops links away from a seed (negative: any number).
type ScopeRules struct {
	Type             ScopeType
	Include, Exclude []string // regular expressions (RE2), matched anywhere in the URL
	MaxHops          int
}

// NewScope makes a scope around seeds; all complaints come together.
func NewScope(r ScopeRules, seeds []*url.URL) (*Scope, error) {
	s := &Scope{kind: r.Type, maxHops: r.MaxHops, hosts: map[string]bool{}}
	switch r.Type {
	case ScopePage, ScopePrefix, ScopeHost, ScopeDomain, ScopeAny:
	default:
		return nil, fmt.Errorf("scope type %q; expected page, prefix, host, domain or any", r.Type)
	}
	for _, list := range []struct {
		flag  string
		texts []string
		into  *[]*regexp.Regexp
	}{{"include", r.Include, &s.include}, {"exclude", r.Exclude, &s.exclude}} {
		for _, text := range list.texts {
			re, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", list.flag, err)
			}
			*list.into = append(*list.into, re)
		}
	}
	for _, u := range seeds {
		s.AddSeed(u)
	}
	return s, nil
}

// AddSeed widens the scope by a seed, such as the target of a seed's redirect.
func (s *Scope) AddSeed(u *url.URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seeds = append(s.seeds, u)
	s.hosts[s.place(u)] = true
}

// place is the part of a URL that the scope's type compares.
func (s *Scope) place(u *url.URL) string {
	if s.kind == ScopeDomain {
		name := u.Hostname()
		if d, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil && net.ParseIP(name) == nil {
			return d
		}
		return name
	}
	return u.Host
}

// Contains tells whether a URL that is hops links from a seed is in scope.
func (s *Scope) Contains(u *url.URL, hops int) bool { return s.Reason(u, hops) == "" }

// Reason says which rule keeps a URL out of scope, "" where none does.
func (s *Scope) Reason(u *url.URL, hops int) string {
	if s.maxHops >= 0 && hops > s.maxHops {
		return fmt.Sprintf("more than %d hops from a seed", s.maxHops)
	}
	if !s.placed(u) {
		return "outside scope type " + string(s.kind)
	}
	text := u.String()
	for _, re := range s.exclude {
		if re.MatchString(text) {
			return "excluded by " + re.String()
		}
	}
	for _, re := range s.include {
		if re.MatchString(text) {
			return ""
		}
	}
	if len(s.include) > 0 {
		return "matches no --include"
	}
	return ""
}

func (s *Scope) placed(u *url.URL) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch s.kind {
	case ScopeAny:
		return true
	case ScopeHost, ScopeDomain:
		return s.hosts[s.place(u)]
	case ScopePrefix:
		for _, seed := range s.seeds {
			if u.Host == seed.Host && strings.HasPrefix(u.EscapedPath(), seed.EscapedPath()[:strings.LastIndexByte(seed.EscapedPath(), '/')+1]) {
				return true
			}
		}
	case ScopePage:
		for _, seed := range s.seeds {
			if u.Host == seed.Host && u.RequestURI() == seed.RequestURI() {
				return true
			}
		}
	}
	return false
}

// SeedURL parses what a user names as a seed. Without a scheme it is taken as
// http, as wget takes it.
func SeedURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	nowhere := &url.URL{Scheme: "http", Host: "invalid.invalid", Path: "/"}
	resolved := extract.Resolve(nowhere, text)
	if resolved == "" {
		return nil, fmt.Errorf("not an http or https URL")
	}
	return url.Parse(resolved)
}
