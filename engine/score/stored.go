package score

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// Names number what takes part in scores, so that a stored score names each by a
// byte or two. Numbers are given once and never change. It is safe for concurrent
// use.
type Names struct {
	mu    sync.Mutex
	list  []Name
	known map[Name]int
	keep  func([]Name) error
}

// Name is a module, or one version of a plugin.
type Name struct {
	Module string `json:"module"`
	Source string `json:"source,omitempty"`
}

// NewNames makes a numbering that begins with the names of an earlier one; keep makes a
// longer list durable before a number of it is used.
func NewNames(earlier []Name, keep func([]Name) error) *Names {
	n := &Names{known: map[Name]int{}, keep: keep}
	for _, name := range earlier {
		n.known[name] = len(n.list)
		n.list = append(n.list, name)
	}
	return n
}

// List is all names in the order of their numbers.
func (n *Names) List() []Name {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.list[:len(n.list):len(n.list)]
}

func (n *Names) number(name Name) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i, ok := n.known[name]; ok {
		return i, nil
	}
	longer := append(n.list[:len(n.list):len(n.list)], name)
	if err := n.keep(longer); err != nil {
		return 0, fmt.Errorf("storing the name of the module %s: %w", name.Module, err)
	}
	n.known[name], n.list = len(n.list), longer
	return n.known[name], nil
}

// Stored is the part of a score that is stored with its link.
type Stored struct {
	Score Score
	// Page is the score of the page that held the link, or [None].
	Page float64
}

// Stored scores are a format byte, the page's score, and for each part its number
// with two flags, its score, and its weight unless that is 1.
const (
	storedFormat = 1
	storedNone   = math.MaxUint16
	storedMost   = 60_000 // so that decimal fractions come back as they were

	flagFromDocument = 1
	flagWeighted     = 2
)

func appendScore(b []byte, s float64) []byte {
	if !Given(s) {
		return binary.LittleEndian.AppendUint16(b, storedNone)
	}
	return binary.LittleEndian.AppendUint16(b, uint16(math.Round(max(0, min(1, s))*storedMost)))
}

// Encode writes a score in about four bytes a part; scores are rounded to 1/60,000.
func (s Stored) Encode(n *Names) ([]byte, error) {
	b := appendScore([]byte{storedFormat}, s.Page)
	for _, p := range s.Score.Parts {
		number, err := n.number(Name{p.Module, p.Source})
		if err != nil {
			return nil, err
		}
		bits := uint64(number) << 2
		if p.FromDocument {
			bits |= flagFromDocument
		}
		if p.Weight != 1 {
			bits |= flagWeighted
		}
		b = appendScore(binary.AppendUvarint(b, bits), p.Score)
		if p.Weight != 1 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(p.Weight)))
		}
	}
	return b, nil
}

// DecodeStored reads what Encode wrote with a numbering that has these names.
func DecodeStored(b []byte, names []Name) (Stored, error) {
	s := Stored{Page: None, Score: Score{Value: None}}
	if len(b) < 3 || b[0] != storedFormat {
		return s, errors.New("no stored score")
	}
	take := func() (float64, error) {
		if len(b) < 2 {
			return 0, errors.New("a stored score is cut short")
		}
		v := binary.LittleEndian.Uint16(b)
		b = b[2:]
		switch {
		case v == storedNone:
			return None, nil
		case v > storedMost:
			return 0, errors.New("a stored score is above 1")
		}
		return float64(v) / storedMost, nil
	}
	b = b[1:]
	var err error
	if s.Page, err = take(); err != nil {
		return s, err
	}
	for len(b) > 0 {
		bits, size := binary.Uvarint(b)
		if size <= 0 || bits>>2 >= uint64(len(names)) {
			return s, errors.New("a stored score names an unknown module")
		}
		b = b[size:]
		name := names[bits>>2]
		p := Part{Module: name.Module, Source: name.Source, Weight: 1, FromDocument: bits&flagFromDocument != 0}
		if p.Score, err = take(); err != nil {
			return s, err
		}
		if bits&flagWeighted != 0 {
			if len(b) < 4 {
				return s, errors.New("a stored score is cut short")
			}
			p.Weight = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
			b = b[4:]
			if !(p.Weight >= 0 && p.Weight <= math.MaxFloat32) {
				return s, errors.New("invalid stored weight")
			}
		}
		s.Score.Parts = append(s.Score.Parts, p)
	}
	s.Score.average()
	return s, nil
}
