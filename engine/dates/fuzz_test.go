package dates

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzRead: whatever a text is, what is read of it is a date of ISO 8601 that reads as itself, the
// same with any white space around, and without the time of the capture the same or nothing.
func FuzzRead(f *testing.F) {
	for _, c := range worldDates {
		f.Add(c.lang, c.text, "")
	}
	for _, c := range relativeDates {
		f.Add(c.lang, c.text, "mdy")
	}
	f.Fuzz(func(t *testing.T, lang, text, usual string) {
		iso := read(lang, text, usual, captured)
		if iso != "" {
			checkISO(t, text, iso)
			if again := read(lang, iso, usual, captured); again != iso && len(iso) >= len(time.DateOnly) {
				t.Errorf("%q is %s, which reads as %q", text, iso, again)
			}
		}
		// later ones may be of another calendar
		if bare := read(lang, text, usual, time.Time{}); bare != "" && bare != iso && bare < "2016" {
			t.Errorf("%q is %s, captured at a known time %q", text, bare, iso)
		}
		if got := fold(text); utf8.ValidString(text) && fold(got) != got {
			t.Errorf("%q folds to %q, which folds to %q", text, got, fold(got))
		}
		Like(text)
		Whole(text)
	})
}

// checkISO checks a date by the layouts that it may have.
func checkISO(t *testing.T, text, iso string) {
	for _, layout := range []string{"2006", "2006-01", time.DateOnly, "2006-01-02T15:04:05", time.RFC3339} {
		if at, err := time.Parse(layout, iso); err == nil && at.Year() >= 1900 && at.Year() < 2100 && !strings.ContainsAny(iso, "., ") {
			return
		}
	}
	t.Errorf("%q gave %q", text, iso)
}

// BenchmarkRead reads dates and what is none, beside reading a date in a layout that is known.
func BenchmarkRead(b *testing.B) {
	run := func(name string, texts []string, read func(string)) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				for _, text := range texts {
					read(text)
				}
			}
		})
	}
	texts := []string{"Tue May 12, 2015 10:15 am", "Tue May 12, 2015 10:16 am", "Tue May 12, 2015 10:17 am", "Tue May 12, 2015 10:18 am"}
	words()
	run("layout", texts, func(s string) {
		if _, err := time.Parse("Mon Jan 2, 2006 3:04 pm", s); err != nil {
			b.Fatal(err)
		}
	})
	run("date", texts, func(s string) {
		if read("en", s, "", captured) == "" {
			b.Fatal(s)
		}
	})
	none := []string{"Posts: 1215", "Joined: a year before", "14.04.2012 - 22:43 Titel:", "Version 3.0.12"}
	run("none", none, func(s string) {
		if got := read("en", s, "", captured); got != "" {
			b.Fatal(s, got)
		}
	})
	run("longest", []string{strings.Repeat("may ", 30)}, func(s string) { read("en", s, "", captured) })
}
