package corpora

import (
	"fmt"
	"strings"
	"time"
)

// show returns the name of the widget and its HTML at this moment and for this request.
func (w widget) show(now time.Time, request int64) (name, content string) {
	switch w {
	case calendar:
		return "calendar", month(now)
	case counter:
		return "counter", fmt.Sprintf("You are visitor no. <b>%07d</b> since 1 March 1998", 184_221+request)
	case advert:
		r := draw("advert", int(request))
		return "advert", fmt.Sprintf(
			"<b>%s %s</b> from only &euro; %d.%02d",
			title(pick(r, adjectives)),
			pick(r, nouns),
			3+r.IntN(300),
			r.IntN(100),
		)
	case timing:
		return "timing", fmt.Sprintf("Page created in %.3f s with %d queries", float64(4+request*7919%90)/1000, 8+request%9)
	case legal:
		return "legal", legalText
	case online:
		return "online", fmt.Sprintf("%d guests and %d members are online", 11+request*31%47, request*17%6)
	}
	return "", ""
}

// month is the calendar that weblogs have in their side bar, without links.
func month(now time.Time) string {
	var b strings.Builder
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	fmt.Fprintf(
		&b,
		"<table class=\"cal\"><caption>%s</caption><tr><th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa<th>Su</tr><tr>",
		first.Format("January 2006"),
	)
	b.WriteString(strings.Repeat("<td></td>", (int(first.Weekday())+6)%7))
	for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
		if day.Weekday() == time.Monday && day.Day() > 1 {
			b.WriteString("</tr><tr>")
		}
		fmt.Fprintf(&b, "<td>%d</td>", day.Day())
	}
	return b.String() + "</tr></table>"
}

const legalText = `
The information in this register is provided as a service to the public and in fulfilment of a statutory duty. While every
effort has been made to keep it accurate and complete, no responsibility is accepted for errors, omissions or for any loss
that arises from reliance upon it. Entries are copied from the original returns as they were received by the office and have
not been edited, except that abbreviations were expanded where the meaning was beyond doubt. Persons who believe that an
entry is wrong are asked to write to the registrar, stating the number of the entry, the nature of the mistake and, where
possible, the evidence upon which the claim rests; corrections are made twice a year. Reproduction is permitted for private
study and for research, provided that the source is named. Any other use needs the written consent of the office, which may
be refused without reasons. By using these pages you accept our terms of use, our statement on privacy and the use of cookies
that are necessary for the operation of the service. This service is not monitored outside office hours, Monday to Friday
from nine to half past four.`
