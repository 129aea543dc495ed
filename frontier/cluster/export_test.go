package cluster

// Freeze ends the renewals of leases, as if the process stood still.
func (s *Store) Freeze() { s.frozen.set(true) }
