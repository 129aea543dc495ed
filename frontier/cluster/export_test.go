package cluster

import "github.com/awarc/awarc/frontier"

// Freeze ends the renewals of leases, as if the process stood still.
func (s *Store) Freeze() { s.frozen.set(true) }

// Drained is what Next asks when there is nothing to lease.
func (s *Store) Drained() (bool, error) { return s.drained() }

// TakeNow leases the URL that is first now in the only partition, if there is one.
func (s *Store) TakeNow() (l frontier.Lease, found bool, err error) {
	reply, err := s.change(s.alive, 0, "take", s.options.Node, micros(s.options.Lease), 1)
	if err != nil {
		return l, false, err
	}
	leases, err := s.admit(0, list(list(reply)[1]))
	s.stir(0)
	if err != nil || len(leases) == 0 {
		return l, false, err
	}
	return leases[0], true, nil
}
