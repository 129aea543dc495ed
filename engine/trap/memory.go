package trap

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// Bounds of what a watch remembers. What is forgotten is observed again: pages are fetched meanwhile, and none is lost.
const (
	mostOriginals = 20_000  // in each half
	mostSamples   = 40_000  // in each half
	mostGiven     = 100_000 // in each half
	mostWords     = 600_000
	mostFamilies  = 5_000
	mostParams    = 5_000
	mostGrams     = 600_000 // of all suspects, and addresses
	mostSuspects  = 5_000
	mostFacets    = 200 // places
	mostRegions   = 20_000
	mostLinked    = 200_000
	mostBranches  = 3_000
	longestName   = 200 // of a suspect, in bytes
)

// recently remembers the last things that were put into it: when a half of what it may hold is full, the older half is forgotten.
type recently[V any] struct {
	young, old map[uint64]V
	size       int // of what is young
}

func (r *recently[V]) get(key uint64) (V, bool) {
	if v, known := r.young[key]; known {
		return v, true
	}
	v, known := r.old[key]
	return v, known
}

// put remembers a value of a size; most is that of a half.
func (r *recently[V]) put(key uint64, value V, size, most int) {
	if r.young == nil || r.size >= most {
		r.young, r.old, r.size = make(map[uint64]V), r.young, 0
	}
	r.young[key] = value
	r.size += size
}

// short bounds the length of a name. A name that is cut is another one in each case.
func short(name string) string {
	if len(name) <= longestName {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s~%016x", name[:longestName-17], h.Sum64())
}

// size is how much a suspect remembers.
func (s *suspect) size() int {
	n := len(s.said) + len(s.pagesSaid) + len(s.addresses) + len(s.noisy) + len(s.derived) + len(s.page)
	for _, said := range s.recent {
		n += len(said)
	}
	for _, a := range s.answers {
		if a != nil {
			n += len(a.said) + len(a.leads)
		}
	}
	return n
}

// count takes over what a suspect remembers now.
func (w *Watch) count(s *suspect) {
	n := s.size()
	w.grams += n - s.counts
	s.counts = n
}

// forget empties the memory of what the pages of a suspect say and lead to.
func (w *Watch) forget(s *suspect) {
	s.said, s.pagesSaid, s.addresses = make(map[uint32]struct{}), make(map[uint32]struct{}), make(map[uint32]struct{})
	w.count(s)
}

// unask forgets what a suspect was asked.
func (w *Watch) unask(s *suspect) {
	for _, at := range s.asked {
		delete(w.probes, at)
	}
	s.asked, s.answers, s.page = nil, nil, nil
	w.count(s)
}

// makeRoom forgets what suspects say where no more fits, so that each says it once more, and where there are too many, or they know too
// much of their templates, half of them: those first that hold nothing off, then those of which nothing was seen for the longest time.
func (w *Watch) makeRoom() {
	if w.grams >= mostGrams {
		for _, s := range w.suspects {
			s.recent = nil
			w.unask(s)
			w.forget(s)
		}
	}
	if len(w.suspects) < mostSuspects && w.grams < mostGrams/2 {
		return
	}
	all := slices.SortedFunc(maps.Values(w.suspects), func(a, b *suspect) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.seen, b.seen))
	})
	for _, s := range all[:len(all)/2] {
		w.drop(s)
	}
}

// rank is how much would be lost with a suspect.
func (s *suspect) rank() int {
	switch {
	case s.closed:
		return 2
	case s.putOff:
		return 1
	}
	return 0
}

// drop forgets a suspect.
func (w *Watch) drop(s *suspect) {
	w.unask(s)
	w.grams -= s.counts
	delete(w.suspects, s.name)
	if s.region != nil {
		s.region.suspect = nil
	}
	if s.branch != nil {
		s.branch.suspect = nil
	}
	if x := w.params[s.name]; x != nil && x.void {
		delete(w.params, s.name)
		w.voids--
	}
}
