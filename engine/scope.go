package engine

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// ScopeType says how far from a seed a crawl goes.
type ScopeType string

// The scope types, named as Browsertrix names them.
const (
	ScopePage   ScopeType = "page"   // the seeds alone
	ScopePrefix ScopeType = "prefix" // the folder of a seed and what is below, with and without www
	ScopeHost   ScopeType = "host"   // the host and port of a seed, with and without www
	ScopeDomain ScopeType = "domain" // the registered domain of a seed
	ScopeAny    ScopeType = "any"    // everything
)

// Scope decides which URLs belong to a crawl: before they are added to the frontier, again before they are requested
// if the rules can change, and when their answers are there. It is safe for concurrent use.
type Scope struct {
	kind          ScopeType
	flags, places []rule // before and after the rules that can change
	rules         atomic.Pointer[ruleset]

	mu      sync.RWMutex
	seeds   []*url.URL
	hosts   map[string]bool // or domains
	domains map[string]bool // registered, of all seeds
}

// ruleset is all rules of a scope in their order.
type ruleset struct {
	rules    []rule
	changes  bool    // some can change: URLs that wait are decided about again
	ofAnswer bool    // some ask what only the answer says
	ofPage   bool    // of these, some the language of the page
	sizes    []int64 // bounds of sizes, the least first
}

// ScopeRules are the user's rules. A URL is in scope when it is at most MaxHops links away from a
// seed (negative: any number), no Exclude matches it, its place fits the type, and at least one
// Include matches it (where there are any). Rules come before the latter two, and can be replaced by [Scope.Use].
type ScopeRules struct {
	Type             ScopeType
	Include, Exclude []string // regular expressions (RE2), matched anywhere in the URL
	MaxHops          int
	Rules            []ScopeRule
	// Changes says that Rules may be replaced, though there may be none yet.
	Changes bool
}

// NewScope makes a scope around seeds.
func NewScope(r ScopeRules, seeds []*url.URL) (*Scope, error) {
	s := &Scope{kind: r.Type, hosts: map[string]bool{}, domains: map[string]bool{}}
	switch r.Type {
	case ScopePage, ScopePrefix, ScopeHost, ScopeDomain, ScopeAny:
	default:
		return nil, fmt.Errorf("scope type %q; expected page, prefix, host, domain or any", r.Type)
	}
	add := func(to *[]rule, effect Effect, c Condition, flag, why string) error {
		made, err := ScopeRule{Effect: effect, When: Conditions{c}, Name: flag}.compile()
		made.why, made.counted = why, false
		*to = append(*to, made)
		return err
	}
	if r.MaxHops >= 0 {
		far := Condition{Hops: &Bound{Over: true, N: int64(r.MaxHops)}}
		if err := add(&s.flags, Exclude, far, "--max-hops", fmt.Sprintf("more than %d hops from a seed", r.MaxHops)); err != nil {
			return nil, err
		}
	}
	for _, text := range r.Exclude {
		if err := add(&s.flags, Exclude, Condition{URL: Texts{text}}, "--exclude", "excluded by "+text); err != nil {
			return nil, err
		}
	}
	placed := func(f *facts) truth { return truthOf(s.placed(f.url)) }
	s.places = []rule{never(), {effect: Only, holds: placed, why: "outside scope type " + string(s.kind)}}
	if len(r.Include) > 0 {
		if err := add(&s.places, Only, Condition{URL: r.Include}, "--include", "matches no --include"); err != nil {
			return nil, err
		}
	}
	for _, u := range seeds {
		s.AddSeed(u)
	}
	s.rules.Store(&ruleset{changes: r.Changes})
	return s, s.Use(r.Rules)
}

// never keeps out what changes something on a site when it is asked for. It comes after the rules of the user, one of which can take an
// address in.
func never() rule {
	return rule{effect: Exclude, counted: true, why: "never followed: logs out, deletes, votes, reports, subscribes or buys",
		holds: func(f *facts) truth { return truthOf(kb.Never(f.url) != "") }}
}

// Use replaces the rules of the scope file. All complaints come together, and
// with one the rules stay as they are.
func (s *Scope) Use(rules []ScopeRule) error {
	set := &ruleset{changes: s.rules.Load().changes || len(rules) > 0, rules: slices.Clone(s.flags)}
	var errs []error
	for _, r := range rules {
		made, err := r.compile()
		errs = append(errs, err)
		set.rules = append(set.rules, made)
		set.ofAnswer = set.ofAnswer || made.ofAnswer
		set.ofPage = set.ofPage || r.When.asksLanguage()
		set.sizes = append(set.sizes, r.When.sizes()...)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	set.rules = append(set.rules, s.places...)
	slices.Sort(set.sizes)
	s.rules.Store(set)
	return nil
}

// verdict is what a scope says of a URL.
type verdict struct {
	out  bool
	why  string // the rule that decided; "" where none did
	name string // for the report: that of a rule of Use that keeps the URL out
}

// decide asks the rules. What is unknown yet keeps nothing out. answered leaves out those that
// were asked before the request.
func (set *ruleset) decide(f *facts, answered bool) verdict {
	if f.url.Host == nowhere {
		return verdict{out: true, why: "not a URL that awarc can fetch"}
	}
	for i := range set.rules {
		r := &set.rules[i]
		if r.effect == Only && f.named || answered && !r.ofAnswer && r.effect != Also {
			continue
		}
		holds := r.holds(f)
		switch {
		case r.effect == Also && holds == yes:
			return verdict{why: r.why}
		case r.effect == Exclude && holds == yes, r.effect == Only && holds == no:
			v := verdict{out: true, why: r.why}
			if r.counted {
				v.name = r.why
			}
			return v
		}
	}
	return verdict{}
}

// decide asks the rules about a URL before it is asked for.
func (s *Scope) decide(u *url.URL, hops int, named bool) verdict {
	f := before(u, hops, named)
	return s.rules.Load().decide(&f, false)
}

// AddSeed widens the scope by a seed, such as the end of a seed's redirects. A seed of
// [ScopePrefix] that turns out to be a folder, since it redirects to its own address with a slash
// behind it, is replaced. It reports whether the scope changed.
func (s *Scope) AddSeed(u *url.URL) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.domains[registeredDomain(u)] = true
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
	for i, seed := range s.seeds {
		if *seed == *u {
			return false
		}
		if s.kind == ScopePrefix && isFolder(seed, u) {
			s.seeds[i] = u
			return true
		}
	}
	s.seeds = append(s.seeds, u)
	return true
}

// place is the part of a URL that the scope's type compares.
func (s *Scope) place(u *url.URL) string {
	if s.kind == ScopeDomain {
		return registeredDomain(u)
	}
	return siteOf(u)
}

// siteOf is the host and port of a URL without www: example.org and www.example.org are one site,
// on which pages link to either.
func siteOf(u *url.URL) string {
	bare, found := strings.CutPrefix(u.Host, "www.")
	if !found || registeredDomain(u) == u.Hostname() || net.ParseIP((&url.URL{Host: bare}).Hostname()) != nil {
		return u.Host // www.github.io is a site of its own
	}
	return bare
}

// isFolder reports whether an address is that of a seed with a slash behind it.
func isFolder(seed, u *url.URL) bool {
	return siteOf(seed) == siteOf(u) && seed.EscapedPath()+"/" == u.EscapedPath()
}

// narrows reports whether the end of a seed's redirects says that the seed is a folder.
func (s *Scope) narrows(u *url.URL) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.kind == ScopePrefix && slices.ContainsFunc(s.seeds, func(seed *url.URL) bool { return isFolder(seed, u) })
}

// Places returns the addresses, folders, hosts or domains that the scope type admits, in words.
func (s *Scope) Places() (places []string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, seed := range s.seeds {
		place := seed.String()
		if s.kind == ScopePrefix {
			place = siteOf(seed) + folderOf(seed) + " and below"
			if name := seed.EscapedPath(); !strings.HasSuffix(name, "/") && path.Ext(name) == "" {
				place += ", or " + siteOf(seed) + name + "/ if the seed redirects there"
			}
		}
		places = append(places, place)
	}
	for _, host := range slices.Sorted(maps.Keys(s.hosts)) {
		switch {
		case s.kind == ScopeDomain:
			host += " and its subdomains"
		case siteOf(&url.URL{Host: "www." + host}) == host:
			host += " and www." + host
		}
		places = append(places, host)
	}
	if s.kind == ScopeAny {
		places = append(places, "everywhere")
	}
	return places
}

// folderOf is the path of a URL up to its last slash.
func folderOf(u *url.URL) string {
	return u.EscapedPath()[:strings.LastIndexByte(u.EscapedPath(), '/')+1]
}

// isSibling reports whether the scope type leaves a URL out that is on another host of a seed's
// registered domain.
func (s *Scope) isSibling(u *url.URL) bool {
	if s.kind != ScopeHost && s.kind != ScopePrefix || s.placed(u) {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.domains[registeredDomain(u)] && !slices.ContainsFunc(s.seeds, func(seed *url.URL) bool { return siteOf(seed) == siteOf(u) })
}

// Contains reports whether a URL that is hops links from a seed is in scope.
func (s *Scope) Contains(u *url.URL, hops int) bool { return !s.decide(u, hops, false).out }

// Reason says which rule keeps a URL out of scope, "" where none does.
func (s *Scope) Reason(u *url.URL, hops int) string {
	if v := s.decide(u, hops, false); v.out {
		return v.why
	}
	return ""
}

// Explain says which rules decide about a URL: the one that keeps it out or takes it in, and
// the ones that are checked again with its answer. Seeds and page requisites are named.
func (s *Scope) Explain(u *url.URL, hops int, named bool) (why []string, in bool) {
	set, f := s.rules.Load(), before(u, hops, named)
	v := set.decide(&f, false)
	switch {
	case v.out:
		return []string{v.why}, false
	case v.why != "":
		return []string{"in scope by " + v.why}, true
	}
	for _, r := range set.rules {
		if r.ofAnswer && !(r.effect == Only && named) && r.holds(&f) == unknown {
			why = append(why, "decided by the response: "+r.why)
		}
	}
	return why, true
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
			if siteOf(u) == siteOf(seed) && strings.HasPrefix(u.EscapedPath(), folderOf(seed)) {
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
	if u.Host == nowhere || strings.ContainsAny(u.Hostname(), noHost) {
		return nil, errors.New("not a URL with a host")
	}
	return u, nil
}

// noHost are the signs that a URL's host may have (RFC 3986, section 3.2.2) and no name of a host
// has: "ht!tp:/x" is a slip.
const noHost = "!$&'()*+,;="

// parseURL parses a URL that was made absolute, so that it prints as it is. Browsers take a stray percent
// sign for itself and request it as it is; net/url refuses it in a path, and escapes a bar, with which brackets
// are escaped, too. What it refuses for another reason becomes a URL that is in no scope.
func parseURL(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err == nil && u.String() == raw {
		return u
	}
	if err != nil {
		if u, err = url.Parse(strayPercent(raw)); err != nil {
			return &url.URL{Scheme: "http", Host: nowhere, Path: "/"}
		}
	}
	if u.User != nil || u.Host == "" || u.Opaque != "" || !strings.HasPrefix(raw, u.Scheme+"://") {
		return u // not made absolute by [extract.Resolve]
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
