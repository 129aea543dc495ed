package hostile

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	chainPages = 8                       // good pages at each link of a chain
	chainPause = 1500 * time.Millisecond // before each link: what half an hour has on one host is less than --trap-limit
	openFor    = 7 * time.Second         // a port that refuses now and then
	shutFor    = 2 * time.Second
)

// chain answers a link of the chain of good pages: a list of some, of a misdeed, and the next link while it is time.
func (v *visit) chain(name string) {
	n, err := strconv.Atoi(name)
	if err != nil || v.site.o.Until.IsZero() {
		v.missing()
		return
	}
	v.site.mu.Lock()
	last := v.site.chains[v.host]
	v.site.mu.Unlock()
	if n > last+1 { // nobody links to it yet
		v.missing()
		return
	}
	if v.fault() || !v.pause(chainPause) {
		return
	}
	v.site.mu.Lock()
	v.site.chains[v.host] = max(v.site.chains[v.host], n)
	v.site.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "<p>%s %s</p>\n<ul>", prose(v.host.name+name, 30), coined(n))
	for i := range chainPages {
		fmt.Fprintf(&b, "<li><a href=\"/good/chain-%d-%d\">Page %d of link %d</a></li>\n", n, i, i, n)
	}
	if again := v.host.repeatable(); len(again) > 0 {
		fmt.Fprintf(&b, "<li><a href=\"/x/%s?chain=%d\">A misdeed</a></li>\n", again[n%len(again)].Name, n)
	}
	if time.Now().Before(v.site.o.Until) {
		fmt.Fprintf(&b, "<li><a href=\"/chain/%d\">Next</a></li>\n", n+1)
	}
	v.page("Link "+name, b.String()+"</ul>")
}

// repeatable are the misdeeds that may be linked from every link of a chain: they cost one request, and their page is small.
func (h *host) repeatable() (these []*Misdeed) {
	for _, c := range chapters() {
		if slices.Contains([]string{"framing", "smuggling", "statuses", "headers", "types", "codings", "charsets", "markup"}, c.name) {
			for _, m := range h.listed(c.misdeeds) {
				if m.Most == 1 {
					these = append(these, m)
				}
			}
		}
	}
	return these
}

// coined is a sentence of words that no other link of a chain has.
func coined(n int) string {
	random := rand.New(rand.NewPCG(uint64(n), 3))
	var all []string
	for range 12 {
		w := ""
		for range 4 {
			w += string("bdfgklmnprstvz"[random.IntN(14)]) + string("aeiou"[random.IntN(5)])
		}
		all = append(all, w)
	}
	return strings.Join(all, " ") + "."
}

// current is the listener of the host.
func (h *host) current() net.Listener {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listener
}

// refuse closes the port of a host now and then, for a while.
func (s *Site) refuse(h *host) {
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
			return true
		case <-s.ctx.Done():
			return false
		}
	}
	for wait(openFor) {
		h.mu.Lock() // who accepts waits for the next listener
		if s.ctx.Err() != nil {
			h.mu.Unlock()
			return
		}
		addr := h.listener.Addr().String()
		_ = h.listener.Close() // it is replaced
		var err error
		if wait(shutFor) {
			var l net.Listener
			if l, err = net.Listen("tcp", addr); err == nil {
				h.listener = l
			}
		}
		h.mu.Unlock()
		if err != nil {
			s.stray("the port could not be opened again: %v", err)
			return
		}
	}
}
