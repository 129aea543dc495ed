package engine

import (
	"sync"
	"time"
)

const (
	// maxPause bounds the wait between two tries of a host that is down.
	maxPause = 5 * time.Minute
	// maxFailures is how many failures in a row are taken for an outage of the
	// host; with the pauses between them that is about half an hour. Later ones
	// count against the URLs again, or a dead host would keep a crawl alive.
	maxFailures = 12
	// maxOutages bounds the memory of hosts.
	maxOutages = 100_000
)

// outages tells a host that is down from a URL that fails. While a host that has
// answered before fails for one URL after the other, its URLs are deferred and it
// is asked ever less often, so that an outage costs time and no content.
type outages struct {
	first time.Duration // the first pause

	mu    sync.Mutex
	hosts map[string]*outage
}

// outage is a row of failures.
type outage struct {
	failures int
	key      string // of the URL that failed first
	several  bool   // another one failed too
	waits    int    // answers in a row that asked for a longer wait than was granted
}

// answered ends a row of failures and, with content, one of wishes for long waits.
func (o *outages) answered(host string, content bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.hosts == nil || len(o.hosts) >= maxOutages {
		o.hosts = map[string]*outage{}
	}
	now := &outage{}
	if before := o.hosts[host]; before != nil && !content {
		now.waits = before.waits
	}
	o.hosts[host] = now
}

// grant returns how much of a wait that an answer of host asks for is granted: at first to most, and twice as much each time
// that it is asked again, up to longestRetryAfter.
func (o *outages) grant(host string, asked, most time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	if h == nil {
		h = &outage{}
		if o.hosts == nil {
			o.hosts = map[string]*outage{}
		}
		o.hosts[host] = h
	}
	granted := min(most<<min(h.waits, 20), longestRetryAfter)
	if asked <= granted {
		return asked
	}
	h.waits++
	return granted
}

// failed notes a failure. pause is positive when the host is taken to be down:
// how long to leave it alone.
func (o *outages) failed(host, key string) (pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	if h == nil {
		return 0 // it never answered: the seed may be wrong
	}
	h.failures++
	if h.failures == 1 {
		h.key = key
	}
	h.several = h.several || key != h.key
	if !h.several || h.failures > maxFailures {
		return 0
	}
	return min(o.first<<(h.failures-2), maxPause)
}
