package testsites

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Slow delays each answer of h by wait, unless the client goes away first.
func Slow(h http.Handler, wait time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(wait):
			h.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// Unavailable answers the first n requests for each URL with 503 and, when retryAfter is not 0, a Retry-After in whole
// seconds; the later ones reach h. A negative n means all of them.
func Unavailable(h http.Handler, n int, retryAfter time.Duration) http.Handler {
	var mu sync.Mutex
	asked := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.RequestURI()]++
		refuse := n < 0 || asked[r.URL.RequestURI()] <= n
		mu.Unlock()
		if !refuse {
			h.ServeHTTP(w, r)
			return
		}
		if retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
		}
		http.Error(w, "try again later", http.StatusServiceUnavailable)
	})
}

// Garbage answers with bytes that are not HTTP and closes the connection. Behind HTTP/2, or a writer whose connection
// cannot be taken over, it aborts the answer instead.
func Garbage() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = conn.Close() }()                                          // the client sees the end either way
		_, _ = conn.Write([]byte("\x16\x03\x01 this is no status line\r\n\x00\xff")) // a client that left needs no garbage
	})
}

// Endless answers with 200 and a body that never ends: a line of HTML at each interval; 0 means as fast as it goes.
func Endless(every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(w, r, max(every, time.Nanosecond))
	})
}

// RedirectLoop sends each request on to the same path with a parameter that goes round from 0 to n-1 and back to 0.
func RedirectLoop(n int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, err := strconv.Atoi(r.URL.Query().Get("loop"))
		if err != nil {
			at = -1
		}
		http.Redirect(w, r, r.URL.Path+"?loop="+strconv.Itoa((at+1)%max(n, 1)), http.StatusFound)
	})
}

// RobotsError answers robots.txt at the root with a status of 500 or another one; the rest reaches h.
func RobotsError(h http.Handler, status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Error(w, http.StatusText(status), status)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Robots answers robots.txt at the root with a text of the test's choice; the rest reaches h.
func Robots(h http.Handler, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			(&request{Request: r, w: w}).text(http.StatusOK, "text/plain; charset=utf-8", text)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// CutShort promises a body of the given length, sends half of it and breaks the connection.
func CutShort(length int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		w.Header().Set("Content-Length", strconv.Itoa(length))
		if _, err := w.Write(make([]byte, length/2)); err == nil {
			_ = http.NewResponseController(w).Flush() // the break that follows says it all
		}
		panic(http.ErrAbortHandler)
	})
}
