package crawl

import (
	"fmt"
	"net/netip"
	"sync"
	"time"
)

// lookupsKept bounds the names of which is remembered what they were resolved to.
const lookupsKept = 100_000

// lookups are what names were resolved to in this session.
type lookups struct {
	sync.Mutex
	of map[string]string
}

// isNew reports whether a name was not resolved to these addresses last.
func (l *lookups) isNew(host string, addrs []netip.Addr) bool {
	text := fmt.Sprint(addrs)
	l.Lock()
	defer l.Unlock()
	if l.of[host] == text {
		return false
	}
	if l.of == nil || len(l.of) >= lookupsKept {
		l.of = map[string]string{}
	}
	l.of[host] = text
	return true
}

// resolved archives what a name was resolved to, when it is new.
func (c *Crawl) resolved(host string, addrs []netip.Addr) {
	if !c.lookups.isNew(host, addrs) {
		return
	}
	if err := c.archive.Lookup(host, time.Now(), addrs); err != nil {
		c.note("the addresses of %s are not archived: %v", host, err)
	}
}
