package dates

import "time"

// relative reads a date that is counted from the time of the capture.
func relative(r *reading) (moment, bool) {
	if r.now.IsZero() {
		return moment{}, false
	}
	m, ok := r.lengthAgo()
	if !ok {
		m, ok = r.namedSpan()
	}
	if !ok {
		m, ok = r.lastWeekday()
	}
	if !ok || m.precision < day && r.clock.given || len(r.unused('0')) > 0 || !r.restIsGlue() {
		return moment{}, false
	}
	return m, true
}

// lengthAgo reads "2 days, 3 hours ago".
func (r *reading) lengthAgo() (m moment, ok bool) {
	past := map[int]bool{} // some languages say it twice, or for each unit
	for _, i := range r.unused('a') {
		if _, is := r.is(i, ago); is {
			past[i] = true
		}
	}
	if len(past) == 0 {
		return m, false
	}
	var back [units]int
	smallest := -1
	for i := range r.tokens {
		u, is := r.is(i, unit)
		if !is || past[i] || r.tokens[i].used {
			continue
		}
		n, counted := r.count(i - 1)
		if _, glue := r.is(i, skip); !counted && glue {
			continue
		}
		if counted {
			r.tokens[i-1].used = true
		} else {
			n = 1 // an hour ago, in languages that say no "an"
		}
		r.tokens[i].used = true
		back[u.value] += n
		smallest = max(smallest, u.value)
	}
	if smallest < 0 {
		return m, false
	}
	for i := range past {
		r.tokens[i].used = true
	}
	if smallest <= day && !r.findClock() {
		return m, false
	}
	return r.back(back, smallest), true
}

// namedSpan reads "yesterday, 10:15".
func (r *reading) namedSpan() (m moment, ok bool) {
	if !r.findClock() {
		return m, false
	}
	for _, i := range r.unused('a') {
		w, is := r.is(i, when)
		if !is {
			continue
		}
		if ok {
			return m, false
		}
		ok = true
		r.tokens[i].used = true
		var back [units]int
		back[w.unit] = -w.value
		if n, counted := r.count(i - 1); counted && w.value == -1 { // Indonesian "4 tahun lalu", where "tahun lalu" is last year
			back[w.unit] = n
			r.tokens[i-1].used = true
		}
		m = r.back(back, w.unit)
	}
	return m, ok
}

// lastWeekday reads "Tuesday, 10:15" as the last one before the day of the capture.
func (r *reading) lastWeekday() (m moment, ok bool) {
	for _, i := range r.unused('a') {
		w, is := r.is(i, weekday)
		if !is || len(r.tokens[i].text) < fewestLetters {
			continue
		}
		if ok {
			return m, false
		}
		ok = true
		r.tokens[i].used = true
		var back [units]int
		back[day] = (int(r.now.Weekday())-w.value+6)%7 + 1
		m = r.back(back, day)
	}
	return m, ok
}

// back is the moment that lies some spans before the capture, as exact as the smallest.
func (r *reading) back(by [units]int, smallest int) moment {
	at := r.now
	if smallest <= months {
		at = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC) // the month before 31 March is February
	}
	at = at.AddDate(-by[year], -by[months], -7*by[week]-by[day])
	at = at.Add(-time.Duration(by[hour])*time.Hour - time.Duration(by[minute])*time.Minute - time.Duration(by[second])*time.Second)
	m := moment{at: at, precision: smallest}
	switch {
	case smallest == week:
		m.precision = day
	case smallest > day:
		m.precision = second
	}
	if m.precision == day {
		m = r.timed(m)
	}
	return m
}
