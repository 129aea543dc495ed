package frontier

import "iter"

// slab holds values in large pieces and names them by numbers from 1 on. So a reference between
// two of them is a number and not a pointer, of which Go's collector would follow millions, and
// growing moves none of them.
type slab[T any] struct {
	pieces [][]T
	next   int32   // the least number that was never given
	free   []int32 // numbers given back
}

const slabPiece = 1 << 10

func (s *slab[T]) at(n int32) *T { return &s.pieces[n/slabPiece][n%slabPiece] }

// take returns the number of a zero value.
func (s *slab[T]) take() int32 {
	if last := len(s.free) - 1; last >= 0 {
		n := s.free[last]
		s.free = s.free[:last]
		return n
	}
	s.next++
	if int(s.next) >= len(s.pieces)*slabPiece {
		s.pieces = append(s.pieces, make([]T, slabPiece))
	}
	return s.next
}

// release gives a number back.
func (s *slab[T]) release(n int32) {
	var none T
	*s.at(n) = none
	s.free = append(s.free, n)
}

// all yields all values, those that were given back as zeros.
func (s *slab[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for n := int32(1); n <= s.next; n++ {
			if !yield(s.at(n)) {
				return
			}
		}
	}
}
