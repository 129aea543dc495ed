package frontier

import (
	"fmt"
	"slices"
)

// Update says what becomes of the priority of a scheduled URL when another page
// names it with another one: section 5.1 of Plachouras et al. (2014).
type Update uint8

// The update functions of the paper.
const (
	Max   Update = iota // the highest given
	First               // the first stays: a frontier that does not adapt
	Last                // the latest
	Avg                 // the average, rounded towards zero
	Sum                 // the sum
)

var updateNames = []string{"max", "first", "last", "avg", "sum"}

// String returns the name in lower case.
func (u Update) String() string {
	if int(u) < len(updateNames) {
		return updateNames[u]
	}
	return "unknown"
}

// ParseUpdate returns the update function of that name.
func ParseUpdate(name string) (Update, error) {
	if i := slices.Index(updateNames, name); i >= 0 {
		return Update(i), nil
	}
	return 0, fmt.Errorf("frontier: unknown update function %q; expected one of %v", name, updateNames)
}

// maxPriority bounds priorities to both sides, sums of them included.
const maxPriority = 1 << 40

func bounded(priority int) int { return max(-maxPriority, min(maxPriority, priority)) }

// score gives a record one more priority and reports whether that is the highest so far.
func (r *record) score(u Update, priority int, decisive bool) (highest bool) {
	priority = bounded(priority)
	if r.Scores == 0 || decisive {
		highest = true
		r.Scores, r.sum, r.best, r.Priority = 1, priority, priority, priority
		return highest
	}
	highest = priority > r.best
	r.Scores++
	r.sum = bounded(r.sum + priority)
	r.best = max(r.best, priority)
	switch u {
	case Max:
		r.Priority = r.best
	case Last:
		r.Priority = priority
	case Avg:
		r.Priority = r.sum / r.Scores
	case Sum:
		r.Priority = r.sum
	}
	return highest
}
