package adapt

// margin is by how much a set of links must beat the next that leads elsewhere.
const margin = 0.35

// say adds to the score for a reason.
func (l *linkSet) say(points float64, why string) {
	l.score += points
	if points > 0 {
		l.why = append(l.why, why)
	}
}
