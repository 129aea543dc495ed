package frontier

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// DomainOf returns the pay-level domain of a host as HostOf names it: the public suffix and one
// label more ("blog.example.co.uk:8080" gives "example.co.uk"), the part that is registered.
// An address, and a name without a suffix, is its own domain.
func DomainOf(host string) string {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[].")
	if net.ParseIP(name) != nil {
		return name
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return name
	}
	return domain
}

// A Rule is a setting of the operator for a domain and all hosts below it. Only the rule of the
// longest name that matches a host applies. Rules may change while a crawl runs.
type Rule struct {
	// Delay is the least wait of each host, instead of Options.Delay; a longer
	// Crawl-delay still counts. Nil: Options.Delay.
	Delay *time.Duration `json:"delay,omitempty"`
	// Budget is the total number of requests for the domain, requests before the rule included;
	// 0: unlimited. It replaces Options.InDegree. Requests in flight when it is reached are
	// still made.
	Budget int `json:"budget,omitempty"`
	// Priority orders hosts: hosts with a higher one come first whenever they may be
	// requested. Default: 0.
	Priority int `json:"priority,omitempty"`
	// Off keeps the domain's URLs in the frontier without leasing them.
	Off bool `json:"off,omitempty"`
}

// InDegree is the defence of IRLbot against link farms (section 2 of the D5.2 report): the budget
// of a domain grows with the number of domains that link to it. Links within a domain do not
// count, nor do further links from the same domain.
type InDegree struct {
	Base  int // requests that every domain gets; 0 turns budgets off
	Each  int // extra requests per linking domain
	Until int // highest in-degree that counts
}

func (d InDegree) budget(degree int) int { return d.Base + d.Each*min(degree, d.Until) }

// domainRecord is what is stored about a domain, or about what a rule covers.
type domainRecord struct {
	requests int  // made
	degree   int  // domains that link to it, up to InDegree.Until
	seeded   bool // a seed lies in it: the user wants it whole
}

func (d *domainRecord) encode() []byte {
	b := binary.AppendVarint([]byte{recordFormat}, int64(d.requests))
	b = binary.AppendVarint(b, int64(d.degree))
	if d.seeded {
		return seal(append(b, 1))
	}
	return seal(append(b, 0))
}

func decodeDomain(value []byte) (*domainRecord, error) {
	d := unseal(value)
	r := &domainRecord{requests: int(d.varint()), degree: int(d.varint()), seeded: d.byte() == 1}
	if r.requests < 0 || r.degree < 0 {
		d.fail("negative count")
	}
	return r, d.end("domain")
}

func (r *Rule) encode() ([]byte, error) {
	data, err := json.Marshal(r)
	return seal(append([]byte{recordFormat}, data...)), err
}

func decodeRule(value []byte) (*Rule, error) {
	d := unseal(value)
	r := new(Rule)
	if d.fault == "" {
		if err := json.Unmarshal(d.rest, r); err != nil {
			d.fail(err.Error())
		}
		d.rest = nil
	}
	return r, d.end("rule")
}

func (r *Rule) validate() error {
	switch {
	case r.Delay != nil && *r.Delay < 0:
		return errors.New("delay is negative")
	case r.Budget < 0:
		return errors.New("budget is negative")
	}
	return nil
}

// NameOf returns the name under which the rule for a domain is stored. It returns an error if the
// domain or the rule is invalid. A nil rule is valid and stands for no rule.
func (r *Rule) NameOf(domain string) (string, error) {
	name := strings.ToLower(strings.Trim(domain, "."))
	if err := validName(name); err != nil {
		return "", fmt.Errorf("frontier: rule: %w", err)
	}
	if r != nil {
		if err := r.validate(); err != nil {
			return "", fmt.Errorf("frontier: rule for %s: %w", name, err)
		}
	}
	return name, nil
}

// SetRule sets the rule for a domain and all hosts below it, durably; nil removes it. Held leases
// are not affected.
func (f *Frontier) SetRule(ctx context.Context, domain string, r *Rule) error {
	return f.SetRules(ctx, map[string]*Rule{domain: r})
}

// SetRules is SetRule for several domains at once.
func (f *Frontier) SetRules(_ context.Context, given map[string]*Rule) error {
	set := make(map[string]*Rule)
	for domain, r := range given {
		name, err := r.NameOf(domain)
		if err != nil {
			return err
		}
		set[name] = r
	}
	return f.commit(func(b *batch) error {
		for name, r := range set {
			if err := b.setRule(name, r); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}

func (b *batch) setRule(domain string, r *Rule) error {
	b.newRules[domain] = r
	if r == nil {
		return b.rules.Delete([]byte(domain))
	}
	if err := b.countRequests(domain); err != nil {
		return err
	}
	value, err := r.encode()
	if err != nil {
		return err
	}
	return b.rules.Put([]byte(domain), value)
}

// Rules returns the rules by domain.
func (f *Frontier) Rules() map[string]Rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	rules := make(map[string]Rule)
	for name, r := range f.mu.schedule.rules {
		rules[name] = *r
	}
	return rules
}

// coveredBy yields the names of domains that a host is or lies below, the longest
// first: host and port, host, and each of its parents.
func coveredBy(host string) iter.Seq[string] {
	return func(yield func(string) bool) {
		name := host
		if h, _, err := net.SplitHostPort(host); err == nil {
			if !yield(host) {
				return
			}
			name = h
		}
		for found := true; found; _, name, found = strings.Cut(name, ".") {
			if !yield(name) {
				return
			}
		}
	}
}

// ruleFor returns the name of the rule that covers a host, and the rule; nil for none.
func ruleFor(rules map[string]*Rule, host string) (string, *Rule) {
	if len(rules) == 0 {
		return "", nil
	}
	for name := range coveredBy(host) {
		if r := rules[name]; r != nil {
			return name, r
		}
	}
	return "", nil
}

// stopper returns the name of the rule of the operator, or of the domain with a budget that is used
// up, that keeps the URLs of a host where they are; "" for none. counted returns what was counted
// for a name, nil for nothing.
func stopper(host string, domain func() string, rules map[string]*Rule, in InDegree, counted func(name string) *domainRecord) string {
	name, rule := ruleFor(rules, host)
	switch {
	case rule != nil && rule.Off:
		return name
	case rule != nil && rule.Budget > 0:
		if d := counted(name); d != nil && d.requests >= rule.Budget {
			return name
		}
	case in.Base > 0:
		name := domain()
		if d := counted(name); d != nil && !d.seeded && d.requests >= in.budget(d.degree) {
			return name
		}
	}
	return ""
}

// domain returns the record of a domain for reading and changing.
func (b *batch) domain(name string) (*domainRecord, error) {
	if d := b.domains[name]; d != nil {
		return d, nil
	}
	d := new(domainRecord)
	if value := b.domainsOnDisk.Get([]byte(name)); value != nil {
		var err error
		if d, err = decodeDomain(value); err != nil {
			return nil, fmt.Errorf("domain %q: %w", name, err)
		}
	}
	b.domains[name] = d
	return d, nil
}

// countRequests makes the record of a rule's domain count what its hosts have been
// asked so far.
func (b *batch) countRequests(domain string) error {
	sum := 0
	err := b.hostsOnDisk.ForEach(func(name, value []byte) error {
		if !covers(domain, string(name)) {
			return nil
		}
		h, err := decodeHost(value)
		if err != nil {
			return fmt.Errorf("host %q: %w", name, err)
		}
		if b.hosts[string(name)] == nil {
			sum += h.requests
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name, h := range b.hosts {
		if covers(domain, name) {
			sum += h.requests
		}
	}
	d, err := b.domain(domain)
	if err == nil {
		d.requests = sum
	}
	return err
}

// covers reports whether a host is a domain or lies below it.
func covers(domain, host string) bool {
	for name := range coveredBy(host) {
		if name == domain {
			return true
		}
	}
	return false
}

// asked counts a request to a host, for its domain and for the rules given for what it
// lies in.
func (b *batch) asked(host string, h *hostRecord) error {
	h.requests++
	names := make(map[string]bool)
	if len(b.allRules) > 0 {
		for name := range coveredBy(host) {
			if b.allRules[name] != nil {
				names[name] = true
			}
		}
	}
	if b.options.InDegree.Base > 0 {
		names[DomainOf(host)] = true
	}
	for name := range names {
		d, err := b.domain(name)
		if err != nil {
			return err
		}
		d.requests++
	}
	return nil
}

// linked notes that a domain links to another.
func (b *batch) linked(from, to string) error {
	if from == to || b.options.InDegree.Base == 0 {
		return nil
	}
	d, err := b.domain(to)
	if err != nil || d.degree >= b.options.InDegree.Until {
		return err
	}
	key := append(append([]byte(to), 0), from...)
	if b.inlinks.Get(key) != nil {
		return nil
	}
	d.degree++
	return b.inlinks.Put(key, []byte{})
}
