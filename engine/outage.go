package engine

import (
	"sync"
	"time"
)

const (
	// maxPause bounds the wait between two probes of a host that is down.
	maxPause = 5 * time.Minute
	// maxProbes is how many probes in a row may fail, with the pauses between them in about 75 minutes. Later failures count
	// against the URLs again, or a dead host would keep a crawl alive.
	maxProbes = 20
	// maxRow is how many failures in a row put a host in doubt, if its URLs have as many tries.
	maxRow = 3
	// maxOutages bounds the memory of hosts, maxSuspects that of the URLs of one.
	maxOutages  = 100_000
	maxSuspects = 1000
)

// outages keeps apart a host that is down and a URL that fails, so that an outage costs time and no content, and a URL
// that breaks connections costs the others of its host nothing.
//
// A request that could not be sent says that the host is down. One that was sent and not answered may be the fault of the URL:
// it counts as a try, until there is a row of them without an answer between. Then the host is in doubt, and nothing is asked of
// it but a probe. An answer makes what failed the fault of the URLs, which are suspects from then on: that they fail again says nothing
// about the host. A probe that fails, too, makes the failure in doubt that of the host, which is left alone for ever longer
// between the probes that follow.
type outages struct {
	first time.Duration // the first pause
	row   int           // failures in a row that put a host in doubt
	// patience is how long a host may refuse all requests, see refusal.
	patience time.Duration

	mu    sync.Mutex
	hosts map[string]*outage
}

// outage is what the last exchanges with a host that has answered before say of it.
type outage struct {
	row      []string         // keys of URLs that failed since the last answer
	suspects map[string]bool  // keys of URLs that failed while the host answered
	held     map[string]error // failures that count as tries once the host answers
	doubt    bool             // nothing but a probe is asked for
	probes   int              // in a row that failed
	waits    int              // answers in a row that asked for a longer wait than was granted
	refusal  refusal
}

// of returns what is known of a host. It is called with the lock held.
func (o *outages) of(host string) *outage {
	h := o.hosts[host]
	if h == nil {
		if o.hosts == nil || len(o.hosts) >= maxOutages {
			o.hosts = map[string]*outage{}
		}
		h = &outage{suspects: map[string]bool{}, held: map[string]error{}}
		o.hosts[host] = h
	}
	return h
}

// known notes that a host has answered before.
func (o *outages) known(host string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of(host)
}

// answered notes an answer to the URL with a key, "" for a probe: the host is not down. With content, it ends a row of
// wishes for long waits, too.
func (o *outages) answered(host, key string, content bool, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.of(host)
	for _, k := range h.row {
		h.suspects[k] = true
	}
	delete(h.suspects, key)
	if len(h.suspects) > maxSuspects {
		clear(h.suspects)
	}
	h.row, h.doubt, h.probes = nil, false, 0
	if content {
		h.waits = 0
		h.served(key, now)
	}
}

// failed notes an exchange without an answer; sent says whether its request went out. It reports whether that counts as a try of the
// URL. If not, the URL is to be deferred, and its host to be left alone for pause.
func (o *outages) failed(host, key string, err error, sent bool) (counts bool, pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	switch {
	case h == nil: // it never answered: the seed may be wrong
		return true, 0
	case h.probes > maxProbes:
		return true, 0
	case h.doubt:
		if sent {
			h.held[key] = err
		}
		return false, 0
	case !sent:
		h.doubt, h.probes = true, 1
		return false, o.first
	case h.suspects[key]:
		return true, 0
	}
	if h.row = append(h.row, key); len(h.row) < o.row {
		return true, 0
	}
	h.doubt, h.held[key] = true, err
	return false, 0
}

// inDoubt reports whether a host is to be probed before anything else is asked of it.
func (o *outages) inDoubt(host string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	return h != nil && h.doubt
}

// unsettled takes the failure of a URL that was held until the host answered, nil for none.
func (o *outages) unsettled(host, key string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	if h == nil || h.doubt {
		return nil
	}
	err := h.held[key]
	delete(h.held, key)
	return err
}

// probeFailed notes that a host in doubt did not answer a probe, and returns for how long to leave it alone; 0 means that it is given up.
func (o *outages) probeFailed(host string) (pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.of(host)
	h.row = nil
	clear(h.held)
	if h.probes++; h.probes > maxProbes {
		h.doubt = false
		return 0
	}
	return min(o.first<<(h.probes-1), maxPause)
}

// grant returns how much of a wait that an answer of host asks for is granted: at first to most, and twice as much each time
// that it is asked again, up to longestRetryAfter.
func (o *outages) grant(host string, asked, most time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.of(host)
	granted := min(most<<min(h.waits, 20), longestRetryAfter)
	if asked <= granted {
		return asked
	}
	h.waits++
	return granted
}
