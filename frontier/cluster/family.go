package cluster

import (
	"maps"
	"slices"

	"github.com/awarc/awarc/frontier"
)

// Families returns the families of which anything is known, by name; none when the servers are away.
func (s *Store) Families() []frontier.Family {
	all := make(map[string]*frontier.Family)
	for p := range s.partitions {
		reply, err := s.read(s.alive, p, "families")
		if err != nil {
			return nil
		}
		for l := list(reply); len(l) >= 2; l = l[2:] {
			name, one := text(l, 0), list(l[1])
			f := all[name]
			if f == nil {
				f = &frontier.Family{Name: name, Limit: s.options.PutOffLimit}
				all[name] = f
			}
			if note := text(one, 1); note != "" {
				f.Note = note
			}
			f.Closed = f.Closed || number(one, 2) == 1
			f.Waiting, f.Drawn = f.Waiting+int(number(one, 3)), f.Drawn+int(number(one, 4))
			if f.Limit > 0 {
				f.Limit += int(number(one, 5))
			}
		}
	}
	var families []frontier.Family
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if f := all[name]; f.Waiting+f.Drawn > 0 || f.Note != "" || f.Limit > s.options.PutOffLimit || f.Closed {
			families = append(families, *f)
		}
	}
	return families
}

// EachPutOff calls fn for the URLs that wait in a family and are not leased, partition by partition and host by host, in the order in
// which they were first found, for at most as many as that, 0 being all, until fn returns an error.
func (s *Store) EachPutOff(family string, most int, fn func(frontier.Entry) error) error {
	const step = 200
	family = frontier.KeptFamily(family)
	left := most
	for p := range s.partitions {
		for from := ""; ; {
			n := step
			if most > 0 {
				n = min(step, left)
			}
			if n == 0 {
				return nil
			}
			reply, err := s.read(s.alive, p, "putoff", family, from, n)
			if err != nil {
				return err
			}
			found := list(reply)
			for l := found; len(l) >= 2; l = l[2:] {
				from = text(l, 0)
				e, err := decodeEntry(l[1])
				if err == nil {
					err = fn(e.Entry)
				}
				if err != nil {
					return err
				}
			}
			left -= len(found) / 2
			if len(found)/2 < n {
				break
			}
		}
	}
	return nil
}

// Reopen lets every family be drawn from again, as frontier.Frontier.Reopen does, partition by partition.
func (s *Store) Reopen() error {
	return s.everywhere(s.alive, "reopen")
}
