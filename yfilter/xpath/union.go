package xpath

// union is the nodes of several operands.
type union []nodes

func (u union) each(ev *evaluation, at place, yield func(spot) bool) bool {
	for _, n := range u {
		if !n.each(ev, at, yield) {
			return false
		}
	}
	return true
}

func (u union) list(ev *evaluation, at place) []spot {
	var all []spot
	for _, n := range u {
		all = append(all, n.list(ev, at)...)
	}
	return ordered(ev, all)
}

func (u union) truth(ev *evaluation, at place) bool {
	return !u.each(ev, at, func(spot) bool { return false })
}

func (u union) text(ev *evaluation, at place) string {
	if list := u.list(ev, at); len(list) > 0 {
		return list[0].text(ev.work)
	}
	return ""
}

func (u union) number(ev *evaluation, at place) float64 { return numberOf(u.text(ev, at)) }

// bracketed is nodes in brackets, with predicates that count along all of them.
type bracketed struct {
	nodes
	preds []predicate
}

func (b bracketed) list(ev *evaluation, at place) []spot {
	return filtered(ev, b.nodes.list(ev, at), b.preds)
}

func (b bracketed) each(ev *evaluation, at place, yield func(spot) bool) bool {
	for _, n := range b.list(ev, at) {
		if !yield(n) {
			return false
		}
	}
	return true
}

func (b bracketed) truth(ev *evaluation, at place) bool { return len(b.list(ev, at)) > 0 }

func (b bracketed) text(ev *evaluation, at place) string {
	if list := b.list(ev, at); len(list) > 0 {
		return list[0].text(ev.work)
	}
	return ""
}

func (b bracketed) number(ev *evaluation, at place) float64 { return numberOf(b.text(ev, at)) }
