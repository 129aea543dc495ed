package dates

import "testing"

// TestLike tells dates from what has the signs of one.
func TestLike(t *testing.T) {
	for text, want := range map[string]bool{
		"2018-01-01T10:00:00Z":       true,
		"24 May 2019, 14:05":         true,
		"Today 21:00":                true,
		"2019年5月4日":                  true,
		"1546300800":                 true,
		"Feb 14, 2026 | 9:05 pm":     true,
		"Feb 14, 2026 | 9 answers":   false,
		"07:56":                      false,
		"07:56:12":                   false,
		"Ruby21:00":                  false,
		"Join Date: Mar 2016":        false,
		"© 2001, 2002 phpBB Group":   false,
		"http://www.w3.org/2000/svg": false,
	} {
		if got := Like(text); got != want {
			t.Errorf("Like(%q) = %v", text, got)
		}
	}
}
