package dates

import "time"

// findClock reads the time of day; ok is false where there are two, or what is none.
func (r *reading) findClock() (ok bool) {
	end := 0
	for i := range r.tokens {
		c, n := r.clockAt(i)
		if n == 0 {
			continue
		}
		if r.clock.given && r.isOffset(i) {
			continue
		}
		if r.clock.given {
			return false
		}
		r.clock, end = c, i+n
		r.use(i, end)
	}
	if !r.clock.given {
		end = r.dotClock()
	}
	if end, ok = r.halfOfDay(end); !ok {
		return false
	}
	if r.clock.given {
		r.zone(end)
		for _, i := range r.unused('a') { // 19:56, 20 July 2012 (PDT)
			if _, is := r.is(i, zone); is && r.clock.zone == nil {
				r.zone(i)
			}
		}
	}
	return r.clock.hour < 24 && r.clock.minute < 60 && r.clock.second < 60
}

// isOffset reports whether hours and minutes behind a time are its distance from Greenwich: UTC+03:00. Behind a minus alone
// they may be the end of a span of time.
func (r *reading) isOffset(i int) bool {
	_, named := r.is(i-2, zone)
	return !r.tokens[i].space && (r.sign(i-1, "+") || named && r.sign(i-1, "-"))
}

// clockAt reads a time that begins at a token, with as many tokens as it takes: 10:15:20.5,
// 10h15, 10時15分.
func (r *reading) clockAt(i int) (c clock, n int) {
	if !r.num(i, 1, 2) {
		return c, 0
	}
	c = clock{hour: r.tokens[i].value, given: true}
	if r.sign(i+1, ":") && r.num(i+2, 2, 2) {
		c.minute, n = r.tokens[i+2].value, 3
		if r.sign(i+3, ":") && r.num(i+4, 2, 2) {
			c.second, n = r.tokens[i+4].value, 5
			if r.sign(i+5, ".,") && r.num(i+6, 1, 9) && !r.tokens[i+6].space {
				n = 7
			}
		}
		if m, is := r.is(i+n, unit); is && m.value == hour {
			n++
		}
		return c, n
	}
	if m, is := r.is(i+1, unit); !is || m.value != hour {
		return c, 0
	}
	n = 2
	for _, part := range []struct {
		unit int
		to   *int
	}{{minute, &c.minute}, {second, &c.second}} {
		if !r.num(i+n, 1, 2) {
			break
		}
		m, marked := r.is(i+n+1, unit)
		marked = marked && m.value == part.unit
		if !marked && (part.unit == second || r.tokens[i+n].space || len(r.tokens[i+n].text) != 2) {
			break
		}
		*part.to = r.tokens[i+n].value
		n++
		if marked {
			n++
		}
	}
	return c, n
}

// dotClock reads 10.15 and 10.15.20 behind a date, and gives where it ends.
func (r *reading) dotClock() (end int) {
	nums := r.unused('0')
	fewest := 5 // with those of a date in numbers
	if _, _, named := r.monthName(); named {
		fewest = 3
	}
	for k := fewest - 2; k < len(nums); k++ {
		h := nums[k]
		if r.sign(h-1, ".") && !r.tokens[h].space || !r.num(h, 1, 2) || !r.dotted(h) {
			continue
		}
		r.clock = clock{hour: r.tokens[h].value, minute: r.tokens[h+2].value, given: true}
		end = h + 3
		if r.dotted(h + 2) {
			r.clock.second = r.tokens[h+4].value
			end = h + 5
		}
		r.use(h, end)
		return end
	}
	return 0
}

// dotted reports whether a dot and two digits are right behind a number.
func (r *reading) dotted(i int) bool {
	return r.sign(i+1, ".") && r.num(i+2, 2, 2) && !r.tokens[i+1].space && !r.tokens[i+2].space
}

// halfOfDay reads am and pm, which stand beside an hour or anywhere.
func (r *reading) halfOfDay(end int) (int, bool) {
	found := false
	for _, i := range r.unused('a') {
		m, is := r.is(i, half)
		if !is {
			continue
		}
		if _, glue := r.is(i, skip); glue && (found || !r.clock.given || i != end) {
			continue // German "am"
		}
		if !r.clock.given {
			switch {
			case r.num(i-1, 1, 2):
				r.clock = clock{hour: r.tokens[i-1].value, given: true}
				r.use(i-1, i)
			case r.num(i+1, 1, 2):
				r.clock = clock{hour: r.tokens[i+1].value, given: true}
				r.use(i+1, i+2)
				end = i + 2
			default:
				return end, false
			}
		}
		if found {
			return end, false
		}
		found = true
		r.tokens[i].used = true
		end = max(end, i+1)
		switch h := r.clock.hour; {
		case m.value == 1 && h < 12:
			r.clock.hour += 12
		case m.value == 0 && h == 12:
			r.clock.hour = 0
		}
	}
	return end, true
}

// zone reads the zone behind a time: GMT, (CEST), +0200, UTC+2.
func (r *reading) zone(i int) {
	if r.sign(i, "(") {
		i++
	}
	offset, named := 0, false
	if m, is := r.is(i, zone); is {
		offset, named = 60*m.value, true
		r.use(i, i+1)
		i++
	}
	if r.sign(i, "+-") && i+1 < len(r.tokens) && !r.tokens[i+1].space {
		n := 0
		switch digits := r.tokens[min(i+1, len(r.tokens)-1)]; {
		case r.num(i+1, 4, 4):
			offset, n = 60*(digits.value/100*60+digits.value%100), 2
		case r.num(i+1, 1, 2) && (r.sign(i+2, ":") && r.num(i+3, 2, 2) || named && r.dotted(i+1)):
			offset, n = 60*(60*digits.value+r.tokens[i+3].value), 4
		case r.num(i+1, 1, 2) && named:
			offset, n = 3600*digits.value, 2
		}
		if n > 0 && r.sign(i, "-") {
			offset = -offset
		}
		named = named || n > 0
		r.use(i, i+n)
	}
	if named && -24*3600 < offset && offset < 24*3600 {
		r.clock.zone = time.FixedZone("", offset)
	}
}
