package dates_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/awarc/awarc/engine/dates"
)

// A German page, captured at a known time, that shows a date whose day is above twelve.
func ExampleReader_Read() {
	captured := time.Date(2015, 9, 23, 12, 30, 0, 0, time.UTC)
	shown := slices.Values([]string{"Registriert: 25/05/2014"})
	r := dates.NewReader("de", captured, shown)
	for _, text := range []string{
		"Di 12. Mai 2015, 10:15", "05/06/2015", "gestern 10:15", "vor 2 Stunden", "Mai 2015", "12. Mai 2015 im Hafen",
	} {
		fmt.Printf("%s: %q\n", text, r.Read(text, dates.Usual{}))
	}
	// Output:
	// Di 12. Mai 2015, 10:15: "2015-05-12T10:15:00"
	// 05/06/2015: "2015-06-05"
	// gestern 10:15: "2015-09-22T10:15:00"
	// vor 2 Stunden: "2015-09-23T10:30:00"
	// Mai 2015: "2015-05"
	// 12. Mai 2015 im Hafen: ""
}
