package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestSpecialAddresses(t *testing.T) {
	t.Parallel()
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254",
		"169.254.170.2",
		"168.63.129.16", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
		"198.19.255.255",
		"198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "fe80::1", "fe80::1%lo", "fec0::1", "fc00::1",
		"fd00:ec2::254", "fd20:ce::254",
		"ff02::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1", "64:ff9b:1::1",
		"64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:c0a8:101::1",
		"2001:0:4136:e378:8000:63bf:3fff:fdd2",
	} {
		if special(netip.MustParseAddr(a)) == "" {
			t.Errorf("%s is taken for a public address", a)
		}
	}
	for _, a := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "128.0.0.1", "172.15.0.1",
		"172.32.0.1", "192.167.1.1",
		"192.0.1.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
		"2002:808:808::1",
	} {
		if why := special(netip.MustParseAddr(a)); why != "" {
			t.Errorf("%s is taken for %s", a, why)
		}
	}
}

// nameServer is a resolver whose server on loopback answers what says returns for the nth question for a name.
func nameServer(t *testing.T, says func(name string, n int) []string) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { pc.Close(); wg.Wait() })
	asked := make(map[string]int)
	wg.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			key := fmt.Sprint(q.Name, q.Type)
			m.Response, m.Additionals = true, nil
			for _, text := range says(strings.TrimSuffix(q.Name.String(), "."), asked[key]) {
				a := netip.MustParseAddr(text)
				h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
				if a.Is4() && q.Type == dnsmessage.TypeA {
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
				}
				if a.Is6() && q.Type == dnsmessage.TypeAAAA {
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
				}
			}
			asked[key]++
			if packed, err := m.Pack(); err == nil {
				pc.WriteTo(packed, from)
			}
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

func constant(addrs ...string) func(string, int) []string {
	return func(string, int) []string { return addrs }
}

// counted is a server that counts its requests; port is where it listens on every loopback address.
func counted(t *testing.T) (hits *atomic.Int64, port string) {
	t.Helper()
	hits = new(atomic.Int64)
	l, err := net.Listen("tcp4", ":0")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		w.Header().Set("Connection", "close") // each exchange looks the host up
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return hits, port
}

func guarded(t *testing.T, o Options) *Client {
	t.Helper()
	o.SpoolDir = t.TempDir()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// reaches reports whether an exchange took place; otherwise it must have been refused as private.
func reaches(t *testing.T, c *Client, url string) bool {
	t.Helper()
	ex, err := c.Do(t.Context(), url, nil)
	if err == nil {
		ex.Close()
		return true
	}
	var typed *Error
	if !errors.As(err, &typed) || typed.Kind != KindPrivate {
		t.Errorf("%s: %v, want the kind %s", url, err, KindPrivate)
	}
	return false
}

func TestNamesThatLeadToPrivateAddresses(t *testing.T) {
	t.Parallel()
	hits, port := counted(t)
	for name, answer := range map[string][]string{
		"loopback": {"127.0.0.1"}, "several": {"127.0.0.1", "10.0.0.1", "192.168.0.1"}, "metadata": {"169.254.169.254"},
		"unspecified":   {"0.0.0.0"},
		"IPv6 loopback": {"::1"}, "IPv6 metadata": {"fd00:ec2::254"}, "IPv4 in IPv6": {"::ffff:127.0.0.1"}, "NAT64": {"64:ff9b::7f00:1"},
	} {
		c := guarded(t, Options{Guard: NewGuard([]string{"http://public.example/"}, nil, nil),
			Resolver: nameServer(t, constant(answer...))})
		if reaches(t, c, "http://host.example:"+port+"/") || hits.Load() != 0 {
			t.Errorf("%s: reached", name)
		}
	}
	// A name with addresses of both sorts is reached at the public one.
	c := guarded(t, Options{Guard: NewGuard(nil, []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}, nil),
		Resolver: nameServer(t, constant("127.0.0.1", "127.0.0.2"))})
	ex, err := c.Do(t.Context(), "http://host.example:"+port+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ex.Close()
	if ex.IP != "127.0.0.2" {
		t.Errorf("reached %s", ex.IP)
	}
}

// memory is a Memory of a crawl.
type memory map[string][]byte

func (m memory) Meta(key string) []byte                 { return m[key] }
func (m memory) PutMeta(key string, value []byte) error { m[key] = value; return nil }

func TestNameOfASeedMayKeepItsFirstAddresses(t *testing.T) {
	t.Parallel()
	hits, port := counted(t)
	turning := func(first, then string) func(string, int) []string {
		return func(name string, n int) []string {
			switch {
			case name == "other.example":
				return []string{"127.0.0.1"}
			case n == 0:
				return []string{first}
			}
			return []string{then}
		}
	}
	public := []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")} // stands for the public web
	for name, c := range map[string]struct {
		first, then string
		want        [2]bool
	}{
		"private and stays":    {"127.0.0.1", "127.0.0.1", [2]bool{true, true}},
		"private, then others": {"127.0.0.1", "127.0.0.3", [2]bool{true, false}},
		"public, then private": {"127.0.0.2", "127.0.0.1", [2]bool{true, false}},
	} {
		for _, sessions := range []int{1, 2} {
			kept, resolver := memory{}, nameServer(t, turning(c.first, c.then))
			seed := "http://seed.example:" + port + "/"
			client := guarded(t, Options{Guard: NewGuard([]string{seed}, public, kept), Resolver: resolver})
			first := reaches(t, client, seed)
			if sessions == 2 {
				client = guarded(t, Options{Guard: NewGuard([]string{seed}, public, kept), Resolver: resolver})
			}
			if got := [2]bool{first, reaches(t, client, seed+"page")}; got != c.want {
				t.Errorf("%s in %d sessions: reached %v, want %v", name, sessions, got, c.want)
			}
			if reaches(t, client, "http://other.example:"+port+"/") {
				t.Error("another name of the seed's address was reached")
			}
		}
	}
	before := hits.Load()
	literal := guarded(t, Options{Guard: NewGuard([]string{"http://0x7f.1:" + port}, nil, nil)})
	if !reaches(t, literal, "http://2130706433:"+port+"/") || reaches(t, literal, "http://127.0.0.3:"+port+"/") || hits.Load() != before+1 {
		t.Error("a seed that is an address does not allow this one alone")
	}
}

// A seed on a standard port allows the other one: sites move from http to https.
func TestStandardPortsAreOneHost(t *testing.T) {
	t.Parallel()
	g := NewGuard([]string{"http://127.0.0.1/", "http://[::1]:8080/"}, []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}, nil)
	for url, want := range map[string]bool{
		"http://127.0.0.1/a": true, "https://127.0.0.1/": true, "http://127.0.0.1:8080/": false, "http://[::1]:8080/": true,
		"http://[::1]/":    false,
		"http://10.1.2.3/": true, "http://11.1.2.3/": true, "http://192.168.0.1/": false,
	} {
		r, err := parseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.admit(r, []netip.Addr{netip.MustParseAddr(r.host)}); (err == nil) != want {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// The proxy itself is the user's and reached wherever it is; where it would go is checked as far as can be known.
func TestGuardBehindAProxy(t *testing.T) {
	t.Parallel()
	var hits atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		io.WriteString(w, "through the proxy")
	}))
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	resolver := nameServer(t, func(name string, _ int) []string {
		return map[string][]string{"inside.example": {"10.0.0.1"}, "both.example": {"93.184.216.34", "10.0.0.1"},
			"public.example": {"93.184.216.34"}}[name]
	})
	c := guarded(t, Options{Proxy: "http://" + at.Host, Guard: NewGuard([]string{"http://10.9.9.9/"}, nil, nil), Resolver: resolver})
	for url, want := range map[string]bool{
		"http://127.0.0.1/": false, "https://127.0.0.1/": false, "http://[::1]/": false, "http://169.254.169.254/latest": false,
		"http://inside.example/": false,
		"http://both.example/":   false, "http://public.example/": true, "http://unknown.example/": true, "http://10.9.9.9/": true,
		"http://93.184.216.34/": true,
	} {
		before := hits.Load()
		if got := reaches(t, c, url); got != want || hits.Load() > before != want {
			t.Errorf("%s: reached %v, want %v", url, got, want)
		}
	}
	socks := guarded(t, Options{Proxy: "socks5h://" + at.Host, Guard: NewGuard(nil, nil, nil), Resolver: resolver})
	if reaches(t, socks, "http://10.0.0.1/") {
		t.Error("an address was asked of a socks5h proxy")
	}
}
