package extract

import (
	"testing"
	"time"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// captured is the time of pages in tests, a Wednesday.
var captured = time.Date(2015, 9, 23, 12, 30, 45, 0, time.UTC)

// TestDatesOfPage: the page's language and what its readers see of other dates decide what one is.
func TestDatesOfPage(t *testing.T) {
	for _, c := range []struct{ name, page, text, want string }{
		{"a day above twelve", "<p>25/05/2015", "05/06/2015", "2015-06-05"},
		{"in a script", "<script>'25/05/2015'</script>", "05/06/2015", ""},
		{"the page's language", "<html lang=hr-HR>", "12 lis 2015", "2015-10-12"},
		{"another", "<html lang=pl>", "12 lis 2015", "2015-11-12"},
		{"counted from the capture", "<p>", "yesterday, 10:15", "2015-09-22T10:15:00"},
	} {
		d := datesOf(Page{Doc: document(t, c.page, nil), Captured: captured})
		if got := readDate(d, c.text, dates.Usual{}, kb.NewWork(maxWork)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDatesTakeWork: each text is work once, and none is read without.
func TestDatesTakeWork(t *testing.T) {
	d, work := datesOf(Page{Doc: document(t, "<p>", nil)}), kb.NewWork(1000)
	for range 100 {
		if got := readDate(d, "12 May 2015", dates.Usual{}, work); got != "2015-05-12" || work.Left() == 1000 || work.Left() < 700 {
			t.Fatalf("got %q with %d steps left", got, work.Left())
		}
	}
	for _, text := range []string{"13 May 2015", "14 May 2015", "15 May 2015", "16 May 2015", "17 May 2015"} {
		readDate(d, text, dates.Usual{}, work)
	}
	if got := readDate(d, "18 May 2015", dates.Usual{}, work); got != "" || !work.Spent() {
		t.Errorf("got %q, with %d steps left", got, work.Left())
	}
}
