package cluster

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/awarc/awarc/frontier"
)

// apart is which hosts are not with their domains: those that this node has met.
type apart struct {
	sync.Mutex
	hosts map[string]bool
}

// maxApart bounds what a node remembers of them; the partition of the domain tells it again.
const maxApart = 100_000

func (a *apart) has(host string) bool {
	a.Lock()
	defer a.Unlock()
	return a.hosts[host]
}

// add takes hosts in and reports whether any of them was not known.
func (a *apart) add(hosts ...string) (learned bool) {
	a.Lock()
	defer a.Unlock()
	if a.hosts == nil || len(a.hosts)+len(hosts) > maxApart {
		a.hosts = make(map[string]bool)
	}
	for _, h := range hosts {
		learned = learned || !a.hosts[h]
		a.hosts[h] = true
	}
	return learned
}

// home is the partition of a host, and the name that its domain has there.
func (s *Store) home(host string) (partition int, domain string) {
	domain = frontier.DomainOf(host)
	if s.apart.has(host) {
		domain = alone(domain, host)
	}
	return s.of(domain), domain
}

// alone names the domain of a host that is not with the others.
func alone(domain, host string) string { return domain + "/" + host }

// homes are the partitions that may have an entry, the likely one first.
func (s *Store) homes(key string) []int {
	host, err := frontier.HostOf(key)
	if err != nil {
		return []int{s.of(key)}
	}
	return s.homesOf(host)
}

func (s *Store) homesOf(host string) []int {
	domain := frontier.DomainOf(host)
	with, without := s.of(domain), s.of(alone(domain, host))
	switch {
	case with == without:
		return []int{with}
	case s.apart.has(host):
		return []int{without, with}
	}
	return []int{with, without}
}

// pass asks the domain of a host that is apart for leave to make a request under a lease, and returns for how many microseconds it must
// wait if that is not given.
func (s *Store) pass(ctx context.Context, h *held, name string) (wait int64, err error) {
	domain, host, is := strings.Cut(name, "/")
	if !is {
		return 0, nil
	}
	s.apart.add(host)
	h.gate = s.of(domain)
	reply, err := s.change(ctx, h.gate, "pass", domain, s.options.Node, micros(s.options.Lease), s.domainWait(h), host)
	if err != nil && passing(err) {
		return micros(s.options.Poll), s.leaveAlone(h.gate, 0, err)
	}
	if err != nil {
		return 0, err
	}
	leave, _ := reply.(int64)
	if leave < 0 {
		return -leave, nil
	}
	h.pass = leave
	return 0, nil
}

func (s *Store) domainWait(h *held) int64 { return min(micros(s.options.DomainDelay), h.floor) }

// passed ends what pass allowed.
func (s *Store) passed(ctx context.Context, h *held, asked bool) error {
	if h.pass == 0 {
		return nil
	}
	wait := int64(-1)
	if asked {
		wait = s.domainWait(h)
	}
	_, err := s.change(ctx, h.gate, "passed", h.pass, s.options.Node, wait)
	s.stir(h.gate)
	if errors.Is(err, errAway) {
		return nil // it ends by itself
	}
	return err
}
