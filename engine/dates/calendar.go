package dates

import "time"

func (r *reading) speaks(lang string) bool {
	return r.Reader.lang == lang || r.lang >= 0 && r.table.languages[r.lang] == lang
}

// ours turns a date of another calendar into one of ours; ok is false where it has none.
func (r *reading) ours(c *calendar) (ok bool) {
	switch {
	case r.speaks("th") && 2400 <= c.year && c.year < 2600: // Buddhist
		c.year -= 543
	case c.persian || r.speaks("fa") && 1300 <= c.year && c.year < 1500:
		at, ok := persianDay(c.year, c.month, c.day)
		if !ok || !r.captured.IsZero() && at.After(r.captured.AddDate(1, 0, 0)) {
			return false // 1436 is a year of the Islamic calendar, too
		}
		c.year, c.month, c.day = at.Year(), int(at.Month()), at.Day()
	}
	return 1 <= c.month && c.month <= 12
}

// persianDay is a day of the Persian calendar, by the rule of 33 years: eight of
// them have a 366th day, the 1st, 5th, 9th, 13th, 17th, 22nd, 26th and 30th. It agrees with the sky
// from 1244 to 1471 (1865 to 2093); ok is false outside, and for days that are none.
func persianDay(year, month, day int) (_ time.Time, ok bool) {
	if year < 1244 || year > 1471 || month < 1 || month > 12 || day < 1 {
		return time.Time{}, false
	}
	leap := func(y int) int {
		switch y % 33 {
		case 1, 5, 9, 13, 17, 22, 26, 30:
			return 1
		}
		return 0
	}
	days, length := 31*min(month-1, 6)+30*max(month-7, 0), 31
	switch {
	case month == 12:
		length = 29 + leap(year)
	case month > 6:
		length = 30
	}
	if day > length {
		return time.Time{}, false
	}
	for y := 1244; y < year; y++ {
		days += 365 + leap(y)
	}
	return time.Date(1865, time.March, 21, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days+day-1), true
}
