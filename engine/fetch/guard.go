package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// Guard keeps a crawl of the public web out of the networks of those who run it: it refuses to
// connect to addresses that are not public, for any reason. It checks the address that would be
// dialled. It is safe for concurrent use.
type Guard struct {
	allow  []netip.Prefix
	memory Memory

	mu    sync.Mutex
	seeds map[string]*seedHost // by host:port
}

// Memory keeps what a Guard learned for later sessions of the crawl.
type Memory interface {
	Meta(key string) []byte
	PutMeta(key string, value []byte) error
}

// seedHost is the host of a seed with those of its addresses that the seed allows although they are not public.
type seedHost struct {
	name  string
	known bool // looked up, in this session or an earlier one
	addrs []netip.Addr
}

// NewGuard returns a Guard that permits, besides public addresses, the networks of allow and the addresses of the seeds' own hosts
// (name and port; of a seed on a standard port both 80 and 443, since sites move from http to https). A seed's name all of whose addresses
// are not public at its first lookup may use these from then on and no others; a name that was public stays so,
// even if its name server changes the answer. memory stores this between sessions; nil does not.
func NewGuard(seeds []string, allow []netip.Prefix, memory Memory) *Guard {
	g := &Guard{memory: memory, seeds: make(map[string]*seedHost)}
	for _, p := range allow {
		if a := p.Addr(); a.Is4In6() {
			p = netip.PrefixFrom(a.Unmap(), max(p.Bits()-96, 0))
		}
		g.allow = append(g.allow, p.Masked())
	}
	for _, seed := range seeds {
		r, err := parseURL(seed)
		if err != nil {
			continue // Do will say so
		}
		ports := []string{r.port}
		if r.port == "80" || r.port == "443" {
			ports = []string{"80", "443"}
		}
		host := &seedHost{name: net.JoinHostPort(r.host, ports[0])}
		for _, port := range ports {
			g.seeds[net.JoinHostPort(r.host, port)] = host
		}
	}
	return g
}

// admit returns those of addrs, the answers for the host of r, that may be dialled. The error says why none may.
func (g *Guard) admit(r *request, addrs []netip.Addr) ([]netip.Addr, error) {
	if g == nil {
		return addrs, nil
	}
	own, err := g.ofSeed(r, addrs)
	if err != nil {
		return nil, &opError{"lookup", KindSpool, err}
	}
	var admitted []netip.Addr
	for _, a := range addrs {
		if g.open(a) || slices.Contains(own, a) {
			admitted = append(admitted, a)
		}
	}
	if len(admitted) == 0 {
		return nil, refusal(r, addrs[0])
	}
	return admitted, nil
}

func refusal(r *request, a netip.Addr) error {
	return &opError{"lookup", KindPrivate, fmt.Errorf(
		"%s of %s is a private address (%s); allow it with --allow-private %s, or make the host a seed",
		a, net.JoinHostPort(r.host, r.port), special(a), a)}
}

// ofSeed returns the addresses that are not public and that a seed allows on the host of r: what addrs says when the
// host is looked up for the first time.
func (g *Guard) ofSeed(r *request, addrs []netip.Addr) ([]netip.Addr, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	host := g.seeds[net.JoinHostPort(r.host, r.port)]
	if host == nil {
		return nil, nil
	}
	key := "addresses of seed " + host.name
	if !host.known && g.memory != nil {
		if kept := g.memory.Meta(key); kept != nil {
			if err := json.Unmarshal(kept, &host.addrs); err != nil {
				return nil, fmt.Errorf("stored addresses of %s: %w", key, err)
			}
			host.known = true
		}
	}
	if host.known {
		return host.addrs, nil
	}
	if !slices.ContainsFunc(addrs, g.open) {
		host.addrs = slices.Clone(addrs)
	}
	if g.memory != nil {
		data, err := json.Marshal(host.addrs)
		if err == nil {
			err = g.memory.PutMeta(key, data)
		}
		if err != nil {
			return nil, fmt.Errorf("storing the addresses of %s: %w", key, err)
		}
	}
	host.known = true
	return host.addrs, nil
}

// open reports whether anybody may lead a crawl to a.
func (g *Guard) open(a netip.Addr) bool {
	return special(a) == "" || slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(a.Unmap().WithZone("")) })
}

// proxyLookup bounds the lookup of a name for the guard of a request that goes through a proxy.
const proxyLookup = 2 * time.Second

// guardProxied checks a request that goes through a proxy, which looks the name up itself. An address is checked as such; of
// a name what our own resolver answers, all of it, since the proxy may take any. What it cannot answer is left to the
// proxy, and so are all names with socks5h, whose point is that they are not looked up here.
func (c *Client) guardProxied(ctx context.Context, r *request) error {
	if c.opts.Guard == nil {
		return nil
	}
	if _, err := netip.ParseAddr(r.host); err != nil && c.proxy.url.Scheme == "socks5h" {
		return nil
	}
	lookup, cancel := context.WithTimeout(ctx, proxyLookup)
	defer cancel()
	addrs, err := c.lookup(lookup, r.host)
	if err != nil {
		return ctx.Err()
	}
	admitted, err := c.opts.Guard.admit(r, addrs)
	if err != nil {
		return err
	}
	for _, a := range addrs {
		if !slices.Contains(admitted, a) {
			return refusal(r, a)
		}
	}
	return nil
}

// notPublic are the blocks of the IANA special-purpose registries (RFC 6890) that are not globally reachable, multicast, and
// the one public address at which a cloud tells its machines secrets; those of the others are link-local, private or shared.
var notPublic = blocks(`
0.0.0.0/8 unspecified
10.0.0.0/8 private
100.64.0.0/10 shared by carriers
127.0.0.0/8 loopback
168.63.129.16/32 metadata of a cloud
169.254.0.0/16 link-local
172.16.0.0/12 private
192.0.0.0/24 reserved
192.0.2.0/24 documentation
192.88.99.0/24 reserved
192.168.0.0/16 private
198.18.0.0/15 benchmarks
198.51.100.0/24 documentation
203.0.113.0/24 documentation
224.0.0.0/4 multicast
240.0.0.0/4 reserved
::/128 unspecified
::1/128 loopback
::/96 IPv4 in IPv6
fc00::/7 private
fe80::/10 link-local
ff00::/8 multicast
2001::/23 reserved, Teredo included
2001:db8::/32 documentation
3fff::/20 documentation
`)

// block is a range of addresses and what is special about it.
type block struct {
	netip.Prefix
	why string
}

func blocks(text string) (list []block) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		prefix, why, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, block{netip.MustParsePrefix(prefix), why})
	}
	return list
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour     = netip.MustParsePrefix("2002::/16")
)

// special says what keeps an address from being public, "" where nothing does. An IPv6 address that carries an IPv4 address, mapped,
// translated (NAT64) or tunnelled (6to4), is what that one is.
func special(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	bytes := a.As16()
	switch {
	case nat64.Contains(a):
		return special(netip.AddrFrom4([4]byte(bytes[12:])))
	case sixToFour.Contains(a):
		return special(netip.AddrFrom4([4]byte(bytes[2:6])))
	}
	for _, b := range notPublic {
		if b.Contains(a) {
			return b.why
		}
	}
	if a.Is6() && !globalUnicast.Contains(a) {
		return "reserved"
	}
	return ""
}
