package ways

// sample remembers some of what was seen, chosen by hashes: all while that is little, then every second, every fourth (Gibbons,
// "Distinct sampling", VLDB 2001). What it says of how much is new is true on average, in bounded memory.
type sample struct {
	seen  map[uint64]struct{}
	every uint // one of 1 << Every is looked at
}

const maxSample = 1 << 15

// add remembers a hash, and returns for how many new ones it stands: 0 where it is not looked at or was seen.
func (s *sample) add(h uint64) float64 {
	if _, seen := s.seen[h]; seen || !s.takes(h) {
		return 0
	}
	if s.seen == nil {
		s.seen = make(map[uint64]struct{})
	}
	n := s.weight()
	for s.seen[h] = struct{}{}; len(s.seen) > maxSample; {
		s.thin()
	}
	return n
}

func (s *sample) weight() float64 { return float64(uint64(1) << s.every) }

// addText remembers what a page says, and returns how much of it is new. A block of which a quarter is new counts whole: who says it
// in full says more than who has quoted of it.
func (s *sample) addText(t Text) (fresh float64) {
	start := 0
	for _, end := range t.ends {
		all, more := 0.0, 0.0
		for _, h := range t.runs[start:end] {
			if s.takes(h) {
				all += s.weight()
				more += s.add(h)
			}
		}
		if more >= all/4 {
			fresh += all
		}
		start = end
	}
	return fresh
}

// takes reports whether a hash is one of the chosen.
func (s *sample) takes(h uint64) bool { return h&(1<<s.every-1) == 0 }

func (s *sample) thin() {
	s.every++
	for h := range s.seen {
		if !s.takes(h) {
			delete(s.seen, h)
		}
	}
}
