package clustertest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// Network is the network between one node and all servers of a cluster. In the servers' messages about each other it inserts its own
// addresses.
type Network struct {
	proxies []*Proxy
}

// StartNetwork starts one; it ends with the test.
func StartNetwork(t testing.TB, servers *Servers) *Network {
	t.Helper()
	n := new(Network)
	var ports []string
	for _, address := range servers.Addresses {
		p := StartProxy(t, address)
		n.proxies = append(n.proxies, p)
		there, here := portOf(address), portOf(p.Address)
		if len(there) != len(here) { // replies would have other lengths
			t.Skipf("a port of %d digits for one of %d", len(here), len(there))
		}
		ports = append(ports, ":"+there+"\r\n", ":"+here+"\r\n", ":"+there+"@", ":"+here+"@")
	}
	renamed := strings.NewReplacer(ports...)
	for _, p := range n.proxies {
		p.answer = func(to io.Writer, from io.Reader) error { return rename(to, from, renamed) }
	}
	return n
}

func portOf(address string) string { _, port, _ := net.SplitHostPort(address); return port }

// URL names the ends of the network.
func (n *Network) URL() string {
	var ends []string
	for _, p := range n.proxies {
		ends = append(ends, p.Address)
	}
	return fmt.Sprint("redis://", strings.Join(ends, ","))
}

// Cut breaks all connections off and lets no new ones through, until it is called with false.
func (n *Network) Cut(cut bool) {
	for _, p := range n.proxies {
		p.Cut(cut)
	}
}

// rename copies replies with other ports in their lines.
func rename(to io.Writer, from io.Reader, ports *strings.Replacer) error {
	r, w := bufio.NewReaderSize(from, 1<<16), bufio.NewWriterSize(to, 1<<16)
	for {
		line, err := r.ReadSlice('\n')
		if bytes.IndexByte(line, ':') >= 0 {
			line = []byte(ports.Replace(string(line)))
		}
		if _, werr := w.Write(line); werr != nil {
			return werr
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return errors.Join(err, w.Flush())
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}
