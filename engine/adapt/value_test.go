package adapt

import "testing"

// TestDateLike tells dates from what the parser of dates would spend most on.
func TestDateLike(t *testing.T) {
	for text, want := range map[string]bool{
		"2018-01-01T10:00:00Z":       true,
		"24 May 2019, 14:05":         true,
		"Today 21:00":                true,
		"2019年5月4日":                  true,
		"1546300800":                 true,
		"07:56":                      false,
		"07:56:12":                   false,
		"Ruby21:00":                  false,
		"Join Date: Mar 2016":        false,
		"© 2001, 2002 phpBB Group":   false,
		"http://www.w3.org/2000/svg": false,
	} {
		if got := dateLike(text); got != want {
			t.Errorf("dateLike(%q) = %v", text, got)
		}
	}
}

// TestWorkFollowsThePage: a page is worth work in proportion to its elements.
func TestWorkFollowsThePage(t *testing.T) {
	for elements, want := range map[int]int{10: 2 * leastWork * parseWork, 1000: 2000 * parseWork} {
		if got := budget(elements, 2); got != want {
			t.Errorf("%d elements: %d visits, want %d", elements, got, want)
		}
	}
}
