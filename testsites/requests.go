package testsites

import (
	"net/http"
	"sync"
	"time"
)

// Exchange is one request that a site answered.
type Exchange struct {
	URL        string // path and query as requested
	Method     string
	UserAgent  string
	Status     int
	Bytes      int64     // of the body
	Start, End time.Time // of the answer; End is zero while it lasts
}

// Requests are the counts of a site's requests so far.
type Requests struct {
	Total  int
	AtOnce int            // highest number of concurrent requests
	ByURL  map[string]int // number of requests by path with query
	Status map[int]int    // answers by status
	Log    []Exchange     // in order of arrival
}

// Twice returns the counts of URLs that were requested more than once.
func (q Requests) Twice() map[string]int {
	twice := map[string]int{}
	for u, n := range q.ByURL {
		if n > 1 {
			twice[u] = n
		}
	}
	return twice
}

// LeastWait returns the shortest time between the end of one answer and the start of the next
// request. It is negative if two requests overlapped, and 0 if there were fewer than two.
func (q Requests) LeastWait() time.Duration {
	var least time.Duration
	for i := 1; i < len(q.Log); i++ {
		wait := q.Log[i].Start.Sub(q.Log[i-1].End)
		if i == 1 || wait < least {
			least = wait
		}
	}
	return least
}

// log records exchanges.
type log struct {
	mu     sync.Mutex
	open   int
	atOnce int
	all    []*recorder
}

// recorder is the ResponseWriter of one exchange.
type recorder struct {
	http.ResponseWriter
	ex Exchange
	mu sync.Mutex // guards ex: the counts are read while an endless answer is being written
}

func (l *log) start(w http.ResponseWriter, r *http.Request) *recorder {
	rec := &recorder{ResponseWriter: w, ex: Exchange{
		URL: r.URL.RequestURI(), Method: r.Method, UserAgent: r.UserAgent(), Start: time.Now()}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	l.atOnce = max(l.atOnce, l.open)
	l.all = append(l.all, rec)
	return rec
}

func (l *log) end(rec *recorder) {
	rec.mu.Lock()
	rec.ex.End = time.Now()
	rec.ResponseWriter = nil // it holds the connection and the request
	rec.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
}

func (r *recorder) WriteHeader(status int) {
	r.mu.Lock()
	r.ex.Status = status
	r.mu.Unlock()
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	n, err := r.ResponseWriter.Write(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ex.Status == 0 {
		r.ex.Status = http.StatusOK
	}
	r.ex.Bytes += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] flush through the recorder.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Requests returns a copy of the counts.
func (s *Site) Requests() Requests {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	q := Requests{Total: len(s.log.all), AtOnce: s.log.atOnce, ByURL: map[string]int{}, Status: map[int]int{}}
	for _, rec := range s.log.all {
		rec.mu.Lock()
		ex := rec.ex
		rec.mu.Unlock()
		q.ByURL[ex.URL]++
		q.Status[ex.Status]++
		q.Log = append(q.Log, ex)
	}
	return q
}

// ResetRequests sets the counts to zero. Exchanges in progress are not counted any more.
func (s *Site) ResetRequests() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.all, s.log.atOnce = nil, s.log.open
}
