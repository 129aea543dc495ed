package complete

import "testing"

// TestMoreThanStated: more saved things than a page states are not "31 of 30".
func TestMoreThanStated(t *testing.T) {
	t.Parallel()
	count := func(saved, stated int) Count { return Count{Saved: saved, Stated: &stated} }
	for _, c := range []struct {
		count Count
		want  string
	}{
		{count(30, 31), "threads 30 of 31"},
		{count(31, 31), "threads 31 of 31"},
		{count(31, 30), "threads 31 (pages state 30)"},
		{Count{Saved: 3}, "threads 3 (total not stated)"},
	} {
		if got := c.count.Text("threads"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
