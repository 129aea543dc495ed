package adapt

import "github.com/awarc/awarc/kb"

// fuller is by how much of a field in each of its objects one family of templates must
// beat another.
const fuller = 0.5

// fullest plans all fields of the best plan for a page of unknown level. Families of
// templates declare different fields, and what is required says nothing of the others: of
// those that find the same objects the one is taken that finds most fields of them.
func (s *session) fullest(best *levelPlan, plans []*levelPlan) *levelPlan {
	full := s.tryLevel(best.v, true)
	if full == nil {
		return best
	}
	for _, l := range plans {
		if l.v == best.v || l.v.ID != best.v.ID || declared(l.v.Objects) < full.filled+fuller || len(l.records) != len(full.records) ||
			!s.same(l.records, full.records) {
			continue
		}
		unknown := s.unknown
		if whole := s.tryLevel(l.v, true); whole != nil && whole.filled >= full.filled+fuller {
			full = whole
		} else {
			s.unknown = unknown
		}
	}
	return full
}

// declared counts the fields of objects, and of those inside them.
func declared(list []*kb.Object) float64 {
	n := 0.0
	for _, o := range list {
		n += float64(len(o.Fields)) + declared(o.Objects)
	}
	return n
}
