package engine

import (
	"sync"
	"time"

	"github.com/awarc/awarc/frontier"
)

const (
	// maxPause bounds the wait between two probes of a host that is down.
	maxPause = 5 * time.Minute
	// maxRow is how many failures in a row put a host in doubt, if its URLs have as many tries.
	maxRow = 3
	// maxOutages bounds the memory of hosts, maxSuspects that of the URLs of one.
	maxOutages  = 100_000
	maxSuspects = 1000
)

// outages keeps apart a host that is down and a URL that fails, so that an outage costs time and no
// content, and a URL that breaks connections costs the others of its host nothing.
//
// A request that could not be sent says that the host is down. One that was sent and not answered
// may be the fault of the URL: it counts as a try, until there is a row of them without an answer
// between. Then the host is in doubt, and nothing is asked of it but a probe. An answer makes what
// failed the fault of the URLs, which are suspects from then on: that they fail again says nothing
// about the host. A probe that fails, too, makes the failure in doubt that of the host, which is
// left alone for ever longer between the probes that follow, until it answers or the patience is
// over. Failed probes are refusals of the host, see [frontier.Health], so another process or node
// begins with a probe.
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

// knows reports whether a host has answered before.
func (o *outages) knows(host string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hosts[host] != nil
}

// answered notes an answer to the URL with a key, "" for a probe: the host is not down. With content, it ends a row of
// wishes for long waits, too.
func (o *outages) answered(host, key string, content bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.of(host)
	for _, k := range h.row {
		h.suspects[k] = true
	}
	if content {
		delete(h.suspects, key)
	}
	if len(h.suspects) > maxSuspects {
		clear(h.suspects)
	}
	h.row, h.doubt = nil, false
	if content {
		h.waits = 0
		h.served(key)
	}
}

// failed notes an exchange without an answer; sent says whether its request went out, refusing
// whether the host served nothing just before. It reports whether that counts as a try of the URL.
// If not, the URL is to be deferred, and its host is in doubt; if down is set, that the host is
// down is known without a probe.
func (o *outages) failed(host, key string, err error, sent, refusing bool) (counts, down bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	switch {
	case h == nil: // it never answered: the seed may be wrong
		return true, false
	case !sent && !h.doubt:
		h.doubt = true
		return false, true
	case h.doubt || refusing:
		h.doubt = true
		if sent {
			h.held[key] = err
		}
		return false, false
	case h.suspects[key]:
		return true, false
	}
	if h.row = append(h.row, key); len(h.row) < o.row {
		return true, false
	}
	h.doubt, h.held[key] = true, err
	return false, false
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

// down notes that a host is known not to answer, and returns for how long to leave it alone; over
// is set if the patience with it is at its end.
func (o *outages) down(host string, health frontier.Health, now time.Time) (pause time.Duration, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.of(host)
	h.row = nil
	clear(h.held)
	if o.impatient(health, now) {
		h.doubt = false
		return 0, true
	}
	return min(o.first<<min(health.Refusals, 20), maxPause), false
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
