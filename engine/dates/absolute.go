package dates

import (
	"strings"
	"time"
)

// reading is an attempt to read a text in one language.
type reading struct {
	*Reader
	now    time.Time // of the capture, in the usual zone; zero where unknown
	table  *table
	lang   int // -1 where only words of all languages are there
	usual  string
	tokens []token
	clock  clock
}

// clock is a time of day, with the zone that the text gives it.
type clock struct {
	hour, minute, second int
	zone                 *time.Location // nil where none is given
	given                bool
}

// moment is what a text says of a date.
type moment struct {
	at        time.Time
	precision int // year, months, day or second
	zoned     bool
}

// String writes a moment with as much as the text held.
func (m moment) String() string {
	switch {
	case m.precision == year:
		return m.at.Format("2006")
	case m.precision == months:
		return m.at.Format("2006-01")
	case m.precision == day:
		return m.at.Format(time.DateOnly)
	case m.zoned:
		return m.at.Format(time.RFC3339)
	}
	return m.at.Format(local)
}

// is reports whether a token may be of a class, with the value that it has then.
func (r *reading) is(i int, c class) (m meaning, ok bool) {
	if i < 0 || i >= len(r.tokens) {
		return m, false
	}
	for _, m := range r.tokens[i].means {
		if m.class == c && (r.lang < 0 && m.in == everyLanguage || r.lang >= 0 && m.in.has(r.lang)) {
			return m, true
		}
	}
	return m, false
}

func (r *reading) sign(i int, signs string) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].kind != '0' && r.tokens[i].kind != 'a' && strings.Contains(signs, r.tokens[i].text)
}

// num reports whether a token is a number of as many digits that nothing was read of yet.
func (r *reading) num(i, fewest, most int) bool {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != '0' || r.tokens[i].used {
		return false
	}
	digits := len(r.tokens[i].text)
	return fewest <= digits && digits <= most
}

func (r *reading) use(from, to int) {
	for i := from; i < to; i++ {
		r.tokens[i].used = true
	}
}

// unused lists the tokens of a kind that nothing was read of yet.
func (r *reading) unused(kind byte) (out []int) {
	for i, t := range r.tokens {
		if t.kind == kind && !t.used {
			out = append(out, i)
		}
	}
	return out
}

// fewestLetters are the bytes of a name that is one without a year beside it.
const fewestLetters = 3

// calendar is a day, or a month where the day is 0; the year is 0 where none is given.
type calendar struct {
	year, month, day int
	persian          bool
	short            bool // the name of the month is a letter or two, which may be anything
}

// absolute reads a date that names its month.
func absolute(r *reading) (moment, bool) {
	if !r.findClock() {
		return moment{}, false
	}
	c, ok := r.findDay()
	if !ok || len(r.unused('0')) > 0 || !r.restIsGlue() {
		return moment{}, false
	}
	return r.moment(c)
}

// moment is a day with the time that was found beside it; where the text has no year, the last such
// day before the capture.
func (r *reading) moment(c calendar) (moment, bool) {
	switch {
	case c.day == 0 && (r.clock.given || c.year == 0):
		return moment{}, false
	case c.day == 0:
		c.day = 1
		m, ok := r.on(c)
		m.precision = months
		return m, ok
	case c.year != 0:
		return r.on(c)
	case r.now.IsZero() || c.short:
		return moment{}, false
	}
	for back := range 9 { // 29 February 1904 was the first since 1896
		c.year = r.now.Year() - back
		if m, ok := r.on(c); ok && !m.at.After(r.now) {
			return m, true
		}
	}
	return moment{}, false
}

// on is the time that was found on a day; ok is false where the calendar has no such day.
func (r *reading) on(c calendar) (_ moment, ok bool) {
	if !r.ours(&c) {
		return moment{}, false
	}
	at := time.Date(c.year, time.Month(c.month), c.day, 0, 0, 0, 0, time.UTC)
	return r.timed(moment{at: at, precision: day}), at.Day() == c.day
}

// timed puts the time of day that was found into a day.
func (r *reading) timed(m moment) moment {
	if !r.clock.given {
		return m
	}
	zone := time.UTC
	if r.clock.zone != nil {
		zone, m.zoned = r.clock.zone, true
	}
	m.precision = second
	m.at = time.Date(m.at.Year(), m.at.Month(), m.at.Day(), r.clock.hour, r.clock.minute, r.clock.second, 0, zone)
	return m
}

// findDay reads year, month and day out of the numbers that are not of a time.
func (r *reading) findDay() (calendar, bool) {
	if c, ok := r.marked(); ok {
		if nums := r.unused('0'); c.year == 0 && len(nums) == 1 && ofOurs(r.tokens[nums[0]]) { // 1月 18日, 2018
			c.year = r.tokens[nums[0]].value
			r.use(nums[0], nums[0]+1)
		}
		return c, true
	}
	if c, ok := r.numberedMonth(); ok {
		return r.aroundName(c)
	}
	if i, c, ok := r.monthName(); ok {
		r.tokens[i].used = true
		return r.aroundName(c)
	}
	nums := r.unused('0')
	if len(nums) >= 3 {
		return r.triple(nums[0])
	}
	if len(nums) == 2 && nums[1] == nums[0]+2 && r.sign(nums[0]+1, "-/.") { // 05/2015
		for _, by := range [][2]int{{0, 1}, {1, 0}} {
			m, y := nums[by[0]], nums[by[1]]
			if r.num(m, 1, 2) && ofOurs(r.tokens[y]) && 1 <= r.tokens[m].value && r.tokens[m].value <= 12 {
				r.use(nums[0], nums[1]+1)
				return calendar{year: r.tokens[y].value, month: r.tokens[m].value}, true
			}
		}
	}
	return calendar{}, false
}

// ofOurs reports whether a number is a year of these and the last century.
func ofOurs(t token) bool { return len(t.text) == 4 && 1900 <= t.value && t.value < 2100 }

// marked reads numbers that units of time mark as year, month and day (2015年5月12日).
func (r *reading) marked() (calendar, bool) {
	values, marks := map[int]int{}, []int{}
	for i := range r.tokens {
		m, is := r.is(i, unit)
		v, counted := r.count(i - 1)
		if _, twice := values[m.value]; !is || !counted || twice || m.value != year && m.value != months && m.value != day {
			continue
		}
		if m.value == year {
			v = r.markedYear(i, v)
		}
		values[m.value] = v
		marks = append(marks, i)
		if m.value == months && r.num(i+1, 1, 2) && !r.tokens[i+1].space { // 2016年6月29
			values[day] = r.tokens[i+1].value
		}
	}
	if values[months] == 0 || values[year] == 0 && values[day] == 0 {
		return calendar{}, false
	}
	for _, i := range marks {
		r.use(i-1, i+1)
		if m, _ := r.is(i, unit); m.value == months && r.num(i+1, 1, 2) {
			r.use(i+1, i+2)
		}
	}
	return calendar{year: values[year], month: values[months], day: values[day]}, true
}

// numberedMonth reads a month of East Asia that stands where others have a name, as where a format made for English is
// translated: 1月 18, 2018.
func (r *reading) numberedMonth() (c calendar, ok bool) {
	at := 0
	for i := range r.tokens {
		m, is := r.is(i, unit)
		if !is || m.value != months || !r.num(i-1, 1, 2) || !spaceless([]rune(r.tokens[i].text)[0]) {
			continue
		}
		if ok {
			return c, false
		}
		at, ok = i, true
		c.month = r.tokens[i-1].value
	}
	if ok {
		r.use(at-1, at+1)
	}
	return c, ok
}

// markedYear is the year that a unit behind a number marks, of an era where one stands before. Two
// digits are one in East Asia; elsewhere they are a length of time ("12 years 2 months").
func (r *reading) markedYear(at, v int) int {
	if e, is := r.is(at-2, era); is {
		r.tokens[at-2].used = true
		return e.value + v
	}
	if len(r.tokens[at-1].text) == 2 && spaceless([]rune(r.tokens[at].text)[0]) {
		return century(v)
	}
	return v
}

// count is the number that a token is, in digits or as a word.
func (r *reading) count(i int) (int, bool) {
	if r.num(i, 1, 4) {
		return r.tokens[i].value, true
	}
	m, ok := r.is(i, number)
	return m.value, ok
}

// century completes a year of two digits.
func century(y int) int {
	if y < 69 {
		return 2000 + y
	}
	return 1900 + y
}

// monthName finds the word that is the month: one that can be nothing else before one
// that may be a day of the week (French "mar"), of which the last is it.
func (r *reading) monthName() (at int, c calendar, ok bool) {
	sure := false
	for _, i := range r.unused('a') {
		m, is := r.is(i, month)
		if !is {
			if m, is = r.is(i, persian); !is {
				continue
			}
		}
		_, maybeDay := r.is(i, weekday)
		_, maybeGlue := r.is(i, skip)
		switch only := !maybeDay && !maybeGlue; {
		case only && sure:
			return 0, c, false
		case only || !sure:
			at, ok, sure = i, true, only
			c = calendar{month: m.value, persian: m.class == persian, short: len(r.tokens[i].text) < fewestLetters}
		}
	}
	return at, c, ok
}

// aroundName reads the day and the year beside a month's name.
func (r *reading) aroundName(c calendar) (calendar, bool) {
	nums := r.unused('0')
	if len(nums) == 0 || len(nums) > 2 {
		return c, false
	}
	first, last := nums[0], nums[len(nums)-1]
	y, d := last, first
	if len(r.tokens[first].text) == 4 {
		y, d = first, last
	}
	r.use(first, first+1)
	r.use(last, last+1)
	c.day, c.year = r.tokens[d].value, r.tokens[y].value
	switch {
	case len(nums) == 1 && len(r.tokens[y].text) == 4:
		c.day = 0
		return c, ofOurs(r.tokens[y]) || r.speaks("th") && c.year >= 2400 // of the Buddhist calendar
	case len(r.tokens[d].text) > 2:
		return c, false
	case last == first+2 && len(r.tokens[y].text) == 2 && r.sign(first+1, "-") && !r.sign(first-1, "-"):
		return c, false // May 28-29
	case last == first+2 && len(r.tokens[y].text) == 2 && r.sign(first+1, ".") && !r.tokens[last].space:
		return c, false // May 10.15, a time or a price
	case len(nums) == 1:
		c.year = 0
	case len(r.tokens[y].text) == 2:
		c.year = century(c.year)
	case len(r.tokens[y].text) != 4:
		return c, false
	}
	return c, c.day > 0
}

// triple reads a date in three numbers with one sign between them.
func (r *reading) triple(i int) (calendar, bool) {
	if !r.num(i+2, 1, 2) || !r.num(i+4, 1, 4) || !r.sign(i+1, "-/.") || !r.sign(i+3, r.tokens[i+1].text) {
		return calendar{}, false
	}
	if r.tokens[i+1].space || r.tokens[i+3].space {
		return calendar{}, false
	}
	first, last := r.tokens[i], r.tokens[i+4]
	a, b, c := first.value, r.tokens[i+2].value, last.value
	r.use(i, i+5)
	switch {
	case len(first.text) == 4 && len(last.text) <= 2:
		return calendar{year: a, month: b, day: c}, c > 0
	case len(first.text) > 2 || len(last.text) == 3 || len(last.text) == 1:
		return calendar{}, false
	}
	order := r.numericOrder(a, b, r.tokens[i+1].text, len(last.text))
	if order == "ymd" {
		return calendar{year: century(a), month: b, day: c}, c > 0 && len(last.text) == 2
	}
	if len(last.text) == 2 {
		c = century(c)
	}
	switch order {
	case "dmy":
		return calendar{year: c, month: b, day: a}, a > 0
	case "mdy":
		return calendar{year: c, month: a, day: b}, b > 0
	}
	return calendar{}, false
}

// numericOrder decides what two numbers before a year of some digits are: by themselves, by the page, by what
// is usual, by the sign between them; "" where nothing decides.
func (r *reading) numericOrder(a, b int, sign string, digits int) string {
	switch order := r.order[sign]; {
	case r.usual == "ymd" && digits == 2:
		return "ymd"
	case a > 12:
		return "dmy"
	case b > 12 && sign == "." && digits == 2:
		return "" // 1.15.10, a version
	case b > 12:
		return "mdy"
	case order != "":
		return order
	case r.usual == "dmy" || r.usual == "mdy":
		return r.usual
	case sign == "." || a == b || r.speaks("fa"):
		return "dmy"
	}
	return ""
}

// restIsGlue reports whether the words of which nothing was read mean nothing here.
func (r *reading) restIsGlue() bool {
	for _, i := range r.unused('a') {
		_, glue := r.is(i, skip)
		_, named := r.is(i, weekday)
		_, again := r.is(i, zone) // GMT+0800 (CST)
		_, mark := r.is(i, unit)
		before := i - 1
		if r.sign(before, ".") {
			before--
		}
		mark = mark && before >= 0 && r.tokens[before].kind == '0' && r.tokens[before].used
		if !glue && !named && !mark && !(again && r.clock.zone != nil) {
			return false
		}
	}
	return true
}
