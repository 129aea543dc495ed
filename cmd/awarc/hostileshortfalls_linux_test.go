package main

// hostileShortfalls are the misdeeds that are not dealt with as the table of the hostile site says, each with the
// reason; "memory" stands for the bound of the whole crawl, "astray" for what nobody may be asked for. TestHostileSite
// fails when one of them is right.
var hostileShortfalls = map[string]string{}

// leftOut are misdeeds that the crawl of the test is not shown, each with the reason.
func leftOut() map[string]string {
	const waits = "its host waits for so long: what a crawl makes of it is not seen in a test"
	return map[string]string{
		"wait-year": waits, "wait-absurd": waits, "wait-infinite": waits, "wait-date-far": waits,
	}
}
