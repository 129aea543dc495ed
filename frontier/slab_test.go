package frontier

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestHostsAndGatesAreFoundWhenHashesCollide lets hosts come and go of whose names many have one hash.
func TestHostsAndGatesAreFoundWhenHashesCollide(t *testing.T) {
	s := newSchedule(&Options{PerHost: 1, PerDomain: 1, PerTurn: 1}, time.Time{})
	s.hash = func(name string) uint64 { return uint64(len(name)) }
	known := make(map[string]string)
	r := rand.New(rand.NewPCG(7, 8))
	for range 4000 {
		name := fmt.Sprint("www.domain", r.IntN(40), ".test:", 8000+r.IntN(3))
		record := hostRecord{}
		if _, known := known[name]; !known || r.IntN(3) > 0 {
			record = hostRecord{pace: pace{ip: fmt.Sprint("192.0.2.", r.IntN(30))}, ready: 1}
		}
		s.place(s.set(name, &record), at(0))
		s.pass(at(0))
		if delete(known, name); record.ready > 0 {
			known[name] = record.ip
		}
		if s.count != len(known) {
			t.Fatalf("%d hosts, want %d", s.count, len(known))
		}
		gates := make(map[string]bool)
		for name, ip := range known {
			h := s.named(name)
			if h == nil || h.name != name || s.ip(h) != ip || s.domain(h) != DomainOf(name) {
				t.Fatalf("host %s of %s is %+v", name, ip, h)
			}
			gates[ip], gates[DomainOf(name)] = true, true
		}
		if have := int(s.gateSlot.next) - len(s.gateSlot.free); have != len(gates) {
			t.Fatalf("%d gates, want %d", have, len(gates))
		}
	}
	if s.slots.next > 3*40 {
		t.Errorf("%d slots for at most %d hosts", s.slots.next, 3*40)
	}
}
