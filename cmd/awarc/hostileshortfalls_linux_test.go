package main

// hostileShortfalls are the misdeeds that are not dealt with as the table of the hostile site says, each with the
// reason; "memory" stands for the bound of the whole crawl, "astray" for what nobody may be asked for. TestHostileSite
// fails when one of them is right.
var hostileShortfalls = map[string]string{}

// leftOut are misdeeds that the crawl of the test is not shown, each with the reason.
func leftOut() map[string]string {
	const (
		waits = "its host waits for so long: what a crawl makes of it is not seen in a test"
		down  = "a few addresses in a row that break off without an answer stop their host for half an hour: it is taken to be down"
	)
	return map[string]string{
		"wait-year": waits, "wait-absurd": waits, "wait-infinite": waits, "wait-date-far": waits,

		"pages-doubling": "is followed into a million pages: that each page leads to two new ones is not seen as a place without end",

		"fin-at-once": down, "reset-in-status": down, "reset-in-header": down, "fin-in-header": down, "fin-after-100": down, "reset-once": down,
	}
}
