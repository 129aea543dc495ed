package engine

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
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

// AddSeed widens the scope by a seed, such as the target of a seed's redirect. It
// reports whether the scope is wider now.
func (s *Scope) AddSeed(u *url.URL) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.kind {
	case ScopeAny:
		return false
	case ScopeHost, ScopeDomain:
		if s.hosts[s.place(u)] {
			return false
		}
		s.hosts[s.place(u)] = true
		return true
	}
	for _, seed := range s.seeds {
		if *seed == *u {
			return false
		}
	}
	s.seeds = append(s.seeds, u)
	return true
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

// Excluded tells whether the user's Exclude rules forbid a URL that belongs to
// the crawl wherever it is, such as an image of a page.
func (s *Scope) Excluded(u *url.URL) bool { return s.excludedBy(u) != "" || u.Host == nowhere }

func (s *Scope) excludedBy(u *url.URL) string {
	text := u.String()
	for _, re := range s.exclude {
		if re.MatchString(text) {
			return "excluded by " + re.String()
		}
	}
	return ""
}

// Reason says which rule keeps a URL out of scope, "" where none does.
func (s *Scope) Reason(u *url.URL, hops int) string {
	if s.maxHops >= 0 && hops > s.maxHops {
		return fmt.Sprintf("more than %d hops from a seed", s.maxHops)
	}
	if !s.placed(u) {
		return "outside scope type " + string(s.kind)
	}
	if why := s.excludedBy(u); why != "" {
		return why
	}
	text := u.String()
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
		return u.Host != nowhere
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

// nowhere is a host that cannot exist (RFC 6761): of what is no URL.
const nowhere = "invalid.invalid"

var (
	scheme      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	otherScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^0-9/]`) // mailto:me, and not host:8080
)

// SeedURL parses what a user names as a seed. Without a scheme it is taken as
// http, as wget takes it.
func SeedURL(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	switch {
	case otherScheme.MatchString(text):
		return nil, errors.New("not an http or https URL")
	case !scheme.MatchString(text):
		text = "http://" + text
	}
	resolved := extract.Resolve(&url.URL{Scheme: "http", Host: nowhere, Path: "/"}, text)
	if resolved == "" {
		return nil, errors.New("not an http or https URL")
	}
	u := parseURL(resolved)
	if u.Host == nowhere {
		return nil, errors.New("not a URL with a host")
	}
	return u, nil
}

// parseURL parses a URL that was made absolute. Browsers take a stray percent
// sign for itself and ask for it as it is; net/url refuses it in a path. What that
// refuses for another reason becomes a URL that is in no scope.
func parseURL(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err == nil {
		return u
	}
	if u, err = url.Parse(strayPercent(raw)); err != nil {
		return &url.URL{Scheme: "http", Host: nowhere, Path: "/"}
	}
	address, _, _ := strings.Cut(raw, "#")
	address, u.RawQuery, _ = strings.Cut(address, "?")
	u.Opaque = strings.TrimPrefix(address, u.Scheme+":") // printed as it is
	return u
}

// strayPercent escapes the percent signs that begin no escape.
func strayPercent(raw string) string {
	var b strings.Builder
	for i := range len(raw) {
		b.WriteByte(raw[i])
		if raw[i] == '%' && !(i+2 < len(raw) && isHex(raw[i+1]) && isHex(raw[i+2])) {
			b.WriteString("25")
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// redirectedSeeds counts the targets of seeds' redirects that widened the scope.
type redirectedSeeds struct {
	sync.Mutex
	n int
}

func metaRedirectedSeed(n int) string { return fmt.Sprintf("redirected seed %d", n) }

// RedirectedSeeds gives the targets of seeds' redirects that widened the scope of
// a crawl in earlier sessions.
func RedirectedSeeds(f interface{ Meta(key string) []byte }) []*url.URL {
	var seeds []*url.URL
	for {
		raw := f.Meta(metaRedirectedSeed(len(seeds)))
		if raw == nil {
			return seeds
		}
		seeds = append(seeds, parseURL(string(raw)))
	}
}

// widen takes the target of a seed's redirect for a seed, and remembers it for
// the sessions to come: a seed is often named without the www. that its site has.
func (e *Engine) widen(lease frontier.Lease, ex *fetch.Exchange) error {
	if !lease.Seed || ex == nil || ex.Redirect() == "" || lease.Redirects >= maxRedirects {
		return nil
	}
	target := extract.Resolve(parseURL(lease.URL.URL), ex.Redirect())
	if target == "" || !e.options.Scope.AddSeed(parseURL(target)) {
		return nil
	}
	e.seeds.Lock()
	defer e.seeds.Unlock()
	if err := e.frontier.PutMeta(metaRedirectedSeed(e.seeds.n), []byte(target)); err != nil {
		return fmt.Errorf("remembering that the seed %s redirects to %s: %w", lease.URL.URL, target, err)
	}
	e.seeds.n++
	return nil
}
