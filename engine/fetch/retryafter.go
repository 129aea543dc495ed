package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what RetryAfter returns, so that a caller can add it to a time
// without overflow. A server that asks for more than a year is asked again after one.
const maxRetryAfter = 365 * 24 * time.Hour

// RetryAfter reads the Retry-After header, a number of seconds or a date (RFC 9110,
// 10.2.3), relative to now. It is 0 when the header is absent, malformed or in the past, and at most a
// year. A date is taken relative to the Date header of the same answer when there is
// one, so that a server with a wrong clock still gets the wait that it requested.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	var wait time.Duration
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) { // also NaN
			return 0
		}
		if seconds > maxRetryAfter.Seconds() {
			return maxRetryAfter
		}
		wait = time.Duration(seconds * float64(time.Second))
	} else if date, err := http.ParseTime(value); err == nil {
		if server, err := http.ParseTime(h.Get("Date")); err == nil {
			now = server
		}
		wait = date.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
