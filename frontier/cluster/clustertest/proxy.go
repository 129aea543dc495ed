package clustertest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy is the network between a node and a server.
type Proxy struct {
	Address string
	to      string
	answer  func(to io.Writer, from io.Reader) error // passes on what the server says; nil: as it is
	mu      sync.Mutex
	cut     bool
	open    map[net.Conn]bool
}

// StartProxy starts one to a server; it ends with the test.
func StartProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Address: l.Addr().String(), to: to, open: make(map[net.Conn]bool)}
	t.Cleanup(func() {
		l.Close()
		p.Cut(true)
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

// Cut breaks all connections off and lets no new ones through, until it is called with false.
func (p *Proxy) Cut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut = cut; cut {
		for c := range p.open {
			c.Close()
		}
	}
}

// keep remembers a connection that a cut is to break off, and reports whether it may be.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[c] = true
	return !p.cut
}

func (p *Proxy) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer to.Close()
	if !p.keep(from) || !p.keep(to) {
		return
	}
	go func() {
		_, _ = io.Copy(to, from) // until one of them is closed
		to.Close()
	}()
	if p.answer != nil {
		_ = p.answer(from, to) // likewise
		return
	}
	_, _ = io.Copy(from, to)
}
