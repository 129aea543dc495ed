package ways

// sample is a set of hashes in bounded memory: all of them while they are few, then every second,
// every fourth (Gibbons, "Distinct sampling", VLDB 2001). Its counts of new hashes are unbiased.
type sample struct {
	seen  map[uint64]struct{}
	every uint // one of 1<<every hashes is in the sample
}

const maxSample = 1 << 15

// add adds a hash, and returns how many new hashes it stands for: 0 if it is outside the sample or
// known.
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

// addText adds the text of a page, and returns the number of its new runs of words. A block with a
// quarter of new runs counts as a whole, since a full text is worth more than its quotation.
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

// takes reports whether a hash belongs to the sample.
func (s *sample) takes(h uint64) bool { return h&(1<<s.every-1) == 0 }

func (s *sample) thin() {
	s.every++
	for h := range s.seen {
		if !s.takes(h) {
			delete(s.seen, h)
		}
	}
}
