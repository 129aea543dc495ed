package ways

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// stored is the state of a site.
type stored struct {
	Pages, Sum, Last      float64
	Exhausted             bool
	Contents              float64
	Ways                  []*way
	Text, Links           []byte // hashes
	TextEvery, LinksEvery uint
}

// State returns the state of a site for [Learner.Restore]; nil for an unknown site.
func (l *Learner) State(of string) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sites[of]
	if s == nil {
		return nil
	}
	s.saved = s.Pages
	now := stored{s.Pages, s.Sum, s.Last, s.Exhausted, s.Contents, s.Ways, s.Text.bytes(), s.Links.bytes(), s.Text.every, s.Links.every}
	data, _ := json.Marshal(now) // texts and numbers
	return data
}

// Restore reads the state of a site from an earlier session. It fails if the state is damaged.
func (l *Learner) Restore(of string, state []byte) error {
	var was stored
	if err := json.Unmarshal(state, &was); err != nil {
		return fmt.Errorf("learned link patterns of %s: %w", of, err)
	}
	byName, leads := make(map[string]int32), 0
	for i, w := range was.Ways {
		if w == nil || w.Parent < -1 || int(w.Parent) >= i {
			return fmt.Errorf("learned link patterns of %s: pattern %d is missing, or comes before its shape", of, i)
		}
		for to := range w.Links {
			if to < -1 || int(to) >= len(was.Ways) {
				delete(w.Links, to)
			}
		}
		byName[w.Name] = int32(i)
		leads += len(w.Links)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.site(of)
	*s = site{Pages: was.Pages, Sum: was.Sum, Last: was.Last, Exhausted: was.Exhausted, Contents: was.Contents, Ways: was.Ways,
		byName: byName,
		saved:  was.Pages, used: s.used, leads: leads,
		kept: s.kept}
	for _, w := range s.Ways {
		if strings.Contains(w.Name, " ") { // a pattern, no shape or outline
			s.widest(broader(w.Name)[0])
		}
	}
	s.Text.restore(was.Text, was.TextEvery)
	s.Links.restore(was.Links, was.LinksEvery)
	s.estimate()
	l.bound(s)
	return nil
}

func (s *sample) bytes() []byte {
	var b []byte
	for _, h := range slices.Sorted(maps.Keys(s.seen)) {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	return b
}

func (s *sample) restore(b []byte, every uint) {
	s.every, s.seen = min(every, 63), make(map[uint64]struct{})
	for ; len(b) >= 8; b = b[8:] {
		s.seen[binary.LittleEndian.Uint64(b)] = struct{}{}
	}
}
